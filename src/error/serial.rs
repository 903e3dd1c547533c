/*!
`Serialize` and `Deserialize` for [`Position`] and [`ErrorKind`].
*/

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor},
    ser::SerializeStruct,
};

use crate::error::{ErrorKind, Position};

/// Serialises as `{"line":1,"byte":0}`.
impl Serialize for Position {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut position = to.serialize_struct("Position", 2)?;
        position.serialize_field("line", &self.line())?;
        position.serialize_field("byte", &self.byte())?;
        position.end()
    }
}

/// Deserialises from `{"line":1,"byte":0}`. Other members are ignored.
impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_struct("Position", &["line", "byte"], AsPosition)
    }
}

struct AsPosition;

impl<'de> Visitor<'de> for AsPosition {
    type Value = Position;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a line and a byte")
    }

    fn visit_seq<A: SeqAccess<'de>>(
        self,
        mut list: A,
    ) -> Result<Position, A::Error> {
        let mut next = |index| {
            let number: Option<u64> = list.next_element()?;
            number.ok_or_else(|| de::Error::invalid_length(index, &self))
        };
        Ok(Position::new(next(0)?, next(1)?))
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut map: A,
    ) -> Result<Position, A::Error> {
        let (mut line, mut byte) = (None, None);
        while let Some(key) = map.next_key::<Key>()? {
            let (name, slot) = match key {
                Key::Line => ("line", &mut line),
                Key::Byte => ("byte", &mut byte),
                Key::Other => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if slot.replace(map.next_value()?).is_some() {
                return Err(de::Error::duplicate_field(name));
            }
        }
        let line = line.ok_or_else(|| de::Error::missing_field("line"))?;
        let byte = byte.ok_or_else(|| de::Error::missing_field("byte"))?;
        Ok(Position::new(line, byte))
    }
}

/// A key of a position.
enum Key {
    Line,
    Byte,
    Other,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Key, D::Error> {
        struct AsKey;

        impl Visitor<'_> for AsKey {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`line` or `byte`")
            }

            fn visit_str<E: de::Error>(self, key: &str) -> Result<Key, E> {
                Ok(match key {
                    "line" => Key::Line,
                    "byte" => Key::Byte,
                    _ => Key::Other,
                })
            }

            fn visit_u64<E: de::Error>(self, index: u64) -> Result<Key, E> {
                Ok(match index {
                    0 => Key::Line,
                    1 => Key::Byte,
                    _ => Key::Other,
                })
            }
        }

        from.deserialize_identifier(AsKey)
    }
}

/// Serialises as the name that [`ErrorKind::as_str`] returns.
impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

/// Deserialises from the name that [`ErrorKind::as_str`] returns.
impl<'de> Deserialize<'de> for ErrorKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct AsKind;

        impl Visitor<'_> for AsKind {
            type Value = ErrorKind;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an error kind")
            }

            fn visit_str<E: de::Error>(
                self,
                name: &str,
            ) -> Result<ErrorKind, E> {
                name.parse().map_err(|_| {
                    de::Error::invalid_value(de::Unexpected::Str(name), &self)
                })
            }
        }

        from.deserialize_str(AsKind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_an_object_of_two_numbers() {
        let position = Position::new(2, 3);
        let text = serde_json::to_string(&position).unwrap();
        assert_eq!(text, r#"{"line":2,"byte":3}"#);
        let good = [&text, r#"{"byte":3,"file":"x","line":2}"#, "[2,3]"];
        for text in good {
            let read: Position = serde_json::from_str(text).unwrap();
            assert_eq!(read, position, "{text}");
        }
        let bad = [
            r#"{"line":2}"#,
            r#"{"byte":3}"#,
            r#"{"line":2,"byte":3,"line":2}"#,
            r#"{"line":2,"byte":"3"}"#,
            "[2]",
            "[2,3,4]",
        ];
        for text in bad {
            assert!(serde_json::from_str::<Position>(text).is_err(), "{text}");
        }
        assert_eq!(Position::default(), Position::new(1, 0));
        // The line number is unknown.
        let unknown: Position = serde_json::from_str("[0,3]").unwrap();
        assert_eq!(unknown, Position::new(0, 3));
    }

    #[test]
    fn a_kind_is_its_name() {
        for kind in ErrorKind::ALL {
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(text, format!("\"{kind}\""));
            let read: ErrorKind = serde_json::from_str(&text).unwrap();
            assert_eq!(read, kind);
        }
        let error = serde_json::from_str::<ErrorKind>("\"IO\"").unwrap_err();
        assert!(error.to_string().contains("the name of an error kind"));
    }
}
