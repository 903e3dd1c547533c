/*!
JSON: checking a line, and reading its values.

[`Value`] is the type that the modules above read. It has four representations:
a node on a tape, which simd-json makes of a whole line ([`Parser`]), an offset
in the text of a line with an index ([`Text`]), a range of a line without one
([`RawValue`]), and an offset in a line that owns its index ([`Kept`]).

Several files implement the JSON grammar, each for a different purpose. A change
of a rule must be made in all of them. `docs/ARCHITECTURE.md` lists them under
"Readers of JSON", with what each checks.
*/

mod admit;
mod check;
mod compare;
#[cfg(feature = "owned")]
mod deserialize;
mod display;
mod equal;
mod fault;
mod find;
mod flat;
mod index;
mod indexes;
mod json_type;
mod kept;
#[cfg(feature = "owned")]
mod key;
#[cfg(feature = "owned")]
mod locate;
mod number;
mod pointer;
mod projection;
mod raw_value;
mod route;
#[cfg(feature = "owned")]
mod serialize;
mod skim;
mod skip;
mod source;
mod span;
mod stated;
mod strings;
mod sweep;
mod tape;
mod text;
mod text_value;
mod trust;
mod value;
#[cfg(feature = "owned")]
mod visit;
mod walk;

pub(crate) use admit::{precheck, string_end};
pub(crate) use check::{
    Checked, check, check_and_index, check_and_index_first, check_first,
};
pub use display::Quoted;
pub(crate) use fault::{duplicate, explain, find_value_fault, first_value};
pub(crate) use find::Rule;
pub(crate) use index::{Container, Cursor, Index, IndexRef, Member};
pub(crate) use indexes::Indexes;
pub use json_type::JsonType;
pub(crate) use kept::{Kept, KeptValue};
#[cfg(feature = "owned")]
pub(crate) use locate::nth_node;
pub(crate) use number::Number;
pub(crate) use pointer::{
    index as array_index, key as pointer_key, names as pointer_names,
};
pub use projection::{Projected, Projection};
pub(crate) use raw_value::RawValue;
pub(crate) use route::{Route, Routed, Span, route};
#[cfg(feature = "owned")]
pub(crate) use serialize::take_refused;
pub(crate) use skim::skim;
pub(crate) use source::{Origin, Source};
pub(crate) use stated::{Stated, StatedKey};
pub use strings::StringValues;
pub(crate) use tape::{
    Guard, InPlaceFault, InPlaceKind, Nodes, PADDING, Parser,
};
pub(crate) use text::{Text, TopFault, check_members};
pub(crate) use text_value::TextValue;
pub(crate) use value::Repr;
pub use value::{Array, Items, Members, Object, Value};
