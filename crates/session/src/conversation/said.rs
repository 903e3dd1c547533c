/*!
What messages of the user and of the model add.
*/

use std::fmt::{self, Write};

use linetape::message::{
    Block, ToolCall,
    stream::{Assistant, AssistantSubtype, User},
};

use crate::{
    Facts,
    conversation::{
        Conversation, Here, StepKind,
        rules::WHOLE_LINE,
        sort::{Notice, begins_turn, kind_of},
    },
    facts::{Part, is_call},
};

impl Conversation {
    pub(super) fn add_user(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        user: User<'_>,
    ) {
        self.end_fork_copy(here);
        let answers = facts.answers().take(2).count();
        let mut begins = answers == 0;
        for (block, at) in user.content().zip(0..) {
            let kind = match block {
                Block::Text(text) => {
                    let text = text.text().unwrap_or_default();
                    let kind = kind_of(user, text);
                    if kind == StepKind::Notification {
                        self.add_notices(here, &Notice::all(text), at);
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
                        if self.is_fork_answer(here, call) {
                            continue;
                        }
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
                self.begin_turn(here, true);
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

    pub(super) fn add_assistant(
        &mut self,
        here: Here,
        facts: &Facts<'_>,
        said: Assistant<'_>,
    ) {
        // In the old format, thinking is a message, not a block.
        let is_thought = said.subtype() == Some(AssistantSubtype::Thinking);
        let mut written = 0;
        let mut calls = false;
        let mut texts = vec![];
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
            if kind == StepKind::Text {
                texts.extend(text);
            }
            self.push(here, kind, at);
        }
        self.note_said(here, &texts);
        if !calls
            && (is_call(said) || said.tool_name().is_some())
            && let Some(call) = facts.line_call()
        {
            written += length(call);
            self.add_call(here, call, facts.message_id(), WHOLE_LINE);
        }
        self.count(here, facts, written);
    }
}

/// Returns the length of a call's input as JSON. A decoded line has no text any
/// more: then it is the length without whitespace.
fn length(call: ToolCall<'_>) -> u64 {
    let Some(input) = call.input() else { return 0 };
    if let Some(span) = input.span() {
        return span.len() as u64;
    }
    let mut counted = Counted(0);
    _ = write!(counted, "{input}");
    counted.0
}

/// Counts the bytes that are written to it.
struct Counted(u64);

impl Write for Counted {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len() as u64;
        Ok(())
    }
}
