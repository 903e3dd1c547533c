use std::{collections::VecDeque, fmt};

use bytes::Bytes;

use crate::{
    error::{Error, Position},
    escape::Escaped,
    limits::Limits,
    line::Line,
    lines::{Gate, Pieces, RawLine, Splitter, Stats, Step, Verdict},
    record::Decoder,
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
    /// What has been pushed and not consumed. No chunk of it is empty.
    queue: VecDeque<Bytes>,
    /// The beginning of the line in progress, from chunks that are used up.
    pieces: Pieces,
    finished: bool,
    splitter: Splitter,
    gate: Gate,
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks")
            .field("position", &self.position())
            .field("waiting", &self.queue.len())
            .field("finished", &self.finished)
            .finish_non_exhaustive()
    }
}

impl Default for Chunks {
    fn default() -> Chunks {
        Chunks::new()
    }
}

impl Chunks {
    /// A push side with the default [`Limits`].
    pub fn new() -> Chunks {
        Chunks::with_limits(Limits::default())
    }

    /// A push side with limits of your own.
    pub fn with_limits(limits: Limits) -> Chunks {
        Chunks {
            queue: VecDeque::new(),
            pieces: Pieces::default(),
            finished: false,
            splitter: Splitter::with_limits(limits),
            gate: Gate::new(limits),
        }
    }

    /// Adds bytes at the end of the stream.
    ///
    /// They are looked at by [`next_line`](Chunks::next_line), so take the
    /// lines of one chunk before pushing the next: chunks that wait are kept
    /// in memory. After [`finish`](Chunks::finish) the stream is over, and
    /// what is pushed then belongs to no line.
    pub fn push(&mut self, chunk: impl Into<Bytes>) {
        let chunk = chunk.into();
        if !chunk.is_empty() && !self.finished {
            self.queue.push_back(chunk);
        }
    }

    /// Says that the stream is over, so that a last line without a newline
    /// is handed out. There is no going back.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// The next line that is not blank, or `None` if there is none yet.
    ///
    /// After [`finish`](Chunks::finish), `None` means the end.
    ///
    /// # Errors
    ///
    /// An error is about one line. The next call goes on behind it.
    pub fn next_line(&mut self) -> Option<Result<BytesLine, Error>> {
        loop {
            let piece = self.queue.front();
            if piece.is_none() && !self.finished {
                return None;
            }
            let (piece, eof) = (piece.map_or(&[][..], |c| c), piece.is_none());
            let step = self.splitter.step(piece, eof);
            match step {
                Step::Line { consumed, length, terminator, position } => {
                    let bytes = self.take_line(consumed, length, terminator);
                    match self.gate.admit(&bytes, position) {
                        Verdict::Skip => continue,
                        Verdict::Refuse(error) => return Some(Err(error)),
                        Verdict::Deliver => {}
                    }
                    let terminated = terminator > 0;
                    return Some(Ok(BytesLine {
                        bytes,
                        position,
                        terminated,
                    }));
                }
                Step::TooLong { consumed, length, position } => {
                    self.consume(consumed);
                    self.pieces.clear();
                    return Some(Err(self.gate.too_long(length, position)));
                }
                Step::NeedMore { consumed, pending } => {
                    let piece = self.consume(consumed);
                    if pending > 0 {
                        self.pieces.push(piece);
                    } else {
                        // A byte order mark, or a line that is too long.
                        self.pieces.clear();
                    }
                }
                Step::End { consumed } => {
                    self.consume(consumed);
                    return None;
                }
            }
        }
    }

    /// Where the next line begins, be it blank or not.
    pub fn position(&self) -> Position {
        self.splitter.position()
    }

    /// What has been read so far, up to [`position`](Chunks::position).
    pub fn stats(&self) -> Stats {
        self.gate.stats(self.position())
    }

    /// The line of `length` bytes that ends with the first `consumed` bytes
    /// of the queue, less a terminator.
    fn take_line(
        &mut self,
        consumed: usize,
        length: usize,
        terminator: usize,
    ) -> Bytes {
        let last = self.consume(consumed);
        let line = self.pieces.join(last, terminator);
        // What stands before the line can only be a byte order mark.
        let mark = line.len().saturating_sub(length);
        line.slice(mark..)
    }

    /// Takes the first `count` bytes, which are all in one chunk, off the
    /// queue.
    fn consume(&mut self, count: usize) -> Bytes {
        let Some(front) = self.queue.front_mut() else {
            return Bytes::new();
        };
        debug_assert!(count <= front.len());
        let taken = front.split_to(count.min(front.len()));
        if front.is_empty() {
            self.queue.pop_front();
        }
        taken
    }
}

/// One physical line, owned.
///
/// It is `Send` and `'static`, and cheap to clone: clones share the bytes.
/// As long as it lives, so does the chunk that it is a slice of.
///
/// # Example
///
/// This shows how to hand lines to another thread.
///
/// ```
/// use linetape::Chunks;
///
/// let mut chunks = Chunks::new();
/// chunks.push("{}\n");
/// let line = chunks.next_line().unwrap()?;
/// let there = std::thread::spawn(move || line.as_bytes().len());
/// assert_eq!(there.join().unwrap(), 2);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone)]
pub struct BytesLine {
    bytes: Bytes,
    position: Position,
    terminated: bool,
}

impl BytesLine {
    pub(crate) fn new(
        bytes: Bytes,
        position: Position,
        terminated: bool,
    ) -> BytesLine {
        BytesLine { bytes, position, terminated }
    }

    /// The line's number, counted from 1. Blank and discarded lines count.
    pub fn number(&self) -> u64 {
        self.position.line()
    }

    /// How many bytes of the stream stand before the line.
    pub fn offset(&self) -> u64 {
        self.position.byte()
    }

    /// The line's number and offset together.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The line's bytes, verbatim, without the terminator.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether a newline ends the line.
    pub fn is_terminated(&self) -> bool {
        self.terminated
    }

    /// The line as one that can be looked at and decoded, by the given
    /// decoder.
    ///
    /// # Example
    ///
    /// This shows how to decode what another thread has received.
    ///
    /// ```
    /// use linetape::{Chunks, Decoder};
    ///
    /// let mut chunks = Chunks::new();
    /// chunks.push("{\"type\":\"user\"}\n");
    /// let line = chunks.next_line().unwrap()?;
    /// let mut decoder = Decoder::new();
    /// let record = line.line(&mut decoder).decode()?;
    /// assert!(record.kind().is("user"));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn line<'a>(&'a self, decoder: &'a mut Decoder) -> Line<'a> {
        let raw = RawLine {
            bytes: &self.bytes,
            position: self.position,
            terminated: self.terminated,
            route: None,
        };
        Line::new(raw, decoder)
    }

    /// The line's bytes, as the shared slice that they are.
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl fmt::Debug for BytesLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Escaped(&self.bytes);
        write!(f, "BytesLine({}: `{text}`)", self.position)
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
            assert_eq!(chunks.splitter.searched, LINE as u64 + 1);
            let moved = chunks.pieces.moved;
            assert!(moved <= 2 * LINE as u64, "{moved} in {piece}s");
        }
    }
}
