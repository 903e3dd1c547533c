/*!
Finds literals: the places where a rule can match.

Each literal has a window of five bytes that are rare in logs. Whatever its
alignment, four of these bytes begin at an even offset of the text. So only the
four bytes at even offsets are looked up, in a table with one bit for each hash.
The look-ups do not depend on each other, unlike the steps of an automaton, and
the offsets of hits are collected without a branch: with one, every tenth would
be mispredicted.

Then each hit is looked up by its four bytes, and compared with the literals
that have them.
*/

use std::fmt;

use crate::rule::Tail;

/// The number of bytes of the table, each of which has eight entries.
const SIZE: usize = 1 << 16;

/// The number of bytes that are looked up before the hits are compared.
const CHUNK: usize = 1024;

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
    /// A bit for each hash: whether a literal has four bytes with it. With
    /// fewer bits, most hits would be collisions.
    table: Box<[u8; SIZE]>,
    /// For each byte of the table, where its entries begin.
    starts: Vec<u32>,
    entries: Vec<Entry>,
    literals: Vec<Literal>,
    /// Literals of one byte.
    bytes: Vec<(u8, u16)>,
}

/// Four bytes of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// The hash of the four bytes.
    hash: (u16, u8),
    /// The four bytes, in lower case.
    gram: u32,
    literal: u16,
    /// How far the four bytes are behind the byte before the literal.
    skip: u16,
}

/// Makes a set of literals.
#[derive(Debug, Default)]
pub(crate) struct GramsBuilder {
    entries: Vec<Entry>,
    literals: Vec<Literal>,
    bytes: Vec<(u8, u16)>,
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
        let id = u16::try_from(self.literals.len()).unwrap_or(u16::MAX);
        if let [byte] = *text {
            self.bytes.push((byte, id));
        }
        let window = window(&text);
        let literal = Literal { text, is_exact, tail, is_word, owner };
        // The window begins at an even offset, or at an odd one.
        for skip in [window, window + 1] {
            if literal.text.len() == 1 {
                break;
            }
            let [a, b, c, d] = &[0, 1, 2, 3].map(|n| literal.set(skip + n));
            for &a in a {
                for &b in b {
                    for &c in c {
                        for &d in d {
                            let gram = u32::from_le_bytes([a, b, c, d]);
                            let hash = hash(gram);
                            let skip = u16::try_from(skip).unwrap_or(u16::MAX);
                            self.entries.push(Entry {
                                hash,
                                gram,
                                literal: id,
                                skip,
                            });
                        }
                    }
                }
            }
        }
        self.literals.push(literal);
    }

    pub(crate) fn build(mut self) -> Grams {
        self.entries.sort_unstable();
        self.entries.dedup();
        let mut table = Box::new([0; SIZE]);
        let mut starts = vec![0_u32; SIZE + 1];
        for entry in &self.entries {
            let (byte, bit) = entry.hash;
            if let Some(bits) = table.get_mut(usize::from(byte)) {
                *bits |= 1_u8 << bit;
            }
            if let Some(count) = starts.get_mut(usize::from(byte) + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let GramsBuilder { entries, literals, bytes } = self;
        Grams { table, starts, entries, literals, bytes }
    }
}

/// Returns the bytes that are so, in lower case.
fn folded(is_part: impl Fn(&u8) -> bool) -> Vec<u8> {
    let bytes = (0..=u8::MAX).filter(is_part);
    let mut bytes: Vec<u8> = bytes.map(|byte| byte | 0x20).collect();
    bytes.sort_unstable();
    bytes.dedup();
    bytes
}

impl Tail {
    /// Returns whether a byte can be `n` bytes behind the literal.
    fn allows(self, n: usize, byte: u8) -> bool {
        match self {
            Tail::Hex(least) if n < least => byte.is_ascii_hexdigit(),
            Tail::Alnum(least) if n < least => byte.is_ascii_alphanumeric(),
            Tail::Token(least) if n < least => is_token(byte),
            _ => true,
        }
    }

    /// Returns whether a text begins as this says. What could have an escape
    /// in it is not tested here: all lines with `\u` and `\/` are looked at.
    fn fits(self, text: &[u8]) -> bool {
        let (is_part, least): (fn(&u8) -> bool, usize) = match self {
            Tail::Any => return true,
            Tail::User => {
                let ends = |b: &&u8| !b" \t\n\r\"'<>".contains(b);
                let mut user = text.iter().take(600).take_while(ends);
                return user.any(|b| *b == b'@');
            }
            Tail::Near => {
                let is_sign = |b: &u8| b"=:\"' \t\n\r,>(\\".contains(b);
                return text.iter().take(42).any(is_sign);
            }
            Tail::Hex(least) => (u8::is_ascii_hexdigit, least),
            Tail::Alnum(least) => (u8::is_ascii_alphanumeric, least),
            Tail::Token(least) => (|b| is_token(*b), least),
        };
        let found = text.iter().take(least).take_while(|b| is_part(b)).count();
        found == least
    }
}

/// Returns whether a byte occurs in tokens.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=.~%".contains(&byte)
}

/// Returns the byte of the table for four bytes, and the bit in it.
#[inline(always)]
fn hash(gram: u32) -> (u16, u8) {
    let hash = gram.wrapping_mul(0x9E37_79B1);
    ((hash >> 16) as u16, (hash >> 13 & 7) as u8)
}

/// Returns where the window of a literal begins, counted from the byte before
/// the literal. Short literals need that byte.
fn window(text: &[u8]) -> usize {
    let score = |byte: &u8| match byte {
        b'a' | b'e' | b'i' | b'o' | b't' | b'n' | b's' | b'r' => 0,
        b'-' | b' ' | b'\\' | b'/' | b'"' => 1,
        b'j' | b'k' | b'q' | b'v' | b'w' | b'x' | b'z' | b'~' | b'_' => 4,
        b'#' | b'^' => 0,
        b'0'..=b'9' => 3,
        _ => 2,
    };
    let windows = text.windows(5).zip(1..);
    let rarest = windows.max_by_key(|(window, at)| {
        // Of two that are equal, the first.
        (window.iter().map(score).sum::<u32>(), usize::MAX - at)
    });
    rarest.map_or(0, |(_, at)| at)
}

impl Grams {
    /// Calls `hit` with the start of each literal in a text, in no particular
    /// order, until it returns false. Returns whether it never did.
    #[inline]
    pub(crate) fn find(
        &self,
        text: &[u8],
        mut hit: impl FnMut(usize, &Literal) -> bool,
    ) -> bool {
        for (byte, id) in &self.bytes {
            let Some(literal) = self.literals.get(usize::from(*id)) else {
                continue;
            };
            for at in memchr::memchr_iter(*byte, text) {
                if literal.is_at(text, at) && !hit(at, literal) {
                    return false;
                }
            }
        }
        for (number, chunk) in text.chunks(CHUNK).enumerate() {
            let start = number * CHUNK;
            // The last four bytes may end in the next chunk.
            let end = text.len().min(start + chunk.len() + 2);
            let chunk = text.get(start..end).unwrap_or_default();
            let (hits, count) = self.hits(chunk);
            for at in hits.iter().take(count) {
                if !self.verify(text, start + usize::from(*at), &mut hit) {
                    return false;
                }
            }
        }
        true
    }

    /// Returns the even offsets of four bytes that are in the table, and how
    /// many there are.
    #[inline(always)]
    fn hits(&self, chunk: &[u8]) -> ([u16; CHUNK / 2], usize) {
        let (mut hits, mut count) = ([0; CHUNK / 2], 0);
        let mut look_up = |gram: u32, at: u16| {
            let (byte, bit) = hash(gram | 0x2020_2020);
            let bits = self.table.get(usize::from(byte)).copied();
            // There are as many places as offsets.
            if let Some(place) = hits.get_mut(count % (CHUNK / 2)) {
                *place = at;
            }
            count += usize::from(bits.unwrap_or(0) >> bit & 1);
        };
        let mut at = 0_u16;
        let mut rest = chunk;
        while let Some([low, high]) = two_words(rest) {
            for (shift, two) in [(0, 0), (16, 2), (32, 4)] {
                look_up((low >> shift) as u32, at + two);
            }
            look_up((low >> 48 | high << 16) as u32, at + 6);
            rest = rest.get(8..).unwrap_or_default();
            at += 8;
        }
        while let Some(four) = rest.first_chunk() {
            look_up(u32::from_le_bytes(*four), at);
            rest = rest.get(2..).unwrap_or_default();
            at += 2;
        }
        (hits, count)
    }

    /// Compares the text with the literals that have the four bytes at an
    /// offset.
    #[inline]
    fn verify(
        &self,
        text: &[u8],
        at: usize,
        hit: &mut impl FnMut(usize, &Literal) -> bool,
    ) -> bool {
        let Some(four) = text.get(at..).and_then(<[u8]>::first_chunk) else {
            return true;
        };
        let gram = u32::from_le_bytes(*four) | 0x2020_2020;
        let (byte, _) = hash(gram);
        let byte = usize::from(byte);
        let [Some(start), Some(end)] =
            [byte, byte + 1].map(|at| self.starts.get(at))
        else {
            return true;
        };
        let entries = self.entries.get(*start as usize..*end as usize);
        for entry in entries.unwrap_or_default() {
            if entry.gram == gram
                && let Some(literal) =
                    self.literals.get(usize::from(entry.literal))
                && let Some(start) =
                    (at + 1).checked_sub(usize::from(entry.skip))
                && literal.is_at(text, start)
                && !hit(start, literal)
            {
                return false;
            }
        }
        true
    }
}

/// Returns the first eight bytes of a text, and the two bytes after them.
#[inline(always)]
fn two_words(text: &[u8]) -> Option<[u64; 2]> {
    let [low @ .., a, b] = text.first_chunk::<10>()?;
    let high = u16::from_le_bytes([*a, *b]);
    Some([u64::from_le_bytes(*low), high.into()])
}

impl Literal {
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the bytes that are possible at an offset, in lower case. The
    /// offset is counted from the byte before the literal.
    fn set(&self, at: usize) -> Vec<u8> {
        let Some(at) = at.checked_sub(1) else {
            // The letter of an escape can be before a word, the last one of an
            // escape sequence of a terminal, a digit of a percent escape, and
            // an underscore.
            let is_end = |b: &u8| {
                b"nrtu_".contains(b) || is_final(*b) || b.is_ascii_hexdigit()
            };
            let is_part = |b: &u8| !is_in_word(*b) || is_end(b);
            return folded(|b| !self.is_word || is_part(b));
        };
        match self.text.get(at) {
            Some(b'#') => folded(u8::is_ascii_digit),
            Some(b'^') => folded(u8::is_ascii_hexdigit),
            Some(byte) => vec![byte | 0x20],
            None => folded(|b| self.tail.allows(at - self.text.len(), *b)),
        }
    }

    /// Returns whether the literal and its tail stand at an offset.
    fn is_at(&self, text: &[u8], start: usize) -> bool {
        let end = start + self.text.len();
        let Some(found) = text.get(start..end) else { return false };
        let is_same = |(own, byte): (&u8, &u8)| match own {
            b'#' => byte.is_ascii_digit(),
            b'^' => byte.is_ascii_hexdigit(),
            own if self.is_exact => own == byte,
            own => *own == byte.to_ascii_lowercase(),
        };
        self.text.iter().zip(found).all(is_same)
            && (!self.is_word || begins_word(text, start))
            && self.tail.fits(text.get(end..).unwrap_or_default())
    }
}

/// Returns whether a byte can be a part of a word.
fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether a word begins at an offset. The letter of an escape is not
/// a part of the word after it.
fn begins_word(text: &[u8], at: usize) -> bool {
    match text.get(..at).unwrap_or_default() {
        [.., b'\\', _] => true,
        [.., last] => {
            !is_in_word(*last)
                || begins_after_sign(text, at)
                || ends_sequence(text, at)
        }
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

/// Returns whether a byte ends escape sequences that terminals print beside a
/// text: those for colours, and for the cursor at the start of a line.
fn is_final(byte: u8) -> bool {
    b"mKJH".contains(&byte)
}

/// Returns whether an escape sequence of a terminal ends before an offset, such
/// as the one for a colour.
pub(crate) fn ends_sequence(text: &[u8], at: usize) -> bool {
    let Some((last, before)) = text.get(..at).and_then(<[u8]>::split_last)
    else {
        return false;
    };
    let is_digit = |b: &&u8| b.is_ascii_digit() || **b == b';';
    let digits = before.iter().rev().take(20).take_while(is_digit).count();
    let start = before.len() - digits;
    is_final(*last)
        && before.get(..start).is_some_and(|b| b.ends_with(b"\x1b["))
}

impl fmt::Debug for Grams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grams")
            .field("literals", &self.literals.len())
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}
