use std::ops::Range;

use crate::scan::part;

/// A buffer that remembers which part of it is known to be UTF-8.
///
/// A line is validated when its end is searched, and read as a string after the
/// reader has moved on, so the string cannot be kept as a reference. Its range
/// is kept instead, until the bytes can have changed.
pub(crate) struct TextBuffer {
    bytes: Vec<u8>,
    /// The range that is UTF-8.
    text: Range<usize>,
}

impl TextBuffer {
    /// Creates a buffer of `size` zeros.
    pub(crate) fn new(size: usize) -> TextBuffer {
        TextBuffer { bytes: vec![0; size], text: 0..0 }
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes to write to. No part is known to be UTF-8 any more.
    pub(crate) fn as_mut_bytes(&mut self) -> &mut [u8] {
        self.text = 0..0;
        &mut self.bytes
    }

    /// Calls `read` with the bytes of `range`. If it returns a string at their
    /// start, remembers that, and returns its length.
    #[inline]
    pub(crate) fn read_text(
        &mut self,
        range: Range<usize>,
        read: impl FnOnce(&[u8]) -> Option<&str>,
    ) -> Option<usize> {
        let start = range.start;
        let bytes = part(&self.bytes, range);
        let text = read(bytes)?;
        let is_start = text.as_ptr() == bytes.as_ptr();
        if !is_start || text.len() > bytes.len() {
            debug_assert!(false, "a string from elsewhere");
            return None;
        }
        self.text = start..start + text.len();
        Some(text.len())
    }

    /// Returns the bytes of `range` as a string, if they are part of the
    /// string that was remembered last.
    #[inline]
    pub(crate) fn text(&self, range: Range<usize>) -> Option<&str> {
        let Range { start, end } = self.text;
        let text = self.bytes.get(start..end)?;
        debug_assert!(std::str::from_utf8(text).is_ok());
        // SAFETY: the range is empty, or `read_text` has set it for a `&str`
        // that began at its first byte and had its length, so these bytes were
        // UTF-8. They cannot have changed: `as_mut_bytes` is the only way to
        // write to them, and makes the range empty.
        let text = unsafe { std::str::from_utf8_unchecked(text) };
        let first = range.start.checked_sub(start)?;
        text.get(first..range.end.checked_sub(start)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(text: &[u8]) -> TextBuffer {
        let mut buffer = TextBuffer::new(text.len());
        buffer.as_mut_bytes().copy_from_slice(text);
        buffer
    }

    /// Remembers the part of `range` that is UTF-8.
    fn read(buffer: &mut TextBuffer, range: Range<usize>) -> Option<usize> {
        buffer.read_text(range, |bytes| match std::str::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()
            }
        })
    }

    #[test]
    fn every_part_of_the_remembered_string_is_returned_and_no_other() {
        let bytes = "a\u{e9}b\u{1F600}c".as_bytes();
        for start in [0, 3] {
            let mut buffer = buffer(&[bytes, b"\xFFz"].concat());
            let length = bytes.len() - start;
            let range = start..bytes.len() + 2;
            assert_eq!(read(&mut buffer, range), Some(length));
            for first in 0..bytes.len() + 2 {
                for last in first + 1..=bytes.len() + 2 {
                    let found = buffer.text(first..last);
                    let whole = buffer.as_bytes();
                    let expected = std::str::from_utf8(&whole[first..last])
                        .ok()
                        .filter(|_| first >= start && last <= bytes.len());
                    assert_eq!(found, expected, "{start} {first}..{last}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_remembered_after_a_write() {
        let mut buffer = buffer(b"abc");
        assert_eq!(read(&mut buffer, 0..3), Some(3));
        assert_eq!(buffer.text(0..3), Some("abc"));
        buffer.as_mut_bytes()[1] = 0xFF;
        assert_eq!(buffer.text(0..3), None);
        assert_eq!(buffer.text(0..1), None);
    }

    #[test]
    fn a_read_that_finds_nothing_leaves_what_is_remembered() {
        let mut buffer = buffer(b"abcd");
        assert_eq!(read(&mut buffer, 0..2), Some(2));
        assert_eq!(buffer.read_text(2..4, |_| None), None);
        assert_eq!(buffer.text(0..2), Some("ab"));
        assert_eq!(buffer.text(2..4), None);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "from elsewhere")]
    fn a_string_of_other_bytes_is_loud() {
        buffer(b"abc").read_text(0..3, |_| Some("abc"));
    }
}
