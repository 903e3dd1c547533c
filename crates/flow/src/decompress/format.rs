use crate::array::{self, is_array};

/// The format of a stream, by its first bytes.
///
/// # Example
///
/// This shows the first bytes of each format.
///
/// ```
/// use linetape_flow::Format;
///
/// assert_eq!(Format::of(b"{\"type\":\"user\"}"), Format::Plain);
/// assert_eq!(Format::of(b"[{\"type\":\"user\"}]"), Format::Array);
/// assert_eq!(Format::of(b"[INFO] starting"), Format::Plain);
/// assert_eq!(Format::of(&[0x1F, 0x8B, 8, 0]), Format::Gzip);
/// assert_eq!(Format::of(&[0x28, 0xB5, 0x2F, 0xFD]), Format::Zstd);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Not compressed, or in another format.
    Plain,
    /// A JSON array that is not compressed: `[` and then `{` or `]`, with any
    /// whitespace between them.
    Array,
    /// gzip, by [RFC 1952](https://www.rfc-editor.org/rfc/rfc1952).
    Gzip,
    /// Zstandard, by [RFC 8878](https://www.rfc-editor.org/rfc/rfc8878). A
    /// stream may begin with a skippable frame.
    Zstd,
}

/// The first bytes of a gzip member. The third is the method, of which there
/// is one.
const GZIP: [u8; 3] = [0x1F, 0x8B, 8];

/// The first bytes of a zstd frame.
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The first bytes of a skippable frame, of which the first is any of `0x50`
/// to `0x5F`.
const SKIPPABLE: [u8; 4] = [0x50, 0x2A, 0x4D, 0x18];

impl Format {
    /// The number of bytes that decide.
    pub const DECIDING: usize = array::DECIDING;

    /// Returns the format of a stream that begins with these bytes.
    /// [`DECIDING`](Format::DECIDING) bytes are enough to decide, and four if
    /// it is compressed.
    pub fn of(first: &[u8]) -> Format {
        let zstd = [ZSTD, SKIPPABLE];
        if first.starts_with(&GZIP) {
            Format::Gzip
        } else if zstd.iter().any(|magic| matches(first, magic) == Some(true))
        {
            Format::Zstd
        } else if is_array(first) == Some(true) {
            Format::Array
        } else {
            Format::Plain
        }
    }

    pub(crate) fn is_compressed(self) -> bool {
        matches!(self, Format::Gzip | Format::Zstd)
    }

    /// Returns whether a whole stream is the start of a gzip or zstd stream that
    /// was cut within its first bytes. No line of JSON has these bytes.
    pub(crate) fn is_cut(stream: &[u8]) -> bool {
        let is_start = |magic: &[u8]| {
            stream.len() < magic.len() && magic.starts_with(stream)
        };
        !stream.is_empty() && (is_start(&GZIP) || is_start(&ZSTD))
    }

    /// Returns the format, or `None` if it depends on the bytes that follow.
    pub(crate) fn decided_by(first: &[u8]) -> Option<Format> {
        let magics = [&GZIP[..], &ZSTD, &SKIPPABLE];
        let is_open = |magic: &[u8]| matches(first, magic).is_none();
        if magics.into_iter().any(is_open) || is_array(first).is_none() {
            return None;
        }
        Some(Format::of(first))
    }
}

/// Returns whether a stream begins with a magic number, or `None` if it
/// depends on the bytes that follow.
fn matches(first: &[u8], magic: &[u8]) -> Option<bool> {
    let is_skippable = magic == SKIPPABLE;
    for (index, expected) in magic.iter().enumerate() {
        let mask = if is_skippable && index == 0 { 0xF0 } else { 0xFF };
        if first.get(index)? & mask != *expected {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A live pipe must not wait for bytes that cannot change the decision.
    #[test]
    fn a_format_is_decided_as_soon_as_possible() {
        for first in [&b"{"[..], b"1", b"[\"", b"[1", b"\x1F{", b"(\xB5/{"] {
            assert_eq!(Format::decided_by(first), Some(Format::Plain));
        }
        for first in [&b"[]"[..], b"[{", b"\n[\r\n\t {", b"\xEF\xBB\xBF[{"] {
            let (_, cut) = first.split_last().unwrap();
            assert_eq!(Format::decided_by(cut), None);
            assert_eq!(Format::decided_by(first), Some(Format::Array));
        }
        let spaces = [b' '; Format::DECIDING];
        assert_eq!(Format::decided_by(&spaces), Some(Format::Plain));
        assert_eq!(Format::decided_by(&spaces[1..]), None);
        for magic in [&GZIP[..], &ZSTD, &SKIPPABLE] {
            for cut in 0..magic.len() {
                assert_eq!(Format::decided_by(&magic[..cut]), None);
                assert_eq!(Format::of(&magic[..cut]), Format::Plain);
            }
            assert!(Format::decided_by(magic).is_some());
        }
        for first in 0x50..=0x5F {
            let frame = [first, 0x2A, 0x4D, 0x18];
            assert_eq!(Format::of(&frame), Format::Zstd);
        }
        assert_eq!(Format::of(b"_*M_"), Format::Plain);
        assert_eq!(Format::of(b"`*M\x18"), Format::Plain);
    }
}
