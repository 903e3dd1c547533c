/*!
The threads of messages, with interned names.
*/

use std::{collections::HashMap, hash::Hash};

use crate::{
    Facts, Thread,
    ids::{NameId, Names},
};

/// A [`Thread`], interned. `Sidechain` has the uuid of its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ThreadId {
    Main,
    Call(NameId),
    Agent(NameId),
    Sidechain(NameId),
}

impl ThreadId {
    /// Returns the thread of a message. Unlike [`Facts::thread`], it finds the
    /// first line of a sidechain without a name: a line belongs to the same
    /// sidechain as its parent. `sidechains` has the first line of each line
    /// of them, by session and uuid.
    pub(crate) fn of<S: Copy + Eq + Hash>(
        session: S,
        facts: &Facts<'_>,
        names: &mut Names,
        sidechains: &mut HashMap<(S, NameId), NameId>,
    ) -> ThreadId {
        match facts.thread() {
            Thread::Main => ThreadId::Main,
            Thread::Call(call) => ThreadId::Call(names.intern(call)),
            Thread::Agent(agent) => ThreadId::Agent(names.intern(agent)),
            Thread::Sidechain(uuid) => {
                let uuid = names.intern(uuid);
                let parent = facts.parent_uuid();
                let parent = parent.map(|parent| names.intern(parent));
                let first = parent
                    .and_then(|up| sidechains.get(&(session, up)))
                    .copied()
                    .unwrap_or(uuid);
                sidechains.insert((session, uuid), first);
                ThreadId::Sidechain(first)
            }
        }
    }
}
