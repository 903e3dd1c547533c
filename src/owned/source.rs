/*!
The JSON from which owned types are filled: a line, or what serde_json has
read.
*/

use std::{borrow::Cow, collections::BTreeSet, fmt, iter::zip, mem};

use serde_json::{Map, Number, Value as Json};

use crate::{
    error::Error,
    json::{self, Object, Value},
    owned::slot::{AnyList, AnyMap},
};

/// JSON from which an owned value is filled.
///
/// The `take_` methods leave the source unchanged if it does not have the
/// right type. Only this crate creates a source of a line: of one that has been
/// checked, or that is checked while it is copied. A value of an unchecked
/// line could lose data, because its lists may end early.
pub struct Source<'a>(Origin<'a>);

enum Origin<'a> {
    Line(Value<'a>),
    Json(Json),
}

impl<'a> Source<'a> {
    #[inline]
    pub(crate) fn of_line(value: Value<'a>) -> Source<'a> {
        Source(Origin::Line(value))
    }

    /// Creates a source of what serde_json has read.
    pub fn of_json(json: Json) -> Source<'a> {
        Source(Origin::Json(json))
    }

    #[inline]
    fn read<T>(
        &self,
        line: impl FnOnce(Value<'a>) -> T,
        json: impl FnOnce(&Json) -> T,
    ) -> T {
        match &self.0 {
            Origin::Line(value) => line(*value),
            Origin::Json(own) => json(own),
        }
    }

    /// Returns whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.read(Value::is_null, Json::is_null)
    }

    /// Returns the value, if it is a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        self.read(Value::as_bool, Json::as_bool)
    }

    /// Returns the value, if it is an integer in the range of `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        self.read(Value::as_u64, Json::as_u64)
    }

    /// Returns the value, if it is an integer in the range of `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.read(Value::as_i64, Json::as_i64)
    }

    /// Returns the value, if it is a number. An integer remains an integer and
    /// a float remains a float.
    pub fn as_number(&self) -> Option<Number> {
        self.read(number_of, |json| json.as_number().cloned())
    }

    /// Returns the value, if it is a string.
    pub fn as_text(&self) -> Option<&str> {
        match &self.0 {
            Origin::Line(value) => value.as_str(),
            Origin::Json(json) => json.as_str(),
        }
    }

    /// Takes the value, if it is a string.
    pub fn take_text(&mut self) -> Option<String> {
        match &mut self.0 {
            Origin::Line(value) => value.as_str().map(str::to_string),
            Origin::Json(Json::String(text)) => Some(mem::take(text)),
            Origin::Json(_) => None,
        }
    }

    /// Takes any value.
    pub fn take_json(&mut self) -> Json {
        match &mut self.0 {
            Origin::Line(value) => json_of(*value),
            Origin::Json(json) => json.take(),
        }
    }

    /// Takes the value, if it is an object.
    pub(crate) fn take_object(&mut self) -> Option<Members<'a>> {
        match &mut self.0 {
            Origin::Line(value) => value.as_object().map(Members::of_line),
            Origin::Json(Json::Object(map)) => {
                Some(Members(Objects::Map(mem::take(map))))
            }
            Origin::Json(_) => None,
        }
    }

    /// Moves the items of a list to one that is empty. Returns whether the
    /// value is a list and all items have the right type.
    pub(crate) fn take_list(&mut self, list: &mut dyn AnyList) -> bool {
        let items = match &mut self.0 {
            Origin::Line(value) => {
                let items = value.as_array().map(json::Array::iter);
                return items.is_some_and(|mut items| {
                    items.all(|item| list.push(&mut Source::of_line(item)))
                });
            }
            Origin::Json(Json::Array(items)) => items,
            Origin::Json(_) => return false,
        };
        if items.iter_mut().all(|item| lend(item, |item| list.push(item))) {
            return true;
        }
        for (index, item) in zip(0..list.count(), items) {
            let taken = list.get(index);
            *item = taken.map_or(Json::Null, |taken| taken.to_json());
        }
        false
    }

    /// Moves the entries of a map to one that is empty. Returns whether the
    /// value is a map and all values have the right type. If a key occurs
    /// several times, only its last value must have the type.
    pub(crate) fn take_map(&mut self, map: &mut dyn AnyMap) -> bool {
        let entries = match &mut self.0 {
            Origin::Line(value) => {
                let Some(object) = value.as_object() else { return false };
                let mut unfit = BTreeSet::new();
                for (key, value) in object {
                    let mut value = Source::of_line(value);
                    if map.set(key, &mut value) {
                        unfit.remove(key);
                    } else {
                        value.pass_over();
                        unfit.insert(key);
                    }
                }
                return unfit.is_empty();
            }
            Origin::Json(Json::Object(entries)) => entries,
            Origin::Json(_) => return false,
        };
        let mut each = entries.iter_mut();
        if each.all(|(key, value)| lend(value, |value| map.set(key, value))) {
            return true;
        }
        for (key, value) in map.entries() {
            entries.insert(key.to_string(), value.to_json());
        }
        false
    }

    /// Discards the value. If its line has not been checked yet, the value is
    /// read nevertheless, so that a syntax error is detected.
    pub(crate) fn pass_over(self) {
        if let Origin::Line(value) = self.0
            && !value.is_known_good()
        {
            drop(json_of(value));
        }
    }
}

/// Lends JSON as a source, which may take it.
fn lend<T>(json: &mut Json, to: impl FnOnce(&mut Source<'_>) -> T) -> T {
    let mut source = Source::of_json(json.take());
    let found = to(&mut source);
    *json = source.take_json();
    found
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Origin::Line(value) => fmt::Debug::fmt(value, f),
            Origin::Json(json) => fmt::Debug::fmt(json, f),
        }
    }
}

/// The members of an object from which an owned type is filled.
#[derive(Debug)]
pub struct Members<'a>(Objects<'a>);

#[derive(Debug)]
enum Objects<'a> {
    Line(Object<'a>),
    Map(Map<String, Json>),
}

impl<'a> Members<'a> {
    pub(crate) fn of_line(object: Object<'a>) -> Members<'a> {
        Members(Objects::Line(object))
    }

    pub(crate) fn of_map(map: Map<String, Json>) -> Members<'a> {
        Members(Objects::Map(map))
    }

    /// Returns whether there is a member with the given key.
    pub(crate) fn has(&self, key: &str) -> bool {
        match &self.0 {
            Objects::Line(object) => object.get(key).is_some(),
            Objects::Map(map) => map.contains_key(key),
        }
    }

    /// Returns the value of the last member with the given key, if it is a
    /// string.
    pub fn text(&self, key: &str) -> Option<&str> {
        match &self.0 {
            Objects::Line(object) => object.get(key)?.as_str(),
            Objects::Map(map) => map.get(key)?.as_str(),
        }
    }

    /// Returns the key of the members, if they all have the same one.
    pub(crate) fn only_key(&self) -> Option<&str> {
        match &self.0 {
            Objects::Line(object) => {
                let (only, _) = object.iter().next()?;
                object.iter().all(|(key, _)| key == only).then_some(only)
            }
            Objects::Map(map) => {
                let only = map.keys().next()?;
                (map.len() == 1).then_some(only)
            }
        }
    }

    /// Visits all members.
    #[inline]
    pub(crate) fn each(self, mut visit: impl FnMut(Cow<'a, str>, Source<'a>)) {
        match self.0 {
            Objects::Line(object) => {
                object.iter().for_each(|(key, value)| {
                    visit(Cow::Borrowed(key), Source::of_line(value));
                });
            }
            Objects::Map(map) => {
                for (key, json) in map {
                    visit(Cow::Owned(key), Source::of_json(json));
                }
            }
        }
    }

    /// Converts all members. The last one with a given key wins.
    pub(crate) fn into_map(self) -> Map<String, Json> {
        match self.0 {
            Objects::Line(object) => map_of(object),
            Objects::Map(map) => map,
        }
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
        Ok(json_of(value))
    }
}

fn json_of(value: Value<'_>) -> Json {
    if let Some(object) = value.as_object() {
        return Json::Object(map_of(object));
    }
    match value.as_array() {
        Some(array) => Json::Array(array.iter().map(json_of).collect()),
        None => scalar_of(value),
    }
}

fn map_of(object: Object<'_>) -> Map<String, Json> {
    let mut map = Map::new();
    for (key, value) in object {
        map.insert(key.to_string(), json_of(value));
    }
    map
}

/// Not inlined, to save stack: the caller is recursive.
#[inline(never)]
fn scalar_of(value: Value<'_>) -> Json {
    if let Some(text) = value.as_str() {
        return Json::String(text.to_string());
    }
    if let Some(flag) = value.as_bool() {
        return Json::Bool(flag);
    }
    if let Some(number) = number_of(value) {
        return Json::Number(number);
    }
    if !value.is_null() {
        value.note_fault();
    }
    Json::Null
}

fn number_of(value: Value<'_>) -> Option<Number> {
    match value.as_number()? {
        json::Number::Unsigned(n) => Some(n.into()),
        json::Number::Negative(n) => Some(n.into()),
        json::Number::Float(n) => Number::from_f64(n),
    }
}
