use memchr::memchr;

#[cfg(not(target_arch = "x86_64"))]
use crate::scan::portable::run;
#[cfg(target_arch = "x86_64")]
use crate::scan::sse2::run;
use crate::scan::{BLOCK, Job, Simd};

/// Returns the offset of the first newline.
///
/// For a line of less than 64 bytes, the call of `memchr` takes longer than the
/// search. So the first block is searched inline.
#[inline]
pub(crate) fn newline(text: &[u8]) -> Option<usize> {
    early_newline(text).or_else(|| {
        let rest = text.get(BLOCK..)?;
        memchr(b'\n', rest).map(|at| BLOCK + at)
    })
}

/// Returns the offset of the first newline, if it is in the first 64 bytes.
/// Uses the kernel that needs no CPU detection: SSE2 or portable.
#[inline]
pub(crate) fn early_newline(text: &[u8]) -> Option<usize> {
    let Some(first) = text.first_chunk::<BLOCK>() else {
        return memchr(b'\n', text);
    };
    match run(Newlines(first)) {
        0 => None,
        newlines => Some(newlines.trailing_zeros() as usize),
    }
}

/// The newlines of a block.
struct Newlines<'t>(&'t [u8; BLOCK]);

impl Job for Newlines<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u64 {
        simd.equal(simd.load(self.0), b'\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the result with that of `memchr`, for a newline at each offset
    /// of texts of each length, and for texts without one.
    #[test]
    fn the_first_newline_is_found_wherever_it_is() {
        for length in 0..3 * BLOCK {
            let text = vec![b'x'; length];
            assert_eq!(newline(&text), None, "{length}");
            for at in 0..length {
                let mut text = text.clone();
                for after in [at, length - 1] {
                    text[after] = b'\n';
                }
                assert_eq!(newline(&text), Some(at), "{length}");
                assert_eq!(memchr(b'\n', &text), Some(at));
            }
        }
    }
}
