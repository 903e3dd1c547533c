//! Searches for text in the strings of a line.
//!
//! A search in the raw bytes decides most lines. It is exact unless escapes are
//! involved: quotes, backslashes and control characters are always escaped, a
//! slash sometimes, and any character can be `\u` and four digits. In these
//! cases the strings are unescaped and searched.

use std::borrow::Cow;

use linetape::{Error, Line, Value};
use memchr::memmem::{self, Finder};

/// A text to search for.
#[derive(Clone)]
pub struct Needle {
    text: Finder<'static>,
    /// Its longest part that JSON never has to escape.
    plain: Finder<'static>,
    /// Whether the plain part is the whole text and occurs only in strings, so
    /// that finding it outside an escape is a match.
    is_enough: bool,
}

/// The result of a search in the bytes of a line.
enum Found {
    Yes,
    No,
    /// The strings have to be unescaped.
    Perhaps,
}

impl Needle {
    pub fn new(text: &str) -> Result<Needle, &'static str> {
        if text.is_empty() {
            return Err("expected a non-empty text");
        }
        let parts = text.split(|c| matches!(c, '"' | '\\' | '\0'..' '));
        let plain = parts.max_by_key(|part| part.len()).unwrap_or_default();
        let only_in_strings = text.bytes().any(|byte| {
            // Numbers, `true`, `false`, `null`, and the JSON punctuation.
            !b" {}[]:,+-.0123456789Eaeflnrstu".contains(&byte)
        });
        Ok(Needle {
            text: Finder::new(text).into_owned(),
            plain: Finder::new(plain).into_owned(),
            is_enough: plain == text && only_in_strings,
        })
    }

    /// Returns the text.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.text.needle())
    }

    fn is_in(&self, text: &str) -> bool {
        self.text.find(text.as_bytes()).is_some()
    }

    fn search(&self, line: &[u8]) -> Found {
        let mut hits = self.plain.find_iter(line).peekable();
        if hits.peek().is_none() && !self.may_be_escaped(line) {
            return Found::No;
        }
        match self.is_enough && hits.any(|at| is_unescaped(line, at)) {
            true => Found::Yes,
            false => Found::Perhaps,
        }
    }

    /// Returns whether the plain part may occur with escapes in it.
    fn may_be_escaped(&self, line: &[u8]) -> bool {
        let slash = self.plain.needle().contains(&b'/');
        memmem::find(line, br"\u").is_some()
            || slash && memmem::find(line, br"\/").is_some()
    }
}

/// Returns whether the text at an offset is certainly not a part of an escape,
/// which has up to six bytes. A backslash before it may itself be escaped; then
/// the search of the unescaped strings decides.
fn is_unescaped(line: &[u8], at: usize) -> bool {
    let before = &line[at.saturating_sub(5)..at];
    !before.ends_with(br"\") && memmem::find(before, br"\u").is_none()
}

/// Returns whether one of the texts occurs in a string or a key of a line.
///
/// # Errors
///
/// When the line is invalid.
pub fn contains_any(
    line: &Line<'_>,
    needles: &[Needle],
) -> Result<bool, Error> {
    let mut perhaps = false;
    for needle in needles {
        match needle.search(line.as_bytes()) {
            Found::Yes => return Ok(true),
            Found::No => {}
            Found::Perhaps => perhaps = true,
        }
    }
    let contains = |text: &str| needles.iter().any(|n| n.is_in(text));
    Ok(perhaps && any_string(line.peek()?.value(), &contains))
}

/// Returns whether a string or a key of a value passes a test. The recursion is
/// as deep as the value, which the reader limits.
fn any_string(value: Value<'_>, test: &impl Fn(&str) -> bool) -> bool {
    if let Some(object) = value.as_object() {
        let mut members = object.iter();
        members.any(|(key, value)| test(key) || any_string(value, test))
    } else if let Some(array) = value.as_array() {
        array.iter().any(|item| any_string(item, test))
    } else {
        value.as_str().is_some_and(test)
    }
}
