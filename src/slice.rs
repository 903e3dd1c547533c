use std::{fmt, ops::Range};

use crate::{
    error::{Error, Position},
    framer::{Framer, Lend, Settings, Source},
    line::Line,
    lines::Stats,
    record::Record,
    scan,
};

/// Reads lines from a byte slice, without copying them.
///
/// Lines are split as by a [`Reader`](crate::Reader) with the default
/// settings. [`ReaderBuilder::lines`] does the same with other settings.
///
/// [`ReaderBuilder::lines`]: crate::ReaderBuilder::lines
///
/// # Example
///
/// This shows how to find the longest line.
///
/// ```
/// let mut lines = linetape::lines(b"{}\n{\"a\":1}\n\n{}");
/// let mut longest = 0;
/// while let Some(line) = lines.next_line() {
///     longest = longest.max(line?.as_bytes().len());
/// }
/// assert_eq!(longest, 7);
/// # Ok::<(), linetape::Error>(())
/// ```
pub fn lines(bytes: &[u8]) -> Lines<'_> {
    Lines::with_settings(bytes, &Settings::default())
}

/// A reader of a byte slice, from [`lines()`] or
/// [`ReaderBuilder::lines`](crate::ReaderBuilder::lines).
///
/// It is not an iterator, because each line borrows from it and must be
/// dropped before the next one is read.
///
/// # Example
///
/// This shows how to set limits.
///
/// ```
/// use linetape::Reader;
///
/// let builder = Reader::builder().max_line(100);
/// let mut lines = builder.lines(b"{}\n");
/// assert_eq!(lines.next_line().unwrap()?.as_bytes(), b"{}");
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct Lines<'d> {
    source: Slice<'d>,
    framer: Framer<&'d [u8]>,
}

impl fmt::Debug for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines")
            .field("position", &self.position())
            .field("rest", &self.source.rest.len())
            .finish_non_exhaustive()
    }
}

impl<'d> Lines<'d> {
    pub(crate) fn with_settings(
        bytes: &'d [u8],
        settings: &Settings,
    ) -> Lines<'d> {
        // The slice is the whole stream, of which a range may be read.
        let first = usize::try_from(settings.range.first_byte());
        let part = first.ok().and_then(|first| bytes.get(first..));
        let source = Slice { rest: part.unwrap_or_default(), text: "" };
        Lines { source, framer: Framer::new(settings) }
    }

    /// Returns the next line that is not blank, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is too long or in UTF-16. The next call
    /// continues with the next line.
    #[inline(always)]
    pub fn next_line(&mut self) -> Option<Result<Line<'_>, Error>> {
        self.framer.next_line(&mut self.source)
    }

    /// Decodes the next line that is not blank, or returns `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns the same errors as `next_line`, and an error if the line is not
    /// exactly one JSON object within the limits.
    pub fn next_record(&mut self) -> Option<Result<Record<'_>, Error>> {
        self.framer.next_record(&mut self.source)
    }

    /// Returns the next line for which `wanted` returns true.
    ///
    /// # Errors
    ///
    /// Returns the same errors as `next_line`. Lines with errors are not
    /// skipped.
    #[inline]
    pub fn next_where(
        &mut self,
        wanted: impl FnMut(&Line<'_>) -> bool,
    ) -> Option<Result<Line<'_>, Error>> {
        self.framer.next_where(&mut self.source, wanted)
    }

    /// Returns the position of the next line, which may be blank.
    pub fn position(&self) -> Position {
        self.framer.position()
    }

    /// Returns the counts of lines, bytes and errors up to
    /// [`position`](Lines::position), as
    /// [`Reader::stats`](crate::Reader::stats) does.
    pub fn stats(&self) -> Stats {
        self.framer.stats()
    }
}

/// A [`Source`] of bytes in memory.
struct Slice<'d> {
    /// The bytes that have not been consumed.
    rest: &'d [u8],
    /// The string that was remembered last.
    text: &'d str,
}

impl<'d> Source for Slice<'d> {
    type Held = &'d [u8];

    #[inline]
    fn unseen(&self) -> (&[u8], bool) {
        (self.rest, true)
    }

    #[inline]
    fn take(
        &mut self,
        consumed: usize,
        length: usize,
        terminator: usize,
    ) -> &'d [u8] {
        let end = consumed.wrapping_sub(terminator);
        let line = end.wrapping_sub(length)..end;
        let held = scan::part(self.rest, line);
        self.discard(consumed);
        held
    }

    #[inline]
    fn discard(&mut self, consumed: usize) {
        self.rest = scan::part(self.rest, consumed..);
    }

    /// Is never called, because all bytes are available from the start.
    fn refill(
        &mut self,
        consumed: usize,
        _pending: usize,
        _reached: Position,
        _lines: u64,
    ) -> Result<bool, Error> {
        debug_assert!(false, "bytes in memory go on");
        self.discard(consumed);
        Ok(false)
    }

    #[inline]
    fn bytes<'a>(&'a self, held: &'a &'d [u8]) -> &'a [u8] {
        held
    }

    fn part(&self, held: &&'d [u8], part: Range<usize>) -> &'d [u8] {
        scan::part(held, part)
    }
}

impl Lend for Slice<'_> {
    #[inline]
    fn lend<'a>(&'a self, held: &Self::Held) -> &'a [u8] {
        held
    }

    #[inline]
    fn read_text(
        &mut self,
        read: impl FnOnce(&[u8]) -> Option<&str>,
    ) -> Option<usize> {
        self.text = read(self.rest)?;
        Some(self.text.len())
    }

    #[inline]
    fn text<'a>(&'a self, held: &Self::Held) -> Option<&'a str> {
        let is_start = self.text.as_ptr() == held.as_ptr();
        self.text.get(..held.len()).filter(|_| is_start)
    }
}
