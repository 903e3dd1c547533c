/*!
The bytes of a row of [`Rows`](super::rows::Rows): 24 for each message.

| bits | content |
|---|---|
| 0..48 | the group of the message's [`Key`], or 0 if it has no ids |
| 48..80 | the rest of the key |
| 80..101 | the index of its class, plus 1; 0 if no line reports usage; the largest number if the message is wide |
| 101..128 | the time in milliseconds since the start of the day, which the class has |
| 128..132 | the shape of the counts: one of [`SHAPES`] |
| 132..192 | the counts: tokens of the input, of the output, written to the cache, read from the cache, and the length of the text |

A wide message has an index in place of the counts.
*/

use crate::usage::key::Key;

/// The length of a row.
pub(crate) const ROW: usize = 24;

pub(crate) type Row = [u8; ROW];

/// The milliseconds of a day.
pub(crate) const DAY: i64 = 86_400_000;

/// The counts of a row.
pub(crate) type Counts = [u64; 5];

/// The bits of each count. Most messages have few tokens of input beside the
/// cache. The text is measured if there are few tokens of output.
const SHAPES: [[u8; 5]; 16] = [
    [4, 11, 14, 18, 13],
    [4, 8, 17, 18, 13],
    [4, 14, 11, 18, 13],
    [4, 9, 14, 20, 13],
    [3, 7, 17, 20, 13],
    [12, 7, 10, 18, 13],
    [4, 7, 16, 18, 15],
    [4, 10, 10, 20, 16],
    [19, 7, 3, 18, 13],
    [20, 7, 20, 0, 13],
    [6, 16, 18, 20, 0],
    [20, 16, 4, 20, 0],
    [14, 14, 14, 18, 0],
    [2, 17, 20, 21, 0],
    [20, 20, 20, 0, 0],
    [0, 24, 0, 24, 12],
];

/// The bits of the index of a class.
const CLASS: u32 = 21;

/// What a wide message has in place of the index of a class.
const WIDE: u64 = (1 << CLASS) - 1;

/// The number of classes that rows can have.
pub(crate) const CLASSES: usize = WIDE as usize - 1;

/// What a row says of the usage of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    /// No line reports any.
    None,
    /// The index of a wide message.
    Wide(usize),
    Narrow {
        class: usize,
        /// In milliseconds since the start of the day.
        time: u32,
        counts: Counts,
    },
}

/// Returns the row of a message. `None` if its counts do not fit.
pub(crate) fn pack(key: Key, usage: Usage) -> Option<Row> {
    let (class, time, counts) = match usage {
        Usage::None => (0, 0, 0),
        Usage::Wide(index) => (WIDE, 0, index as u64),
        Usage::Narrow { class, time, counts } => {
            (class as u64 + 1, u64::from(time), pack_counts(&counts)?)
        }
    };
    let (low, high) = (u64::from(key.rest & 0xFFFF), key.rest >> 16);
    let words = [
        key.group | low << 48,
        u64::from(high) | class << 16 | time << (16 + CLASS),
        counts,
    ];
    let mut row = [0; ROW];
    let (places, _) = row.as_chunks_mut();
    for (place, word) in places.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
    Some(row)
}

#[inline]
fn words(row: &Row) -> [u64; 3] {
    let mut words = [0; 3];
    let (from, _) = row.as_chunks();
    for (word, bytes) in words.iter_mut().zip(from) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

pub(crate) fn key(row: &Row) -> Key {
    let [first, second, _] = words(row);
    let rest = (first >> 48) as u32 | (second as u32 & 0xFFFF) << 16;
    Key { group: first & ((1 << 48) - 1), rest }
}

#[inline]
pub(crate) fn usage(row: &Row) -> Usage {
    let [_, second, counts] = words(row);
    match second >> 16 & WIDE {
        0 => Usage::None,
        WIDE => Usage::Wide(counts as usize),
        class => Usage::Narrow {
            class: class as usize - 1,
            time: (second >> (16 + CLASS)) as u32,
            counts: unpack_counts(counts),
        },
    }
}

/// Returns the counts in the first shape that they fit into.
fn pack_counts(counts: &Counts) -> Option<u64> {
    let fits = |shape: &[u8; 5]| {
        counts.iter().zip(shape).all(|(count, bits)| count >> bits == 0)
    };
    let at = SHAPES.iter().position(fits)?;
    let (mut packed, mut start) = (at as u64, 4);
    for (count, bits) in counts.iter().zip(SHAPES.get(at)?) {
        // A count of no bits may start at the end.
        packed |= count.checked_shl(start).unwrap_or(0);
        start += u32::from(*bits);
    }
    Some(packed)
}

/// Where each count of a shape begins, and the bits that it has there.
#[derive(Clone, Copy)]
struct Place {
    start: u64,
    mask: u64,
}

/// The places of the counts of each shape. They are computed once, since all
/// rows are read for a report.
static PLACES: [[Place; 5]; 16] = {
    let mut places = [[Place { start: 0, mask: 0 }; 5]; 16];
    let (mut shapes, mut left) = (SHAPES.as_slice(), places.as_mut_slice());
    while let ([shape, more_shapes @ ..], [to, more @ ..]) = (shapes, left) {
        let (mut bits, mut counts) = (shape.as_slice(), to.as_mut_slice());
        let mut start = 4;
        while let ([width, rest @ ..], [place, others @ ..]) = (bits, counts) {
            let mask = (1 << *width) - 1;
            // A count of no bits may start at the end.
            *place = Place { start: start & 63, mask };
            start += *width as u64;
            (bits, counts) = (rest, others);
        }
        (shapes, left) = (more_shapes, more);
    }
    places
};

#[inline]
fn unpack_counts(packed: u64) -> Counts {
    let Some([a, b, c, d, e]) = PLACES.get(packed as usize & 15) else {
        return [0; 5];
    };
    let count = |place: &Place| packed >> (place.start & 63) & place.mask;
    [count(a), count(b), count(c), count(d), count(e)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shape_fills_the_row() {
        for shape in SHAPES {
            let bits: u8 = shape.iter().sum();
            assert_eq!(bits, 60, "{shape:?}");
        }
    }

    /// The largest counts of each shape, and one more in each place.
    #[test]
    fn what_is_packed_is_unpacked() {
        let key = Key { group: 0x1234_5678_9abc, rest: 0xdef0_1234 };
        let (class, time) = (CLASSES - 1, DAY as u32 - 1);
        let again = |usage| {
            let row = pack(key, usage)?;
            assert_eq!(super::key(&row), key);
            Some(super::usage(&row))
        };
        for shape in SHAPES {
            let most = shape.map(|bits| (1 << bits) - 1);
            let mut cases = vec![most, [0; 5]];
            cases.extend((0..5).map(|at| {
                let mut more = most;
                more[at] += 1;
                more
            }));
            for counts in cases {
                let usage = Usage::Narrow { class, time, counts };
                // One more may fit into another shape.
                let found = again(usage);
                assert!(found.is_none() || found == Some(usage), "{counts:?}");
                assert!(found.is_some() || counts != most, "{counts:?}");
            }
        }
        for usage in [Usage::None, Usage::Wide(0), Usage::Wide(usize::MAX)] {
            assert_eq!(again(usage), Some(usage));
        }
    }
}
