/*!
The traits by which owned types are filled: a [`Slot`] is the type of a field,
a [`Source`] is the JSON that it is filled from. Each needs the other, so they
are in one file. Their implementations are in `fields`, `from_line` and
`from_json`.
*/

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Number, Value as Json};

use crate::json::Value;

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

/// Sets a field. The old value is dropped where it is, and not moved out
/// first: a struct can be large.
fn replace<T: Slot>(slot: &mut Option<T>, value: T, old: Option<&mut Json>) {
    if let Some(old) = old {
        *old = slot.as_ref().map_or(Json::Null, json_of);
    }
    *slot = Some(value);
}

/// Returns the JSON that a slot was filled from.
pub(crate) fn json_of<T: Serialize>(value: &T) -> Json {
    let json = serde_json::to_value(value);
    debug_assert!(json.is_ok(), "a slot is written as JSON");
    json.unwrap_or_default()
}

/// JSON that owned values are filled from.
///
/// What does not fit is given back as it was.
pub trait Source: Sized {
    /// A key of an object.
    type Key: AsRef<str> + Into<String>;

    /// An object.
    type Object: Members<Key = Self::Key, Value = Self>;

    /// Returns whether the value is `null`.
    fn is_null(&self) -> bool;

    /// Returns the value, if it is a boolean.
    fn as_bool(&self) -> Option<bool>;

    /// Returns the value, if it is an integer that fits.
    fn as_u64(&self) -> Option<u64>;

    /// Returns the value, if it is an integer that fits.
    fn as_i64(&self) -> Option<i64>;

    /// Returns the value, if it is a number, with the class that it has.
    fn as_number(&self) -> Option<Number>;

    /// Returns the value, if it is a string.
    fn as_text(&self) -> Option<&str>;

    /// Takes the value, if it is a string.
    fn into_text(self) -> Result<String, Self>;

    /// Takes the value, if it is an object.
    fn into_object(self) -> Result<Self::Object, Self>;

    /// Takes the value, if it is a list of which every item fits.
    fn into_list<T: Slot>(self) -> Result<Vec<T>, Self>;

    /// Takes the value, if it is a map of which every value fits. Of several
    /// values with one key only the last has to.
    fn into_map<T: Slot>(self) -> Result<BTreeMap<String, T>, Self>;

    /// Takes the value, whatever it is.
    fn into_json(self) -> Json;

    /// Passes over a value that is not kept. A value of a line that is not
    /// known to be good is read all the same, so that a fault is noticed.
    fn pass_over(self);

    /// Puts the value into a field, as [`AnySlot::fill_value`] does.
    ///
    /// # Errors
    ///
    /// The value, as it was, if it does not fit.
    fn put(
        self,
        slot: &mut dyn AnySlot,
        old: Option<&mut Json>,
    ) -> Result<(), Self>;
}

/// The members of an object that owned values are filled from.
pub trait Members:
    Sized + IntoIterator<Item = (Self::Key, Self::Value)>
{
    /// A key.
    type Key: AsRef<str> + Into<String>;

    /// A value.
    type Value: Source<Key = Self::Key, Object = Self>;

    /// Returns whether there is a member with the given key.
    fn has(&self, key: &str) -> bool;

    /// Returns the last member with the given key, if it is a string.
    fn text(&self, key: &str) -> Option<&str>;

    /// Returns the key that all members have, if they have the same.
    fn only_key(&self) -> Option<&str>;

    /// Takes all members: of those with the same key, the last.
    fn into_map(self) -> Map<String, Json>;
}
