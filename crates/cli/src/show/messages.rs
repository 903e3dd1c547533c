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
use linetape_session::{Facts, Role};

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
        self.turns.add_facts(facts, position);
        self.print(facts)?;
        if facts.role() != Role::Other && self.is_session_of(facts) {
            self.known.has_own_lines = true;
        }
        Ok(())
    }

    /// Prints a message, and those that are nested in it.
    fn print(&mut self, facts: &Facts<'_>) -> io::Result<()> {
        let message = facts.message();
        if facts.is_sidechain() {
            // The chunks so far are not the sub-agent's.
            self.end_chunks()?;
        }
        self.sheet.set_side(facts.is_sidechain());
        match message {
            Message::User(user) => self.blocks(speaker(user), facts),
            Message::Assistant(said) => {
                self.blocks(Speaker::Assistant, facts)?;
                match said.tool_name() {
                    // In the old format, a call is a line, not a block.
                    Some(tool) => {
                        self.call(facts, Some(tool), said.tool_arguments())
                    }
                    None => Ok(()),
                }
            }
            Message::System(system) => self.system(facts, system),
            Message::CompactSystem(step) => match step.message() {
                Some(step) => self.note(facts, step.as_str()),
                None => Ok(()),
            },
            Message::Result(_) => match facts.run_result() {
                Some(result) => self.result(facts, result),
                None => Ok(()),
            },
            Message::Attachment(_) => self.queued_prompt(facts),
            Message::ContinuedIn(line) => {
                let next = line.continued_in_session_id();
                let next = next.unwrap_or("another session");
                self.note(facts, &format!("continued in {next}"))
            }
            Message::ForkContextRef(line) => {
                let from = line.parent_session_id();
                let from = from.unwrap_or("another session");
                self.note(facts, &format!("forked from {from}"))
            }
            Message::Ui(ui) => self.event(facts, ui.event()),
            Message::Input(input) => {
                self.says(Speaker::User, facts, SPEECH, input.content())
            }
            Message::Error(error) => {
                let what = error.error().and_then(|error| error.message());
                self.says(Speaker::Error, facts, SPEECH, what)
            }
            Message::TranscriptMirror(_) => {
                facts.nested().try_for_each(|mirrored| {
                    match self.is_shown(&mirrored) {
                        true => Ok(()),
                        false => self.print(&mirrored),
                    }
                })
            }
            _ => facts.nested().try_for_each(|nested| self.print(&nested)),
        }
    }

    /// Returns whether a mirrored message has a line of its own: a stream has
    /// all messages of its session, and mirrors them as well.
    fn is_shown(&self, mirrored: &Facts<'_>) -> bool {
        self.known.has_own_lines && self.is_session_of(mirrored)
    }

    /// Returns whether the session of a message is the one that was printed
    /// last.
    fn is_session_of(&self, facts: &Facts<'_>) -> bool {
        self.known.session.as_deref() == facts.session_name().as_deref()
    }

    /// Prints a prompt that was typed during a turn.
    fn queued_prompt(&mut self, facts: &Facts<'_>) -> io::Result<()> {
        let blocks = facts.queued_prompt().into_iter();
        for block in blocks.flat_map(|prompt| prompt.blocks()) {
            if let Block::Text(text) = block {
                self.says(Speaker::User, facts, SPEECH, text.text())?;
            }
        }
        Ok(())
    }

    fn blocks(
        &mut self,
        speaker: Speaker,
        facts: &Facts<'_>,
    ) -> io::Result<()> {
        let message = facts.message();
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
                    self.says(speaker, facts, form, text.text())?;
                }
                Block::Thinking(thought) => {
                    let thought = thought.thinking();
                    self.says(speaker, facts, THOUGHT, thought)?;
                }
                Block::ToolUse(call) => self.call_block(facts, *call)?,
                Block::ServerToolUse(call) => self.call_block(facts, *call)?,
                Block::McpToolUse(call) => self.call_block(facts, *call)?,
                Block::ToolResult(answer) => {
                    self.answer(facts, &Answer::of_block(*answer))?;
                }
                Block::McpToolResult(answer) => {
                    self.answer(facts, &Answer::of_block(*answer))?;
                }
                Block::WebSearchToolResult(answer) => {
                    self.answer(facts, &Answer::of_server(*answer))?;
                }
                Block::CodeExecutionToolResult(answer) => {
                    self.answer(facts, &Answer::of_server(*answer))?;
                }
                Block::WebFetchToolResult(answer) => {
                    self.answer(facts, &Answer::of_server(*answer))?;
                }
                Block::AdvisorToolResult(answer)
                | Block::BashCodeExecutionToolResult(answer)
                | Block::TextEditorCodeExecutionToolResult(answer)
                | Block::ToolSearchToolResult(answer) => {
                    self.answer(facts, &Answer::of_server(answer))?;
                }
                other => {
                    self.speak(speaker, facts)?;
                    self.note(facts, kind(other))?;
                }
            }
        }
        Ok(())
    }

    fn system(
        &mut self,
        facts: &Facts<'_>,
        system: System<'_>,
    ) -> io::Result<()> {
        let message = facts.message();
        let id = match system {
            System::Init(init) => {
                let model = init.model().unwrap_or("unknown");
                return self.note(facts, &format!("model: {model}"));
            }
            System::CompactBoundary(_) => {
                let note = "conversation compacted";
                return self.note(facts, note);
            }
            System::ToolResult(result) => result.tool_use_id(),
            _ if message.is_error() => None,
            _ => return Ok(()),
        };
        // In the old format, the parent of a result is its call.
        let id = id.or(message.parent_uuid());
        let is_result = matches!(system, System::ToolResult(_));
        if is_result || self.find_call(facts, id).is_some() {
            let (is_error, text) = (message.is_error(), message.text());
            let text = text.to_string();
            self.answer(facts, &Answer { id, is_error, text })
        } else {
            self.blocks(Speaker::System, facts)
        }
    }

    fn result(
        &mut self,
        facts: &Facts<'_>,
        result: ResultMessage<'_>,
    ) -> io::Result<()> {
        self.begin(facts)?;
        self.end_chunks()?;
        self.known.forget_speaker();
        let subtype = result.subtype();
        let is_error = facts.is_error();
        let figures = [
            subtype.map(|subtype| subtype.as_str().to_string()),
            is_error.then(|| "error".to_string()),
            result.num_turns().map(|turns| format!("{turns} turns")),
            result.duration_ms().map(|ms| format!("{:.1} s", ms / 1000.0)),
            result.total_cost_usd().map(|cost| format!("${}", dollars(cost))),
        ];
        let figures: Vec<String> = figures.into_iter().flatten().collect();
        self.sheet.gap()?;
        let style = if is_error { BAD.bold() } else { HEAD };
        self.one_line(OneLine {
            style,
            tail_style: style,
            head: "Result: ",
            text: &figures.join(", "),
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
