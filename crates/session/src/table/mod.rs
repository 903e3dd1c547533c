/*!
A hash table in bytes, which is the same in memory and in a saved state.

```text
order: 2 to 4 bytes each    the index of a row, sorted by the place of its hash
rows:  ROW bytes            in order of appearance; the first KEY are the hash
```

The rows of a saved state and their order stay where they were loaded, in one
allocation with other tables: see `order.rs`. New rows are in memory of their
own and have slots of their own, so that nothing that was loaded is ever copied
or indexed again. At most 3/4 of these slots are taken, and their number
doubles. Probing is linear. In a state, the new rows follow the others.

The hash of an id is fixed, so that two tables can be merged. Its place depends
on a random number of the table as well: ids that were chosen to share a place
in one table do not share it in another.
*/

mod order;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
};

use bytes::BytesMut;
use linetape::Error;

use crate::state::{
    codec::{Cursor, Saved, inconsistent},
    hash::ODD,
};

use order::Order;

/// Rows of `ROW` bytes, with an index of their hashes of `KEY` bytes.
///
/// A row whose hash is 0 is not in the index.
#[derive(Clone)]
pub(crate) struct Table<const ROW: usize, const KEY: usize = 8> {
    /// The order of the rows of the state that was loaded.
    order: Order,
    /// The rows of the state that was loaded.
    loaded: BytesMut,
    /// The rows after them.
    pushed: Vec<u8>,
    /// For the rows that were pushed: the index among these plus 1, or 0 if
    /// the slot is free.
    slots: Vec<u32>,
    /// The number of slots that are taken.
    taken: usize,
    seed: u64,
}

/// The length of what [`Table::save`] writes before the order and the rows.
const HEADER: usize = 3 * 8;

impl<const ROW: usize, const KEY: usize> Default for Table<ROW, KEY> {
    fn default() -> Table<ROW, KEY> {
        Table {
            order: Order::default(),
            loaded: BytesMut::new(),
            pushed: vec![],
            slots: vec![],
            taken: 0,
            seed: RandomState::new().hash_one(0),
        }
    }
}

impl<const ROW: usize, const KEY: usize> Table<ROW, KEY> {
    pub(crate) fn len(&self) -> usize {
        (self.loaded.len() + self.pushed.len()) / ROW
    }

    /// Returns the number of rows of the state that was loaded.
    pub(crate) fn loaded_len(&self) -> usize {
        self.loaded.len() / ROW
    }

    /// Returns the index of the first row with a hash.
    pub(crate) fn find(&self, hash: u64) -> Option<usize> {
        self.all(hash).next()
    }

    /// Returns the indexes of the rows with a hash, in order of appearance.
    #[inline]
    pub(crate) fn all(&self, hash: u64) -> impl Iterator<Item = usize> {
        let place = place(self.seed, hash);
        let loaded = self.loaded_rows();
        let with_place = self.order.from(place, |index| {
            loaded.get(index).map(|row| self.place_of(row))
        });
        let pushed = self.pushed.as_chunks::<ROW>().0;
        let slots = probe(self.slots.len(), place);
        let taken = slots.map_while(|slot| {
            let slot = self.slots.get(slot).copied()?;
            (slot as usize).checked_sub(1)
        });
        let is_same = move |row: Option<&[u8; ROW]>| {
            hash != 0 && row.is_some_and(|row| Self::hash_of(row) == hash)
        };
        let with_place =
            with_place.filter(move |index| is_same(loaded.get(*index)));
        let taken = taken.filter(move |index| is_same(pushed.get(*index)));
        with_place.chain(taken.map(|index| loaded.len() + index))
    }

    fn loaded_rows(&self) -> &[[u8; ROW]] {
        self.loaded.as_chunks().0
    }

    pub(crate) fn row(&self, index: usize) -> Option<&[u8; ROW]> {
        let loaded = self.loaded_rows();
        match index.checked_sub(loaded.len()) {
            None => loaded.get(index),
            Some(index) => self.pushed.as_chunks().0.get(index),
        }
    }

    pub(crate) fn row_mut(&mut self, index: usize) -> Option<&mut [u8; ROW]> {
        let loaded = self.loaded.as_chunks_mut().0;
        match index.checked_sub(loaded.len()) {
            None => loaded.get_mut(index),
            Some(index) => self.pushed.as_chunks_mut().0.get_mut(index),
        }
    }

    /// Returns all rows, in order of appearance.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u8; ROW]> {
        self.loaded_rows().iter().chain(self.pushed.as_chunks().0)
    }

    /// Returns the hash of a row. 0 if it is not in the index.
    fn hash_of(row: &[u8; ROW]) -> u64 {
        let hash = row.first_chunk().map_or(0, |key| u64::from_le_bytes(*key));
        hash & (u64::MAX >> (64 - 8 * KEY))
    }

    fn place_of(&self, row: &[u8; ROW]) -> u64 {
        place(self.seed, Self::hash_of(row))
    }

    /// Appends a row, and returns its index.
    pub(crate) fn push(&mut self, row: &[u8; ROW]) -> usize {
        let index = self.len();
        self.pushed.extend(row);
        if Self::hash_of(row) != 0 {
            self.taken += 1;
            if self.taken > self.slots.len() / 4 * 3 {
                self.grow();
            } else {
                let (place, at) =
                    (self.place_of(row), index - self.loaded_len());
                occupy(&mut self.slots, place, at);
            }
        }
        index
    }

    /// Doubles the slots, and indexes the rows that were pushed again.
    fn grow(&mut self) {
        let count = (self.slots.len() * 2).max(16);
        // The old ones are released first: they are not needed.
        self.slots = vec![];
        let mut slots = vec![0; count];
        let rows = self.pushed.as_chunks::<ROW>().0.iter().enumerate();
        for (index, row) in rows.filter(|(_, row)| Self::hash_of(row) != 0) {
            occupy(&mut slots, self.place_of(row), index);
        }
        self.slots = slots;
    }

    /// Returns the number of bytes that [`save`](Table::save) appends.
    pub(crate) fn saved_len(&self) -> usize {
        let indexed = self.order.len() + self.taken;
        HEADER + indexed * order::width(self.len()) + self.len() * ROW
    }

    /// Appends the table to a state.
    pub(crate) fn save(&self, to: &mut Vec<u8>) {
        let order = match self.pushed.is_empty() {
            true => None,
            false => {
                let rows = self.rows().enumerate();
                let rows = rows.filter(|(_, row)| Self::hash_of(row) != 0);
                let places = rows.map(|(at, row)| (self.place_of(row), at));
                Some(Order::of(places, self.len()))
            }
        };
        let order = order.as_ref().unwrap_or(&self.order);
        self.len().save(to);
        order.len().save(to);
        self.seed.save(to);
        to.extend_from_slice(order.bytes());
        to.extend_from_slice(&self.loaded);
        to.extend_from_slice(&self.pushed);
    }

    /// Takes a table that was [saved](Table::save), without copying it.
    pub(crate) fn load(mut saved: BytesMut) -> Result<Table<ROW, KEY>, Error> {
        let mut header = Cursor::new(&saved);
        let rows = usize::load(&mut header)?;
        let indexed = usize::load(&mut header)?;
        let seed = u64::load(&mut header)?;
        let size_of_order = indexed.checked_mul(order::width(rows));
        let length = || rows.checked_mul(ROW)?.checked_add(size_of_order?);
        let is_good = length() == Some(header.left()) && indexed <= rows;
        let Some(size_of_order) = size_of_order.filter(|_| is_good) else {
            return Err(inconsistent());
        };
        let mut loaded = saved.split_off(HEADER);
        let order = Order::load(loaded.split_to(size_of_order), rows);
        Ok(Table { order, loaded, seed, ..Table::default() })
    }
}

/// Returns the place of a hash among all numbers.
fn place(seed: u64, hash: u64) -> u64 {
    let mixed = u128::from(hash ^ seed) * u128::from(ODD);
    (mixed >> 64) as u64 ^ mixed as u64
}

/// Returns the number of `count` steps to a place.
fn scaled(place: u64, count: usize) -> usize {
    ((u128::from(place) * count as u128) >> 64) as usize
}

/// Returns the slots of a place, in the order in which they are tried.
fn probe(count: usize, place: u64) -> impl Iterator<Item = usize> {
    let first = scaled(place, count);
    (0..count).map(move |step| {
        let slot = first + step;
        if slot < count { slot } else { slot - count }
    })
}

/// Writes the index of a row to the first free slot of its place. Beyond `u32`
/// indexes, rows are no longer found.
fn occupy(slots: &mut [u32], place: u64, index: usize) {
    let Ok(taken) = u32::try_from(index + 1) else { return };
    let mut all = probe(slots.len(), place);
    let free = all.find(|slot| slots.get(*slot) == Some(&0));
    if let Some(slot) = free.and_then(|free| slots.get_mut(free)) {
        *slot = taken;
    }
}

impl<const ROW: usize, const KEY: usize> fmt::Debug for Table<ROW, KEY> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("slots", &self.slots.len())
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}
