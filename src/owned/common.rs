/*!
Accessors that work on any owned message, whatever its dialect. They return the
same as those of the view.
*/

use std::{borrow::Cow, fmt, iter::FusedIterator, slice};

use serde_json::Value as Json;

use crate::{
    message::{Kind, SessionId},
    owned::{
        ApiMessage, Block, Content, Message, OrString, TextBlock, Usage,
        events::ApiEvent,
        schema::own,
        server::UiMessage,
        slot::{Held, Slot},
        source::Members,
    },
};

impl Message {
    /// Returns the type and subtype. The kind of an agent-server event is the
    /// name of the event; the kind of its input is `input`.
    pub fn kind(&self) -> Kind<'_> {
        match self {
            Message::Ui(event) => Kind::named(event.name()),
            Message::Input(_) => Kind::named("input"),
            _ => Kind::new(self.text_of("type"), self.text_of("subtype")),
        }
    }

    /// Returns the identifier of the session that the message belongs to.
    ///
    /// If a message has both `session_id` and `sessionId`, the dialect
    /// decides: a transcript uses `sessionId`. In contrast, the field
    /// `session_id` always prefers `session_id`.
    ///
    /// # Example
    ///
    /// This uses the accessors that all messages have.
    ///
    /// ```
    /// use linetape::{message::SessionId, owned};
    ///
    /// let message: owned::Message = serde_json::from_str(
    ///     r#"{"type":"user","sessionId":"s1","uuid":"u1","message":"Hi"}"#,
    /// )?;
    /// assert_eq!(message.session_id(), Some(SessionId::Str("s1")));
    /// assert_eq!(message.uuid(), Some("u1"));
    /// assert_eq!(message.text().to_string(), "Hi");
    /// assert!(message.kind().is("user"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn session_id(&self) -> Option<SessionId<'_>> {
        match self {
            Message::Ui(event) => event.session_id().map(SessionId::Int),
            Message::Input(input) => input.session_id.map(SessionId::Int),
            _ => {
                let is_saved = self.member("parentUuid").is_some()
                    || self.member("isSidechain").is_some();
                let keys = ["session_id", "sessionId"];
                let [first, second] =
                    if is_saved { [keys[1], keys[0]] } else { keys };
                let id = self.text_of(first).or_else(|| self.text_of(second));
                id.map(SessionId::Str)
            }
        }
    }

    /// Returns the unique identifier of the message.
    pub fn uuid(&self) -> Option<&str> {
        self.text_of("uuid")
    }

    /// Returns the timestamp of the message, as written.
    pub fn timestamp(&self) -> Option<&str> {
        self.text_of("timestamp")
    }

    /// Returns the content as blocks. If the content, or the whole message, is
    /// a string, it is one text block.
    ///
    /// Blocks are borrowed from the message. New ones are created for a
    /// string, and for a list in which not all items are blocks.
    pub fn content_blocks(&self) -> Blocks<'_> {
        Blocks(self.content_source())
    }

    /// Returns the text of the message, in pieces. Nothing is copied.
    pub fn text(&self) -> Text<'_> {
        let Message::Ui(event) = self else {
            return Text(self.content_source());
        };
        Text(ContentSource::Text(match &**event {
            UiMessage::TextChunk(chunk) => chunk.text.as_deref(),
            UiMessage::Display(display) => display.content.as_deref(),
            UiMessage::Error(error) => error.message.as_deref(),
            UiMessage::System(system) => system.message.as_deref(),
            _ => None,
        }))
    }

    /// Returns the token usage that the message reports. It is borrowed,
    /// except for an agent-server event, for which it is created.
    pub fn usage(&self) -> Option<Cow<'_, Usage>> {
        let usage = match self {
            Message::Assistant(assistant) => {
                assistant.message.as_ref()?.as_object()?.usage.as_ref()
            }
            Message::Result(result) => result.usage.as_ref(),
            Message::StreamEvent(event) => match event.event.as_ref()? {
                ApiEvent::MessageStart(start) => {
                    start.message.as_ref()?.usage.as_ref()
                }
                ApiEvent::MessageDelta(delta) => delta.usage.as_ref(),
                _ => None,
            },
            Message::Ui(event) => {
                let UiMessage::TokenUpdate(update) = &**event else {
                    return None;
                };
                let Json::Object(members) = update.held().to_json() else {
                    return None;
                };
                return Some(Cow::Owned(own(Members::of_map(members))));
            }
            _ => None,
        };
        usage.map(Cow::Borrowed)
    }

    fn content_source(&self) -> ContentSource<'_> {
        let message = match self {
            Message::Assistant(assistant) => &assistant.message,
            Message::User(user) => &user.message,
            Message::System(_) | Message::CompactSystem(_) => {
                return match self.member("message") {
                    Some(Held::Json(Json::Object(message))) => {
                        ContentSource::of_content(message.get("content"))
                    }
                    message => {
                        ContentSource::Text(message.and_then(Held::as_text))
                    }
                };
            }
            _ => return ContentSource::Text(None),
        };
        match message {
            Some(OrString::String(text)) => ContentSource::Text(Some(text)),
            Some(OrString::Object(message)) => ContentSource::of_api(message),
            None => ContentSource::Text(None),
        }
    }

    /// Returns the member with the given key.
    fn member(&self, key: &str) -> Option<Held<'_>> {
        self.inside()?.get(key)
    }

    /// Returns the member with the given key, if it is a string.
    fn text_of(&self, key: &str) -> Option<&str> {
        self.member(key)?.as_text()
    }
}

/// The representation of a message's content.
#[derive(Clone, Debug)]
enum ContentSource<'m> {
    Blocks(slice::Iter<'m, Block>),
    /// A list in which not all items are blocks.
    Items(slice::Iter<'m, Json>),
    /// A string, read as a text block.
    Text(Option<&'m str>),
}

impl<'m> ContentSource<'m> {
    /// Returns the maximum number of blocks.
    fn max_blocks(&self) -> usize {
        match self {
            ContentSource::Blocks(blocks) => blocks.len(),
            ContentSource::Items(items) => items.len(),
            ContentSource::Text(text) => usize::from(text.is_some()),
        }
    }

    fn of_api(message: &'m ApiMessage) -> ContentSource<'m> {
        match &message.content {
            Some(Content::Text(text)) => ContentSource::Text(Some(text)),
            Some(Content::Blocks(blocks)) => {
                ContentSource::Blocks(blocks.iter())
            }
            Some(Content::Other(json)) => {
                ContentSource::of_content(Some(json))
            }
            None => ContentSource::Text(None),
        }
    }

    fn of_content(content: Option<&'m Json>) -> ContentSource<'m> {
        match content {
            Some(Json::Array(items)) => ContentSource::Items(items.iter()),
            content => ContentSource::Text(content.and_then(Json::as_str)),
        }
    }
}

/// An iterator over the content blocks of an owned message.
///
/// # Example
///
/// This lists the tools that a message uses.
///
/// ```
/// use linetape::owned::{Block, Message};
///
/// let message: Message = serde_json::from_str(
///     r#"{"type":"assistant","message":{"content":[
///         {"type":"tool_use","name":"Bash","input":{}}
///     ]}}"#,
/// )?;
/// for block in message.content_blocks() {
///     if let Block::ToolUse(call) = &*block {
///         assert_eq!(call.name.as_deref(), Some("Bash"));
///     }
/// }
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Blocks<'m>(ContentSource<'m>);

impl<'m> Iterator for Blocks<'m> {
    type Item = Cow<'m, Block>;

    fn next(&mut self) -> Option<Cow<'m, Block>> {
        match &mut self.0 {
            ContentSource::Blocks(blocks) => blocks.next().map(Cow::Borrowed),
            ContentSource::Items(items) => items.find_map(|item| {
                let object = item.as_object()?.clone();
                Some(Cow::Owned(own(Members::of_map(object))))
            }),
            ContentSource::Text(text) => {
                let text = Some(text.take()?.to_string());
                let block = TextBlock { text, ..TextBlock::default() };
                Some(Cow::Owned(Block::Text(Box::new(block))))
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.0.max_blocks()))
    }
}

impl FusedIterator for Blocks<'_> {}

/// An iterator over the pieces of an owned message's text.
///
/// Its `Display` implementation writes all pieces, without concatenating them
/// in memory first.
///
/// # Example
///
/// This counts the pieces and writes the whole text.
///
/// ```
/// use linetape::owned::Message;
///
/// let message: Message = serde_json::from_str(
///     r#"{"type":"assistant","message":{"content":[
///         {"type":"text","text":"Hello, "},{"type":"text","text":"world"}
///     ]}}"#,
/// )?;
/// assert_eq!(message.text().count(), 2);
/// assert_eq!(message.text().to_string(), "Hello, world");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Text<'m>(ContentSource<'m>);

impl<'m> Iterator for Text<'m> {
    type Item = &'m str;

    fn next(&mut self) -> Option<&'m str> {
        match &mut self.0 {
            ContentSource::Blocks(blocks) => {
                blocks.find_map(|block| match block {
                    Block::Text(text) => text.text.as_deref(),
                    _ => None,
                })
            }
            ContentSource::Items(items) => items.find_map(|item| {
                let is_text = item.get("type")?.as_str() == Some("text");
                item.get("text")?.as_str().filter(|_| is_text)
            }),
            ContentSource::Text(text) => text.take(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.0.max_blocks()))
    }
}

impl FusedIterator for Text<'_> {}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().try_for_each(|piece| f.write_str(piece))
    }
}
