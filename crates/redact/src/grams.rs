/*!
Finds literals: the places where a rule can match.

Every four bytes of the text are looked up in a table, without regard to case.
Unlike the steps of an automaton, the look-ups do not depend on each other, so
they run in parallel. A hit is compared with the literals that have these four
bytes.
*/

use std::fmt;

use crate::rule::Tail;

/// The number of bytes of the table, each of which has eight entries.
const SIZE: usize = 1 << 16;

/// A literal of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Literal {
    /// In lower case. `#` is a digit, and `^` a hexadecimal one.
    text: Box<[u8]>,
    /// Where in `text` the four bytes are that stand in the table.
    gram: usize,
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
    /// For each hash, where its entries begin.
    starts: Vec<u32>,
    /// Four bytes, and a literal that has them.
    entries: Vec<(u32, u16)>,
    literals: Vec<Literal>,
    /// Literals of one byte.
    bytes: Vec<(u8, u16)>,
}

/// Makes a set of literals.
#[derive(Debug, Default)]
pub(crate) struct GramsBuilder {
    entries: Vec<(u32, u16)>,
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
        owner: usize,
    ) {
        let text: Box<[u8]> = literal.to_ascii_lowercase().into_bytes().into();
        let id = u16::try_from(self.literals.len()).unwrap_or(u16::MAX);
        if let [byte] = *text {
            self.bytes.push((byte, id));
        }
        let gram = rarest(&text);
        // What is in the four bytes: the literal, and then its tail.
        let sets: Vec<Vec<u8>> = (gram..gram + 4)
            .map(|at| match text.get(at) {
                Some(b'#') => (b'0'..=b'9').collect(),
                Some(b'^') => HEX.to_vec(),
                Some(byte) => vec![*byte],
                None => tail.folded(),
            })
            .collect();
        if text.len() > 1
            && let [a, b, c, d] = &sets[..]
        {
            for &a in a {
                for &b in b {
                    for &c in c {
                        for &d in d {
                            let gram = fold(u32::from_le_bytes([a, b, c, d]));
                            self.entries.push((gram, id));
                        }
                    }
                }
            }
        }
        self.literals.push(Literal { text, gram, tail, is_word, owner });
    }

    pub(crate) fn build(mut self) -> Grams {
        self.entries
            .sort_unstable_by_key(|(gram, id)| (hash(*gram), *gram, *id));
        self.entries.dedup();
        let mut table = Box::new([0; SIZE]);
        let mut starts = vec![0_u32; SIZE + 1];
        for (gram, _) in &self.entries {
            let (hash, bit) = hash(*gram);
            if let Some(entry) = table.get_mut(hash) {
                *entry |= 1_u8 << bit;
            }
            if let Some(count) = starts.get_mut(hash + 1) {
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

const HEX: &[u8] = b"0123456789abcdef";

impl Tail {
    /// Returns the bytes that can follow a short literal, in lower case.
    fn folded(self) -> Vec<u8> {
        let all = || 0..=u8::MAX;
        let mut bytes: Vec<u8> = match self {
            Tail::Any | Tail::User | Tail::Near => all().collect(),
            Tail::Hex(_) => HEX.to_vec(),
            Tail::Alnum(_) => {
                all().filter(u8::is_ascii_alphanumeric).collect()
            }
            Tail::Token(_) => all().filter(|b| is_token(*b)).collect(),
        };
        for byte in &mut bytes {
            *byte |= 0x20;
        }
        bytes.sort_unstable();
        bytes.dedup();
        bytes
    }

    /// Returns whether a text begins as this says. What could have an escape
    /// in it is not tested here: all lines with `\u` and `\/` are looked at.
    fn fits(self, text: &[u8]) -> bool {
        let (is_part, least): (fn(&u8) -> bool, usize) = match self {
            Tail::Any => return true,
            Tail::User => {
                let ends = |b: &u8| b" \t\n\r\"'<>/\\@".contains(b);
                let end = text.iter().take(600).position(ends);
                let end = end.and_then(|end| text.get(end));
                return end == Some(&b'@');
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

#[inline(always)]
fn fold(gram: u32) -> u32 {
    gram | 0x2020_2020
}

/// Returns the byte of the table for four bytes, and the bit in it.
#[inline(always)]
fn hash(gram: u32) -> (usize, u32) {
    let hash = gram.wrapping_mul(0x9E37_79B1);
    (usize::from((hash >> 16) as u16), hash >> 13 & 7)
}

/// Returns where the four bytes of a literal are that are rare in logs.
fn rarest(text: &[u8]) -> usize {
    let score = |byte: &u8| match byte {
        b'a' | b'e' | b'i' | b'o' | b't' | b'n' | b's' | b'r' => 0,
        b'-' | b' ' | b'\\' | b'/' | b'"' => 1,
        b'j' | b'k' | b'q' | b'v' | b'w' | b'x' | b'z' | b'~' | b'_' => 4,
        b'#' | b'^' => 0,
        b'0'..=b'9' => 3,
        _ => 2,
    };
    let windows = text.windows(4).enumerate();
    let rarest = windows.max_by_key(|(at, window)| {
        // Of two that are equal, the first.
        (window.iter().map(score).sum::<u32>(), usize::MAX - at)
    });
    rarest.map_or(0, |(at, _)| at)
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
        let mut at = 0;
        while let Some(block) = text.get(at..).and_then(<[u8]>::first_chunk) {
            if self.has_any(block)
                && !(at..at + 16).all(|at| self.verify(text, at, &mut hit))
            {
                return false;
            }
            at += 16;
        }
        (at..text.len()).all(|at| self.verify(text, at, &mut hit))
    }

    /// Returns whether four of these bytes are in the table, beginning at one
    /// of the first 16.
    #[inline(always)]
    fn has_any(&self, block: &[u8; 20]) -> bool {
        let mut any = 0;
        for half in [0, 4, 8, 12] {
            let eight = block.get(half..).and_then(<[u8]>::first_chunk);
            let eight = u64::from_le_bytes(*eight.unwrap_or(&[0; 8]));
            let eight = eight | 0x2020_2020_2020_2020;
            for shift in [0, 8, 16, 24] {
                let gram = (eight >> shift) as u32;
                let (hash, bit) = hash(gram);
                any |= self.table.get(hash).copied().unwrap_or(0) >> bit;
            }
        }
        any & 1 != 0
    }

    /// Compares the text at an offset with the literals.
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
        let gram = fold(u32::from_le_bytes(*four));
        let (hash, bit) = hash(gram);
        if self.table.get(hash).is_none_or(|bits| bits >> bit & 1 == 0) {
            return true;
        }
        let [Some(start), Some(end)] =
            [hash, hash + 1].map(|at| self.starts.get(at))
        else {
            return true;
        };
        let entries = self.entries.get(*start as usize..*end as usize);
        for (entry, id) in entries.unwrap_or_default() {
            if *entry == gram
                && let Some(literal) = self.literals.get(usize::from(*id))
                && let Some(start) = at.checked_sub(literal.gram)
                && literal.is_at(text, start)
                && !hit(start, literal)
            {
                return false;
            }
        }
        true
    }
}

impl Literal {
    /// Returns whether the literal and its tail stand at an offset.
    fn is_at(&self, text: &[u8], start: usize) -> bool {
        let end = start + self.text.len();
        let Some(found) = text.get(start..end) else { return false };
        let is_same = |(own, byte): (&u8, &u8)| match own {
            b'#' => byte.is_ascii_digit(),
            b'^' => byte.is_ascii_hexdigit(),
            own => *own == byte.to_ascii_lowercase(),
        };
        self.text.iter().zip(found).all(is_same)
            && (!self.is_word || begins_word(text, start))
            && self.tail.fits(text.get(end..).unwrap_or_default())
    }
}

/// Returns whether a word begins at an offset. The letter of an escape is not
/// a part of the word after it.
fn begins_word(text: &[u8], at: usize) -> bool {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    match text.get(..at).unwrap_or_default() {
        [.., b'\\', _] => true,
        [.., last] => !is_word(last),
        [] => true,
    }
}

impl fmt::Debug for Grams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grams")
            .field("literals", &self.literals.len())
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}
