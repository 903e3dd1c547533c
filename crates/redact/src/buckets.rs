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
const BUCKETS: usize = 32;

/// Windows that are frequent in logs, although their bytes are not.
const FREQUENT: [&[u8; 4]; 14] = [
    b"toke", b"oken", b"auth", b"agen", b"sess", b"Name", b"Bran", b"uuid",
    b"emai", b"user", b"curl", b"test", b"gent", b"thor",
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
    fn odds(&self, sums: &Sums) -> f64 {
        let odds = self
            .0
            .iter()
            .map(|halves| f64::from(sums.of(*halves) + 1) / 10_000.0);
        odds.product()
    }
}

/// Sums of [`BYTES`]: for each high half, for the low ones that are possible,
/// eight at a time.
struct Sums(Vec<[[u16; 256]; 2]>);

impl Sums {
    fn new() -> Sums {
        let sum = |bytes: &[u16], mask: usize| {
            let bytes = bytes.iter().enumerate();
            let bytes = bytes.filter(|(at, _)| mask >> at & 1 == 1);
            bytes.map(|(_, often)| *often).sum()
        };
        let rows = BYTES.chunks_exact(16).map(|row| {
            let (one, other) = row.split_at(8);
            [one, other].map(|bytes| {
                let mut sums = [0; 256];
                for (mask, place) in sums.iter_mut().enumerate() {
                    *place = sum(bytes, mask);
                }
                sums
            })
        });
        Sums(rows.collect())
    }

    fn of(&self, (low, high): (u16, u16)) -> u32 {
        let [one, other] = low.to_le_bytes().map(usize::from);
        let rows = self.0.iter().enumerate();
        let rows = rows.filter(|(at, _)| high >> at & 1 == 1);
        let sums = rows.flat_map(|(_, [first, second])| {
            [first.get(one), second.get(other)].into_iter().flatten()
        });
        sums.map(|often| u32::from(*often)).sum()
    }
}

/// A window of a literal.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// Which of its windows.
    at: usize,
    halves: Halves,
    /// What it costs in any bucket.
    more: f64,
}

/// A bucket: the windows in it, by literal.
#[derive(Clone, Debug, Default)]
struct Bucket {
    windows: Vec<(usize, Choice)>,
    halves: Halves,
    odds: f64,
}

impl Bucket {
    fn set(&mut self, windows: Vec<(usize, Choice)>, sums: &Sums) {
        let all = windows.iter().map(|(_, choice)| choice.halves);
        self.halves = all.fold(Halves::default(), Halves::or);
        self.odds = match windows.is_empty() {
            true => 0.0,
            false => self.halves.odds(sums),
        };
        self.windows = windows;
    }
}

impl Buckets {
    /// Makes buckets from the windows of each literal, of which one is chosen.
    pub(crate) fn of(literals: Vec<Vec<[Vec<u8>; 4]>>) -> Buckets {
        let sums = Sums::new();
        let mut all: Vec<(f64, usize, Vec<Choice>)> = vec![];
        for (literal, windows) in literals.iter().enumerate() {
            let choice = |(at, sets)| {
                let more = if is_frequent(sets) { MORE } else { 0.0 };
                let choice = Choice { at, halves: Halves::of(sets), more };
                (choice.halves.odds(&sums) + more, choice)
            };
            let mut choices: Vec<(f64, Choice)> =
                windows.iter().enumerate().map(choice).collect();
            choices.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            choices.truncate(TRIED);
            let odds = choices.first().map_or(0.0, |(odds, _)| *odds);
            let choices = choices.into_iter().map(|(_, choice)| choice);
            all.push((odds, literal, choices.collect()));
        }
        // The frequent ones first: each should have a bucket of its own.
        all.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
        let mut buckets = vec![Bucket::default(); BUCKETS];
        for (_, literal, choices) in &all {
            add(*literal, choices, &mut buckets, &sums);
        }
        // Again, now that the others are known.
        for (_, literal, choices) in &all {
            for bucket in &mut buckets {
                let mut windows = bucket.windows.clone();
                windows.retain(|(other, _)| other != literal);
                if windows.len() < bucket.windows.len() {
                    bucket.set(windows, &sums);
                }
            }
            add(*literal, choices, &mut buckets, &sums);
        }
        let mut places = vec![(0, 0); literals.len()];
        let mut sets = Box::new([[0; 256]; 4]);
        for (number, bucket) in buckets.iter().enumerate() {
            for (literal, choice) in &bucket.windows {
                if let Some(place) = places.get_mut(*literal) {
                    *place = (number, choice.at);
                }
                let windows = literals.get(*literal);
                let window = windows.and_then(|all| all.get(choice.at));
                for (set, bytes) in
                    sets.iter_mut().zip(window.into_iter().flatten())
                {
                    for byte in bytes {
                        if let Some(buckets) = set.get_mut(usize::from(*byte))
                        {
                            *buckets |= 1_u32 << number;
                        }
                    }
                }
            }
        }
        Buckets { sets, count: buckets.len(), places }
    }
}

/// Adds a literal to the bucket in which it costs least.
fn add(
    literal: usize,
    choices: &[Choice],
    buckets: &mut [Bucket],
    sums: &Sums,
) {
    let mut best: Option<(f64, &mut Bucket, Choice)> = None;
    for bucket in buckets {
        let mut own: Option<(f64, Choice)> = None;
        for choice in choices {
            let both = bucket.halves.or(choice.halves);
            let cost = match both == bucket.halves {
                true => choice.more,
                false => both.odds(sums) - bucket.odds + choice.more,
            };
            if own.is_none_or(|(least, _)| cost < least) {
                own = Some((cost, *choice));
            }
        }
        if let Some((cost, choice)) = own
            && best.as_ref().is_none_or(|(least, ..)| cost < *least)
        {
            best = Some((cost, bucket, choice));
        }
    }
    if let Some((_, bucket, choice)) = best {
        let mut windows = std::mem::take(&mut bucket.windows);
        windows.push((literal, choice));
        bucket.set(windows, sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_window_is_in_its_bucket() {
        let words = ["ghp_", "glpat-", "token", "AKIA", "s.ab", "curl"];
        let windows = |word: &&str| {
            let windows = word.as_bytes().windows(4);
            let sets = |w: &[u8]| [0, 1, 2, 3].map(|n| vec![w[n]]);
            windows.map(sets).collect()
        };
        let buckets = Buckets::of(words.iter().map(windows).collect());
        for (word, (bucket, at)) in words.iter().zip(&buckets.places) {
            let window = &word.as_bytes()[*at..at + 4];
            for (set, byte) in buckets.sets.iter().zip(window) {
                assert_eq!(set[usize::from(*byte)] >> bucket & 1, 1, "{word}");
            }
        }
        // Neither is one of the frequent windows taken if there is another.
        let (_, at) = buckets.places[2];
        assert!(at < 2, "{at}");
    }
}
