/*!
Matching tool results with tool calls.
*/

use linetape::{Position, message::ToolCall};

use crate::{
    ids::{Index, NameId},
    turns::{Here, Turns},
};

/// The index of a turn, and the index of a call in the turn.
pub(crate) type CallAt = (Index, usize);

/// See [`ToolCall`](crate::ToolCall).
#[derive(Clone)]
pub(crate) struct CallEntry {
    pub(crate) id: Option<NameId>,
    pub(crate) name: Option<NameId>,
    pub(crate) position: Position,
    pub(crate) called_at: Option<i64>,
    pub(crate) answered: Option<Position>,
    pub(crate) answered_at: Option<i64>,
    pub(crate) is_error: bool,
    pub(crate) group: u32,
}

impl Turns {
    /// Adds a call, unless it was on an earlier line. `caller` is the message
    /// that makes the call.
    pub(crate) fn add_call(
        &mut self,
        here: Here,
        turn: Index,
        call: ToolCall<'_>,
        caller: Option<NameId>,
    ) {
        let id = call.id().map(|id| self.names.intern(id));
        let key = id.map(|id| (here.thread.0, id));
        if key.is_some_and(|key| self.calls.contains_key(&key)) {
            return;
        }
        let name = call.name().map(|name| self.names.intern(name));
        let Some(entry) = self.turns.get_mut(turn.get()) else { return };
        let last = entry.calls.last().map(|call| call.group);
        let joins = !entry.is_group_answered
            || caller.is_some() && caller == entry.last_caller;
        let group = match last {
            Some(group) if joins => group,
            last => {
                entry.is_group_answered = false;
                last.map_or(0, |group| group.saturating_add(1))
            }
        };
        entry.last_caller = caller;
        if let Some(key) = key {
            self.calls.insert(key, (turn, entry.calls.len()));
        }
        entry.calls.push(CallEntry {
            id,
            name,
            position: here.position,
            called_at: here.at,
            answered: None,
            answered_at: None,
            is_error: false,
            group,
        });
    }

    /// Returns the call with an id.
    pub(crate) fn find(&self, here: Here, id: Option<&str>) -> Option<CallAt> {
        let id = self.names.find(id?)?;
        self.calls.get(&(here.thread.0, id)).copied()
    }

    /// Returns the call with an id, if it has no result yet.
    pub(crate) fn find_unanswered(
        &self,
        here: Here,
        id: Option<&str>,
    ) -> Option<CallAt> {
        let (turn, at) = self.find(here, id)?;
        let call = self.turns.get(turn.get())?.calls.get(at)?;
        call.answered.is_none().then_some((turn, at))
    }

    /// Returns the first call of a turn that has no result yet.
    pub(crate) fn first_unanswered(&mut self, turn: Index) -> Option<CallAt> {
        let entry = self.turns.get_mut(turn.get())?;
        let later = entry.calls.get(entry.first_unanswered..)?;
        let answered = later.iter().take_while(|c| c.answered.is_some());
        entry.first_unanswered += answered.count();
        let call = (turn, entry.first_unanswered);
        (entry.first_unanswered < entry.calls.len()).then_some(call)
    }

    /// Records the result of a call, unless the call already has one. If
    /// `call` is `None`, records a result without a call.
    pub(crate) fn record_result(
        &mut self,
        call: Option<CallAt>,
        here: Here,
        is_error: bool,
    ) {
        let Some((turn, at)) = call else {
            self.unasked.push(here.position);
            return;
        };
        let Some(entry) = self.turns.get_mut(turn.get()) else { return };
        let last = entry.calls.last().map(|call| call.group);
        let Some(call) = entry.calls.get_mut(at) else { return };
        entry.is_group_answered |= Some(call.group) == last;
        if call.answered.is_none() {
            call.answered = Some(here.position);
            call.answered_at = here.at;
            call.is_error = is_error;
        }
    }
}
