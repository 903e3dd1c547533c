use std::ops::Range;

use crate::error::{Error, Position};

/// A source of bytes, which also stores the current line.
pub(crate) trait Source {
    /// A handle to a line or a part of it, valid until the next line is
    /// taken.
    type Held;

    /// Returns the bytes that have not been consumed, or the first of them,
    /// and whether they are the last of the stream.
    fn unseen(&self) -> (&[u8], bool);

    /// Consumes `consumed` bytes, which complete a line, and returns the line.
    /// The consumed bytes now end with a line of `length` bytes and a
    /// terminator of `terminator` bytes.
    fn take(
        &mut self,
        consumed: usize,
        length: usize,
        terminator: usize,
    ) -> Self::Held;

    /// Consumes bytes that belong to no line, and drops the kept bytes of the
    /// line in progress.
    fn discard(&mut self, consumed: usize);

    /// Consumes all unseen bytes, keeps the last `pending` of the consumed
    /// bytes for the line in progress, and gets more bytes. Returns whether
    /// to try again: there are more bytes, or the stream has ended. `reached`
    /// is the position in the stream where the unseen bytes end, and `lines`
    /// the number of lines that have ended.
    ///
    /// # Errors
    ///
    /// Returns the error of a source that fails. If the error is recoverable,
    /// nothing is lost.
    fn refill(
        &mut self,
        consumed: usize,
        pending: usize,
        reached: Position,
        lines: u64,
    ) -> Result<bool, Error>;

    /// Returns the bytes of a line, which may borrow from the handle.
    fn bytes<'a>(&'a self, held: &'a Self::Held) -> &'a [u8];

    /// Returns a handle to a part of a line.
    fn part(&self, held: &Self::Held, part: Range<usize>) -> Self::Held;
}

/// A source whose lines borrow only from the source, not from their handles.
pub(crate) trait Lend: Source {
    /// Returns the bytes of a line.
    fn lend<'a>(&'a self, held: &Self::Held) -> &'a [u8];

    /// Calls `read` with the unseen bytes. If it returns a string at their
    /// start, remembers that for [`text`](Lend::text), and returns its length.
    fn read_text(
        &mut self,
        read: impl FnOnce(&[u8]) -> Option<&str>,
    ) -> Option<usize>;

    /// Returns a line as a string, if it is the start of the string that was
    /// remembered last.
    fn text<'a>(&'a self, held: &Self::Held) -> Option<&'a str>;
}
