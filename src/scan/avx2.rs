use std::arch::x86_64::{
    __m256i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128,
    _mm_set_epi8, _mm_set_epi64x, _mm_set1_epi8, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256,
    _mm256_max_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _pext_u64,
};

use crate::scan::{
    simd::{ESCAPABLE_LOWER, ESCAPABLE_UPPER, Job, Simd},
    sse2,
};

/// The kernel for x86-64 with AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

/// Returns whether this CPU has the features that [`run`] needs.
pub(crate) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("pclmulqdq")
}

/// Runs a job.
///
/// # Safety
///
/// This CPU must have the enabled features: see [`is_available`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn run<J: Job>(job: J) -> J::Output {
    job.run(Avx2(()))
}

/// Returns the prefix XOR of the bits, by carry-less multiplication with a
/// number whose bits are all ones.
#[inline(always)]
pub(crate) fn prefix_xor(bits: u64) -> u64 {
    debug_assert!(is_available());
    // SAFETY: only the AVX2 and AVX-512 kernels call this, and both require
    // `pclmulqdq`.
    unsafe {
        let bits = _mm_set_epi64x(0, bits as i64);
        let product = _mm_clmulepi64_si128::<0>(bits, _mm_set1_epi8(-1));
        _mm_cvtsi128_si64(product) as u64
    }
}

/// Collects the highest bit of each byte of two vectors.
#[inline(always)]
fn bits([low, high]: [__m256i; 2]) -> u64 {
    // SAFETY: the vectors come from a block, which exists only if the CPU has
    // the features.
    let (low, high) =
        unsafe { (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)) };
    u64::from(low as u32) | u64::from(high as u32) << 32
}

impl Simd for Avx2 {
    type Block = [__m256i; 2];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> [__m256i; 2] {
        debug_assert!(is_available() && bytes.len() == 2 * 32);
        let start = bytes.as_ptr();
        // SAFETY: both loads of 32 bytes are within the 64 bytes, and loads
        // need no alignment. `self` exists only if the CPU has the features.
        unsafe {
            [
                _mm256_loadu_si256(start.cast()),
                _mm256_loadu_si256(start.add(32).cast()),
            ]
        }
    }

    #[inline(always)]
    fn prefetch(self, bytes: &[u8; 64]) {
        sse2::prefetch(bytes);
    }

    #[inline(always)]
    fn equal(self, [low, high]: [__m256i; 2], byte: u8) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        bits(unsafe {
            let wanted = _mm256_set1_epi8(byte as i8);
            [_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted)]
        })
    }

    #[inline(always)]
    fn brackets(self, [low, high]: [__m256i; 2]) -> (u64, u64) {
        debug_assert!(is_available());
        // Setting this bit maps `[` to `{` and `]` to `}`.
        // SAFETY: `self` exists only if the CPU has the features.
        let block = unsafe {
            let bit = _mm256_set1_epi8(0x20);
            [_mm256_or_si256(low, bit), _mm256_or_si256(high, bit)]
        };
        (self.equal(block, b'{'), self.equal(block, b'}'))
    }

    #[inline(always)]
    fn whitespace(self, [low, high]: [__m256i; 2]) -> u64 {
        debug_assert!(is_available());
        // Lookup table by nibble shuffle: each byte is compared with the
        // whitespace byte that has the same low nibble.
        // SAFETY: `self` exists only if the CPU has the features.
        bits(unsafe {
            let whitespace = _mm_set_epi8(
                0, 0, 13, 0, 0, 10, 9, 0, 0, 0, 0, 0, 0, 0, 0, b' ' as i8,
            );
            let whitespace = _mm256_broadcastsi128_si256(whitespace);
            [
                _mm256_cmpeq_epi8(low, _mm256_shuffle_epi8(whitespace, low)),
                _mm256_cmpeq_epi8(high, _mm256_shuffle_epi8(whitespace, high)),
            ]
        })
    }

    #[inline(always)]
    fn maybe_brackets(self, [low, high]: [__m256i; 2]) -> u64 {
        debug_assert!(is_available());
        // Setting these bits maps all four brackets to 0x7F.
        // SAFETY: `self` exists only if the CPU has the features.
        let block = unsafe {
            let bits = _mm256_set1_epi8(0x26);
            [_mm256_or_si256(low, bits), _mm256_or_si256(high, bits)]
        };
        self.equal(block, 0x7F)
    }

    #[inline(always)]
    fn escapable(self, block: [__m256i; 2]) -> u64 {
        debug_assert!(is_available());
        // Lookup table by nibble shuffle: a byte is escapable if the entries
        // of its low and high nibble have a bit in common.
        // SAFETY: `self` exists only if the CPU has the features. Both tables
        // have 16 bytes, and loads need no alignment.
        let [low, high] = unsafe {
            let lower = _mm_loadu_si128(ESCAPABLE_LOWER.as_ptr().cast());
            let upper = _mm_loadu_si128(ESCAPABLE_UPPER.as_ptr().cast());
            let lower = _mm256_broadcastsi128_si256(lower);
            let upper = _mm256_broadcastsi128_si256(upper);
            let half = _mm256_set1_epi8(0x0F);
            let kinds = |vector: __m256i| {
                let high =
                    _mm256_and_si256(_mm256_srli_epi16::<4>(vector), half);
                let both = _mm256_and_si256(
                    _mm256_shuffle_epi8(lower, vector),
                    _mm256_shuffle_epi8(upper, high),
                );
                _mm256_cmpeq_epi8(both, _mm256_setzero_si256())
            };
            let [low, high] = block;
            [kinds(low), kinds(high)]
        };
        !bits([low, high])
    }

    #[inline(always)]
    fn controls(self, [low, high]: [__m256i; 2]) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        bits(unsafe {
            let most = _mm256_set1_epi8(0x1F);
            [
                _mm256_cmpeq_epi8(_mm256_max_epu8(low, most), most),
                _mm256_cmpeq_epi8(_mm256_max_epu8(high, most), most),
            ]
        })
    }

    #[inline(always)]
    fn high(self, block: [__m256i; 2]) -> u64 {
        bits(block)
    }

    #[inline(always)]
    fn either(
        self,
        [low, high]: [__m256i; 2],
        [other_low, other_high]: [__m256i; 2],
    ) -> [__m256i; 2] {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe {
            [
                _mm256_or_si256(low, other_low),
                _mm256_or_si256(high, other_high),
            ]
        }
    }

    const SHUFFLES: bool = true;

    #[inline(always)]
    fn look_up(
        self,
        [low, high]: [__m256i; 2],
        [lower, upper]: &[[u8; 16]; 2],
    ) -> [__m256i; 2] {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features. Both tables
        // have 16 bytes, and loads need no alignment.
        unsafe {
            let lower = _mm_loadu_si128(lower.as_ptr().cast());
            let upper = _mm_loadu_si128(upper.as_ptr().cast());
            let lower = _mm256_broadcastsi128_si256(lower);
            let upper = _mm256_broadcastsi128_si256(upper);
            let half = _mm256_set1_epi8(0x0F);
            let common = |vector: __m256i| {
                let high =
                    _mm256_and_si256(_mm256_srli_epi16::<4>(vector), half);
                _mm256_and_si256(
                    _mm256_shuffle_epi8(lower, _mm256_and_si256(vector, half)),
                    _mm256_shuffle_epi8(upper, high),
                )
            };
            [common(low), common(high)]
        }
    }

    #[inline(always)]
    fn both(
        self,
        [low, high]: [__m256i; 2],
        [other_low, other_high]: [__m256i; 2],
    ) -> [__m256i; 2] {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe {
            [
                _mm256_and_si256(low, other_low),
                _mm256_and_si256(high, other_high),
            ]
        }
    }

    #[inline(always)]
    fn nonzero(self, block: [__m256i; 2]) -> u64 {
        !self.equal(block, 0)
    }

    #[inline(always)]
    fn extract(self, bits: u64, mask: u64) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe { _pext_u64(bits, mask) }
    }

    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        prefix_xor(bits)
    }
}
