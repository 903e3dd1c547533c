/*!
What the messages of a session mean together.

Everything here is fed with borrowed messages, one after the other, from
decoding or from peeking. It keeps identifiers and numbers, and [`Deltas`] texts
that have no end yet; so a line can be let go when its message has been added.

- [`UsageTotals`] adds up tokens, once for each message of the model.
- [`Tree`] is who answers whom: branches, sub-agents, compactions.
- [`Turns`] are prompts and what was done about them: calls of tools with their
  results, durations, errors.
- [`Deltas`] puts messages together that come in piece by piece.
- [`check`] finds what should not be so.
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

mod assembled;
mod blocks;
pub mod check;
mod cost;
mod deltas;
mod names;
mod tokens;
mod tree;
mod turns;
mod usage;

pub use assembled::{Assembled, AssembledBlock};
pub use cost::{Cost, ModelCost};
pub use deltas::Deltas;
pub use tokens::Tokens;
pub use tree::{Node, NodeId, Tree};
pub use turns::{RunResult, Thread, ToolCall, Turn, Turns};
pub use usage::{ToolTotals, Totals, UsageTotals};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
