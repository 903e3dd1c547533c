/*!
Tables of the rules for single messages: one file for each dialect.

A [`Profile`] has the severity of irregularities in a dialect. A [`Row`] lists
the required and optional fields of a message type. Outside of this folder, the
checker knows only the fields that link messages to each other.

The tables repeat type names and keys of linetape's schema, because the schema
does not contain which fields are required. A test compares the two, and reports
the file to edit when a type or a key is missing in one of them.
*/

mod blocks;
mod server;
mod specification;
mod stream;
#[cfg(test)]
mod tests;
mod transcript;

use crate::check::{Dialect, Level, Rule};

pub(crate) use blocks::{BLOCKS, BlockRow, Pairing, REMOTE_RESULT};

/// The severity of irregularities in a dialect, and the rules for its
/// messages.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) dialect: Dialect,
    /// For a type without a row. `None` if it is not reported.
    pub(crate) unknown_type: Option<Level>,
    /// For a copy of a message, with the same uuid.
    pub(crate) same_again: Level,
    /// For two results of one call, or two calls with the same id that may be
    /// in one message.
    pub(crate) repeated: Level,
    /// For a child before its parent, or a result before its call.
    pub(crate) out_of_order: Level,
    /// For a missing parent of a line that the agent program wrote.
    pub(crate) loose_end: Level,
    /// Whether the main conversation may continue from the end of a
    /// sidechain.
    pub(crate) returns: bool,
    /// The rules for each type of message.
    pub(crate) rows: &'static [Row],
}

pub(crate) fn profile(dialect: Dialect) -> &'static Profile {
    match dialect {
        Dialect::Specification => &specification::SPECIFICATION,
        Dialect::Transcript => &transcript::TRANSCRIPT,
        Dialect::Stream => &stream::STREAM,
        Dialect::Server => &server::SERVER,
    }
}

/// The fields of one or more message types.
#[derive(Debug)]
pub(crate) struct Row {
    /// The message types. The type of an agent-server event is its key.
    pub(crate) names: &'static [&'static str],
    pub(crate) fields: &'static [&'static [Field]],
}

/// The rule for a field. `null` counts as missing, unless the shape is
/// [`Shape::Any`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// The key. `message/content` is the key `content` of the object
    /// `message`, and is not checked if `message` is not an object.
    pub(crate) key: &'static str,
    pub(crate) shape: Shape,
    pub(crate) need: Need,
    /// The rule that is reported in place of the default one.
    pub(crate) rule: Option<Rule>,
    pub(crate) level: Level,
}

/// The JSON type of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Any,
    /// A string.
    Text,
    /// A string that is not empty.
    Name,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// An ISO 8601 timestamp.
    Time,
    /// A boolean.
    Flag,
    /// An integer.
    Whole,
    Number,
    Object,
    Array,
    /// A string, or an array of blocks.
    Content,
}

/// When a field is required.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Need {
    Never,
    Always,
    /// If another field has one of these values.
    If(&'static str, &'static [&'static str]),
    /// If another field has one of these values; otherwise it is forbidden.
    OnlyIf(&'static str, &'static [&'static str]),
    /// If another field has none of these values.
    Unless(&'static str, &'static [&'static str]),
}

const fn may(key: &'static str, shape: Shape) -> Field {
    Field { key, shape, need: Need::Never, rule: None, level: Level::Error }
}

const fn must(key: &'static str, shape: Shape) -> Field {
    may(key, shape).needed(Need::Always)
}

impl Field {
    const fn needed(self, need: Need) -> Field {
        Field { need, ..self }
    }

    const fn noted(self) -> Field {
        Field { level: Level::Note, ..self }
    }

    /// Reports the field under the rule [`Rule::ToolCall`].
    const fn of_call(self) -> Field {
        Field { rule: Some(Rule::ToolCall), ..self }
    }
}

/// The rules for messages of a type that has no row.
pub(crate) static UNKNOWN: &[Field] =
    &[may("uuid", Shape::Text).noted(), may("timestamp", Shape::Time).noted()];

const USER: &[&str] = &["user"];
const ASSISTANT: &[&str] = &["assistant"];

/// The fields of a message of the user or the model, in transcripts and
/// streams.
const SAID: &[Field] = &[
    must("message", Shape::Object),
    must("message/content", Shape::Content),
    may("message/id", Shape::Text),
];

/// The row name for events without a `type`. It cannot occur as a type.
pub(crate) const RAW_EVENT: &str = "(event)";
