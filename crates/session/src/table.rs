/*!
A hash table in bytes, which is the same in memory and in a saved state.

```text
slots: u32 each     index of a row plus 1, or 0 if the slot is free
rows:  ROW bytes    in order of appearance; the first eight are the hash
```

The number of slots is a power of two, and at most 3/4 of them are taken.
Probing is linear. New rows are appended. When the slots are doubled, they
leave the rows, which stay where they are: copies of long tables would leave
holes in memory.

The hash of an id is fixed, so that two tables can be merged. Its place depends
on a random number of the table as well: ids that were chosen to share a place
in one table do not share it in another.
*/

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
};

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
    /// The rows, from `start` on.
    bytes: Vec<u8>,
    start: usize,
    /// The slots. As long as it is empty, they are before the rows.
    index: Vec<u32>,
    /// The number of slots: 0, or a power of two.
    slots: usize,
    rows: usize,
    /// The number of rows in the index.
    indexed: usize,
    seed: u64,
}

/// The bytes of one slot.
const SLOT: usize = 4;

/// The length of what [`Table::save`] writes before slots and rows.
const HEADER: usize = 4 * 8;

impl<const ROW: usize> Default for Table<ROW> {
    fn default() -> Table<ROW> {
        Table {
            bytes: vec![],
            start: 0,
            index: vec![],
            slots: 0,
            rows: 0,
            indexed: 0,
            seed: RandomState::new().hash_one(0),
        }
    }
}

impl<const ROW: usize> Table<ROW> {
    pub(crate) fn len(&self) -> usize {
        self.rows
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
        let at = self.start.checked_add(index.checked_mul(ROW)?)?;
        self.bytes.get(at..)?.first_chunk()
    }

    pub(crate) fn row_mut(&mut self, index: usize) -> Option<&mut [u8; ROW]> {
        let at = self.start.checked_add(index.checked_mul(ROW)?)?;
        self.bytes.get_mut(at..)?.first_chunk_mut()
    }

    /// Returns all rows, in order of appearance.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u8; ROW]> {
        let rows = self.bytes.get(self.start..).unwrap_or_default();
        rows.as_chunks().0.iter()
    }

    /// Returns the hash of a row. 0 if it is not in the index.
    pub(crate) fn hash(&self, index: usize) -> Option<u64> {
        self.row(index).map(hash_of)
    }

    /// Appends a row, and returns its index. The caller has made sure that no
    /// other row has its hash.
    pub(crate) fn push(&mut self, row: &[u8; ROW]) -> usize {
        let (index, hash) = (self.rows, hash_of(row));
        self.bytes.extend(row);
        self.rows += 1;
        if hash != 0 {
            self.indexed += 1;
            if self.indexed > self.slots / 4 * 3 {
                self.grow();
            } else {
                self.occupy(hash, index);
            }
        }
        index
    }

    /// Doubles the slots, and indexes all rows again.
    fn grow(&mut self) {
        self.slots = (self.slots * 2).max(16);
        // The old ones are not needed: all rows are indexed again.
        self.index = Vec::new();
        self.index.resize(self.slots, 0);
        for index in 0..self.rows {
            if let Some(hash) = self.hash(index).filter(|hash| *hash != 0) {
                self.occupy(hash, index);
            }
        }
    }

    /// Writes the index of a row to the first free slot of its hash. Beyond
    /// `u32` indexes, rows are no longer found.
    fn occupy(&mut self, hash: u64, index: usize) {
        let Ok(taken) = u32::try_from(index + 1) else { return };
        let free = self.probe(hash).find(|slot| self.slot(*slot) == 0);
        let Some(free) = free else { return };
        if let Some(slot) = self.index.get_mut(free) {
            *slot = taken;
            return;
        }
        let at = self.saved_slots() + free * SLOT;
        let slot = self.bytes.get_mut(at..);
        if let Some(slot) = slot.and_then(<[u8]>::first_chunk_mut) {
            *slot = taken.to_le_bytes();
        }
    }

    /// Returns the slots of a hash, in the order in which they are tried.
    fn probe(&self, hash: u64) -> impl Iterator<Item = usize> + use<ROW> {
        let mixed = u128::from(hash ^ self.seed) * u128::from(ODD);
        let first = (mixed >> 64) as usize ^ mixed as usize;
        let mask = self.slots.wrapping_sub(1);
        (0..self.slots).map(move |step| first.wrapping_add(step) & mask)
    }

    fn slot(&self, slot: usize) -> u32 {
        if let Some(slot) = self.index.get(slot) {
            return *slot;
        }
        let at = self.saved_slots() + slot * SLOT;
        let bytes = self.bytes.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Returns where the slots of a saved state are, before the rows.
    fn saved_slots(&self) -> usize {
        self.start.saturating_sub(self.slots * SLOT)
    }

    /// Returns the number of bytes that [`save`](Table::save) appends.
    pub(crate) fn saved_len(&self) -> usize {
        HEADER + self.slots * SLOT + self.bytes.len() - self.start
    }

    /// Appends the table to a state.
    pub(crate) fn save(&self, to: &mut Vec<u8>) {
        self.slots.save(to);
        self.rows.save(to);
        self.indexed.save(to);
        self.seed.save(to);
        for slot in &self.index {
            to.extend(slot.to_le_bytes());
        }
        let start = match self.index.is_empty() {
            true => self.saved_slots(),
            false => self.start,
        };
        to.extend_from_slice(self.bytes.get(start..).unwrap_or_default());
    }

    /// Takes a table from `start` to the end of `bytes`, without copying it.
    pub(crate) fn load(
        bytes: Vec<u8>,
        start: usize,
    ) -> Result<Table<ROW>, Error> {
        let saved = bytes.get(start..).unwrap_or_default();
        let mut header = Cursor::new(saved);
        let slots = usize::load(&mut header)?;
        let rows = usize::load(&mut header)?;
        let indexed = usize::load(&mut header)?;
        let seed = u64::load(&mut header)?;
        let length = || {
            let slots = slots.checked_mul(SLOT)?;
            rows.checked_mul(ROW)?.checked_add(slots)
        };
        let is_good = length() == Some(header.left())
            && (slots == 0 || slots.is_power_of_two())
            && indexed <= slots / 4 * 3
            && indexed <= rows;
        if !is_good {
            return Err(inconsistent());
        }
        let start = start + HEADER + slots * SLOT;
        let index = vec![];
        Ok(Table { bytes, start, index, slots, rows, indexed, seed })
    }
}

fn hash_of<const ROW: usize>(row: &[u8; ROW]) -> u64 {
    row.first_chunk().map_or(0, |hash| u64::from_le_bytes(*hash))
}

impl<const ROW: usize> fmt::Debug for Table<ROW> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("slots", &self.slots)
            .field("rows", &self.rows)
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
        let mut state = vec![7; 5];
        table.save(&mut state);
        assert_eq!(state.len(), 5 + table.saved_len());
        state
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
                table = Table::load(saved(&table), 5).unwrap();
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

    #[test]
    fn a_header_that_contradicts_the_rows_is_refused() {
        let mut table = Table::<12>::default();
        (1..30).for_each(|n| _ = table.push(&row(n, 0)));
        let good = saved(&table);
        assert!(Table::<12>::load(good.clone(), 5).is_ok());
        assert!(Table::<12>::load(good.clone(), 6).is_err());
        assert!(Table::<16>::load(good.clone(), 5).is_err());
        assert!(Table::<12>::load(good[..good.len() - 1].into(), 5).is_err());
        assert!(Table::<12>::load(vec![], 5).is_err());
        for field in 0..3 {
            for value in [1, 3, 64, u64::MAX] {
                let mut bad = good.clone();
                let at = 5 + 8 * field;
                bad[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
                if bad != good && !(field == 2 && value < 64) {
                    let table = Table::<12>::load(bad, 5);
                    assert!(table.is_err(), "{field} {value}");
                }
            }
        }
    }
}
