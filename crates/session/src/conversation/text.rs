/*!
The texts of steps, read from their messages.
*/

use std::borrow::Cow;

use linetape::{
    Value,
    message::{Block, CallBlock, Message, server::UiEvent},
};

use crate::{
    Facts,
    conversation::{
        ResultText, Step, StepKind, attached, content::Described, hooks,
        rules::WHOLE_LINE, told::told,
    },
};

impl Step<'_> {
    /// Returns the content block of the step, given the facts of its message.
    /// `None` if the step is not a block.
    pub fn block<'a>(self, facts: &Facts<'a>) -> Option<Block<'a>> {
        if self.entry.block == WHOLE_LINE {
            return None;
        }
        match facts.message() {
            Message::Attachment(attachment) => {
                let prompt = attachment.attachment()?.prompt()?;
                prompt.blocks().nth(self.block_index())
            }
            message => message.content_blocks().nth(self.block_index()),
        }
    }

    /// Returns the text of the step, given the facts of its message: of a
    /// text, a thought, a result, a notification, an error. It is as in the
    /// log: it may have control characters and markup.
    ///
    /// A call has no text: see [`Summary`](super::Summary).
    pub fn text<'a>(self, facts: &Facts<'a>) -> Cow<'a, str> {
        if let Message::Attachment(_) = facts.message()
            && self.entry.block == WHOLE_LINE
        {
            return attached::text(facts);
        }
        let text = match self.kind() {
            StepKind::Command
            | StepKind::Output
            | StepKind::Program
            | StepKind::Text
            | StepKind::Error
                if matches!(
                    facts.message(),
                    Message::System(_) | Message::Result(_)
                ) =>
            {
                return told(facts);
            }
            StepKind::ToolResult => return self.result(facts).text,
            StepKind::Call => None,
            StepKind::Prompt => match (facts.message(), self.block(facts)) {
                (Message::Input(input), _) => input.content(),
                (_, Some(block)) => text_of(block),
                _ => None,
            },
            StepKind::Chunk => match facts.message() {
                Message::Ui(ui) => match ui.event() {
                    UiEvent::TextChunk(chunk) => chunk.text(),
                    _ => None,
                },
                _ => None,
            },
            StepKind::Hook => return hooks::text(self, facts),
            StepKind::Error => match facts.message() {
                Message::Error(error) => {
                    error.error().and_then(|error| error.message())
                }
                message => return message.text().to_string().into(),
            },
            StepKind::Server => {
                return facts.message().text().to_string().into();
            }
            StepKind::Notification => match facts.message() {
                Message::System(_) => facts
                    .message()
                    .value()
                    .get("summary")
                    .and_then(|text| text.as_str()),
                _ => self.block(facts).and_then(text_of),
            },
            StepKind::Block => {
                let block = self.block(facts).map(Described::of);
                return block.map(Described::joined).unwrap_or_default();
            }
            _ => self.block(facts).and_then(text_of),
        };
        Cow::Borrowed(text.unwrap_or_default())
    }

    /// Returns the result of a step of the kind `ToolResult`, given the facts of
    /// its message.
    pub fn result<'a>(self, facts: &Facts<'a>) -> ResultText<'a> {
        let is_error = facts.is_error();
        match (self.block(facts), facts.message()) {
            (Some(block), _) => ResultText::of_block(block),
            (None, Message::Ui(ui)) => match ui.event() {
                UiEvent::ToolCompleted(done) => {
                    let text = done.result().unwrap_or_default();
                    ResultText { text: text.into(), is_error: false }
                }
                _ => ResultText::default(),
            },
            (None, message) => {
                let text = message.text().to_string().into();
                ResultText { text, is_error }
            }
        }
    }

    /// Returns the input of a step of the kind `Call`, given the facts of its
    /// message.
    pub fn input<'a>(self, facts: &Facts<'a>) -> Option<Value<'a>> {
        let block: Option<CallBlock<'a>> = match self.block(facts) {
            Some(Block::ToolUse(call)) => Some(*call),
            Some(Block::ServerToolUse(call)) => Some(*call),
            Some(Block::McpToolUse(call)) => Some(*call),
            _ => None,
        };
        match (block, facts.message()) {
            (Some(call), _) => call.input(),
            (None, Message::Assistant(said)) => said.tool_arguments(),
            (None, Message::Ui(ui)) => match ui.event() {
                UiEvent::ToolExecuting(call) => call.input(),
                _ => None,
            },
            _ => None,
        }
    }
}

pub(super) fn text_of(block: Block<'_>) -> Option<&str> {
    match block {
        Block::Text(text) => text.text(),
        Block::Thinking(thought) => thought.thinking(),
        _ => None,
    }
}

/// Returns a string without its quotes, or another value as JSON.
pub(crate) fn as_text(value: Value<'_>) -> String {
    match value.as_str() {
        Some(text) => text.to_string(),
        None => value.to_string(),
    }
}
