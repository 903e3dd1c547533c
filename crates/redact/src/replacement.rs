use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    ops::Range,
};

use hmac_sha256::HMAC;
use linetape::Error;

use crate::error::invalid;

/// What is written in place of a secret.
///
/// # Example
///
/// This shows two pseudonyms of the same secret.
///
/// ```
/// use linetape_redact::{Redactor, Replacement, Rules};
///
/// let key = Replacement::pseudonym(b"a key of at least 16 bytes")?;
/// let mut redactor = Redactor::new(Rules::secrets(), key);
/// let token = format!("ghp_{}", "a1B2".repeat(9));
/// let text = redactor.text(&format!("{token}, {token}")).to_string();
/// let (one, two) = text.split_once(", ").unwrap();
/// assert!(one.starts_with("redacted-"));
/// assert_eq!(one, two);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone)]
pub struct Replacement {
    how: How,
    /// The key for identifiers: that of pseudonyms, or a random one.
    ids: Box<HMAC>,
}

#[derive(Clone)]
enum How {
    Text(Box<str>),
    Pseudonym,
    Remove,
}

/// How pseudonyms begin.
const PSEUDONYM: &str = "redacted-";

/// The number of hexadecimal digits at the end of a pseudonym.
const DIGITS: usize = 16;

/// The least number of bytes of a key.
const LEAST_KEY: usize = 16;

impl Default for Replacement {
    fn default() -> Replacement {
        Replacement::stars()
    }
}

impl Replacement {
    fn new(how: How) -> Replacement {
        // The standard library has no other random numbers.
        let random = RandomState::new();
        let mut key = [0; 64];
        for (part, n) in key.chunks_mut(8).zip(0_u64..) {
            part.copy_from_slice(&random.hash_one(n).to_le_bytes());
        }
        let ids = Box::new(HMAC::new(key));
        Replacement { how, ids }
    }

    /// Replaces by `***`.
    pub fn stars() -> Replacement {
        Replacement::new(How::Text("***".into()))
    }

    /// Replaces by a text. It must not need an escape in JSON, since it can be
    /// inserted into JSON inside of a string.
    ///
    /// # Errors
    ///
    /// Returns an error if the text contains a quote, a backslash or a control
    /// character.
    pub fn text(text: &str) -> Result<Replacement, Error> {
        let is_bad = |c: char| c == '"' || c == '\\' || c.is_control();
        match text.contains(is_bad) {
            true => Err(invalid(
                "the replacement contains a quote, a backslash or a control \
                 character",
            )),
            false => Ok(Replacement::new(How::Text(text.into()))),
        }
    }

    /// Replaces by a pseudonym, which is computed from the secret and a key
    /// (HMAC-SHA-256). The same secret has the same pseudonym in all logs that
    /// are redacted with the same key. Anyone who has the key can test guesses.
    ///
    /// # Errors
    ///
    /// Returns an error if the key is shorter than 16 bytes.
    pub fn pseudonym(key: &[u8]) -> Result<Replacement, Error> {
        if key.len() < LEAST_KEY {
            return Err(invalid(format!(
                "the key of pseudonyms is shorter than {LEAST_KEY} bytes"
            )));
        }
        let ids = Box::new(HMAC::new(key));
        Ok(Replacement { how: How::Pseudonym, ids })
    }

    /// Replaces by nothing. Values at a JSON Pointer are removed, with their
    /// keys.
    pub fn removal() -> Replacement {
        Replacement::new(How::Remove)
    }

    /// Returns whether values that a pointer names are removed.
    pub(crate) fn removes(&self) -> bool {
        matches!(self.how, How::Remove)
    }

    /// Appends the replacement of a secret. It needs no escape.
    pub(crate) fn write(&self, secret: &str, out: &mut String) {
        match &self.how {
            How::Text(text) => out.push_str(text),
            How::Remove => {}
            How::Pseudonym => self.write_id(secret, out),
        }
    }

    /// Appends the replacement of an identifier, which is always a pseudonym:
    /// other lines refer to it. It does not name the rule, since different
    /// rules can find the same secret.
    pub(crate) fn write_id(&self, secret: &str, out: &mut String) {
        let mut hmac = (*self.ids).clone();
        hmac.update(secret.as_bytes());
        out.push_str(PSEUDONYM);
        for byte in hmac.finalize().iter().take(DIGITS / 2) {
            for digit in [byte >> 4, byte & 15] {
                out.extend(char::from_digit(digit.into(), 16));
            }
        }
    }

    /// Returns whether a text is the replacement of an identifier already.
    pub(crate) fn is_id(text: &str) -> bool {
        is_pseudonym(text)
    }

    /// Returns whether a range of a text is inside of a replacement. A rule can
    /// match a part of one.
    pub(crate) fn covers(&self, text: &str, range: &Range<usize>) -> bool {
        let length = match &self.how {
            How::Text(own) => own.len(),
            How::Remove => return false,
            How::Pseudonym => PSEUDONYM.len() + DIGITS,
        };
        let first = range.end.saturating_sub(length);
        (first..=range.start).any(|start| {
            let made = text.get(start..start + length);
            made.is_some_and(|made| self.is_made(made))
        })
    }

    /// Returns whether a text is a replacement already.
    pub(crate) fn is_made(&self, text: &str) -> bool {
        match &self.how {
            How::Text(own) => **own == *text,
            How::Remove => text.is_empty(),
            How::Pseudonym => is_pseudonym(text),
        }
    }
}

/// Returns whether a text has the form of a pseudonym.
fn is_pseudonym(text: &str) -> bool {
    text.strip_prefix(PSEUDONYM).is_some_and(|digits| {
        digits.len() == DIGITS
            && digits.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
    })
}

/// Does not show the key.
impl fmt::Debug for Replacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.how {
            How::Text(text) => f.debug_tuple("Text").field(text).finish(),
            How::Pseudonym => f.write_str("Pseudonym"),
            How::Remove => f.write_str("Remove"),
        }
    }
}
