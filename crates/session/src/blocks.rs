/*!
A list that is never moved while it grows.

A `Vec` that grows is copied to twice its size. The old places of several long
lists are holes that none of them fits into again: they took a tenth of the
memory of a report.
*/

use crate::ids::Index;

/// The number of entries of a block. Blocks are large enough for the system's
/// allocator to return them to the system when they are freed.
const BLOCK: usize = 8192;

/// A list in blocks of equal length. The first block grows as a `Vec` does, so
/// a short list takes no more memory than a `Vec`.
#[derive(Clone)]
pub(crate) struct Blocks<T>(Vec<Vec<T>>);

impl<T> Default for Blocks<T> {
    fn default() -> Blocks<T> {
        Blocks(vec![])
    }
}

impl<T> Blocks<T> {
    pub(crate) fn len(&self) -> usize {
        match self.0.split_last() {
            Some((last, full)) => full.len() * BLOCK + last.len(),
            None => 0,
        }
    }

    /// Returns the index that the next entry will have.
    pub(crate) fn next(&self) -> Index {
        Index::new(self.len()).unwrap_or(Index::OUT_OF_REACH)
    }

    pub(crate) fn push(&mut self, entry: T) {
        match self.0.last_mut().filter(|block| block.len() < BLOCK) {
            Some(block) => block.push(entry),
            None => {
                let size = if self.0.is_empty() { 0 } else { BLOCK };
                let mut block = Vec::with_capacity(size);
                block.push(entry);
                self.0.push(block);
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.0.get(index / BLOCK)?.get(index % BLOCK)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.0.get_mut(index / BLOCK)?.get_mut(index % BLOCK)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_in_all_blocks() {
        let mut list = Blocks::default();
        assert_eq!((list.len(), list.get(0)), (0, None));
        for n in 0..3 * BLOCK + 1 {
            assert_eq!(list.next().get(), n);
            list.push(n);
            assert_eq!(list.len(), n + 1);
            assert_eq!((list.get(n), list.get(n + 1)), (Some(&n), None));
        }
        if let Some(entry) = list.get_mut(BLOCK) {
            *entry = 7;
        }
        assert_eq!(list.get(BLOCK), Some(&7));
        list.iter_mut().for_each(|entry| *entry += 1);
        assert_eq!(list.iter().count(), list.len());
        assert_eq!(list.iter().last(), Some(&(3 * BLOCK + 1)));
        // Blocks have no room that is never used.
        assert!(list.0.iter().all(|block| block.capacity() == BLOCK));
    }
}
