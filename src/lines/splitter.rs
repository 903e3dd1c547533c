use crate::{
    error::Position,
    limits::Limits,
    scan::{newline, part},
};

/// The UTF-8 byte order mark (BOM).
const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Finds the lines in a byte stream that arrives in pieces.
///
/// A splitter does no I/O, allocates nothing and stores no bytes. It is given
/// every byte of the stream once, in pieces of any size. For each piece it
/// returns a [`Step`] with the number of bytes consumed and the line found, if
/// any. The caller stores the beginning of an incomplete line. The lines
/// depend only on the bytes of the stream, not on its division into pieces.
///
/// The rules are:
///
/// - A line ends only at a line feed (LF, `0x0A`). One carriage return (CR)
///   directly before it belongs to the terminator.
/// - A last line without a terminator is a line. There is no empty line after
///   the last terminator.
/// - A UTF-8 byte order mark (BOM) at the start of the stream belongs to no
///   line.
/// - A line of more than [`Limits::max_line`] bytes is reported when it ends.
///   It need not be stored.
#[derive(Clone, Debug)]
pub(crate) struct Splitter {
    max_line: u64,
    /// The number of lines that have ended.
    lines: u64,
    /// All ones, or zero if line numbers are unknown.
    numbered: u64,
    /// The offset of the first byte of the current line.
    offset: u64,
    /// The number of bytes of the current line seen in earlier steps. Once
    /// this exceeds `max_line`, the bytes of the line are only counted.
    pending: u64,
    /// Whether the last of those bytes is a CR.
    ends_in_cr: bool,
    /// The number of BOM bytes matched at the start of the stream. It is
    /// `BOM.len()` once it is known whether there is a BOM.
    bom: usize,
    /// The number of bytes that have been searched for a newline.
    #[cfg(test)]
    pub(crate) searched: u64,
}

/// The result of [`Splitter::step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A line has ended.
    ///
    /// The consumed bytes end with the `terminator`, and the `length` bytes of
    /// the line precede it. Some of them may have been consumed by earlier
    /// steps.
    Line {
        /// The number of bytes of the piece that were consumed.
        consumed: usize,
        /// The length of the line, without its terminator.
        length: usize,
        /// The length of the terminator: 1 for LF, 2 for CR LF, and 0 for a
        /// last line without one.
        terminator: usize,
        /// The line number, and the offset of the first byte of the line.
        position: Position,
    },
    /// The piece is used up, and the line continues.
    NeedMore {
        /// The number of bytes of the piece that were consumed: all of them.
        consumed: usize,
        /// The number of bytes consumed so far that belong to the line. The
        /// caller must store them until the line ends. It is 0 if the line is
        /// already too long.
        pending: usize,
    },
    /// A line over the limit has ended.
    TooLong {
        /// The number of bytes of the piece that were consumed.
        consumed: usize,
        /// The length of the line, up to the LF.
        length: u64,
        /// The line number, and the offset of the first byte of the line.
        position: Position,
    },
    /// The stream has ended.
    End {
        /// The number of bytes of the piece that were consumed: all of them.
        /// It is 0 unless the whole stream is a BOM.
        consumed: usize,
    },
}

impl Splitter {
    /// Creates a splitter with the given limits.
    pub(crate) fn with_limits(limits: Limits) -> Splitter {
        Splitter {
            max_line: limits.line_cap() as u64,
            lines: 0,
            numbered: u64::MAX,
            offset: 0,
            pending: 0,
            ends_in_cr: false,
            bom: 0,
            #[cfg(test)]
            searched: 0,
        }
    }

    /// Treats the stream as the continuation of one that has been read up to
    /// `start`. A BOM is recognised only at the start of a stream. If the line
    /// number of `start` is unknown, so are those of the lines.
    pub(crate) fn starting_at(self, start: Position) -> Splitter {
        let bom = if start == Position::START { 0 } else { BOM.len() };
        let lines = start.line().saturating_sub(1);
        let numbered = if start.line() == 0 { 0 } else { u64::MAX };
        Splitter { lines, numbered, offset: start.byte(), bom, ..self }
    }

    /// Treats the stream as the part of another one that begins at `start`,
    /// anywhere in a line. So it has no BOM.
    pub(crate) fn starting_within(self, start: Position) -> Splitter {
        Splitter { bom: BOM.len(), ..self.starting_at(start) }
    }

    /// Returns the position of the current line: its line number, and the
    /// offset of its first byte.
    #[inline]
    pub(crate) fn position(&self) -> Position {
        let number = self.lines.saturating_add(1) & self.numbered;
        Position::new(number, self.offset)
    }

    /// Returns the number of lines that have ended, including those before
    /// the position that the splitter started at.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns the offset of the first byte of the current line.
    #[inline]
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Skips bytes that belong to no line. The current line must be empty.
    pub(crate) fn skip(&mut self, count: usize) {
        debug_assert!(self.is_between_lines());
        self.offset = self.offset.saturating_add(count as u64);
    }

    /// Returns the number of bytes of the current line seen so far.
    pub(crate) fn pending(&self) -> u64 {
        self.pending
    }

    /// Reads the next bytes of the stream, up to the end of a line.
    ///
    /// `piece` begins with the first byte that no step has consumed. `eof` is
    /// whether the stream ends after it.
    #[inline]
    pub(crate) fn step(&mut self, piece: &[u8], eof: bool) -> Step {
        if self.bom < BOM.len() {
            return self.first_step(piece, eof);
        }
        let newline = newline(piece);

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

    /// Returns whether the next byte is the first of a line.
    #[inline]
    pub(crate) fn is_between_lines(&self) -> bool {
        self.pending == 0 && self.bom == BOM.len()
    }

    /// Steps over a line whose newline is already known: `newline` is the
    /// offset of the first LF in `piece`. The line must start at the start of
    /// the piece.
    #[inline]
    pub(crate) fn step_to(&mut self, piece: &[u8], newline: usize) -> Step {
        debug_assert!(self.is_between_lines());
        debug_assert_eq!(memchr::memchr(b'\n', piece), Some(newline));

        #[cfg(test)]
        {
            self.searched += newline as u64 + 1;
        }

        self.end_line(piece, newline)
    }

    /// Steps over a line like [`step_to`](Splitter::step_to), and returns its
    /// length, the length of its terminator, and its position. `None`, and no
    /// step, if the line is over the limit.
    #[inline(always)]
    pub(crate) fn step_over(
        &mut self,
        piece: &[u8],
        newline: usize,
    ) -> Option<(usize, usize, Position)> {
        debug_assert!(self.is_between_lines() && !self.ends_in_cr);
        debug_assert_eq!(memchr::memchr(b'\n', piece), Some(newline));
        if newline as u64 > self.max_line {
            return None;
        }

        #[cfg(test)]
        {
            self.searched += newline as u64 + 1;
        }

        let last = piece.get(newline.wrapping_sub(1));
        let cr = usize::from(last == Some(&b'\r'));
        let position = self.position();
        self.lines = self.lines.saturating_add(1);
        self.offset = self.offset.saturating_add(newline as u64 + 1);
        Some((newline - cr, 1 + cr, position))
    }

    /// Does a step while it is unknown whether there is a BOM.
    #[cold]
    fn first_step(&mut self, piece: &[u8], eof: bool) -> Step {
        let skipped = self.strip_bom(piece);
        if self.bom < BOM.len() && !eof {
            return self.go_on(piece);
        }
        self.bom = BOM.len();
        let mut step = self.step(part(piece, skipped..), eof);
        match &mut step {
            Step::Line { consumed, .. }
            | Step::NeedMore { consumed, .. }
            | Step::TooLong { consumed, .. }
            | Step::End { consumed } => *consumed += skipped,
        }
        step
    }

    /// Ends the line at the newline with the offset `at`.
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

    /// Consumes a piece without a newline; the stream continues.
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

    /// Consumes a piece without a newline at the end of the stream.
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

    /// Ends the current line, which has `size` bytes including its LF. Returns
    /// its position.
    #[inline]
    fn begin_next(&mut self, size: u64) -> Position {
        let position = self.position();
        self.lines = self.lines.saturating_add(1);
        self.offset = self.offset.saturating_add(size);
        self.pending = 0;
        self.ends_in_cr = false;
        position
    }

    /// Continues matching the BOM. Returns the number of bytes of the piece
    /// that complete it.
    ///
    /// Until the BOM is complete, its bytes count as bytes of the line, since
    /// they belong to it if another byte follows.
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
        let mut splitter = Splitter::with_limits(Limits::default());
        splitter.bom = BOM.len();
        splitter.offset = u64::MAX - 1;
        splitter.lines = u64::MAX - 1;
        splitter.step(b"abc\n", false);
        splitter.step(b"abc\n", false);
        assert_eq!(splitter.position(), Position::new(u64::MAX, u64::MAX));
    }

    #[test]
    fn offsets_go_past_four_gib() {
        let mut splitter = Splitter::with_limits(Limits::default());
        splitter.step(b"x", false);
        splitter.offset = u64::from(u32::MAX) - 1;
        splitter.step(b"y\n", false);
        let beyond = u64::from(u32::MAX) + 2;
        assert_eq!(splitter.position(), Position::new(2, beyond));
    }

    /// An empty piece changes nothing, not even between CR and LF.
    #[test]
    fn empty_pieces_are_nothing() {
        let mut splitter = Splitter::with_limits(Limits::default());
        for piece in [&b"a\r"[..], b"", b""] {
            let step = splitter.step(piece, false);
            assert!(matches!(step, Step::NeedMore { pending: 2, .. }));
        }
        let step = splitter.step(b"\n", false);
        let Step::Line { length, terminator, .. } = step else {
            panic!("{step:?}");
        };
        assert_eq!((length, terminator), (1, 2));
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
