use std::ops::Range;

use crate::{error::Position, scan};

/// A line as it was found, with nothing that could read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawLine<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) position: Position,
    /// Whether a newline ends it.
    pub(crate) terminated: bool,
}

impl<'a> RawLine<'a> {
    /// A line that is not part of a stream.
    pub(crate) fn alone(bytes: &'a [u8]) -> RawLine<'a> {
        RawLine { bytes, position: Position::START, terminated: true }
    }

    /// A part of the line, as if it were one.
    pub(crate) fn part(self, part: Range<usize>) -> RawLine<'a> {
        RawLine {
            position: self.position.plus(part.start),
            terminated: self.terminated || part.end < self.bytes.len(),
            bytes: scan::part(self.bytes, part),
        }
    }
}
