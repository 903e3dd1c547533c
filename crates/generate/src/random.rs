//! A pseudo-random number generator whose output never changes.
//!
//! It is part of this crate, because a log must have the same bytes in every
//! later version and on every platform. It uses only integers, since the
//! rounding of floats could differ.

/// The SplitMix64 generator.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

/// A distribution of lengths: the minimum, the percentiles 10, 50, 90 and 99,
/// and the maximum.
pub(crate) type Lengths = [u32; 6];

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        // The first step mixes the seed, so that seeds 1 and 2 give unrelated
        // sequences.
        let mut random = Random(seed);
        Random(random.next())
    }

    /// Returns the next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        // Lemire's multiplication method, without rejection: the bias is
        // negligible here.
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// Returns a number from `low` to `high`, both inclusive.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// Returns `true` with a probability of `percent` in 100.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the items.
    pub(crate) fn choose<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len() as u32) as usize]
    }

    /// Returns a copy of one of the items.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        *self.choose(items)
    }

    /// Returns a length of a distribution.
    pub(crate) fn length(&mut self, lengths: Lengths) -> u32 {
        const EDGES: [u32; 6] = [0, 1_000, 5_000, 9_000, 9_900, 10_000];
        let at = self.below(10_000);
        let mut part = 0;
        while at >= EDGES[part + 1] {
            part += 1;
        }
        // The position within the part, from 0 to 65,535. It is squared above
        // the median, where short lengths are more frequent.
        let mut far = self.next() >> 48;
        if part >= 2 {
            far = (far * far) >> 16;
        }
        let (low, high) = (lengths[part], lengths[part + 1]);
        low + ((u64::from(high - low) * far) >> 16) as u32
    }
}

/// Returns the 64-bit FNV-1a hash.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_the_given_percentiles() {
        let mut random = Random::new(7);
        let mut all: Vec<_> = (0..20_000)
            .map(|_| random.length([10, 100, 500, 900, 990, 1_000]))
            .collect();
        all.sort_unstable();
        assert!(all[0] >= 10 && all[19_999] <= 1_000);
        assert!(all[10_000].abs_diff(500) < 20, "{}", all[10_000]);
        assert!(all[18_000].abs_diff(900) < 20, "{}", all[18_000]);
    }
}
