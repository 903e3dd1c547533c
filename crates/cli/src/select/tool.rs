//! Calls of some tools, and what answers them.

use std::collections::HashSet;

use linetape::{
    Block, Message,
    message::{server::UiEvent, system::System},
};

/// The ids of the calls of some tools that have been seen. A call that has its
/// answer may have another one, so none is forgotten.
#[derive(Default)]
pub struct Calls(HashSet<Box<str>>);

impl Calls {
    /// Whether a message calls one of the tools, or answers such a call.
    pub fn are_meant(
        &mut self,
        tools: &[String],
        message: Message<'_>,
    ) -> bool {
        let mut meant = false;
        for block in message.content_blocks() {
            meant |= match block {
                Block::ToolUse(call) => {
                    self.call(tools, call.name(), call.id())
                }
                Block::ServerToolUse(call) => {
                    self.call(tools, call.name(), call.id())
                }
                Block::McpToolUse(call) => {
                    self.call(tools, call.name(), call.id())
                }
                // There are several kinds of results, and all name the call.
                other => {
                    let id = other.value().get("tool_use_id");
                    self.knows(id.and_then(|id| id.as_str()))
                }
            };
        }
        meant
            | match message {
                // The old form of a call has a line to itself.
                Message::Assistant(said) => {
                    self.call(tools, said.tool_name(), said.uuid())
                }
                Message::System(System::ToolResult(result)) => {
                    self.knows(result.tool_use_id())
                        || self.knows(result.parent_uuid())
                }
                // So has the old form of a result.
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

    /// Whether a call is of one of the tools. If so, it is remembered.
    fn call(
        &mut self,
        tools: &[String],
        name: Option<&str>,
        id: Option<&str>,
    ) -> bool {
        let is_meant = tools.iter().any(|tool| Some(tool.as_str()) == name);
        if is_meant && let Some(id) = id {
            self.0.insert(id.into());
        }
        is_meant
    }

    fn knows(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| self.0.contains(id))
    }
}
