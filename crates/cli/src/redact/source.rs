//! Reads a log in blocks of whole lines.

use std::io::{self, Read};

/// The byte order mark in UTF-8.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// The size of the buffer, in bytes. Longer lines make it larger.
const SIZE: usize = 256 << 10;

/// The size that the buffer may keep after a long line.
const KEPT: usize = 4 * SIZE;

/// A source, and the bytes that have been read of it.
pub struct Blocks<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where the bytes are that have not been returned.
    start: usize,
    end: usize,
    /// A line of this many bytes is too long, even with a byte order mark and
    /// its terminator.
    longest: usize,
    /// Why reading failed.
    error: Option<io::Error>,
}

/// The next part of a source.
pub enum Part<'b> {
    /// Whole lines. Only the last line of the source may have no newline.
    Lines(&'b [u8]),
    /// A line that is too long, or that could not be read to its end:
    /// [`Blocks::rest`] begins with it.
    Bad,
    End,
}

impl<R: Read> Blocks<R> {
    /// Creates a reader for lines of at most `max_line` bytes.
    pub fn new(source: R, max_line: usize) -> Blocks<R> {
        Blocks {
            source,
            buffer: vec![],
            start: 0,
            end: 0,
            longest: max_line.saturating_add(BOM.len() + "\r\n".len() + 1),
            error: None,
        }
    }

    /// Reads until there is a newline, and returns the lines.
    pub fn next(&mut self) -> Part<'_> {
        // How many of the bytes have no newline.
        let mut searched = 0;
        loop {
            let pending = self.buffer.get(self.start..self.end);
            let new = pending.and_then(|text| text.get(searched..));
            let newline = new.and_then(|new| memchr::memrchr(b'\n', new));
            if let Some(newline) = newline {
                return self.take(searched + newline + 1);
            }
            searched = self.end - self.start;
            if searched >= self.longest {
                return Part::Bad;
            }
            match self.read() {
                Ok(0) if searched == 0 => return Part::End,
                Ok(0) => return self.take(searched),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error);
                    return Part::Bad;
                }
            }
        }
    }

    /// Returns the next `length` bytes.
    fn take(&mut self, length: usize) -> Part<'_> {
        let start = self.start;
        self.start += length;
        let lines = self.buffer.get(start..self.start);
        Part::Lines(lines.unwrap_or_default())
    }

    /// Reads once. The bytes that have not been returned are moved.
    fn read(&mut self) -> io::Result<usize> {
        let pending = self.end - self.start;
        let is_large = self.buffer.len() > KEPT && pending < SIZE;
        let size = match pending.saturating_mul(2) {
            _ if is_large => SIZE,
            most if most > self.buffer.len() => {
                most.min(self.longest.saturating_add(SIZE)).max(SIZE)
            }
            _ => self.buffer.len().max(SIZE),
        };
        if size != self.buffer.len() {
            let mut buffer = vec![0; size];
            let old = self.buffer.get(self.start..self.end);
            let old = old.unwrap_or_default();
            if let Some(room) = buffer.get_mut(..old.len()) {
                room.copy_from_slice(old);
            }
            self.buffer = buffer;
        } else if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
        }
        (self.start, self.end) = (0, pending);
        let room = self.buffer.get_mut(pending..).unwrap_or_default();
        let count = self.source.read(room)?.min(room.len());
        self.end += count;
        Ok(count)
    }

    /// Returns the byte order mark, if it is next.
    pub fn byte_order_mark(&self) -> &'static [u8] {
        let rest = self.buffer.get(self.start..self.end);
        let is_next = rest.is_some_and(|rest| rest.starts_with(BOM));
        if is_next { BOM } else { b"" }
    }

    /// Returns what has not been returned of the source.
    pub fn rest(&mut self) -> Rest<'_, R> {
        Rest(self)
    }

    /// Takes bytes back that were read of [`rest`](Blocks::rest).
    pub fn put_back(&mut self, mut bytes: Vec<u8>) {
        let rest = self.buffer.get(self.start..self.end);
        bytes.extend_from_slice(rest.unwrap_or_default());
        (self.start, self.end) = (0, bytes.len());
        self.buffer = bytes;
    }
}

/// The rest of a source.
pub struct Rest<'b, R>(&'b mut Blocks<R>);

impl<R: Read> Read for Rest<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Blocks { source, buffer, start, end, error, .. } = &mut *self.0;
        let mut rest = buffer.get(*start..*end).unwrap_or_default();
        if rest.is_empty() {
            return match error.take() {
                Some(error) => Err(error),
                None => source.read(buf),
            };
        }
        let count = rest.read(buf)?;
        *start += count;
        Ok(count)
    }
}
