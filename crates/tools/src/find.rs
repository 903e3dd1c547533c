/*!
Finds hook inputs in messages, and the tools in hook inputs.
*/

use linetape::{
    Message,
    message::{FromValue, control::Request},
};

use crate::{
    hooks::{BatchToolCall, HookBase, HookInput, PostToolUse, ToolHook},
    tools::{ToolInput, ToolResult},
};

impl<'a> HookInput<'a> {
    /// Finds the hook input in a message: the message itself, if it has a
    /// string `hook_event_name`, or the input of a `hook_callback` control
    /// request. Returns `None` for other messages.
    ///
    /// # Example
    ///
    /// This reads a log of hook inputs, one on each line.
    ///
    /// ```
    /// use linetape_tools::{HookInput, ToolInput};
    ///
    /// let log = br#"{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"a.rs"}}"#;
    /// let mut lines = linetape::lines(log);
    /// while let Some(line) = lines.next_line() {
    ///     let line = line?;
    ///     let Some(hook) = HookInput::of(line.checked()?) else { continue };
    ///     assert_eq!(hook.base().session_id(), Some("s1"));
    ///     if let HookInput::PreToolUse(call) = hook {
    ///         let Some(ToolInput::Read(read)) = call.input() else {
    ///             panic!("not Read");
    ///         };
    ///         assert_eq!(read.file_path(), Some("a.rs"));
    ///     }
    /// }
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn of(message: Message<'a>) -> Option<HookInput<'a>> {
        if let Message::ControlRequest(request) = message
            && let Request::HookCallback(callback) = request.body()
        {
            return HookInput::from_value(callback.input()?);
        }
        let value = message.value();
        value.get("hook_event_name")?.as_str()?;
        HookInput::from_value(value)
    }

    /// Returns the fields that all hook inputs share.
    pub fn base(self) -> HookBase<'a> {
        HookBase::new(self.value())
    }

    /// Returns the name of the event, if it is a string.
    pub fn event_name(self) -> Option<&'a str> {
        self.value().get("hook_event_name")?.as_str()
    }
}

impl<'a> ToolHook<'a> {
    /// Returns the input of the tool. Returns `None` if the hook input has no
    /// tool name or no tool input.
    pub fn input(self) -> Option<ToolInput<'a>> {
        Some(ToolInput::new(self.tool_name()?, self.tool_input()?))
    }
}

impl<'a> PostToolUse<'a> {
    /// Returns the result of the tool. Returns `None` if the hook input has
    /// no tool name or no result.
    pub fn result(self) -> Option<ToolResult<'a>> {
        Some(ToolResult::new(self.tool_name()?, self.tool_response()?))
    }
}

impl<'a> BatchToolCall<'a> {
    /// Returns the input of the tool. Returns `None` if the tool use has no
    /// name or no input.
    pub fn input(self) -> Option<ToolInput<'a>> {
        Some(ToolInput::new(self.tool_name()?, self.tool_input()?))
    }

    /// Returns the result of the tool. Returns `None` if the tool use has no
    /// name or no result.
    pub fn result(self) -> Option<ToolResult<'a>> {
        Some(ToolResult::new(self.tool_name()?, self.tool_response()?))
    }
}
