/*!
What the messages of an AI agent's session mean together.

Every part is fed with borrowed messages in the order of the log, whether they
were decoded or peeked. A part keeps ids and numbers, and [`Deltas`] the text of
unfinished messages. So a line can be dropped once its message has been added.

- [`UsageTotals`] adds up tokens, once for each message of the model.
- [`Tree`] links messages to their parents: branches, sub-agents, compactions.
- [`Turns`] groups a log by prompts: tool calls with their results, durations,
  errors.
- [`Deltas`] assembles streamed messages from their deltas.
- [`check`] validates logs.
- [`Facts`] is what one message says about itself. All of the above read
  messages through it, and a caller that feeds several of them can share it.
- [`Names`] keeps names of sessions and the like once, and knows them by
  numbers.

# Crate features

- `serde`, off by default: `Serialize` for totals, costs and findings, with the
  names that `linetape --json` prints.
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
pub mod check;
mod cost;
mod deltas;
mod facts;
mod ids;
mod tokens;
mod tree;
mod turns;
mod usage;

pub use assembled::{Assembled, AssembledBlock};
pub use cost::{Cost, ModelCost};
pub use deltas::Deltas;
pub use facts::{Answer, Call, Facts, Role, Said, Thread};
pub use ids::{NameId, Names};
pub use tokens::Tokens;
pub use tree::{Node, NodeId, Tree};
pub use turns::{RunResult, ToolCall, Turn, Turns};
pub use usage::{ToolTotals, Totals, UsageTotals};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
