/*!
Messages: typed views of records.

[`Message`] is the entry point: it has one variant for each type of message,
and [`Message::Unknown`] for other types. A variant holds a view, a small
`Copy` value with a method for each field. The method looks the field up in the
record. It returns `None` if the field is absent or has another type; the
original JSON is available from `value()`. Nothing is allocated. A lookup is a
linear search through the keys of one object. Messages have few keys; if an
object may have thousands, read each field once.

[`Message::visit`] visits all values of a record and reports how each one is
read. It finds the fields that the schema does not know.

Some views extend others by `Deref`: an [`Assistant`], for example, has all
methods of an [`Envelope`].

This module has the views that all dialects share. The others are in
submodules:

| module | views of |
|---|---|
| [`stream`] | stream-json: messages between an agent and its host |
| [`events`] | stream events: partial messages |
| [`reports`] | system messages outside of the conversation |
| [`results`] | the results of runs |
| [`system`] | reports from the agent program |
| [`control`] | control requests and responses between host and agent |
| [`transcript`] | session transcripts |
| [`server`] | agent servers: their events and input |

The tables in this folder define the fields and their keys in the JSON.
CONTRIBUTING.md explains how to extend them.
*/

mod blocks;
mod common;
mod content;
pub mod control;
pub mod events;
mod kind;
mod known;
mod nested;
pub mod reports;
pub mod results;
pub mod schema;
pub mod server;
pub mod stream;
pub mod system;
mod tool_calls;
pub mod transcript;
mod ui;
mod visit;

use crate::{
    json::{Object, Value},
    scan::as_utf8,
};

pub use blocks::{Blocks, Content, Text};
pub use common::SessionId;
pub use content::*;
pub use kind::Kind;
pub use nested::{Nested, NestedMessages};
pub use schema::{
    FromValue, List, ListIter, Map, MapIter, PathStep, Reading, Visited,
};
pub use tool_calls::{ToolCall, ToolCalls};

use schema::{SchemaWalk, Shape, ViewFields};
use visit::KIND;

/// The views of all dialects, for tables that refer to each other's views.
pub(crate) mod all {
    pub use crate::message::{
        control::*, events::*, reports::*, results::*, server::*, stream::*,
        system::*, transcript::*, *,
    };
}
use all::*;

/// The tables, for the generation of the owned types and for
/// [`Message::schema`].
pub(crate) mod tables {
    pub(crate) use crate::message::ui::ui_messages;
    pub(crate) use crate::message::{
        content::content, control::control, events::events, reports::reports,
        results::results, server::server, stream::stream_json, system::system,
        transcript::transcript,
    };
}

/// The messages distinguished by `type`: variant, view, and value of `type`.
macro_rules! messages {
    ($to:ident) => {
        $to! {
            /// A report from the agent program.
            System(System) = "system",
            /// A message from the model.
            Assistant(Assistant) = "assistant",
            /// A message from the user, or tool results.
            User(User) = "user",
            /// The result of a run.
            Result(ResultMessage) = "result",
            /// A partial message that is still being generated.
            StreamEvent(StreamEvent) = "stream_event",
            /// A control request, from the host or from the agent.
            ControlRequest(ControlRequest) = "control_request",
            /// The response to a control request.
            ControlResponse(ControlResponse) = "control_response",
            /// The cancellation of a control request.
            ControlCancelRequest(ControlCancelRequest) =
                "control_cancel_request",
            /// A change of the rate limits.
            RateLimitEvent(RateLimitEvent) = "rate_limit_event",
            /// A message to or from an MCP server.
            McpMessage(McpMessage) = "mcp_message",
            /// A progress report of a running tool.
            ToolProgress(ToolProgress) = "tool_progress",
            /// A summary of several tool uses.
            ToolUseSummary(ToolUseSummary) = "tool_use_summary",
            /// The status of a login.
            AuthStatus(AuthStatus) = "auth_status",
            /// A state change of a queued command.
            CommandLifecycle(CommandLifecycle) = "command_lifecycle",
            /// A reset of the conversation.
            ConversationReset(ConversationReset) = "conversation_reset",
            /// A suggestion for the user's next prompt.
            PromptSuggestion(PromptSuggestion) = "prompt_suggestion",
            /// A keep-alive message.
            KeepAlive(KeepAlive) = "keep_alive",
            /// A change of the goal that the agent pursues.
            ActiveGoal(ActiveGoal) = "active_goal",
            /// Lines of a transcript.
            TranscriptMirror(TranscriptMirror) = "transcript_mirror",
            /// An error reported in place of a message.
            Error(ErrorMessage) = "error",
            /// A title for an earlier conversation.
            Summary(Summary) = "summary",
            /// A snapshot of the edited files.
            FileHistorySnapshot(FileHistorySnapshot) = "file-history-snapshot",
            /// A progress report of a tool, hook or sub-agent.
            Progress(Progress) = "progress",
            /// An operation on the prompt queue.
            QueueOperation(QueueOperation) = "queue-operation",
            /// An attachment: context added to the conversation.
            Attachment(Attachment) = "attachment",
            /// A pull request of the session.
            PrLink(PrLink) = "pr-link",
            /// The title of the session, generated by a model.
            AiTitle(AiTitle) = "ai-title",
            /// The title of the session, set by the user.
            CustomTitle(CustomTitle) = "custom-title",
            /// The last prompt of the user.
            LastPrompt(LastPrompt) = "last-prompt",
            /// A step in compacting or restoring a conversation.
            CompactSystem(CompactSystem) = "compact_system",
            /// The cost of the session so far.
            CostState(CostState) = "cost-state",
            /// The mode of the session.
            Mode(SessionMode) = "mode",
            /// The permission mode of the session.
            PermissionMode(SessionPermissionMode) = "permission-mode",
            /// An opaque value that the agent program keeps.
            AtisLatch(AtisLatch) = "atis-latch",
            /// The remote session to which the session is connected.
            BridgeSession(BridgeSession) = "bridge-session",
            /// The name of the session's agent.
            AgentName(AgentName) = "agent-name",
            /// The display colour of the session's agent.
            AgentColor(AgentColor) = "agent-color",
            /// The type of agent that the session runs.
            AgentSetting(AgentSetting) = "agent-setting",
            /// The user's tag for the session.
            Tag(Tag) = "tag",
            /// Tool results that were replaced by shorter ones.
            ContentReplacement(ContentReplacement) = "content-replacement",
            /// The session in which the conversation continues.
            ContinuedIn(ContinuedIn) = "continued-in",
            /// The conversation from which a sub-agent was forked.
            ForkContextRef(ForkContextRef) = "fork-context-ref",
            /// A move of the session to another working directory.
            Relocated(Relocated) = "relocated",
            /// The git worktree of the session.
            WorktreeState(WorktreeState) = "worktree-state",
            /// The backup of one file.
            FileHistoryDelta(FileHistoryDelta) = "file-history-delta",
            /// An artifact that the session published.
            FrameLink(FrameLink) = "frame-link",
            /// The comments on artifacts to which the agent has reacted.
            ArtifactAutoreactLedger(ArtifactAutoreactLedger) =
                "artifact-autoreact-ledger",
            /// The artifacts whose comments the agent monitors.
            ArtifactCommentMonitor(ArtifactCommentMonitor) =
                "artifact-comment-monitor",
            /// A snapshot of which parts of the files the agent wrote.
            AttributionSnapshot(AttributionSnapshot) = "attribution-snapshot",
            /// The acceptance of a speculative answer.
            SpeculationAccept(SpeculationAccept) = "speculation-accept",
            /// Metadata of a sub-agent.
            AgentMetadata(AgentMetadata) = "agent_metadata",
            /// The start of a workflow.
            WorkflowLaunched(WorkflowLaunched) = "launched",
            /// The start of a workflow's sub-agent.
            WorkflowStarted(WorkflowStarted) = "started",
            /// An API request, by reference to its parts.
            ApiRequest(ApiRequest) = "api-request",
            /// The system prompt and the tools of API requests.
            ApiRequestShape(ApiRequestShape) = "api-request-shape",
            /// A message of API requests.
            ApiRequestBlob(ApiRequestBlob) = "api-request-blob",
            /// The tools that the session has used.
            ToolsUsed(ToolsUsed) = "tools-used",
            /// Records of where data came from and went to.
            DataFlowRecords(DataFlowRecords) = "data-flow-records",
            /// A gap in the records of the data flow.
            DataFlowIncomplete(DataFlowIncomplete) = "data-flow-incomplete",
            /// The sessions from which the session was derived.
            DerivedFrom(DerivedFrom) = "derived-from",
            /// The account that owns the session.
            SessionOwner(SessionOwner) = "session-owner",
            /// The REPL mode of the session.
            ReplMode(ReplMode) = "repl-mode",
            /// The side on which the session is kept isolated.
            IsolationLatch(IsolationLatch) = "isolation-latch",
            /// The folder of the session's modifications.
            DevMods(DevMods) = "dev-mods",
            /// A checksum of what a resumed session begins with.
            ResumeHeadVouch(ResumeHeadVouch) = "resume-head-vouch",
            /// The suppression of the session's history.
            HistorySuppression(HistorySuppression) = "history-suppression",
            /// The end of the session by the model.
            EndedByModel(EndedByModel) = "ended-by-model",
        }
    };
}
pub(crate) use messages;

macro_rules! message_view {
    ($(
        $(#[$note:meta])*
        $variant:ident($view:ident) = $text:literal,
    )*) => {
        /// A typed view of a record: one variant for each type of message.
        ///
        /// # Example
        ///
        /// This reads the fields and content blocks of a message.
        ///
        /// ```
        /// use linetape::{Block, Decoder, Message};
        ///
        /// let line = br#"{"type":"assistant","session_id":"s1","message":
        ///     {"content":[{"type":"text","text":"Hello"}]}}"#;
        /// let mut decoder = Decoder::new();
        /// let record = decoder.decode(line)?;
        /// match record.message() {
        ///     Message::Assistant(assistant) => {
        ///         assert_eq!(assistant.session_id(), Some("s1"));
        ///         for block in assistant.content() {
        ///             assert!(matches!(block, Block::Text(_)));
        ///         }
        ///     }
        ///     other => panic!("unexpected kind: {}", other.kind()),
        /// }
        /// # Ok::<(), linetape::Error>(())
        /// ```
        #[derive(Clone, Copy)]
        #[non_exhaustive]
        pub enum Message<'a> {
            $(
                $(#[$note])*
                #[doc = concat!("\n\n`type` is `", $text, "` on the wire.")]
                $variant($view<'a>),
            )*
            /// An object with `event_type` and `data`, and without `type`.
            Event(RawEvent<'a>),
            /// An event of an agent server: an object with a single key.
            Ui(UiMessage<'a>),
            /// Input for an agent server: an object with `session_id`,
            /// `content` and `turn_id`, and without `type`.
            Input(ControllerInputPayload<'a>),
            /// Any other object.
            Unknown(Unknown<'a>),
        }

        impl<'a> Message<'a> {
            /// The known values of `type`, in the order of the variants.
            /// Events and input of an agent server have no `type`: see
            /// [`UiEvent::KINDS`].
            pub const KINDS: &'static [&'static str] = &[$($text,)*];

            /// Returns whether a record of a type, as it is written, can have
            /// a subtype: if the tables say so, or if they do not have the
            /// type.
            #[inline]
            pub(crate) fn may_have_subtype(name: &[u8]) -> bool {
                matches!(
                    name,
                    b"assistant"
                        | b"control_request"
                        | b"control_response"
                        | b"result"
                        | b"system"
                ) || !as_utf8(name)
                    .is_some_and(|name| matches!(name, $($text)|*))
            }

            /// Creates the view of an object, chosen by its `type`.
            pub(crate) fn new(value: Value<'a>) -> Message<'a> {
                match value.type_name() {
                    $(Some($text) => Message::$variant($view::new(value)),)*
                    Some(_) => Message::Unknown(Unknown(value)),
                    None => Message::untyped(value),
                }
            }

            fn walk(self, object: Object<'a>, walk: &mut SchemaWalk<'a, '_>) {
                match self {
                    $(Message::$variant(_) => {
                        $view::walk(object, KIND, walk);
                    })*
                    Message::Event(_) => RawEvent::walk(object, KIND, walk),
                    Message::Ui(_) => {
                        let fields = [UiEvent::FIELDS, schema::Root::FIELDS];
                        walk.members(object, &[], fields);
                    }
                    Message::Input(_) => {
                        ControllerInputPayload::walk(object, &[], walk);
                    }
                    Message::Unknown(_) => {
                        walk.members(object, KIND, [schema::Root::FIELDS; 2]);
                    }
                }
            }

            /// Returns the underlying record.
            pub fn value(self) -> Value<'a> {
                match self {
                    $(Message::$variant(view) => view.value(),)*
                    Message::Event(view) => view.value(),
                    Message::Ui(view) => view.value(),
                    Message::Input(view) => view.value(),
                    Message::Unknown(view) => view.value(),
                }
            }
        }
    };
}
messages!(message_view);
schema::views!(@shown Message);

/// A record of an unknown type.
///
/// # Example
///
/// All values of the record remain accessible.
///
/// ```
/// use linetape::{Decoder, Message};
///
/// let line = br#"{"type":"thread.started","thread_id":"t1"}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let Message::Unknown(unknown) = record.message() else { panic!() };
/// assert_eq!(unknown.name(), Some("thread.started"));
/// let id = unknown.value().get("thread_id").and_then(|id| id.as_str());
/// assert_eq!(id, Some("t1"));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Unknown<'a>(Value<'a>);

impl<'a> Unknown<'a> {
    /// Returns the type, if it is a string.
    pub fn name(self) -> Option<&'a str> {
        self.0.type_name()
    }

    /// Returns the subtype, if it is a string.
    pub fn subtype(self) -> Option<&'a str> {
        self.0.get("subtype")?.as_str()
    }

    /// Returns the underlying record.
    pub fn value(self) -> Value<'a> {
        self.0
    }
}

schema::views!(@shown Unknown);

impl<'a> Message<'a> {
    /// Creates the view of an object that has no `type` string.
    fn untyped(value: Value<'a>) -> Message<'a> {
        let has = |key| value.get(key).is_some();
        if has("event_type") && has("data") {
            return Message::Event(RawEvent::new(value));
        }
        let object = value.as_object();
        let ui = object.and_then(|o| UiMessage::from_object(value, o));
        if let Some(ui) = ui {
            return Message::Ui(ui);
        }
        if has("session_id") && has("content") && has("turn_id") {
            return Message::Input(ControllerInputPayload::new(value));
        }
        Message::Unknown(Unknown(value))
    }
}
