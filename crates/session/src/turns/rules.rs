/*!
What each kind of message means for the turns.
*/

use linetape::message::{
    Message,
    results::ResultMessage,
    server::{ServerStopReason, UiEvent},
    stream::{Assistant, AssistantSubtype, User},
    system::{SessionState, System},
};

use crate::{
    blocks::{answer_in, call_in},
    turns::{
        Ended, Here, Turns,
        prompt::{asks, interrupts},
    },
};

impl Turns {
    pub(crate) fn add_user(&mut self, here: Here, user: User<'_>) {
        let mut answers = false;
        for answer in user.content().filter_map(answer_in) {
            answers = true;
            let call = self.find(here, answer.tool_use_id());
            self.settle(call, here, answer.is_error());
        }
        if answers {
            self.turn(here);
        }
        if interrupts(user) {
            if self.open.contains_key(&here.place) {
                let turn = self.turn(here);
                self.with(turn, |entry| entry.is_interrupted = true);
            }
        } else if !answers && asks(user) {
            self.begin(here, Some(here.position));
        }
    }

    pub(crate) fn add_said(
        &mut self,
        here: Here,
        message: Message<'_>,
        said: Assistant<'_>,
    ) {
        let turn = self.turn(here);
        let id = said.message().and_then(|inner| inner.id());
        let caller = self.count(turn, id.or(message.uuid()));
        if message.is_error() {
            self.with(turn, |entry| entry.errors += 1);
        }
        let mut calls = false;
        for block in said.content() {
            if let Some(call) = call_in(block) {
                calls = true;
                self.call(here, turn, call.id(), call.name(), caller);
            } else if let Some(answer) = answer_in(block) {
                let call = self.find(here, answer.tool_use_id());
                self.settle(call, here, answer.is_error());
            }
        }
        if !calls && said.subtype() == Some(AssistantSubtype::ToolUse) {
            self.call(here, turn, message.uuid(), said.tool_name(), caller);
        }
    }

    pub(crate) fn add_system(
        &mut self,
        here: Here,
        message: Message<'_>,
        system: System<'_>,
    ) {
        let failed = message.is_error();
        let may_answer = failed || matches!(system, System::ToolResult(_));
        let parent = message.parent_uuid().filter(|_| may_answer);
        let parent = self.waiting(here, parent);
        let open = self.open.get(&here.place).copied();
        match (system, parent, open) {
            (System::ToolResult(result), ..) => {
                let turn = self.turn(here);
                let call = match result.tool_use_id() {
                    Some(id) => self.find(here, Some(id)),
                    None => parent.or_else(|| self.oldest(turn)),
                };
                self.settle(call, here, failed);
            }
            (_, Some(call), _) if failed => {
                self.turn(here);
                self.settle(Some(call), here, true);
            }
            (_, None, Some(turn)) if failed => {
                self.with(turn, |entry| entry.errors += 1);
            }
            (System::TurnDuration(stated), _, Some(turn)) => {
                let stated = stated.duration_ms();
                self.with(turn, |entry| entry.stated_duration = stated);
            }
            (System::SessionStateChanged(change), ..)
                if change.state() == Some(SessionState::Idle) =>
            {
                self.open.remove(&here.place);
            }
            (System::Init(_), _, Some(turn)) => {
                // A prompt may come before the init of its run.
                let entry = self.turns.get(turn as usize);
                if entry.is_some_and(|entry| entry.messages > 0) {
                    self.open.remove(&here.place);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn add_result(
        &mut self,
        here: Here,
        result: ResultMessage<'_>,
    ) {
        let turn = self.turn(here);
        let subtype = result.subtype();
        let ended = Ended {
            position: here.position,
            subtype: subtype.map(|text| self.names.number(text.as_str())),
            is_error: Message::Result(result).is_error(),
            duration_ms: result.duration_ms(),
            duration_api_ms: result.duration_api_ms(),
            num_turns: result.num_turns(),
        };
        self.end(here, turn, ended);
    }

    fn end(&mut self, here: Here, turn: u32, ended: Ended) {
        self.open.remove(&here.place);
        self.with(turn, |entry| entry.result = Some(Box::new(ended)));
    }

    /// Adds an event of an agent server.
    pub(crate) fn add_event(&mut self, here: Here, event: UiEvent<'_>) {
        match event {
            UiEvent::TextChunk(chunk) => {
                let turn = self.turn(here);
                let number = chunk.turn_id().and_then(|id| id.sequence());
                let id = number.map(|number| format!("turn {number}"));
                self.count(turn, id.as_deref());
            }
            UiEvent::ToolExecuting(call) => {
                let turn = self.turn(here);
                let (id, name) = (call.tool_use_id(), call.tool_name());
                self.call(here, turn, id, name, None);
            }
            UiEvent::ToolCompleted(result) => {
                self.turn(here);
                let call = self.find(here, result.tool_use_id());
                self.settle(call, here, false);
            }
            UiEvent::Complete(done) => {
                let turn = self.turn(here);
                let reason = done.stop_reason();
                // The model only waits for a tool.
                if reason == Some(ServerStopReason::ToolUse) {
                    return;
                }
                let subtype =
                    reason.map(|text| self.names.number(text.as_str()));
                self.end(
                    here,
                    turn,
                    Ended {
                        position: here.position,
                        subtype,
                        is_error: false,
                        duration_ms: None,
                        duration_api_ms: None,
                        num_turns: None,
                    },
                );
            }
            UiEvent::Error(_) => {
                if let Some(turn) = self.open.get(&here.place).copied() {
                    self.with(turn, |entry| entry.errors += 1);
                }
            }
            _ => {}
        }
    }
}
