use memchr::memchr2;

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
        Blocks::starting_at(text, 0)
    }

    /// Returns the blocks from an offset on.
    #[inline(always)]
    pub(crate) fn starting_at(text: &'t [u8], start: usize) -> Blocks<'t> {
        Blocks { text, next: start }
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
            None => simd.load_part(rest),
        };
        self.next = start + BLOCK;
        Some((start, block))
    }

    /// Returns whether the blocks that have been returned contain every byte
    /// before the offset `end`.
    #[inline(always)]
    pub(crate) fn has_reached(self, end: usize) -> bool {
        self.next >= end
    }

    #[inline(always)]
    pub(crate) fn text(self) -> &'t [u8] {
        self.text
    }
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

/// Returns the offset of the quote that closes the string at `start`, or the
/// length of the text if the string is not closed.
pub(crate) fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(next) = memchr2(b'"', b'\\', rest) else {
            return text.len();
        };
        at += next;
        if text.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
}
