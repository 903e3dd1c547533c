use std::hash::{DefaultHasher, Hash, Hasher};

use linetape::{Position, message::Message};

use crate::{
    check::{
        Dialect,
        table::{self, Part, Profile},
    },
    names::Names,
};

/// Nothing that has a number. No list gets so long.
pub(crate) const NONE: u32 = u32::MAX;

/// A sub-agent that is not named.
const NAMELESS: u32 = u32::MAX - 1;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    User,
    Assistant,
    /// The program.
    Other,
}

/// Which side of a conversation a message says it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Main,
    /// A sub-agent's.
    Sub,
    /// That of the message that it follows.
    Same,
    /// The same, but that message is not there.
    Unknown,
}

/// What of a message has to do with other messages. Names are numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) position: Position,
    pub(crate) dialect: Dialect,
    pub(crate) who: Who,
    pub(crate) side: Side,
    pub(crate) session: u32,
    /// The sub-agent, or the call that started it. `NONE` on the main side.
    pub(crate) agent: u32,
    pub(crate) uuid: u32,
    pub(crate) parent: u32,
    pub(crate) logical: u32,
    /// The message of the API that the line is a part of.
    pub(crate) message: u32,
    /// Whether the model goes on here, and so must have the results of what
    /// it called.
    pub(crate) is_turn: bool,
    pub(crate) is_forked: bool,
}

impl Facts {
    pub(crate) fn profile(&self) -> &'static Profile {
        table::profile(self.dialect)
    }
}

/// Reads the facts of a message. A message that names no session is of the
/// session before it.
pub(crate) fn read(
    message: Message<'_>,
    dialect: Dialect,
    position: Position,
    last_session: u32,
    names: &mut Names,
) -> Facts {
    let value = message.value();
    let envelope = message.envelope();
    let who = match message {
        Message::User(_) => Who::User,
        Message::Assistant(_) => Who::Assistant,
        _ => Who::Other,
    };
    let side = match envelope.is_sidechain() {
        _ if dialect == Dialect::Stream => {
            match envelope.parent_tool_use_id() {
                Some(_) => Side::Sub,
                None => Side::Main,
            }
        }
        Some(true) => Side::Sub,
        Some(false) => Side::Main,
        // The specification marks what the user and the model say, and only
        // in a sidechain.
        None if dialect == Dialect::Specification && who != Who::Other => {
            Side::Main
        }
        None => Side::Same,
    };
    let session = names.session(message).unwrap_or(last_session);
    let mut number =
        |text: Option<&str>| text.map_or(NONE, |text| names.number(text));
    let agent = match dialect {
        Dialect::Stream => number(envelope.parent_tool_use_id()),
        _ if side == Side::Sub => match envelope.agent_id() {
            Some(agent) => number(Some(agent)),
            None => NAMELESS,
        },
        _ => NONE,
    };
    let text = |key| value.get(key).and_then(|text| text.as_str());
    let subtype = text("subtype");
    let said = value.get("message");
    let api_id = said.and_then(|said| said.get("id")?.as_str());
    let speaks = match dialect {
        // Calls at once are messages that follow each other, with thoughts
        // between them.
        Dialect::Specification => {
            !matches!(subtype, Some("tool_use" | "thinking" | "error"))
        }
        // The program says so in place of the model.
        _ => !message.is_error(),
    };
    Facts {
        position,
        dialect,
        who,
        side,
        session,
        agent,
        uuid: number(envelope.uuid()),
        parent: number(envelope.parent_uuid()),
        logical: number(envelope.logical_parent_uuid()),
        message: number(api_id.filter(|_| who == Who::Assistant)),
        is_turn: who == Who::Assistant && speaks,
        is_forked: envelope.forked_from().is_some(),
    }
}

/// Tells whether two lines with one uuid are one message, by what is cheap to
/// know: what it is, when it was, what it follows, and which blocks it has.
#[derive(Debug)]
pub(crate) struct Likeness(DefaultHasher);

impl Likeness {
    pub(crate) fn of(message: Message<'_>, facts: &Facts) -> Likeness {
        let mut hasher = DefaultHasher::new();
        let kind = message.kind();
        (kind.name(), kind.subtype()).hash(&mut hasher);
        (facts.parent, facts.message).hash(&mut hasher);
        // What comes back in a stream may have the time of its coming back.
        let is_timed = facts.dialect != Dialect::Stream;
        message.timestamp().filter(|_| is_timed).hash(&mut hasher);
        Likeness(hasher)
    }

    pub(crate) fn add_block(&mut self, kind: &str, part: Part, id: u32) {
        (kind, part as u8, id).hash(&mut self.0);
    }

    pub(crate) fn finish(self) -> u64 {
        self.0.finish()
    }
}
