/*!
The facts of a line that the checker keeps.
*/

use linetape::Position;

use crate::{
    Facts, Role,
    check::{
        Dialect,
        table::{self, Pairing, Profile},
    },
    ids::{NameId, Names},
    state::hash::Sip,
};

/// Whether a message is part of a sidechain.
///
/// For a [`Thread`](crate::Thread), a line without `isSidechain` is a line of
/// the main thread. The checker must distinguish the two, because most lines
/// of the agent program have no flag, and belong to the conversation of their
/// parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Main,
    /// A sub-agent's conversation.
    Sub,
    /// No flag: the same side as the parent.
    Inherited,
    /// No flag, and the parent is missing.
    Unknown,
}

/// The agent of a session that wrote a message.
///
/// Unlike a [`Thread`](crate::Thread), it depends on the dialect: a stream
/// identifies a sub-agent by the call that started it, and a transcript by
/// `agentId`. The other field is ignored. All sidechains of a session without
/// a name count as one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Agent {
    Main,
    /// A sub-agent, by its name or by the call that started it.
    Named(NameId),
    Unnamed,
}

/// The facts of a line that relate it to other lines, interned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineFacts {
    pub(crate) position: Position,
    pub(crate) dialect: Dialect,
    pub(crate) role: Role,
    pub(crate) side: Side,
    pub(crate) session: Option<NameId>,
    pub(crate) agent: Agent,
    pub(crate) uuid: Option<NameId>,
    pub(crate) parent: Option<NameId>,
    pub(crate) logical: Option<NameId>,
    /// The API message that the line is a part of.
    pub(crate) message: Option<NameId>,
    /// Whether the model continues with this line, so that the results of its
    /// earlier calls must be known.
    pub(crate) is_turn: bool,
    pub(crate) is_forked: bool,
    /// Whether it is a message without an envelope, in a `progress` line.
    pub(crate) is_partial: bool,
    /// Whether it is a line of a transcript, in a `transcript_mirror` line.
    pub(crate) is_mirrored: bool,
}

impl LineFacts {
    pub(crate) fn profile(&self) -> &'static Profile {
        table::profile(self.dialect)
    }

    /// Interns the facts of a message. A message without a session id belongs
    /// to `last_session`.
    pub(crate) fn new(
        facts: &Facts<'_>,
        dialect: Dialect,
        position: Position,
        last_session: Option<NameId>,
        names: &mut Names,
    ) -> LineFacts {
        let role = facts.role();
        let side = side(facts, dialect);
        let session = facts.session();
        let session = session.map(|id| names.intern_session(id));
        let mut intern =
            |text: Option<&str>| text.map(|text| names.intern(text));
        let agent = match dialect {
            Dialect::Stream => {
                intern(facts.parent_tool_use_id()).map(Agent::Named)
            }
            _ if side == Side::Sub => {
                let agent = intern(facts.agent_id()).map(Agent::Named);
                Some(agent.unwrap_or(Agent::Unnamed))
            }
            _ => None,
        };
        let message = facts.message_id();
        let speaks = match dialect {
            // Parallel calls are consecutive messages, possibly with thinking
            // between them.
            Dialect::Specification => {
                let subtype = facts.kind().subtype();
                !matches!(subtype, Some("tool_use" | "thinking" | "error"))
            }
            // The agent program writes errors with the role of the model.
            _ => role == Role::Assistant && !facts.is_error(),
        };
        LineFacts {
            position,
            dialect,
            role,
            side,
            session: session.or(last_session),
            agent: agent.unwrap_or(Agent::Main),
            uuid: intern(facts.uuid()),
            parent: intern(facts.parent_uuid()),
            logical: intern(facts.logical_parent_uuid()),
            message: intern(message.filter(|_| role == Role::Assistant)),
            is_turn: role == Role::Assistant && speaks,
            is_forked: facts.is_forked(),
            is_partial: facts.is_partial(),
            is_mirrored: facts.is_nested() && !facts.is_partial(),
        }
    }
}

/// Returns the side of a message, by the rules of its dialect.
fn side(facts: &Facts<'_>, dialect: Dialect) -> Side {
    if dialect == Dialect::Stream {
        return match facts.parent_tool_use_id() {
            Some(_) => Side::Sub,
            None => Side::Main,
        };
    }
    match facts.sidechain_flag() {
        Some(true) => Side::Sub,
        Some(false) => Side::Main,
        // The specification dialect sets the flag only on messages of the
        // user and the model in a sidechain.
        None if dialect == Dialect::Specification
            && facts.role() != Role::Other =>
        {
            Side::Main
        }
        None => Side::Inherited,
    }
}

/// A hash to detect whether two lines with the same uuid are copies of one
/// message. It covers facts that are cheap to read: kind, time, parent and
/// content blocks.
#[derive(Debug)]
pub(crate) struct Fingerprint(Sip);

impl Fingerprint {
    pub(crate) fn of(facts: &Facts<'_>, line: &LineFacts) -> Fingerprint {
        let mut hash = Sip::new();
        let kind = facts.kind();
        hash.text(kind.name());
        hash.text(kind.subtype());
        hash.number(number_of(line.parent));
        hash.number(number_of(line.message));
        // A stream may repeat a message with a new timestamp.
        let is_timed = line.dialect != Dialect::Stream;
        hash.text(facts.timestamp().filter(|_| is_timed));
        Fingerprint(hash)
    }

    pub(crate) fn add_block(
        &mut self,
        kind: &str,
        pairing: Pairing,
        id: Option<NameId>,
    ) {
        self.0.text(Some(kind));
        self.0.number(pairing as u64);
        self.0.number(number_of(id));
    }

    pub(crate) fn finish(self) -> u64 {
        self.0.finish()
    }
}

/// Returns a different number for each id, and another for `None`.
fn number_of(id: Option<NameId>) -> u64 {
    id.map_or(0, |id| id.get() as u64 + 1)
}
