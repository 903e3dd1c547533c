/*!
Framing: bytes in, positioned lines out.

[`Splitter`] finds where lines end, in bytes that it is shown once and does
not keep. [`Buffer`] keeps the bytes of a source while it is read, [`Pieces`]
those of a line that comes in chunks. [`Gate`] decides what becomes of a line
that has been found, and counts it. Whatever hands out lines is made of these.
[`route`] finds the end of a line and its type in one go.
*/

mod buffer;
mod gate;
mod pieces;
mod raw;
mod route;
mod splitter;
mod stats;

pub(crate) use buffer::Buffer;
pub(crate) use gate::{Gate, Verdict};
pub(crate) use pieces::Pieces;
pub(crate) use raw::RawLine;
pub(crate) use route::{Route, Routed, Span, route};
pub use splitter::{Splitter, Step};
pub use stats::{ErrorCounts, Stats};
