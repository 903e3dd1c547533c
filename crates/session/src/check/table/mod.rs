/*!
What each dialect asks of each type of message, as data.

A [`Profile`] is what a dialect makes of things that are odd. A [`Row`] is what
a type of message must have and may have. Nothing else in this folder knows a
field by its name, apart from those that link messages to each other.
*/

mod blocks;
mod server;
mod specification;
mod stream;
mod transcript;

use crate::check::{Dialect, Level, Rule};

pub(crate) use blocks::{BLOCKS, BlockRow, Part, REMOTE_RESULT};

/// What a dialect makes of things that are odd.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) dialect: Dialect,
    /// A type that is not in the table. `None`: new ones are no surprise.
    pub(crate) unknown_type: Option<Level>,
    /// A message that comes again as it was, with its uuid.
    pub(crate) same_again: Level,
    /// Two results for one call, or two calls with one id that need not be
    /// of two messages.
    pub(crate) repeated: Level,
    /// A child before its parent, or a result before its call.
    pub(crate) out_of_order: Level,
    /// A lost parent of a line that neither the user nor the model wrote.
    pub(crate) loose_end: Level,
    /// Whether the main conversation may go on from the end of a sidechain.
    pub(crate) returns: bool,
    /// What it asks of each type of message.
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

/// What a type of message has.
#[derive(Debug)]
pub(crate) struct Row {
    /// The types; an event of a server is known by its key.
    pub(crate) names: &'static [&'static str],
    pub(crate) fields: &'static [&'static [Field]],
}

/// A field, and what it has to be. A field that is null is not there, unless
/// it can be anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Its key. `message/content` is in the object `message`, and nothing is
    /// asked of it if that is no object.
    pub(crate) key: &'static str,
    pub(crate) shape: Shape,
    pub(crate) need: Need,
    /// The rule that is broken if it is not there or has another shape,
    /// if it is not the usual one.
    pub(crate) rule: Option<Rule>,
    pub(crate) level: Level,
}

/// What a value has to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Any,
    Text,
    /// Text that is not empty.
    Name,
    /// Text that is one of these.
    OneOf(&'static [&'static str]),
    /// A time as ISO 8601 has it.
    Time,
    Flag,
    Whole,
    Number,
    Object,
    Array,
    /// A string, or blocks.
    Content,
}

/// When a field has to be there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Need {
    Never,
    Always,
    /// When a string of the message is one of these.
    If(&'static str, &'static [&'static str]),
    /// The same, and else it must not be there.
    OnlyIf(&'static str, &'static [&'static str]),
    /// When it is none of these.
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

    /// It is part of a call of a tool.
    const fn of_call(self) -> Field {
        Field { rule: Some(Rule::ToolCall), ..self }
    }
}

/// What is asked of a message whose type is not in the table.
pub(crate) static UNKNOWN: &[Field] =
    &[may("uuid", Shape::Text).noted(), may("timestamp", Shape::Time).noted()];

const USER: &[&str] = &["user"];
const ASSISTANT: &[&str] = &["assistant"];

/// What the user or the model says, in transcripts and streams.
const SAID: &[Field] = &[
    must("message", Shape::Object),
    must("message/content", Shape::Content),
    may("message/id", Shape::Text),
];

/// What an event without a type is called here. No type is.
pub(crate) const RAW_EVENT: &str = "(event)";
