/*!
Fills owned types from a value of a line.
*/

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value as Json};

use crate::{
    error::Error,
    json::{self, Object, Value},
    owned::slot::{AnySlot, Members, Slot, Source},
};

impl<'a> Source for Value<'a> {
    type Key = &'a str;
    type Object = Object<'a>;

    fn is_null(&self) -> bool {
        Value::is_null(*self)
    }

    fn as_bool(&self) -> Option<bool> {
        Value::as_bool(*self)
    }

    fn as_u64(&self) -> Option<u64> {
        Value::as_u64(*self)
    }

    fn as_i64(&self) -> Option<i64> {
        Value::as_i64(*self)
    }

    fn as_number(&self) -> Option<Number> {
        match Value::as_number(*self)? {
            json::Number::Unsigned(n) => Some(n.into()),
            json::Number::Negative(n) => Some(n.into()),
            json::Number::Float(n) => Number::from_f64(n),
        }
    }

    fn as_text(&self) -> Option<&str> {
        Value::as_str(*self)
    }

    fn into_text(self) -> Result<String, Self> {
        self.as_str().map(str::to_string).ok_or(self)
    }

    fn into_object(self) -> Result<Object<'a>, Self> {
        self.as_object().ok_or(self)
    }

    fn into_list<T: Slot>(self) -> Result<Vec<T>, Self> {
        let array = self.as_array().ok_or(self)?;
        let items: Result<_, _> = array.iter().map(T::fill).collect();
        items.map_err(|_| self)
    }

    fn into_map<T: Slot>(self) -> Result<BTreeMap<String, T>, Self> {
        let mut map = BTreeMap::new();
        for (key, value) in self.as_object().ok_or(self)? {
            let filled = T::fill(value);
            if filled.is_err() {
                value.pass_over();
            }
            map.insert(key.to_string(), filled.ok());
        }
        let entry = |(key, value): (_, Option<T>)| Some((key, value?));
        map.into_iter().map(entry).collect::<Option<_>>().ok_or(self)
    }

    fn into_json(self) -> Json {
        if let Some(object) = self.as_object() {
            return Json::Object(Members::into_map(object));
        }
        match self.as_array() {
            Some(array) => {
                Json::Array(array.iter().map(Source::into_json).collect())
            }
            None => scalar_to_json(self),
        }
    }

    fn pass_over(self) {
        if !self.is_known_good() {
            drop(self.into_json());
        }
    }

    fn put(self, slot: &mut dyn AnySlot) -> Result<(), Self> {
        slot.fill_value(self)
    }
}

/// Copies a value to a [`serde_json::Value`].
///
/// # Errors
///
/// Returns the error that [`Line::decode`](crate::Line::decode) would return,
/// if the text has not been checked yet and is not JSON.
///
/// # Example
///
/// This keeps a part of a line.
///
/// ```
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(br#"{"type":"x","list":[1,2]}"#)?;
/// let list = record.value().get("list").unwrap();
/// let list = serde_json::Value::try_from(list)?;
/// assert_eq!(list, serde_json::json!([1, 2]));
/// # Ok::<(), linetape::Error>(())
/// ```
impl TryFrom<Value<'_>> for Json {
    type Error = Error;

    fn try_from(value: Value<'_>) -> Result<Json, Error> {
        value.ensure_checked()?;
        Ok(value.into_json())
    }
}

/// Not inlined, to save stack: the caller is recursive.
#[inline(never)]
fn scalar_to_json(value: Value<'_>) -> Json {
    if let Some(text) = value.as_str() {
        return Json::String(text.to_string());
    }
    if let Some(flag) = value.as_bool() {
        return Json::Bool(flag);
    }
    if let Some(number) = Source::as_number(&value) {
        return Json::Number(number);
    }
    if !value.is_null() {
        value.note_fault();
    }
    Json::Null
}

impl<'a> Members for Object<'a> {
    type Key = &'a str;
    type Value = Value<'a>;

    fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn only_key(&self) -> Option<&str> {
        let (only, _) = self.iter().next()?;
        self.iter().all(|(key, _)| key == only).then_some(only)
    }

    fn into_map(self) -> Map<String, Json> {
        let mut map = Map::new();
        for (key, value) in self {
            map.insert(key.to_string(), value.into_json());
        }
        map
    }
}
