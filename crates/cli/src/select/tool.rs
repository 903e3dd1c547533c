//! Calls of the selected tools, and their results.

use std::collections::HashSet;

use linetape::{
    Block, Message,
    message::{server::UiEvent, system::System},
};
use linetape_session::Facts;
use serde_json::Value;

/// The ids of all calls of the selected tools so far. They are kept after the
/// first result, since a call can have several.
#[derive(Default)]
pub struct Calls {
    ids: HashSet<Box<str>>,
    /// Those of the file that was at the path before.
    before: HashSet<Box<str>>,
}

impl Calls {
    /// Reads a list of ids. Anything else is an empty list.
    pub fn read(ids: &Value) -> Calls {
        let ids = ids.as_array().into_iter().flatten();
        let ids = ids.filter_map(Value::as_str).map(Box::from).collect();
        Calls { ids, before: HashSet::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Begins with another file. A result in the one before is still known.
    pub fn replace(&mut self) {
        self.before = std::mem::take(&mut self.ids);
    }

    /// Returns the list of ids, sorted.
    pub fn to_json(&self) -> Value {
        let mut ids: Vec<&str> = self.ids.iter().map(|id| &**id).collect();
        ids.sort_unstable();
        ids.into()
    }

    /// Returns whether a message, or one that is nested in it, calls one of
    /// the tools or has the result of such a call.
    pub fn matches(&mut self, tools: &[String], facts: &Facts<'_>) -> bool {
        let mut matches = self.matches_itself(tools, facts.message());
        for nested in facts.nested() {
            matches |= self.matches(tools, &nested);
        }
        matches
    }

    fn matches_itself(
        &mut self,
        tools: &[String],
        message: Message<'_>,
    ) -> bool {
        let mut matches = false;
        for block in message.content_blocks() {
            matches |= match block {
                Block::ToolUse(call) => {
                    self.call(tools, call.name(), call.id())
                }
                Block::ServerToolUse(call) => {
                    self.call(tools, call.name(), call.id())
                }
                Block::McpToolUse(call) => {
                    self.call(tools, call.name(), call.id())
                }
                // All kinds of results have the id of the call.
                other => {
                    let id = other.value().get("tool_use_id");
                    self.knows(id.and_then(|id| id.as_str()))
                }
            };
        }
        matches
            | match message {
                // In the old format, a call is a line, not a block.
                Message::Assistant(said) => {
                    self.call(tools, said.tool_name(), said.uuid())
                }
                Message::System(System::ToolResult(result)) => {
                    self.knows(result.tool_use_id())
                        || self.knows(result.parent_uuid())
                }
                // In the old format, so is the result.
                Message::System(_) if message.is_error() => {
                    self.knows(message.parent_uuid())
                }
                Message::Ui(ui) => match ui.event() {
                    UiEvent::ToolExecuting(call) => {
                        self.call(tools, call.tool_name(), call.tool_use_id())
                    }
                    UiEvent::ToolCompleted(result) => {
                        self.knows(result.tool_use_id())
                    }
                    _ => false,
                },
                _ => false,
            }
    }

    /// Returns whether a call is of one of the tools, and remembers it if so.
    fn call(
        &mut self,
        tools: &[String],
        name: Option<&str>,
        id: Option<&str>,
    ) -> bool {
        let matches = tools.iter().any(|tool| Some(tool.as_str()) == name);
        if matches && let Some(id) = id {
            self.ids.insert(id.into());
        }
        matches
    }

    fn knows(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| self.ids.contains(id) || self.before.contains(id))
    }
}
