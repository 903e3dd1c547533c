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
        line_value::LineObject,
        schema::{Members, Part, Slots, Source, Tags},
        slot::Slot,
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
    fn fill<S: Source>(source: S) -> Result<Content, S> {
        if source.is_null() {
            return Err(source);
        }
        let source = match source.into_text() {
            Ok(text) => return Ok(Content::Text(text)),
            Err(source) => source,
        };
        let blocks = Vec::fill(source).map(Content::Blocks);
        Ok(blocks.unwrap_or_else(|other| Content::Other(other.into_json())))
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Content::Text(text) => to.serialize_str(text),
            Content::Blocks(blocks) => blocks.serialize(to),
            Content::Other(json) => json.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(from)?;
        Ok(Content::fill(json).unwrap_or_else(Content::Other))
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

            /// Returns whether `name` is the name of an event.
            fn is_name(name: &str) -> bool {
                [$(stringify!($variant)),*].contains(&name)
            }

            /// Reads the event with the given name. Returns the value
            /// unchanged if it is not an object or the name is unknown.
            fn read<S: Source>(name: &str, value: S) -> Result<UiMessage, S> {
                match name {
                    $(stringify!($variant) => {
                        Slot::fill(value).map(UiMessage::$variant)
                    })*
                    _ => Err(value),
                }
            }

            fn write_to<M: SerializeMap>(
                &self,
                map: &mut M,
            ) -> Result<(), M::Error> {
                match self {
                    $(UiMessage::$variant(event) => {
                        map.serialize_entry(stringify!($variant), event)
                    })*
                }
            }
        }
    };
}
ui_messages!(ui_owned);

impl Serialize for UiMessage {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(1))?;
        self.write_to(&mut map)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for UiMessage {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let map = Map::deserialize(from)?;
        match Message::untyped(map) {
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
            pub(crate) fn read<M: Members>(members: M) -> Message {
                let tags = Tags::And("type", &Tags::None);
                match members.text("type") {
                    $(Some($text) => {
                        Message::$variant(Part::read_boxed(members, tags))
                    })*
                    Some(_) => Message::Unknown(members.into_map().into()),
                    None => Message::untyped(members),
                }
            }

            /// Returns the struct that holds the members, if there is one.
            pub(crate) fn slots(&self) -> Option<&dyn Slots> {
                match self {
                    $(Message::$variant(part) => Some(part.slots()),)*
                    Message::Event(event) => Some(event.slots()),
                    Message::Input(input) => Some(input.slots()),
                    Message::Ui(_) | Message::Unknown(_) => None,
                }
            }

            /// Returns the value of the tag with the given key, if it selected
            /// the variant.
            pub(crate) fn tag(&self, key: &str) -> Option<&'static str> {
                match self {
                    $(Message::$variant(part) => match key {
                        "type" => Some($text),
                        _ => part.tag(key),
                    },)*
                    _ => None,
                }
            }

            fn write_to<M: SerializeMap>(
                &self,
                map: &mut M,
            ) -> Result<(), M::Error> {
                let tags = Tags::And("type", &Tags::None);
                match self {
                    $(Message::$variant(part) => {
                        map.serialize_entry("type", $text)?;
                        part.write_to(map, tags)
                    })*
                    Message::Event(event) => event.write_to(map, Tags::None),
                    Message::Ui(event) => event.write_to(map),
                    Message::Input(input) => input.write_to(map, Tags::None),
                    Message::Unknown(members) => {
                        members.iter().try_for_each(|(key, value)| {
                            map.serialize_entry(key, value)
                        })
                    }
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
    /// Reads the message from an object without a `type` string.
    fn untyped<M: Members>(members: M) -> Message {
        if members.has("event_type") && members.has("data") {
            return Message::Event(Part::read_boxed(members, Tags::None));
        }
        if members.only_key().is_some_and(UiMessage::is_name) {
            return Message::ui(members);
        }
        let input = ["session_id", "content", "turn_id"];
        if input.iter().all(|key| members.has(key)) {
            return Message::Input(Part::read_boxed(members, Tags::None));
        }
        Message::Unknown(members.into_map().into())
    }

    /// Reads the message from an object with a single key, the name of an
    /// event.
    fn ui<M: Members>(members: M) -> Message {
        let mut unknown = Map::new();
        // The last one of duplicate keys wins.
        let last = members.into_iter().reduce(|(_, earlier), last| {
            earlier.pass_over();
            last
        });
        if let Some((name, value)) = last {
            match UiMessage::read(name.as_ref(), value) {
                Ok(event) => return Message::Ui(Box::new(event)),
                Err(value) => {
                    unknown.insert(name.into(), value.into_json());
                }
            }
        }
        Message::Unknown(unknown.into())
    }

    /// Copies an object of a line. Reads every value in it.
    pub(crate) fn own(object: Object<'_>) -> Message {
        Message::read(LineObject(object))
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
        let mut map = to.serialize_map(None)?;
        self.write_to(&mut map)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Map::deserialize(from).map(Message::read)
    }
}
