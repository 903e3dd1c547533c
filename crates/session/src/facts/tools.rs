/*!
Tool calls and their results, as messages have them.
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
    /// Identifies the call. If the line itself is the call, the line's uuid.
    pub id: Option<&'a str>,
    /// The tool's name.
    pub name: Option<&'a str>,
    /// Whether the API runs the tool by itself, and not the agent.
    pub is_remote: bool,
    /// The object with the input, and its key.
    pub(super) input: (Value<'a>, &'static str),
}

impl<'a> Call<'a> {
    /// Returns the call that a block of a message is.
    ///
    /// [`Facts::calls`](crate::Facts::calls) has all calls of a message. This
    /// is for a caller that goes through the blocks anyway.
    ///
    /// # Example
    ///
    /// This shows what a message says, and which tools it calls.
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
    /// let mut told = vec![];
    /// for block in record.message().content_blocks() {
    ///     match block {
    ///         Block::Text(text) => told.extend(text.text()),
    ///         other => told.extend(Call::of_block(other).and_then(|c| c.name)),
    ///     }
    /// }
    /// assert_eq!(told, ["Let me look.", "Read"]);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn of_block(block: Block<'a>) -> Option<Call<'a>> {
        match Part::of_block(block)? {
            Part::Call(call) => Some(call),
            Part::Answer(_) => None,
        }
    }

    /// Returns what the tool is called with. It is looked up each time.
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
    /// Whether the tool failed. An agent server does not say.
    pub is_error: bool,
    /// Whether the API ran the tool by itself, and not the agent.
    pub is_remote: bool,
}

/// What a message has to do with tools: a call, or the result of one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    Call(Call<'a>),
    Answer(Answer<'a>),
}

/// Returns whether the subtype says that a line is a call.
pub(crate) fn is_call(said: Assistant<'_>) -> bool {
    said.subtype() == Some(AssistantSubtype::ToolUse)
}

impl<'a> Part<'a> {
    pub(super) fn of_block(block: Block<'a>) -> Option<Part<'a>> {
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
