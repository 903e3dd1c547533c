/*!
What can be asked of any owned message, whatever its dialect. The answers are
those of the view.
*/

use std::{borrow::Cow, fmt, iter::FusedIterator, slice};

use serde_json::Value as Json;

use crate::{
    message::{Kind, SessionId},
    owned::{
        ApiMessage, Block, Content, Extra, Message, OrString, TextBlock,
        Usage,
        events::ApiEvent,
        schema::{Part, Slot, Tags},
        server::UiMessage,
        slot::json_of,
    },
};

impl Message {
    /// Returns the type and subtype. An event of an agent server is known by
    /// its name, input for one as `input`.
    pub fn kind(&self) -> Kind<'_> {
        match self {
            Message::Ui(event) => Kind::named(event.name()),
            Message::Input(_) => Kind::named("input"),
            _ => Kind::new(self.member("type"), self.member("subtype")),
        }
    }

    /// Returns the session that the message belongs to.
    ///
    /// A message that has both `session_id` and `sessionId` is asked for the
    /// one of its dialect: `sessionId` in a transcript. The field
    /// `session_id` goes by the schema, which has `session_id` first.
    ///
    /// # Example
    ///
    /// This shows what all messages can be asked.
    ///
    /// ```
    /// use linetape::{SessionId, owned};
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
                let is_saved =
                    self.has("parentUuid") || self.has("isSidechain");
                let keys = ["session_id", "sessionId"];
                let [first, second] =
                    if is_saved { [keys[1], keys[0]] } else { keys };
                let id = self.member(first).or_else(|| self.member(second));
                id.map(SessionId::Str)
            }
        }
    }

    /// Returns the message's own identifier.
    pub fn uuid(&self) -> Option<&str> {
        self.member("uuid")
    }

    /// Returns when the message was written, as it says.
    pub fn timestamp(&self) -> Option<&str> {
        self.member("timestamp")
    }

    /// Returns what is said, as blocks. A plain string, be it the content or
    /// the message itself, is one block of text.
    ///
    /// Blocks are borrowed from the message. They are made anew for a plain
    /// string, and for a list in which not all items are blocks.
    pub fn content_blocks(&self) -> Blocks<'_> {
        Blocks(self.said())
    }

    /// Returns the text of the message, piece by piece. Nothing is copied.
    pub fn text(&self) -> Text<'_> {
        let Message::Ui(event) = self else { return Text(self.said()) };
        Text(Said::Text(match &**event {
            UiMessage::TextChunk(chunk) => chunk.text.as_deref(),
            UiMessage::Display(display) => display.content.as_deref(),
            UiMessage::Error(error) => error.message.as_deref(),
            UiMessage::System(system) => system.message.as_deref(),
            _ => None,
        }))
    }

    /// Returns the tokens that the message says were used. It is made anew
    /// for an event of an agent server, and borrowed otherwise.
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
                let Json::Object(members) = json_of(update) else {
                    return None;
                };
                return Some(Cow::Owned(Part::read(members, Tags::None)));
            }
            _ => None,
        };
        usage.map(Cow::Borrowed)
    }

    fn said(&self) -> Said<'_> {
        let message = match self {
            Message::Assistant(assistant) => &assistant.message,
            Message::User(user) => &user.message,
            Message::System(_) | Message::CompactSystem(_) => {
                return match self.member("message") {
                    Some(text) => Said::Text(Some(text)),
                    None => {
                        let extra = self.extra();
                        Said::of_message(
                            extra.and_then(|extra| extra.get("message")),
                        )
                    }
                };
            }
            _ => return Said::Text(None),
        };
        match message {
            Some(OrString::String(text)) => Said::Text(Some(text)),
            Some(OrString::Object(message)) => Said::of_api(message),
            None => Said::Text(None),
        }
    }

    /// Returns the member with the given key, if it is a string.
    fn member(&self, key: &str) -> Option<&str> {
        if let Some(tag) = self.tag(key) {
            return Some(tag);
        }
        match self.slots().and_then(|slots| slots.get(key)) {
            Some(slot) => slot.as_text(),
            None => self.extra()?.get(key)?.as_str(),
        }
    }

    /// Returns whether there is a member with the given key.
    fn has(&self, key: &str) -> bool {
        self.slots().is_some_and(|slots| slots.get(key).is_some())
            || self.extra().is_some_and(|extra| extra.contains_key(key))
    }

    fn extra(&self) -> Option<&Extra> {
        match self {
            Message::Unknown(members) => Some(members),
            _ => self.slots().map(|slots| slots.extra()),
        }
    }
}

/// What a message says.
#[derive(Clone, Debug)]
enum Said<'m> {
    Blocks(slice::Iter<'m, Block>),
    /// A list in which not all items are blocks.
    Items(slice::Iter<'m, Json>),
    /// A string that is read as a block of text.
    Text(Option<&'m str>),
}

impl<'m> Said<'m> {
    /// Returns how many blocks there are at the most.
    fn most(&self) -> usize {
        match self {
            Said::Blocks(blocks) => blocks.len(),
            Said::Items(items) => items.len(),
            Said::Text(text) => usize::from(text.is_some()),
        }
    }

    fn of_api(message: &'m ApiMessage) -> Said<'m> {
        match &message.content {
            Some(Content::Text(text)) => Said::Text(Some(text)),
            Some(Content::Blocks(blocks)) => Said::Blocks(blocks.iter()),
            Some(Content::Other(json)) => Said::of_content(Some(json)),
            None => Said::Text(None),
        }
    }

    /// Reads a message that has no field.
    fn of_message(message: Option<&'m Json>) -> Said<'m> {
        Said::of_content(message.and_then(|message| message.get("content")))
    }

    fn of_content(content: Option<&'m Json>) -> Said<'m> {
        match content {
            Some(Json::Array(items)) => Said::Items(items.iter()),
            content => Said::Text(content.and_then(Json::as_str)),
        }
    }
}

/// The blocks of an owned message.
///
/// # Example
///
/// This shows how to list the tools that a message calls.
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
pub struct Blocks<'m>(Said<'m>);

impl<'m> Iterator for Blocks<'m> {
    type Item = Cow<'m, Block>;

    fn next(&mut self) -> Option<Cow<'m, Block>> {
        match &mut self.0 {
            Said::Blocks(blocks) => blocks.next().map(Cow::Borrowed),
            Said::Items(items) => items.find_map(|item| {
                let object = Json::Object(item.as_object()?.clone());
                let block = Block::fill(object);
                block.ok().map(Cow::Owned)
            }),
            Said::Text(text) => {
                let text = Some(text.take()?.to_string());
                let block = TextBlock { text, ..TextBlock::default() };
                Some(Cow::Owned(Block::Text(Box::new(block))))
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.0.most()))
    }
}

impl FusedIterator for Blocks<'_> {}

/// The text of an owned message, piece by piece.
///
/// It can be printed as a whole without being put together first.
///
/// # Example
///
/// This shows both ways to read it.
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
pub struct Text<'m>(Said<'m>);

impl<'m> Iterator for Text<'m> {
    type Item = &'m str;

    fn next(&mut self) -> Option<&'m str> {
        match &mut self.0 {
            Said::Blocks(blocks) => blocks.find_map(|block| match block {
                Block::Text(text) => text.text.as_deref(),
                _ => None,
            }),
            Said::Items(items) => items.find_map(|item| {
                let is_text = item.get("type")?.as_str() == Some("text");
                item.get("text")?.as_str().filter(|_| is_text)
            }),
            Said::Text(text) => text.take(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.0.most()))
    }
}

impl FusedIterator for Text<'_> {}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().try_for_each(|piece| f.write_str(piece))
    }
}
