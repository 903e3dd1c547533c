/*!
JSON: checking a line, and reading its values.

[`Value`] is the type that the modules above read. It has two representations: a
node on a tape, which simd-json makes of a whole line ([`Parser`]), and an offset
in the text of a line with an index, which a reader ([`Text`]) or the line itself
([`Kept`]) owns.

Several files implement the JSON grammar, each for a different purpose. A change
of a rule must be made in all of them:

| reader | file | checks | otherwise |
|---|---|---|---|
| precheck | `admit.rs` | length, `{` at the start, number of values | error |
| skim | `skim.rs` | strings and brackets up to the type | `None`; the caller uses the index |
| sweep (`projected`) | `sweep/` | strings and brackets | `Miss`: the index is used, for arrays, escaped or long keys and spaces, too |
| strings | `strings.rs` | UTF-8, the limits, and the strings that it returns | ends; a lone surrogate is U+FFFD |
| pass | `pass/` | strings, brackets, depth and UTF-8; depending on its policy, the outermost object, or everything but a second `type`, which is left to text | `None` or `Miss`; `fault` finds the error |
| text (`peek`, `OwnedLine`) | `text.rs`, `text_value.rs` | the outermost members of a line with an index; later, the values that are read | an error; in a nested value `None` |
| tokens (`deserialize`) | `tokens.rs` | nothing: the line was checked | |
| decode | `tape.rs` | everything but a second `type`, which `../message/kind.rs` finds | `fault` finds the error |
| unique (`reject_duplicate_keys`) | `unique.rs` | all keys of a line with an index | the offset of the first duplicate |
| fault | `fault.rs` | everything, byte by byte | the error |
| salvage | `../salvage.rs` | each candidate object, with `first_value` of `fault` | the search goes on |
| locate | `locate.rs` | nothing: the offset of the n-th value of a decoded line | `None` |
*/

mod admit;
mod compare;
#[cfg(feature = "serde")]
mod deserialize;
mod display;
mod equal;
mod fault;
mod index;
mod indexes;
mod json_type;
mod kept;
#[cfg(feature = "serde")]
mod key;
#[cfg(feature = "serde")]
mod locate;
mod number;
mod pass;
mod pointer;
mod prepare;
mod projection;
#[cfg(feature = "serde")]
mod serialize;
mod skim;
mod skip;
mod source;
mod span;
mod state;
mod stated;
mod strings;
mod sweep;
mod tape;
mod text;
mod text_value;
#[cfg(feature = "serde")]
mod tokens;
mod trust;
mod unique;
mod value;
#[cfg(feature = "serde")]
mod visit;
mod walk;

pub(crate) use admit::precheck;
pub use display::Quoted;
pub(crate) use fault::{
    duplicate, explain, find_value_fault, first_value, repeated,
};
pub(crate) use index::{Container, Cursor, Index, IndexRef, Member};
pub(crate) use indexes::Indexes;
pub use json_type::JsonType;
pub(crate) use kept::Kept;
#[cfg(feature = "serde")]
pub(crate) use locate::nth_node;
pub(crate) use number::Number;
pub(crate) use pass::{
    Checks, Extent, Miss, Policy, Route, Span, check, check_and_index, index,
    route,
};
pub(crate) use pointer::{
    index as array_index, key as pointer_key, names as pointer_names,
};
pub use projection::{Projected, Projection};
#[cfg(feature = "serde")]
pub(crate) use serialize::take_refused;
pub(crate) use skim::skim;
pub(crate) use source::Source;
pub(crate) use state::{Found, Known, State, Verdict};
pub(crate) use stated::{Stated, StatedKey};
pub use strings::StringValues;
pub(crate) use sweep::Rule;
pub(crate) use tape::{Guard, Nodes, Parser};
pub(crate) use text::{Text, TopFault, check_members};
pub(crate) use text_value::TextValue;
pub(crate) use unique::{Objects, first_duplicate};
pub(crate) use value::Repr;
pub use value::{Array, Items, Members, Object, Value};
