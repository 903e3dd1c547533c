/*!
The tool calls of a message.
*/

use std::iter::FusedIterator;

use crate::{
    json::Value,
    message::{
        Block, Blocks, Message, NestedMessages, UiEvent,
        stream::AssistantSubtype,
    },
};

impl<'a> Message<'a> {
    /// Returns all tool calls of a line, in order: those of its own, and those
    /// of the messages of sub-agents inside of it.
    ///
    /// | dialect | calls |
    /// |---|---|
    /// | stream-json, SDK messages, transcripts | the blocks `tool_use`, `server_tool_use` and `mcp_tool_use` |
    /// | `progress` and `transcript_mirror` lines | those of their [nested](Message::nested) messages, at any depth |
    /// | early transcripts | an `assistant` line with `toolName` or the subtype `tool_use` |
    /// | agent-server events | `ToolExecuting` |
    ///
    /// A log can have a call twice: a transcript repeats lines of other
    /// sessions, and a stream has the parts of a call as events.
    /// `linetape-session` counts each call once.
    ///
    /// # Example
    ///
    /// This counts the calls of each agent.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// let log = br#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Task","input":{}}]}}
    /// {"type":"progress","parentToolUseID":"t1","data":{"type":"agent_progress","agentId":"a1","message":{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"b.rs"}}]}}}}
    /// "#;
    /// let mut counts = BTreeMap::new();
    /// let mut lines = linetape::lines(log);
    /// while let Some(line) = lines.next_line() {
    ///     for call in line?.peek()?.tool_calls() {
    ///         let agent = call.agent_id().unwrap_or("main").to_string();
    ///         *counts.entry(agent).or_insert(0) += 1;
    ///     }
    /// }
    /// assert_eq!(counts, BTreeMap::from([("a1".into(), 1), ("main".into(), 1)]));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn tool_calls(self) -> ToolCalls<'a> {
        ToolCalls {
            agent: Agent {
                id: self.envelope().agent_id(),
                call: self.envelope().parent_tool_use_id(),
            },
            blocks: self.content_blocks(),
            single: ToolCall::of_line(self),
            nested: self.nested(),
            waiting: vec![],
        }
    }
}

/// A tool call, and the agent that made it.
///
/// [`Message::tool_calls`] returns it, and has an example.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    id: Option<&'a str>,
    name: Option<&'a str>,
    is_remote: bool,
    /// The object that has the input, and its key.
    input: (Value<'a>, &'static str),
    agent: Agent<'a>,
}

/// An agent that calls tools.
#[derive(Clone, Copy, Debug, Default)]
struct Agent<'a> {
    id: Option<&'a str>,
    /// The call that started it.
    call: Option<&'a str>,
}

impl<'a> ToolCall<'a> {
    /// Returns the identifier of the call, to which its result refers. In an
    /// early transcript, this is the uuid of the line.
    pub fn id(self) -> Option<&'a str> {
        self.id
    }

    /// Returns the name of the tool.
    pub fn name(self) -> Option<&'a str> {
        self.name
    }

    /// Returns the input of the tool.
    pub fn input(self) -> Option<Value<'a>> {
        let (object, key) = self.input;
        object.get(key)
    }

    /// Returns whether the API runs the tool, and not the agent.
    pub fn is_remote(self) -> bool {
        self.is_remote
    }

    /// Returns the identifier of the sub-agent that made the call, if it was a
    /// sub-agent and the line names it.
    pub fn agent_id(self) -> Option<&'a str> {
        self.agent.id
    }

    /// Returns the identifier of the tool call that started the sub-agent, if
    /// it was a sub-agent and the line names that call.
    pub fn parent_tool_use_id(self) -> Option<&'a str> {
        self.agent.call
    }

    /// Returns the tool call that a line as a whole is: an event of an agent
    /// server, or a line of an early transcript. It has no agent.
    pub fn of_line(message: Message<'a>) -> Option<ToolCall<'a>> {
        let (id, name, input) = match message {
            Message::Ui(ui) => match ui.event() {
                UiEvent::ToolExecuting(call) => {
                    let input = (call.value(), "input");
                    (call.tool_use_id(), call.tool_name(), input)
                }
                _ => return None,
            },
            Message::Assistant(said) => {
                let name = said.tool_name();
                let subtype = said.subtype();
                if name.is_none() && subtype != Some(AssistantSubtype::ToolUse)
                {
                    return None;
                }
                (said.uuid(), name, (said.value(), "toolArguments"))
            }
            _ => return None,
        };
        let agent = Agent::default();
        Some(ToolCall { id, name, is_remote: false, input, agent })
    }

    /// Returns the tool call in a content block, or `None` if the block is
    /// none. It has no agent, which the message knows.
    ///
    /// [`Message::tool_calls`] returns all calls of a line. Use this function
    /// in a loop over the blocks.
    ///
    /// # Example
    ///
    /// This shows how to read the texts and tool calls of a message in order.
    ///
    /// ```
    /// use linetape::{Block, Decoder, message::ToolCall};
    ///
    /// let line = br#"{"type":"assistant","message":{"content":[
    ///     {"type":"text","text":"Let me look."},
    ///     {"type":"tool_use","id":"t1","name":"Read","input":{}}]}}"#;
    /// let mut decoder = Decoder::new();
    /// let record = decoder.decode(line)?;
    /// let mut texts = vec![];
    /// for block in record.message().content_blocks() {
    ///     let call = ToolCall::of_block(block);
    ///     match block {
    ///         Block::Text(text) => texts.extend(text.text()),
    ///         _ => texts.extend(call.and_then(ToolCall::name)),
    ///     }
    /// }
    /// assert_eq!(texts, ["Let me look.", "Read"]);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn of_block(block: Block<'a>) -> Option<ToolCall<'a>> {
        let (value, is_remote) = match block {
            Block::ToolUse(call) => (call.value(), false),
            Block::ServerToolUse(call) => (call.value(), true),
            Block::McpToolUse(call) => (call.value(), true),
            _ => return None,
        };
        let text = |value: Option<Value<'a>>| value?.as_str();
        let [id, name] = value.get_many(["id", "name"]).map(text);
        let (input, agent) = ((value, "input"), Agent::default());
        Some(ToolCall { id, name, is_remote, input, agent })
    }
}

/// An iterator over the tool calls of a line: see [`Message::tool_calls`].
#[derive(Clone, Debug)]
pub struct ToolCalls<'a> {
    /// The agent of the message that is being read.
    agent: Agent<'a>,
    blocks: Blocks<'a>,
    single: Option<ToolCall<'a>>,
    nested: NestedMessages<'a>,
    /// The messages around the one that is being read, the innermost last: of
    /// each, its agent and the nested messages that are still to be read. Only
    /// a line with nested messages allocates it.
    waiting: Vec<(Agent<'a>, NestedMessages<'a>)>,
}

impl<'a> ToolCalls<'a> {
    /// Begins the next nested message. `None` if there is no other.
    fn enter(&mut self) -> Option<()> {
        let nested = loop {
            match self.nested.next() {
                Some(nested) => break nested,
                None => (self.agent, self.nested) = self.waiting.pop()?,
            }
        };
        let agent = Agent {
            id: nested.agent_id().or(self.agent.id),
            call: nested.parent_tool_use_id().or(self.agent.call),
        };
        let message = nested.message();
        let outer = std::mem::replace(&mut self.nested, message.nested());
        self.waiting.push((self.agent, outer));
        self.agent = agent;
        self.blocks = message.content_blocks();
        self.single = ToolCall::of_line(message);
        Some(())
    }
}

impl<'a> Iterator for ToolCalls<'a> {
    type Item = ToolCall<'a>;

    fn next(&mut self) -> Option<ToolCall<'a>> {
        loop {
            let block = self.blocks.find_map(ToolCall::of_block);
            if let Some(call) = block.or_else(|| self.single.take()) {
                return Some(ToolCall { agent: self.agent, ..call });
            }
            self.enter()?;
        }
    }
}

impl FusedIterator for ToolCalls<'_> {}
