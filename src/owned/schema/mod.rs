/*!
The macro that generates owned types from tables, and its supporting types.

[`message::schema`](crate::message::schema) describes tables and has an
example. [`owned_types!`] generates one type from each item:

| item | owned type |
|---|---|
| `struct` | a struct with a public `Option` for each field, the parents' included, and `extra` |
| `enum` | an enum, with `Other(String)` for unknown strings |
| `union` | an enum of boxed structs |

All implement `Clone`, `Debug`, `PartialEq`, `Eq`, `Serialize` and
`Deserialize`. Structs implement `Default`. Structs and unions implement
`TryFrom` their views. Enums implement `From<&str>`, `From<String>`, `FromStr`,
`AsRef<str>` and `Display`.

One rule makes them lossless: a member whose value has the type of its field is
stored there. Any other member stays in `extra` under its own key: if the key
is unknown, if the value is `null` or has another type, or if the key is an
alias and the primary key is present too.

One function, [`fill`], fills an owned type from a line or from serde_json:
both are a [`Source`]. Each member is visited once.
*/

mod owned_types;

use std::num::NonZeroU16;

use serde::{Deserialize, Deserializer, Serializer, ser::SerializeMap};
use serde_json::{Map, Value as Json};

use crate::json::Value;

#[doc(no_inline)]
pub use crate::{
    error::Error,
    owned::{
        extra::Extra,
        fields::OrString,
        line_value::{LineMembers, LineObject, LineValue},
        slot::{AnySlot, Members, Slot, Source},
    },
};
#[doc(inline)]
pub use owned_types::owned_types;
#[doc(hidden)]
pub use {serde, serde_json};

/// The maximum number of fields with an alias in a struct.
pub const MAX_ALIASES: usize = crate::owned::extra::MAX_ALIASES;

/// Access to the fields of an owned struct by key.
///
/// A key is looked up once: [`find`](Slots::find) compares it with those of
/// the struct, and the other methods take the index of a field. There are
/// thousands of fields, so this keeps the library small.
pub trait Slots {
    /// Returns the field that has the given key or alias.
    fn find(&self, key: &str) -> Option<FieldKey>;

    /// Returns the field with the given index.
    fn field(&self, index: u16) -> Option<&dyn AnySlot>;

    /// Returns the field with the given index, and the members that are not
    /// stored in a field.
    fn field_mut(
        &mut self,
        index: u16,
    ) -> Option<(&mut dyn AnySlot, &mut Extra)>;

    /// Returns the index and the alias of each field that has one.
    fn aliases(&self) -> &'static [(u16, &'static str)];

    /// Returns the members that are not stored in a field.
    fn extra(&self) -> &Extra;

    /// Returns the members that are not stored in a field, mutably.
    fn extra_mut(&mut self) -> &mut Extra;

    /// Serialises all fields that have a value.
    ///
    /// # Errors
    ///
    /// Returns the error of the map.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>
    where
        Self: Sized;
}

impl dyn Slots + '_ {
    /// Returns the field that is serialised under the given key, if it has a
    /// value.
    pub(crate) fn get(&self, key: &str) -> Option<&dyn AnySlot> {
        let found = self.find(key)?;
        let slot = self.field(found.index())?;
        let alias = self.alias(found);
        let is_second = alias.is_some_and(|a| self.extra().is_second(a.bit));
        (is_second == found.is_alias() && slot.is_set()).then_some(slot)
    }

    /// Returns the alias of a field, if it has one.
    fn alias(&self, field: FieldKey) -> Option<Alias> {
        if !field.has_alias() {
            return None;
        }
        let aliases = (0..).zip(self.aliases());
        let mut aliases =
            aliases.map(|(bit, &(index, key))| (bit, index, key));
        let (bit, _, key) = aliases.find(|&(_, i, _)| i == field.index())?;
        Some(Alias { key, bit })
    }
}

/// A field of an owned struct that was found by one of its keys: the index of
/// the field, and whether the key is its alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldKey(NonZeroU16);

impl FieldKey {
    /// Creates the result of [`Slots::find`]. Returns `None` if the index is
    /// larger than 16,382.
    #[inline]
    pub const fn new(
        index: u16,
        has_alias: bool,
        is_alias: bool,
    ) -> Option<FieldKey> {
        if index >= u16::MAX >> 2 {
            return None;
        }
        let bits =
            (index + 1) << 2 | (has_alias as u16) << 1 | is_alias as u16;
        match NonZeroU16::new(bits) {
            Some(bits) => Some(FieldKey(bits)),
            None => None,
        }
    }

    fn index(self) -> u16 {
        (self.0.get() >> 2) - 1
    }

    fn has_alias(self) -> bool {
        self.0.get() >> 1 & 1 == 1
    }

    fn is_alias(self) -> bool {
        self.0.get() & 1 == 1
    }
}

/// The alias of a field.
#[derive(Clone, Copy, Debug)]
struct Alias {
    key: &'static str,
    /// The bit in [`Extra`] that records whether the field was read by its
    /// alias.
    bit: u8,
}

/// Stores a member either in the field that was found or in `extra`.
fn put<S: Source>(
    part: &mut dyn Slots,
    found: FieldKey,
    key: S::Key,
    value: S,
    set_aside: &mut SetAside,
) {
    let alias = part.alias(found);
    let Some((slot, extra)) = part.field_mut(found.index()) else {
        return keep_extra(part.extra_mut(), key, value);
    };
    let Some(alias) = alias else {
        let rest = value.put(slot);
        if rest.is_err() {
            slot.clear();
        }
        return keep(extra, key, rest);
    };
    let is_alias = found.is_alias();
    let has_other_key =
        slot.is_set() && extra.is_second(alias.bit) != is_alias;
    let rest = if !has_other_key {
        let rest = value.put(slot);
        if rest.is_err() {
            slot.clear();
        }
        extra.set_second(alias.bit, is_alias && rest.is_ok());
        rest
    } else if is_alias {
        // The primary key takes precedence over the alias.
        set_aside.add(alias);
        Err(value)
    } else {
        let old = slot.to_json();
        let rest = value.put(slot);
        if rest.is_ok() {
            extra.insert(alias.key.to_string(), old);
            extra.set_second(alias.bit, false);
            set_aside.add(alias);
        }
        rest
    };
    keep(extra, key, rest);
}

/// Keeps a value in `extra` if it was not stored in its field. If it was
/// stored, an earlier member with the same key is removed.
#[inline]
fn keep<S: Source>(extra: &mut Extra, key: S::Key, rest: Result<(), S>) {
    match rest {
        Ok(()) if extra.is_empty() => {}
        Ok(()) => drop(extra.remove(key.as_ref())),
        Err(value) => keep_extra(extra, key, value),
    }
}

/// Not inlined: most members have a field.
#[inline(never)]
fn keep_extra<S: Source>(extra: &mut Extra, key: S::Key, value: S) {
    extra.insert(key.into(), value.into_json());
}

/// Aliases whose members are in `extra`, because the primary key was present
/// too. A later member with the primary key may have cleared the field.
#[derive(Default)]
struct SetAside {
    aliases: Vec<Alias>,
    bits: u64,
}

impl SetAside {
    /// Adds an alias once, so that duplicate keys use no memory.
    fn add(&mut self, alias: Alias) {
        if self.bits >> alias.bit & 1 == 0 {
            self.bits |= 1 << alias.bit;
            self.aliases.push(alias);
        }
    }
}

/// Fills a struct with the members of an object, except the tags.
///
/// Each member is visited once.
pub fn fill<M: Members>(part: &mut dyn Slots, members: M, tags: Tags<'_>) {
    let mut set_aside = SetAside::default();
    for (key, value) in members {
        if tags.contain(key.as_ref()) {
            value.pass_over();
            continue;
        }
        match part.find(key.as_ref()) {
            Some(found) => put(part, found, key, value, &mut set_aside),
            None => keep_extra(part.extra_mut(), key, value),
        }
    }
    for alias in set_aside.aliases {
        let found = part.find(alias.key);
        let Some((slot, extra)) =
            found.and_then(|found| part.field_mut(found.index()))
        else {
            continue;
        };
        if slot.is_set() {
            continue;
        }
        let Some(json) = extra.remove(alias.key) else { continue };
        let rest = slot.fill_json(json);
        extra.set_second(alias.bit, rest.is_ok());
        if let Err(json) = rest {
            extra.insert(alias.key.to_string(), json);
        }
    }
}

/// A type that is read from a whole object: a struct or a union.
pub trait Part: Sized {
    /// Reads the members of an object, except the tags.
    fn read<M: Members>(members: M, tags: Tags<'_>) -> Self;

    /// Does the same as [`read`](Part::read), into a field.
    fn read_into<M: Members>(
        field: &mut Option<Self>,
        members: M,
        tags: Tags<'_>,
    ) {
        *field = Some(Self::read(members, tags));
    }

    /// Does the same as [`read`](Part::read), into a box.
    fn read_boxed<M: Members>(members: M, tags: Tags<'_>) -> Box<Self> {
        Box::new(Self::read(members, tags))
    }

    /// Returns the struct, or the active struct of a union.
    fn slots(&self) -> &dyn Slots;

    /// Returns the value of the tag with the given key, if it selected the
    /// active struct of a union.
    fn tag(&self, _key: &str) -> Option<&'static str> {
        None
    }

    /// Serialises all members, except the tags.
    ///
    /// # Errors
    ///
    /// Returns the error of the map.
    fn write_to<M: SerializeMap>(
        &self,
        map: &mut M,
        tags: Tags<'_>,
    ) -> Result<(), M::Error>;
}

/// The discriminant keys of an object, such as `type` and `subtype`. The
/// enclosing enum serialises them, so they are not stored in a field.
#[derive(Clone, Copy, Debug)]
pub enum Tags<'t> {
    /// The empty list.
    None,
    /// A key, followed by the rest of the list.
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

/// Fills a struct from the value of a view.
///
/// A bare string is read as an object with the single key `bare`.
///
/// # Errors
///
/// Returns the error that [`Line::decode`](crate::Line::decode) would return,
/// if the text has not been checked yet and is not JSON.
/// [`ErrorKind::Data`](crate::ErrorKind::Data) if the value is neither an
/// object nor such a string.
pub fn try_fill(
    part: &mut dyn Slots,
    value: Value<'_>,
    bare: Option<&str>,
) -> Result<(), Error> {
    value.ensure_checked()?;
    if let Some(object) = value.as_object() {
        fill(part, LineObject(object), Tags::None);
        return Ok(());
    }
    let Some((key, text)) = bare.zip(value.as_str()) else {
        return Err(value.not_an_object());
    };
    let mut map = Map::new();
    map.insert(key.to_string(), text.into());
    fill(part, map, Tags::None);
    Ok(())
}

/// Creates a union from the value of a view.
///
/// # Errors
///
/// Returns the same errors as [`try_fill`]. The value must be an object.
pub fn try_own<P: Part>(value: Value<'_>) -> Result<P, Error> {
    value.ensure_checked()?;
    match value.as_object() {
        Some(object) => Ok(P::read(LineObject(object), Tags::None)),
        None => Err(value.not_an_object()),
    }
}

/// Serialises a struct: first its fields, then `extra`. A field takes
/// precedence over a member of `extra` with the same key.
///
/// # Errors
///
/// Returns the error of the map.
pub fn write<T: Slots, M: SerializeMap>(
    part: &T,
    map: &mut M,
    tags: Tags<'_>,
) -> Result<(), M::Error> {
    part.write(map)?;
    write_extra(part, map, tags)
}

/// Serialises the members that are not stored in a field.
///
/// Not inlined: it does not depend on the struct.
#[inline(never)]
fn write_extra<M: SerializeMap>(
    part: &dyn Slots,
    map: &mut M,
    tags: Tags<'_>,
) -> Result<(), M::Error> {
    for (key, value) in part.extra() {
        if part.get(key).is_none() && !tags.contain(key) {
            map.serialize_entry(key, value)?;
        }
    }
    Ok(())
}

/// Serialises a field under the given key, if it has a value.
///
/// # Errors
///
/// Returns the error of the map.
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

/// Returns whether the field with the given alias bit was read by its alias.
#[inline]
pub fn has_second_key(extra: &Extra, bit: u8) -> bool {
    extra.is_second(bit)
}

/// Serialises a part as a complete object.
///
/// # Errors
///
/// Returns the error of the serializer.
pub fn serialize<P: Part, S: Serializer>(
    part: &P,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    part.write_to(&mut map, Tags::None)?;
    map.end()
}

/// Deserialises a part from a complete object.
///
/// # Errors
///
/// Returns the error of the deserializer.
pub fn deserialize<'de, P: Part, D: Deserializer<'de>>(
    from: D,
) -> Result<P, D::Error> {
    let map = Map::<String, Json>::deserialize(from)?;
    Ok(P::read(map, Tags::None))
}
