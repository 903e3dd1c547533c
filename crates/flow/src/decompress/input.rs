use std::io::{self, Read};

use crate::decompress::format::Format;

/// How many compressed bytes are read from the source at once.
const BUFFER: usize = 128 << 10;

/// How many bytes are read to find out whether they are compressed. Plain text
/// needs no more, since it is read by the caller.
const FIRST: usize = Format::DECIDING;

/// The compressed bytes that have been read and not consumed, with their
/// offset.
#[derive(Debug)]
pub(crate) struct Input<R> {
    pub(crate) source: R,
    buffer: Vec<u8>,
    /// The bytes in the buffer that have not been consumed. `start <= end`.
    start: usize,
    end: usize,
    /// The offset of the first of them in the stream.
    offset: u64,
    has_ended: bool,
}

impl<R> Input<R> {
    pub(crate) fn new(source: R) -> Input<R> {
        Input {
            source,
            buffer: vec![],
            start: 0,
            end: 0,
            offset: 0,
            has_ended: false,
        }
    }

    /// Returns the bytes that have been read and not consumed.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the offset of the first of these bytes in the stream.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns whether the source has ended after these bytes.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(crate) fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset = self.offset.saturating_add(count as u64);
    }
}

impl<R: Read> Input<R> {
    /// Reads the first bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the source fails. No bytes are lost then.
    pub(crate) fn fill_first(&mut self) -> io::Result<()> {
        self.fill_up_to(FIRST)
    }

    /// Reads once. At most a few bytes may be left in the buffer.
    ///
    /// # Errors
    ///
    /// Returns an error if the source fails. No bytes are lost then.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        self.fill_up_to(BUFFER)
    }

    fn fill_up_to(&mut self, size: usize) -> io::Result<()> {
        if self.has_ended {
            return Ok(());
        }
        if self.buffer.len() < size {
            self.buffer.resize(size, 0);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let space = room.len();
        let count = self.source.read(room)?;
        if count > space {
            let text = "the source claims more bytes than it was asked for";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        // The buffer is never full: `fill` is called for a few bytes more.
        self.has_ended = count == 0 && space > 0;
        self.end += count;
        Ok(())
    }
}
