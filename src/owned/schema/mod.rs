/*!
The macro that makes owned types of tables of fields, and what it needs.

[`message::schema`](crate::message::schema) describes tables and has an
example. [`owned_types!`] makes of each item:

| item | owned type |
|---|---|
| `struct` | a struct with a public `Option` for each field, the parents' included, and `extra` |
| `enum` | an enum, with `Other(String)` for strings that are not known |
| `union` | an enum of boxed structs |

All have `Clone`, `Debug`, `PartialEq`, `Eq`, `Serialize` and `Deserialize`.
Structs have `Default`. Structs and unions have `TryFrom` for their views.
Enums have `From<&str>`, `From<String>`, `FromStr`, `AsRef<str>` and `Display`.

One rule keeps them lossless: a member whose value fits its field goes there,
and any other stays in `extra` under its own key, be it unknown, `null`, of
another type, or the second casing of a field that is there already.

An owned type is filled by one function, [`fill`], whether its members come
from a line or from serde_json: both are a [`Source`]. Each member is visited
once.
*/

mod owned_types;

use std::fmt;

use serde::{Deserialize, Deserializer, Serializer, ser::SerializeMap};
use serde_json::{Map, Value as Json};

use crate::json::Value;

#[doc(no_inline)]
pub use crate::{
    error::Error,
    owned::{
        extra::Extra,
        fields::OrString,
        slot::{AnySlot, Members, Slot, Source},
    },
};
#[doc(inline)]
pub use owned_types::owned_types;
#[doc(hidden)]
pub use {serde, serde_json};

/// How many fields of a struct can have two keys.
pub const MAX_ALIASES: usize = crate::owned::extra::MAX_ALIASES;

/// An owned struct, as something that members are put into.
pub trait Slots {
    /// Returns the field that has the given key.
    fn slot(&mut self, key: &str) -> Option<Found<'_>>;

    /// Returns the field that has a value and is written under this key.
    fn get(&self, key: &str) -> Option<&dyn AnySlot>;

    /// Returns the members that are in no field.
    fn extra(&self) -> &Extra;

    /// Returns the members that are in no field.
    fn extra_mut(&mut self) -> &mut Extra;

    /// Writes all fields that have a value.
    ///
    /// # Errors
    ///
    /// What the map says.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>
    where
        Self: Sized;
}

/// A field of an owned struct, as found by one of its keys.
pub struct Found<'s> {
    slot: &'s mut dyn AnySlot,
    extra: &'s mut Extra,
    alias: Option<Alias>,
}

impl fmt::Debug for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found")
            .field("alias", &self.alias)
            .finish_non_exhaustive()
    }
}

/// The second key of a field.
#[derive(Clone, Copy, Debug)]
struct Alias {
    key: &'static str,
    /// Where [`Extra`] remembers that the field has this key.
    bit: u8,
    /// Whether the field was found by this key.
    is_found: bool,
}

impl<'s> Found<'s> {
    /// Finds a field that has one key.
    #[inline]
    pub fn new(slot: &'s mut dyn AnySlot, extra: &'s mut Extra) -> Found<'s> {
        Found { slot, extra, alias: None }
    }

    /// Finds a field that has two keys. `bit` is the field's number among
    /// those, and `is_found` whether it was found by the second key.
    #[inline]
    pub fn with_alias(
        slot: &'s mut dyn AnySlot,
        extra: &'s mut Extra,
        key: &'static str,
        bit: u8,
        is_found: bool,
    ) -> Found<'s> {
        Found { slot, extra, alias: Some(Alias { key, bit, is_found }) }
    }

    /// Puts a member into the field, or else into `extra`, but not into both.
    fn put<S: Source>(self, key: S::Key, value: S, set_aside: &mut SetAside) {
        let Found { slot, extra, alias } = self;
        let Some(alias) = alias else {
            let rest = value.put(slot, None);
            if rest.is_err() {
                slot.clear();
            }
            return keep(extra, key, rest);
        };
        let is_second = extra.is_second(alias.bit);
        let has_other_key = slot.is_set() && is_second != alias.is_found;
        let rest = if !has_other_key {
            let rest = value.put(slot, None);
            if rest.is_err() {
                slot.clear();
            }
            extra.set_second(alias.bit, alias.is_found && rest.is_ok());
            rest
        } else if alias.is_found {
            // The first key goes before the second.
            set_aside.add(alias);
            Err(value)
        } else {
            let mut old = Json::Null;
            let rest = value.put(slot, Some(&mut old));
            if rest.is_ok() {
                extra.insert(alias.key.to_string(), old);
                extra.set_second(alias.bit, false);
                set_aside.add(alias);
            }
            rest
        };
        keep(extra, key, rest);
    }
}

/// Keeps what did not fit its field. What did fit takes the place of earlier
/// members with the same key.
fn keep<S: Source>(extra: &mut Extra, key: S::Key, rest: Result<(), S>) {
    match rest {
        Err(value) => drop(extra.insert(key.into(), value.into_json())),
        Ok(()) if extra.is_empty() => {}
        Ok(()) => drop(extra.remove(key.as_ref())),
    }
}

/// Second keys whose members are in `extra`, because the first key was there
/// as well. A later member with the first key may have emptied the field.
#[derive(Default)]
struct SetAside {
    keys: Vec<&'static str>,
    bits: u64,
}

impl SetAside {
    /// Adds a key once, so that repeated keys take no memory.
    fn add(&mut self, alias: Alias) {
        if self.bits >> alias.bit & 1 == 0 {
            self.bits |= 1 << alias.bit;
            self.keys.push(alias.key);
        }
    }
}

/// Fills a struct with the members of an object, all but the tags.
///
/// Each member is visited once.
pub fn fill<M: Members>(part: &mut dyn Slots, members: M, tags: Tags<'_>) {
    let mut set_aside = SetAside::default();
    for (key, value) in members {
        if tags.contain(key.as_ref()) {
            value.pass_over();
            continue;
        }
        match part.slot(key.as_ref()) {
            Some(found) => found.put(key, value, &mut set_aside),
            None => keep(part.extra_mut(), key, Err(value)),
        }
    }
    for key in set_aside.keys {
        let Some(Found { slot, extra, alias: Some(alias) }) = part.slot(key)
        else {
            continue;
        };
        if slot.is_set() {
            continue;
        }
        let Some(json) = extra.remove(key) else { continue };
        let rest = slot.fill_json(json, None);
        extra.set_second(alias.bit, rest.is_ok());
        if let Err(json) = rest {
            extra.insert(key.to_string(), json);
        }
    }
}

/// Something that is read from a whole object: a struct, or a union of them.
pub trait Part: Sized {
    /// Makes it of the members of an object, all but the tags.
    fn read<M: Members>(members: M, tags: Tags<'_>) -> Self;

    /// The same, in a box.
    fn read_boxed<M: Members>(members: M, tags: Tags<'_>) -> Box<Self> {
        Box::new(Self::read(members, tags))
    }

    /// Returns the struct itself, or the one that a union is.
    fn slots(&self) -> &dyn Slots;

    /// Returns what the member with the given key says, if it has told which
    /// of the structs of a union this is.
    fn tag(&self, _key: &str) -> Option<&'static str> {
        None
    }

    /// Writes all members but the tags.
    ///
    /// # Errors
    ///
    /// What the map says.
    fn write_to<M: SerializeMap>(
        &self,
        map: &mut M,
        tags: Tags<'_>,
    ) -> Result<(), M::Error>;
}

/// The keys that have told which type an object is. They are written by
/// whoever knows that type, and are in no field.
#[derive(Clone, Copy, Debug)]
pub enum Tags<'t> {
    /// No keys.
    None,
    /// A key, and more.
    And(&'static str, &'t Tags<'t>),
}

impl Tags<'_> {
    fn contain(&self, key: &str) -> bool {
        match self {
            Tags::None => false,
            Tags::And(tag, rest) => *tag == key || rest.contain(key),
        }
    }
}

/// Makes an owned type of what a view is a view of.
///
/// `bare` is the member that a bare string is read as.
///
/// # Errors
///
/// The error that [`Line::decode`](crate::Line::decode) would give, if the
/// text is not checked yet and is not JSON.
pub fn try_own<P: Part>(
    value: Value<'_>,
    bare: Option<&str>,
) -> Result<P, Error> {
    value.ensure_checked()?;
    Ok(own(value, bare))
}

/// The same, for a value that is known to be checked.
fn own<P: Part>(value: Value<'_>, bare: Option<&str>) -> P {
    match value.as_object() {
        Some(object) => P::read(object, Tags::None),
        None => {
            let mut map = Map::new();
            if let Some((key, text)) = bare.zip(value.as_str()) {
                map.insert(key.to_string(), text.into());
            }
            P::read(map, Tags::None)
        }
    }
}

/// Writes a struct: its fields, and then everything else. What is in a field
/// goes before what `extra` has under the same key.
///
/// # Errors
///
/// What the map says.
pub fn write<T: Slots, M: SerializeMap>(
    part: &T,
    map: &mut M,
    tags: Tags<'_>,
) -> Result<(), M::Error> {
    part.write(map)?;
    for (key, value) in part.extra() {
        if part.get(key).is_none() && !tags.contain(key) {
            map.serialize_entry(key, value)?;
        }
    }
    Ok(())
}

/// Writes a field, if it has a value, under the key that it has.
///
/// # Errors
///
/// What the map says.
#[inline]
pub fn write_field<T: Slot, M: SerializeMap>(
    field: &Option<T>,
    key: &'static str,
    map: &mut M,
) -> Result<(), M::Error> {
    match field {
        Some(value) => map.serialize_entry(key, value),
        None => Ok(()),
    }
}

/// Returns a field as what [`Slots::get`] returns, if it has a value and
/// `is_written` says that it is written under the key that was asked for.
#[inline]
pub fn if_written(
    slot: &dyn AnySlot,
    is_written: bool,
) -> Option<&dyn AnySlot> {
    (is_written && slot.is_set()).then_some(slot)
}

/// Returns whether the field with the given alias bit has its second key.
#[inline]
pub fn has_second_key(extra: &Extra, bit: u8) -> bool {
    extra.is_second(bit)
}

/// Writes a part as an object of its own.
///
/// # Errors
///
/// What the serializer says.
pub fn serialize<P: Part, S: Serializer>(
    part: &P,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    part.write_to(&mut map, Tags::None)?;
    map.end()
}

/// Reads a part from an object of its own.
///
/// # Errors
///
/// What the deserializer says.
pub fn deserialize<'de, P: Part, D: Deserializer<'de>>(
    from: D,
) -> Result<P, D::Error> {
    let map = Map::<String, Json>::deserialize(from)?;
    Ok(P::read(map, Tags::None))
}
