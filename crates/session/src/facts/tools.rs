/*!
The tool calls and tool results in a message.
*/

use linetape::{
    Value,
    message::{
        Block,
        server::UiEvent,
        stream::{Assistant, AssistantSubtype},
    },
};

/// A tool call.
///
/// # Example
///
/// See [`Facts`](crate::Facts).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The id of the call. If the line itself is the call, the line's uuid.
    pub id: Option<&'a str>,
    /// The tool's name.
    pub name: Option<&'a str>,
    /// Whether the API runs the tool, and not the agent.
    pub is_remote: bool,
    /// The object that contains the input, and the key of the input in it.
    pub(super) input: (Value<'a>, &'static str),
}

impl<'a> Call<'a> {
    /// Returns the tool call in a content block, or `None` if the block is not
    /// a call.
    ///
    /// [`Facts::calls`](crate::Facts::calls) returns all calls of a message.
    /// Use this function in a loop over the blocks.
    ///
    /// # Example
    ///
    /// This shows how to read the texts and tool calls of a message in order.
    ///
    /// ```
    /// use linetape::{Block, Decoder};
    /// use linetape_session::Call;
    ///
    /// let line = br#"{"type":"assistant","message":{"content":[
    ///     {"type":"text","text":"Let me look."},
    ///     {"type":"tool_use","id":"t1","name":"Read","input":{}}]}}"#;
    /// let mut decoder = Decoder::new();
    /// let record = decoder.decode(line)?;
    /// let mut texts = vec![];
    /// for block in record.message().content_blocks() {
    ///     match block {
    ///         Block::Text(text) => texts.extend(text.text()),
    ///         other => texts.extend(Call::of_block(other).and_then(|c| c.name)),
    ///     }
    /// }
    /// assert_eq!(texts, ["Let me look.", "Read"]);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn of_block(block: Block<'a>) -> Option<Call<'a>> {
        match Part::of_block(block)? {
            Part::Call(call) => Some(call),
            Part::Answer(_) => None,
        }
    }

    /// Returns the input of the tool. Not cached.
    pub fn input(&self) -> Option<Value<'a>> {
        let (object, key) = self.input;
        object.get(key)
    }
}

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
    Call(Call<'a>),
    Answer(Answer<'a>),
}

/// Returns whether a line is a tool call by its subtype.
pub(crate) fn is_call(said: Assistant<'_>) -> bool {
    said.subtype() == Some(AssistantSubtype::ToolUse)
}

impl<'a> Part<'a> {
    pub(crate) fn of_block(block: Block<'a>) -> Option<Part<'a>> {
        Some(match block {
            Block::ToolUse(call) => Part::call(call.value(), false),
            Block::ServerToolUse(call) => Part::call(call.value(), true),
            Block::McpToolUse(call) => Part::call(call.value(), true),
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

    fn call(block: Value<'a>, is_remote: bool) -> Part<'a> {
        let [id, name] = block.get_many(["id", "name"]);
        let text = |value: Option<Value<'a>>| value?.as_str();
        let (id, name) = (text(id), text(name));
        Part::Call(Call { id, name, is_remote, input: (block, "input") })
    }

    fn answer(block: Value<'a>, is_remote: bool) -> Part<'a> {
        let [call, failed] = block.get_many(["tool_use_id", "is_error"]);
        let call = call.and_then(|call| call.as_str());
        let is_error = failed.and_then(|flag| flag.as_bool()) == Some(true);
        Part::Answer(Answer { call, is_error, is_remote })
    }

    pub(super) fn of_event(event: UiEvent<'a>) -> Option<Part<'a>> {
        match event {
            UiEvent::ToolExecuting(call) => Some(Part::Call(Call {
                id: call.tool_use_id(),
                name: call.tool_name(),
                is_remote: false,
                input: (call.value(), "input"),
            })),
            UiEvent::ToolCompleted(answer) => Some(Part::Answer(Answer {
                call: answer.tool_use_id(),
                is_error: false,
                is_remote: false,
            })),
            _ => None,
        }
    }
}
