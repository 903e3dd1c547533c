/*!
Sub-agents that were forked from their parents. Their transcripts begin with a
copy of the message that started them, and with the answers to its calls.
*/

use linetape::message::Message;

use crate::{
    Facts, Thread,
    conversation::{Conversation, Here, Place},
    ids::Index,
    turns::ThreadId,
};

/// Which of the first lines of a forked sub-agent come next.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fork {
    /// The copy.
    Begun,
    /// More lines of the copy. Has the hash of the message's id.
    Copying(Option<u64>),
    /// The answers to its calls.
    Copied,
}

impl Conversation {
    /// Begins a sub-agent that was forked from its parent.
    pub(crate) fn begin_fork(&mut self, here: Here) {
        let thread = self.threads.get(here.thread.get());
        if thread.is_some_and(|thread| thread.is_agent) {
            self.forks.entry(here.thread).or_insert(Fork::Begun);
        }
    }

    /// Returns whether a message of the model is the copy that a forked
    /// sub-agent begins with: the first message, unless the parent is known
    /// and has not said it. Ties the sub-agent to the call in it.
    ///
    /// Called before the message's id is noted.
    pub(crate) fn is_fork_copy(
        &mut self,
        facts: &Facts<'_>,
        place: Place,
    ) -> bool {
        if self.forks.is_empty() {
            return false;
        }
        let (Message::Assistant(_), Thread::Agent(agent)) =
            (facts.message(), facts.thread())
        else {
            return false;
        };
        let session = self.session_index(facts, place);
        let agent = self.names.find(agent).map(ThreadId::Agent);
        let thread =
            agent.and_then(|agent| self.by_thread.get(&(session, agent)));
        let Some(thread) = thread.copied() else { return false };
        let id = facts.message_id();
        let hash = id.map(|id| self.lineage.hash(id));
        let mut calls = facts.calls();
        // Of several calls, it is not known which one started it.
        let call = calls.next().filter(|_| calls.next().is_none());
        let call = call.and_then(|call| self.names.find(call.id()?));
        let call = call.and_then(|id| self.by_call.get((session, id)));
        let is_copy = match self.forks.get(&thread) {
            Some(Fork::Begun) => {
                let parent = self.sessions.get(session.get());
                parent.is_none_or(|parent| !parent.has_messages)
                    || call.is_some()
                    || id.is_some_and(|id| self.lineage.has_said(id))
            }
            Some(Fork::Copying(copied)) => hash.is_some() && *copied == hash,
            Some(Fork::Copied) | None => return false,
        };
        let next = match is_copy {
            true => Fork::Copying(hash),
            false => Fork::Copied,
        };
        self.forks.insert(thread, next);
        if let Some(call) = call.filter(|_| is_copy) {
            self.tie(thread, call);
        }
        is_copy
    }

    /// Ends the copy that a forked sub-agent begins with: the user answers.
    pub(crate) fn end_fork_copy(&mut self, here: Here) {
        if let Some(fork) = self.forks.get_mut(&here.thread) {
            *fork = Fork::Copied;
        }
    }

    /// Returns whether a result in a forked sub-agent answers a call of the
    /// copy: a call of its parent.
    pub(crate) fn is_fork_answer(
        &self,
        here: Here,
        call: Option<Index>,
    ) -> bool {
        if self.forks.get(&here.thread) != Some(&Fork::Copied) {
            return false;
        }
        let call = call.and_then(|call| self.calls.get(call.get()));
        let step = call.and_then(|call| self.steps.get(call.step));
        let turn = step.and_then(|step| self.turns.get(step.turn.get()));
        turn.is_none_or(|turn| turn.thread != here.thread)
    }
}
