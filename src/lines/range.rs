use std::ops::Range;

use memchr::memchr;

/// The range of bytes whose lines a reader returns.
///
/// The rule: **a line belongs to the range that contains its first byte.** So
/// if a stream is divided into ranges, each of its lines is in exactly one of
/// them, wherever the ranges begin. A BOM counts as part of the first line.
///
/// A line begins at byte 0, and after each LF. Whether one begins at the start
/// of the range depends on the byte before it, so that byte is read as well:
///
/// ```text
///     {"n":1}␊{"n":2}␊{"n":3}␊
///            ├───┤                a range
///            ▲└────────┘          its line, which ends after the range
///            first byte to read
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineRange {
    start: u64,
    end: u64,
}

/// What the first bytes of a range say about its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aligned {
    /// The first line of the range begins after this many bytes.
    After(usize),
    /// All bytes belong to an earlier line. More bytes are needed.
    NotYet,
    /// No line begins in the range.
    Empty,
}

impl LineRange {
    /// The range of all bytes.
    pub(crate) const WHOLE: LineRange = LineRange { start: 0, end: u64::MAX };

    pub(crate) fn new(range: Range<u64>) -> LineRange {
        LineRange { start: range.start, end: range.end }
    }

    /// Returns the offset of the first byte that must be read.
    pub(crate) fn first_byte(self) -> u64 {
        self.start.saturating_sub(1)
    }

    pub(crate) fn end(self) -> u64 {
        self.end
    }

    /// Returns whether the range begins with the stream, and so with a line.
    pub(crate) fn is_from_the_start(self) -> bool {
        self.start == 0
    }

    /// Returns whether the first line of the stream belongs to the range.
    pub(crate) fn has_first_line(self) -> bool {
        self.start == 0 && self.end > 0
    }

    /// Searches for the start of the first line. `bytes` are those at the
    /// offset `at`, and no line of the range begins before them.
    ///
    /// The search ends with the range, so it takes O(length of the range),
    /// even if the range is in the middle of a giant line.
    pub(crate) fn align(self, bytes: &[u8], at: u64) -> Aligned {
        // After an LF at the last offset, the next line is in the next range.
        let last = self.end.saturating_sub(1);
        let left = usize::try_from(last.saturating_sub(at));
        let left = left.unwrap_or(usize::MAX);
        let searched = bytes.get(..left).unwrap_or(bytes);
        match memchr(b'\n', searched) {
            Some(newline) => Aligned::After(newline + 1),
            None if searched.len() == left => Aligned::Empty,
            None => Aligned::NotYet,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_ends_with_the_range() {
        let range = LineRange::new(4..8);
        assert_eq!(range.first_byte(), 3);
        // A line begins at 4, at 7 and at 8, of which 8 is outside.
        assert_eq!(range.align(b"\nabcd", 3), Aligned::After(1));
        assert_eq!(range.align(b"abc\nd", 3), Aligned::After(4));
        assert_eq!(range.align(b"abcd\n", 3), Aligned::Empty);
        assert_eq!(range.align(b"abc", 3), Aligned::NotYet);
        assert_eq!(range.align(b"\n", 7), Aligned::Empty);
        assert_eq!(range.align(b"", 7), Aligned::Empty);
        assert_eq!(range.align(b"", 6), Aligned::NotYet);
    }

    #[test]
    fn a_range_without_bytes_has_no_lines() {
        #[expect(clippy::reversed_empty_ranges)]
        for range in [4..4, 4..2, 1..0] {
            let range = LineRange::new(range);
            assert_eq!(range.align(b"\n\n\n", 3), Aligned::Empty);
            assert!(!range.has_first_line());
        }
        assert!(!LineRange::new(0..0).has_first_line());
        assert!(LineRange::new(0..1).has_first_line());
        assert!(LineRange::WHOLE.has_first_line());
    }
}
