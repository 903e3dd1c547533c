use std::{cell::Cell, fmt, iter::FusedIterator};

use bumpalo::Bump;
use bytes::{Bytes, BytesMut};

use crate::{
    append::{self, AppendList},
    bytes_line::BytesLine,
    error::Error,
    idle::GIANT,
    json::{Indexes, Origin, Source, Text, Value},
    limits::Limits,
    line::Line,
    lines::Terminator,
    message::Message,
    scan::Scanner,
};

/// The minimum size in bytes of a block of memory for lines.
const BLOCK: usize = 64 << 10;

/// A collection of checked lines, whose messages can be used at the same time.
///
/// A [`Record`](crate::Record) must be dropped before the next line is read. A
/// batch copies each line that is pushed to it, and keeps all of them until it
/// is cleared. It allocates in large blocks, so a thousand lines take only a
/// few allocations.
///
/// A filled batch can be sent to another thread, which gets the messages from
/// [`iter`](Batch::iter). The messages themselves cannot be sent.
///
/// The messages read their fields from the text, like those of
/// [`Line::checked`]. A string with escapes is unescaped on each access, and
/// stays in memory until the batch is cleared.
///
/// # Example
///
/// This shows how to compare two lines.
///
/// ```
/// use linetape::{Batch, lines};
///
/// let log = br#"{"type":"user","uuid":"a"}
/// {"type":"user","parentUuid":"a"}
/// "#;
/// let mut lines = lines(log);
/// let mut batch = Batch::new();
/// let first = batch.push(lines.next_line().unwrap()?)?;
/// let second = batch.push(lines.next_line().unwrap()?)?;
/// assert_eq!(first.uuid(), second.parent_uuid());
/// batch.clear();
/// # Ok::<(), linetape::Error>(())
/// ```
///
/// This shows how to hand lines to a worker.
///
/// ```
/// use linetape::{Batch, Reader};
///
/// let log = &b"{\"type\":\"user\"}\n{\"type\":\"result\"}\n"[..];
/// let mut reader = Reader::new(log);
/// let batch = Batch::new();
/// while let Some(line) = reader.next_line() {
///     batch.push(line?)?;
/// }
/// let worker = std::thread::spawn(move || {
///     batch.iter().filter(|message| message.is_final()).count()
/// });
/// assert_eq!(worker.join().unwrap(), 1);
/// # Ok::<(), linetape::Error>(())
/// ```
///
/// A message does not outlive its batch, and must be dropped before `clear`:
///
/// ```compile_fail,E0505
/// let mut decoder = linetape::Decoder::new();
/// let batch = linetape::Batch::new();
/// let message = batch.push(decoder.line(b"{}")).unwrap();
/// drop(batch);
/// println!("{}", message.kind());
/// ```
///
/// ```compile_fail,E0502
/// let mut decoder = linetape::Decoder::new();
/// let mut batch = linetape::Batch::new();
/// let message = batch.push(decoder.line(b"{}")).unwrap();
/// batch.clear();
/// println!("{}", message.kind());
/// ```
#[derive(Default)]
pub struct Batch {
    lines: AppendList<BytesLine>,
    /// The unused rest of the current block of memory for lines.
    room: Cell<BytesMut>,
    /// The size of that block in bytes.
    block: Cell<usize>,
    /// The indexes of the lines, and unescaped strings.
    arena: Bump,
    /// The memory in which indexes are built.
    indexes: Indexes,
}

impl Batch {
    /// Creates an empty batch.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Checks a line, stores a copy of it, and returns its message.
    ///
    /// # Errors
    ///
    /// Returns the error that [`Line::decode`] would return if the line is
    /// invalid. The line is not stored then.
    pub fn push(&self, line: Line<'_>) -> Result<Message<'_>, Error> {
        line.check()?;
        let bytes = self.copy(line.as_bytes());
        let terminator = Terminator::of_length(line.terminator().len());
        let kept = BytesLine::new(bytes, line.position(), terminator);
        match self.lines.push(kept).and_then(|line| self.message(line)) {
            Some(message) => Ok(message),
            // A line that has passed the check can be indexed.
            None => Err(Error::syntax(line.position(), "invalid value")),
        }
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the messages, in the order in which their
    /// lines were pushed. It does not include lines that are pushed later.
    ///
    /// Each message takes as long as [`Line::peek`], and takes memory until
    /// the batch is cleared: up to 8 bytes per string of its line, and 16 per
    /// object and array. So iterate over a batch once, if possible.
    ///
    /// # Example
    ///
    /// This shows how to iterate over messages together with their lines.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let batch = linetape::Batch::new();
    /// batch.push(decoder.line(br#"{"type":"user"}"#))?;
    /// for (message, line) in batch.iter().zip(batch.lines()) {
    ///     assert!(message.kind().is("user"));
    ///     assert_eq!(line.number(), 1);
    /// }
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn iter(&self) -> BatchIter<'_> {
        BatchIter { batch: self, lines: self.lines.iter() }
    }

    /// Returns an iterator over the lines, in the order in which they were
    /// pushed.
    pub fn lines(
        &self,
    ) -> impl ExactSizeIterator<Item = &BytesLine> + FusedIterator {
        self.lines.iter()
    }

    /// Returns how many bytes are allocated for messages. The text of their
    /// lines is not included.
    pub fn allocated_bytes(&self) -> usize {
        self.arena.allocated_bytes()
    }

    /// Removes all lines. The largest blocks of memory are kept for reuse,
    /// unless they are larger than 8 MiB.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.arena.reset();
        if self.arena.allocated_bytes() > GIANT {
            self.arena = Bump::new();
        }
        if self.indexes.capacity() > GIANT {
            self.indexes = Indexes::default();
        }
        // All lines are gone, so the block can be reused from its start.
        let block = self.block.get();
        let room = self.room.get_mut();
        if block > GIANT || !room.try_reclaim(block) {
            *room = BytesMut::new();
            self.block.set(0);
        }
    }

    /// Copies the bytes of a line into the current block, or into a new block
    /// of twice the size (at most 8 MiB, unless the line is longer).
    fn copy(&self, line: &[u8]) -> Bytes {
        let mut room = self.room.take();
        if room.capacity() < line.len() {
            let block = (2 * self.block.get()).clamp(BLOCK, GIANT);
            let block = block.max(line.len());
            room = BytesMut::with_capacity(block);
            self.block.set(block);
        }
        room.extend_from_slice(line);
        let copy = room.split().freeze();
        self.room.set(room);
        copy
    }

    /// Returns the message of a line that has passed the check.
    fn message<'b>(&'b self, line: &'b BytesLine) -> Option<Message<'b>> {
        let scanner = Scanner::best();
        // The line was checked under the caller's limits, so use the highest.
        let limits =
            Limits { max_depth: Limits::MAX_DEPTH_CAP, ..Limits::default() };
        let origin = Origin {
            position: line.position(),
            terminated: line.is_terminated(),
            limits,
        };
        let arena = &self.arena;
        let (bytes, indexes) = (line.as_bytes(), &self.indexes);
        let source = Source::new(bytes, origin, scanner, arena, indexes, None);
        let text = Text::new(arena.alloc(source)).ok();
        debug_assert!(text.is_some(), "a checked line: {line:?}");
        let text = text?;
        text.source.set_checked();
        Some(Message::new(Value::of_line(text)))
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch({} lines)", self.len())
    }
}

impl<'b> IntoIterator for &'b Batch {
    type Item = Message<'b>;
    type IntoIter = BatchIter<'b>;

    fn into_iter(self) -> BatchIter<'b> {
        self.iter()
    }
}

/// An iterator over the messages of a [`Batch`], from [`Batch::iter`].
#[derive(Debug)]
pub struct BatchIter<'b> {
    batch: &'b Batch,
    lines: append::Iter<'b, BytesLine>,
}

impl<'b> Iterator for BatchIter<'b> {
    type Item = Message<'b>;

    fn next(&mut self) -> Option<Message<'b>> {
        self.batch.message(self.lines.next()?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.lines.size_hint()
    }
}

impl ExactSizeIterator for BatchIter<'_> {}

impl FusedIterator for BatchIter<'_> {}
