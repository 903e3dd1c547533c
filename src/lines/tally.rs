use std::cell::Cell;

use crate::{
    error::{Error, ErrorKind, Position},
    lines::{ErrorCounts, RawLine},
};

/// Counts the lines that failed, whoever found out.
///
/// A line can fail while it is framed, and later each time that it is asked
/// for something. All of these report here, and the line counts once. Lines
/// are handed out one after the other, so that the position of the last one
/// that failed is enough to know it again.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Whether an error gets a copy of its line.
    keep_raw: bool,
    errors: Cell<ErrorCounts>,
    /// Where the last line begins that has been counted.
    last: Cell<Option<Position>>,
}

impl Tally {
    pub(crate) fn keeping_raw(keep_raw: bool) -> Tally {
        Tally { keep_raw, ..Tally::default() }
    }

    /// Counts an error about `line`, unless the line has been counted. Adds
    /// the line's bytes to the error if they are to be kept.
    #[cold]
    pub(crate) fn report(&self, error: Error, line: RawLine<'_>) -> Error {
        let at = Some(line.position);
        if self.last.replace(at) != at {
            self.count(error.kind());
        }
        if self.keep_raw { error.with_raw(line.bytes) } else { error }
    }

    /// Counts an error that is about no line that could be handed out.
    #[cold]
    pub(crate) fn count(&self, kind: ErrorKind) {
        let mut errors = self.errors.get();
        errors.count(kind);
        self.errors.set(errors);
    }

    pub(crate) fn errors(&self) -> ErrorCounts {
        self.errors.get()
    }
}
