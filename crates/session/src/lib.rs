/*!
Analyses AI agent sessions: token usage, turns, message trees, streamed
messages, and validation.

Every analysis takes borrowed messages in log order: decoded, checked or peeked.
A peeked line is not fully checked. If a nested value is invalid, the list that
contains it ends early, and the totals are too low. If you do not trust a log,
use [`Line::checked`](linetape::Line::checked), or decode its lines. [`Deltas`]
checks each stream event itself, because it keeps text.

An analysis keeps ids, counters and positions, but no text, so a line can be
dropped once its message has been added. There are two exceptions: [`Deltas`]
keeps the text of unfinished messages, and [`Conversation`] that of streamed
messages whose complete message is missing.

- [`UsageTotals`] sums token usage, once for each message of the model.
- [`Tree`] links messages to their parents: branches, sub-agents, compactions.
- [`Turns`] groups a log by prompts: tool calls with their results, durations,
  errors.
- [`Conversation`] prepares a session for display: results at their calls,
  sub-agents at the calls that started them, and text of the agent program
  separate from that of the user.
- [`Deltas`] assembles streamed messages from their deltas.
- [`check`] validates logs.
- [`Facts`] reads the session, thread, ids and tool calls of one message. All
  analyses use it, and a caller that runs several of them can share it.
- [`Names`] is a string interner, for session names and other ids.

# Logs that grow

[`UsageTotals`] can be saved after any line and resumed later:
[`save`](UsageTotals::save) returns the state as bytes, and
[`load`](UsageTotals::load) takes these bytes. The result is the same as if the
whole log had been read at once.

# Crate features

- `serde`, off by default: `Serialize` for totals, costs, findings, rules,
  levels and dialects, with the names that `linetape --json` prints.
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
pub mod conversation;
mod cost;
mod deltas;
mod facts;
mod figures;
mod foreign;
mod growing;
mod ids;
mod sets;
mod state;
mod table;
mod tokens;
mod tree;
mod turns;
mod usage;

pub use assembled::{Assembled, AssembledBlock};
pub use conversation::Conversation;
pub use cost::{Cost, ModelCost};
pub use deltas::Deltas;
pub use facts::{Answer, Facts, Role, Said, Thread};
pub use foreign::Foreign;
pub use ids::{NameId, Names};
pub use tokens::Tokens;
pub use tree::{Node, NodeId, Tree};
pub use turns::{RunResult, ToolCall, Turn, Turns};
pub use usage::{
    GroupTotals, MessageKeys, MessageTotals, ToolTotals, Totals, Unlogged,
    UsageTotals,
};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
