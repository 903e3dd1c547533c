/*!
Strings as they are meant, from strings as they are written.

Agent logs are full of escapes, some forty in a kilobyte, so what counts is the
cost of each. Where they are is known from masks, 64 bytes at a time. What
follows depends on the CPU:

- One that can compress bytes does a block at once: bytes that are escaped
  become what they mean, by way of a table, and all but the backslashes are
  moved together.
- On any other, and for `\u`, the bytes between two escapes are copied, some
  twenty in the middle. They are copied as a whole block, which takes two
  instructions and no branch; what is too much is overwritten by what comes
  next.
*/

use std::str;

use bumpalo::Bump;

use crate::scan::{BLOCK, Job, Scanner, Simd, Strings, padded};

/// A string as it is meant. `None` if an escape is bad, or if there is a raw
/// control character.
///
/// The string is the first `len` bytes of `rest`, which goes on to the end of
/// the line; what is behind the string may be read, and does not matter.
#[inline(never)]
pub(crate) fn unescape<'a>(
    scanner: Scanner,
    rest: &str,
    len: usize,
    arena: &'a Bump,
) -> Option<&'a str> {
    if !rest.is_char_boundary(len) {
        return None;
    }
    let out = arena.alloc_slice_fill_copy(len + BLOCK, 0);
    let line = rest.as_bytes();
    let bytes = scanner.run(Unescape { line, len, out })?;
    debug_assert!(str::from_utf8(bytes).is_ok());
    // SAFETY: what the job writes are whole characters: it copies the `str`
    // from one ASCII byte to another, and puts characters in between.
    Some(unsafe { str::from_utf8_unchecked(bytes) })
}

/// Whether a key, as it is written, means `wanted`.
#[inline]
pub(crate) fn is_key(written: &[u8], wanted: &str) -> bool {
    // What is written with escapes is longer than what it means.
    if written.len() < wanted.len() {
        return false;
    }
    let mut others = wanted.bytes();
    // Keys are short, and most differ in their first bytes.
    for &byte in written {
        match others.next() {
            _ if byte == b'\\' => return means(written, wanted.as_bytes()),
            Some(other) if other == byte => {}
            _ => return false,
        }
    }
    others.next().is_none()
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

/// Writes what the first `len` bytes of `line` mean to `out`, which has room
/// for that and a block more.
struct Unescape<'t, 'a> {
    line: &'t [u8],
    len: usize,
    out: &'a mut [u8],
}

impl<'a> Job for Unescape<'_, 'a> {
    type Output = Option<&'a [u8]>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<&'a [u8]> {
        let Unescape { line, len, out } = self;
        let mut carry = Strings::default();
        let mut copy = Copy { line, out, read: 0, written: 0 };
        let mut start = 0;
        while start < len {
            let rest = line.get(start..)?;
            let block = match rest.first_chunk::<BLOCK>() {
                Some(bytes) => simd.load(bytes),
                None => simd.load(&padded(rest)),
            };
            let within = match len - start {
                left @ 0..BLOCK => (1 << left) - 1,
                _ => !0,
            };
            if simd.controls(block) & within != 0 {
                return None;
            }
            let backslashes = simd.equal(block, b'\\') & within;
            let escaped = carry.escaped(backslashes);
            let mut escapes = backslashes & !escaped;
            if S::COMPRESSES {
                let units = escaped & simd.equal(block, b'u');
                if escaped & within & !simd.escapable(block) != 0 {
                    return None;
                }
                if units == 0 && copy.read <= start {
                    let keep = within & !escapes;
                    simd.compress(block, keep, escaped, copy.room()?);
                    copy.written += keep.count_ones() as usize;
                    start += BLOCK;
                    copy.read = start;
                    continue;
                }
                // The block before may have ended with a backslash, which
                // was left out. What it escapes is here.
                if escaped & 1 != 0 && copy.read == start {
                    copy.escape(start - 1, len)?;
                }
            }
            while escapes != 0 {
                let at = start + escapes.trailing_zeros() as usize;
                escapes &= escapes - 1;
                // The second half of a pair has been read with the first.
                if at >= copy.read {
                    copy.until(at)?;
                    copy.escape(at, len)?;
                }
            }
            start += BLOCK;
            if S::COMPRESSES {
                copy.until(start.min(len))?;
            }
        }
        copy.until(len)?;
        let (out, written): (&'a [u8], usize) = (copy.out, copy.written);
        out.get(..written)
    }
}

/// What has been read of the line, and what has been written of it.
struct Copy<'t, 'a> {
    line: &'t [u8],
    out: &'a mut [u8],
    read: usize,
    written: usize,
}

impl Copy<'_, '_> {
    /// Room for a block.
    #[inline(always)]
    fn room(&mut self) -> Option<&mut [u8; BLOCK]> {
        self.out.get_mut(self.written..)?.first_chunk_mut()
    }

    /// Copies everything before `to` that has not been read.
    #[inline(always)]
    fn until(&mut self, to: usize) -> Option<()> {
        while self.read < to {
            let rest = self.line.get(self.read..)?;
            let count = (to - self.read).min(BLOCK);
            match (rest.first_chunk::<BLOCK>(), self.room()) {
                // A whole block takes less time than a part of it. What is
                // too much will be overwritten.
                (Some(block), Some(room)) => *room = *block,
                _ => {
                    let end = self.written + count;
                    let room = self.out.get_mut(self.written..end)?;
                    room.copy_from_slice(rest.get(..count)?);
                }
            }
            self.read += count;
            self.written += count;
        }
        Some(())
    }

    /// Writes what the escape at `at` means.
    #[inline(always)]
    fn escape(&mut self, at: usize, len: usize) -> Option<()> {
        let code = *self.line.get(at + 1)?;
        let meant = *MEANINGS.get(usize::from(code))?;
        if meant != 0 && at + 1 < len {
            *self.out.get_mut(self.written)? = meant;
            self.written += 1;
            self.read = at + 2;
        } else {
            let (meant, used) = escape(self.line.get(at..len)?)?;
            let room = self.out.get_mut(self.written..self.written + 4)?;
            self.written += meant.encode_utf8(room).len();
            self.read = at + used;
        }
        Some(())
    }
}
