/*!
The line that values are read from: its bytes, its memory, and whether it has
been checked.
*/

use std::{cell::Cell, fmt};

use bumpalo::Bump;

use crate::{
    error::{Error, LineError, Position},
    json::{Checked, Indexes, Text, TopFault, check, duplicate, explain},
    limits::Limits,
    lines::{RawLine, Tally},
    scan::{Scanner, as_utf8},
};

/// A line whose values are read from its text.
pub(crate) struct Source<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) origin: Origin,
    state: Cell<State>,
    /// Whether `type` and `subtype` are known to occur at most once.
    is_stated_once: Cell<bool>,
    pub(crate) scanner: Scanner,
    /// The memory for indexes and unescaped strings.
    pub(crate) arena: &'a Bump,
    /// The memory in which indexes are built.
    pub(crate) indexes: &'a Indexes,
    /// Counts the line if it fails the full check.
    tally: Option<&'a Tally>,
}

/// The result of the full check of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The line has not been checked.
    Unchecked,
    /// The line has passed.
    Good,
    /// The line has failed, or a fault has been found in it.
    Bad,
}

/// The position of a line in its stream, and the limits of its reader.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) position: Position,
    /// Whether a newline ends the line.
    pub(crate) terminated: bool,
    pub(crate) limits: Limits,
}

impl<'a> Source<'a> {
    pub(crate) fn new(
        bytes: &'a [u8],
        origin: Origin,
        scanner: Scanner,
        arena: &'a Bump,
        indexes: &'a Indexes,
        tally: Option<&'a Tally>,
    ) -> Source<'a> {
        Source {
            bytes,
            origin,
            state: Cell::new(State::Unchecked),
            is_stated_once: Cell::new(false),
            scanner,
            arena,
            indexes,
            tally,
        }
    }

    /// Returns the maximum nesting depth.
    pub(crate) fn depth(&self) -> usize {
        self.origin.limits.depth_cap()
    }

    /// Records that `type` and `subtype` occur at most once in the line.
    pub(crate) fn set_stated_once(&self) {
        self.is_stated_once.set(true);
    }

    /// Returns a part of the line. `None` if it is not UTF-8.
    #[inline]
    pub(crate) fn part(&self, start: usize, end: usize) -> Option<&'a str> {
        as_utf8(self.bytes.get(start..end)?)
    }

    /// Indexes the container from `start` to `end`. `None` if it is not
    /// balanced, or not UTF-8.
    pub(crate) fn enter(
        &'a self,
        start: usize,
        end: usize,
    ) -> Option<&'a Text<'a>> {
        Text::of_container(self.bytes.get(start..end)?, start, self)
    }

    /// Records that the line has passed the full check.
    pub(crate) fn set_checked(&self) {
        self.state.set(State::Good);
    }

    /// Returns whether the line passes the full check, which the first call
    /// runs.
    pub(crate) fn is_good(&self) -> bool {
        if self.state.get() == State::Unchecked {
            let depth = self.origin.limits.depth_cap();
            let state = match check(self.bytes, depth, self.scanner) {
                Checked::Bad => State::Bad,
                Checked::Doubtful if self.twice().is_some() => State::Bad,
                Checked::Good | Checked::Doubtful => State::Good,
            };
            self.state.set(state);
        }
        self.state.get() == State::Good
    }

    /// Returns the error if `type` or `subtype` occurs twice. The line must
    /// have no other fault.
    #[cold]
    fn twice(&self) -> Option<LineError> {
        // An index has rejected it already.
        if self.is_stated_once.get() {
            return None;
        }
        let (arena, indexes) = (Bump::new(), Indexes::default());
        let Source { bytes, origin, scanner, .. } = *self;
        let alone =
            Source::new(bytes, origin, scanner, &arena, &indexes, None);
        match Text::new(&alone) {
            Err(TopFault::Duplicate(key, at)) => {
                Some(duplicate(key, at, origin.position))
            }
            _ => None,
        }
    }

    /// Records that a value of the line is not JSON.
    #[cold]
    pub(crate) fn note_fault(&self) {
        debug_assert_ne!(self.state.get(), State::Good, "{self:?}");
        self.state.set(State::Bad);
    }

    /// Returns whether the line has passed the full check. Does not run it.
    pub(crate) fn is_known_good(&self) -> bool {
        self.state.get() == State::Good
    }

    /// Ends a walk that has read every value of the line. A walk without a
    /// fault is equivalent to the full check.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return if this walk or
    /// an earlier access has found a fault.
    #[cfg(feature = "owned")]
    pub(crate) fn end_walk(&self) -> Result<(), Error> {
        if self.state.get() == State::Bad {
            return Err(self.fault());
        }
        debug_assert!(self.is_good(), "a walk has passed over {self:?}");
        self.set_checked();
        Ok(())
    }

    /// Runs the full check, unless that has been done.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return.
    pub(crate) fn ensure_checked(&self) -> Result<(), Error> {
        if self.is_good() { Ok(()) } else { Err(self.fault()) }
    }

    /// Returns the error for a line that has failed the full check.
    #[cold]
    fn fault(&self) -> Error {
        let Origin { position, terminated, limits } = self.origin;
        let bytes = self.bytes;
        let error = explain(bytes, position, terminated, limits);
        let error = error.or_else(|| self.twice());
        debug_assert!(error.is_some(), "no fault in {self:?}");
        let error = error
            .unwrap_or_else(|| LineError::syntax(position, "invalid value"));
        match self.tally {
            Some(tally) => {
                let line = RawLine { position, ..RawLine::alone(bytes) };
                tally.report(error, line)
            }
            None => error.into(),
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(self.bytes);
        write!(f, "Source({:?}: {text})", self.state.get())
    }
}
