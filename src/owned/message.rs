use serde::{
    Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap,
};
use serde_json::{Map, Value as Json};

use crate::{
    error::Error,
    json::Object,
    message::{self, messages, tables::ui_messages},
    owned::{
        self, Block, Extra,
        part::{Inside, InsideMut, Part, Tags, fill, write},
        slot::{Held, Slot},
        source::{Members, Source},
    },
};

/// The content of a message or tool result.
///
/// # Example
///
/// This reads a string and a list of blocks.
///
/// ```
/// use linetape::owned::Content;
///
/// let text: Content = serde_json::from_str(r#""Hello""#)?;
/// assert_eq!(text, Content::Text("Hello".to_string()));
/// let blocks: Content =
///     serde_json::from_str(r#"[{"type":"text","text":"Hello"}]"#)?;
/// assert!(matches!(blocks, Content::Blocks(blocks) if blocks.len() == 1));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A string.
    Text(String),
    /// Content blocks: an array that consists of objects only.
    Blocks(Vec<Block>),
    /// Any other JSON.
    Other(Json),
}

impl Slot for Content {
    fn fill(source: &mut Source<'_>) -> Option<Content> {
        if source.is_null() {
            return None;
        }
        if let Some(text) = source.take_text() {
            return Some(Content::Text(text));
        }
        let blocks = Vec::fill(source).map(Content::Blocks);
        Some(blocks.unwrap_or_else(|| Content::Other(source.take_json())))
    }

    fn held(&self) -> Held<'_> {
        match self {
            Content::Text(text) => Held::Text(text),
            Content::Blocks(blocks) => Held::List(blocks),
            Content::Other(json) => Held::Json(json),
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.held().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut source = Source::of_json(Json::deserialize(from)?);
        let content = Content::fill(&mut source);
        Ok(content.unwrap_or_else(|| Content::Other(source.take_json())))
    }
}

macro_rules! ui_owned {
    ($($(#[$note:meta])* $variant:ident($view:ident),)*) => {
        /// An event of an agent server.
        ///
        /// # Example
        ///
        /// This serialises an event.
        ///
        /// ```
        /// use linetape::owned::server::{CommandComplete, UiMessage};
        ///
        /// let event = UiMessage::CommandComplete(CommandComplete {
        ///     command: Some("clear".to_string()),
        ///     session_id: Some(1),
        ///     ..CommandComplete::default()
        /// });
        /// assert_eq!(
        ///     serde_json::to_string(&event)?,
        ///     r#"{"CommandComplete":{"command":"clear","session_id":1}}"#
        /// );
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum UiMessage {
            $($(#[$note])* $variant(owned::all::$view),)*
        }

        impl UiMessage {
            /// Returns the name of the event, which is its key.
            pub fn name(&self) -> &'static str {
                match self {
                    $(UiMessage::$variant(_) => stringify!($variant),)*
                }
            }

            /// Returns the identifier of the session that the event belongs
            /// to.
            pub fn session_id(&self) -> Option<i64> {
                match self {
                    $(UiMessage::$variant(event) => event.session_id,)*
                }
            }

            /// Creates the event with the given name, if there is one.
            fn named(name: &str) -> Option<UiMessage> {
                match name {
                    $(stringify!($variant) => {
                        Some(UiMessage::$variant(Default::default()))
                    })*
                    _ => None,
                }
            }

            fn part(&self) -> &dyn Part {
                match self {
                    $(UiMessage::$variant(event) => event,)*
                }
            }

            fn part_mut(&mut self) -> &mut dyn Part {
                match self {
                    $(UiMessage::$variant(event) => event,)*
                }
            }
        }
    };
}
ui_messages!(ui_owned);

impl Serialize for UiMessage {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map([(self.name(), Held::Part(self.part()))])
    }
}

impl<'de> Deserialize<'de> for UiMessage {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let map = Map::deserialize(from)?;
        match Message::untyped(Members::of_map(map)) {
            Message::Ui(event) => Ok(*event),
            _ => Err(serde::de::Error::custom(
                "not an event of an agent server",
            )),
        }
    }
}

macro_rules! message_owned {
    ($(
        $(#[$note:meta])*
        $variant:ident($view:ident) = $text:literal,
    )*) => {
        /// An owned message: one variant for each type.
        ///
        /// # Example
        ///
        /// This converts a line to an owned message and serialises it again.
        ///
        /// ```
        /// use linetape::{Decoder, owned};
        ///
        /// let line = br#"{"type":"user","uuid":"u1","novel":[1,2]}"#;
        /// let mut decoder = Decoder::new();
        /// let message = decoder.decode(line)?.into_owned();
        /// if let owned::Message::User(user) = &message {
        ///     assert_eq!(user.uuid.as_deref(), Some("u1"));
        ///     assert_eq!(user.extra["novel"], serde_json::json!([1, 2]));
        /// }
        /// let again: owned::Message = serde_json::from_slice(line)?;
        /// assert_eq!(message, again);
        /// assert_eq!(serde_json::to_string(&message)?.as_bytes(), line);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Message {
            $(
                $(#[$note])*
                #[doc = concat!("\n\n`type` is `", $text, "` on the wire.")]
                $variant(Box<owned::all::$view>),
            )*
            /// An object with `event_type` and `data`, and without `type`.
            Event(Box<owned::all::RawEvent>),
            /// An event of an agent server.
            Ui(Box<UiMessage>),
            /// Input for an agent server.
            Input(Box<owned::all::ControllerInputPayload>),
            /// Any other object, with all its members.
            Unknown(Extra),
        }

        impl Message {
            /// Reads the message from an object.
            pub(crate) fn read(members: Members<'_>) -> Message {
                let message = match members.text("type") {
                    $(Some($text) => {
                        Message::$variant(Part::start_boxed(&members))
                    })*
                    Some(_) => {
                        return Message::Unknown(members.into_map().into());
                    }
                    None => return Message::untyped(members),
                };
                message.filled(members)
            }

            /// Returns the members and the discriminant, unless the message is
            /// an event of an agent server.
            pub(crate) fn inside(&self) -> Option<Inside<'_>> {
                match self {
                    $(Message::$variant(part) => {
                        Some(Inside::Variant(Some(("type", $text)), &**part))
                    })*
                    Message::Event(event) => Some(event.inside()),
                    Message::Input(input) => Some(input.inside()),
                    Message::Unknown(members) => Some(members.inside()),
                    Message::Ui(_) => None,
                }
            }

            fn inside_mut(&mut self) -> Option<InsideMut<'_>> {
                match self {
                    $(Message::$variant(part) => {
                        let tag = Some(("type", $text));
                        Some(InsideMut::Variant(tag, &mut **part))
                    })*
                    Message::Event(event) => Some(event.inside_mut()),
                    Message::Input(input) => Some(input.inside_mut()),
                    Message::Unknown(members) => Some(members.inside_mut()),
                    Message::Ui(_) => None,
                }
            }
        }

        $(
            impl From<owned::all::$view> for Message {
                fn from(part: owned::all::$view) -> Message {
                    Message::$variant(Box::new(part))
                }
            }
        )*
    };
}
messages!(message_owned);

impl Message {
    /// Stores the members.
    fn filled(mut self, members: Members<'_>) -> Message {
        if let Some(inside) = self.inside_mut() {
            fill(inside, members, Tags::None);
        }
        self
    }

    /// Reads the message from an object without a `type` string.
    fn untyped(members: Members<'_>) -> Message {
        if members.has("event_type") && members.has("data") {
            return Message::Event(Box::default()).filled(members);
        }
        if members.only_key().and_then(UiMessage::named).is_some() {
            return Message::ui(members);
        }
        let input = ["session_id", "content", "turn_id"];
        if input.iter().all(|key| members.has(key)) {
            return Message::Input(Box::default()).filled(members);
        }
        Message::Unknown(members.into_map().into())
    }

    /// Reads the message from an object with a single key, the name of an
    /// event.
    fn ui(members: Members<'_>) -> Message {
        // The last one of duplicate keys wins.
        let mut last = None;
        members.each(|name, value| {
            if let Some((_, earlier)) = last.replace((name, value)) {
                earlier.pass_over();
            }
        });
        let mut unknown = Map::new();
        if let Some((name, mut value)) = last {
            if let Some(mut event) = UiMessage::named(&name)
                && let Some(members) = value.take_object()
            {
                let part = event.part_mut().inside_mut();
                fill(part, members, Tags::None);
                return Message::Ui(Box::new(event));
            }
            unknown.insert(name.into_owned(), value.take_json());
        }
        Message::Unknown(unknown.into())
    }

    /// Copies an object of a line. Reads every value in it.
    pub(crate) fn own(object: Object<'_>) -> Message {
        Message::read(Members::of_line(object))
    }
}

impl From<owned::all::RawEvent> for Message {
    fn from(event: owned::all::RawEvent) -> Message {
        Message::Event(Box::new(event))
    }
}

impl From<UiMessage> for Message {
    fn from(event: UiMessage) -> Message {
        Message::Ui(Box::new(event))
    }
}

impl From<owned::all::ControllerInputPayload> for Message {
    fn from(input: owned::all::ControllerInputPayload) -> Message {
        Message::Input(Box::new(input))
    }
}

impl From<Extra> for Message {
    fn from(members: Extra) -> Message {
        Message::Unknown(members)
    }
}

impl message::Message<'_> {
    /// Converts the message to an owned one.
    ///
    /// The message of a decoded or checked line is only copied. The message of
    /// a peeked line is checked at the same time, for which every value of the
    /// line is read. [`Record::into_owned`](crate::Record::into_owned) cannot
    /// fail.
    ///
    /// # Errors
    ///
    /// Returns the error that [`Line::decode`](crate::Line::decode) would
    /// return, if the line has not been checked yet and is not a record.
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) if a view of a value that
    /// is not an object was put into the message.
    pub fn into_owned(self) -> Result<Message, Error> {
        let value = self.value();
        let Some(object) = value.as_object() else {
            return Err(value.not_an_object());
        };
        if !value.is_whole_line() {
            value.ensure_checked()?;
            return Ok(Message::own(object));
        }
        let message = Message::own(object);
        value.end_walk()?;
        Ok(message)
    }
}

impl TryFrom<message::Message<'_>> for Message {
    type Error = Error;

    fn try_from(view: message::Message<'_>) -> Result<Message, Error> {
        view.into_owned()
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Some(inside) = self.inside() else {
            let Message::Ui(event) = self else { return to.serialize_unit() };
            return event.serialize(to);
        };
        let mut map = to.serialize_map(None)?;
        write(inside, &mut map, Tags::None)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Message::read(Members::of_map(Map::deserialize(from)?)))
    }
}
