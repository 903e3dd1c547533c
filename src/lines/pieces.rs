use std::mem;

use bytes::Bytes;

/// Pieces shorter than this are collected in blocks of at most this size.
const BLOCK: usize = 64 << 10;

/// The beginning of a line that arrives in several chunks.
///
/// Large chunks are kept as they are, and the line is assembled once, when its
/// end has arrived. Small chunks are collected in blocks first: a line that
/// arrives in single bytes would otherwise cost the overhead of a chunk for
/// each byte. In both cases, each byte is copied at most twice. The memory
/// used is the length of the line, and twice that during the assembly.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// Large pieces and full blocks.
    done: Vec<Bytes>,
    /// The current block, with the small pieces after `done`. Its capacity is
    /// never increased after its allocation.
    block: Vec<u8>,
    /// The total number of bytes.
    len: usize,
    /// The number of bytes that have been copied.
    #[cfg(test)]
    pub(crate) moved: u64,
}

impl Pieces {
    /// Returns the total number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Appends a piece.
    pub(crate) fn push(&mut self, piece: Bytes) {
        let first = self.len == 0;
        self.len += piece.len();
        // Fill the current block first, so that no block is kept with unused
        // capacity.
        let room = self.block.capacity() - self.block.len();
        let rest = piece.slice(piece.len().min(room)..);
        self.gather(&piece, room);
        // The first piece may be the only one, in which case it is not copied.
        if first || rest.len() >= BLOCK {
            self.end_block();
            self.done.push(rest);
        } else if !rest.is_empty() {
            self.end_block();
            // The size grows with the line, so that short lines use little
            // memory.
            let size = self.len.clamp(BLOCK / 16, BLOCK).max(rest.len());
            self.block.reserve_exact(size);
            self.gather(&rest, size);
        }
    }

    /// Copies the first `room` bytes of `piece` into the block.
    fn gather(&mut self, piece: &[u8], room: usize) {
        let now = piece.get(..room).unwrap_or(piece);
        self.block.extend_from_slice(now);
        self.count_moved(now.len());
    }

    fn end_block(&mut self) {
        if !self.block.is_empty() {
            self.done.push(mem::take(&mut self.block).into());
        }
    }

    /// Removes all pieces and releases their memory.
    pub(crate) fn clear(&mut self) {
        self.done = Vec::new();
        self.block = Vec::new();
        self.len = 0;
    }

    /// Returns the line: all pieces and `last`, without the terminator. The
    /// bytes are copied only if the line spans more than one piece.
    pub(crate) fn join(&mut self, last: Bytes, terminator: usize) -> Bytes {
        let len = self.len + last.len();
        let whole = match self.done.first() {
            None => last,
            // `last` consists of terminator bytes only, so the line is within
            // the single earlier piece.
            Some(only)
                if only.len() == self.len && last.len() <= terminator =>
            {
                only.clone()
            }
            Some(_) => self.copied(&last).into(),
        };
        self.clear();
        let line = len.saturating_sub(terminator).min(whole.len());
        whole.slice(..line)
    }

    fn copied(&mut self, last: &[u8]) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.len + last.len());
        for piece in &self.done {
            whole.extend_from_slice(piece);
        }
        whole.extend_from_slice(&self.block);
        whole.extend_from_slice(last);
        self.count_moved(whole.len());
        whole
    }

    #[cfg(not(test))]
    fn count_moved(&mut self, _bytes: usize) {}

    #[cfg(test)]
    fn count_moved(&mut self, bytes: usize) {
        self.moved += bytes as u64;
    }
}
