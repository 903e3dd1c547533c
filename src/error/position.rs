use std::fmt;

/// A position in a stream: a line number and a byte offset.
///
/// The line number is 0 if it is unknown: a reader of a
/// [range](crate::ReaderBuilder::range) knows the offset of a line, but not how
/// many lines are before it.
///
/// With the feature `serde` it serialises as `{"line":2,"byte":3}`.
///
/// # Example
///
/// This shows how to ask for the position of the next line.
///
/// ```
/// let mut lines = linetape::lines(b"{}\n{}\n");
/// lines.next_line();
/// assert_eq!(lines.position().line(), 2);
/// assert_eq!(lines.position().byte(), 3);
/// assert_eq!(lines.position().to_string(), "line 2 (byte 3)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    byte: u64,
    line: u64,
}

impl Position {
    /// The beginning of a stream: line 1, byte 0.
    pub const START: Position = Position { byte: 0, line: 1 };

    /// Returns the position `bytes` further on in the same line.
    pub(crate) fn plus(self, bytes: usize) -> Position {
        self.moved_by(0, bytes as u64)
    }

    /// Creates a position from a line number, counted from 1, and a byte
    /// offset in the stream, counted from 0. A reader can [start] there. The
    /// line number 0 means that it is unknown.
    ///
    /// [start]: crate::ReaderBuilder::start
    #[inline]
    pub fn new(line: u64, byte: u64) -> Position {
        Position { byte, line }
    }

    /// Returns the position moved by `lines` and `bytes`. An unknown line
    /// number remains unknown. See
    /// [`Error::moved_by`](crate::Error::moved_by).
    ///
    /// # Example
    ///
    /// This shows how to turn a position in a part of a log into one in the
    /// whole. The part begins with line 11, at byte 100.
    ///
    /// ```
    /// use linetape::Position;
    ///
    /// let moved = Position::new(1, 2).moved_by(10, 100);
    /// assert_eq!(moved, Position::new(11, 102));
    /// ```
    pub fn moved_by(self, lines: u64, bytes: u64) -> Position {
        let is_known = self.line > 0;
        let lines = if is_known { lines } else { 0 };
        Position {
            byte: self.byte.saturating_add(bytes),
            line: self.line.saturating_add(lines),
        }
    }

    /// Returns the line number, counted from 1, or 0 if it is unknown. Blank
    /// and discarded lines count.
    #[inline]
    pub fn line(self) -> u64 {
        self.line
    }

    /// Returns the byte offset in the stream, counted from 0.
    #[inline]
    pub fn byte(self) -> u64 {
        self.byte
    }
}

/// Returns [`Position::START`].
impl Default for Position {
    fn default() -> Position {
        Position::START
    }
}

/// Writes `line 2 (byte 3)`, or `byte 3` if the line number is unknown.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "byte {}", self.byte),
            line => write!(f, "line {line} (byte {})", self.byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_line_number_remains_unknown() {
        let position = Position::new(0, 5);
        assert_eq!(position.moved_by(7, 3), Position::new(0, 8));
        assert_eq!(position.to_string(), "byte 5");
        assert_eq!(Position::new(1, 5).to_string(), "line 1 (byte 5)");
    }
}
