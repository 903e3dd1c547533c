use std::arch::x86_64::{
    __m512i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x,
    _mm_set1_epi8, _mm512_cmpeq_epi8_mask, _mm512_cmplt_epu8_mask,
    _mm512_loadu_si512, _mm512_movepi8_mask, _mm512_or_si512,
    _mm512_set1_epi8,
};

use crate::scan::{Job, Simd};

/// The kernel for x86-64 with AVX-512.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

/// Whether this CPU can [`run`].
pub(crate) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
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
/// This CPU must have the features: see [`is_available`].
#[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn run<J: Job>(job: J) -> J::Output {
    job.run(Avx512(()))
}

impl Simd for Avx512 {
    type Block = __m512i;

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> __m512i {
        debug_assert!(size_of::<__m512i>() == bytes.len());
        // SAFETY: the vector is exactly the 64 bytes, and needs no alignment.
        // `self` says that the features are there.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn equal(self, block: __m512i, byte: u8) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` says that the features are there.
        unsafe { _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn brackets(self, block: __m512i) -> (u64, u64) {
        debug_assert!(is_available());
        // With this bit set, `[` is `{` and `]` is `}`.
        // SAFETY: `self` says that the features are there.
        let block = unsafe { _mm512_or_si512(block, _mm512_set1_epi8(0x20)) };
        (self.equal(block, b'{'), self.equal(block, b'}'))
    }

    #[inline(always)]
    fn controls(self, block: __m512i) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` says that the features are there.
        unsafe { _mm512_cmplt_epu8_mask(block, _mm512_set1_epi8(0x20)) }
    }

    #[inline(always)]
    fn high(self, block: __m512i) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` says that the features are there.
        unsafe { _mm512_movepi8_mask(block) }
    }

    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        debug_assert!(is_available());
        // A product without carries, by a number of nothing but ones.
        // SAFETY: `self` says that the features are there.
        unsafe {
            let bits = _mm_set_epi64x(0, bits as i64);
            let product = _mm_clmulepi64_si128::<0>(bits, _mm_set1_epi8(-1));
            _mm_cvtsi128_si64(product) as u64
        }
    }
}
