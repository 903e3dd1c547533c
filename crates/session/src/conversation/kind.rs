/*!
The kinds of steps, and warnings.
*/

/// What a [`Step`](super::Step) is.
///
/// # Example
///
/// See [`Conversation`](crate::Conversation).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StepKind {
    /// A text of a person, or the prompt of a sub-agent. Begins a turn.
    Prompt,
    /// A text of the model.
    Text,
    /// The model's thinking.
    Thought,
    /// A tool call: see [`Step::call`](super::Step::call).
    Call,
    /// A tool result. Its call may be missing.
    ToolResult,
    /// Another content block, such as an image.
    Block,
    /// The report that a background task has ended. The agent program wrote
    /// it, with the role of the user.
    Notification,
    /// The output or the error of a hook.
    Hook,
    /// A command of the agent program that the user typed, such as `/clear`.
    Command,
    /// The output of such a command.
    Output,
    /// A text that the agent program wrote with the role of the user.
    Program,
    /// The report that the user interrupted the turn.
    Interruption,
    /// A compaction: the model no longer sees what is before it.
    Compaction,
    /// The summary after a compaction. The agent program wrote it.
    Summary,
    /// The model and the tools of a run: `system/init`.
    Init,
    /// The session goes on in another one, or comes from another one.
    Link,
    /// An error that the agent program or the API reports.
    Error,
    /// The end of a run: a `result` line.
    Result,
    /// A part of a text of the model, as an agent server sends it. The text
    /// ends before the next step that is not a chunk.
    Chunk,
    /// Another message of an agent server.
    Server,
    /// The sub-agent whose call is not in the logs:
    /// see [`Step::agent`](super::Step::agent).
    Agent,
    /// The preceding message of the model is incomplete.
    Truncated,
}

impl StepKind {
    /// All kinds, in the order of their numbers.
    pub(crate) const ALL: [StepKind; 22] = [
        StepKind::Prompt,
        StepKind::Text,
        StepKind::Thought,
        StepKind::Call,
        StepKind::ToolResult,
        StepKind::Block,
        StepKind::Notification,
        StepKind::Hook,
        StepKind::Command,
        StepKind::Output,
        StepKind::Program,
        StepKind::Interruption,
        StepKind::Compaction,
        StepKind::Summary,
        StepKind::Init,
        StepKind::Link,
        StepKind::Error,
        StepKind::Result,
        StepKind::Chunk,
        StepKind::Server,
        StepKind::Agent,
        StepKind::Truncated,
    ];
}

/// A reason not to trust the figures of a conversation.
///
/// Its `Display` is a sentence for a person, without a full stop.
///
/// # Example
///
/// This shows a lost line.
///
/// ```
/// use linetape_session::{Conversation, conversation::Warning};
///
/// let mut conversation = Conversation::new();
/// conversation.add_lost();
/// conversation.finish();
/// let warning = conversation.warnings().next();
/// assert_eq!(warning, Some(Warning::LostLines(1)));
/// assert_eq!(warning.unwrap().to_string(), "1 line could not be read");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Warning {
    /// The number of lines that could not be read.
    LostLines(u64),
    /// The log states far fewer output tokens than the model's text has. They
    /// are placeholders.
    PlaceholderTokens {
        /// The output tokens that the log states.
        stated: u64,
        /// The length of the model's text and tool inputs, in bytes.
        written: u64,
    },
    /// The number of messages whose parent is not in the logs.
    MissingParents(u64),
    /// The number of tool calls without a result.
    CallsWithoutResult(u64),
    /// The number of tool results without a call.
    ResultsWithoutCall(u64),
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let s = |count: u64| if count == 1 { "" } else { "s" };
        match *self {
            Warning::LostLines(n) => {
                write!(f, "{n} line{} could not be read", s(n))
            }
            Warning::PlaceholderTokens { stated, written } => write!(
                f,
                "the log states {stated} output tokens for {written} bytes of \
                 the model's output: these are placeholders"
            ),
            Warning::MissingParents(1) => {
                f.write_str("1 message before the others is not in the log")
            }
            Warning::MissingParents(n) => {
                write!(f, "{n} messages before the others are not in the log")
            }
            Warning::CallsWithoutResult(n) => {
                let verb = if n == 1 { "has" } else { "have" };
                write!(f, "{n} tool call{} {verb} no result", s(n))
            }
            Warning::ResultsWithoutCall(n) => {
                let verb = if n == 1 { "has" } else { "have" };
                write!(f, "{n} tool result{} {verb} no call", s(n))
            }
        }
    }
}
