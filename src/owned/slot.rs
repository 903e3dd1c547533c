/*!
What can be in a field of an owned struct, and how it gets there.
*/

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value as Json};

use crate::{json::Value, owned::source::Source};

/// A type that a field of an owned struct can have.
///
/// What is filled from JSON must be written as the same JSON.
pub trait Slot: Sized + Serialize {
    /// Makes a value of this type. What does not fit is given back.
    ///
    /// # Errors
    ///
    /// The source, as it was, if it does not fit.
    fn fill<S: Source>(source: S) -> Result<Self, S>;

    /// Returns the value, if it is written as a string.
    fn as_text(&self) -> Option<&str> {
        None
    }
}

/// A field of an owned struct, whatever its type.
///
/// Structs hand out their fields as this, so that one function fills them
/// all: it is compiled once, and takes little stack.
pub trait AnySlot {
    /// Replaces the field's value, if the new one fits. The old one is put
    /// into `old`, if that is given.
    ///
    /// # Errors
    ///
    /// The new value, as it was, if it does not fit.
    fn fill_value<'a>(
        &mut self,
        value: Value<'a>,
        old: Option<&mut Json>,
    ) -> Result<(), Value<'a>>;

    /// The same, for a value that serde_json has read.
    ///
    /// # Errors
    ///
    /// The new value, as it was, if it does not fit.
    fn fill_json(
        &mut self,
        json: Json,
        old: Option<&mut Json>,
    ) -> Result<(), Json>;

    /// Returns whether the field has a value.
    fn is_set(&self) -> bool;

    /// Removes the field's value.
    fn clear(&mut self);

    /// Returns the field's value, if it is written as a string.
    fn as_text(&self) -> Option<&str>;
}

impl<T: Slot> AnySlot for Option<T> {
    fn fill_value<'a>(
        &mut self,
        value: Value<'a>,
        old: Option<&mut Json>,
    ) -> Result<(), Value<'a>> {
        replace(self, T::fill(value)?, old);
        Ok(())
    }

    fn fill_json(
        &mut self,
        json: Json,
        old: Option<&mut Json>,
    ) -> Result<(), Json> {
        replace(self, T::fill(json)?, old);
        Ok(())
    }

    fn is_set(&self) -> bool {
        self.is_some()
    }

    fn clear(&mut self) {
        *self = None;
    }

    fn as_text(&self) -> Option<&str> {
        self.as_ref().and_then(Slot::as_text)
    }
}

fn replace<T: Slot>(slot: &mut Option<T>, value: T, old: Option<&mut Json>) {
    let was = slot.replace(value);
    if let Some(old) = old {
        *old = was.as_ref().map_or(Json::Null, json_of);
    }
}

/// Returns the JSON that a slot was filled from.
pub(crate) fn json_of<T: Serialize>(value: &T) -> Json {
    let json = serde_json::to_value(value);
    debug_assert!(json.is_ok(), "a slot is written as JSON");
    json.unwrap_or_default()
}

impl Slot for String {
    // Not inlined: a conversion calls itself for every level, with some
    // dozens of these, and would take too much stack.
    #[inline(never)]
    fn fill<S: Source>(source: S) -> Result<String, S> {
        source.into_text()
    }

    fn as_text(&self) -> Option<&str> {
        Some(self)
    }
}

impl Slot for bool {
    fn fill<S: Source>(source: S) -> Result<bool, S> {
        source.as_bool().ok_or(source)
    }
}

impl Slot for u64 {
    fn fill<S: Source>(source: S) -> Result<u64, S> {
        source.as_u64().ok_or(source)
    }
}

impl Slot for i64 {
    fn fill<S: Source>(source: S) -> Result<i64, S> {
        source.as_i64().ok_or(source)
    }
}

/// A number keeps the class that it has on the wire.
impl Slot for Number {
    fn fill<S: Source>(source: S) -> Result<Number, S> {
        source.as_number().ok_or(source)
    }
}

impl Slot for Json {
    fn fill<S: Source>(source: S) -> Result<Json, S> {
        Ok(source.into_json())
    }

    fn as_text(&self) -> Option<&str> {
        self.as_str()
    }
}

/// A list fits only if every item of it does.
impl<T: Slot> Slot for Vec<T> {
    fn fill<S: Source>(source: S) -> Result<Vec<T>, S> {
        source.into_list()
    }
}

/// A map fits only if every value of it does.
impl<T: Slot> Slot for BTreeMap<String, T> {
    fn fill<S: Source>(source: S) -> Result<BTreeMap<String, T>, S> {
        source.into_map()
    }
}

/// An object, or a bare string in its place.
///
/// # Example
///
/// This shows both forms of a message.
///
/// ```
/// use linetape::{Decoder, owned};
///
/// for (line, is_text) in [
///     (r#"{"type":"user","message":"Hi"}"#, true),
///     (r#"{"type":"user","message":{"content":"Hi"}}"#, false),
/// ] {
///     let message = Decoder::new().decode(line.as_bytes())?.into_owned();
///     let owned::Message::User(user) = message else { panic!() };
///     let said = user.message.unwrap();
///     assert_eq!(said.as_str().is_some(), is_text);
///     assert_eq!(said.as_object().is_some(), !is_text);
/// }
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrString<T> {
    /// The string.
    String(String),
    /// The object.
    Object(T),
}

impl<T> OrString<T> {
    /// Returns the object, if it is one.
    pub fn as_object(&self) -> Option<&T> {
        match self {
            OrString::Object(object) => Some(object),
            OrString::String(_) => None,
        }
    }

    /// Returns the string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            OrString::String(text) => Some(text),
            OrString::Object(_) => None,
        }
    }
}

impl<T: Slot> Slot for OrString<T> {
    fn fill<S: Source>(source: S) -> Result<OrString<T>, S> {
        let source = match source.into_text() {
            Ok(text) => return Ok(OrString::String(text)),
            Err(source) => source,
        };
        T::fill(source).map(OrString::Object)
    }

    fn as_text(&self) -> Option<&str> {
        self.as_str()
    }
}

impl<T: Serialize> Serialize for OrString<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            OrString::String(text) => to.serialize_str(text),
            OrString::Object(object) => object.serialize(to),
        }
    }
}
