/*!
Unescaping of strings.

Agent logs have many escape sequences, about forty per kilobyte, so the cost of
each one matters. Bitmasks give their positions, 64 bytes at a time. The rest
depends on the CPU:

- With byte compression (AVX-512 VBMI2), a block is processed at once: a lookup
  table replaces the escaped bytes, and the compression removes the backslashes
  before them.
- On any other CPU, and for `\u`, the bytes between two escape sequences are
  copied, typically about twenty. The copy is always a whole block, which takes
  two instructions and no branch; the next copy overwrites the excess bytes.
*/

use std::str;

use bumpalo::Bump;

use crate::scan::{BLOCK, Job, Scanner, Simd, Strings, part, simd::MEANINGS};

/// Unescapes a string. Returns `None` if an escape sequence is invalid, or if
/// there is an unescaped control character.
///
/// The string is the first `len` bytes of `rest`, which extends to the end of
/// the line. The bytes after the string may be read, but do not affect the
/// result.
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
    let line = rest.as_bytes();
    let bytes = if len < BLOCK {
        // A short string would take the memory of a block in the arena.
        let mut out = [0; 2 * BLOCK];
        let out = out.get_mut(..len + BLOCK)?;
        let bytes = scanner.run(Unescape { line, len, out })?;
        &*arena.alloc_slice_copy(bytes)
    } else {
        let out = arena.alloc_slice_fill_copy(len + BLOCK, 0);
        scanner.run(Unescape { line, len, out })?
    };
    debug_assert!(str::from_utf8(bytes).is_ok());
    // SAFETY: the input is a `str`, and `len` is a character boundary. The job
    // only removes ASCII bytes, or replaces them by whole characters.
    Some(unsafe { str::from_utf8_unchecked(bytes) })
}

/// Unescapes a string as [`unescape`] does, with U+FFFD for each lone
/// surrogate.
#[cold]
pub(crate) fn unescape_lossy<'a>(
    mut raw: &str,
    arena: &'a Bump,
) -> Option<&'a str> {
    // An escape sequence is longer than the character that it represents.
    let out = arena.alloc_slice_fill_copy(raw.len(), 0);
    let mut written = 0;
    while let Some(c) = raw.chars().next() {
        let (meant, used) = match c {
            '\\' => escape_lossy(raw.as_bytes())?,
            '\0'..' ' => return None,
            c => (c, c.len_utf8()),
        };
        let end = written + meant.len_utf8();
        meant.encode_utf8(out.get_mut(written..end)?);
        (raw, written) = (raw.get(used..)?, end);
    }
    str::from_utf8(out.get(..written)?).ok()
}

/// Returns whether a raw key equals `wanted` after unescaping.
#[inline]
pub(crate) fn is_key(written: &[u8], wanted: &str) -> bool {
    // An escape sequence is longer than the character that it represents.
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

/// Returns whether a raw string with escape sequences equals `wanted` after
/// unescaping.
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
            _ => (part(rest, ..1), 1),
        };
        match wanted.strip_prefix(meant) {
            Some(left) => wanted = left,
            None => return false,
        }
        rest = part(rest, used..);
    }
    wanted.is_empty()
}

/// Returns whether `escape` can read all escape sequences of a raw string, and
/// it has no unescaped control characters.
pub(crate) fn is_well_written(
    mut rest: &[u8],
    escape: fn(&[u8]) -> Option<(char, usize)>,
) -> bool {
    while let Some(&byte) = rest.first() {
        let used = match byte {
            b'\\' => match escape(rest) {
                Some((_, used)) => used,
                None => return false,
            },
            0..0x20 => return false,
            _ => 1,
        };
        rest = part(rest, used..);
    }
    true
}

/// Returns the character that an escape sequence represents, and the length of
/// the sequence. `text` begins with the backslash.
pub(crate) fn escape(text: &[u8]) -> Option<(char, usize)> {
    let code = *text.get(1)?;
    if code == b'u' {
        return unicode_escape(text);
    }
    let meant = *MEANINGS.get(usize::from(code))?;
    (meant != 0).then_some((char::from(meant), 2))
}

/// Does the same, and reads a lone surrogate as U+FFFD.
pub(crate) fn escape_lossy(text: &[u8]) -> Option<(char, usize)> {
    let lone = || unit(text).map(|_| (char::REPLACEMENT_CHARACTER, 6));
    escape(text).or_else(lone)
}

/// Decodes `\uXXXX`, or the surrogate pair of a character outside of the Basic
/// Multilingual Plane.
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

/// Returns the UTF-16 code unit of `\uXXXX`.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let mut unit = 0;
    for &digit in digits {
        unit = unit << 4 | char::from(digit).to_digit(16)?;
    }
    Some(unit)
}

/// Unescapes the first `len` bytes of `line` into `out`, which must have `len`
/// bytes and one block more.
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
                None => simd.load_part(rest),
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
                // The previous block may have ended with a backslash, which
                // was dropped. The byte that it escapes is the first one of
                // this block.
                if escaped & 1 != 0 && copy.read == start {
                    copy.escape(start - 1, len)?;
                }
            }
            while escapes != 0 {
                let at = start + escapes.trailing_zeros() as usize;
                escapes &= escapes - 1;
                // The low surrogate of a pair has been read with the high one.
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

/// A copy operation: the number of bytes read from the line and written to
/// `out` so far.
struct Copy<'t, 'a> {
    line: &'t [u8],
    out: &'a mut [u8],
    read: usize,
    written: usize,
}

impl Copy<'_, '_> {
    /// Returns the next `BLOCK` bytes of the output.
    #[inline(always)]
    fn room(&mut self) -> Option<&mut [u8; BLOCK]> {
        self.out.get_mut(self.written..)?.first_chunk_mut()
    }

    /// Copies the bytes before `to` that have not been read yet.
    #[inline(always)]
    fn until(&mut self, to: usize) -> Option<()> {
        while self.read < to {
            let rest = self.line.get(self.read..)?;
            let count = (to - self.read).min(BLOCK);
            match (rest.first_chunk::<BLOCK>(), self.room()) {
                // Copying a whole block is faster than copying a part of it.
                // The excess bytes will be overwritten.
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

    /// Writes the character that the escape sequence at `at` represents.
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
