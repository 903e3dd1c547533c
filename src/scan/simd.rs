/*!
The operations that every kernel implements, and the lookup tables that they
share.
*/

/// An algorithm on bitmasks, generic over the kernel.
///
/// `run`, and all functions that it calls with a `Simd`, must be
/// `inline(always)`: only inlined code is compiled for the instruction set of
/// the kernel.
pub(crate) trait Job {
    type Output;

    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// The lookup table for the low nibble of bytes that may follow a backslash:
/// one bit for each possible high nibble. The letters are `bfnrtu`.
pub(crate) const ESCAPABLE_LOWER: [u8; 16] =
    [0, 0, 1 | 4 | 8, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1];
/// The lookup table for the high nibble. A byte is in the set if its two
/// entries have a bit in common.
pub(crate) const ESCAPABLE_UPPER: [u8; 16] =
    [0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0];

/// Operations on a block of 64 bytes that return bitmasks.
///
/// A value that implements this trait proves that the CPU supports the
/// instructions: only [`Scanner::run`](crate::scan::Scanner::run) creates one.
///
/// `unsafe` code relies on `load`, `load_part`, `either` and `high`: a text in
/// which they find no high bit is taken for ASCII.
pub(crate) trait Simd: Copy {
    type Block: Copy;

    fn load(self, bytes: &[u8; 64]) -> Self::Block;

    /// Loads fewer than 64 bytes, padded with spaces.
    #[inline(always)]
    fn load_part(self, bytes: &[u8]) -> Self::Block {
        self.load(&padded(bytes))
    }

    /// Prefetches the memory ahead of `bytes`. The hardware prefetcher does
    /// not keep up with sequential scans at this rate.
    #[inline(always)]
    fn prefetch(self, _bytes: &[u8; 64]) {}

    /// Returns which bytes are `byte`.
    fn equal(self, block: Self::Block, byte: u8) -> u64;

    /// Returns which bytes are `{` or `[`, and which are `}` or `]`.
    fn brackets(self, block: Self::Block) -> (u64, u64);

    /// Returns a superset of the brackets. It may also include bytes that
    /// occur in JSON only inside of strings. This is faster than
    /// [`brackets`](Simd::brackets).
    fn maybe_brackets(self, block: Self::Block) -> u64;

    /// Returns which bytes are whitespace: space, tab, CR or LF.
    #[inline(always)]
    fn whitespace(self, block: Self::Block) -> u64 {
        let equal = |byte| self.equal(block, byte);
        equal(b' ') | equal(b'\t') | equal(b'\r') | equal(b'\n')
    }

    /// Returns which bytes are control characters, below `0x20`.
    fn controls(self, block: Self::Block) -> u64;

    /// Returns which bytes may follow a backslash.
    #[inline(always)]
    fn escapable(self, block: Self::Block) -> u64 {
        let equal = |byte| self.equal(block, byte);
        equal(b'n')
            | equal(b'"')
            | equal(b'\\')
            | equal(b'u')
            | equal(b't')
            | equal(b'/')
            | equal(b'r')
            | equal(b'b')
            | equal(b'f')
    }

    /// Returns which bytes are not ASCII.
    fn high(self, block: Self::Block) -> u64;

    /// Returns the bits that either of two blocks has: a byte is not ASCII
    /// wherever that of either block is not ASCII.
    fn either(self, one: Self::Block, other: Self::Block) -> Self::Block;

    /// Writes the index of each set bit, plus `start`, to the front of `room`.
    /// The rest of `room` is unspecified.
    #[inline(always)]
    fn indexes(self, mut bits: u64, start: u32, room: &mut [u32; 64]) {
        // A branch for each bit would be mispredicted once per block, so
        // four are written at a time, whether there are as many or not.
        for places in room.as_chunks_mut::<4>().0 {
            if bits == 0 {
                break;
            }
            for place in places {
                *place = start.wrapping_add(bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
            }
        }
    }

    /// Gathers the bits selected by the mask into the lowest bits (parallel
    /// bit extract, PEXT).
    #[inline(always)]
    fn extract(self, bits: u64, mut mask: u64) -> u64 {
        let (mut extracted, mut at) = (0, 0);
        while mask != 0 {
            extracted |= (bits >> mask.trailing_zeros() & 1) << at;
            mask &= mask - 1;
            at += 1;
        }
        extracted
    }

    /// Whether [`compress`](Simd::compress) is implemented.
    const COMPRESSES: bool = false;

    /// Writes the bytes selected by `keep` to the front of `room`. Those in
    /// `escaped` are replaced by the characters that their escape sequences
    /// represent. The rest of `room` is unspecified.
    #[inline(always)]
    fn compress(
        self,
        _block: Self::Block,
        _keep: u64,
        _escaped: u64,
        _room: &mut [u8; 64],
    ) {
        debug_assert!(Self::COMPRESSES, "there is nothing to call");
    }

    /// Whether [`look_up`](Simd::look_up), [`both`](Simd::both) and
    /// [`nonzero`](Simd::nonzero) are implemented.
    const SHUFFLES: bool = false;

    /// Replaces each byte by the bits that the entries of its low nibble (in
    /// the first table) and of its high nibble (in the second) have in common.
    #[inline(always)]
    fn look_up(
        self,
        block: Self::Block,
        _nibbles: &[[u8; 16]; 2],
    ) -> Self::Block {
        debug_assert!(Self::SHUFFLES, "there is nothing to call");
        block
    }

    /// Returns the bits that two blocks have in common.
    #[inline(always)]
    fn both(self, one: Self::Block, _other: Self::Block) -> Self::Block {
        debug_assert!(Self::SHUFFLES, "there is nothing to call");
        one
    }

    /// Returns which bytes are not zero.
    #[inline(always)]
    fn nonzero(self, _block: Self::Block) -> u64 {
        debug_assert!(Self::SHUFFLES, "there is nothing to call");
        !0
    }

    /// Returns the prefix XOR: each bit of the result is the XOR of the same
    /// bit and all lower bits of the input.
    fn prefix_xor(self, bits: u64) -> u64;
}

/// The lookup table from the byte after a backslash to the character that the
/// escape sequence represents; 0 if the sequence is invalid or `\u`.
#[allow(clippy::indexing_slicing)] // in a constant, it cannot go wrong later
pub(crate) const MEANINGS: [u8; 256] = {
    let mut meanings = [0; 256];
    meanings[b'"' as usize] = b'"';
    meanings[b'\\' as usize] = b'\\';
    meanings[b'/' as usize] = b'/';
    meanings[b'b' as usize] = 0x08;
    meanings[b'f' as usize] = 0x0C;
    meanings[b'n' as usize] = b'\n';
    meanings[b'r' as usize] = b'\r';
    meanings[b't' as usize] = b'\t';
    meanings
};

/// Pads fewer than 64 bytes with spaces.
#[inline(never)]
fn padded(rest: &[u8]) -> [u8; 64] {
    debug_assert!(rest.len() < 64);
    let mut bytes = [b' '; 64];
    // Two copies of a fixed size, which may overlap, are faster than a loop.
    let _ = place::<32>(&mut bytes, rest)
        || place::<16>(&mut bytes, rest)
        || place::<8>(&mut bytes, rest)
        || place::<4>(&mut bytes, rest)
        || place::<2>(&mut bytes, rest)
        || place::<1>(&mut bytes, rest);
    bytes
}

/// Copies the first `N` bytes of `rest`, and the last `N`. Returns false if
/// there are fewer.
#[inline(always)]
fn place<const N: usize>(bytes: &mut [u8; 64], rest: &[u8]) -> bool {
    let (Some(first), Some(last)) =
        (rest.first_chunk::<N>(), rest.last_chunk::<N>())
    else {
        return false;
    };
    if let Some(room) = bytes.first_chunk_mut::<N>() {
        *room = *first;
    }
    let room = bytes.get_mut(rest.len() - N..rest.len());
    if let Some(room) = room.and_then(|room| room.first_chunk_mut::<N>()) {
        *room = *last;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_rest_is_padded() {
        let text: Vec<u8> = (100..163).collect();
        for len in 0..64 {
            let mut expected = text[..len].to_vec();
            expected.resize(64, b' ');
            assert_eq!(padded(&text[..len]).to_vec(), expected);
        }
    }
}
