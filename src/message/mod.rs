/*!
Messages: what a record means, as typed views.

[`Message`] is the entrance: one variant for each type of message, and
[`Message::Unknown`] for the rest. A variant holds a view, a small `Copy` value
with a method for each field. Reading a field looks it up in the record, and
gives `None` if it is not there or is not of the field's type; `value()` shows
what is there instead. Nothing is allocated.

Some views stand on others: an [`Assistant`] has all methods of an
[`Envelope`], for example, because it can be used as one.

The fields, with the keys that they have on the wire, are written down once, in
the tables of this folder. CONTRIBUTING.md shows how to add to them.
*/

mod blocks;
mod content;
mod control;
mod kind;
pub(crate) mod schema;
mod server;
mod stream_json;
mod system;
mod transcript;

use std::fmt;

use crate::json::{Object, Value};

pub use blocks::{Blocks, Content, Text};
pub use content::*;
pub use control::*;
pub use kind::Kind;
pub use schema::{List, ListIter, Map, MapIter};
pub use server::*;
pub use stream_json::*;
pub use system::*;
pub use transcript::*;

/// The tables, for what else is made of them.
#[cfg(feature = "owned")]
pub(crate) mod tables {
    pub(crate) use crate::message::{
        content::content, control::control, server::server,
        stream_json::stream_json, system::system, transcript::transcript,
    };
}

/// The types of messages that are told apart by `type`: variant, view, text.
macro_rules! messages {
    ($each:ident) => {
        $each! {
            /// The agent reports about itself.
            System(System) = "system",
            /// The model says something.
            Assistant(Assistant) = "assistant",
            /// The user, or a tool, says something.
            User(User) = "user",
            /// A run is over.
            Result(ResultMessage) = "result",
            /// A piece of a message that is still being written.
            StreamEvent(StreamEvent) = "stream_event",
            /// A question or order between host and agent.
            ControlRequest(ControlRequest) = "control_request",
            /// The answer to one.
            ControlResponse(ControlResponse) = "control_response",
            /// One is taken back.
            ControlCancelRequest(ControlCancelRequest) =
                "control_cancel_request",
            /// The state of a rate limit.
            RateLimitEvent(RateLimitEvent) = "rate_limit_event",
            /// A message to or from an MCP server.
            McpMessage(McpMessage) = "mcp_message",
            /// A tool is still at work.
            ToolProgress(ToolProgress) = "tool_progress",
            /// What some tool calls did, in short.
            ToolUseSummary(ToolUseSummary) = "tool_use_summary",
            /// How the login stands.
            AuthStatus(AuthStatus) = "auth_status",
            /// How a queued command fares.
            CommandLifecycle(CommandLifecycle) = "command_lifecycle",
            /// The conversation starts afresh.
            ConversationReset(ConversationReset) = "conversation_reset",
            /// What the user might say next.
            PromptSuggestion(PromptSuggestion) = "prompt_suggestion",
            /// The connection is alive.
            KeepAlive(KeepAlive) = "keep_alive",
            /// Something failed.
            Error(ErrorMessage) = "error",
            /// A title for an earlier conversation.
            Summary(Summary) = "summary",
            /// The state of the edited files.
            FileHistorySnapshot(FileHistorySnapshot) =
                "file-history-snapshot",
            /// News from work that goes on.
            Progress(Progress) = "progress",
            /// A prompt was queued, or taken from the queue.
            QueueOperation(QueueOperation) = "queue-operation",
            /// Something that was put into the conversation.
            Attachment(Attachment) = "attachment",
            /// A pull request that the session has to do with.
            PrLink(PrLink) = "pr-link",
            /// A title that a model gave.
            AiTitle(AiTitle) = "ai-title",
            /// A title that the user gave.
            CustomTitle(CustomTitle) = "custom-title",
            /// The last thing that the user asked.
            LastPrompt(LastPrompt) = "last-prompt",
            /// The conversation is compacted, or restored.
            CompactSystem(CompactSystem) = "compact_system",
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use messages;

/// The events of an agent server, told apart by their one key.
macro_rules! ui_messages {
    ($each:ident) => {
        $each! {
            /// A piece of the answer.
            TextChunk(TextChunk),
            /// A tool starts.
            ToolExecuting(ToolExecuting),
            /// A tool has ended.
            ToolCompleted(ToolCompleted),
            /// A turn is over.
            Complete(Complete),
            /// A tool needs leave.
            PermissionRequired(PermissionRequired),
            /// Several tools need leave.
            BatchPermissionRequired(BatchPermissionRequired),
            /// The user is asked something.
            UserInteractionRequired(UserInteractionRequired),
            /// How many tokens were used.
            TokenUpdate(TokenUpdate),
            /// Something failed.
            Error(ServerError),
            /// News about the server.
            System(ServerSystem),
            /// Something to show to the user.
            Display(Display),
            /// A command has ended.
            CommandComplete(CommandComplete),
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use ui_messages;

macro_rules! message_view {
    ($(
        $(#[$note:meta])*
        $variant:ident($view:ident) = $text:literal,
    )*) => {
        /// A record, as one of the messages that agents write.
        ///
        /// # Example
        ///
        /// This shows how to take a message apart.
        ///
        /// ```
        /// use linetape::{Decoder, Message, message::Block};
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
        ///     other => panic!("a {} it is not", other.kind()),
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
            /// An event that has `event_type` and `data`, and no `type`.
            Event(RawEvent<'a>),
            /// An event of an agent server: an object with one key.
            Ui(UiMessage<'a>),
            /// Input for an agent server: it has `session_id`, `content` and
            /// `turn_id`, and no `type`.
            Input(ControllerInputPayload<'a>),
            /// Any other object.
            Unknown(Unknown<'a>),
        }

        impl<'a> Message<'a> {
            /// The message that an object is.
            pub(crate) fn new(value: Value<'a>) -> Message<'a> {
                let name = value.get("type").and_then(|name| name.as_str());
                match name {
                    $(Some($text) => Message::$variant($view::new(value)),)*
                    Some(_) => Message::Unknown(Unknown(value)),
                    None => Message::untyped(value),
                }
            }

            /// Reads every field, and says how many there are.
            #[doc(hidden)]
            pub fn count_fields(self) -> usize {
                match self {
                    $(Message::$variant(view) => view.count_fields(),)*
                    Message::Event(view) => view.count_fields(),
                    Message::Ui(view) => view.event.count_fields(),
                    Message::Input(view) => view.count_fields(),
                    Message::Unknown(_) => 0,
                }
            }

            /// The record that this is a view of.
            pub fn value(self) -> Value<'a> {
                match self {
                    $(Message::$variant(view) => view.value(),)*
                    Message::Event(view) => view.value(),
                    Message::Ui(view) => view.record,
                    Message::Input(view) => view.value(),
                    Message::Unknown(view) => view.value(),
                }
            }
        }
    };
}
messages!(message_view);
schema::shown_as_json!(Message);

macro_rules! ui_view {
    ($($(#[$note:meta])* $variant:ident($view:ident),)*) => {
        /// What an event of an agent server says.
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum UiEvent<'a> {
            $($(#[$note])* $variant($view<'a>),)*
        }

        impl<'a> UiEvent<'a> {
            fn new(name: &str, value: Value<'a>) -> Option<UiEvent<'a>> {
                value.as_object()?;
                Some(match name {
                    $(stringify!($variant) => {
                        UiEvent::$variant($view::new(value))
                    })*
                    _ => return None,
                })
            }

            fn count_fields(self) -> usize {
                match self {
                    $(UiEvent::$variant(view) => view.count_fields(),)*
                }
            }

            /// The object that belongs to the event's name.
            pub fn value(self) -> Value<'a> {
                match self {
                    $(UiEvent::$variant(view) => view.value(),)*
                }
            }
        }
    };
}
ui_messages!(ui_view);

/// An event of an agent server: an object whose one key is the event's name.
///
/// # Example
///
/// This shows how to read one.
///
/// ```
/// use linetape::{Decoder, Message, message::UiEvent};
///
/// let line = br#"{"TextChunk":{"text":"Hi","session_id":1}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let Message::Ui(ui) = record.message() else { panic!("not an event") };
/// let UiEvent::TextChunk(chunk) = ui.event() else { panic!("not text") };
/// assert_eq!((chunk.text(), chunk.session_id()), (Some("Hi"), Some(1)));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct UiMessage<'a> {
    record: Value<'a>,
    name: &'a str,
    event: UiEvent<'a>,
}

impl<'a> UiMessage<'a> {
    fn from_object(
        record: Value<'a>,
        object: Object<'a>,
    ) -> Option<UiMessage<'a>> {
        let mut members = object.iter();
        let (name, value) = members.next()?;
        if members.next().is_some() {
            return None;
        }
        Some(UiMessage { record, name, event: UiEvent::new(name, value)? })
    }

    /// The event's name.
    pub fn name(self) -> &'a str {
        self.name
    }

    /// What the event says.
    pub fn event(self) -> UiEvent<'a> {
        self.event
    }

    /// The record that this is a view of.
    pub fn value(self) -> Value<'a> {
        self.record
    }

    fn session_id(self) -> Option<i64> {
        self.event.value().get("session_id")?.as_i64()
    }
}

schema::shown_as_json!(UiMessage);

/// A record of a type that linetape does not know.
///
/// # Example
///
/// This shows that nothing of it is lost.
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
    /// The type, if it is a string.
    pub fn name(self) -> Option<&'a str> {
        self.0.get("type")?.as_str()
    }

    /// The subtype, if it is a string.
    pub fn subtype(self) -> Option<&'a str> {
        self.0.get("subtype")?.as_str()
    }

    /// The record that this is a view of.
    pub fn value(self) -> Value<'a> {
        self.0
    }
}

schema::shown_as_json!(Unknown);

/// A session's identifier: a string, or an integer from an agent server.
///
/// # Example
///
/// This shows that both can be printed.
///
/// ```
/// use linetape::message::SessionId;
///
/// assert_eq!(SessionId::Str("s1").to_string(), "s1");
/// assert_eq!(SessionId::Int(7).to_string(), "7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionId<'a> {
    /// A string.
    Str(&'a str),
    /// An integer.
    Int(i64),
}

impl fmt::Display for SessionId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionId::Str(text) => f.write_str(text),
            SessionId::Int(number) => write!(f, "{number}"),
        }
    }
}

impl<'a> Message<'a> {
    /// The message that an object without a type is.
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

    /// Everything that lines of all kinds may carry.
    pub fn envelope(self) -> Envelope<'a> {
        Envelope::new(self.value())
    }

    /// The type and subtype. An event of an agent server is known by its
    /// name, input for one as `input`.
    pub fn kind(self) -> Kind<'a> {
        match self {
            Message::Ui(ui) => Kind::named(ui.name),
            Message::Input(_) => Kind::named("input"),
            _ => {
                let object = self.value().as_object();
                let kind = object.map(Kind::of).and_then(Result::ok);
                kind.unwrap_or_default()
            }
        }
    }

    /// The session that the message belongs to.
    pub fn session_id(self) -> Option<SessionId<'a>> {
        match self {
            Message::Ui(ui) => ui.session_id().map(SessionId::Int),
            Message::Input(input) => input.session_id().map(SessionId::Int),
            _ => {
                let get = |key| self.value().get(key)?.as_str();
                let (stream, saved) = ("session_id", "sessionId");
                let (first, second) = match self.is_saved() {
                    true => (saved, stream),
                    false => (stream, saved),
                };
                get(first).or_else(|| get(second)).map(SessionId::Str)
            }
        }
    }

    /// Whether this is a line of a transcript, which has its own way to name
    /// things.
    fn is_saved(self) -> bool {
        let has = |key| self.value().get(key).is_some();
        has("parentUuid") || has("isSidechain")
    }

    /// The message's own identifier.
    pub fn uuid(self) -> Option<&'a str> {
        self.envelope().uuid()
    }

    /// The message that this one follows, in a transcript.
    pub fn parent_uuid(self) -> Option<&'a str> {
        self.envelope().parent_uuid()
    }

    /// The message that this one follows in meaning, where a compaction cut
    /// the chain.
    pub fn logical_parent_uuid(self) -> Option<&'a str> {
        self.envelope().logical_parent_uuid()
    }

    /// When the message was written, as it says.
    pub fn timestamp(self) -> Option<&'a str> {
        self.envelope().timestamp()
    }

    /// Whether the message is part of a sub-agent's conversation.
    pub fn is_sidechain(self) -> bool {
        let envelope = self.envelope();
        envelope.is_sidechain() == Some(true)
            || envelope.parent_tool_use_id().is_some()
    }

    /// Whether the message ends a run.
    pub fn is_final(self) -> bool {
        matches!(self, Message::Result(_))
    }

    /// Whether the message tells of an error.
    pub fn is_error(self) -> bool {
        let flag = |key| {
            let value = self.value().get(key);
            value.and_then(|flag| flag.as_bool()) == Some(true)
        };
        let text = |key| self.value().get(key).and_then(|v| v.as_str());
        let subtype = text("subtype").unwrap_or_default();
        match self {
            Message::Error(_) => true,
            Message::Ui(ui) => matches!(ui.event(), UiEvent::Error(_)),
            Message::Result(_) => {
                flag("is_error") || subtype.starts_with("error")
            }
            Message::Assistant(_) => {
                let error = self.value().get("error");
                error.is_some_and(|error| !error.is_null())
                    || flag("is_api_error_message")
                    || flag("isApiErrorMessage")
                    || flag("isError")
                    || subtype == "error"
            }
            Message::System(_) => {
                flag("isError") || matches!(subtype, "error" | "api_error")
            }
            Message::User(_) | Message::CompactSystem(_) => flag("isError"),
            _ => false,
        }
    }

    /// The identifier of a user's message, by which files can be put back to
    /// how they were then.
    pub fn user_uuid(self) -> Option<&'a str> {
        match self {
            Message::User(user) => user.uuid(),
            _ => None,
        }
    }

    /// What the user or the model says, as blocks. A plain string is one
    /// block of text.
    pub fn content_blocks(self) -> Blocks<'a> {
        match self {
            Message::Assistant(assistant) => assistant.content(),
            Message::User(user) => user.content(),
            _ => Blocks::none(),
        }
    }

    /// The text of the message, piece by piece.
    pub fn text(self) -> Text<'a> {
        match self {
            Message::Assistant(_) | Message::User(_) => {
                Text::of_blocks(self.content_blocks())
            }
            Message::System(_) | Message::CompactSystem(_) => {
                let message = self.value().get("message");
                Text::one(message.and_then(|text| text.as_str()))
            }
            Message::Ui(ui) => Text::one(match ui.event() {
                UiEvent::TextChunk(chunk) => chunk.text(),
                UiEvent::Display(display) => display.content(),
                UiEvent::Error(error) => error.message(),
                UiEvent::System(system) => system.message(),
                _ => None,
            }),
            _ => Text::one(None),
        }
    }

    /// The tokens that the message says were used.
    pub fn usage(self) -> Option<Usage<'a>> {
        match self {
            Message::Assistant(assistant) => assistant.message()?.usage(),
            Message::Result(result) => result.usage(),
            Message::StreamEvent(event) => match event.event()? {
                ApiEvent::MessageStart(start) => start.message()?.usage(),
                ApiEvent::MessageDelta(delta) => delta.usage(),
                _ => None,
            },
            Message::Ui(ui) => match ui.event() {
                UiEvent::TokenUpdate(update) => {
                    Some(Usage::new(update.value()))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

impl<'a> ChatMessage<'a> {
    /// What is said, as blocks. A plain string, be it the content or the
    /// message itself, is one block of text.
    pub fn content(self) -> Blocks<'a> {
        let content = self.message().and_then(|message| message.content());
        content.map_or_else(Blocks::none, Content::blocks)
    }
}

impl AnswerBlock<'_> {
    /// Whether the tool failed. It did not if nothing is said about it.
    pub fn is_error(self) -> bool {
        self.failed() == Some(true)
    }
}

/// The part of a control message that has the subtype: the nested object if
/// it has one, or else the message itself if that has one.
fn body<'a>(message: Value<'a>, key: &str) -> Value<'a> {
    let has_subtype = |value: &Value<'a>| value.get("subtype").is_some();
    let nested = message.get(key).filter(|body| body.as_object().is_some());
    match nested {
        Some(body) if has_subtype(&body) || !has_subtype(&message) => body,
        _ => message,
    }
}

impl<'a> ControlRequest<'a> {
    /// What is asked, whether it stands in an object of its own or among the
    /// members of the message.
    pub fn body(self) -> Request<'a> {
        Request::new(body(self.value(), "request"))
    }
}

impl<'a> ControlResponse<'a> {
    /// What is answered, whether it stands in an object of its own or among
    /// the members of the message.
    pub fn body(self) -> Response<'a> {
        Response::new(body(self.value(), "response"))
    }

    /// The request that is answered, wherever its identifier stands.
    pub fn answers(self) -> Option<&'a str> {
        let nested = self.value().get("response");
        let nested = nested.and_then(|response| response.get("request_id"));
        self.request_id().or_else(|| nested?.as_str())
    }
}
