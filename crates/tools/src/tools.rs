/*!
The tools: which input and result belongs to which name.
*/

use linetape::{
    Value,
    message::{ToolCall, stream::User},
};

use crate::{inputs::*, results::*};

/// The tools: variant, input, result, and the names on the wire.
macro_rules! tools {
    ($to:ident) => {
        $to! {
            /// Runs a shell command.
            Bash(BashInput, BashResult) = ["Bash"],
            /// Reads a file.
            Read(ReadInput, ReadResult) = ["Read"],
            /// Makes a replacement in a file.
            Edit(EditInput, EditResult) = ["Edit"],
            /// Makes several replacements in a file.
            MultiEdit(MultiEditInput, MultiEditResult) = ["MultiEdit"],
            /// Writes a file.
            Write(WriteInput, WriteResult) = ["Write"],
            /// Searches files for a regular expression.
            Grep(GrepInput, GrepResult) = ["Grep"],
            /// Finds files by a pattern.
            Glob(GlobInput, GlobResult) = ["Glob"],
            /// Runs a sub-agent.
            Agent(AgentInput, AgentResult) = ["Agent", "Task"],
            /// Fetches a web page.
            WebFetch(WebFetchInput, WebFetchResult) = ["WebFetch"],
            /// Searches the web.
            WebSearch(WebSearchInput, WebSearchResult) = ["WebSearch"],
            /// Replaces the to-do list.
            TodoWrite(TodoWriteInput, TodoWriteResult) = ["TodoWrite"],
            /// Asks the user.
            AskUserQuestion(AskUserQuestionInput, AskUserQuestionResult) =
                ["AskUserQuestion"],
            /// Presents a plan to the user.
            ExitPlanMode(ExitPlanModeInput, ExitPlanModeResult) =
                ["ExitPlanMode"],
            /// Reads and changes the list of tasks.
            TaskList(TaskListInput, TaskListResult) =
                ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
            /// Reads the output of a background task.
            TaskOutput(TaskOutputInput, TaskOutputResult) = ["TaskOutput"],
            /// Runs a skill.
            Skill(SkillInput, SkillResult) = ["Skill"],
            /// Sends a message to another agent.
            SendMessage(SendMessageInput, SendMessageResult) = ["SendMessage"],
            /// Finds tools.
            ToolSearch(ToolSearchInput, ToolSearchResult) = ["ToolSearch"],
            /// Runs a workflow.
            Workflow(WorkflowInput, WorkflowResult) = ["Workflow"],
            /// Schedules prompts.
            Cron(CronInput, CronResult) =
                ["CronCreate", "CronDelete", "CronList"],
            /// Enters or leaves a git worktree.
            Worktree(WorktreeInput, WorktreeResult) =
                ["EnterWorktree", "ExitWorktree"],
            /// Sets the goal that the agent pursues.
            SetGoal(SetGoalInput, SetGoalResult) = ["SetGoal", "ProposeGoal"],
        }
    };
}
pub(crate) use tools;

macro_rules! tool_views {
    ($(
        $(#[$note:meta])*
        $variant:ident($input:ident, $result:ident) = [$($name:literal),+],
    )*) => {
        /// The input of a tool: one variant for each tool that the schema
        /// knows.
        ///
        /// # Example
        ///
        /// This prints the shell commands of a log.
        ///
        /// ```
        /// use linetape::Reader;
        /// use linetape_tools::ToolInput;
        ///
        /// let log = &br#"{"type":"assistant","message":{"content":[
        /// {"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}"#[..];
        /// # let log = &log.iter().filter(|b| **b != b'\n').copied().collect::<Vec<_>>()[..];
        /// let mut reader = Reader::new(log);
        /// let mut commands = vec![];
        /// while let Some(record) = reader.next_record() {
        ///     for call in record?.message().tool_calls() {
        ///         if let Some(ToolInput::Bash(bash)) = ToolInput::of(call) {
        ///             commands.extend(bash.command().map(str::to_string));
        ///         }
        ///     }
        /// }
        /// assert_eq!(commands, ["ls"]);
        /// # Ok::<(), linetape::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum ToolInput<'a> {
            $(
                $(#[$note])*
                $variant($input<'a>),
            )*
            /// The input of another tool, or an input that is not an object.
            Other(Value<'a>),
        }

        impl<'a> ToolInput<'a> {
            /// Creates a view of the input of the tool with the given name.
            pub fn new(name: &str, input: Value<'a>) -> ToolInput<'a> {
                if input.as_object().is_none() {
                    return ToolInput::Other(input);
                }
                match name {
                    $($($name)|+ => {
                        ToolInput::$variant($input::new(input))
                    })*
                    _ => ToolInput::Other(input),
                }
            }

            /// Returns the underlying value.
            pub fn value(self) -> Value<'a> {
                match self {
                    $(ToolInput::$variant(input) => input.value(),)*
                    ToolInput::Other(input) => input,
                }
            }
        }

        /// The result of a tool: one variant for each tool that the schema
        /// knows.
        ///
        /// It is the `toolUseResult` of a transcript, the `tool_use_result`
        /// of stream-json and the `tool_response` of a hook input. None of
        /// them says which tool it is from, so the caller passes the name of
        /// the tool.
        ///
        /// # Example
        ///
        /// ```
        /// use linetape::{Decoder, Message};
        /// use linetape_tools::ToolResult;
        ///
        /// let line = br#"{"type":"user","toolUseResult":{"stdout":"a.rs","stderr":""}}"#;
        /// let mut decoder = Decoder::new();
        /// let record = decoder.decode(line)?;
        /// let Message::User(user) = record.message() else { panic!() };
        /// let Some(ToolResult::Bash(bash)) = ToolResult::of(&user, "Bash")
        /// else {
        ///     panic!("not the result of a shell command");
        /// };
        /// assert_eq!(bash.stdout(), Some("a.rs"));
        /// # Ok::<(), linetape::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum ToolResult<'a> {
            $(
                $(#[$note])*
                $variant($result<'a>),
            )*
            /// The result of another tool, or a result that is not an object:
            /// a failed tool has a string.
            Other(Value<'a>),
        }

        impl<'a> ToolResult<'a> {
            /// Creates a view of the result of the tool with the given name.
            pub fn new(name: &str, result: Value<'a>) -> ToolResult<'a> {
                if result.as_object().is_none() {
                    return ToolResult::Other(result);
                }
                match name {
                    $($($name)|+ => {
                        ToolResult::$variant($result::new(result))
                    })*
                    _ => ToolResult::Other(result),
                }
            }

            /// Returns the underlying value.
            pub fn value(self) -> Value<'a> {
                match self {
                    $(ToolResult::$variant(result) => result.value(),)*
                    ToolResult::Other(result) => result,
                }
            }
        }
    };
}
tools!(tool_views);

impl<'a> ToolInput<'a> {
    /// Creates a view of the input of a tool call. Returns `None` if the call
    /// has no name or no input.
    pub fn of(call: ToolCall<'a>) -> Option<ToolInput<'a>> {
        Some(ToolInput::new(call.name()?, call.input()?))
    }
}

impl<'a> ToolResult<'a> {
    /// Creates a view of the result that a message has, of the tool with the
    /// given name. Returns `None` if the message has none.
    ///
    /// The name is that of the tool use whose `id` is the `tool_use_id` of
    /// the message's tool result.
    pub fn of(user: &User<'a>, name: &str) -> Option<ToolResult<'a>> {
        Some(ToolResult::new(name, user.tool_use_result()?))
    }
}
