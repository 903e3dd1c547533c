use std::cell::Cell;

use crate::{
    error::{Error, ErrorKind, LineError, Position},
    lines::{ErrorCounts, RawLine},
};

/// Counts the lines that failed, each line once.
///
/// A line can fail while it is framed, and again each time that it is read.
/// All errors are reported here, and the line is counted once. Since lines are
/// returned in order, the position of the last failed line is sufficient to
/// recognise it.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Whether errors include a copy of their line.
    keep_raw: bool,
    errors: Cell<ErrorCounts>,
    /// The position of the last line that was counted.
    last: Cell<Option<Position>>,
}

impl Tally {
    pub(crate) fn keeping_raw(keep_raw: bool) -> Tally {
        Tally { keep_raw, ..Tally::default() }
    }

    /// Counts an error about `line`, unless the line has been counted already.
    /// Attaches the line's bytes to the error if `keep_raw` is set.
    #[cold]
    pub(crate) fn report(&self, error: LineError, line: RawLine<'_>) -> Error {
        self.skip(error, line);
        self.attach(error.into(), line)
    }

    /// Counts an error about `line`, unless the line has been counted already.
    #[cold]
    pub(crate) fn skip(&self, error: LineError, line: RawLine<'_>) {
        let at = Some(line.position);
        if self.last.replace(at) != at {
            self.count(error.kind);
        }
    }

    /// Attaches the line's bytes to an error if `keep_raw` is set. Does not
    /// count it.
    #[cold]
    pub(crate) fn attach(&self, error: Error, line: RawLine<'_>) -> Error {
        if self.keep_raw { error.with_raw(line.bytes) } else { error }
    }

    /// Counts an error that has no line, or whose line cannot be returned.
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
