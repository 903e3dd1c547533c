/*!
A list that grows while its items are borrowed.
*/

use std::{
    array,
    cell::{Cell, OnceCell},
    iter::{self, FusedIterator},
    slice,
};

/// A list to whose end items can be added through a shared reference.
///
/// Items never move: they are kept in blocks, each twice as large as the one
/// before, and a block never grows. So a reference to an item stays good while
/// others are added.
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

/// How many items the first block has.
const FIRST: usize = 32;

/// More than fit into memory.
const BLOCKS: usize = 48;

impl<T> Default for AppendList<T> {
    fn default() -> AppendList<T> {
        let blocks = array::from_fn(|_| OnceCell::new());
        AppendList { blocks, len: Cell::new(0) }
    }
}

impl<T> AppendList<T> {
    /// Returns how many items there are.
    pub(crate) fn len(&self) -> usize {
        self.len.get()
    }

    /// Adds an item at the end. Returns `None` if there is no place for it,
    /// which takes more items than memory can hold.
    pub(crate) fn push(&self, item: T) -> Option<&T> {
        // The blocks before number n have FIRST * (2^n - 1) items together.
        let position = self.len.get() / FIRST + 1;
        let number = position.ilog2() as usize;
        let before = FIRST * ((1 << number) - 1);
        let block = self.blocks.get(number)?.get_or_init(|| {
            iter::repeat_with(OnceCell::new).take(FIRST << number).collect()
        });
        let place = block.get(self.len.get() - before)?;
        debug_assert!(place.get().is_none(), "a place that is taken");
        self.len.set(self.len.get() + 1);
        Some(place.get_or_init(|| item))
    }

    /// Removes all items. The blocks are kept for the next ones.
    pub(crate) fn clear(&mut self) {
        let blocks = self.blocks.iter_mut().filter_map(OnceCell::get_mut);
        blocks.flatten().for_each(|place| drop(place.take()));
        self.len.set(0);
    }

    /// Returns an iterator over the items that there are now, in the order in
    /// which they came.
    pub(crate) fn iter(&self) -> Iter<'_, T> {
        Iter { blocks: self.blocks.iter(), block: [].iter(), left: self.len() }
    }
}

/// See [`AppendList::iter`].
#[derive(Debug)]
pub(crate) struct Iter<'l, T> {
    blocks: slice::Iter<'l, OnceCell<Box<[OnceCell<T>]>>>,
    block: slice::Iter<'l, OnceCell<T>>,
    /// How many items are still to come. Items that are pushed meanwhile are
    /// not among them.
    left: usize,
}

impl<'l, T> Iterator for Iter<'l, T> {
    type Item = &'l T;

    fn next(&mut self) -> Option<&'l T> {
        self.left = self.left.checked_sub(1)?;
        loop {
            if let Some(place) = self.block.next() {
                debug_assert!(place.get().is_some(), "fewer items than `len`");
                return place.get();
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
