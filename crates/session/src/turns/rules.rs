/*!
The effect of each type of message on turns.
*/

use linetape::message::{
    results::ResultMessage,
    server::{ServerStopReason, UiEvent},
    stream::{Assistant, User},
    system::{SessionState, System},
};

use crate::{
    Answer, Facts,
    facts::{Part, is_call},
    ids::Index,
    turns::{
        Ended, Here, Turns,
        prompt::{is_interruption, is_prompt},
    },
};

impl Turns {
    pub(crate) fn add_user(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        user: User<'_>,
    ) {
        let mut answers = false;
        for answer in facts.answers() {
            answers = true;
            self.add_answer(here, answer);
        }
        if answers {
            self.turn(here);
        }
        if is_interruption(user) {
            if self.open.contains_key(&here.thread) {
                let turn = self.turn(here);
                self.with(turn, |entry| entry.is_interrupted = true);
            }
        } else if !answers && is_prompt(user) {
            self.begin(here, Some(here.position));
        }
    }

    fn add_answer(&mut self, here: Here, answer: Answer<'_>) {
        let call = self.find(here, answer.call);
        self.record_result(call, here, answer.is_error);
    }

    pub(crate) fn add_assistant(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        said: Assistant<'_>,
    ) {
        let turn = self.turn(here);
        let id = facts.message_id().or(facts.uuid());
        let caller = self.count(turn, id);
        if facts.is_error() {
            self.add_error(turn);
        }
        let mut calls = false;
        for part in facts.parts() {
            match part {
                Part::Call(call) => {
                    calls = true;
                    self.add_call(here, turn, call, caller);
                }
                Part::Answer(answer) => self.add_answer(here, answer),
            }
        }
        if !calls
            && is_call(said)
            && let Some(call) = facts.line_call()
        {
            self.add_call(here, turn, call, caller);
        }
    }

    pub(crate) fn add_system(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        system: System<'_>,
    ) {
        let failed = facts.is_error();
        let may_answer = failed || matches!(system, System::ToolResult(_));
        let parent = facts.parent_uuid().filter(|_| may_answer);
        let parent = self.find_unanswered(here, parent);
        let open = self.open.get(&here.thread).copied();
        match (system, parent, open) {
            (System::ToolResult(result), ..) => {
                let turn = self.turn(here);
                let call = match result.tool_use_id() {
                    Some(id) => self.find(here, Some(id)),
                    None => parent.or_else(|| self.first_unanswered(turn)),
                };
                self.record_result(call, here, failed);
            }
            (_, Some(call), _) if failed => {
                self.turn(here);
                self.record_result(Some(call), here, true);
            }
            (_, None, Some(turn)) if failed => self.add_error(turn),
            (System::TurnDuration(stated), _, Some(turn)) => {
                let stated = stated.duration_ms();
                self.with(turn, |entry| entry.stated_duration = stated);
            }
            (System::SessionStateChanged(change), ..)
                if change.state() == Some(SessionState::Idle) =>
            {
                self.open.remove(&here.thread);
            }
            (System::Init(_), _, Some(turn)) => {
                // A prompt may come before the init of its run.
                let entry = self.turns.get(turn.get());
                if entry.is_some_and(|entry| entry.messages > 0) {
                    self.open.remove(&here.thread);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn add_result(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        result: ResultMessage<'_>,
    ) {
        let turn = self.turn(here);
        let subtype = result.subtype();
        let ended = Ended {
            position: here.position,
            subtype: subtype.map(|text| self.names.intern(text.as_str())),
            is_error: facts.is_error(),
            duration_ms: result.duration_ms(),
            duration_api_ms: result.duration_api_ms(),
            num_turns: result.num_turns(),
        };
        self.end(here, turn, ended);
    }

    fn add_error(&mut self, turn: Index) {
        self.with(turn, |entry| {
            entry.errors = entry.errors.saturating_add(1);
        });
    }

    fn end(&mut self, here: Here, turn: Index, ended: Ended) {
        self.open.remove(&here.thread);
        self.with(turn, |entry| entry.result = Some(Box::new(ended)));
    }

    /// Adds an event of an agent server.
    pub(crate) fn add_event(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        event: UiEvent<'_>,
    ) {
        match event {
            UiEvent::TextChunk(chunk) => {
                let turn = self.turn(here);
                let number = chunk.turn_id().and_then(|id| id.sequence());
                let id = number.map(|number| format!("turn {number}"));
                self.count(turn, id.as_deref());
            }
            UiEvent::ToolExecuting(_) => {
                let turn = self.turn(here);
                for call in facts.calls() {
                    self.add_call(here, turn, call, None);
                }
            }
            UiEvent::ToolCompleted(_) => {
                self.turn(here);
                for answer in facts.answers() {
                    self.add_answer(here, answer);
                }
            }
            UiEvent::Complete(done) => {
                let turn = self.turn(here);
                let reason = done.stop_reason();
                // The model is waiting for a tool: the turn continues.
                if reason == Some(ServerStopReason::ToolUse) {
                    return;
                }
                let subtype =
                    reason.map(|text| self.names.intern(text.as_str()));
                let position = here.position;
                let ended = Ended { position, subtype, ..Ended::default() };
                self.end(here, turn, ended);
            }
            UiEvent::Error(_) => {
                if let Some(turn) = self.open.get(&here.thread).copied() {
                    self.add_error(turn);
                }
            }
            _ => {}
        }
    }
}
