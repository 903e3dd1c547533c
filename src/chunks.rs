use std::{collections::VecDeque, fmt, ops::Range};

use bytes::Bytes;

use crate::{
    bytes_line::BytesLine,
    error::{Error, Position},
    framer::{Framed, Framer, Settings, Source},
    level::Level,
    lines::{Pieces, Stats},
};

/// Splits chunks of bytes that the caller pushes into lines.
///
/// Use it where the caller reads the bytes, for example from a socket in
/// asynchronous code: push each chunk as it arrives, and then take lines until
/// there are none. A line owns its bytes, so it can be kept or sent to another
/// thread. A line within one chunk is a slice of that chunk, and keeps the
/// whole chunk in memory. A line across several chunks is assembled by
/// copying; until it is complete, its first part keeps a chunk in memory.
///
/// # Example
///
/// This shows a line across two chunks.
///
/// ```
/// use linetape::Chunks;
///
/// let mut chunks = Chunks::new();
/// chunks.push("{\"type\":");
/// assert!(chunks.next_line().is_none());
///
/// chunks.push("\"user\"}\n{}");
/// let line = chunks.next_line().unwrap()?;
/// assert_eq!(line.as_bytes(), b"{\"type\":\"user\"}");
/// assert!(chunks.next_line().is_none());
///
/// chunks.finish();
/// let line = chunks.next_line().unwrap()?;
/// assert_eq!(line.as_bytes(), b"{}");
/// assert!(!line.is_terminated());
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct Chunks {
    source: Queue,
    framer: Framer<Bytes>,
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks")
            .field("position", &self.position())
            .field("waiting", &self.source.chunks.len())
            .field("finished", &self.source.finished)
            .finish_non_exhaustive()
    }
}

impl Default for Chunks {
    fn default() -> Chunks {
        Chunks::new()
    }
}

impl Chunks {
    /// Creates an empty stream with the default settings.
    /// [`ReaderBuilder::chunks`](crate::ReaderBuilder::chunks) does the same
    /// with other settings.
    pub fn new() -> Chunks {
        Chunks::with_settings(&Settings::default())
    }

    pub(crate) fn with_settings(settings: &Settings) -> Chunks {
        // Lines outlive the reader, and so would not have its index.
        let level = match settings.level {
            Level::Peek => Level::Kind,
            Level::Checked => Level::Check,
            level => level,
        };
        let framer = Framer::new(&Settings { level, ..*settings });
        Chunks { source: Queue::default(), framer }
    }

    /// Appends bytes to the stream.
    ///
    /// Chunks are kept in memory until [`next_line`](Chunks::next_line) has
    /// consumed them, so take all lines before pushing the next chunk. Chunks
    /// that are pushed after [`finish`](Chunks::finish), or after the end of
    /// the [range](crate::ReaderBuilder::range), are ignored.
    pub fn push(&mut self, chunk: impl Into<Bytes>) {
        let chunk = chunk.into();
        let is_ignored = self.source.finished || self.framer.is_past_range();
        if !chunk.is_empty() && !is_ignored {
            self.source.chunks.push_back(chunk);
        }
    }

    /// Ends the stream, so that [`next_line`](Chunks::next_line) returns a
    /// last line without a newline.
    pub fn finish(&mut self) {
        self.source.finished = true;
    }

    /// Returns the next line that is not blank, or `None` if no complete line
    /// has been pushed.
    ///
    /// After [`finish`](Chunks::finish), `None` means the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is too long or in UTF-16. The next call
    /// continues with the next line.
    pub fn next_line(&mut self) -> Option<Result<BytesLine, Error>> {
        let Some(found) = self.framer.next(&mut self.source, true) else {
            if self.framer.is_past_range() {
                // No line of the range is in them.
                self.source.chunks.clear();
            }
            return None;
        };
        Some(match found {
            Ok(Framed { held, position, terminator }) => {
                let line = BytesLine::new(held, position, terminator);
                Ok(line.with(self.framer.state()))
            }
            Err(error) => Err(error),
        })
    }

    /// Returns whether all lines have been returned: the stream is
    /// [finished](Chunks::finish), or the rest of it is after the
    /// [range](crate::ReaderBuilder::range). Pushing more changes nothing.
    ///
    /// # Example
    ///
    /// This shows how to read a range of bytes that are fetched in pieces.
    ///
    /// ```
    /// let log = b"{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
    /// let mut chunks = linetape::Reader::builder().range(6..12).chunks();
    /// // One byte before the range is needed, and the rest of its last line.
    /// let mut fetched = 5;
    /// let mut found = vec![];
    /// while !chunks.is_done() {
    ///     match log[fetched..].chunks(4).next() {
    ///         Some(piece) => chunks.push(piece),
    ///         None => chunks.finish(),
    ///     }
    ///     fetched += 4;
    ///     while let Some(line) = chunks.next_line() {
    ///         found.push(line?.offset());
    ///     }
    /// }
    /// assert_eq!((found, fetched), (vec![8], 17));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn is_done(&self) -> bool {
        let Queue { chunks, finished, .. } = &self.source;
        let is_at_end = *finished && chunks.is_empty();
        (is_at_end && self.framer.pending() == 0 && !self.framer.has_damaged())
            || self.framer.is_past_range()
    }

    /// Returns how many bytes are in memory: those of chunks that have not been
    /// consumed, and of a line that is not complete. A line that is too long is
    /// not kept.
    ///
    /// # Example
    ///
    /// This shows the first part of a line.
    ///
    /// ```
    /// let mut chunks = linetape::Chunks::new();
    /// chunks.push("{}\n{\"n\":");
    /// assert_eq!(chunks.held(), 8);
    /// assert!(chunks.next_line().is_some());
    /// assert!(chunks.next_line().is_none());
    /// assert_eq!(chunks.held(), 5);
    /// ```
    pub fn held(&self) -> usize {
        let Queue { chunks, pieces, .. } = &self.source;
        let waiting: usize = chunks.iter().map(Bytes::len).sum();
        waiting.saturating_add(pieces.len())
    }

    /// Returns the position of the next line, which may be blank.
    pub fn position(&self) -> Position {
        self.framer.position()
    }

    /// Returns the counts of lines, bytes and errors up to
    /// [`position`](Chunks::position).
    ///
    /// Errors that a [`Decoder`](crate::Decoder) of the caller returns are not
    /// counted.
    pub fn stats(&self) -> Stats {
        self.framer.stats()
    }
}

/// A [`Source`] of chunks that have been pushed.
#[derive(Default)]
struct Queue {
    /// Chunks that have not been consumed, none of them empty.
    chunks: VecDeque<Bytes>,
    /// The first part of the line in progress, from consumed chunks.
    pieces: Pieces,
    finished: bool,
}

impl Queue {
    /// Removes the first `count` bytes from the queue and returns them. They
    /// must be in one chunk.
    fn consume(&mut self, count: usize) -> Bytes {
        let Some(front) = self.chunks.front_mut() else {
            debug_assert_eq!(count, 0);
            return Bytes::new();
        };
        debug_assert!(count <= front.len());
        let taken = front.split_to(count.min(front.len()));
        if front.is_empty() {
            self.chunks.pop_front();
        }
        taken
    }
}

impl Source for Queue {
    type Held = Bytes;

    fn unseen(&self) -> (&[u8], bool) {
        match self.chunks.front() {
            Some(chunk) => (chunk, false),
            None => (&[], self.finished),
        }
    }

    fn take(
        &mut self,
        consumed: usize,
        length: usize,
        terminator: usize,
    ) -> Bytes {
        let last = self.consume(consumed);
        let line = self.pieces.join(last, terminator);
        // Only a BOM can be before the line.
        let bom = line.len().saturating_sub(length);
        line.slice(bom..)
    }

    fn discard(&mut self, consumed: usize) {
        self.consume(consumed);
        self.pieces.clear();
    }

    fn refill(
        &mut self,
        consumed: usize,
        pending: usize,
        _reached: Position,
        _lines: u64,
    ) -> Result<bool, Error> {
        let piece = self.consume(consumed);
        if pending == 0 {
            // A BOM, or a line that is too long.
            self.pieces.clear();
        } else if !piece.is_empty() {
            self.pieces.push(piece);
        }
        Ok(!self.chunks.is_empty() || self.finished)
    }

    fn bytes<'a>(&'a self, held: &'a Bytes) -> &'a [u8] {
        held
    }

    fn part(&self, held: &Bytes, part: Range<usize>) -> Bytes {
        debug_assert!(part.end <= held.len());
        held.slice(part.start..part.end.min(held.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_searched_once_and_moved_at_most_twice() {
        const LINE: usize = 1 << 20;
        for piece in [1, 64 << 10] {
            let chunk = Bytes::from(vec![b'x'; piece]);
            let mut chunks = Chunks::new();
            for _ in 0..LINE / piece {
                chunks.push(chunk.clone());
                assert!(chunks.next_line().is_none());
            }
            chunks.push("\n");
            let line = chunks.next_line().unwrap().unwrap();
            assert_eq!(line.as_bytes().len(), LINE);
            assert_eq!(chunks.framer.searched(), LINE as u64 + 1);
            let moved = chunks.source.pieces.moved;
            assert!(moved <= 2 * LINE as u64, "{moved} in {piece}s");
        }
    }
}
