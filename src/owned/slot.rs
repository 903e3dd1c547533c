/*!
The traits by which the fields of owned types are read and written. They are
used as trait objects: so one function fills the fields of all types, another
serialises them, and both are compiled only once.
*/

use std::collections::BTreeMap;

use serde::{Serialize, Serializer, ser::SerializeSeq};
use serde_json::{Number, Value as Json};

use crate::owned::{
    part::{self, Part},
    source::Source,
};

/// A type that a field of an owned struct can have.
pub trait Slot: Sized {
    /// Takes a value of this type from JSON. Returns `None`, and leaves the
    /// source unchanged, if the JSON does not have this type.
    fn fill(source: &mut Source<'_>) -> Option<Self>;

    /// Does the same as [`fill`](Slot::fill), into a field, and returns
    /// whether the field has a value then. A struct is filled in place, which
    /// saves copying it.
    fn fill_into(field: &mut Option<Self>, source: &mut Source<'_>) -> bool {
        *field = Self::fill(source);
        field.is_some()
    }

    /// Returns the JSON from which the value was filled.
    fn held(&self) -> Held<'_>;
}

/// A field of an owned struct, as a trait object.
pub trait AnySlot {
    /// Sets the field. If the JSON does not have the type of the field, the
    /// source is unchanged and the field is empty. Returns whether it has a
    /// value.
    fn fill(&mut self, source: &mut Source<'_>) -> bool;

    /// Returns the value of the field.
    fn held(&self) -> Option<Held<'_>>;
}

impl<T: Slot> AnySlot for Option<T> {
    fn fill(&mut self, source: &mut Source<'_>) -> bool {
        T::fill_into(self, source)
    }

    fn held(&self) -> Option<Held<'_>> {
        self.as_ref().map(Slot::held)
    }
}

/// A list in an owned struct, as a trait object.
pub trait AnyList {
    /// Returns the number of items.
    fn count(&self) -> usize;

    /// Returns an item.
    fn get(&self, index: usize) -> Option<Held<'_>>;

    /// Appends an item, if the JSON has its type. Returns whether it has.
    fn push(&mut self, source: &mut Source<'_>) -> bool;
}

impl<T: Slot> AnyList for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn get(&self, index: usize) -> Option<Held<'_>> {
        self.as_slice().get(index).map(Slot::held)
    }

    fn push(&mut self, source: &mut Source<'_>) -> bool {
        let item = T::fill(source);
        let fits = item.is_some();
        self.extend(item);
        fits
    }
}

/// A map in an owned struct, as a trait object.
pub trait AnyMap {
    /// Returns all entries.
    fn entries(&self) -> Box<dyn Iterator<Item = (&str, Held<'_>)> + '_>;

    /// Sets an entry, or removes it if the JSON does not have the type of the
    /// values. Returns whether it has.
    fn set(&mut self, key: &str, source: &mut Source<'_>) -> bool;
}

impl<T: Slot> AnyMap for BTreeMap<String, T> {
    fn entries(&self) -> Box<dyn Iterator<Item = (&str, Held<'_>)> + '_> {
        Box::new(self.iter().map(|(key, value)| (&**key, value.held())))
    }

    fn set(&mut self, key: &str, source: &mut Source<'_>) -> bool {
        match T::fill(source) {
            Some(value) => {
                self.insert(key.to_string(), value);
                true
            }
            None => {
                self.remove(key);
                false
            }
        }
    }
}

/// A value in an owned struct, as the JSON that it is serialised as.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations)] // trait objects
pub enum Held<'a> {
    /// A string.
    Text(&'a str),
    /// A boolean.
    Bool(bool),
    /// An integer in the range of `u64`.
    U64(u64),
    /// An integer in the range of `i64`.
    I64(i64),
    /// A number.
    Number(&'a Number),
    /// Any JSON.
    Json(&'a Json),
    /// A struct or union.
    Part(&'a dyn Part),
    /// A list.
    List(&'a dyn AnyList),
    /// A map.
    Map(&'a dyn AnyMap),
}

impl<'a> Held<'a> {
    /// Returns the value, if it is a string.
    pub(crate) fn as_text(self) -> Option<&'a str> {
        match self {
            Held::Text(text) => Some(text),
            Held::Json(json) => json.as_str(),
            _ => None,
        }
    }

    /// Returns the value as JSON.
    pub(crate) fn to_json(self) -> Json {
        let json = serde_json::to_value(self);
        debug_assert!(json.is_ok(), "a slot is written as JSON");
        json.unwrap_or_default()
    }
}

/// One function for all types: a serialiser is compiled for this type, and not
/// for each struct.
impl Serialize for Held<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match *self {
            Held::Text(text) => to.serialize_str(text),
            Held::Bool(flag) => to.serialize_bool(flag),
            Held::U64(number) => to.serialize_u64(number),
            Held::I64(number) => to.serialize_i64(number),
            Held::Number(number) => number.serialize(to),
            Held::Json(json) => json.serialize(to),
            Held::Part(part) => part::serialize(part, to),
            Held::List(list) => serialize_list(list, to),
            Held::Map(map) => to.collect_map(map.entries()),
        }
    }
}

/// Not inlined, to save stack: the caller is recursive.
#[inline(never)]
fn serialize_list<S: Serializer>(
    list: &dyn AnyList,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut items = to.serialize_seq(Some(list.count()))?;
    for index in 0..list.count() {
        if let Some(item) = list.get(index) {
            items.serialize_element(&item)?;
        }
    }
    items.end()
}
