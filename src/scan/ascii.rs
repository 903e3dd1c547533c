use crate::scan::{BLOCK, Blocks, Simd, part};

/// Returns `bytes` as a string, or `None` if they are not UTF-8.
///
/// Names of types and most numbers have up to 16 bytes, and are ASCII. For
/// these, two loads replace the loop over the bytes.
#[inline]
pub(crate) fn as_utf8(bytes: &[u8]) -> Option<&str> {
    match has_high(bytes) {
        Some(false) => {
            debug_assert!(bytes.is_ascii());
            // SAFETY: no byte has its highest bit set, so all are ASCII, and
            // ASCII is UTF-8.
            Some(unsafe { std::str::from_utf8_unchecked(bytes) })
        }
        _ => simdutf8::basic::from_utf8(bytes).ok(),
    }
}

/// Returns whether any byte has its highest bit set. `None` unless there are 1
/// to 16 bytes.
#[inline]
fn has_high(bytes: &[u8]) -> Option<bool> {
    // The two chunks may overlap, and cover all bytes.
    let both = match bytes.len() {
        1 => u64::from(*bytes.first()?),
        2..4 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            u64::from(u16::from_ne_bytes(*first) | u16::from_ne_bytes(*last))
        }
        4..8 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            u64::from(u32::from_ne_bytes(*first) | u32::from_ne_bytes(*last))
        }
        8..=16 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last)
        }
        _ => return None,
    };
    Some(both & (ONES << 7) != 0)
}

/// A word with 1 in each of its bytes.
const ONES: u64 = each(1);

/// Returns a word of 8 equal bytes.
const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Returns the length of the string that `text` begins with: the offset of the
/// first quote or backslash, which must be a quote, and in the first 24 bytes.
///
/// Words of 8 bytes are searched instead of bytes: the length of a type cannot
/// be predicted, and a loop over its bytes ends with a misprediction.
#[inline(always)]
pub(crate) fn short_string(text: &[u8]) -> Option<usize> {
    let mut start = 0;
    while let Some(word) = text.get(start..)?.first_chunk() {
        let found = quotes_and_backslashes(u64::from_le_bytes(*word));
        if found != 0 {
            let at = start + found.trailing_zeros() as usize / 8;
            return (text.get(at) == Some(&b'"')).then_some(at);
        }
        start += 8;
        if start == 24 {
            return None;
        }
    }
    let rest = text.get(start..)?;
    let at = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    (rest.get(at) == Some(&b'"')).then_some(start + at)
}

/// Returns a bit set in the first byte that is a quote or a backslash, and
/// perhaps in bytes after it. 0 if there is none.
#[inline(always)]
fn quotes_and_backslashes(word: u64) -> u64 {
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    zeros(word ^ each(b'"')) | zeros(word ^ each(b'\\'))
}

/// Returns `bytes` as a string, if they are 4 to 16 bytes of ASCII without
/// control characters below 0x20 and without a backslash: the contents of a JSON
/// string that has nothing to unescape.
#[inline(always)]
pub(crate) fn as_plain(bytes: &[u8]) -> Option<&str> {
    // The two chunks may overlap, and cover all bytes.
    let [first, last] = match bytes.len() {
        4..8 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            let low = u64::from(u32::from_ne_bytes(*first));
            [low | u64::from(u32::from_ne_bytes(*last)) << 32; 2]
        }
        8..=16 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            [u64::from_ne_bytes(*first), u64::from_ne_bytes(*last)]
        }
        _ => return None,
    };
    // Sets the highest bit of each byte that is not plain, and perhaps of
    // others in the same word.
    let odd = |word: u64| {
        let controls = word.wrapping_sub(each(b' '));
        let backslashes = (word ^ each(b'\\')).wrapping_sub(ONES);
        word | controls | backslashes
    };
    match (odd(first) | odd(last)) & (ONES << 7) {
        0 => as_utf8(bytes),
        _ => None,
    }
}

/// The blocks of a text, and whether the text is ASCII.
#[derive(Clone, Copy)]
pub(crate) struct AsciiBlocks<'t, S: Simd> {
    blocks: Blocks<'t>,
    /// The bits of all blocks so far.
    seen: S::Block,
}

impl<'t, S: Simd> AsciiBlocks<'t, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, text: &'t [u8]) -> AsciiBlocks<'t, S> {
        let seen = simd.load(&[0; BLOCK]);
        AsciiBlocks { blocks: Blocks::new(text), seen }
    }

    /// Returns the offset of the next block, and the block.
    #[inline(always)]
    pub(crate) fn next(&mut self, simd: S) -> Option<(usize, S::Block)> {
        let (start, block) = self.blocks.next(simd)?;
        self.seen = simd.either(self.seen, block);
        Some((start, block))
    }

    /// Returns the text before the offset `end`. It is known to be ASCII if
    /// all of its blocks have been returned, and no byte of them had its
    /// highest bit set. The last of them may have bytes after `end`.
    #[inline(always)]
    pub(crate) fn text_up_to(self, simd: S, end: usize) -> MaybeUtf8<'t> {
        let text = part(self.blocks.text(), ..end);
        if !self.blocks.has_reached(end) || simd.high(self.seen) != 0 {
            return MaybeUtf8::Unvalidated(text);
        }
        debug_assert!(text.is_ascii());
        // SAFETY: `new` is the only constructor, so the blocks begin at the
        // start of the text, and the one with the last byte before `end` has
        // been returned: every byte has been in a block. By the contract of
        // `Simd`, `either` and `high` say that no byte of a block had its
        // highest bit set, so all are ASCII, and ASCII is UTF-8.
        let ascii = unsafe { std::str::from_utf8_unchecked(text) };
        MaybeUtf8::Ascii(ascii)
    }
}

/// A text that is known to be ASCII, or has not been validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaybeUtf8<'t> {
    Ascii(&'t str),
    /// Bytes that may or may not be UTF-8.
    Unvalidated(&'t [u8]),
}

impl<'t> MaybeUtf8<'t> {
    /// Returns the length in bytes.
    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            MaybeUtf8::Ascii(text) => text.len(),
            MaybeUtf8::Unvalidated(text) => text.len(),
        }
    }

    /// Returns the text as a string. `None` if it is not UTF-8.
    #[inline]
    pub(crate) fn validated(self) -> Option<&'t str> {
        match self {
            MaybeUtf8::Ascii(text) => Some(text),
            MaybeUtf8::Unvalidated(text) => {
                simdutf8::basic::from_utf8(text).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{Job, Kernel, Scanner};

    /// Reads the first `count` blocks of a text.
    struct Read<'t> {
        text: &'t [u8],
        count: usize,
    }

    impl<'t> Job for Read<'t> {
        type Output = MaybeUtf8<'t>;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> MaybeUtf8<'t> {
            let mut blocks = AsciiBlocks::new(simd, self.text);
            for _ in 0..self.count {
                blocks.next(simd);
            }
            blocks.text_up_to(simd, self.text.len())
        }
    }

    #[test]
    fn a_text_is_ascii_if_all_of_it_is_and_has_been_read() {
        for kernel in Kernel::ALL {
            let Some(scanner) = Scanner::new(kernel) else { continue };
            for length in 0..200 {
                let plain = "x".repeat(length);
                let needed = length.div_ceil(BLOCK);
                for count in 0..needed + 2 {
                    let text = plain.as_bytes();
                    let ascii = scanner.run(Read { text, count });
                    let expected = match count >= needed {
                        true => MaybeUtf8::Ascii(&plain),
                        false => MaybeUtf8::Unvalidated(text),
                    };
                    assert_eq!(ascii, expected, "{kernel} {length} {count}");
                }
                for at in 0..length {
                    let mut text = plain.clone().into_bytes();
                    text[at] = 0x80;
                    let read = Read { text: &text, count: needed };
                    let expected = MaybeUtf8::Unvalidated(&text);
                    assert_eq!(scanner.run(read), expected, "{kernel} {at}");
                    assert_eq!(expected.validated(), None);
                }
            }
        }
    }

    #[test]
    fn a_short_string_ends_at_its_quote() {
        for length in 0..40 {
            for byte in 0..=255 {
                for at in 0..length {
                    let mut text = vec![b'x'; length];
                    text[at] = byte;
                    text.extend(*b"\",\\");
                    let ends = |byte: &u8| matches!(byte, b'"' | b'\\');
                    let end = text.iter().position(ends).unwrap();
                    let expected =
                        (text[end] == b'"' && end < 24).then_some(end);
                    assert_eq!(short_string(&text), expected, "{text:?}");
                    // The text may end after the quote, or before it.
                    let found = short_string(&text[..=length]);
                    assert_eq!(found, expected, "{text:?}");
                    let open = expected.filter(|end| *end < length);
                    assert_eq!(
                        short_string(&text[..length]),
                        open,
                        "{text:?}"
                    );
                }
            }
        }
    }

    /// A byte that is found may change the result for the byte after it.
    #[test]
    fn neighbours_of_quotes_and_backslashes_are_told_apart() {
        const BYTES: &[u8] = b"\x00\x1f !\"#[\\]x\x7f\x80\xff";
        let pairs = BYTES.iter().flat_map(|a| BYTES.iter().map(|b| [*a, *b]));
        for (pair, length) in
            pairs.flat_map(|pair| (2..20).map(move |n| (pair, n)))
        {
            for at in 0..length - 1 {
                let mut text = vec![b'x'; length];
                text[at..at + 2].copy_from_slice(&pair);
                let ends = |byte: &u8| matches!(byte, b'"' | b'\\');
                let end = text.iter().position(ends);
                let end = end.filter(|end| text[*end] == b'"');
                assert_eq!(short_string(&text), end, "{text:?}");
                let is_plain = (4..=16).contains(&length)
                    && text
                        .iter()
                        .all(|b| matches!(b, b' '..=0x7f) && *b != b'\\');
                assert_eq!(as_plain(&text).is_some(), is_plain, "{text:?}");
            }
        }
    }

    #[test]
    fn a_plain_string_has_no_escapes_and_no_control_characters() {
        for length in 0..24 {
            for at in 0..length {
                for byte in 0..=255 {
                    let mut text = vec![b'x'; length];
                    text[at] = byte;
                    let is_plain = matches!(byte, b' '..=b'~' | 0x7f)
                        && byte != b'\\'
                        && (4..=16).contains(&length);
                    let expected = std::str::from_utf8(&text).ok();
                    let expected = expected.filter(|_| is_plain);
                    assert_eq!(as_plain(&text), expected, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn a_short_string_is_that_of_the_standard_library() {
        for length in 0..80 {
            let plain = vec![b'x'; length];
            assert_eq!(as_utf8(&plain), std::str::from_utf8(&plain).ok());
            for at in 0..length {
                for byte in 0..=255 {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    let expected = std::str::from_utf8(&bytes).ok();
                    assert_eq!(as_utf8(&bytes), expected, "{bytes:?}");
                }
            }
            // A character of two bytes at every offset.
            for at in 1..length {
                let mut bytes = plain.clone();
                bytes[at - 1..=at].copy_from_slice("é".as_bytes());
                let expected = std::str::from_utf8(&bytes).ok();
                assert_eq!(as_utf8(&bytes), expected, "{bytes:?}");
                assert!(expected.is_some());
            }
        }
    }
}
