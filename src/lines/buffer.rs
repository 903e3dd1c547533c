use std::{
    fmt,
    io::{self, Read},
};

use crate::{
    idle::Idle,
    limits::Limits,
    scan::{TextBuffer, part},
};

/// A rolling buffer: the current bytes of a source, in one allocation.
///
/// ```text
///   0                          seen == end         bytes.len()
///   ├──────────────┼────────────────┼───────────────────┤
///   │   consumed   │  pending line  │    free space     │
///                  ◄──── keep ──────►
/// ```
///
/// This is the state at a refill, when all bytes in the buffer have been seen.
/// The pending bytes are then moved to the front if there is too little free
/// space. Between refills, `seen` advances from the pending bytes to `end`.
pub(crate) struct Buffer {
    /// The data, followed by free space.
    bytes: TextBuffer,
    /// The end of the bytes that have been given to the splitter. `<= end`.
    seen: usize,
    /// The end of the bytes that have been read. `<= capacity()`.
    end: usize,
    /// The initial capacity, which is restored after a long line.
    base: usize,
    /// The maximum capacity.
    ceiling: usize,
    /// Tracks for how long no more than `base` has been needed.
    idle: Idle,
    /// The number of lines read before the last refill.
    lines: u64,
    /// The number of bytes that have been copied.
    #[cfg(test)]
    pub(crate) moved: u64,
}

impl Buffer {
    /// Creates a buffer of `base` bytes that can grow to hold a line of
    /// `max_line` bytes.
    pub(crate) fn new(base: usize, max_line: usize) -> Buffer {
        let base = base.clamp(1, Limits::MAX_LINE_CAP);
        Buffer {
            bytes: TextBuffer::new(base),
            seen: 0,
            end: 0,
            base,
            // The longest line, and space to read at least one byte more.
            ceiling: max_line.saturating_add(base),
            idle: Idle::default(),
            lines: 0,
            #[cfg(test)]
            moved: 0,
        }
    }

    fn capacity(&self) -> usize {
        self.bytes.as_bytes().len()
    }

    /// Returns the bytes that have not been seen.
    #[inline]
    pub(crate) fn unseen(&self) -> &[u8] {
        debug_assert!(self.seen <= self.end && self.end <= self.capacity());
        part(self.bytes.as_bytes(), self.seen..self.end)
    }

    /// Calls `read` with the bytes that have not been seen. If it returns a
    /// string at their start, that is remembered for
    /// [`text`](Buffer::text).
    #[inline]
    pub(crate) fn read_text(
        &mut self,
        read: impl FnOnce(&[u8]) -> Option<&str>,
    ) -> Option<usize> {
        self.bytes.read_text(self.seen..self.end, read)
    }

    /// Returns the `length` bytes before the index `end` as a string, if they
    /// are part of the string that was remembered last.
    #[inline]
    pub(crate) fn text(&self, end: usize, length: usize) -> Option<&str> {
        self.bytes.text(end.wrapping_sub(length)..end)
    }

    /// Adds `count` bytes to those that have been seen.
    #[inline]
    pub(crate) fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.seen);
        self.seen += count;
    }

    /// Returns the end of the bytes that have been seen.
    #[inline]
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    /// Returns the `length` bytes before the index `end`.
    #[inline]
    pub(crate) fn before(&self, end: usize, length: usize) -> &[u8] {
        debug_assert!(length <= end && end <= self.seen);
        let start = end.wrapping_sub(length);
        part(self.bytes.as_bytes(), start..end)
    }

    /// Returns the last `pending` bytes that have been seen, and all bytes
    /// that have not.
    pub(crate) fn rest(&self, pending: usize) -> &[u8] {
        debug_assert!(pending <= self.seen);
        let start = self.seen.wrapping_sub(pending);
        part(self.bytes.as_bytes(), start..self.end)
    }

    /// Reads once from `source`. Returns the number of bytes read.
    ///
    /// All bytes in the buffer must have been seen. The last `keep` of them
    /// are preserved. At most `most` bytes are read, which is not zero.
    /// `lines` is the number of lines read so far.
    #[cold]
    pub(crate) fn refill(
        &mut self,
        source: &mut impl Read,
        keep: usize,
        most: usize,
        lines: u64,
    ) -> io::Result<usize> {
        debug_assert!(self.seen == self.end && keep <= self.end);
        self.make_room(keep, lines);
        // Read at most `base` bytes at once. Otherwise the bytes after a giant
        // line would fill the oversized buffer and prevent it from shrinking.
        let most = self.base.min(most);
        let limit = self.end.saturating_add(most).min(self.capacity());
        let bytes = self.bytes.as_mut_bytes();
        let room = bytes.get_mut(self.end..limit).unwrap_or_default();
        if room.is_empty() {
            // A read of zero bytes would look like the end of the source.
            debug_assert!(false, "there is no room to read");
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        loop {
            match source.read(room) {
                Ok(count) if count <= room.len() => {
                    self.end += count;
                    return Ok(count);
                }
                Ok(count) => return Err(impossible(count, room.len())),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            }
        }
    }

    /// Ensures that there is free space to read into. Preserves the last
    /// `keep` bytes, but may move them.
    ///
    /// The beginning of a line is moved to the front if at least as many bytes
    /// before it have been consumed. So the total number of bytes moved is at
    /// most the number of bytes consumed. This is done before the buffer is
    /// full, to reuse memory that is in the CPU cache. A longer beginning is
    /// not moved until the buffer is full; then the capacity is doubled.
    fn make_room(&mut self, keep: usize, lines: u64) {
        let capacity = self.capacity();
        let handed_out = self.end - keep;
        if self.is_oversized(keep, lines) {
            self.reallocate(keep, self.base);
        } else if keep == 0 || (handed_out >= keep && self.end > self.base / 2)
        {
            self.move_to_front(keep);
        } else if self.end < capacity {
            // There is free space, and no need to move.
        } else if capacity < self.ceiling {
            let size = next_capacity(capacity, keep + 1, self.ceiling);
            self.reallocate(keep, size);
        } else {
            self.move_to_front(keep);
        }
        debug_assert!(self.end < self.capacity());
    }

    fn is_oversized(&mut self, keep: usize, lines: u64) -> bool {
        let capacity = self.capacity();
        let passed = lines.saturating_sub(self.lines);
        self.lines = lines;
        let is_needed = keep > self.base / 2;
        self.idle.is_text_over(capacity, is_needed, passed)
            && capacity > self.base
    }

    fn move_to_front(&mut self, keep: usize) {
        let kept = self.end - keep..self.end;
        self.bytes.as_mut_bytes().copy_within(kept, 0);
        self.kept(keep);
    }

    fn reallocate(&mut self, keep: usize, capacity: usize) {
        debug_assert!(keep < capacity);
        let mut bytes = TextBuffer::new(capacity);
        let kept = self.before(self.end, keep);
        if let Some(front) = bytes.as_mut_bytes().get_mut(..kept.len()) {
            front.copy_from_slice(kept);
        }
        self.bytes = bytes;
        self.kept(keep);
    }

    /// Updates the indexes after the last `keep` bytes have been moved to the
    /// front.
    fn kept(&mut self, keep: usize) {
        self.seen = keep;
        self.end = keep;
        #[cfg(test)]
        {
            self.moved += keep as u64;
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("capacity", &self.capacity())
            .field("unseen", &(self.end - self.seen))
            .finish_non_exhaustive()
    }
}

/// Returns the capacity to grow to: twice `capacity`, but at least `needed`
/// and at most `ceiling`.
fn next_capacity(capacity: usize, needed: usize, ceiling: usize) -> usize {
    capacity.saturating_mul(2).min(ceiling).max(needed)
}

/// Creates the error for a source that reports more bytes read than the buffer
/// can hold. None of these bytes can be trusted.
#[cold]
fn impossible(claimed: usize, room: usize) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the source claims {claimed} bytes in a buffer of {room}"),
    )
}

#[cfg(test)]
mod tests {
    use crate::idle::{CALM_LINES, GIANT_TEXT as GIANT};

    use super::*;

    const ALL: usize = usize::MAX;

    /// The preserved bytes are the last ones read, whether the buffer moves
    /// them, shrinks or grows.
    #[test]
    fn what_is_kept_stays_the_same() {
        let stream: Vec<u8> = (0..200_000u32).map(|n| n as u8).collect();
        let mut source = &stream[..];
        let mut buffer = Buffer::new(64, 1 << 20);
        let (mut total, mut capacities) = (0, vec![]);
        let plan = [0, 30, 60, 300, 5_000, 20, 1, 40];
        for (round, &keep) in plan.iter().cycle().enumerate() {
            let keep = keep.min(buffer.end);
            let lines = round as u64 * CALM_LINES;
            let read = buffer.refill(&mut source, keep, ALL, lines).unwrap();
            if read == 0 {
                break;
            }
            total += read;
            buffer.advance(read);
            let kept = buffer.before(buffer.seen(), keep + read);
            assert_eq!(kept, &stream[total - keep - read..total]);
            capacities.push(buffer.capacity());
        }
        assert_eq!(total, stream.len());
        assert!(capacities.iter().max() > Some(&64), "it never grew");
        assert!(capacities.windows(2).any(|w| w[1] < w[0]), "nor shrank");
    }

    /// After a giant line, reads are small, so that the oversized buffer can
    /// shrink.
    #[test]
    fn a_read_is_no_larger_than_the_first_buffer() {
        let mut buffer = Buffer::new(100, 100_000);
        let mut source = std::io::repeat(b'x');
        for _ in 0..100 {
            let keep = buffer.end;
            let read = buffer.refill(&mut source, keep, ALL, 0).unwrap();
            assert!(read <= 100, "{read} bytes at once");
            buffer.advance(read);
        }
    }

    /// If all bytes have been consumed, their space is reused.
    #[test]
    fn a_buffer_of_which_nothing_is_kept_does_not_grow() {
        let mut buffer = Buffer::new(100, 10_000);
        let mut source = std::io::repeat(b'x');
        for _ in 0..10 {
            let read = buffer.refill(&mut source, 0, ALL, 0).unwrap();
            assert_eq!(read, 100);
            assert_eq!(buffer.capacity(), 100);
            buffer.advance(read);
        }
    }

    /// The capacity doubles as a line grows, so each byte is moved only once
    /// or twice.
    #[test]
    fn growing_moves_each_byte_at_most_twice() {
        let mut buffer = Buffer::new(16, 1 << 20);
        let mut source = std::io::repeat(b'x');
        while buffer.end < 100_000 {
            let keep = buffer.end;
            let read = buffer.refill(&mut source, keep, ALL, 0).unwrap();
            buffer.advance(read);
        }
        let (moved, length) = (buffer.moved, buffer.end as u64);
        let bounds = length / 2..=2 * length;
        assert!(bounds.contains(&moved), "{moved} for {length}");
    }

    /// The buffer of a giant line shrinks as soon as the preserved bytes fit
    /// into a small buffer, and the preserved bytes do not change.
    #[test]
    fn what_is_kept_after_a_giant_stays_the_same() {
        let stream: Vec<u8> =
            (0..2 * GIANT).map(|n| (n % 251) as u8).collect();
        for keep in [0, 31, 32, 33, 63, 64, 65, 128, 129] {
            let mut buffer = Buffer::new(64, 2 * GIANT);
            let mut source = &stream[..];
            while buffer.capacity() <= GIANT {
                let keep = buffer.end;
                let read = buffer.refill(&mut source, keep, ALL, 0).unwrap();
                buffer.advance(read);
            }
            let last = buffer.before(buffer.seen(), keep).to_vec();
            let read = buffer.refill(&mut source, keep, ALL, 0).unwrap();
            assert_eq!(buffer.capacity() == 64, keep <= 32, "{keep}");
            buffer.advance(read);
            let kept = buffer.before(buffer.seen() - read, keep);
            assert_eq!(kept, last, "{keep}");
        }
    }
}
