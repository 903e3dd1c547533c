use std::ops::Range;

use crate::{error::Position, scan};

/// The bytes and position of a line, without access to its JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawLine<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) position: Position,
    /// Whether the line ends with a newline.
    pub(crate) terminated: bool,
}

impl<'a> RawLine<'a> {
    /// Creates a line that is not part of a stream.
    pub(crate) fn alone(bytes: &'a [u8]) -> RawLine<'a> {
        RawLine { bytes, position: Position::START, terminated: true }
    }

    /// Returns a part of the line, as a line.
    pub(crate) fn part(self, part: Range<usize>) -> RawLine<'a> {
        RawLine {
            position: self.position.plus(part.start),
            terminated: self.terminated || part.end < self.bytes.len(),
            bytes: scan::part(self.bytes, part),
        }
    }
}
