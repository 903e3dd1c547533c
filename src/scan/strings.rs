use crate::scan::Simd;

/// How many bytes a block has.
pub(crate) const BLOCK: usize = 64;

/// Tells what is inside of a string from what is not, block after block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strings {
    /// Whether the next byte is escaped: 0 or 1.
    escaped: u64,
    /// Whether the next byte is inside of a string: no bits, or all.
    inside: u64,
    /// Whether the string that goes on has been marked: 0 or 1.
    marked: u64,
}

impl Strings {
    /// Looks at the next block.
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

    /// Which bytes are escaped by a backslash before them.
    ///
    /// A backslash escapes the next byte unless it is escaped itself, so of a
    /// run of backslashes every second one does. A run that begins on an even
    /// bit has those on the even bits, and a subtraction finds where it ends
    /// by borrowing all the way through; the odd runs are what is left.
    #[inline(always)]
    pub(crate) fn escaped(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        // There is no short cut for a block without backslashes: agent logs
        // have so many that the branch would be a guess.
        let starts = backslashes & !self.escaped;
        let borrowed = ((starts << 1) | ODD).wrapping_sub(starts);
        let codes = borrowed ^ ODD;
        let escaped = codes ^ (backslashes | self.escaped);
        self.escaped = (codes & backslashes) >> 63;
        escaped
    }

    /// The quotes that end a string with any of the marked bytes in it.
    ///
    /// A string is a run of ones, and to add anything to it carries to the
    /// bit behind the run.
    #[inline(always)]
    pub(crate) fn ends_with(&mut self, marks: u64, inside: u64) -> u64 {
        sum(inside, marks & inside, &mut self.marked) & !inside
    }

    /// Whether the next byte is inside of a string.
    pub(crate) fn is_inside(self) -> bool {
        self.inside != 0
    }
}

/// What of a block has to do with strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StringMasks {
    /// Quotes that begin or end a string.
    pub(crate) quotes: u64,
    /// What is inside of strings: from the quote that begins one to the byte
    /// before the quote that ends it.
    pub(crate) inside: u64,
    pub(crate) backslashes: u64,
    /// Bytes with a backslash before them that escapes them.
    pub(crate) escaped: u64,
}

/// The blocks of a text. The last one is filled up with spaces.
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

    /// The next block, and where it begins.
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

/// Fewer than 64 bytes, filled up with spaces.
#[inline(never)]
pub(crate) fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut bytes = [b' '; BLOCK];
    for (byte, &given) in bytes.iter_mut().zip(rest) {
        *byte = given;
    }
    bytes
}

/// The sum of two masks, and what the last block carried over.
#[inline(always)]
pub(crate) fn sum(runs: u64, starts: u64, carry: &mut u64) -> u64 {
    // In 128 bits this is an addition and one with carry. In 64 bits, the
    // compiler would put several into a vector, which takes longer.
    let sum = u128::from(runs) + u128::from(starts) + u128::from(*carry);
    *carry = (sum >> 64) as u64;
    sum as u64
}
