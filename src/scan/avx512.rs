use std::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm_set_epi8, _mm512_add_epi32,
    _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_cmpeq_epi8_mask,
    _mm512_cmplt_epu8_mask, _mm512_cvtepu8_epi32, _mm512_extracti32x4_epi32,
    _mm512_loadu_si512, _mm512_mask_blend_epi8, _mm512_mask_loadu_epi8,
    _mm512_maskz_compress_epi8, _mm512_movepi8_mask, _mm512_or_si512,
    _mm512_permutex2var_epi8, _mm512_set1_epi8, _mm512_set1_epi32,
    _mm512_shuffle_epi8, _mm512_srli_epi16, _mm512_storeu_si512,
    _mm512_test_epi8_mask, _pext_u64,
};

use crate::scan::{
    avx2,
    simd::{ESCAPABLE_LOWER, ESCAPABLE_UPPER, Job, MEANINGS, Simd},
    sse2,
};

/// The kernel for x86-64 with AVX-512.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

/// Returns whether this CPU has the features that [`run`] needs.
pub(crate) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
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
#[target_feature(
    enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq"
)]
pub(crate) fn run<J: Job>(job: J) -> J::Output {
    job.run(Avx512(()))
}

/// The indexes of the 64 bytes of a block.
#[allow(clippy::indexing_slicing)] // in a constant, it cannot go wrong later
const INDEXES: [u8; 64] = {
    let mut indexes = [0; 64];
    let mut at = 0;
    while at < indexes.len() {
        indexes[at] = at as u8;
        at += 1;
    }
    indexes
};

/// Writes 16 indexes as `u32`, each with `start` added.
#[inline(always)]
fn write(indexes: __m128i, start: u32, room: &mut [u32; 16]) {
    debug_assert!(is_available());
    // SAFETY: only `Avx512::indexes` calls this, and `Avx512` exists only if
    // the CPU has the features. `room` is as large as the vector, and stores
    // need no alignment.
    unsafe {
        let start = _mm512_set1_epi32(start as i32);
        let indexes = _mm512_add_epi32(_mm512_cvtepu8_epi32(indexes), start);
        _mm512_storeu_si512(room.as_mut_ptr().cast(), indexes);
    }
}

impl Simd for Avx512 {
    type Block = __m512i;

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> __m512i {
        debug_assert!(size_of::<__m512i>() == bytes.len());
        // SAFETY: the vector has exactly 64 bytes, and loads need no
        // alignment. `self` exists only if the CPU has the features.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_part(self, bytes: &[u8]) -> __m512i {
        debug_assert!(is_available());
        let mask = match 1u64.checked_shl(bytes.len() as u32) {
            Some(end) => end - 1,
            None => !0,
        };
        // SAFETY: the mask has at most one bit for each of the bytes, and the
        // memory of the others is not accessed. `self` exists only if the CPU
        // has the features.
        unsafe {
            let spaces = _mm512_set1_epi8(b' ' as i8);
            _mm512_mask_loadu_epi8(spaces, mask, bytes.as_ptr().cast())
        }
    }

    #[inline(always)]
    fn prefetch(self, bytes: &[u8; 64]) {
        sse2::prefetch(bytes);
    }

    #[inline(always)]
    fn equal(self, block: __m512i, byte: u8) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe { _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn brackets(self, block: __m512i) -> (u64, u64) {
        debug_assert!(is_available());
        // Setting this bit maps `[` to `{` and `]` to `}`.
        // SAFETY: `self` exists only if the CPU has the features.
        let block = unsafe { _mm512_or_si512(block, _mm512_set1_epi8(0x20)) };
        (self.equal(block, b'{'), self.equal(block, b'}'))
    }

    #[inline(always)]
    fn whitespace(self, block: __m512i) -> u64 {
        debug_assert!(is_available());
        // Lookup table by nibble shuffle: each byte is compared with the
        // whitespace byte that has the same low nibble.
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe {
            let whitespace = _mm_set_epi8(
                0, 0, 13, 0, 0, 10, 9, 0, 0, 0, 0, 0, 0, 0, 0, b' ' as i8,
            );
            let whitespace = _mm512_broadcast_i32x4(whitespace);
            let wanted = _mm512_shuffle_epi8(whitespace, block);
            _mm512_cmpeq_epi8_mask(block, wanted)
        }
    }

    #[inline(always)]
    fn maybe_brackets(self, block: __m512i) -> u64 {
        debug_assert!(is_available());
        // Setting these bits maps all four brackets to 0x7F.
        // SAFETY: `self` exists only if the CPU has the features.
        let block = unsafe { _mm512_or_si512(block, _mm512_set1_epi8(0x26)) };
        self.equal(block, 0x7F)
    }

    #[inline(always)]
    fn escapable(self, block: __m512i) -> u64 {
        debug_assert!(is_available());
        // Lookup table by nibble shuffle: a byte is escapable if the entries
        // of its low and high nibble have a bit in common.
        // SAFETY: `self` exists only if the CPU has the features. Both tables
        // have 16 bytes, and loads need no alignment.
        unsafe {
            let lower = _mm_loadu_si128(ESCAPABLE_LOWER.as_ptr().cast());
            let upper = _mm_loadu_si128(ESCAPABLE_UPPER.as_ptr().cast());
            let lower =
                _mm512_shuffle_epi8(_mm512_broadcast_i32x4(lower), block);
            let high = _mm512_and_si512(
                _mm512_srli_epi16::<4>(block),
                _mm512_set1_epi8(0x0F),
            );
            let upper =
                _mm512_shuffle_epi8(_mm512_broadcast_i32x4(upper), high);
            _mm512_test_epi8_mask(lower, upper)
        }
    }

    #[inline(always)]
    fn controls(self, block: __m512i) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe { _mm512_cmplt_epu8_mask(block, _mm512_set1_epi8(0x20)) }
    }

    #[inline(always)]
    fn high(self, block: __m512i) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe { _mm512_movepi8_mask(block) }
    }

    #[inline(always)]
    fn indexes(self, bits: u64, start: u32, room: &mut [u32; 64]) {
        debug_assert!(is_available());
        let [first, second, third, fourth] = room.as_chunks_mut().0 else {
            return;
        };
        // Compresses the indexes to those whose bits are set, then widens them
        // to 32 bits, 16 at a time.
        // SAFETY: `self` exists only if the CPU has the features. `INDEXES`
        // has 64 bytes, and loads need no alignment.
        unsafe {
            let indexes = _mm512_loadu_si512(INDEXES.as_ptr().cast());
            let set = _mm512_maskz_compress_epi8(bits, indexes);
            write(_mm512_extracti32x4_epi32::<0>(set), start, first);
            if bits.count_ones() > 16 {
                write(_mm512_extracti32x4_epi32::<1>(set), start, second);
                write(_mm512_extracti32x4_epi32::<2>(set), start, third);
                write(_mm512_extracti32x4_epi32::<3>(set), start, fourth);
            }
        }
    }

    #[inline(always)]
    fn either(self, one: __m512i, other: __m512i) -> __m512i {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe { _mm512_or_si512(one, other) }
    }

    const COMPRESSES: bool = true;

    #[inline(always)]
    fn compress(
        self,
        block: __m512i,
        keep: u64,
        escaped: u64,
        room: &mut [u8; 64],
    ) {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features. The loads
        // read the first 128 of the table's 256 bytes, and the store writes
        // the 64 bytes of `room`. Loads and stores need no alignment.
        unsafe {
            let table = MEANINGS.as_ptr();
            let low = _mm512_loadu_si512(table.cast());
            let high = _mm512_loadu_si512(table.add(64).cast());
            let meant = _mm512_permutex2var_epi8(low, block, high);
            let meant = _mm512_mask_blend_epi8(escaped, block, meant);
            let kept = _mm512_maskz_compress_epi8(keep, meant);
            _mm512_storeu_si512(room.as_mut_ptr().cast(), kept);
        }
    }

    const SHUFFLES: bool = true;

    #[inline(always)]
    fn look_up(
        self,
        block: __m512i,
        [lower, upper]: &[[u8; 16]; 2],
    ) -> __m512i {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features. Both tables
        // have 16 bytes, and loads need no alignment.
        unsafe {
            let lower = _mm_loadu_si128(lower.as_ptr().cast());
            let upper = _mm_loadu_si128(upper.as_ptr().cast());
            let half = _mm512_set1_epi8(0x0F);
            let high = _mm512_and_si512(_mm512_srli_epi16::<4>(block), half);
            let low = _mm512_and_si512(block, half);
            _mm512_and_si512(
                _mm512_shuffle_epi8(_mm512_broadcast_i32x4(lower), low),
                _mm512_shuffle_epi8(_mm512_broadcast_i32x4(upper), high),
            )
        }
    }

    #[inline(always)]
    fn both(self, one: __m512i, other: __m512i) -> __m512i {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe { _mm512_and_si512(one, other) }
    }

    #[inline(always)]
    fn nonzero(self, block: __m512i) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe { _mm512_test_epi8_mask(block, block) }
    }

    #[inline(always)]
    fn extract(self, bits: u64, mask: u64) -> u64 {
        debug_assert!(is_available());
        // SAFETY: `self` exists only if the CPU has the features.
        unsafe { _pext_u64(bits, mask) }
    }

    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        avx2::prefix_xor(bits)
    }
}
