use std::ops::Range;

use crate::{error::Position, scan};

/// The bytes and position of a line, without access to its JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawLine<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) position: Position,
    pub(crate) terminator: Terminator,
}

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Terminator {
    /// The end of the stream.
    End,
    Lf,
    CrLf,
}

impl Terminator {
    /// Returns the terminator with this number of bytes.
    #[inline]
    pub(crate) fn of_length(length: usize) -> Terminator {
        match length {
            0 => Terminator::End,
            1 => Terminator::Lf,
            _ => Terminator::CrLf,
        }
    }

    /// Returns whether it is a newline.
    #[inline]
    pub(crate) fn is_newline(self) -> bool {
        self != Terminator::End
    }

    pub(crate) fn as_bytes(self) -> &'static [u8] {
        match self {
            Terminator::End => b"",
            Terminator::Lf => b"\n",
            Terminator::CrLf => b"\r\n",
        }
    }
}

impl<'a> RawLine<'a> {
    /// Creates a line that is not part of a stream.
    pub(crate) fn alone(bytes: &'a [u8]) -> RawLine<'a> {
        let (position, terminator) = (Position::START, Terminator::Lf);
        RawLine { bytes, position, terminator }
    }

    /// Returns a part of the line, as a line.
    pub(crate) fn part(self, part: Range<usize>) -> RawLine<'a> {
        let is_last = part.end >= self.bytes.len();
        RawLine {
            position: self.position.plus(part.start),
            terminator: if is_last { self.terminator } else { Terminator::Lf },
            bytes: scan::part(self.bytes, part),
        }
    }
}
