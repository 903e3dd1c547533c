//! The bytes of a file that identify it, of those that were read.

use crate::follow::checkpoint::{Fingerprint, WINDOW};

/// The bytes of a file that have been read and that identify it: the first
/// ones, and the last ones before some offsets.
///
/// ```text
///     0            start - WINDOW     start           end
///     ├─── head ───┤        ├── before ──┼──── last ────┤
/// ```
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The first bytes of the file, at most `WINDOW`.
    head: Vec<u8>,
    /// The bytes before `last`, at most `WINDOW`.
    before: Vec<u8>,
    /// The offset of `last`.
    start: u64,
    /// The bytes of the last read.
    last: Vec<u8>,
    /// An offset before `last`, and the bytes before it, at most `WINDOW`.
    mark: (u64, Vec<u8>),
}

impl History {
    /// Creates the history of a file that is read from an offset on. `head`
    /// has the first bytes, and `tail` those before the offset.
    pub(crate) fn at(offset: u64, head: Vec<u8>, tail: Vec<u8>) -> History {
        let mark = (offset, tail.clone());
        History { head, before: tail, start: offset, last: vec![], mark }
    }

    /// Adds bytes that have been read. `done` is an offset for which a fingerprint
    /// can be asked later, even if it is before them.
    pub(crate) fn push(&mut self, bytes: &[u8], done: u64) {
        if let Some(tail) = self.tail(done) {
            self.mark = (done, tail);
        }
        self.before = last_of(&self.before, &self.last);
        self.start = self.end();
        self.last.clear();
        self.last.extend_from_slice(bytes);
        let missing = WINDOW.saturating_sub(self.head.len());
        if self.start == self.head.len() as u64 {
            let more = bytes.get(..missing).unwrap_or(bytes);
            self.head.extend_from_slice(more);
        }
    }

    /// Releases the memory of the last read, except for what identifies the
    /// file. `done` is an offset for which a fingerprint can be asked later.
    pub(crate) fn rest(&mut self, done: u64) {
        if self.last.len() > WINDOW {
            if let Some(tail) = self.tail(done) {
                self.mark = (done, tail);
            }
            self.before = last_of(&self.before, &self.last);
            self.start = self.end();
            self.last = vec![];
        }
    }

    /// Returns the offset after the last byte that has been read.
    pub(crate) fn end(&self) -> u64 {
        self.start.saturating_add(self.last.len() as u64)
    }

    /// Returns the last bytes that have been read, at most `WINDOW`.
    pub(crate) fn newest(&self) -> Vec<u8> {
        last_of(&self.before, &self.last)
    }

    /// Returns the fingerprints of the first bytes and of those before an offset,
    /// which is in the last read or that of the last push.
    pub(crate) fn fingerprints(
        &self,
        offset: u64,
    ) -> Option<(Fingerprint, Fingerprint)> {
        let tail = self.tail(offset)?;
        let length = usize::try_from(offset).unwrap_or(usize::MAX);
        let head = self.head.get(..length).unwrap_or(&self.head);
        Some((Fingerprint::of(head), Fingerprint::of(&tail)))
    }

    fn tail(&self, offset: u64) -> Option<Vec<u8>> {
        if offset == self.mark.0 {
            return Some(self.mark.1.clone());
        }
        let length = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        Some(last_of(&self.before, self.last.get(..length)?))
    }
}

/// Returns the last bytes of two slices, at most `WINDOW`.
fn last_of(first: &[u8], second: &[u8]) -> Vec<u8> {
    let from_second = second.len().min(WINDOW);
    let from_first = first.len().min(WINDOW - from_second);
    let end = |bytes: &[u8], count: usize| {
        bytes.get(bytes.len() - count..).unwrap_or_default().to_vec()
    };
    let mut last = end(first, from_first);
    last.extend(end(second, from_second));
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fingerprints of every offset that can be asked for are those of the
    /// bytes.
    #[test]
    fn prints_are_those_of_the_bytes() {
        let file: Vec<u8> = (0..30_000u32).map(|n| (n % 251) as u8).collect();
        for size in [1, 7, 1000, 4095, 4096, 4097, 9000] {
            let mut history = History::default();
            let (mut read, mut done) = (0, 0);
            for piece in file.chunks(size).take(40) {
                history.push(piece, done);
                read += piece.len() as u64;
                assert_eq!(history.end(), read);
                let last = read - piece.len() as u64;
                for offset in [done, last, last + 1, read] {
                    let bytes = &file[..offset as usize];
                    let head =
                        Fingerprint::of(&bytes[..bytes.len().min(WINDOW)]);
                    let from = bytes.len().saturating_sub(WINDOW);
                    let tail = Fingerprint::of(&bytes[from..]);
                    let found = history.fingerprints(offset);
                    assert_eq!(found, Some((head, tail)), "{size} {offset}");
                }
                if (read / size as u64).is_multiple_of(5) {
                    history.rest(done);
                    let last = read - (piece.len().min(WINDOW)) as u64;
                    assert!(history.last.len() <= WINDOW);
                    assert!(history.fingerprints(done).is_some(), "{last}");
                }
                // Every third piece ends a line.
                if (read / size as u64).is_multiple_of(3) {
                    done = read;
                }
            }
        }
    }
}
