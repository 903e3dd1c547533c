/*!
The traits by which owned types are filled: a [`Slot`] is the type of a field,
and a [`Source`] is the JSON from which it is filled. They refer to each other,
so they are in one file. Their implementations are in `fields`, `from_line` and
`from_json`.
*/

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Number, Value as Json};

use crate::owned::line_value::LineValue;

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

    /// Sets a field to a value of this type. A struct is filled in place,
    /// which saves copying it.
    ///
    /// # Errors
    ///
    /// Returns the source unchanged if it does not have this type. The field
    /// is then unchanged as well.
    fn fill_into<S: Source>(
        field: &mut Option<Self>,
        source: S,
    ) -> Result<(), S> {
        *field = Some(Self::fill(source)?);
        Ok(())
    }

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
    /// Sets the field from a value of a line.
    ///
    /// # Errors
    ///
    /// Returns the value unchanged if it has another type. The field is then
    /// unchanged as well.
    fn fill_value<'a>(
        &mut self,
        value: LineValue<'a>,
    ) -> Result<(), LineValue<'a>>;

    /// Does the same as [`fill_value`](AnySlot::fill_value) for a value read
    /// by serde_json.
    ///
    /// # Errors
    ///
    /// Returns the value unchanged if it has another type. The field is then
    /// unchanged as well.
    fn fill_json(&mut self, json: Json) -> Result<(), Json>;

    /// Returns whether the field has a value.
    fn is_set(&self) -> bool;

    /// Removes the field's value.
    fn clear(&mut self);

    /// Returns the field's value, if it is serialised as a string.
    fn as_text(&self) -> Option<&str>;

    /// Returns the field's value as JSON.
    fn to_json(&self) -> Json;
}

impl<T: Slot> AnySlot for Option<T> {
    fn fill_value<'a>(
        &mut self,
        value: LineValue<'a>,
    ) -> Result<(), LineValue<'a>> {
        T::fill_into(self, value)
    }

    fn fill_json(&mut self, json: Json) -> Result<(), Json> {
        T::fill_into(self, json)
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

    fn to_json(&self) -> Json {
        self.as_ref().map_or(Json::Null, json_of)
    }
}

/// Returns the JSON from which a slot was filled.
pub(crate) fn json_of<T: Serialize>(value: &T) -> Json {
    let json = serde_json::to_value(value);
    debug_assert!(json.is_ok(), "a slot is written as JSON");
    json.unwrap_or_default()
}

/// JSON from which owned values are filled.
///
/// The `into_` methods return the source unchanged as the error if it does not
/// have the right type.
pub trait Source: Sized {
    /// A key of an object.
    type Key: AsRef<str> + Into<String>;

    /// An object.
    type Object: Members<Key = Self::Key, Value = Self>;

    /// Returns whether the value is `null`.
    fn is_null(&self) -> bool;

    /// Returns the value, if it is a boolean.
    fn as_bool(&self) -> Option<bool>;

    /// Returns the value, if it is an integer in the range of `u64`.
    fn as_u64(&self) -> Option<u64>;

    /// Returns the value, if it is an integer in the range of `i64`.
    fn as_i64(&self) -> Option<i64>;

    /// Returns the value, if it is a number. An integer remains an integer and
    /// a float remains a float.
    fn as_number(&self) -> Option<Number>;

    /// Returns the value, if it is a string.
    fn as_text(&self) -> Option<&str>;

    /// Converts the value, if it is a string.
    fn into_text(self) -> Result<String, Self>;

    /// Converts the value, if it is an object.
    fn into_object(self) -> Result<Self::Object, Self>;

    /// Converts the value, if it is a list and all items have the type `T`.
    fn into_list<T: Slot>(self) -> Result<Vec<T>, Self>;

    /// Converts the value, if it is a map and all values have the type `T`. If
    /// a key occurs several times, only its last value must have the type.
    fn into_map<T: Slot>(self) -> Result<BTreeMap<String, T>, Self>;

    /// Converts any value.
    fn into_json(self) -> Json;

    /// Discards the value. If its line has not been checked yet, the value is
    /// read nevertheless, so that a syntax error is detected.
    fn pass_over(self);

    /// Stores the value in a field, like [`AnySlot::fill_value`].
    ///
    /// # Errors
    ///
    /// Returns the value unchanged if it has another type than the field.
    fn put(self, slot: &mut dyn AnySlot) -> Result<(), Self>;
}

/// The members of an object from which owned values are filled.
pub trait Members:
    Sized + IntoIterator<Item = (Self::Key, Self::Value)>
{
    /// A key.
    type Key: AsRef<str> + Into<String>;

    /// A value.
    type Value: Source<Key = Self::Key, Object = Self>;

    /// Returns whether there is a member with the given key.
    fn has(&self, key: &str) -> bool;

    /// Returns the value of the last member with the given key, if it is a
    /// string.
    fn text(&self, key: &str) -> Option<&str>;

    /// Returns the key of the members, if they all have the same one.
    fn only_key(&self) -> Option<&str>;

    /// Converts all members. The last one with a given key wins.
    fn into_map(self) -> Map<String, Json>;
}
