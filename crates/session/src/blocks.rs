/*!
Lists that grow without being copied.
*/

use crate::ids::Index;

/// The number of entries of a block.
const BLOCK: usize = 1 << 10;

/// A list in blocks of [`BLOCK`] entries.
///
/// A `Vec` that grows is copied to a place twice as large, and leaves the old
/// one behind: for a list of very many entries, the allocator may keep up to
/// half of its memory unused.
#[derive(Clone)]
pub(crate) struct Blocks<T> {
    /// All but the last one are full.
    blocks: Vec<Vec<T>>,
}

impl<T> Default for Blocks<T> {
    fn default() -> Blocks<T> {
        Blocks { blocks: vec![] }
    }
}

impl<T> Blocks<T> {
    pub(crate) fn len(&self) -> usize {
        let last = self.blocks.last().map_or(0, Vec::len);
        self.blocks.len().saturating_sub(1) * BLOCK + last
    }

    /// Returns the index that the next entry will have.
    pub(crate) fn next(&self) -> Index {
        Index::new(self.len()).unwrap_or(Index::OUT_OF_REACH)
    }

    pub(crate) fn push(&mut self, entry: T) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < BLOCK => last.push(entry),
            // Most lists are short, so only long ones have whole blocks.
            Some(_) => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(entry);
                self.blocks.push(block);
            }
            None => self.blocks.push(vec![entry]),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.blocks.get(index / BLOCK)?.get(index % BLOCK)
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.blocks.get_mut(index / BLOCK)?.get_mut(index % BLOCK)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.blocks.iter_mut().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_where_they_were_pushed() {
        let mut list = Blocks::default();
        assert_eq!((list.len(), list.get(0)), (0, None));
        for n in 0..BLOCK * 3 + 5 {
            assert_eq!((list.len(), list.next().get()), (n, n));
            list.push(n);
            assert_eq!(list.get(n), Some(&n));
            assert_eq!(list.get(n + 1), None);
        }
        *list.get_mut(BLOCK).unwrap() = 0;
        list.iter_mut().for_each(|n| *n += 1);
        assert_eq!(list.get(BLOCK - 1), Some(&BLOCK));
        assert_eq!(list.get(BLOCK), Some(&1));
        assert_eq!(list.get(BLOCK + 1), Some(&(BLOCK + 2)));
        assert_eq!(list.iter().count(), BLOCK * 3 + 5);
    }
}
