/*!
Sorts windows of four bytes into buckets, so that few places of a log look like
a window although they are none.

A search that tests both halves of each byte apart sees one window in a bucket
of several where there is a mixture of them. How often that is so is estimated
from the bytes of logs.
*/

/// How often each byte is in logs, of ten thousand, for the first 128 bytes.
/// The others are rare.
#[rustfmt::skip]
const BYTES: [u16; 128] = [
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    799, 11, 350, 3, 1, 10, 4, 5, 65, 65, 9, 9, 135, 99, 113, 155,
    69, 79, 67, 53, 60, 48, 48, 39, 43, 42, 137, 5, 2, 47, 2, 2,
    1, 26, 16, 39, 33, 31, 27, 15, 16, 35, 9, 7, 18, 16, 20, 14,
    24, 6, 25, 50, 42, 27, 8, 17, 6, 8, 9, 13, 423, 13, 1, 58,
    17, 364, 68, 243, 195, 729, 133, 157, 134, 461, 13, 70, 238, 168, 600, 400,
    163, 12, 428, 448, 755, 158, 51, 59, 29, 59, 11, 39, 3, 39, 1, 1,
];

/// The number of buckets.
const BUCKETS: usize = 24;

/// Windows that are frequent in logs, although their bytes are not.
const FREQUENT: [&[u8; 4]; 12] = [
    b"toke", b"oken", b"auth", b"agen", b"sess", b"Name", b"Bran", b"uuid",
    b"emai", b"user", b"curl", b"test",
];

/// How many of the windows of a literal are tried.
const TRIED: usize = 4;

/// How often the frequent ones are.
const MORE: f64 = 0.001;

fn is_frequent(sets: &[Vec<u8>; 4]) -> bool {
    let has = |window: &[u8; 4]| {
        sets.iter().zip(window).all(|(set, byte)| set.contains(byte))
    };
    FREQUENT.into_iter().any(has)
}

/// Windows in buckets.
pub(crate) struct Buckets {
    /// For each byte of a window, the buckets that are possible with it.
    pub(crate) sets: Box<[[u32; 256]; 4]>,
    pub(crate) count: usize,
    /// For each literal, its bucket, and which of its windows was chosen.
    pub(crate) places: Vec<(usize, usize)>,
}

/// The low and high halves of the bytes that are possible in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Halves([(u16, u16); 4]);

impl Halves {
    fn of(sets: &[Vec<u8>; 4]) -> Halves {
        let halves = |set: &Vec<u8>| {
            set.iter().fold((0, 0), |(low, high), byte| {
                (low | 1 << (byte & 15), high | 1 << (byte >> 4))
            })
        };
        let [a, b, c, d] = sets;
        Halves([halves(a), halves(b), halves(c), halves(d)])
    }

    fn or(self, other: Halves) -> Halves {
        let mut all = self;
        for ((low, high), other) in all.0.iter_mut().zip(other.0) {
            *low |= other.0;
            *high |= other.1;
        }
        all
    }

    /// Estimates how often a place looks like this.
    fn odds(&self) -> f64 {
        let odds = self.0.iter().map(|(low, high)| {
            let rows = BYTES.chunks_exact(16).enumerate();
            let rows = rows.filter(|(at, _)| high >> at & 1 == 1);
            let sum = |row: &[u16]| {
                let bytes = row.iter().enumerate();
                let bytes = bytes.filter(|(at, _)| low >> at & 1 == 1);
                bytes.map(|(_, often)| u32::from(*often)).sum::<u32>()
            };
            let sum: u32 = rows.map(|(_, row)| sum(row)).sum();
            f64::from(sum + 1) / 10_000.0
        });
        odds.product()
    }
}

impl Buckets {
    /// Makes buckets from the windows of each literal, of which one is chosen.
    pub(crate) fn of(literals: Vec<Vec<[Vec<u8>; 4]>>) -> Buckets {
        let mut all: Vec<(usize, Vec<(usize, Halves, f64)>)> = vec![];
        for (literal, windows) in literals.iter().enumerate() {
            let halves = windows.iter().map(Halves::of).enumerate();
            let mut windows: Vec<_> = halves
                .map(|(at, halves)| (at, halves, halves.odds()))
                .collect();
            windows.sort_by(|one, other| one.2.total_cmp(&other.2));
            windows.truncate(TRIED);
            all.push((literal, windows));
        }
        // The frequent ones first: each should have a bucket of its own.
        let odds = |windows: &[(usize, Halves, f64)]| {
            windows.first().map_or(0.0, |(.., odds)| *odds)
        };
        all.sort_by(|(_, one), (_, other)| odds(other).total_cmp(&odds(one)));
        let mut buckets: Vec<(Halves, f64)> = vec![];
        let mut places = vec![(0, 0); literals.len()];
        for (literal, windows) in all {
            // The cost, the bucket, its new content, and the window.
            let mut best: Option<(f64, usize, Halves, usize)> = None;
            let mut try_it = |cost: f64, bucket, halves, at| {
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, bucket, halves, at));
                }
            };
            for (at, halves, odds) in windows {
                if buckets.len() < BUCKETS {
                    try_it(odds, buckets.len(), halves, at);
                }
                for (number, (own, before)) in buckets.iter().enumerate() {
                    let both = own.or(halves);
                    // What is frequent costs the same in every bucket.
                    let more = odds - halves.odds();
                    let cost = match both == *own {
                        true => more,
                        false => both.odds() - before + more,
                    };
                    try_it(cost, number, both, at);
                }
            }
            let Some((_, bucket, halves, at)) = best else { continue };
            let content = (halves, halves.odds());
            match buckets.get_mut(bucket) {
                Some(own) => *own = content,
                None => buckets.push(content),
            }
            if let Some(place) = places.get_mut(literal) {
                *place = (bucket, at);
            }
        }
        let mut sets = Box::new([[0; 256]; 4]);
        for (windows, (bucket, at)) in literals.iter().zip(&places) {
            let Some(window) = windows.get(*at) else { continue };
            for (set, bytes) in sets.iter_mut().zip(window) {
                for byte in bytes {
                    if let Some(buckets) = set.get_mut(usize::from(*byte)) {
                        *buckets |= 1_u32 << bucket;
                    }
                }
            }
        }
        Buckets { sets, count: buckets.len(), places }
    }
}
