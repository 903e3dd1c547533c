/*!
A hash table in bytes, which is the same in memory and in a saved state.

```text
slots: u32 each     index of a row plus 1, or 0 if the slot is free
rows:  ROW bytes    in order of appearance; the first eight are the hash
```

In memory, at most 3/4 of the slots are taken, and their number doubles. In a
state, 4/5 are taken, so that a row has five bytes of slots instead of up to eleven:
reading a state costs as much as it has bytes. A table that was loaded doubles
its slots when 9/10 are taken. Probing is linear. The rows of a saved state stay
where they were loaded, in one allocation with other tables. New rows are in
memory of their own, so that nothing that was loaded is ever copied; in a state,
they follow the others.

The hash of an id is fixed, so that two tables can be merged. Its place depends
on a random number of the table as well: ids that were chosen to share a place
in one table do not share it in another.
*/

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

/// Rows of `ROW` bytes, with an index of their hashes.
///
/// A row whose hash is 0 is not in the index.
#[derive(Clone)]
pub(crate) struct Table<const ROW: usize> {
    slots: BytesMut,
    /// The rows of the state that was loaded.
    loaded: BytesMut,
    /// The rows after them.
    pushed: Vec<u8>,
    /// The number of rows in the index.
    indexed: usize,
    /// The number of rows in the index beyond which there are more slots.
    room: usize,
    seed: u64,
}

/// The bytes of one slot.
const SLOT: usize = 4;

/// The length of what [`Table::save`] writes before slots and rows.
const HEADER: usize = 4 * 8;

impl<const ROW: usize> Default for Table<ROW> {
    fn default() -> Table<ROW> {
        Table {
            slots: BytesMut::new(),
            loaded: BytesMut::new(),
            pushed: vec![],
            indexed: 0,
            room: 0,
            seed: RandomState::new().hash_one(0),
        }
    }
}

impl<const ROW: usize> Table<ROW> {
    pub(crate) fn len(&self) -> usize {
        (self.loaded.len() + self.pushed.len()) / ROW
    }

    /// Returns the index of the row with a hash.
    pub(crate) fn find(&self, hash: u64) -> Option<usize> {
        if hash == 0 {
            return None;
        }
        self.probe(hash).find_map(|slot| match self.slot(slot) {
            0 => Some(None),
            taken => {
                let index = taken as usize - 1;
                (self.hash(index) == Some(hash)).then_some(Some(index))
            }
        })?
    }

    pub(crate) fn row(&self, index: usize) -> Option<&[u8; ROW]> {
        let loaded = self.loaded.as_chunks().0;
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
        let loaded = self.loaded.as_chunks().0;
        loaded.iter().chain(self.pushed.as_chunks().0)
    }

    /// Returns the hash of a row. 0 if it is not in the index.
    pub(crate) fn hash(&self, index: usize) -> Option<u64> {
        self.row(index).map(hash_of)
    }

    /// Appends a row, and returns its index. The caller has made sure that no
    /// other row has its hash.
    pub(crate) fn push(&mut self, row: &[u8; ROW]) -> usize {
        let (index, hash) = (self.len(), hash_of(row));
        self.pushed.extend(row);
        if hash != 0 {
            self.indexed += 1;
            if self.indexed > self.room {
                self.grow();
            } else {
                occupy(&mut self.slots, self.seed, hash, index);
            }
        }
        index
    }

    /// Doubles the slots, and indexes all rows again.
    fn grow(&mut self) {
        let slots = (self.slot_count() * 2).max(16);
        // The old ones are released first: they are not needed.
        self.slots = BytesMut::new();
        self.slots = self.index(slots);
        self.room = slots / 4 * 3;
    }

    /// Returns slots with the indexes of all rows.
    fn index(&self, count: usize) -> BytesMut {
        let mut slots = BytesMut::new();
        slots.resize(count * SLOT, 0);
        for index in 0..self.len() {
            if let Some(hash) = self.hash(index).filter(|hash| *hash != 0) {
                occupy(&mut slots, self.seed, hash, index);
            }
        }
        slots
    }

    /// Returns the slots of a hash, in the order in which they are tried.
    fn probe(&self, hash: u64) -> impl Iterator<Item = usize> + use<ROW> {
        probe(self.slot_count(), self.seed, hash)
    }

    fn slot_count(&self) -> usize {
        self.slots.len() / SLOT
    }

    fn slot(&self, slot: usize) -> u32 {
        slot_at(&self.slots, slot)
    }

    /// Returns the number of slots in a state, of which 4/5 are taken.
    fn saved_slots(&self) -> usize {
        match self.indexed {
            0 => 0,
            indexed => indexed + indexed / 4 + 1,
        }
    }

    /// Returns the number of bytes that [`save`](Table::save) appends.
    pub(crate) fn saved_len(&self) -> usize {
        HEADER + self.saved_slots() * SLOT + self.len() * ROW
    }

    /// Appends the table to a state.
    pub(crate) fn save(&self, to: &mut Vec<u8>) {
        let slots = self.saved_slots();
        slots.save(to);
        self.len().save(to);
        self.indexed.save(to);
        self.seed.save(to);
        match slots == self.slot_count() {
            true => to.extend_from_slice(&self.slots),
            false => to.extend_from_slice(&self.index(slots)),
        }
        to.extend_from_slice(&self.loaded);
        to.extend_from_slice(&self.pushed);
    }

    /// Takes a table that was [saved](Table::save), without copying it.
    pub(crate) fn load(mut saved: BytesMut) -> Result<Table<ROW>, Error> {
        let mut header = Cursor::new(&saved);
        let slots = usize::load(&mut header)?;
        let rows = usize::load(&mut header)?;
        let indexed = usize::load(&mut header)?;
        let seed = u64::load(&mut header)?;
        let size_of_slots = slots.checked_mul(SLOT);
        let length = || rows.checked_mul(ROW)?.checked_add(size_of_slots?);
        let room = slots - slots.div_ceil(10);
        let is_good = length() == Some(header.left())
            && indexed <= room
            && indexed <= rows;
        let Some(size_of_slots) = size_of_slots.filter(|_| is_good) else {
            return Err(inconsistent());
        };
        let mut loaded = saved.split_off(HEADER);
        let slots = loaded.split_to(size_of_slots);
        Ok(Table { slots, loaded, pushed: vec![], indexed, room, seed })
    }
}

/// Returns the slots of a hash, in the order in which they are tried.
fn probe(count: usize, seed: u64, hash: u64) -> impl Iterator<Item = usize> {
    let mixed = u128::from(hash ^ seed) * u128::from(ODD);
    let mixed = (mixed >> 64) as u64 ^ mixed as u64;
    // The number of slots need not be a power of two.
    let first = ((u128::from(mixed) * count as u128) >> 64) as usize;
    (0..count).map(move |step| {
        let slot = first + step;
        if slot < count { slot } else { slot - count }
    })
}

fn slot_at(slots: &[u8], slot: usize) -> u32 {
    let slots = slots.as_chunks::<SLOT>().0;
    slots.get(slot).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Writes the index of a row to the first free slot of its hash. Beyond `u32`
/// indexes, rows are no longer found.
fn occupy(slots: &mut [u8], seed: u64, hash: u64, index: usize) {
    let Ok(taken) = u32::try_from(index + 1) else { return };
    let mut all = probe(slots.len() / SLOT, seed, hash);
    let free = all.find(|slot| slot_at(slots, *slot) == 0);
    let slots = slots.as_chunks_mut::<SLOT>().0;
    if let Some(slot) = free.and_then(|free| slots.get_mut(free)) {
        *slot = taken.to_le_bytes();
    }
}

fn hash_of<const ROW: usize>(row: &[u8; ROW]) -> u64 {
    row.first_chunk().map_or(0, |hash| u64::from_le_bytes(*hash))
}

impl<const ROW: usize> fmt::Debug for Table<ROW> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("slots", &self.slot_count())
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn row(hash: u64, payload: u32) -> [u8; 12] {
        let mut row = [0; 12];
        row[..8].copy_from_slice(&hash.to_le_bytes());
        row[8..].copy_from_slice(&payload.to_le_bytes());
        row
    }

    fn saved(table: &Table<12>) -> Vec<u8> {
        let mut state = vec![];
        table.save(&mut state);
        assert_eq!(state.len(), table.saved_len());
        state
    }

    fn load<const ROW: usize>(state: &[u8]) -> Result<Table<ROW>, Error> {
        Table::load(BytesMut::from(state))
    }

    /// Hashes that share their low bits, as if an adversary had chosen them,
    /// and rows without a hash.
    #[test]
    fn rows_are_found_by_hash_after_any_number_of_others() {
        let mut table = Table::<12>::default();
        let mut expected = HashMap::new();
        for n in 0..2000_u64 {
            let hash = if n % 7 == 0 { 0 } else { n << 32 };
            let index = table.push(&row(hash, n as u32));
            assert_eq!(index as u64, n);
            if hash != 0 {
                expected.insert(hash, index);
            }
            if n % 100 == 0 {
                table = load(&saved(&table)).unwrap();
            }
        }
        assert_eq!((table.len(), table.find(0)), (2000, None));
        for (hash, index) in expected {
            assert_eq!(table.find(hash), Some(index), "{hash}");
            assert_eq!(table.find(hash + 1), None, "{hash}");
            assert_eq!(table.row(index), Some(&row(hash, index as u32)));
        }
        assert_eq!(table.rows().count(), 2000);
        assert_eq!(table.row(2000), None);
    }

    /// A state had up to eleven bytes of slots for a row. A table that was
    /// loaded takes as many more rows as a state has additions (1/16), before
    /// all are indexed again.
    #[test]
    fn a_saved_table_has_five_bytes_of_slots_for_a_row() {
        for count in [1, 12, 13, 1000, 1025, 5000] {
            let mut table = Table::<12>::default();
            (1..=count).for_each(|n| _ = table.push(&row(n, 0)));
            let slots = table.saved_len() - HEADER - 12 * count as usize;
            let most = 5 * count + 8;
            assert!(slots as u64 <= most, "{count}: {slots}");
            let mut loaded: Table<12> = load(&saved(&table)).unwrap();
            let before = loaded.slot_count();
            for n in count + 1..=count + count / 16 {
                assert_eq!(loaded.find(n), None);
                loaded.push(&row(n, 0));
            }
            assert_eq!(loaded.slot_count(), before, "{count}");
            for n in 1..=count + count / 16 {
                assert_eq!(loaded.find(n), Some(n as usize - 1));
            }
            // The next state has room again.
            let again: Table<12> = load(&saved(&loaded)).unwrap();
            let share = again.indexed as f64 / again.slot_count() as f64;
            assert!(share <= 0.8, "{count}: {share}");
        }
    }

    #[test]
    fn a_header_that_contradicts_the_rows_is_refused() {
        let mut table = Table::<12>::default();
        (1..30).for_each(|n| _ = table.push(&row(n, 0)));
        let good = saved(&table);
        assert!(load::<12>(&good).is_ok());
        assert!(load::<12>(&good[1..]).is_err());
        assert!(load::<16>(&good).is_err());
        assert!(load::<12>(&good[..good.len() - 1]).is_err());
        assert!(load::<12>(&[]).is_err());
        for field in 0..3 {
            for value in [1, 3, 64, u64::MAX] {
                let mut bad = good.clone();
                let at = 8 * field;
                bad[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
                if bad != good && !(field == 2 && value < 64) {
                    let table = load::<12>(&bad);
                    assert!(table.is_err(), "{field} {value}");
                }
            }
        }
    }
}
