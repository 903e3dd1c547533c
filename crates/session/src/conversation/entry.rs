/*!
What a conversation keeps of each step, call, turn, thread and session.
*/

use std::collections::{HashMap, HashSet};

use crate::{
    conversation::Place,
    ids::{Index, NameId},
};

/// See [`Call`](super::Call).
#[derive(Clone)]
pub(crate) struct CallEntry {
    pub(crate) id: Option<NameId>,
    pub(crate) name: Option<NameId>,
    pub(crate) step: Index,
    pub(crate) answer: Option<Index>,
    /// A hash of the call and of its message's id; 0 without one.
    pub(crate) print: u32,
    /// What few calls have.
    pub(crate) rest: Option<Index>,
    pub(crate) is_error: bool,
    pub(crate) is_background: bool,
}

/// What few calls have: edits, and those that start something.
#[derive(Clone, Default)]
pub(crate) struct CallRest {
    /// The description of the sub-agent that it starts.
    pub(crate) kind: Option<NameId>,
    pub(crate) task: Option<NameId>,
    pub(crate) notification: Option<Index>,
    pub(crate) changed: Option<(u32, u32)>,
    /// The threads of the sub-agents that it started.
    pub(crate) agents: Vec<Index>,
}

/// See [`Turn`](super::Turn).
#[derive(Clone)]
pub(crate) struct TurnEntry {
    pub(crate) thread: Index,
    pub(crate) steps: Vec<Index>,
    pub(crate) times: Option<(i64, i64)>,
    pub(crate) messages: u64,
    pub(crate) is_interrupted: bool,
    /// Whether a prompt began it.
    pub(crate) is_asked: bool,
}

/// The main conversation of a session, or a sub-agent of it.
#[derive(Clone)]
pub(crate) struct ThreadEntry {
    pub(crate) session: Index,
    /// Whether this is a sub-agent.
    pub(crate) is_agent: bool,
    /// The id of the sub-agent.
    pub(crate) id: Option<NameId>,
    pub(crate) kind: Option<NameId>,
    pub(crate) task: Option<NameId>,
    /// The call that started it.
    pub(crate) call: Option<Index>,
    pub(crate) turns: Vec<Index>,
    /// Whether the next message of the model begins a turn.
    pub(crate) is_ended: bool,
    /// The hash of the id of the last message of the model that was counted.
    pub(crate) said: Option<u64>,
    /// The hashes of the model's texts that no result has repeated yet, and
    /// how often each was said. A transcript has no results, so it has one
    /// for each text that differs: 16 bytes, in a table that takes 19 to 39
    /// bytes for each (35.7 MB for a million texts).
    pub(crate) texts: HashMap<u64, u32>,
    /// The fingerprints of the prompts that are on lines of their own.
    pub(crate) asked: HashSet<u64>,
    /// The hashes of what stop hooks have said in the open turn.
    pub(crate) stop_hooks: HashSet<u64>,
    /// Whether it is a step of the main conversation.
    pub(crate) is_shown: bool,
    /// Whether messages of it are on lines of their own, and not only copied
    /// inside of `transcript_mirror` lines.
    pub(crate) has_own_lines: bool,
    /// The turn that was open at its first message.
    pub(crate) born: Option<Index>,
    /// The output tokens of the message in `said`.
    pub(crate) tokens: u64,
}

/// See [`Session`](super::Session).
#[derive(Clone)]
pub(crate) struct SessionEntry {
    pub(crate) id: Option<NameId>,
    pub(crate) main: Index,
    pub(crate) threads: Vec<Index>,
    pub(crate) calls: Vec<Index>,
    pub(crate) forked_from: Option<NameId>,
    /// The session that has its first messages.
    pub(crate) begins_as: Option<NameId>,
    pub(crate) continued_in: Option<NameId>,
    /// The working directory at its start.
    pub(crate) cwd: Option<NameId>,
    /// The title, and whether the user chose it.
    pub(crate) title: Option<(Place, bool)>,
    /// Whether its main thread has a message.
    pub(crate) has_messages: bool,
    /// The vertex of its first message, if that is a copy.
    pub(crate) copied: Option<Index>,
    /// The vertex of the last message of its main thread.
    pub(crate) last: Option<Index>,
    /// The output tokens that its messages state, and the length of what the
    /// model wrote in bytes.
    pub(crate) stated: u64,
    pub(crate) written: u64,
    pub(crate) missing: u64,
    pub(crate) unasked: u64,
}

impl ThreadEntry {
    /// Creates the main thread of a session, or the thread of a sub-agent.
    pub(crate) fn new(session: Index, id: Option<NameId>) -> ThreadEntry {
        ThreadEntry {
            session,
            is_agent: false,
            id,
            kind: None,
            task: None,
            call: None,
            turns: vec![],
            is_ended: false,
            said: None,
            texts: HashMap::new(),
            asked: HashSet::new(),
            stop_hooks: HashSet::new(),
            born: None,
            is_shown: false,
            has_own_lines: false,
            tokens: 0,
        }
    }
}

impl SessionEntry {
    pub(crate) fn new(id: Option<NameId>, main: Index) -> SessionEntry {
        SessionEntry {
            id,
            main,
            threads: vec![],
            calls: vec![],
            forked_from: None,
            begins_as: None,
            continued_in: None,
            cwd: None,
            title: None,
            has_messages: false,
            copied: None,
            last: None,
            stated: 0,
            written: 0,
            missing: 0,
            unasked: 0,
        }
    }
}
