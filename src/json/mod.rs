/*!
JSON: values as they stand in a line.

[`Value`] is what everything above reads. Behind it is a tape that simd-json
has made of a whole line, by way of [`Parser`]. `fault` finds out what is wrong
with a line that could not be made into one.
*/

#[cfg(feature = "owned")]
mod deserialize;
mod fault;
mod number;
#[cfg(feature = "owned")]
mod serialize;
mod tape;
mod value;

pub(crate) use fault::{Refusal, What, find_fault, refuse_costly};
pub(crate) use number::Number;
pub(crate) use tape::{
    Guard, InPlaceFault, InPlaceKind, Nodes, PADDING, Parser,
};
pub use value::{Array, Items, Members, Object, Value};
