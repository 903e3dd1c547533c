/*!
An append-only list whose items can be borrowed while it grows.
*/

use std::{
    array,
    cell::{Cell, OnceCell},
    iter::{self, FusedIterator},
    slice,
};

/// A list that takes new items through a shared reference.
///
/// Items never move, so references to them stay valid when others are added:
/// items are stored in blocks of fixed size, each twice as large as the one
/// before. `push` takes O(1).
///
/// ```text
///   block 0   block 1       block 2
///  ┌──┬───┐  ┌──┬───┬──┐  ┌──┬──────────┬───┐
///  │ 0│...│  │32│...│95│  │96│... 127 × │ ×…│   × not set yet
///  └──┴───┘  └──┴───┴──┘  └──┴──────────┴───┘
/// ```
#[derive(Debug)]
pub(crate) struct AppendList<T> {
    blocks: [OnceCell<Box<[OnceCell<T>]>>; BLOCKS],
    len: Cell<usize>,
}

/// The number of items in the first block.
const FIRST: usize = 32;

/// The maximum number of blocks, which is more than fit into memory.
const BLOCKS: usize = 48;

impl<T> Default for AppendList<T> {
    fn default() -> AppendList<T> {
        let blocks = array::from_fn(|_| OnceCell::new());
        AppendList { blocks, len: Cell::new(0) }
    }
}

impl<T> AppendList<T> {
    /// Returns the number of items.
    pub(crate) fn len(&self) -> usize {
        self.len.get()
    }

    /// Appends an item and returns a reference to it. `None` if all blocks are
    /// full, which takes more items than memory can hold.
    pub(crate) fn push(&self, item: T) -> Option<&T> {
        // The blocks before block n have FIRST * (2^n - 1) items together.
        let group = self.len.get() / FIRST + 1;
        let n = group.ilog2() as usize;
        let before = FIRST * ((1 << n) - 1);
        let block = self.blocks.get(n)?.get_or_init(|| {
            iter::repeat_with(OnceCell::new).take(FIRST << n).collect()
        });
        let slot = block.get(self.len.get() - before)?;
        debug_assert!(slot.get().is_none(), "the slot is in use");
        self.len.set(self.len.get() + 1);
        Some(slot.get_or_init(|| item))
    }

    /// Removes all items, and keeps the blocks.
    pub(crate) fn clear(&mut self) {
        let blocks = self.blocks.iter_mut().filter_map(OnceCell::get_mut);
        blocks.flatten().for_each(|slot| drop(slot.take()));
        self.len.set(0);
    }

    /// Returns an iterator over the items in the list now, in the order in
    /// which they were pushed.
    pub(crate) fn iter(&self) -> Iter<'_, T> {
        Iter { blocks: self.blocks.iter(), block: [].iter(), left: self.len() }
    }
}

/// An iterator over the items, from [`AppendList::iter`].
#[derive(Debug)]
pub(crate) struct Iter<'l, T> {
    blocks: slice::Iter<'l, OnceCell<Box<[OnceCell<T>]>>>,
    block: slice::Iter<'l, OnceCell<T>>,
    /// The number of items left, without those pushed since the iterator was
    /// created.
    left: usize,
}

impl<'l, T> Iterator for Iter<'l, T> {
    type Item = &'l T;

    fn next(&mut self) -> Option<&'l T> {
        self.left = self.left.checked_sub(1)?;
        loop {
            if let Some(slot) = self.block.next() {
                debug_assert!(slot.get().is_some(), "fewer items than `len`");
                return slot.get();
            }
            self.block = self.blocks.next()?.get()?.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

impl<T> FusedIterator for Iter<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_where_they_are_and_in_order() {
        let mut list = AppendList::default();
        for round in [0, 1] {
            let places: Vec<&usize> =
                (0..10_000).map(|n| list.push(n + round).unwrap()).collect();
            assert_eq!(list.len(), 10_000);
            assert!(places.iter().zip(0..).all(|(&&n, at)| n == at + round));
            assert!(list.iter().zip(places).all(|(a, b)| std::ptr::eq(a, b)));
            assert_eq!(
                (list.iter().len(), list.iter().count()),
                (10_000, 10_000)
            );
            list.clear();
            assert_eq!((list.len(), list.iter().count()), (0, 0));
        }
    }

    #[test]
    fn an_iterator_ends_where_the_list_ended_when_it_was_made() {
        let list = AppendList::default();
        list.push(1);
        let mut items = list.iter();
        assert_eq!((items.next(), items.len()), (Some(&1), 0));
        list.push(2);
        assert_eq!((items.next(), items.next()), (None, None));
    }
}
