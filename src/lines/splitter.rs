use memchr::memchr;

use crate::{error::Position, limits::Limits};

/// The mark that some writers put before UTF-8.
const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Finds the lines in bytes that arrive piece by piece.
///
/// A splitter does no I/O, allocates nothing and keeps no bytes. It is shown
/// every byte of a stream once, in pieces of any size, and answers with a
/// [`Step`] that says how many of the bytes it has consumed and what they
/// amount to. The caller keeps the beginning of a line that is not complete
/// yet. What the lines are depends on the bytes alone, never on how they were
/// cut into pieces.
///
/// These are its rules:
///
/// - A line ends at the byte `0x0A` and nowhere else. One carriage return
///   before that byte belongs to the terminator.
/// - A last line without a terminator is a line. Nothing after the last
///   terminator is not.
/// - A UTF-8 byte order mark at the very beginning belongs to no line.
/// - A line of more than [`Limits::max_line`] bytes is reported when it ends,
///   and need not be kept.
///
/// # Example
///
/// This shows how to split bytes that are all there. [`lines`](crate::lines)
/// is this loop, ready made.
///
/// ```
/// use linetape::{Splitter, Step};
///
/// let bytes = b"one\r\ntwo";
/// let mut splitter = Splitter::new();
/// let mut found = vec![];
/// let mut at = 0;
/// loop {
///     let step = splitter.step(&bytes[at..], true);
///     at += step.consumed();
///     match step {
///         Step::Line { length, terminator, .. } => {
///             let end = at - terminator;
///             found.push(&bytes[end - length..end]);
///         }
///         Step::NeedMore { .. } | Step::End { .. } => break,
///         Step::TooLong { length, .. } => panic!("{length} bytes"),
///     }
/// }
/// assert_eq!(found, [b"one", b"two"]);
/// ```
#[derive(Clone, Debug)]
pub struct Splitter {
    max_line: u64,
    /// How many lines have ended.
    lines: u64,
    /// The offset of the first byte of the line in progress.
    offset: u64,
    /// How many bytes of the line in progress were seen in earlier steps.
    /// Once this is over `max_line`, the line is only being counted.
    pending: u64,
    /// Whether the last of those bytes is a carriage return.
    ends_in_cr: bool,
    /// How much of a byte order mark has been seen at the beginning of the
    /// stream; all of it, once it is settled whether there is one.
    bom: usize,
    /// How many bytes have been searched for a newline.
    #[cfg(test)]
    pub(crate) searched: u64,
}

/// What [`Splitter::step`] has found.
///
/// # Example
///
/// This shows the steps through a line that arrives in two pieces.
///
/// ```
/// use linetape::{Splitter, Step};
///
/// let mut splitter = Splitter::new();
/// let step = splitter.step(b"{\"type\":", false);
/// assert_eq!(step, Step::NeedMore { consumed: 8, pending: 8 });
///
/// let step = splitter.step(b"\"user\"}\n{", false);
/// assert_eq!(step.consumed(), 8);
/// assert!(matches!(step, Step::Line { length: 15, terminator: 1, .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A line has ended.
    ///
    /// Its bytes are the last `length` before the `terminator`, which is at
    /// the end of the consumed bytes. Some of them may have been consumed by
    /// earlier steps.
    Line {
        /// How many bytes of the piece were consumed.
        consumed: usize,
        /// How long the line is, without its terminator.
        length: usize,
        /// How long the terminator is: 1 for LF, 2 for CR LF, and 0 at the
        /// end of a stream that does not end in one.
        terminator: usize,
        /// The line's number, and the offset of its first byte.
        position: Position,
    },
    /// The piece is used up, and the line goes on.
    NeedMore {
        /// How many bytes of the piece were consumed: all of them.
        consumed: usize,
        /// How many of the last consumed bytes belong to the line, and must
        /// be kept until it ends. None, if it is already too long.
        pending: usize,
    },
    /// A line has ended that is longer than the limit.
    TooLong {
        /// How many bytes of the piece were consumed.
        consumed: usize,
        /// How many bytes the line has, up to the LF.
        length: u64,
        /// The line's number, and the offset of its first byte.
        position: Position,
    },
    /// The stream is over.
    End {
        /// How many bytes of the piece were consumed: all of them. There are
        /// some only if the stream is nothing but a byte order mark.
        consumed: usize,
    },
}

impl Step {
    /// How many bytes of the piece were consumed.
    ///
    /// The next step must be given what follows them.
    #[inline]
    pub fn consumed(self) -> usize {
        match self {
            Step::Line { consumed, .. }
            | Step::NeedMore { consumed, .. }
            | Step::TooLong { consumed, .. }
            | Step::End { consumed } => consumed,
        }
    }
}

impl Default for Splitter {
    fn default() -> Splitter {
        Splitter::new()
    }
}

impl Splitter {
    /// A splitter with the default [`Limits`].
    pub fn new() -> Splitter {
        Splitter::with_limits(Limits::default())
    }

    /// A splitter with limits of your own.
    pub fn with_limits(limits: Limits) -> Splitter {
        Splitter {
            max_line: limits.line_cap() as u64,
            lines: 0,
            offset: 0,
            pending: 0,
            ends_in_cr: false,
            bom: 0,
            #[cfg(test)]
            searched: 0,
        }
    }

    /// A splitter of a stream of which the part before `start` has been seen.
    /// A byte order mark is looked for at the beginning of a stream alone.
    pub(crate) fn starting_at(self, start: Position) -> Splitter {
        let bom = if start == Position::START { 0 } else { BOM.len() };
        let lines = start.line().saturating_sub(1);
        Splitter { lines, offset: start.byte(), bom, ..self }
    }

    /// Where the line in progress begins: the number that it will have, and
    /// the offset of its first byte.
    #[inline]
    pub fn position(&self) -> Position {
        Position::new(self.lines.saturating_add(1), self.offset)
    }

    /// How many bytes of the line in progress have been seen.
    pub(crate) fn pending(&self) -> u64 {
        self.pending
    }

    /// Looks at the next bytes of the stream, up to the end of a line.
    ///
    /// `piece` begins with the first byte that no step has consumed. `eof`
    /// says that nothing follows it.
    #[inline]
    pub fn step(&mut self, piece: &[u8], eof: bool) -> Step {
        if self.bom < BOM.len() {
            return self.first_step(piece, eof);
        }
        let newline = memchr(b'\n', piece);

        #[cfg(test)]
        {
            self.searched += newline.map_or(piece.len(), |at| at + 1) as u64;
        }

        match newline {
            Some(at) => self.end_line(piece, at),
            None if !eof => self.go_on(piece),
            None => self.end_stream(piece),
        }
    }

    /// Whether the next byte is the first of a line.
    #[inline]
    pub(crate) fn is_between_lines(&self) -> bool {
        self.pending == 0 && self.bom == BOM.len()
    }

    /// The step over a line whose newline has been found already: the first
    /// of `piece`, at `newline`. It must begin where the piece does.
    #[inline]
    pub(crate) fn step_to(&mut self, piece: &[u8], newline: usize) -> Step {
        debug_assert!(self.is_between_lines());
        debug_assert_eq!(memchr(b'\n', piece), Some(newline));

        #[cfg(test)]
        {
            self.searched += newline as u64 + 1;
        }

        self.end_line(piece, newline)
    }

    /// A step while there may still be a byte order mark.
    #[cold]
    fn first_step(&mut self, piece: &[u8], eof: bool) -> Step {
        let skipped = self.strip_bom(piece);
        if self.bom < BOM.len() && !eof {
            return self.go_on(piece);
        }
        self.bom = BOM.len();
        let mut step = self.step(piece.get(skipped..).unwrap_or(&[]), eof);
        match &mut step {
            Step::Line { consumed, .. }
            | Step::NeedMore { consumed, .. }
            | Step::TooLong { consumed, .. }
            | Step::End { consumed } => *consumed += skipped,
        }
        step
    }

    /// The newline at `at` ends the line.
    #[inline]
    fn end_line(&mut self, piece: &[u8], at: usize) -> Step {
        let last = at.checked_sub(1).and_then(|before| piece.get(before));
        let cr = last.map_or(self.ends_in_cr, |&byte| byte == b'\r');
        let consumed = at + 1;
        let length = self.pending.saturating_add(at as u64);
        let position = self.begin_next(length.saturating_add(1));
        if length > self.max_line {
            return Step::TooLong { consumed, length, position };
        }
        let length = length as usize - usize::from(cr);
        let terminator = 1 + usize::from(cr);
        Step::Line { consumed, length, terminator, position }
    }

    /// The line has not ended, and more is to come.
    fn go_on(&mut self, piece: &[u8]) -> Step {
        let consumed = piece.len();
        self.pending = self.pending.saturating_add(consumed as u64);
        if let Some(&last) = piece.last() {
            self.ends_in_cr = last == b'\r';
        }
        let kept = self.pending <= self.max_line;
        let pending = if kept { self.pending as usize } else { 0 };
        Step::NeedMore { consumed, pending }
    }

    /// The line has not ended, and nothing more is to come.
    fn end_stream(&mut self, piece: &[u8]) -> Step {
        let consumed = piece.len();
        let length = self.pending.saturating_add(consumed as u64);
        if length == 0 {
            return Step::End { consumed };
        }
        let position = self.begin_next(length);
        if length > self.max_line {
            return Step::TooLong { consumed, length, position };
        }
        let length = length as usize;
        Step::Line { consumed, length, terminator: 0, position }
    }

    /// Leaves the line in progress, which has `size` bytes with its LF, and
    /// says where it began.
    #[inline]
    fn begin_next(&mut self, size: u64) -> Position {
        let position = self.position();
        self.lines = self.lines.saturating_add(1);
        self.offset = self.offset.saturating_add(size);
        self.pending = 0;
        self.ends_in_cr = false;
        position
    }

    /// Goes on matching the byte order mark, and says how many bytes of the
    /// piece complete it.
    ///
    /// Until the mark is complete its bytes count as bytes of the line, which
    /// is what they are if something else follows.
    fn strip_bom(&mut self, piece: &[u8]) -> usize {
        for (at, byte) in piece.iter().enumerate() {
            if BOM.get(self.bom) != Some(byte) {
                self.bom = BOM.len();
                return 0;
            }
            self.bom += 1;
            if self.bom == BOM.len() {
                self.offset = BOM.len() as u64;
                self.pending = 0;
                return at + 1;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_saturate_instead_of_wrapping() {
        let mut splitter = Splitter::new();
        splitter.bom = BOM.len();
        splitter.offset = u64::MAX - 1;
        splitter.lines = u64::MAX - 1;
        splitter.step(b"abc\n", false);
        splitter.step(b"abc\n", false);
        assert_eq!(splitter.position(), Position::new(u64::MAX, u64::MAX));
    }

    #[test]
    fn offsets_go_past_four_gib() {
        let mut splitter = Splitter::new();
        splitter.step(b"x", false);
        splitter.offset = u64::from(u32::MAX) - 1;
        splitter.step(b"y\n", false);
        let beyond = u64::from(u32::MAX) + 2;
        assert_eq!(splitter.position(), Position::new(2, beyond));
    }

    #[test]
    fn an_endless_line_is_counted_and_not_kept() {
        let limits = Limits { max_line: 4, ..Limits::default() };
        let mut splitter = Splitter::with_limits(limits);
        let kept: Vec<usize> = (0..6)
            .map(|_| match splitter.step(b"ab", false) {
                Step::NeedMore { consumed: 2, pending } => pending,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(kept, [2, 4, 0, 0, 0, 0]);
        assert_eq!(
            splitter.step(b"", true),
            Step::TooLong {
                consumed: 0,
                length: 12,
                position: Position::START
            },
        );
        assert_eq!(splitter.step(b"", true), Step::End { consumed: 0 });
    }
}
