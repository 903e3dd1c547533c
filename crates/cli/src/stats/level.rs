//! The levels of trust of `linetape stats`.

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
