/*!
Sub-agents that were forked from their parents. Their transcripts begin with a
copy of the message that started them, and with the answers to its calls.
*/

use crate::{
    Facts,
    conversation::{Conversation, Fork, Here},
    ids::Index,
};

impl Conversation {
    /// Begins a sub-agent that was forked from its parent.
    pub(crate) fn begin_fork(&mut self, here: Here) {
        let thread = self.threads.get_mut(here.thread.get());
        if let Some(thread) = thread.filter(|thread| thread.is_agent) {
            thread.fork.get_or_insert(Fork::Begun);
        }
    }

    /// Returns whether a message of the model is the copy that a forked
    /// sub-agent begins with. Ties the sub-agent to the call in it.
    pub(crate) fn is_fork_copy(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
    ) -> bool {
        let Some(thread) = self.threads.get_mut(here.thread.get()) else {
            return false;
        };
        if thread.fork != Some(Fork::Begun) {
            return false;
        }
        let mut calls = facts.calls();
        // Of several calls, it is not known which one started it.
        if let (Some(call), None) = (calls.next(), calls.next())
            && let Some(call) = self.call_with(here, call.id)
        {
            self.tie(here.thread, call);
        }
        true
    }

    /// Ends the copy that a forked sub-agent begins with: the user answers.
    pub(crate) fn end_fork_copy(&mut self, here: Here) {
        let thread = self.threads.get_mut(here.thread.get());
        let fork = thread.and_then(|thread| thread.fork.as_mut());
        if let Some(fork) = fork {
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
        let thread = self.threads.get(here.thread.get());
        if thread.is_none_or(|thread| thread.fork != Some(Fork::Copied)) {
            return false;
        }
        let call = call.and_then(|call| self.calls.get(call.get()));
        let step = call.and_then(|call| self.steps.get(call.step));
        let turn = step.and_then(|step| self.turns.get(step.turn.get()));
        turn.is_none_or(|turn| turn.thread != here.thread)
    }
}
