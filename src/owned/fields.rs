/*!
The types that a field of an owned struct can have.
*/

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value as Json};

use crate::owned::slot::{Slot, Source};

impl Slot for String {
    // Not inlined: the conversion is recursive, and dozens of inlined copies
    // would need too much stack.
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
