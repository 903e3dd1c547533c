use crate::scan::{BLOCK, Blocks, Simd};

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
    const HIGH: u64 = 0x8080_8080_8080_8080;
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
    Some(both & HIGH != 0)
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

    /// Returns the text. It is known to be ASCII if its last block has been
    /// returned, and no byte had its highest bit set.
    #[inline(always)]
    pub(crate) fn text(self, simd: S) -> MaybeUtf8<'t> {
        let text = self.blocks.text();
        if !self.blocks.has_ended() || simd.high(self.seen) != 0 {
            return MaybeUtf8::Unvalidated(text);
        }
        debug_assert!(text.is_ascii());
        // SAFETY: `new` is the only constructor, so the blocks begin at the
        // start of the text, and the last one has been returned: every byte
        // has been in a block. By the contract of `Simd`, `either` and `high`
        // say that no byte of a block had its highest bit set, so all are
        // ASCII, and ASCII is UTF-8.
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
            blocks.text(simd)
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
