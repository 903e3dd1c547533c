/*!
Charts: inline SVG without text, with a description, and a table.

Labels are HTML beside the drawing, so that they keep their size on a phone.
Each series is one `path`, so that a chart has few elements however much it
shows. `draw` has what the charts share.
*/

mod cost;
mod days;
mod draw;
mod requests;
mod timeline;
mod tools;

pub use cost::by_model;
pub use days::{Day, tokens_per_day};
pub use draw::plural;
pub use requests::{Request, context, largest, tokens_by_kind};
pub use timeline::{Bar, Clock, Lane, timeline};
pub use tools::{Tool, sort as sort_tools, tools};
