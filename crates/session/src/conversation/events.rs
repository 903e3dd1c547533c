/*!
What messages of the agent program and of an agent server add.
*/

use linetape::message::{
    Block, Message,
    server::{ServerStopReason, UiEvent},
    system::{SessionState, System},
};

use crate::{
    Facts,
    conversation::{
        Conversation, Here, Place, StepKind, attached::Attached,
        rules::WHOLE_LINE, sort::Notice, told,
    },
    ids::Index,
};

impl Conversation {
    pub(super) fn add_system(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        system: System<'_>,
    ) {
        let failed = facts.is_error();
        let kind = match system {
            System::Init(_) => StepKind::Init,
            System::CompactBoundary(_) => StepKind::Compaction,
            System::TaskNotification(_) => {
                let notice = Notice::of_system(facts);
                return self.add_notices(here, notice.as_slice(), 0);
            }
            _ if self.is_hook_error(here, system) => StepKind::Hook,
            System::StopHookSummary(_) => return,
            System::SessionStateChanged(change)
                if change.state() == Some(SessionState::Idle) =>
            {
                return self.end_turn(here);
            }
            System::ToolResult(result) => {
                // In the old format, the parent of a result is its call.
                let id = result.tool_use_id().or(facts.parent_uuid());
                let call = self.call_with(here, id);
                let call = match result.tool_use_id() {
                    Some(_) => call,
                    None => call.or_else(|| self.first_open_call(here)),
                };
                let at = WHOLE_LINE;
                return self.add_answer(here, call, failed, None, at);
            }
            _ if failed => {
                let call = self.call_with(here, facts.parent_uuid());
                if call.is_some() {
                    let at = WHOLE_LINE;
                    return self.add_answer(here, call, true, None, at);
                }
                StepKind::Error
            }
            _ => match told::kind_of(facts, system) {
                Some(kind) => kind,
                None => return,
            },
        };
        self.push(here, kind, 0);
    }

    pub(super) fn add_attachment(
        &mut self,
        facts: &Facts<'_>,
        place: Place,
        vertex: Option<Index>,
    ) {
        let Message::Attachment(attachment) = facts.message() else { return };
        if let Some(prompt) = facts.queued_prompt() {
            let here = self.here(facts, place, vertex);
            self.begin_turn(here, true);
            for (block, at) in prompt.blocks().zip(0..) {
                let kind = match block {
                    Block::Text(_) => StepKind::Prompt,
                    _ => StepKind::Block,
                };
                self.push(here, kind, at);
            }
            return;
        }
        let Some(body) = attachment.attachment() else { return };
        if body.command_mode() == Some("task-notification") {
            let here = self.here(facts, place, vertex);
            let blocks = body.prompt().map(|prompt| prompt.blocks());
            for (block, at) in blocks.into_iter().flatten().zip(0..) {
                if let Block::Text(text) = block {
                    let notices = Notice::all(text.text().unwrap_or_default());
                    self.add_notices(here, &notices, at);
                }
            }
        }
        if let Some(attached) = Attached::of(body) {
            let here = self.here(facts, place, vertex);
            self.push(here, attached.kind, WHOLE_LINE);
            if attached.is_of_stop_hook {
                self.note_stop_hook(here, &attached.text);
            }
        }
    }

    /// Adds an event of an agent server.
    pub(super) fn add_event(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        event: UiEvent<'_>,
    ) {
        match event {
            UiEvent::TextChunk(_) => {
                self.push(here, StepKind::Chunk, 0);
            }
            UiEvent::ToolExecuting(_) => {
                for call in facts.calls() {
                    self.add_call(here, call, facts.message_id(), WHOLE_LINE);
                }
            }
            UiEvent::ToolCompleted(_) => {
                for answer in facts.answers() {
                    let call = self.call_with(here, answer.call);
                    let failed = answer.is_error;
                    self.add_answer(here, call, failed, None, WHOLE_LINE);
                }
            }
            UiEvent::Complete(done) => {
                if done.stop_reason() != Some(ServerStopReason::ToolUse) {
                    self.end_turn(here);
                }
            }
            UiEvent::Error(_) => {
                self.push(here, StepKind::Error, 0);
            }
            _ if facts.message().text().to_string().trim().is_empty() => {}
            _ => _ = self.push(here, StepKind::Server, 0),
        }
    }
}
