/*!
The types that the fields of owned structs can have, and how they are filled.
*/

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value as Json};

use crate::{json::Value, owned::source::Source};

/// A type that a field of an owned struct can have.
///
/// Serialising a value must produce the JSON from which it was filled.
pub trait Slot: Sized + Serialize {
    /// Creates a value of this type from JSON.
    ///
    /// # Errors
    ///
    /// Returns the source unchanged if it does not have this type.
    fn fill<S: Source>(source: S) -> Result<Self, S>;

    /// Returns the value, if it is serialised as a string.
    fn as_text(&self) -> Option<&str> {
        None
    }
}

/// A field of an owned struct, as a trait object.
///
/// Through this trait, one function fills the fields of all types. It is
/// compiled only once and uses little stack.
pub trait AnySlot {
    /// Replaces the field's value, if the new one has the right type. If `old`
    /// is given, the old value is stored there.
    ///
    /// # Errors
    ///
    /// Returns the new value unchanged if it has another type.
    fn fill_value<'a>(
        &mut self,
        value: Value<'a>,
        old: Option<&mut Json>,
    ) -> Result<(), Value<'a>>;

    /// Does the same as [`fill_value`](AnySlot::fill_value) for a value read
    /// by serde_json.
    ///
    /// # Errors
    ///
    /// Returns the new value unchanged if it has another type.
    fn fill_json(
        &mut self,
        json: Json,
        old: Option<&mut Json>,
    ) -> Result<(), Json>;

    /// Returns whether the field has a value.
    fn is_set(&self) -> bool;

    /// Removes the field's value.
    fn clear(&mut self);

    /// Returns the field's value, if it is serialised as a string.
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

/// Returns the JSON from which a slot was filled.
pub(crate) fn json_of<T: Serialize>(value: &T) -> Json {
    let json = serde_json::to_value(value);
    debug_assert!(json.is_ok(), "a slot is written as JSON");
    json.unwrap_or_default()
}

impl Slot for String {
    // Not inlined: the conversion is recursive and has dozens of calls to this
    // function, which would need too much stack.
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

/// A number remains an integer or a float, as in the JSON.
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

/// A list has the right type only if all of its items do.
impl<T: Slot> Slot for Vec<T> {
    fn fill<S: Source>(source: S) -> Result<Vec<T>, S> {
        source.into_list()
    }
}

/// A map has the right type only if all of its values do.
impl<T: Slot> Slot for BTreeMap<String, T> {
    fn fill<S: Source>(source: S) -> Result<BTreeMap<String, T>, S> {
        source.into_map()
    }
}

/// An object, or a bare string instead of it.
///
/// # Example
///
/// This reads both forms of a message.
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
    /// A string.
    String(String),
    /// An object.
    Object(T),
}

impl<T> OrString<T> {
    /// Returns the object, if this is one.
    pub fn as_object(&self) -> Option<&T> {
        match self {
            OrString::Object(object) => Some(object),
            OrString::String(_) => None,
        }
    }

    /// Returns the string, if this is one.
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
