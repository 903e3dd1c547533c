//! A pseudo-random number generator whose output never changes.
//!
//! It is part of this crate, because a log must have the same bytes in every
//! later version and on every platform. It uses only integers, since the
//! rounding of floats could differ.

/// The SplitMix64 generator.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        // The first step mixes the seed, so that seeds 1 and 2 give unrelated
        // sequences.
        let mut random = Random(seed);
        Random(random.next())
    }

    /// Returns the next number.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be 0.
    #[inline]
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        // Lemire's multiplication method, without rejection: the bias is
        // negligible here.
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// Returns a number from `low` to `high`, both inclusive.
    #[inline]
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// Returns `true` with a probability of `percent` in 100.
    #[inline]
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the items.
    #[inline]
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// Returns one of the items, with a probability in proportion to its
    /// weight.
    pub(crate) fn weighted<T: Copy>(&mut self, items: &[(u32, T)]) -> T {
        let total = items.iter().map(|item| item.0).sum();
        let mut left = self.below(total);
        for &(weight, item) in items {
            if left < weight {
                return item;
            }
            left -= weight;
        }
        items[0].1
    }

    /// Returns a length of the given distribution.
    pub(crate) fn length(&mut self, lengths: &Lengths) -> usize {
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
        let low = u64::from(lengths.0[part]);
        let high = u64::from(lengths.0[part + 1]);
        (low + (((high - low) * far) >> 16)) as usize
    }
}

/// A distribution of lengths: the minimum, the percentiles 10, 50, 90 and 99,
/// and the maximum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths(pub(crate) [u32; 6]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_pinned() {
        let mut random = Random::new(1);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(
            first,
            [
                6_791_897_765_849_424_158,
                17_405_687_883_870_564_846,
                834_844_254_806_117_752
            ]
        );
    }

    #[test]
    fn lengths_have_the_given_percentiles() {
        let lengths = Lengths([10, 100, 500, 900, 990, 1_000]);
        let mut random = Random::new(7);
        let mut all: Vec<_> =
            (0..20_000).map(|_| random.length(&lengths)).collect();
        all.sort_unstable();
        assert!(all[0] >= 10 && all[19_999] <= 1_000);
        assert!(all[10_000].abs_diff(500) < 20, "{}", all[10_000]);
        assert!(all[18_000].abs_diff(900) < 20, "{}", all[18_000]);
    }
}
