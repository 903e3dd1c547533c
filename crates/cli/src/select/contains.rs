//! Text in the strings of a line.
//!
//! Most lines are told by a search in their bytes. A string looks there as it
//! is meant, but for what is escaped: quotes, backslashes and control
//! characters always, a slash by some, and anything as `\u` and four digits.
//! Where that may play a part, the strings are unescaped.

use linetape::{Error, Line, Value};
use memchr::memmem::{self, Finder};

/// A text to look for.
#[derive(Clone)]
pub struct Needle {
    text: Finder<'static>,
    /// The longest part of it that need not be escaped.
    plain: Finder<'static>,
    /// Whether the text is where this part is, unless an escape gets in its
    /// way.
    is_enough: bool,
}

/// What the bytes of a line tell.
enum Told {
    Yes,
    No,
    Perhaps,
}

impl Needle {
    pub fn new(text: &str) -> Result<Needle, &'static str> {
        if text.is_empty() {
            return Err("expected a text that is not empty");
        }
        let parts = text.split(|c| matches!(c, '"' | '\\' | '\0'..' '));
        let plain = parts.max_by_key(|part| part.len()).unwrap_or_default();
        let only_in_strings = text.bytes().any(|byte| {
            // Numbers, `true`, `false`, `null`, and what is between values.
            !b" {}[]:,+-.0123456789Eaeflnrstu".contains(&byte)
        });
        Ok(Needle {
            text: Finder::new(text).into_owned(),
            plain: Finder::new(plain).into_owned(),
            is_enough: plain == text && only_in_strings,
        })
    }

    fn is_in(&self, text: &str) -> bool {
        self.text.find(text.as_bytes()).is_some()
    }

    fn look_at(&self, line: &[u8]) -> Told {
        let mut hits = self.plain.find_iter(line).peekable();
        if hits.peek().is_none() && !self.may_be_escaped(line) {
            return Told::No;
        }
        match self.is_enough && hits.any(|at| is_as_meant(line, at)) {
            true => Told::Yes,
            false => Told::Perhaps,
        }
    }

    /// Whether the plain part of the text may be there with escapes in it.
    fn may_be_escaped(&self, line: &[u8]) -> bool {
        let slash = self.plain.needle().contains(&b'/');
        memmem::find(line, br"\u").is_some()
            || slash && memmem::find(line, br"\/").is_some()
    }
}

/// Whether what is found at a place is no part of an escape, which has up to
/// six bytes. A backslash directly before may be escaped itself; that does not
/// matter, as the strings tell then.
fn is_as_meant(line: &[u8], at: usize) -> bool {
    let before = &line[at.saturating_sub(5)..at];
    !before.ends_with(br"\") && memmem::find(before, br"\u").is_none()
}

/// Whether one of the texts is in one of the strings of a line, or in a key.
///
/// # Errors
///
/// When the line cannot be read.
pub fn contains_any(
    line: &Line<'_>,
    needles: &[Needle],
) -> Result<bool, Error> {
    let mut perhaps = false;
    for needle in needles {
        match needle.look_at(line.as_bytes()) {
            Told::Yes => return Ok(true),
            Told::No => {}
            Told::Perhaps => perhaps = true,
        }
    }
    let is_meant = |text: &str| needles.iter().any(|n| n.is_in(text));
    Ok(perhaps && any_string(line.peek()?.value(), &is_meant))
}

/// Whether a string or a key of a value passes a test. This calls itself as
/// often as the value is deep, for which the reader has a limit.
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
