use std::{collections::VecDeque, fmt, ops::Range};

use bytes::Bytes;

use crate::{
    bytes_line::BytesLine,
    error::{Error, Position},
    framer::{Framed, Framer, Settings, Source},
    lines::{Pieces, Stats},
};

/// Lines from bytes that somebody else reads: the push side.
///
/// Push each chunk as it arrives, from a socket or an asynchronous runtime,
/// then take lines until there are none. A line is owned: it can be sent to
/// another thread and kept as long as it is needed. A line that lies in one
/// chunk is a slice of that chunk, not a copy; a line that crosses chunks is
/// put together as they come. A slice keeps its whole chunk in memory, and so
/// does the beginning of a line that waits for its end.
///
/// # Example
///
/// This shows how a line that crosses two chunks is put together.
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
    /// Returns a push side with the default settings.
    /// [`ReaderBuilder::chunks`](crate::ReaderBuilder::chunks) is the same
    /// with settings of your own.
    pub fn new() -> Chunks {
        Chunks::with_settings(&Settings::default())
    }

    pub(crate) fn with_settings(settings: &Settings) -> Chunks {
        Chunks { source: Queue::default(), framer: Framer::new(settings) }
    }

    /// Adds bytes at the end of the stream.
    ///
    /// They are looked at by [`next_line`](Chunks::next_line), so take the
    /// lines of one chunk before pushing the next: chunks that wait are kept
    /// in memory. After [`finish`](Chunks::finish) the stream is over, and
    /// what is pushed then belongs to no line.
    pub fn push(&mut self, chunk: impl Into<Bytes>) {
        let chunk = chunk.into();
        if !chunk.is_empty() && !self.source.finished {
            self.source.chunks.push_back(chunk);
        }
    }

    /// Says that the stream is over, so that a last line without a newline
    /// is handed out. There is no going back.
    pub fn finish(&mut self) {
        self.source.finished = true;
    }

    /// Returns the next line that is not blank, or `None` if there is none
    /// yet.
    ///
    /// After [`finish`](Chunks::finish), `None` means the end.
    ///
    /// # Errors
    ///
    /// An error is about one line. The next call goes on after it.
    pub fn next_line(&mut self) -> Option<Result<BytesLine, Error>> {
        Some(match self.framer.next(&mut self.source)? {
            Ok(Framed { held, position, terminated, route }) => {
                let line = BytesLine::new(held, position, terminated);
                Ok(line.routed(route, self.framer.limits()))
            }
            Err(error) => Err(error),
        })
    }

    /// Returns where the next line begins, be it blank or not.
    pub fn position(&self) -> Position {
        self.framer.position()
    }

    /// Returns what has been read so far, up to
    /// [`position`](Chunks::position).
    ///
    /// A line that fails when a decoder of your own reads it is not counted.
    pub fn stats(&self) -> Stats {
        self.framer.stats()
    }
}

/// Chunks that have been pushed, and what is left of those that are used up.
#[derive(Default)]
struct Queue {
    /// What has been pushed and not consumed. No chunk of it is empty.
    chunks: VecDeque<Bytes>,
    /// The beginning of the line in progress, from chunks that are used up.
    pieces: Pieces,
    finished: bool,
}

impl Queue {
    /// Takes the first `count` bytes, which are all in one chunk, off the
    /// queue.
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
        // What is before the line can only be a byte order mark.
        let mark = line.len().saturating_sub(length);
        line.slice(mark..)
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
    ) -> Result<bool, Error> {
        let piece = self.consume(consumed);
        if pending == 0 {
            // A byte order mark, or a line that is too long.
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
        const LINE: usize = 16 << 20;
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
