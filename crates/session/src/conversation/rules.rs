/*!
What each type of message adds.
*/

use std::hash::{BuildHasher, Hash, Hasher};

use linetape::message::{
    Block, Message,
    server::{ServerStopReason, UiEvent},
    stream::{Assistant, AssistantSubtype, User},
    system::{HookOutcome, SessionState, System},
};

use crate::{
    Call, Facts, NodeId,
    conversation::{
        Conversation, Here, Place, StepKind,
        sort::{Notice, begins_turn, kind_of},
    },
    facts::{Part, is_call},
};

/// The block index of a call or result that is a line, not a block.
pub(crate) const WHOLE_LINE: u32 = u32::MAX;

impl Conversation {
    /// Adds a message, and those that are nested in it. `nth` is the number
    /// of messages of the line before it.
    pub(crate) fn visit(
        &mut self,
        facts: &Facts<'_>,
        line: Place,
        nth: &mut u32,
    ) {
        let place = line.nested(*nth);
        let node = self.tree.add_node(facts, place.position());
        if let Some(node) = node
            && facts.uuid().is_some()
            && !self.added.insert(self.fingerprint(node, facts))
        {
            return skip(facts, nth);
        }
        *nth = nth.saturating_add(1);
        let message = facts.message();
        if let Message::TranscriptMirror(_) = message {
            for mirrored in facts.nested() {
                match self.has_own_lines(&mirrored, line) {
                    true => skip(&mirrored, nth),
                    false => self.visit(&mirrored, line, nth),
                }
            }
            return;
        }
        match message {
            Message::User(user) => {
                let here = self.here(facts, place, node);
                self.add_user(here, facts, user);
            }
            Message::Assistant(said) => {
                let here = self.here(facts, place, node);
                self.add_assistant(here, facts, said);
            }
            Message::System(system) => {
                let here = self.here(facts, place, node);
                self.add_system(here, facts, system);
            }
            Message::CompactSystem(step) if step.message().is_some() => {
                let here = self.here(facts, place, node);
                self.push(here, StepKind::Compaction, 0);
            }
            Message::Result(_) if facts.run_result().is_some() => {
                let here = self.here(facts, place, node);
                self.push(here, StepKind::Result, 0);
                self.end_turn(here);
            }
            Message::ContinuedIn(next) => {
                let here = self.here(facts, place, node);
                self.push(here, StepKind::Link, 0);
                let next = next.continued_in_session_id();
                let next = next.map(|next| self.names.intern(next));
                if let Some(session) =
                    self.sessions.get_mut(here.session.get())
                {
                    session.continued_in = next.or(session.continued_in);
                }
            }
            Message::ForkContextRef(_) => {
                let here = self.here(facts, place, node);
                self.push(here, StepKind::Link, 0);
            }
            Message::CustomTitle(_) => self.add_title(facts, place, true),
            Message::AiTitle(_) => self.add_title(facts, place, false),
            Message::Input(_) => {
                let here = self.here(facts, place, node);
                self.begin_turn(here);
                self.push(here, StepKind::Prompt, 0);
            }
            Message::Error(_) => {
                let here = self.here(facts, place, node);
                self.push(here, StepKind::Error, 0);
            }
            Message::Attachment(_) => self.add_attachment(facts, place, node),
            Message::Ui(ui) => {
                let here = self.here(facts, place, node);
                self.add_event(here, facts, ui.event());
            }
            _ => {
                for nested in facts.nested() {
                    self.visit(&nested, line, nth);
                }
            }
        }
    }

    /// Returns a hash of the node of a message, and of the texts and ids in
    /// it. Two lines with one uuid are the same message only if these are
    /// equal: some agents give one uuid to all lines of a message.
    fn fingerprint(&self, node: NodeId, facts: &Facts<'_>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        node.hash(&mut hasher);
        for block in facts
            .said()
            .and_then(|said| said.content)
            .into_iter()
            .flat_map(|c| c.blocks())
        {
            // A text, a thought and an id can be equal.
            let kind = block.value().get("type");
            kind.and_then(|kind| kind.as_str()).hash(&mut hasher);
            let text = match block {
                Block::Text(text) => text.text(),
                Block::Thinking(thought) => thought.thinking(),
                other => match Part::of_block(other) {
                    Some(Part::Call(call)) => call.id,
                    Some(Part::Answer(answer)) => {
                        let content = other.value().get("content");
                        let span = content.and_then(|content| content.span());
                        span.map(|span| span.len()).hash(&mut hasher);
                        answer.call
                    }
                    None => None,
                },
            };
            text.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Returns whether a mirrored message has a line of its own: a stream has
    /// all messages of its session, and mirrors them as well.
    fn has_own_lines(&mut self, mirrored: &Facts<'_>, line: Place) -> bool {
        let session = self.session_index(mirrored, line);
        let session = self.sessions.get(session.get());
        session.is_some_and(|session| session.has_own_lines)
    }

    fn add_title(&mut self, facts: &Facts<'_>, place: Place, is_chosen: bool) {
        let session = self.session_index(facts, place);
        let Some(session) = self.sessions.get_mut(session.get()) else {
            return;
        };
        if is_chosen || session.title.is_none_or(|(_, chosen)| !chosen) {
            session.title = Some((place, is_chosen));
        }
    }

    fn end_turn(&mut self, here: Here) {
        if let Some(thread) = self.threads.get_mut(here.thread.get()) {
            thread.is_ended = true;
        }
    }

    fn add_user(&mut self, here: Here, facts: &Facts<'_>, user: User<'_>) {
        let answers = facts.answers().take(2).count();
        let mut begins = answers == 0;
        for (block, at) in user.content().zip(0..) {
            let kind = match block {
                Block::Text(text) => {
                    let text = text.text().unwrap_or_default();
                    let kind = kind_of(user, text);
                    if kind == StepKind::Notification {
                        self.add_notice(here, Notice::of_text(text), at);
                        continue;
                    }
                    if kind == StepKind::Prompt {
                        self.note_prompt(here, text);
                    }
                    kind
                }
                other => match Part::of_block(other) {
                    Some(Part::Answer(answer)) => {
                        let call = self.call_with(here, answer.call);
                        // It is about all results if there are several.
                        let result =
                            user.tool_use_result().filter(|_| answers == 1);
                        let is_error = answer.is_error;
                        self.add_answer(here, call, is_error, result, at);
                        continue;
                    }
                    _ => StepKind::Block,
                },
            };
            let is_prompt = matches!(kind, StepKind::Block)
                && begins_turn(user, StepKind::Prompt);
            if begins && (is_prompt || begins_turn(user, kind)) {
                self.begin_turn(here);
                begins = false;
            }
            self.push(here, kind, at);
            let turn = self.open_turn(here.thread);
            if kind == StepKind::Interruption
                && let Some(turn) = self.turns.get_mut(turn.get())
            {
                turn.is_interrupted = true;
            }
        }
    }

    fn add_assistant(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        said: Assistant<'_>,
    ) {
        // In the old format, thinking is a message, not a block.
        let is_thought = said.subtype() == Some(AssistantSubtype::Thinking);
        let mut written = 0;
        let mut calls = false;
        for (block, at) in facts.message().content_blocks().zip(0..) {
            let (kind, text) = match block {
                Block::Text(text) if is_thought => {
                    (StepKind::Thought, text.text())
                }
                Block::Text(text) => (StepKind::Text, text.text()),
                Block::Thinking(thought) => {
                    (StepKind::Thought, thought.thinking())
                }
                other => {
                    match Part::of_block(other) {
                        Some(Part::Call(call)) => {
                            calls = true;
                            written += length(call);
                            self.add_call(here, call, facts.message_id(), at);
                        }
                        Some(Part::Answer(answer)) => {
                            let call = self.call_with(here, answer.call);
                            let failed = answer.is_error;
                            self.add_answer(here, call, failed, None, at);
                        }
                        None => _ = self.push(here, StepKind::Block, at),
                    }
                    continue;
                }
            };
            // Thinking may be hidden: then its text is empty.
            if text.is_none_or(|text| text.trim().is_empty()) {
                continue;
            }
            written += text.map_or(0, |text| text.len() as u64);
            self.push(here, kind, at);
        }
        if !calls
            && (is_call(said) || said.tool_name().is_some())
            && let Some(call) = facts.line_call()
        {
            written += length(call);
            self.add_call(here, call, facts.message_id(), WHOLE_LINE);
        }
        self.count(here, facts, written);
    }

    fn add_system(
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
                return self.add_notice(here, notice, 0);
            }
            System::HookResponse(hook)
                if hook.outcome() == Some(HookOutcome::Error) =>
            {
                StepKind::Hook
            }
            System::StopHookSummary(hooks)
                if hooks.prevented_continuation() == Some(true)
                    || hooks
                        .hook_errors()
                        .is_some_and(|e| e.into_iter().next().is_some()) =>
            {
                StepKind::Hook
            }
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
            _ => return,
        };
        self.push(here, kind, 0);
    }

    fn add_attachment(
        &mut self,
        facts: &Facts<'_>,
        place: Place,
        node: Option<NodeId>,
    ) {
        let Message::Attachment(attachment) = facts.message() else { return };
        if let Some(prompt) = facts.queued_prompt() {
            let here = self.here(facts, place, node);
            self.begin_turn(here);
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
            let here = self.here(facts, place, node);
            let blocks = body.prompt().map(|prompt| prompt.blocks());
            for (block, at) in blocks.into_iter().flatten().zip(0..) {
                if let Block::Text(text) = block {
                    let text = text.text().unwrap_or_default();
                    self.add_notice(here, Notice::of_text(text), at);
                }
            }
        }
    }

    /// Adds an event of an agent server.
    fn add_event(
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

/// Returns the length of a call's input, as it is written.
fn length(call: Call<'_>) -> u64 {
    let span = call.input().and_then(|input| input.span());
    span.map_or(0, |span| span.len() as u64)
}

/// Passes over a message and those that are nested in it.
fn skip(facts: &Facts<'_>, nth: &mut u32) {
    *nth = nth.saturating_add(1);
    facts.nested().for_each(|nested| skip(&nested, nth));
}
