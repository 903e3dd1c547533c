/*!
The tool calls and tool results in a message.
*/

use linetape::{
    Block, Message, Value,
    message::{
        ToolCall,
        server::UiEvent,
        stream::{Assistant, AssistantSubtype},
    },
};

/// The result of a tool call.
///
/// # Example
///
/// This shows how to find out which call failed.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::Facts;
///
/// let line = br#"{"type":"user","message":{"content":[
///     {"type":"tool_result","tool_use_id":"t1","is_error":true}]}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let facts = Facts::of(record.message());
/// let failed = facts.answers().find(|answer| answer.is_error);
/// assert_eq!(failed.and_then(|answer| answer.call), Some("t1"));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Answer<'a> {
    /// The id of the call.
    pub call: Option<&'a str>,
    /// Whether the tool failed. Always `false` for an agent server, whose
    /// events do not contain it.
    pub is_error: bool,
    /// Whether the API ran the tool, and not the agent.
    pub is_remote: bool,
}

/// A tool call or a tool result in a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    Call(ToolCall<'a>),
    Answer(Answer<'a>),
}

/// Returns whether a line is a tool call by its subtype.
pub(crate) fn is_call(said: Assistant<'_>) -> bool {
    said.subtype() == Some(AssistantSubtype::ToolUse)
}

impl<'a> Part<'a> {
    pub(crate) fn of_block(block: Block<'a>) -> Option<Part<'a>> {
        if let Some(call) = ToolCall::of_block(block) {
            return Some(Part::Call(call));
        }
        Some(match block {
            Block::ToolResult(answer) => Part::answer(answer.value(), false),
            Block::WebSearchToolResult(answer) => {
                Part::answer(answer.value(), true)
            }
            Block::CodeExecutionToolResult(answer) => {
                Part::answer(answer.value(), true)
            }
            Block::McpToolResult(answer) => Part::answer(answer.value(), true),
            Block::WebFetchToolResult(answer) => {
                Part::answer(answer.value(), true)
            }
            Block::AdvisorToolResult(answer)
            | Block::BashCodeExecutionToolResult(answer)
            | Block::TextEditorCodeExecutionToolResult(answer)
            | Block::ToolSearchToolResult(answer) => {
                Part::answer(answer.value(), true)
            }
            _ => return None,
        })
    }

    fn answer(block: Value<'a>, is_remote: bool) -> Part<'a> {
        let [call, failed] = block.get_many(["tool_use_id", "is_error"]);
        let call = call.and_then(|call| call.as_str());
        let is_error = failed.and_then(|flag| flag.as_bool()) == Some(true);
        Part::Answer(Answer { call, is_error, is_remote })
    }

    /// Returns the call or the result that a line of an agent server is.
    pub(super) fn of_line(message: Message<'a>) -> Option<Part<'a>> {
        let Message::Ui(ui) = message else { return None };
        match ui.event() {
            UiEvent::ToolCompleted(answer) => Some(Part::Answer(Answer {
                call: answer.tool_use_id(),
                is_error: false,
                is_remote: false,
            })),
            _ => ToolCall::of_line(message).map(Part::Call),
        }
    }
}
