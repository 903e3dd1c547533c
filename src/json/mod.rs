/*!
JSON: values as they stand in a line.

[`Value`] is what everything above reads. There are two things behind it: a
tape that simd-json has made of a whole line, by way of [`Parser`], and the
text of a line with an index, by way of [`Text`]. `fault` finds out what is
wrong with a line that cannot be read. [`route`] finds the type of a line, and
its end, without an index.
*/

mod admit;
mod check;
mod compare;
#[cfg(feature = "owned")]
mod deserialize;
mod display;
mod fault;
mod index;
mod json_type;
#[cfg(feature = "owned")]
mod key;
#[cfg(feature = "owned")]
mod locate;
mod number;
mod pointer;
mod projection;
mod route;
#[cfg(feature = "owned")]
mod serialize;
mod stated;
mod tape;
mod text;
mod text_value;
mod trust;
mod value;
#[cfg(feature = "owned")]
mod visit;
mod walk;

pub(crate) use admit::{precheck, string_end};
pub(crate) use check::{Checked, check};
pub use display::Quoted;
pub(crate) use fault::{duplicate, explain, find_value_fault, first_value};
pub(crate) use index::{Container, Cursor, Index, Member};
pub use json_type::JsonType;
#[cfg(feature = "owned")]
pub(crate) use locate::nth_node;
pub(crate) use number::Number;
pub use projection::{Projected, Projection};
pub(crate) use route::{Route, Routed, Span, route};
#[cfg(feature = "owned")]
pub(crate) use serialize::take_refused;
pub(crate) use stated::{Stated, StatedKey};
pub(crate) use tape::{
    Guard, InPlaceFault, InPlaceKind, Nodes, PADDING, Parser,
};
pub(crate) use text::{Origin, Text, TopFault};
pub(crate) use text_value::TextValue;
pub(crate) use value::Repr;
pub use value::{Array, Items, Members, Object, Value};
