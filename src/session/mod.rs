/*!
What the messages of a session mean together.

Everything here is fed with borrowed messages, one after the other, from
decoding or from peeking. It keeps what it must, and nothing of the lines.

- [`UsageTotals`] adds up tokens, once for each message of the model.
- [`Tree`] is who answers whom: branches, sub-agents, compactions.
- `translate` makes messages of other dialects of them. It needs the feature
  `owned`.
*/

mod cost;
mod names;
mod tokens;
#[cfg(feature = "owned")]
pub mod translate;
mod tree;
mod usage;

pub use cost::{Cost, ModelCost};
pub use tokens::Tokens;
pub use tree::{Node, NodeId, Tree};
pub use usage::{ToolTotals, Totals, UsageTotals};
