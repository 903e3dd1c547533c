use crate::scan::Simd;

/// The kernel for every CPU, in safe code: 64 bytes are eight words.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

impl Simd for Portable {
    type Block = [u64; 8];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> [u64; 8] {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        words
    }

    #[inline(always)]
    fn equal(self, block: [u64; 8], byte: u8) -> u64 {
        let wanted = LOW * u64::from(byte);
        gather(block, |word| zeroes(word ^ wanted))
    }

    #[inline(always)]
    fn brackets(self, block: [u64; 8]) -> (u64, u64) {
        // With this bit set, `[` is `{` and `]` is `}`.
        let block = block.map(|word| word | LOW * 0x20);
        (self.equal(block, b'{'), self.equal(block, b'}'))
    }

    #[inline(always)]
    fn maybe_brackets(self, block: [u64; 8]) -> u64 {
        // These bits are set in all brackets. With the others set as well,
        // they are one byte.
        let block = block.map(|word| word | LOW * 0x26);
        self.equal(block, 0x7F)
    }

    #[inline(always)]
    fn controls(self, block: [u64; 8]) -> u64 {
        // Bytes below 0x20 have none of these bits.
        gather(block, |word| zeroes(word & (LOW * 0xE0)))
    }

    #[inline(always)]
    fn high(self, block: [u64; 8]) -> u64 {
        gather(block, |word| word & HIGH)
    }

    #[inline(always)]
    fn either(self, one: [u64; 8], other: [u64; 8]) -> [u64; 8] {
        let mut both = one;
        for (word, other) in both.iter_mut().zip(other) {
            *word |= other;
        }
        both
    }

    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        prefix_xor(bits)
    }
}

/// Each bit, and all bits below it, added up without carrying.
#[inline(always)]
pub(crate) fn prefix_xor(mut bits: u64) -> u64 {
    for distance in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << distance;
    }
    bits
}

/// The highest bit of each byte that is zero, and no other bit.
#[inline(always)]
fn zeroes(word: u64) -> u64 {
    let low_bits = (word & !HIGH) + !HIGH;
    !(low_bits | word) & HIGH
}

/// One bit per byte, from the highest bit of each.
#[inline(always)]
fn gather(block: [u64; 8], high_bits: impl Fn(u64) -> u64) -> u64 {
    // The product brings the eight bits together in the highest byte.
    const TOGETHER: u64 = 0x0002_0408_1020_4081;
    let mut mask = 0;
    for (at, word) in block.into_iter().enumerate() {
        let bits = high_bits(word).wrapping_mul(TOGETHER) >> 56;
        mask |= bits << (8 * at);
    }
    mask
}
