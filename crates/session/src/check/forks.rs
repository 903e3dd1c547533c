/*!
Calls that a sub-agent has copied from its parent.
*/

use std::collections::{HashMap, HashSet};

use crate::{
    Role,
    check::{
        line::{Agent, LineFacts},
        table::Pairing,
    },
    ids::NameId,
};

/// A session and the id of a sub-agent in it.
type InSession = (Option<NameId>, NameId);

/// The copies of messages that forked sub-agents begin with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forks {
    /// Sub-agents that were forked from their parents and have said nothing of
    /// their own yet, each with the id of the message that it has copied.
    begun: HashMap<InSession, Option<NameId>>,
    /// The calls in these copies.
    calls: HashSet<(InSession, NameId)>,
}

impl Forks {
    /// Begins a sub-agent that was forked from its parent.
    pub(crate) fn begin(&mut self, session: Option<NameId>, agent: NameId) {
        self.begun.insert((session, agent), None);
    }

    /// Updates the state with a message. The copy is one message, and it ends
    /// when the user answers as well.
    pub(crate) fn observe(&mut self, facts: &LineFacts) {
        let Agent::Named(agent) = facts.agent else { return };
        let agent = (facts.session, agent);
        let Some(copied) = self.begun.get_mut(&agent) else { return };
        let is_over = match facts.role {
            Role::User => true,
            Role::Assistant => {
                *copied = copied.or(facts.message);
                *copied != facts.message
            }
            Role::Other => false,
        };
        if is_over {
            self.begun.remove(&agent);
        }
    }

    /// Returns whether a call, or the result of one, belongs to a copy.
    pub(crate) fn is_copy(
        &mut self,
        pairing: Pairing,
        id: NameId,
        facts: &LineFacts,
    ) -> bool {
        let Agent::Named(agent) = facts.agent else { return false };
        let agent = (facts.session, agent);
        match (pairing, facts.role) {
            (Pairing::Result, _) => self.calls.contains(&(agent, id)),
            (_, Role::Assistant) if self.begun.contains_key(&agent) => {
                self.calls.insert((agent, id));
                true
            }
            _ => false,
        }
    }
}
