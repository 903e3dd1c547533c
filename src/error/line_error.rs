/*!
Errors about lines, before they are boxed.
*/

use std::fmt;

use crate::{
    error::{ErrorKind, Position},
    escape::{escape, is_hidden},
    scan::part,
};

/// Why a line that is an opening bracket is bad.
pub(crate) const GOES_ON: &str =
    "it does not end on its line; expected one object on each line";

/// An error about a line. It does not allocate, so that lines that are counted
/// and skipped cost no allocation, whatever is wrong with them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineError {
    pub(crate) kind: ErrorKind,
    pub(crate) position: Position,
    pub(crate) detail: Detail,
    pub(crate) snippet: Snippet,
}

/// Details of an error beyond its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Detail {
    None,
    /// A limit, and the value that exceeds it.
    Limit {
        limit: u64,
        found: u64,
    },
    /// What the grammar expected.
    Reason(&'static str),
    /// The length of a truncated line.
    Length(u64),
}

impl LineError {
    pub(crate) fn new(kind: ErrorKind, position: Position) -> LineError {
        let (detail, snippet) = (Detail::None, Snippet::default());
        LineError { kind, position, detail, snippet }
    }

    pub(crate) fn over_limit(
        kind: ErrorKind,
        position: Position,
        limit: u64,
        found: u64,
    ) -> LineError {
        let detail = Detail::Limit { limit, found };
        LineError { detail, ..LineError::new(kind, position) }
    }

    pub(crate) fn syntax(
        position: Position,
        reason: &'static str,
    ) -> LineError {
        let detail = Detail::Reason(reason);
        LineError { detail, ..LineError::new(ErrorKind::Syntax, position) }
    }

    /// Creates the error for a duplicate of any key.
    pub(crate) fn repeated_key(position: Position) -> LineError {
        let detail = Detail::Reason("duplicate key");
        let error = LineError::new(ErrorKind::DuplicateKey, position);
        LineError { detail, ..error }
    }

    pub(crate) fn truncated(position: Position, length: u64) -> LineError {
        let detail = Detail::Length(length);
        LineError { detail, ..LineError::new(ErrorKind::Truncated, position) }
    }

    pub(crate) fn moved_to(self, position: Position) -> LineError {
        LineError { position, ..self }
    }

    /// Adds the beginning of `text` for
    /// [`Error::snippet`](crate::Error::snippet).
    pub(crate) fn with_snippet(self, text: &[u8]) -> LineError {
        LineError { snippet: Snippet::of(text), ..self }
    }
}

impl Detail {
    /// Writes the text of an error of this kind, without the position.
    pub(crate) fn explain(
        self,
        kind: ErrorKind,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match (self, kind) {
            (Detail::Limit { limit, found }, ErrorKind::Depth) => {
                write!(f, "nesting too deep: {found} levels, limit {limit}")
            }
            (Detail::Limit { limit, found }, ErrorKind::TooManyNodes) => {
                write!(f, "too many values: {found} or more, limit {limit}")
            }
            (Detail::Limit { limit, found }, _) => {
                write!(f, "line too long: {found} bytes, limit {limit}")
            }
            (Detail::Reason(why), ErrorKind::NotAnObject) => {
                write!(f, "not a JSON object: {why}")
            }
            (Detail::Reason(why), ErrorKind::DuplicateKey) => f.write_str(why),
            (Detail::Reason(why), _) => write!(f, "invalid JSON: {why}"),
            (Detail::Length(length), _) => {
                write!(
                    f,
                    "unexpected end of input: last line is truncated after \
                     {length} bytes"
                )
            }
            (Detail::None, kind) => f.write_str(match kind {
                ErrorKind::Encoding => "UTF-16 input; expected UTF-8",
                ErrorKind::Utf8 => "invalid UTF-8",
                ErrorKind::NotAnObject => "not a JSON object",
                ErrorKind::DuplicateKey => "duplicate `type` or `subtype` key",
                ErrorKind::TrailingData => {
                    "trailing data after the JSON object"
                }
                // These have a detail.
                kind => kind.as_str(),
            }),
        }
    }
}

/// A few characters of escaped text, stored inline so that an error does not
/// allocate.
#[derive(Clone, Copy, Default)]
pub(crate) struct Snippet {
    /// The used length of `text`, always a character boundary.
    len: u8,
    text: [u8; Snippet::MAX],
}

impl Snippet {
    const MAX: usize = 31;

    pub(crate) fn of(bytes: &[u8]) -> Snippet {
        let mut snippet = Snippet::default();
        // Reads more bytes than fit, so that a character that is cut in two
        // here is never shown.
        let head = bytes.get(..2 * Self::MAX).unwrap_or(bytes);
        // A full snippet ends the write with an error that can be ignored.
        let _ = escape(head, is_hidden, &mut snippet);
        snippet
    }

    pub(crate) fn as_str(&self) -> &str {
        let used = part(&self.text, ..usize::from(self.len));
        let used = std::str::from_utf8(used);
        debug_assert!(used.is_ok(), "a snippet is cut between characters");
        used.unwrap_or_default()
    }
}

impl fmt::Write for Snippet {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        for c in piece.chars() {
            let start = usize::from(self.len);
            let slot = self.text.get_mut(start..start + c.len_utf8());
            c.encode_utf8(slot.ok_or(fmt::Error)?);
            self.len += c.len_utf8() as u8;
        }
        Ok(())
    }
}

impl fmt::Debug for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::Escaped;

    #[test]
    fn a_snippet_is_cut_between_characters() {
        for pad in 0..40 {
            let text = format!("{}é\u{1b}é", "x".repeat(pad));
            let whole = Escaped::new(&text).to_string();
            let snippet = Snippet::of(text.as_bytes());
            let shown = snippet.as_str();
            assert!(whole.starts_with(shown), "{shown} of {whole}");
            let room = Snippet::MAX - shown.len();
            let next = whole[shown.len()..].chars().next();
            assert!(next.is_none_or(|c| c.len_utf8() > room), "{shown}");
        }
    }
}
