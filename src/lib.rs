/*!
Reads newline-delimited JSON from AI agents, line by line, without copying.
*/
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

mod chunks;
mod error;
mod escape;
mod limits;
mod line;
mod lines;
mod reader;
mod slice;

pub use chunks::{BytesLine, Chunks};
pub use error::{Error, ErrorKind, Position};
pub use escape::Escaped;
pub use limits::Limits;
pub use line::Line;
pub use lines::{ErrorCounts, Splitter, Stats, Step};
pub use reader::{Reader, ReaderBuilder};
pub use slice::{Lines, lines};
