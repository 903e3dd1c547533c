/*!
The order of the rows of a saved table.

```text
index of a row: 2, 3 or 4 bytes, as many as the number of rows needs
```

The indexes are sorted by the place of the hash of their row, and those of one
place by themselves. Places are spread evenly, so that of a hash is known but for
a few steps: a search reads about eight rows. Unlike slots, of which some must be
free, the order takes no more than one index for each row. It does not change: rows
that are pushed later are not in it.
*/

use bytes::BytesMut;

use super::scaled;

/// How often a search is continued from where the hash should be.
const GUESSES: usize = 3;

/// The indexes of rows, sorted by the places of their hashes.
#[derive(Clone, Default)]
pub(super) struct Order {
    bytes: BytesMut,
    width: usize,
    len: usize,
}

/// Returns the number of bytes of an index of that many rows.
pub(super) fn width(rows: usize) -> usize {
    match rows {
        0..=0x1_0000 => 2,
        0x1_0001..=0x100_0000 => 3,
        _ => 4,
    }
}

impl Order {
    /// Returns the order of rows, given their places and indexes.
    pub(super) fn of(
        rows: impl Iterator<Item = (u64, usize)>,
        count: usize,
    ) -> Order {
        // Beyond `u32` indexes, rows are not found.
        let rows = rows.map(|(place, at)| (place, at as u32));
        let mut sorted: Vec<(u64, u32)> = rows.collect();
        sorted.sort_unstable();
        let width = width(count);
        let mut bytes = BytesMut::with_capacity(sorted.len() * width);
        for (_, index) in sorted {
            let index = index.to_le_bytes();
            bytes.extend_from_slice(index.get(..width).unwrap_or(&index));
        }
        Order::load(bytes, count)
    }

    /// Takes an order of that many rows.
    pub(super) fn load(bytes: BytesMut, rows: usize) -> Order {
        let width = width(rows);
        let len = bytes.len() / width;
        Order { bytes, width, len }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn get(&self, at: usize) -> Option<usize> {
        let start = at.checked_mul(self.width)?;
        let from = self.bytes.get(start..start + self.width)?;
        let mut index = [0; 4];
        index.get_mut(..self.width)?.copy_from_slice(from);
        Some(u32::from_le_bytes(index) as usize)
    }

    /// Returns the indexes of the rows at a place. `place_of` returns the
    /// place of a row.
    #[inline]
    pub(super) fn from(
        &self,
        place: u64,
        place_of: impl Fn(usize) -> Option<u64>,
    ) -> impl Iterator<Item = usize> {
        let start = match self.len {
            0 => 0,
            _ => self.search(place, &place_of),
        };
        (start..self.len).map_while(move |at| {
            let index = self.get(at)?;
            (place_of(index) == Some(place)).then_some(index)
        })
    }

    /// Returns the first position whose row is not before a place.
    fn search(
        &self,
        place: u64,
        place_of: impl Fn(usize) -> Option<u64>,
    ) -> usize {
        let place_at = |at| self.get(at).and_then(&place_of);
        let is_before = |at| place_at(at).is_some_and(|found| found < place);
        let last = self.len.saturating_sub(1);
        let mut at = scaled(place, self.len);
        for _ in 0..GUESSES {
            let Some(found) = place_at(at) else { break };
            let steps = scaled(found.abs_diff(place), self.len);
            at = match found < place {
                true => (at + steps).min(last),
                false => at.saturating_sub(steps),
            };
        }

        // All positions before `low` are before the place, and none from
        // `high` on is.
        let (mut low, mut high, mut step) = (0, self.len, 1);
        if is_before(at) {
            low = at + 1;
            while low + step < high {
                if !is_before(low + step) {
                    high = low + step;
                    break;
                }
                low += step + 1;
                step *= 2;
            }
        } else {
            high = at;
            while let Some(lower) = high.checked_sub(step) {
                if is_before(lower) {
                    low = lower + 1;
                    break;
                }
                high = lower;
                step *= 2;
            }
        }
        while low < high {
            let middle = low.midpoint(high);
            match is_before(middle) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}
