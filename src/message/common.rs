/*!
Accessors that work on any message, whatever its dialect.
*/

use std::fmt;

use crate::{
    error::Error,
    json::Value,
    message::{
        AnswerBlock, Blocks, Content, Envelope, Kind, Message, Text, Usage,
        control::{ControlRequest, ControlResponse, Request, Response},
        events::ApiEvent,
        server::UiEvent,
        stream::ChatMessage,
    },
};

/// The identifier of a session: a string, or an integer from an agent server.
///
/// # Example
///
/// Both variants implement `Display`.
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
    /// Checks the whole line of the message, unless that has been done
    /// already.
    ///
    /// A message from [`Line::peek`](crate::Line::peek) is checked only in
    /// part: a list in it may end early at a syntax error. If this method
    /// returns `Ok`, all accessors return the same as on the decoded message.
    /// A decoded message is always checked.
    ///
    /// # Errors
    ///
    /// Returns the error that [`Line::decode`](crate::Line::decode) would
    /// return.
    ///
    /// # Example
    ///
    /// This checks a peeked message before its content is trusted.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"type":"user","list":[1,,2]}"#);
    /// let message = line.peek()?;
    /// let error = message.check().unwrap_err();
    /// assert_eq!(error.position().byte(), 25);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn check(self) -> Result<(), Error> {
        self.value().ensure_checked()
    }

    /// Returns the fields that any line may have.
    pub fn envelope(self) -> Envelope<'a> {
        Envelope::new(self.value())
    }

    /// Returns the type and subtype. The kind of an agent-server event is the
    /// name of the event; the kind of its input is `input`.
    pub fn kind(self) -> Kind<'a> {
        match self {
            Message::Ui(ui) => Kind::named(ui.name()),
            Message::Input(_) => Kind::named("input"),
            // Decoding and peeking reject duplicates of these keys.
            _ => {
                let [name, subtype] =
                    self.value().get_many(["type", "subtype"]);
                let text = |value: Option<Value<'a>>| value?.as_str();
                Kind::new(text(name), text(subtype))
            }
        }
    }

    /// Returns the identifier of the session that the message belongs to.
    ///
    /// If a line has both `session_id` and `sessionId`, the dialect decides: a
    /// transcript uses `sessionId`. In contrast, the `session_id()` of a view
    /// always prefers `session_id`.
    pub fn session_id(self) -> Option<SessionId<'a>> {
        match self {
            Message::Ui(ui) => ui.session_id().map(SessionId::Int),
            Message::Input(input) => input.session_id().map(SessionId::Int),
            _ => {
                let [stream, saved, parent, sidechain] =
                    self.value().get_many([
                        "session_id",
                        "sessionId",
                        "parentUuid",
                        "isSidechain",
                    ]);
                // Only transcripts have these keys.
                let is_saved = parent.is_some() || sidechain.is_some();
                let (first, second) =
                    if is_saved { (saved, stream) } else { (stream, saved) };
                let text = |value: Option<Value<'a>>| value?.as_str();
                text(first).or_else(|| text(second)).map(SessionId::Str)
            }
        }
    }

    /// Returns the unique identifier of the message.
    pub fn uuid(self) -> Option<&'a str> {
        self.envelope().uuid()
    }

    /// Returns the uuid of the preceding message, in a transcript.
    pub fn parent_uuid(self) -> Option<&'a str> {
        self.envelope().parent_uuid()
    }

    /// Returns the uuid of the logical predecessor, where a compact boundary
    /// cut the chain of parents.
    pub fn logical_parent_uuid(self) -> Option<&'a str> {
        self.envelope().logical_parent_uuid()
    }

    /// Returns the timestamp of the message, as written.
    pub fn timestamp(self) -> Option<&'a str> {
        self.envelope().timestamp()
    }

    /// Returns whether the message belongs to a sidechain, the conversation of
    /// a sub-agent.
    pub fn is_sidechain(self) -> bool {
        let envelope = self.envelope();
        envelope.is_sidechain() == Some(true)
            || envelope.parent_tool_use_id().is_some()
    }

    /// Returns whether the message is the result of a run. The `result` in a
    /// workflow's journal is not, nor that of another program: see
    /// [`is_of_run`](crate::message::ResultMessage::is_of_run).
    pub fn is_final(self) -> bool {
        matches!(self, Message::Result(result) if result.is_of_run())
    }

    /// Returns whether the message reports an error.
    pub fn is_error(self) -> bool {
        let flag = |key| {
            let value = self.value().get(key);
            value.and_then(|flag| flag.as_bool()) == Some(true)
        };
        let text = |key| self.value().get(key).and_then(|v| v.as_str());
        let subtype = text("subtype").unwrap_or_default();
        let by_type = match self {
            Message::Error(_) => true,
            Message::Ui(ui) => matches!(ui.event(), UiEvent::Error(_)),
            Message::Result(_) => {
                flag("is_error") || subtype.starts_with("error")
            }
            Message::Assistant(_) => {
                let error = self.value().get("error");
                error.is_some_and(|error| !error.is_null())
                    || flag("is_api_error_message")
                    || subtype == "error"
            }
            Message::System(_) => matches!(subtype, "error" | "api_error"),
            _ => false,
        };
        // In a transcript, a line of any type can have these flags.
        by_type || flag("isError") || flag("isApiErrorMessage")
    }

    /// Returns the uuid, if this is a user message. With it, a `rewind_files`
    /// control request restores the files to their state at that message.
    pub fn user_uuid(self) -> Option<&'a str> {
        match self {
            Message::User(user) => user.uuid(),
            _ => None,
        }
    }

    /// Returns the content as blocks. If the content, or the whole message, is
    /// a string, it is one text block. The content of messages inside of this
    /// one is not included: see [`nested`](Message::nested).
    pub fn content_blocks(self) -> Blocks<'a> {
        match self {
            Message::Assistant(_)
            | Message::User(_)
            | Message::System(_)
            | Message::CompactSystem(_) => {
                ChatMessage::new(self.value()).content()
            }
            _ => Blocks::none(),
        }
    }

    /// Returns the text of the message, in pieces.
    pub fn text(self) -> Text<'a> {
        match self {
            Message::Ui(ui) => Text::one(match ui.event() {
                UiEvent::TextChunk(chunk) => chunk.text(),
                UiEvent::Display(display) => display.content(),
                UiEvent::Error(error) => error.message(),
                UiEvent::System(system) => system.message(),
                _ => None,
            }),
            _ => Text::of_blocks(self.content_blocks()),
        }
    }

    /// Returns the token usage that the message reports.
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
    /// Returns the content as blocks. If the content, or the whole message, is
    /// a string, it is one text block.
    pub fn content(self) -> Blocks<'a> {
        let content = self.message().and_then(|message| message.content());
        content.map_or_else(Blocks::none, Content::blocks)
    }
}

impl<'a> AnswerBlock<'a> {
    /// Returns whether the tool failed; `false` if `is_error` is absent.
    pub fn is_error(self) -> bool {
        self.failed() == Some(true)
    }

    /// Returns the text of the tool result, in pieces.
    ///
    /// Each piece is a separate text. Join the pieces with newlines.
    ///
    /// # Example
    ///
    /// Images are skipped.
    ///
    /// ```
    /// use linetape::{Block, Decoder};
    ///
    /// let line = br#"{"type":"user","message":{"content":[
    ///     {"type":"tool_result","tool_use_id":"t1","content":[
    ///         {"type":"text","text":"Before"},
    ///         {"type":"image"},
    ///         {"type":"text","text":"After"}
    ///     ]}
    /// ]}}"#;
    /// let mut decoder = Decoder::new();
    /// let record = decoder.decode(line)?;
    /// for block in record.message().content_blocks() {
    ///     let Block::ToolResult(answer) = block else { continue };
    ///     let pieces: Vec<&str> = answer.text().collect();
    ///     assert_eq!(pieces.join("\n"), "Before\nAfter");
    /// }
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn text(self) -> Text<'a> {
        let blocks = self.content().map(Content::blocks);
        Text::of_blocks(blocks.unwrap_or_else(Blocks::none))
    }
}

/// Returns the nested object of a control message, if the subtype is in it and
/// not in the message itself.
fn nested<'a>(message: Value<'a>, key: &str) -> Option<Value<'a>> {
    let has_subtype = |value: &Value<'a>| value.get("subtype").is_some();
    let nested = message.get(key).filter(|body| body.as_object().is_some());
    nested.filter(|body| has_subtype(body) || !has_subtype(&message))
}

impl<'a> ControlRequest<'a> {
    /// Returns the request body: the nested object, or the message itself if
    /// the body's members are part of it.
    pub fn body(self) -> Request<'a> {
        let message = self.value();
        Request::new(nested(message, "request").unwrap_or(message))
    }

    /// Returns whether the body's members are part of the message itself.
    pub(crate) fn is_flat(self) -> bool {
        nested(self.value(), "request").is_none()
    }
}

impl<'a> ControlResponse<'a> {
    /// Returns the response body: the nested object, or the message itself if
    /// the body's members are part of it.
    pub fn body(self) -> Response<'a> {
        let message = self.value();
        Response::new(nested(message, "response").unwrap_or(message))
    }

    /// Returns whether the body's members are part of the message itself.
    pub(crate) fn is_flat(self) -> bool {
        nested(self.value(), "response").is_none()
    }

    /// Returns the identifier of the answered request, from the message or
    /// from the nested response.
    pub fn answers(self) -> Option<&'a str> {
        let nested = self.value().get("response");
        let nested = nested.and_then(|response| response.get("request_id"));
        self.request_id().or_else(|| nested?.as_str())
    }
}
