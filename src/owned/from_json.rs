/*!
Fills owned types from JSON read by serde_json.
*/

use std::collections::{BTreeMap, btree_map};

use serde_json::{Map, Number, Value as Json};

use crate::owned::slot::{AnySlot, Members, Slot, Source, json_of};

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

    fn put(self, slot: &mut dyn AnySlot) -> Result<(), Self> {
        slot.fill_json(self)
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
