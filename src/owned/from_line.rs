/*!
Fills owned types from a value of a line.
*/

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value as Json};

use crate::{
    error::Error,
    json::{self, Value},
    owned::{
        line_value::{LineObject, LineValue},
        slot::{AnySlot, Members, Slot, Source},
    },
};

impl<'a> Source for LineValue<'a> {
    type Key = &'a str;
    type Object = LineObject<'a>;

    fn is_null(&self) -> bool {
        self.0.is_null()
    }

    fn as_bool(&self) -> Option<bool> {
        self.0.as_bool()
    }

    fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    fn as_number(&self) -> Option<Number> {
        match self.0.as_number()? {
            json::Number::Unsigned(n) => Some(n.into()),
            json::Number::Negative(n) => Some(n.into()),
            json::Number::Float(n) => Number::from_f64(n),
        }
    }

    fn as_text(&self) -> Option<&str> {
        self.0.as_str()
    }

    fn into_text(self) -> Result<String, Self> {
        self.0.as_str().map(str::to_string).ok_or(self)
    }

    fn into_object(self) -> Result<LineObject<'a>, Self> {
        self.0.as_object().map(LineObject).ok_or(self)
    }

    fn into_list<T: Slot>(self) -> Result<Vec<T>, Self> {
        let array = self.0.as_array().ok_or(self)?;
        let values = array.iter().map(LineValue);
        let items: Result<_, _> = values.map(T::fill).collect();
        items.map_err(|_| self)
    }

    fn into_map<T: Slot>(self) -> Result<BTreeMap<String, T>, Self> {
        let mut map = BTreeMap::new();
        for (key, value) in self.into_object()? {
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
        if let Some(object) = self.0.as_object() {
            return Json::Object(LineObject(object).into_map());
        }
        match self.0.as_array() {
            Some(array) => {
                let values = array.iter().map(LineValue);
                Json::Array(values.map(Source::into_json).collect())
            }
            None => scalar_to_json(self),
        }
    }

    fn pass_over(self) {
        if !self.0.is_known_good() {
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
        Ok(LineValue(value).into_json())
    }
}

/// Not inlined, to save stack: the caller is recursive.
#[inline(never)]
fn scalar_to_json(LineValue(value): LineValue<'_>) -> Json {
    if let Some(text) = value.as_str() {
        return Json::String(text.to_string());
    }
    if let Some(flag) = value.as_bool() {
        return Json::Bool(flag);
    }
    if let Some(number) = Source::as_number(&LineValue(value)) {
        return Json::Number(number);
    }
    if !value.is_null() {
        value.note_fault();
    }
    Json::Null
}

impl<'a> Members for LineObject<'a> {
    type Key = &'a str;
    type Value = LineValue<'a>;

    fn has(&self, key: &str) -> bool {
        self.0.get(key).is_some()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    fn only_key(&self) -> Option<&str> {
        let (only, _) = self.0.iter().next()?;
        self.0.iter().all(|(key, _)| key == only).then_some(only)
    }

    fn into_map(self) -> Map<String, Json> {
        let mut map = Map::new();
        for (key, value) in self {
            map.insert(key.to_string(), value.into_json());
        }
        map
    }
}
