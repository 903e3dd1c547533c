use std::{io::Read, ops::Range};

use crate::{
    error::{Error, Position},
    framer::{Lend, Source},
    lines::Buffer,
};

/// How many bytes are read at once after the end of the range, where only the
/// rest of the last line is needed.
const PAST_THE_END: u64 = 16 << 10;

/// A [`Source`] that reads from a `Read` through a [`Buffer`].
#[derive(Debug)]
pub(crate) struct Rolling<R> {
    pub(crate) read: R,
    buffer: Buffer,
    state: State,
    /// The end of the range. The last line may extend beyond it.
    end: u64,
}

/// The state of the source.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// There may be more to read.
    Open,
    /// Everything has been read. The source is not read again.
    Ended,
    /// The source has failed. The line in progress is dropped.
    Failed,
}

/// The range of a line in the buffer. Unlike a slice, it does not borrow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    end: usize,
    length: usize,
}

impl<R> Rolling<R> {
    /// Creates a source with a buffer of `capacity` bytes, which grows for
    /// lines of up to `max_line` bytes. After the offset `end`, at most
    /// 16 KiB are read at a time.
    pub(crate) fn new(
        read: R,
        capacity: usize,
        max_line: usize,
        end: u64,
    ) -> Rolling<R> {
        let buffer = Buffer::new(capacity, max_line);
        Rolling { read, buffer, state: State::Open, end }
    }

    /// Returns the last `pending` bytes that have been consumed, and all bytes
    /// that have not.
    pub(crate) fn rest(&self, pending: usize) -> &[u8] {
        self.buffer.rest(pending)
    }

    /// Returns how many bytes have been moved within the buffer.
    #[cfg(test)]
    pub(crate) fn moved(&self) -> u64 {
        self.buffer.moved
    }
}

impl<R: Read> Source for Rolling<R> {
    type Held = Span;

    #[inline]
    fn unseen(&self) -> (&[u8], bool) {
        (self.buffer.unseen(), self.state == State::Ended)
    }

    #[inline]
    fn take(
        &mut self,
        consumed: usize,
        length: usize,
        terminator: usize,
    ) -> Span {
        self.buffer.advance(consumed);
        Span { end: self.buffer.seen() - terminator, length }
    }

    fn discard(&mut self, consumed: usize) {
        self.buffer.advance(consumed);
    }

    fn refill(
        &mut self,
        consumed: usize,
        pending: usize,
        reached: Position,
        lines: u64,
    ) -> Result<bool, Error> {
        self.buffer.advance(consumed);
        if self.state == State::Failed {
            return Ok(false);
        }
        let left = self.end.saturating_sub(reached.byte());
        let most = if left == 0 { PAST_THE_END } else { left };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        match self.buffer.refill(&mut self.read, pending, most, lines) {
            Ok(0) => self.state = State::Ended,
            Ok(_) => {}
            Err(error) => {
                let error = Error::io(error, reached);
                if !error.is_recoverable() {
                    self.state = State::Failed;
                }
                return Err(error);
            }
        }
        Ok(true)
    }

    #[inline]
    fn bytes<'a>(&'a self, held: &'a Span) -> &'a [u8] {
        self.lend(held)
    }

    fn part(&self, held: &Span, part: Range<usize>) -> Span {
        debug_assert!(part.end <= held.length);
        let end = held.end - (held.length - part.end);
        Span { end, length: part.len() }
    }
}

impl<R: Read> Lend for Rolling<R> {
    #[inline]
    fn lend<'a>(&'a self, held: &Span) -> &'a [u8] {
        self.buffer.before(held.end, held.length)
    }

    #[inline]
    fn read_text(
        &mut self,
        read: impl FnOnce(&[u8]) -> Option<&str>,
    ) -> Option<usize> {
        self.buffer.read_text(read)
    }

    #[inline]
    fn text<'a>(&'a self, held: &Span) -> Option<&'a str> {
        self.buffer.text(held.end, held.length)
    }
}
