/*!
What the messages of a session mean together.

Everything here is fed with borrowed messages, one after the other, from
decoding or from peeking. It keeps what it must, and nothing of the lines.

- [`UsageTotals`] adds up tokens, once for each message of the model.
- [`Tree`] is who answers whom: branches, sub-agents, compactions.
*/

mod names;
mod tree;
mod usage;

pub use tree::{Node, NodeId, Tree};
pub use usage::{Cost, Tokens, ToolTotals, Totals, UsageTotals};
