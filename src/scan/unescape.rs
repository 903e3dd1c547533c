/*!
Strings as they are meant, from strings as they are written.

Agent logs are full of escapes, some forty in a kilobyte, so what counts is the
cost of each. Between two escapes stand some twenty bytes. They are copied as a
whole block of 64, which takes two instructions and no branch; what is copied
too much is overwritten by what comes next. Where the escapes are is known from
the masks, 64 bytes at a time.
*/

use std::str;

use bumpalo::Bump;

use crate::scan::{BLOCK, Job, Scanner, Simd, Strings, padded};

/// The string between two quotes, without its escapes. `None` if one of them
/// is bad, or if there is a raw control character.
///
/// A string without escapes is the text itself. Otherwise it is written to
/// the arena. The range may be any part of `line` that has no unescaped quote
/// in it; the bytes behind it may be read, and do not matter.
#[inline]
pub(crate) fn unescape<'a>(
    scanner: Scanner,
    line: &'a str,
    start: usize,
    end: usize,
    arena: &'a Bump,
) -> Option<&'a str> {
    let text = line.get(start..end)?;
    let rest = line.as_bytes().get(start..)?;
    if text.len() <= SHORT && is_plain(rest, text.len()) {
        return Some(text);
    }
    unescape_long(scanner, rest, text, arena)
}

/// A string of up to so many bytes is first looked at word by word.
const SHORT: usize = 32;

/// Whether the first `len` bytes of `line` have no backslash and no control
/// character in them.
#[inline(always)]
pub(crate) fn is_plain(line: &[u8], len: usize) -> bool {
    let (mut at, mut special) = (0, 0);
    while at < len {
        let Some(word) = line.get(at..).and_then(<[u8]>::first_chunk) else {
            return false;
        };
        let word = u64::from_le_bytes(*word);
        // What is behind the string becomes spaces.
        let word = match len - at {
            left @ 1..8 => {
                let own = (1 << (8 * left)) - 1;
                word & own | (LOW * 0x20) & !own
            }
            _ => word,
        };
        // The highest bit of a byte is set if the byte is too small, or if
        // it becomes zero by being compared. Higher bytes may be wrong then,
        // but the answer is not.
        let control = word.wrapping_sub(LOW * 0x20) & !word;
        let compared = word ^ (LOW * b'\\' as u64);
        let backslash = compared.wrapping_sub(LOW) & !compared;
        special |= (control | backslash) & (LOW << 7);
        at += 8;
    }
    special == 0
}

/// The lowest bit of each byte of a word.
const LOW: u64 = 0x0101_0101_0101_0101;

#[inline(never)]
fn unescape_long<'a>(
    scanner: Scanner,
    line: &'a [u8],
    text: &'a str,
    arena: &'a Bump,
) -> Option<&'a str> {
    let len = text.len();
    let Some(first) = scanner.run(FindSpecial { line, len }) else {
        return Some(text);
    };
    let out = arena.alloc_slice_fill_copy(len + BLOCK, 0);
    let bytes = scanner.run(Unescape { line, len, first, out })?;
    debug_assert!(str::from_utf8(bytes).is_ok());
    // SAFETY: what the job writes are whole characters: it copies the `str`
    // from one ASCII byte to another, and puts characters in between.
    Some(unsafe { str::from_utf8_unchecked(bytes) })
}

/// Whether a key, as it is written, means `wanted`.
#[inline]
pub(crate) fn is_key(written: &[u8], wanted: &str) -> bool {
    let wanted = wanted.as_bytes();
    // The first byte settles nearly all.
    match (written.first(), wanted.first()) {
        (Some(b'\\'), _) => means(written, wanted),
        (Some(first), Some(other)) if first == other => {
            written == wanted
                || written.len() > wanted.len()
                    && written.contains(&b'\\')
                    && means(written, wanted)
        }
        (None, None) => true,
        _ => false,
    }
}

/// Whether a string as it is written, with escapes, means `wanted`.
#[cold]
fn means(mut rest: &[u8], mut wanted: &[u8]) -> bool {
    while let Some(&byte) = rest.first() {
        let mut utf8 = [0; 4];
        let (meant, used): (&[u8], usize) = match byte {
            b'\\' => match escape(rest) {
                Some((meant, used)) => {
                    (meant.encode_utf8(&mut utf8).as_bytes(), used)
                }
                None => return false,
            },
            0..0x20 => return false,
            _ => (rest.get(..1).unwrap_or_default(), 1),
        };
        match wanted.strip_prefix(meant) {
            Some(left) => wanted = left,
            None => return false,
        }
        rest = rest.get(used..).unwrap_or_default();
    }
    wanted.is_empty()
}

/// Whether every escape of a string is good, and nothing in it must be one.
pub(crate) fn is_well_written(mut rest: &[u8]) -> bool {
    while let Some(&byte) = rest.first() {
        let used = match byte {
            b'\\' => match escape(rest) {
                Some((_, used)) => used,
                None => return false,
            },
            0..0x20 => return false,
            _ => 1,
        };
        rest = rest.get(used..).unwrap_or_default();
    }
    true
}

/// The character that an escape means, and how long the escape is. `text`
/// begins with its backslash.
pub(crate) fn escape(text: &[u8]) -> Option<(char, usize)> {
    let code = *text.get(1)?;
    if code == b'u' {
        return unicode_escape(text);
    }
    let meant = MEANINGS.get(usize::from(code)).copied().unwrap_or(0);
    (meant != 0).then_some((char::from(meant), 2))
}

/// What each byte means behind a backslash. Nothing, if that is 0.
const MEANINGS: [u8; 256] = {
    let mut meanings = [0; 256];
    let pairs = [
        (b'"', b'"'),
        (b'\\', b'\\'),
        (b'/', b'/'),
        (b'b', 0x08),
        (b'f', 0x0C),
        (b'n', b'\n'),
        (b'r', b'\r'),
        (b't', b'\t'),
    ];
    let mut at = 0;
    while at < pairs.len() {
        meanings[pairs[at].0 as usize] = pairs[at].1;
        at += 1;
    }
    meanings
};

/// A character outside of the first plane is written as two escapes.
#[cold]
fn unicode_escape(text: &[u8]) -> Option<(char, usize)> {
    let high = unit(text)?;
    if let Some(meant) = char::from_u32(high) {
        return Some((meant, 6));
    }
    let low = unit(text.get(6..)?)?;
    if high >= 0xDC00 || !(0xDC00..0xE000).contains(&low) {
        return None;
    }
    let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    Some((char::from_u32(code)?, 12))
}

/// The number in `\uXXXX`.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let mut unit = 0;
    for &digit in digits {
        unit = unit << 4 | char::from(digit).to_digit(16)?;
    }
    Some(unit)
}

/// The block of `line` that begins at `start`, and which of its bytes are
/// among the first `len` of the line.
#[inline(always)]
fn block_at<S: Simd>(
    simd: S,
    line: &[u8],
    start: usize,
    len: usize,
) -> Option<(S::Block, u64)> {
    let rest = line.get(start..)?;
    let block = match rest.first_chunk::<BLOCK>() {
        Some(bytes) => simd.load(bytes),
        None => simd.load(&padded(rest)),
    };
    let within = match len.checked_sub(start)? {
        left @ 0..BLOCK => (1 << left) - 1,
        _ => !0,
    };
    Some((block, within))
}

/// Finds the first backslash or control character in the first `len` bytes.
struct FindSpecial<'t> {
    line: &'t [u8],
    len: usize,
}

impl Job for FindSpecial<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<usize> {
        let mut start = 0;
        while start < self.len {
            let (block, within) = block_at(simd, self.line, start, self.len)?;
            let special = simd.equal(block, b'\\') | simd.controls(block);
            if special & within != 0 {
                let at = (special & within).trailing_zeros() as usize;
                return Some(start + at);
            }
            start += BLOCK;
        }
        None
    }
}

/// Writes what the first `len` bytes of `line` mean to `out`, which has room
/// for that and a block more.
struct Unescape<'t, 'a> {
    line: &'t [u8],
    len: usize,
    /// No backslash and no control character is before this.
    first: usize,
    out: &'a mut [u8],
}

impl<'a> Job for Unescape<'_, 'a> {
    type Output = Option<&'a [u8]>;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Option<&'a [u8]> {
        let mut carry = Strings::default();
        // What is before these has been read, and written.
        let (mut read, mut written) = (0, 0);
        // If it is a backslash it escapes, so masks can begin with it.
        let mut start = self.first;
        while start < self.len {
            let (block, within) = block_at(simd, self.line, start, self.len)?;
            if simd.controls(block) & within != 0 {
                return None;
            }
            let backslashes = simd.equal(block, b'\\') & within;
            let mut escapes = backslashes & !carry.escaped(backslashes);
            while escapes != 0 {
                let at = start + escapes.trailing_zeros() as usize;
                escapes &= escapes - 1;
                // The second half of a pair has been read with the first.
                if at < read {
                    continue;
                }
                self.copy(read, at, written)?;
                written += at - read;
                let code = *self.line.get(at + 1)?;
                let meant = *MEANINGS.get(usize::from(code))?;
                if meant != 0 {
                    *self.out.get_mut(written)? = meant;
                    written += 1;
                    read = at + 2;
                } else {
                    let (meant, used) = escape(self.line.get(at..self.len)?)?;
                    let room = self.out.get_mut(written..written + 4)?;
                    written += meant.encode_utf8(room).len();
                    read = at + used;
                }
            }
            start += BLOCK;
        }
        self.copy(read, self.len, written)?;
        written += self.len.checked_sub(read)?;
        let out: &'a [u8] = self.out;
        out.get(..written)
    }
}

impl Unescape<'_, '_> {
    /// Copies `from..to`, and perhaps a little more.
    #[inline(always)]
    fn copy(&mut self, from: usize, to: usize, written: usize) -> Option<()> {
        let mut done = 0;
        let length = to.checked_sub(from)?;
        while done < length {
            let (read, write) = (from + done, written + done);
            let source = self.line.get(read..read + BLOCK);
            let room = self.out.get_mut(write..write + BLOCK);
            match (source, room) {
                (Some(source), Some(room)) => room.copy_from_slice(source),
                _ => {
                    let room = self.out.get_mut(write..written + length)?;
                    room.copy_from_slice(self.line.get(read..to)?);
                    break;
                }
            }
            done += BLOCK;
        }
        Some(())
    }
}
