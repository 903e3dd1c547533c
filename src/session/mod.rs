/*!
What the messages of a session mean together.

Everything here is fed with borrowed messages, one after the other, from
decoding or from peeking. It keeps what it must, and nothing of the lines.

- [`UsageTotals`] adds up tokens, once for each message of the model.
*/

mod names;
mod usage;

pub use usage::{Cost, Tokens, ToolTotals, Totals, UsageTotals};
