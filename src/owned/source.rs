/*!
The sources of owned values: a value of a line, or JSON read by serde_json.
*/

use std::collections::{BTreeMap, btree_map};

use serde_json::{Map, Number, Value as Json};

use crate::{
    error::Error,
    json::{self, Object, Value},
    owned::slot::{AnySlot, Slot, json_of},
};

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

    /// Converts the value, if it is a map and all values have the type `T`. Of
    /// several values with one key, only the last is required to.
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
    fn put(
        self,
        slot: &mut dyn AnySlot,
        old: Option<&mut Json>,
    ) -> Result<(), Self>;
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

    /// Returns the key of the object, if all members have the same one.
    fn only_key(&self) -> Option<&str>;

    /// Converts all members. The last one with a given key wins.
    fn into_map(self) -> Map<String, Json>;
}

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

    fn put(
        self,
        slot: &mut dyn AnySlot,
        old: Option<&mut Json>,
    ) -> Result<(), Self> {
        slot.fill_value(self, old)
    }
}

/// Copies a value to serde_json's type.
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

impl Source for Json {
    type Key = String;
    type Object = Map<String, Json>;

    fn is_null(&self) -> bool {
        Json::is_null(self)
    }

    fn as_bool(&self) -> Option<bool> {
        Json::as_bool(self)
    }

    fn as_u64(&self) -> Option<u64> {
        Json::as_u64(self)
    }

    fn as_i64(&self) -> Option<i64> {
        Json::as_i64(self)
    }

    fn as_number(&self) -> Option<Number> {
        Json::as_number(self).cloned()
    }

    fn as_text(&self) -> Option<&str> {
        Json::as_str(self)
    }

    fn into_text(self) -> Result<String, Self> {
        match self {
            Json::String(text) => Ok(text),
            other => Err(other),
        }
    }

    fn into_object(self) -> Result<Map<String, Json>, Self> {
        match self {
            Json::Object(map) => Ok(map),
            other => Err(other),
        }
    }

    fn into_list<T: Slot>(self) -> Result<Vec<T>, Self> {
        let items = match self {
            Json::Array(items) => items,
            other => return Err(other),
        };
        let mut taken = Vec::with_capacity(items.len());
        let mut items = items.into_iter();
        while let Some(item) = items.next() {
            match T::fill(item) {
                Ok(item) => taken.push(item),
                Err(item) => {
                    let before = taken.iter().map(json_of);
                    let all = before.chain([item]).chain(items);
                    return Err(Json::Array(all.collect()));
                }
            }
        }
        Ok(taken)
    }

    fn into_map<T: Slot>(self) -> Result<BTreeMap<String, T>, Self> {
        let map = match self {
            Json::Object(map) => map,
            other => return Err(other),
        };
        let mut taken = BTreeMap::new();
        let mut members = map.into_iter();
        while let Some((key, value)) = members.next() {
            match T::fill(value) {
                Ok(value) => drop(taken.insert(key, value)),
                Err(value) => {
                    let back = |(key, value): (String, T)| {
                        let json = json_of(&value);
                        (key, json)
                    };
                    let taken: btree_map::IntoIter<_, _> = taken.into_iter();
                    let before = taken.map(back);
                    let all = before.chain([(key, value)]).chain(members);
                    return Err(Json::Object(all.collect()));
                }
            }
        }
        Ok(taken)
    }

    fn into_json(self) -> Json {
        self
    }

    fn pass_over(self) {}

    fn put(
        self,
        slot: &mut dyn AnySlot,
        old: Option<&mut Json>,
    ) -> Result<(), Self> {
        slot.fill_json(self, old)
    }
}

impl Members for Map<String, Json> {
    type Key = String;
    type Value = Json;

    fn has(&self, key: &str) -> bool {
        self.contains_key(key)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn only_key(&self) -> Option<&str> {
        let only = self.keys().next()?;
        (self.len() == 1).then_some(only)
    }

    fn into_map(self) -> Map<String, Json> {
        self
    }
}
