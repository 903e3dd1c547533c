/*!
Framing: splits bytes into lines with positions. It does not depend on JSON.

[`Splitter`] finds the ends of lines; it is given each byte once and stores
none. [`Buffer`] stores the bytes of a source while it is read, [`Pieces`] those
of a line that arrives in chunks. [`Gate`] decides whether a line is returned,
skipped or refused; [`Document`], which lines are one JSON document. [`Tally`]
counts the lines that failed. [`LineRange`] decides which lines belong to a range
of bytes. All readers are built from these parts.
*/

mod buffer;
mod document;
mod gate;
mod pieces;
mod range;
mod raw;
mod splitter;
mod stats;
mod tally;

pub(crate) use buffer::Buffer;
pub(crate) use document::{Document, opens_document};
pub(crate) use gate::{Gate, Verdict};
pub(crate) use pieces::Pieces;
pub(crate) use range::{Aligned, LineRange};
pub(crate) use raw::{RawLine, Terminator};
pub(crate) use splitter::{Splitter, Step};
pub use stats::{ErrorCounts, ErrorCountsIter, Stats};
pub(crate) use tally::Tally;
