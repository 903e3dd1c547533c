/*!
Calls that a sub-agent has copied from its parent.
*/

use std::collections::HashSet;

use crate::{
    Role,
    check::{
        line::{Agent, LineFacts},
        table::Pairing,
    },
    ids::NameId,
    state::codec::saved,
};

/// A session and the id of a sub-agent in it.
type InSession = (Option<NameId>, NameId);

/// The copies of messages that forked sub-agents begin with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forks {
    /// Sub-agents that were forked from their parents, if the user has not
    /// answered yet: what the model says is a copy of the parent's message.
    begun: HashSet<InSession>,
    /// The calls in these copies.
    calls: HashSet<(InSession, NameId)>,
}

saved! {
    Forks { begun, calls }
}

impl Forks {
    /// Begins a sub-agent that was forked from its parent.
    pub(crate) fn begin(&mut self, session: Option<NameId>, agent: NameId) {
        self.begun.insert((session, agent));
    }

    /// Updates the state with a message. The copy ends when the user answers.
    pub(crate) fn observe(&mut self, facts: &LineFacts) {
        if let Agent::Named(agent) = facts.agent
            && facts.role == Role::User
        {
            self.begun.remove(&(facts.session, agent));
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
            (_, Role::Assistant) if self.begun.contains(&agent) => {
                self.calls.insert((agent, id));
                true
            }
            _ => false,
        }
    }
}
