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
        let first = self.len == 0;
        self.len += piece.len();
        // A block that has been begun is filled first, so that none is kept
        // with room to spare.
        let room = self.block.capacity() - self.block.len();
        let rest = piece.slice(piece.len().min(room)..);
        self.gather(&piece, room);
        // The first piece may be all there is, and then it is not copied.
        if first || rest.len() >= BLOCK {
            self.end_block();
            self.done.push(rest);
        } else if !rest.is_empty() {
            self.end_block();
            // As much as there is already, so that short lines cost little.
            let size = self.len.clamp(BLOCK / 16, BLOCK).max(rest.len());
            self.block.reserve_exact(size);
            self.gather(&rest, size);
        }
    }

    /// Copies the beginning of `piece` into the `room` of the block.
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

    /// Forgets all pieces, and the memory that they took.
    pub(crate) fn clear(&mut self) {
        self.done = Vec::new();
        self.block = Vec::new();
        self.len = 0;
    }

    /// The line that all pieces and `last` make together, less a terminator
    /// at its end. It is put together only if it lies in more than one piece.
    pub(crate) fn join(&mut self, last: Bytes, terminator: usize) -> Bytes {
        let len = self.len + last.len();
        let whole = match self.done.first() {
            None => last,
            // What is left of the terminator lies in the one piece.
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
