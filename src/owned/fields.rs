/*!
The types that a field of an owned struct can have.
*/

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value as Json};

use crate::owned::{
    part::{self, Part, Tags},
    slot::{Held, Slot},
    source::Source,
};

/// Implements [`Slot`] for types that are neither structs nor lists.
macro_rules! values {
    ($($(#[$note:meta])* $type:ty: $fill:expr, $held:expr;)*) => {$(
        $(#[$note])*
        impl Slot for $type {
            fn fill(source: &mut Source<'_>) -> Option<$type> {
                $fill(source)
            }

            fn held(&self) -> Held<'_> {
                $held(self)
            }
        }
    )*};
}
values! {
    String: Source::take_text, Held::Text;
    bool: Source::as_bool, |flag: &bool| Held::Bool(*flag);
    u64: Source::as_u64, |number: &u64| Held::U64(*number);
    i64: Source::as_i64, |number: &i64| Held::I64(*number);
    /// A number remains an integer or a float, as in the JSON.
    Number: Source::as_number, Held::Number;
    Json: |source: &mut Source<'_>| Some(source.take_json()), Held::Json;
}

/// A list has the right type only if all of its items do.
impl<T: Slot> Slot for Vec<T> {
    fn fill(source: &mut Source<'_>) -> Option<Vec<T>> {
        let mut list = Vec::new();
        source.take_list(&mut list).then_some(list)
    }

    fn held(&self) -> Held<'_> {
        Held::List(self)
    }
}

/// A map has the right type only if all of its values do.
impl<T: Slot> Slot for BTreeMap<String, T> {
    fn fill(source: &mut Source<'_>) -> Option<BTreeMap<String, T>> {
        let mut map = BTreeMap::new();
        source.take_map(&mut map).then_some(map)
    }

    fn held(&self) -> Held<'_> {
        Held::Map(self)
    }
}

/// A struct or union is any object.
impl<T: Part> Slot for T {
    fn fill(source: &mut Source<'_>) -> Option<T> {
        let members = source.take_object()?;
        let mut part = T::start(&members);
        part::fill(part.inside_mut(), members, Tags::None);
        Some(part)
    }

    fn fill_into(field: &mut Option<T>, source: &mut Source<'_>) -> bool {
        let Some(members) = source.take_object() else {
            *field = None;
            return false;
        };
        let part = field.insert(T::start(&members));
        part::fill(part.inside_mut(), members, Tags::None);
        true
    }

    fn held(&self) -> Held<'_> {
        Held::Part(self)
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
///     let said = user.message.as_ref().unwrap();
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
    fn fill(source: &mut Source<'_>) -> Option<OrString<T>> {
        match source.take_text() {
            Some(text) => Some(OrString::String(text)),
            None => T::fill(source).map(OrString::Object),
        }
    }

    fn held(&self) -> Held<'_> {
        match self {
            OrString::String(text) => Held::Text(text),
            OrString::Object(object) => object.held(),
        }
    }
}

impl<T: Slot> Serialize for OrString<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.held().serialize(to)
    }
}
