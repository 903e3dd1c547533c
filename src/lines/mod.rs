/*!
Framing: bytes in, positioned lines out. Nothing here knows JSON.

[`Splitter`] finds where lines end, in bytes that it is shown once and does
not keep. [`Buffer`] keeps the bytes of a source while it is read, [`Pieces`]
those of a line that comes in chunks. [`Gate`] decides what becomes of a line
that has been found, and [`Tally`] counts the lines that failed. Whatever hands
out lines is made of these.
*/

mod buffer;
mod gate;
mod pieces;
mod raw;
mod splitter;
mod stats;
mod tally;

pub(crate) use buffer::Buffer;
pub(crate) use gate::{Gate, Verdict};
pub(crate) use pieces::Pieces;
pub(crate) use raw::RawLine;
pub use splitter::{Splitter, Step};
pub use stats::{ErrorCounts, ErrorCountsIter, Stats};
pub(crate) use tally::Tally;
