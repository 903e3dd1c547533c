/*!
What can stand in a slot of an owned struct, and how it gets there.
*/

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value as Json};

use crate::json::{self, Object, Value};

/// The members of an object that have no slot.
pub type Extra = serde_json::Map<String, Json>;

/// A value that can stand in a slot.
pub(crate) trait Slot: Sized + Serialize {
    /// Reads a view. `None` means that it does not fit.
    fn from_value(value: Value<'_>) -> Option<Self>;

    /// Whether a JSON value fits. This looks no deeper than it must.
    fn fits(json: &Json) -> bool;

    /// Reads a JSON value that fits.
    fn from_json(json: Json) -> Option<Self>;
}

/// A copy of a value that owns what it holds.
pub(crate) fn to_json(value: Value<'_>) -> Json {
    if let Some(object) = value.as_object() {
        return Json::Object(to_map(object));
    }
    match value.as_array() {
        Some(array) => Json::Array(array.iter().map(to_json).collect()),
        None => scalar_to_json(value),
    }
}

/// Not inlined, for the sake of the stack: the caller calls itself for every
/// level.
#[inline(never)]
fn scalar_to_json(value: Value<'_>) -> Json {
    if let Some(text) = value.as_str() {
        return Json::String(text.to_string());
    }
    if let Some(flag) = value.as_bool() {
        return Json::Bool(flag);
    }
    Number::from_value(value).map_or(Json::Null, Json::Number)
}

/// A copy of an object: of members with the same key, the last.
pub(crate) fn to_map(object: Object<'_>) -> Extra {
    let mut map = Extra::new();
    for (key, value) in object {
        map.insert(key.to_string(), to_json(value));
    }
    map
}

impl Slot for String {
    // Not inlined: a conversion calls itself for every level, with some
    // dozens of these, and would take too much stack.
    #[inline(never)]
    fn from_value(value: Value<'_>) -> Option<String> {
        value.as_str().map(str::to_string)
    }

    fn fits(json: &Json) -> bool {
        json.is_string()
    }

    fn from_json(json: Json) -> Option<String> {
        match json {
            Json::String(text) => Some(text),
            _ => None,
        }
    }
}

impl Slot for bool {
    fn from_value(value: Value<'_>) -> Option<bool> {
        value.as_bool()
    }

    fn fits(json: &Json) -> bool {
        json.is_boolean()
    }

    fn from_json(json: Json) -> Option<bool> {
        json.as_bool()
    }
}

impl Slot for u64 {
    fn from_value(value: Value<'_>) -> Option<u64> {
        value.as_u64()
    }

    fn fits(json: &Json) -> bool {
        json.is_u64()
    }

    fn from_json(json: Json) -> Option<u64> {
        json.as_u64()
    }
}

impl Slot for i64 {
    fn from_value(value: Value<'_>) -> Option<i64> {
        value.as_i64()
    }

    fn fits(json: &Json) -> bool {
        json.is_i64()
    }

    fn from_json(json: Json) -> Option<i64> {
        json.as_i64()
    }
}

/// A number keeps the class that it has on the wire.
impl Slot for Number {
    fn from_value(value: Value<'_>) -> Option<Number> {
        match value.as_number()? {
            json::Number::Unsigned(n) => Some(n.into()),
            json::Number::Negative(n) => Some(n.into()),
            json::Number::Float(n) => Number::from_f64(n),
        }
    }

    fn fits(json: &Json) -> bool {
        json.is_number()
    }

    fn from_json(json: Json) -> Option<Number> {
        match json {
            Json::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl Slot for Json {
    fn from_value(value: Value<'_>) -> Option<Json> {
        Some(to_json(value))
    }

    fn fits(_json: &Json) -> bool {
        true
    }

    fn from_json(json: Json) -> Option<Json> {
        Some(json)
    }
}

/// A list fits only if every item of it does.
impl<T: Slot> Slot for Vec<T> {
    fn from_value(value: Value<'_>) -> Option<Vec<T>> {
        value.as_array()?.iter().map(T::from_value).collect()
    }

    fn fits(json: &Json) -> bool {
        json.as_array().is_some_and(|items| items.iter().all(T::fits))
    }

    fn from_json(json: Json) -> Option<Vec<T>> {
        match json {
            Json::Array(items) => {
                items.into_iter().map(T::from_json).collect()
            }
            _ => None,
        }
    }
}

/// A map fits only if every value of it does.
impl<T: Slot> Slot for BTreeMap<String, T> {
    fn from_value(value: Value<'_>) -> Option<BTreeMap<String, T>> {
        // Of several values with one key only the last has to fit.
        let mut map = BTreeMap::new();
        for (key, value) in value.as_object()? {
            map.insert(key.to_string(), T::from_value(value));
        }
        let entry = |(key, value): (_, Option<T>)| Some((key, value?));
        map.into_iter().map(entry).collect()
    }

    fn fits(json: &Json) -> bool {
        json.as_object().is_some_and(|map| map.values().all(T::fits))
    }

    fn from_json(json: Json) -> Option<BTreeMap<String, T>> {
        let entry = |(key, value)| Some((key, T::from_json(value)?));
        match json {
            Json::Object(map) => map.into_iter().map(entry).collect(),
            _ => None,
        }
    }
}

/// An object, or a bare string in its place.
#[derive(Clone, Debug, PartialEq)]
pub enum OrString<T> {
    /// The string.
    String(String),
    /// The object.
    Object(T),
}

impl<T> OrString<T> {
    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&T> {
        match self {
            OrString::Object(object) => Some(object),
            OrString::String(_) => None,
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            OrString::String(text) => Some(text),
            OrString::Object(_) => None,
        }
    }
}

impl<T: Slot> Slot for OrString<T> {
    fn from_value(value: Value<'_>) -> Option<OrString<T>> {
        match value.as_str() {
            Some(text) => Some(OrString::String(text.to_string())),
            None => T::from_value(value).map(OrString::Object),
        }
    }

    fn fits(json: &Json) -> bool {
        json.is_string() || T::fits(json)
    }

    fn from_json(json: Json) -> Option<OrString<T>> {
        match json {
            Json::String(text) => Some(OrString::String(text)),
            other => T::from_json(other).map(OrString::Object),
        }
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
