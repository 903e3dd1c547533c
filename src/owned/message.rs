use serde::{
    Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap,
};
use serde_json::Value as Json;

use crate::{
    json::{Object, Value},
    message::{self, messages, tables::ui_messages},
    owned::{
        self, Block, Extra,
        schema::{self, Part, Tags},
        slot::{Slot, to_json, to_map},
    },
};

/// What a message or the result of a tool says.
///
/// # Example
///
/// This shows the forms that it has.
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
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A plain string.
    Text(String),
    /// Blocks: an array of nothing but objects.
    Blocks(Vec<Block>),
    /// Any other JSON.
    Other(Json),
}

impl Slot for Content {
    fn from_value(value: Value<'_>) -> Option<Content> {
        if value.is_null() {
            return None;
        }
        if let Some(text) = value.as_str() {
            return Some(Content::Text(text.to_string()));
        }
        let blocks = Vec::from_value(value).map(Content::Blocks);
        Some(blocks.unwrap_or_else(|| Content::Other(to_json(value))))
    }

    fn fits(json: &Json) -> bool {
        !json.is_null()
    }

    fn from_json(json: Json) -> Option<Content> {
        match json {
            Json::Null => None,
            Json::String(text) => Some(Content::Text(text)),
            other if Vec::<Block>::fits(&other) => {
                Vec::from_json(other).map(Content::Blocks)
            }
            other => Some(Content::Other(other)),
        }
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
        Ok(Content::from_json(json).unwrap_or(Content::Other(Json::Null)))
    }
}

macro_rules! ui_owned {
    ($($(#[$note:meta])* $variant:ident($view:ident),)*) => {
        /// An event of an agent server.
        ///
        /// # Example
        ///
        /// This shows the form that it has on the wire.
        ///
        /// ```
        /// use linetape::owned::{CommandComplete, UiMessage};
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
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum UiMessage {
            $($(#[$note])* $variant(owned::$view),)*
        }

        impl UiMessage {
            fn read(event: message::UiEvent<'_>) -> Option<UiMessage> {
                match event {
                    $(message::UiEvent::$variant(view) => {
                        Slot::from_value(view.value()).map(UiMessage::$variant)
                    })*
                }
            }

            /// The event that a map with just one key is, or the map back.
            fn from_map(map: Extra) -> Result<UiMessage, Extra> {
                let name = match map.iter().next() {
                    Some((name, Json::Object(_))) if map.len() == 1 => {
                        name.clone()
                    }
                    _ => return Err(map),
                };
                let mut map = map;
                let event = match name.as_str() {
                    $(stringify!($variant) => map
                        .remove(&name)
                        .and_then(Slot::from_json)
                        .map(UiMessage::$variant),)*
                    _ => None,
                };
                event.ok_or(map)
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
        let map = Extra::deserialize(from)?;
        UiMessage::from_map(map).map_err(|_| {
            serde::de::Error::custom("not an event of an agent server")
        })
    }
}

macro_rules! message_owned {
    ($(
        $(#[$note:meta])*
        $variant:ident($view:ident) = $text:literal,
    )*) => {
        /// A message that owns what it holds.
        ///
        /// # Example
        ///
        /// This shows the way there and back again.
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
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Message {
            $(
                $(#[$note])*
                #[doc = concat!("\n\n`type` is `", $text, "` on the wire.")]
                $variant(Box<owned::$view>),
            )*
            /// An event that has `event_type` and `data`, and no `type`.
            Event(Box<owned::RawEvent>),
            /// An event of an agent server.
            Ui(Box<UiMessage>),
            /// Input for an agent server.
            Input(Box<owned::ControllerInputPayload>),
            /// Any other object, whole.
            Unknown(Extra),
        }

        impl Message {
            fn read(view: message::Message<'_>, object: Object<'_>) -> Message {
                let tags = Tags::And("type", &Tags::None);
                let none = Tags::None;
                match view {
                    $(message::Message::$variant(_) => {
                        Message::$variant(Box::new(Part::read(object, tags)))
                    })*
                    message::Message::Event(_) => {
                        Message::Event(Box::new(Part::read(object, none)))
                    }
                    message::Message::Input(_) => {
                        Message::Input(Box::new(Part::read(object, none)))
                    }
                    message::Message::Ui(ui) => {
                        match UiMessage::read(ui.event()) {
                            Some(event) => Message::Ui(Box::new(event)),
                            None => Message::Unknown(to_map(object)),
                        }
                    }
                    message::Message::Unknown(_) => {
                        Message::Unknown(to_map(object))
                    }
                }
            }

            fn from_map(map: Extra) -> Message {
                let tags = Tags::And("type", &Tags::None);
                match map.get("type").and_then(|name| name.as_str()) {
                    $(Some($text) => {
                        Message::$variant(Box::new(Part::from_map(map, tags)))
                    })*
                    Some(_) => Message::Unknown(map),
                    None => Message::untyped(map),
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
    };
}
messages!(message_owned);

impl Message {
    /// The message that a map without a type is.
    fn untyped(map: Extra) -> Message {
        let has = |map: &Extra, key| map.contains_key(key);
        if has(&map, "event_type") && has(&map, "data") {
            let event = schema::from_map(map, Tags::None);
            return Message::Event(Box::new(event));
        }
        let map = match UiMessage::from_map(map) {
            Ok(event) => return Message::Ui(Box::new(event)),
            Err(map) => map,
        };
        let input = ["session_id", "content", "turn_id"];
        if input.iter().all(|key| has(&map, key)) {
            let input = schema::from_map(map, Tags::None);
            return Message::Input(Box::new(input));
        }
        Message::Unknown(map)
    }
}

impl message::Message<'_> {
    /// The message, as one that owns what it holds.
    pub fn into_owned(self) -> Message {
        match self.value().as_object() {
            Some(object) => Message::read(self, object),
            None => Message::Unknown(Extra::new()),
        }
    }
}

impl From<message::Message<'_>> for Message {
    fn from(view: message::Message<'_>) -> Message {
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
        Extra::deserialize(from).map(Message::from_map)
    }
}
