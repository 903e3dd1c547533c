//! The levels of trust of `linetape stats`.

use linetape::Level as Prepared;

/// How much of each line is read and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Up to the type.
    Skim,
    /// The needed fields.
    Peek,
    /// Everything.
    Decode,
}

impl Level {
    /// Returns what lines are prepared for. Neither skimming nor decoding has
    /// a use for that.
    pub fn prepared(self) -> Prepared {
        match self {
            Level::Skim | Level::Decode => Prepared::Line,
            Level::Peek => Prepared::Peek,
        }
    }
}
