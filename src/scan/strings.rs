use crate::scan::Simd;

/// The number of bytes in a block.
pub(crate) const BLOCK: usize = 64;

/// Finds the strings of a text, block by block. The fields are the state
/// between two blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strings {
    /// Whether the next byte is escaped: 0 or 1.
    escaped: u64,
    /// Whether the next byte is inside of a string: all zeros or all ones.
    inside: u64,
    /// Whether the current string contains a marked byte: 0 or 1.
    marked: u64,
}

impl Strings {
    /// Processes the next block. The prefix XOR of the quotes is the mask of
    /// the strings.
    #[inline(always)]
    pub(crate) fn step<S: Simd>(
        &mut self,
        simd: S,
        block: S::Block,
    ) -> StringMasks {
        let backslashes = simd.equal(block, b'\\');
        let escaped = self.escaped(backslashes);
        let quotes = simd.equal(block, b'"') & !escaped;
        let inside = simd.prefix_xor(quotes) ^ self.inside;
        self.inside = ((inside as i64) >> 63) as u64;
        StringMasks { quotes, inside, backslashes, escaped }
    }

    /// Returns which bytes are escaped by a backslash before them.
    ///
    /// A backslash escapes the next byte unless it is escaped itself, so every
    /// second backslash of a run escapes. The subtraction borrows through each
    /// run of backslashes. The XOR with `ODD` then yields the backslashes that
    /// escape, and the byte after a run of odd length, whether the run starts
    /// on an even or an odd bit.
    #[inline(always)]
    pub(crate) fn escaped(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        // There is no early return for a block without backslashes: they are
        // so frequent in agent logs that the branch would be mispredicted.
        let starts = backslashes & !self.escaped;
        let borrowed = ((starts << 1) | ODD).wrapping_sub(starts);
        let codes = borrowed ^ ODD;
        let escaped = codes ^ (backslashes | self.escaped);
        self.escaped = (codes & backslashes) >> 63;
        escaped
    }

    /// Returns the closing quotes of the strings that contain a marked byte.
    ///
    /// A string is a run of ones in `inside`. Adding a bit within the run
    /// carries to the bit after it.
    #[inline(always)]
    pub(crate) fn ends_with(&mut self, marks: u64, inside: u64) -> u64 {
        sum(inside, marks & inside, &mut self.marked) & !inside
    }

    /// Returns whether the next byte is escaped.
    #[inline(always)]
    pub(crate) fn is_escaped(self) -> bool {
        self.escaped != 0
    }

    /// Returns whether the next byte is inside of a string.
    pub(crate) fn is_inside(self) -> bool {
        self.inside != 0
    }
}

/// The bitmasks of a block that concern strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StringMasks {
    /// Opening and closing quotes.
    pub(crate) quotes: u64,
    /// The inside of strings: from the opening quote up to the byte before the
    /// closing quote.
    pub(crate) inside: u64,
    pub(crate) backslashes: u64,
    /// Bytes that are escaped by a backslash before them.
    pub(crate) escaped: u64,
}

/// The blocks of a text. The last one is padded with spaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'t> {
    text: &'t [u8],
    next: usize,
}

impl<'t> Blocks<'t> {
    #[inline(always)]
    pub(crate) fn new(text: &'t [u8]) -> Blocks<'t> {
        Blocks { text, next: 0 }
    }

    /// Returns the offset of the next block, and the block.
    #[inline(always)]
    pub(crate) fn next<S: Simd>(
        &mut self,
        simd: S,
    ) -> Option<(usize, S::Block)> {
        let start = self.next;
        let rest = self.text.get(start..)?;
        let block = match rest.first_chunk::<BLOCK>() {
            Some(bytes) => {
                simd.prefetch(bytes);
                simd.load(bytes)
            }
            None if rest.is_empty() => return None,
            None => simd.load(&padded(rest)),
        };
        self.next = start + BLOCK;
        Some((start, block))
    }
}

/// Pads fewer than 64 bytes with spaces.
#[inline(never)]
pub(crate) fn padded(rest: &[u8]) -> [u8; BLOCK] {
    debug_assert!(rest.len() < BLOCK);
    let mut bytes = [b' '; BLOCK];
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
fn place<const N: usize>(bytes: &mut [u8; BLOCK], rest: &[u8]) -> bool {
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

/// Returns the sum of two masks and the carry of the last block, and updates
/// the carry.
#[inline(always)]
pub(crate) fn sum(runs: u64, starts: u64, carry: &mut u64) -> u64 {
    // With `u128`, this compiles to an addition and an addition with carry.
    // With `u64`, the compiler would combine several sums in a vector, which
    // is slower.
    let sum = u128::from(runs) + u128::from(starts) + u128::from(*carry);
    *carry = (sum >> 64) as u64;
    sum as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_rest_is_padded() {
        let text: Vec<u8> = (100..163).collect();
        for len in 0..BLOCK {
            let mut expected = text[..len].to_vec();
            expected.resize(BLOCK, b' ');
            assert_eq!(padded(&text[..len]).to_vec(), expected);
        }
    }
}
