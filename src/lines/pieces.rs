use std::mem;

use bytes::Bytes;

/// Pieces shorter than this are gathered in blocks, the last of which may be
/// as large as this.
const BLOCK: usize = 64 << 10;

/// The beginning of a line that comes in several chunks.
///
/// Large chunks are kept as they are, and the line is put together once, when
/// its end has come. Small ones are gathered in blocks on the way, so that a
/// line in single bytes does not cost a chunk's overhead for each of them.
/// Either way no byte is copied more than twice, and the memory is what the
/// line has, and that again while it is put together.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// Whole pieces, and blocks that are full.
    done: Vec<Bytes>,
    /// Small pieces that follow those. It is never grown once it is made.
    block: Vec<u8>,
    /// How many bytes there are in all.
    len: usize,
    /// How many bytes have been copied from one place to another.
    #[cfg(test)]
    pub(crate) moved: u64,
}

impl Pieces {
    /// Adds a piece at the end.
    pub(crate) fn push(&mut self, piece: Bytes) {
        let len = piece.len();
        // The first one may be all there is, and then it is not copied.
        if len >= BLOCK || self.len == 0 {
            self.end_block();
            self.done.push(piece);
        } else {
            self.gather(&piece);
        }
        self.len += len;
    }

    fn gather(&mut self, piece: &[u8]) {
        let room = self.block.capacity() - self.block.len();
        let (now, rest) = piece.split_at(piece.len().min(room));
        self.block.extend_from_slice(now);
        if !rest.is_empty() {
            self.end_block();
            // As much as there is already, so that short lines cost little.
            let size = self.len.clamp(BLOCK / 16, BLOCK).max(rest.len());
            self.block.reserve_exact(size);
            self.block.extend_from_slice(rest);
        }
        self.count_moved(piece.len());
    }

    fn end_block(&mut self) {
        if !self.block.is_empty() {
            self.done.push(mem::take(&mut self.block).into());
        }
    }

    /// Forgets all pieces, and the memory that they took.
    pub(crate) fn clear(&mut self) {
        self.done = Vec::new();
        self.block = Vec::new();
        self.len = 0;
    }

    /// All pieces and `last` in one, which is put together if need be.
    pub(crate) fn join(&mut self, last: Bytes) -> Bytes {
        if self.len == 0 {
            return last;
        }
        if self.done.len() == 1 && self.block.is_empty() && last.is_empty() {
            self.len = 0;
            return self.done.pop().unwrap_or_default();
        }
        let mut whole = Vec::with_capacity(self.len + last.len());
        for piece in &self.done {
            whole.extend_from_slice(piece);
        }
        whole.extend_from_slice(&self.block);
        whole.extend_from_slice(&last);
        self.count_moved(whole.len());
        self.clear();
        whole.into()
    }

    #[cfg(not(test))]
    fn count_moved(&mut self, _bytes: usize) {}

    #[cfg(test)]
    fn count_moved(&mut self, bytes: usize) {
        self.moved += bytes as u64;
    }
}
