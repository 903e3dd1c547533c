use std::arch::x86_64::{
    __m128i, _MM_HINT_T0, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_max_epu8,
    _mm_movemask_epi8, _mm_or_si128, _mm_prefetch, _mm_set1_epi8,
};

use crate::scan::{
    portable,
    simd::{Job, Simd},
};

// The condition of the `SAFETY` comments below, checked at compile time.
const _: () = assert!(cfg!(target_feature = "sse2"));

/// The kernel for every x86-64 CPU.
#[derive(Clone, Copy)]
pub(crate) struct Sse2(());

/// Runs a job.
#[inline]
pub(crate) fn run<J: Job>(job: J) -> J::Output {
    job.run(Sse2(()))
}

/// Prefetches the cache line one kilobyte after these bytes. The address may
/// be invalid, in which case nothing happens.
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8; 64]) {
    const AHEAD: usize = 1024;
    let ahead = bytes.as_ptr().wrapping_add(AHEAD);
    debug_assert!(ahead != bytes.as_ptr());
    // SAFETY: every x86-64 CPU has SSE, and a prefetch does not access the
    // memory, whatever its address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead.cast()) }
}

/// Collects the highest bit of each byte of four vectors.
#[inline(always)]
fn bits(vectors: [__m128i; 4]) -> u64 {
    let mut mask = 0;
    for (at, vector) in vectors.into_iter().enumerate() {
        // SAFETY: every x86-64 CPU has SSE2.
        let bits = unsafe { _mm_movemask_epi8(vector) };
        debug_assert!(bits >> 16 == 0);
        mask |= u64::from(bits as u16) << (16 * at);
    }
    mask
}

impl Simd for Sse2 {
    type Block = [__m128i; 4];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> [__m128i; 4] {
        let start = bytes.as_ptr();
        [0, 16, 32, 48].map(|at| {
            debug_assert!(at + 16 <= bytes.len());
            // SAFETY: the 16 bytes are within the 64 bytes, and loads need no
            // alignment. Every x86-64 CPU has SSE2.
            unsafe { _mm_loadu_si128(start.add(at).cast()) }
        })
    }

    #[inline(always)]
    fn prefetch(self, bytes: &[u8; 64]) {
        prefetch(bytes);
    }

    #[inline(always)]
    fn equal(self, block: [__m128i; 4], byte: u8) -> u64 {
        // SAFETY: every x86-64 CPU has SSE2.
        bits(block.map(|vector| unsafe {
            _mm_cmpeq_epi8(vector, _mm_set1_epi8(byte as i8))
        }))
    }

    #[inline(always)]
    fn brackets(self, block: [__m128i; 4]) -> (u64, u64) {
        // Setting this bit maps `[` to `{` and `]` to `}`.
        // SAFETY: every x86-64 CPU has SSE2.
        let block = block.map(|vector| unsafe {
            _mm_or_si128(vector, _mm_set1_epi8(0x20))
        });
        (self.equal(block, b'{'), self.equal(block, b'}'))
    }

    #[inline(always)]
    fn maybe_brackets(self, block: [__m128i; 4]) -> u64 {
        // Setting these bits maps all four brackets to 0x7F.
        // SAFETY: every x86-64 CPU has SSE2.
        let block = block.map(|vector| unsafe {
            _mm_or_si128(vector, _mm_set1_epi8(0x26))
        });
        self.equal(block, 0x7F)
    }

    #[inline(always)]
    fn controls(self, block: [__m128i; 4]) -> u64 {
        // SAFETY: every x86-64 CPU has SSE2.
        bits(block.map(|vector| unsafe {
            let most = _mm_set1_epi8(0x1F);
            _mm_cmpeq_epi8(_mm_max_epu8(vector, most), most)
        }))
    }

    #[inline(always)]
    fn high(self, block: [__m128i; 4]) -> u64 {
        bits(block)
    }

    #[inline(always)]
    fn either(
        self,
        [a, b, c, d]: [__m128i; 4],
        [e, f, g, h]: [__m128i; 4],
    ) -> [__m128i; 4] {
        // SAFETY: every x86-64 CPU has SSE2.
        unsafe {
            [
                _mm_or_si128(a, e),
                _mm_or_si128(b, f),
                _mm_or_si128(c, g),
                _mm_or_si128(d, h),
            ]
        }
    }

    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        portable::prefix_xor(bits)
    }
}
