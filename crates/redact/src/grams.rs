/*!
Finds literals: the places where a rule can match.

Each literal has a window of four bytes that are rare in logs, and literals with
similar windows are in one bucket. A vectorised [`Prefilter`] finds the windows of
all buckets in one pass. Each hit is compared with the literals of its bucket.
*/

use std::fmt;

use linetape::Prefilter;

use crate::{buckets::Buckets, rule::Tail};

/// The offset of a window, and the buckets that are possible there.
pub(crate) type Hits = Vec<(usize, u32)>;

/// A literal of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Literal {
    /// In lower case, unless it `is_exact`. `#` is a digit, and `^` a
    /// hexadecimal one.
    text: Box<[u8]>,
    /// Whether upper and lower case are different.
    is_exact: bool,
    tail: Tail,
    /// Whether a word begins with the literal.
    is_word: bool,
    /// What the literal belongs to.
    pub(crate) owner: usize,
}

/// A set of literals.
pub(crate) struct Grams {
    prefilter: Prefilter,
    /// The first two bytes of all windows, and the last two.
    pairs: [Pairs; 2],
    buckets: Vec<Bucket>,
    literals: Vec<Literal>,
}

/// A set of pairs of bytes.
struct Pairs(Vec<u64>);

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs(vec![0; 1 << (16 - 6)])
    }
}

impl Pairs {
    /// Adds all pairs of one byte and another.
    fn add(&mut self, one: &[u8], other: &[u8]) {
        for (one, other) in
            one.iter().flat_map(|one| other.iter().map(move |b| (*one, *b)))
        {
            let pair = u16::from_le_bytes([one, other]);
            if let Some(bits) = self.0.get_mut(usize::from(pair >> 6)) {
                *bits |= 1 << (pair & 63);
            }
        }
    }

    #[inline]
    fn has(&self, pair: u16) -> bool {
        let bits = self.0.get(usize::from(pair >> 6));
        bits.is_some_and(|bits| bits >> (pair & 63) & 1 == 1)
    }
}

/// Literals with similar windows.
#[derive(Clone, Debug, Default)]
struct Bucket {
    /// For each window, which bits of the four bytes are always the same, and
    /// these bits. The others depend on the case, or on what follows the
    /// literal.
    bits: Vec<[u32; 2]>,
    windows: Vec<Window>,
}

/// The window of a literal.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// How far it is behind the start of the literal.
    skip: usize,
    literal: usize,
}

/// Makes a set of literals.
#[derive(Debug, Default)]
pub(crate) struct GramsBuilder {
    literals: Vec<Literal>,
}

impl GramsBuilder {
    /// Adds a literal.
    pub(crate) fn add(
        &mut self,
        literal: &str,
        tail: Tail,
        is_word: bool,
        is_exact: bool,
        owner: usize,
    ) {
        let text = match is_exact {
            true => literal.to_string(),
            false => literal.to_ascii_lowercase(),
        };
        let text: Box<[u8]> = text.into_bytes().into();
        let literal = Literal { text, is_exact, tail, is_word, owner };
        self.literals.push(literal);
    }

    pub(crate) fn build(self) -> Grams {
        let GramsBuilder { literals } = self;
        let windows = literals.iter().map(Literal::windows);
        let made = Buckets::of(windows.collect());
        let mut buckets = vec![Bucket::default(); made.count];
        let mut pairs = [Pairs::default(), Pairs::default()];
        for (literal, &(bucket, skip)) in made.places.iter().enumerate() {
            let Some(own) = literals.get(literal) else { continue };
            for (pairs, at) in pairs.iter_mut().zip([skip, skip + 2]) {
                pairs.add(&own.set(at), &own.set(at + 1));
            }
            if let Some(bucket) = buckets.get_mut(bucket) {
                bucket.bits.push(own.bits(skip));
                bucket.windows.push(Window { skip, literal });
            }
        }
        let prefilter = Prefilter::new(&made.sets);
        Grams { prefilter, pairs, buckets, literals }
    }
}

impl Grams {
    /// Calls `hit` with the start of each literal in a text, in no particular
    /// order, until it returns false. Returns whether it never did. `hits` is
    /// reused memory.
    #[inline]
    pub(crate) fn find(
        &self,
        text: &[u8],
        hits: &mut Hits,
        mut hit: impl FnMut(usize, &Literal) -> bool,
    ) -> bool {
        hits.clear();
        self.prefilter.find(text, hits);
        for &(at, buckets) in hits.iter() {
            if !self.compare(text, at, buckets, &mut hit) {
                return false;
            }
        }
        true
    }

    /// Compares the text with the literals of buckets that have their window
    /// at an offset.
    #[inline]
    fn compare(
        &self,
        text: &[u8],
        at: usize,
        mut buckets: u32,
        hit: &mut impl FnMut(usize, &Literal) -> bool,
    ) -> bool {
        let rest = text.get(at..).unwrap_or_default();
        let four = match rest.first_chunk::<4>() {
            Some(four) => *four,
            None => [0, 1, 2, 3].map(|n| rest.get(n).map_or(b' ', |b| *b)),
        };
        let four = u32::from_le_bytes(four);
        // Most hits are a mixture of several windows.
        let [first, last] = &self.pairs;
        if !first.has(four as u16) || !last.has((four >> 16) as u16) {
            return true;
        }
        while buckets != 0 {
            let bucket = buckets.trailing_zeros() as usize;
            buckets &= buckets - 1;
            let Some(Bucket { bits, windows }) = self.buckets.get(bucket)
            else {
                continue;
            };
            // Without branches, compilers vectorise this.
            let is_one = |all, [mask, bits]: &[u32; 2]| {
                all | u32::from(four & mask == *bits)
            };
            if bits.iter().fold(0, is_one) == 0 {
                continue;
            }
            for ([mask, bits], window) in bits.iter().zip(windows) {
                if four & mask == *bits
                    && let Some(start) = at.checked_sub(window.skip)
                    && let Some(literal) = self.literals.get(window.literal)
                    && literal.is_at(text, start)
                    && !hit(start, literal)
                {
                    return false;
                }
            }
        }
        true
    }
}

impl Literal {
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the bytes that are possible in each window.
    fn windows(&self) -> Vec<[Vec<u8>; 4]> {
        let last = self.text.len().saturating_sub(4);
        // The byte behind the literal says more than one inside of it.
        let last = last + usize::from(matches!(self.tail, Tail::Assigned));
        let window = |at| [0, 1, 2, 3].map(|n| self.set(at + n));
        (0..=last).map(window).collect()
    }

    /// Returns the bytes that are possible at an offset.
    fn set(&self, at: usize) -> Vec<u8> {
        match self.text.get(at) {
            None | Some(b'#' | b'^') => {
                (0..=u8::MAX).filter(|byte| self.allows(at, *byte)).collect()
            }
            Some(own) if self.is_exact => vec![*own],
            Some(own) => vec![*own, own.to_ascii_uppercase()],
        }
    }

    /// Returns whether a byte is possible at an offset.
    fn allows(&self, at: usize, byte: u8) -> bool {
        match self.text.get(at) {
            Some(b'#') => byte.is_ascii_digit(),
            Some(b'^') => byte.is_ascii_hexdigit(),
            Some(own) if self.is_exact => *own == byte,
            Some(own) => *own == byte.to_ascii_lowercase(),
            None => self.tail.allows(at - self.text.len(), byte),
        }
    }

    /// Returns which bits the window at an offset always has, and these bits.
    fn bits(&self, at: usize) -> [u32; 2] {
        let bytes = [0, 1, 2, 3].map(|n| match self.text.get(at + n) {
            None | Some(b'#' | b'^') => (0, 0),
            Some(own) if !self.is_exact && own.is_ascii_alphabetic() => {
                (0xDF, own & 0xDF)
            }
            Some(own) => (0xFF, *own),
        });
        let mask = u32::from_le_bytes(bytes.map(|(mask, _)| mask));
        [mask, u32::from_le_bytes(bytes.map(|(_, bits)| bits))]
    }

    /// Returns whether the literal and its tail stand at an offset.
    fn is_at(&self, text: &[u8], start: usize) -> bool {
        let end = start + self.text.len();
        let Some(found) = text.get(start..end) else { return false };
        let mut bytes = found.iter().enumerate();
        (!self.is_word || begins_word(text, start))
            && bytes.all(|(at, byte)| self.allows(at, *byte))
            && self.tail.fits(text, start, end)
    }
}

/// Returns whether a byte can be a part of a word.
pub(crate) fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether a word begins at an offset. The letter of an escape is not
/// a part of the word after it.
fn begins_word(text: &[u8], at: usize) -> bool {
    match text.get(..at).unwrap_or_default() {
        [.., b'\\', _] => true,
        [.., last] => !is_in_word(*last) || begins_apart(text, at),
        [] => true,
    }
}

/// Returns whether there is a percent escape of a URL before an offset, such as
/// `%3D`, or an underscore: `OLD_sk-...`.
pub(crate) fn begins_after_sign(text: &[u8], at: usize) -> bool {
    match text.get(..at).unwrap_or_default() {
        [.., b'_'] => true,
        [.., b'%', high, low] => {
            high.is_ascii_hexdigit() && low.is_ascii_hexdigit()
        }
        _ => false,
    }
}

/// Returns whether a word begins at an offset although there is a letter, a digit
/// or an underscore before it: that is the end of an escape, of whatever kind.
pub(crate) fn begins_apart(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    begins_after_sign(text, at)
        || ends_sequence(text, at)
        // What is too deep in JSON inside of strings to be unescaped.
        || matches!(before, [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'])
}

/// Returns whether a byte ends escape sequences that terminals print beside a
/// text: those for colours, and for the cursor at the start of a line.
fn is_final(byte: u8) -> bool {
    b"mKJH".contains(&byte)
}

/// Returns whether an escape sequence of a terminal ends before an offset, such
/// as the one for a colour.
fn ends_sequence(text: &[u8], at: usize) -> bool {
    let Some((last, before)) = text.get(..at).and_then(<[u8]>::split_last)
    else {
        return false;
    };
    if !is_final(*last) {
        return false;
    }
    let is_digit = |b: &&u8| b.is_ascii_digit() || **b == b';';
    let digits = before.iter().rev().take(20).take_while(is_digit).count();
    let start = before.len() - digits;
    before.get(..start).is_some_and(|b| b.ends_with(b"\x1b["))
}

impl fmt::Debug for Grams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grams")
            .field("literals", &self.literals.len())
            .field("buckets", &self.buckets.len())
            .finish_non_exhaustive()
    }
}
