/*!
The texts of steps, read from their messages.
*/

use std::borrow::Cow;

use linetape::{
    Value,
    message::{
        AnswerBlock, Block, CallBlock, Content, Message, server::UiEvent,
    },
};

use crate::{
    Facts,
    conversation::{
        Step, StepKind, content, content::kind_of, hooks, rules::WHOLE_LINE,
        told::told,
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
                let block = self.block(facts).map(content::described);
                return block.unwrap_or_default();
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

/// The text of a tool result.
///
/// # Example
///
/// This shows the result of a search that the API ran.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::conversation::ResultText;
///
/// let line = br#"{"type":"assistant","message":{"content":[
///     {"type":"web_search_tool_result","tool_use_id":"t1","content":[
///         {"type":"web_search_result","title":"Tape","url":"https://t.example"}]}]}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let block = record.message().content_blocks().next().unwrap();
/// let result = ResultText::of_block(block);
/// assert_eq!(result.text, "Tape https://t.example");
/// assert!(!result.is_error);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResultText<'a> {
    /// The text, or the kinds of blocks that are not text.
    pub text: Cow<'a, str>,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl<'a> ResultText<'a> {
    /// Returns the result in a content block. It is empty if the block is not
    /// a result.
    pub fn of_block(block: Block<'a>) -> ResultText<'a> {
        match block {
            Block::ToolResult(answer) => ResultText::of_tool(*answer),
            Block::McpToolResult(answer) => ResultText::of_tool(*answer),
            Block::WebSearchToolResult(answer) => {
                ResultText::of_server(*answer)
            }
            Block::CodeExecutionToolResult(answer) => {
                ResultText::of_server(*answer)
            }
            Block::WebFetchToolResult(answer) => {
                ResultText::of_server(*answer)
            }
            Block::AdvisorToolResult(answer)
            | Block::BashCodeExecutionToolResult(answer)
            | Block::TextEditorCodeExecutionToolResult(answer)
            | Block::ToolSearchToolResult(answer) => {
                ResultText::of_server(answer)
            }
            _ => ResultText::default(),
        }
    }

    /// Returns the result of a tool that the agent ran.
    fn of_tool(block: AnswerBlock<'a>) -> ResultText<'a> {
        let mut pieces = block.text();
        let (first, second) = (pieces.next(), pieces.next());
        let text = match (first, second, block.content()) {
            (None, _, Some(content)) => other_than_text(content).into(),
            (None, _, None) => Cow::Borrowed(""),
            (Some(only), None, _) => Cow::Borrowed(only),
            (Some(first), Some(second), _) => {
                let all = [first, second].into_iter().chain(pieces);
                all.collect::<Vec<_>>().join("\n").into()
            }
        };
        ResultText { text, is_error: block.is_error() }
    }

    /// Returns the result of a tool that the API ran: the pages of a search,
    /// or the output of a program.
    fn of_server(block: AnswerBlock<'a>) -> ResultText<'a> {
        let Some(content) = block.content().map(Content::value) else {
            return ResultText::of_tool(block);
        };
        let text = |of: Value<'a>, key| of.get(key)?.as_str();
        let code = content.get("return_code").and_then(|code| code.as_i64());
        let error = text(content, "error_code");
        let stdout = text(content, "stdout");
        let stderr = text(content, "stderr");
        let mut lines: Vec<String> = [error, stdout, stderr]
            .into_iter()
            .flatten()
            .map(|text| text.trim_end().to_string())
            .filter(|text| !text.is_empty())
            .collect();
        for page in content.as_array().into_iter().flatten() {
            let title = text(page, "title").unwrap_or("a page");
            let address = text(page, "url").unwrap_or_default();
            lines.push(format!("{title} {address}"));
        }
        let failed = error.is_some() || code.is_some_and(|code| code != 0);
        ResultText {
            is_error: failed || block.is_error(),
            text: lines.join("\n").into(),
        }
    }

    /// Returns the number of lines of the text.
    pub fn lines(&self) -> usize {
        self.text.trim().lines().count()
    }
}

/// Returns a result without text: JSON, or the kinds of its blocks.
fn other_than_text(content: Content<'_>) -> String {
    let value = content.value();
    if value.as_array().is_none() {
        return as_text(value);
    }
    let kinds = content.blocks().map(|block| format!("({})", kind_of(block)));
    kinds.collect::<Vec<_>>().join("\n")
}
