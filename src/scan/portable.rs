use crate::scan::simd::{Job, Simd};

/// The kernel for any CPU, in safe code. Compilers vectorise its loops over 64
/// bytes.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

/// Runs a job.
#[inline]
pub(crate) fn run<J: Job>(job: J) -> J::Output {
    job.run(Portable)
}

impl Simd for Portable {
    type Block = [u8; 64];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> [u8; 64] {
        *bytes
    }

    #[inline(always)]
    fn equal(self, block: [u8; 64], byte: u8) -> u64 {
        gather(block, |other| other == byte)
    }

    #[inline(always)]
    fn brackets(self, block: [u8; 64]) -> (u64, u64) {
        // Setting this bit maps `[` to `{` and `]` to `}`.
        let opening = gather(block, |byte| byte | 0x20 == b'{');
        let closing = gather(block, |byte| byte | 0x20 == b'}');
        (opening, closing)
    }

    #[inline(always)]
    fn maybe_brackets(self, block: [u8; 64]) -> u64 {
        // Setting these bits maps all four brackets to 0x7F.
        gather(block, |byte| byte | 0x26 == 0x7F)
    }

    #[inline(always)]
    fn controls(self, block: [u8; 64]) -> u64 {
        gather(block, |byte| byte < 0x20)
    }

    #[inline(always)]
    fn high(self, block: [u8; 64]) -> u64 {
        gather(block, |byte| byte >= 0x80)
    }

    #[inline(always)]
    fn either(self, mut one: [u8; 64], other: [u8; 64]) -> [u8; 64] {
        for (byte, other) in one.iter_mut().zip(other) {
            *byte |= other;
        }
        one
    }

    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        prefix_xor(bits)
    }
}

/// Returns the prefix XOR: each bit of the result is the XOR of the same bit
/// and all lower bits of the input.
#[inline(always)]
pub(crate) fn prefix_xor(mut bits: u64) -> u64 {
    for distance in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << distance;
    }
    bits
}

/// Returns a bitmask of the bytes for which `wanted` is true.
#[inline(always)]
fn gather(block: [u8; 64], wanted: impl Fn(u8) -> bool) -> u64 {
    // In each group of eight bytes, every byte has its own bit, set or not.
    // Tests are built with little optimisation, where an iterator instead of
    // this loop takes a fifth of their time.
    let (mut bits, mut at) = ([0; 64], 0);
    while let (Some(bit), Some(byte)) = (bits.get_mut(at), block.get(at)) {
        *bit = if wanted(*byte) { 1 << (at % 8) } else { 0u8 };
        at += 1;
    }
    let mut mask = [0; 8];
    for (byte, word) in mask.iter_mut().zip(bits.as_chunks::<8>().0) {
        // The multiplication adds up the eight bytes in the highest byte.
        let word = u64::from_le_bytes(*word);
        *byte = (word.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u8;
    }
    u64::from_le_bytes(mask)
}
