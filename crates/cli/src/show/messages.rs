//! How each type of message is printed.

use std::io;

use linetape::{
    Block, Message, Position,
    message::{
        results::ResultMessage,
        stream::{AssistantSubtype, User},
        system::System,
    },
};
use linetape_session::Facts;

use crate::{
    paint::{BAD, HEAD},
    show::{
        calls::{Answer, kind},
        conversation::Conversation,
        sheet::{FAULT, OneLine, SPEECH, THOUGHT},
        speakers::Speaker,
    },
    table::dollars,
};

impl Conversation {
    /// Prints a message. Types that are not part of a conversation are
    /// skipped.
    pub fn message(
        &mut self,
        facts: &Facts<'_>,
        position: Position,
    ) -> io::Result<()> {
        let message = facts.message();
        self.turns.add_facts(facts, position);
        if facts.is_sidechain() {
            // The chunks so far are not the sub-agent's.
            self.end_chunks()?;
        }
        self.sheet.set_side(facts.is_sidechain());
        match message {
            Message::User(user) => self.blocks(speaker(user), message),
            Message::Assistant(said) => {
                self.blocks(Speaker::Assistant, message)?;
                match said.tool_name() {
                    // In the old format, a call is a line, not a block.
                    Some(tool) => {
                        self.call(message, Some(tool), said.tool_arguments())
                    }
                    None => Ok(()),
                }
            }
            Message::System(system) => self.system(message, system),
            Message::CompactSystem(step) => match step.message() {
                Some(step) => self.note(message, step.as_str()),
                None => Ok(()),
            },
            Message::Result(result) => self.result(message, result),
            Message::Ui(ui) => self.event(message, ui.event()),
            Message::Input(input) => {
                self.says(Speaker::User, message, SPEECH, input.content())
            }
            Message::Error(error) => {
                let what = error.error().and_then(|error| error.message());
                self.says(Speaker::Error, message, SPEECH, what)
            }
            _ => Ok(()),
        }
    }

    fn blocks(
        &mut self,
        speaker: Speaker,
        message: Message<'_>,
    ) -> io::Result<()> {
        // In the old format, thinking is a message, not a block.
        let form = match message {
            Message::Assistant(said)
                if said.subtype() == Some(AssistantSubtype::Thinking) =>
            {
                THOUGHT
            }
            _ => SPEECH,
        };
        for block in message.content_blocks() {
            match block {
                Block::Text(text) => {
                    self.says(speaker, message, form, text.text())?;
                }
                Block::Thinking(thought) => {
                    let thought = thought.thinking();
                    self.says(speaker, message, THOUGHT, thought)?;
                }
                Block::ToolUse(call) => self.call_block(message, *call)?,
                Block::ServerToolUse(call) => {
                    self.call_block(message, *call)?
                }
                Block::McpToolUse(call) => self.call_block(message, *call)?,
                Block::ToolResult(answer) => {
                    self.answer(message, &Answer::of_block(*answer))?;
                }
                Block::McpToolResult(answer) => {
                    self.answer(message, &Answer::of_block(*answer))?;
                }
                Block::WebSearchToolResult(answer) => {
                    self.answer(message, &Answer::of_server(*answer))?;
                }
                Block::CodeExecutionToolResult(answer) => {
                    self.answer(message, &Answer::of_server(*answer))?;
                }
                other => {
                    self.speak(speaker, message)?;
                    self.note(message, kind(other))?;
                }
            }
        }
        Ok(())
    }

    fn system(
        &mut self,
        message: Message<'_>,
        system: System<'_>,
    ) -> io::Result<()> {
        let id = match system {
            System::Init(init) => {
                let model = init.model().unwrap_or("unknown");
                return self.note(message, &format!("model: {model}"));
            }
            System::CompactBoundary(_) => {
                let note = "conversation compacted";
                return self.note(message, note);
            }
            System::ToolResult(result) => result.tool_use_id(),
            _ if message.is_error() => None,
            _ => return Ok(()),
        };
        // In the old format, the parent of a result is its call.
        let id = id.or(message.parent_uuid());
        let is_result = matches!(system, System::ToolResult(_));
        if is_result || self.find_call(message, id).is_some() {
            let (is_error, text) = (message.is_error(), message.text());
            let text = text.to_string();
            self.answer(message, &Answer { id, is_error, text })
        } else {
            self.blocks(Speaker::System, message)
        }
    }

    fn result(
        &mut self,
        message: Message<'_>,
        result: ResultMessage<'_>,
    ) -> io::Result<()> {
        self.begin(message)?;
        self.end_chunks()?;
        self.known.forget_speaker();
        let subtype = result.subtype();
        let is_error = message.is_error();
        let facts = [
            subtype.map(|subtype| subtype.as_str().to_string()),
            is_error.then(|| "error".to_string()),
            result.num_turns().map(|turns| format!("{turns} turns")),
            result.duration_ms().map(|ms| format!("{:.1} s", ms / 1000.0)),
            result.total_cost_usd().map(|cost| format!("${}", dollars(cost))),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        self.sheet.gap()?;
        let style = if is_error { BAD.bold() } else { HEAD };
        self.one_line(OneLine {
            style,
            tail_style: style,
            head: "Result: ",
            text: &facts.join(", "),
            ..OneLine::default()
        })?;
        for error in result.errors().into_iter().flatten() {
            self.text(FAULT, error)?;
        }
        Ok(())
    }
}

/// Returns the speaker of a user message, which the program may have written.
fn speaker(user: User<'_>) -> Speaker {
    let flags = [user.is_meta(), user.is_compact_summary()];
    match flags.contains(&Some(true)) {
        true => Speaker::Program,
        false => Speaker::User,
    }
}
