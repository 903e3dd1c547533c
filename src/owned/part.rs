/*!
Structs and unions as trait objects, and the functions that fill and write
them. They are compiled once for all types.
*/

use std::{borrow::Cow, mem};

use serde::{Serializer, ser::SerializeMap};
use serde_json::Value as Json;

use crate::{
    message::schema::ViewField,
    owned::{
        extra::Extra,
        slot::{AnySlot, Held},
        source::{Members, Source},
    },
};

/// An owned struct: its fields, which have numbers, and the members that are
/// not stored in a field. The fields of the parent follow those of the struct.
///
/// [`Extra`] is the parent of a struct that has no other: it has no fields.
pub trait Slots {
    /// Returns the keys of the struct's own fields, by number.
    fn keys(&self) -> &'static Keys;

    /// Finds the field with the given key or alias. `before` is added to its
    /// number.
    fn find(&self, key: &str, before: u16) -> Option<Found>;

    /// Returns the field with the given number.
    fn field(&self, index: u16) -> Option<&dyn AnySlot>;

    /// Returns the field with the given number, mutably.
    fn field_mut(&mut self, index: u16) -> Option<&mut dyn AnySlot>;

    /// Visits the values of the struct's own fields, by number.
    fn each(&self, visit: &mut dyn FnMut(u16, Held<'_>));

    /// Returns the parent.
    fn base(&self) -> Option<&dyn Slots>;

    /// Returns the members that are not stored in a field.
    fn extra(&self) -> &Extra;

    /// Returns the members that are not stored in a field, mutably.
    fn extra_mut(&mut self) -> &mut Extra;
}

impl Slots for Extra {
    fn keys(&self) -> &'static Keys {
        &<Extra as Keyed>::KEYS
    }

    fn find(&self, _key: &str, _before: u16) -> Option<Found> {
        None
    }

    fn field(&self, _index: u16) -> Option<&dyn AnySlot> {
        None
    }

    fn field_mut(&mut self, _index: u16) -> Option<&mut dyn AnySlot> {
        None
    }

    fn each(&self, _visit: &mut dyn FnMut(u16, Held<'_>)) {}

    fn base(&self) -> Option<&dyn Slots> {
        None
    }

    fn extra(&self) -> &Extra {
        self
    }

    fn extra_mut(&mut self) -> &mut Extra {
        self
    }
}

/// A field that was found by one of its keys.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The number of the field.
    pub index: u16,
    /// The bit in [`Extra`] that records whether the field was read by its
    /// alias, counted from 1; 0 if it has none.
    pub alias: u8,
    /// Whether the key is the alias.
    pub is_alias: bool,
}

impl Found {
    fn bit(self) -> Option<u8> {
        self.alias.checked_sub(1)
    }
}

/// The keys of a struct's own fields: the table of its view.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// The fields of the view.
    pub fields: &'static [ViewField<'static>],
    /// The bit of each alias, as in [`Found`].
    pub bits: &'static [u8],
    /// The number of aliases, the parents' included.
    pub aliases: u8,
}

/// The maximum number of fields with an alias in a struct and its parents.
pub const MAX_ALIASES: u8 = 64;

/// A type that has keys, and may be a parent.
pub trait Keyed {
    /// The keys.
    const KEYS: Keys;

    /// The key as which a bare string is read, if it may replace the object.
    const BARE: Option<&'static str>;
}

impl Keyed for Extra {
    const KEYS: Keys = Keys { fields: &[], bits: &[], aliases: 0 };
    const BARE: Option<&'static str> = None;
}

impl dyn Slots + '_ {
    /// Returns the value of the field that is serialised under the given key.
    pub(crate) fn get(&self, key: &str) -> Option<Held<'_>> {
        let found = self.find(key, 0)?;
        let held = self.field(found.index)?.held()?;
        let is_second =
            found.bit().is_some_and(|bit| self.extra().is_second(bit));
        (is_second == found.is_alias).then_some(held)
    }

    /// Returns the alias of a field.
    fn alias(&self, index: u16) -> Option<&'static str> {
        let fields = self.keys().fields;
        match fields.get(usize::from(index)) {
            Some(field) => field.alias(),
            None => self.base()?.alias(index - fields.len() as u16),
        }
    }
}

/// A type that is read from a whole object: a struct or a union.
pub trait Part {
    /// Creates a value without members: for a union, of the variant that the
    /// discriminants among the members select.
    fn start(members: &Members<'_>) -> Self
    where
        Self: Sized;

    /// Does the same as [`start`](Part::start), in a box.
    fn start_boxed(members: &Members<'_>) -> Box<Self>
    where
        Self: Sized,
    {
        Box::new(Self::start(members))
    }

    /// Returns the key as which a bare string is read, if it may replace the
    /// object.
    fn bare() -> Option<&'static str>
    where
        Self: Sized,
    {
        None
    }

    /// Returns what this is.
    fn inside(&self) -> Inside<'_>;

    /// Returns what this is, mutably.
    fn inside_mut(&mut self) -> InsideMut<'_>;
}

impl<T: Slots + Keyed + Default> Part for T {
    fn start(_members: &Members<'_>) -> T {
        T::default()
    }

    // Not inlined: unions have dozens of these calls.
    #[inline(never)]
    fn start_boxed(_members: &Members<'_>) -> Box<T> {
        Box::default()
    }

    fn bare() -> Option<&'static str> {
        T::BARE
    }

    fn inside(&self) -> Inside<'_> {
        Inside::Struct(self)
    }

    fn inside_mut(&mut self) -> InsideMut<'_> {
        InsideMut::Struct(self)
    }
}

/// The key and the value of a union's discriminant.
pub type Tag = (&'static str, &'static str);

/// A struct, or the active variant of a union.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations)] // trait objects
pub enum Inside<'a> {
    /// A struct.
    Struct(&'a dyn Slots),
    /// The active variant, and the discriminant that selected it.
    Variant(Option<Tag>, &'a dyn Part),
}

/// A struct, or the active variant of a union, mutably.
#[allow(missing_debug_implementations)] // trait objects
pub enum InsideMut<'a> {
    /// A struct.
    Struct(&'a mut dyn Slots),
    /// The active variant, and the discriminant that selected it.
    Variant(Option<Tag>, &'a mut dyn Part),
}

impl<'a> Inside<'a> {
    /// Returns the member that is serialised under the given key: a
    /// discriminant, a field or a member of `extra`.
    pub(crate) fn get(mut self, key: &str) -> Option<Held<'a>> {
        loop {
            match self {
                Inside::Variant(Some((own, text)), _) if own == key => {
                    return Some(Held::Text(text));
                }
                Inside::Variant(_, part) => self = part.inside(),
                Inside::Struct(slots) => {
                    return slots
                        .get(key)
                        .or_else(|| slots.extra().get(key).map(Held::Json));
                }
            }
        }
    }

    /// Returns the value of the discriminant with the given key, if it
    /// selected a variant.
    pub fn tag(mut self, key: &str) -> Option<&'static str> {
        loop {
            match self {
                Inside::Struct(_) => return None,
                Inside::Variant(Some((own, text)), _) if own == key => {
                    return Some(text);
                }
                Inside::Variant(_, part) => self = part.inside(),
            }
        }
    }
}

/// The keys of the discriminants of an object, such as `type` and `subtype`.
/// The unions around a struct write them, so they are not stored in it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tags<'t> {
    /// The empty list.
    None,
    /// A key, followed by the rest of the list.
    And(&'static str, &'t Tags<'t>),
}

impl Tags<'_> {
    fn contain(&self, key: &str) -> bool {
        let mut tags = self;
        while let Tags::And(tag, rest) = tags {
            if *tag == key {
                return true;
            }
            tags = rest;
        }
        false
    }
}

/// Fills a new value with the members of an object, except the tags. Each
/// member is visited once.
pub(crate) fn fill(to: InsideMut<'_>, members: Members<'_>, tags: Tags<'_>) {
    match to {
        InsideMut::Variant(Some((key, _)), part) => {
            fill(part.inside_mut(), members, Tags::And(key, &tags));
        }
        InsideMut::Variant(None, part) => {
            fill(part.inside_mut(), members, tags);
        }
        InsideMut::Struct(slots) => {
            let mut filling = Filling {
                slots,
                has_extra: false,
                set_aside: vec![],
                set_aside_bits: 0,
            };
            members.each(|key, value| {
                if tags.contain(&key) {
                    value.pass_over();
                } else {
                    filling.put(key, value);
                }
            });
            filling.finish();
        }
    }
}

/// A struct that is being filled.
struct Filling<'s> {
    slots: &'s mut dyn Slots,
    /// Whether there may be a member in `extra`.
    has_extra: bool,
    /// Fields whose alias has its member in `extra`, because the primary key
    /// was present too. A later member with the primary key may have cleared
    /// the field.
    set_aside: Vec<Found>,
    /// The bits of these fields.
    set_aside_bits: u64,
}

impl Filling<'_> {
    /// Stores a member either in a field or in `extra`.
    fn put(&mut self, key: Cow<'_, str>, mut value: Source<'_>) {
        let is_stored = match self.slots.find(&key, 0) {
            None => false,
            Some(found) => match found.bit() {
                None => self.fill(found, &mut value),
                Some(bit) => self.fill_either(found, bit, &mut value),
            },
        };
        if !is_stored {
            self.keep(key, value.take_json());
        } else if self.has_extra {
            // An earlier member with the same key.
            self.slots.extra_mut().remove(&*key);
        }
    }

    #[inline]
    fn fill(&mut self, field: Found, value: &mut Source<'_>) -> bool {
        let slot = self.slots.field_mut(field.index);
        slot.is_some_and(|slot| slot.fill(value))
    }

    /// Does the same as [`fill`](Filling::fill) for a field with an alias.
    fn fill_either(
        &mut self,
        found: Found,
        bit: u8,
        value: &mut Source<'_>,
    ) -> bool {
        let is_second = self.slots.extra().is_second(bit);
        let Some(slot) = self.slots.field_mut(found.index) else {
            return false;
        };
        let other = match is_second == found.is_alias {
            true => None,
            false => slot.held(),
        };
        let Some(other) = other else {
            let fits = slot.fill(value);
            let is_second = found.is_alias && fits;
            self.slots.extra_mut().set_second(bit, is_second);
            return fits;
        };
        if found.is_alias {
            // The primary key takes precedence over the alias.
            self.set_aside(found, bit);
            return false;
        }
        let other = other.to_json();
        if !slot.fill(value) {
            slot.fill(&mut Source::of_json(other));
            return false;
        }
        self.set_aside(found, bit);
        self.slots.extra_mut().set_second(bit, false);
        if let Some(alias) = self.slots.alias(found.index) {
            self.keep(alias.into(), other);
        }
        true
    }

    /// Adds a field once, so that duplicate keys use no memory.
    fn set_aside(&mut self, field: Found, bit: u8) {
        if self.set_aside_bits >> bit & 1 == 0 {
            self.set_aside_bits |= 1 << bit;
            self.set_aside.push(field);
        }
    }

    /// Keeps a member in `extra`. Not inlined: most members have a field.
    #[inline(never)]
    fn keep(&mut self, key: Cow<'_, str>, json: Json) {
        self.has_extra = true;
        self.slots.extra_mut().insert(key.into_owned(), json);
    }

    /// Gives fields that are empty the member of their alias.
    fn finish(mut self) {
        for field in mem::take(&mut self.set_aside) {
            let Some((alias, bit)) =
                self.slots.alias(field.index).zip(field.bit())
            else {
                continue;
            };
            let slot = self.slots.field(field.index);
            if slot.is_none_or(|slot| slot.held().is_some()) {
                continue;
            }
            let Some(json) = self.slots.extra_mut().remove(alias) else {
                continue;
            };
            let mut json = Source::of_json(json);
            let fits = self.fill(field, &mut json);
            self.slots.extra_mut().set_second(bit, fits);
            if !fits {
                self.keep(alias.into(), json.take_json());
            }
        }
    }
}

/// Serialises a part as a whole object.
pub(crate) fn serialize<S: Serializer>(
    part: &dyn Part,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    write(part.inside(), &mut map, Tags::None)?;
    map.end()
}

/// Serialises the tags, the fields and then `extra`, except tags of the unions
/// around. A field takes precedence over a member of `extra` with the same
/// key.
pub(crate) fn write<M: SerializeMap>(
    part: Inside<'_>,
    map: &mut M,
    tags: Tags<'_>,
) -> Result<(), M::Error> {
    let slots = match part {
        Inside::Variant(Some((key, text)), part) => {
            map.serialize_entry(key, text)?;
            return write(part.inside(), map, Tags::And(key, &tags));
        }
        Inside::Variant(None, part) => {
            return write(part.inside(), map, tags);
        }
        Inside::Struct(slots) => slots,
    };
    let extra = slots.extra();
    let mut level = Some(slots);
    while let Some(own) = level {
        write_own(own, extra, map)?;
        level = own.base();
    }
    for (key, value) in extra {
        if slots.get(key).is_none() && !tags.contain(key) {
            map.serialize_entry(key, value)?;
        }
    }
    Ok(())
}

/// Serialises the fields of a struct itself.
fn write_own<M: SerializeMap>(
    slots: &dyn Slots,
    extra: &Extra,
    map: &mut M,
) -> Result<(), M::Error> {
    let Keys { fields, bits, .. } = slots.keys();
    let mut written = Ok(());
    slots.each(&mut |index, held| {
        let index = usize::from(index);
        let (Some(field), Some(bit)) = (fields.get(index), bits.get(index))
        else {
            return;
        };
        let key = match bit.checked_sub(1) {
            Some(bit) if extra.is_second(bit) => field.alias(),
            _ => None,
        };
        if written.is_ok() {
            let key = key.unwrap_or(field.key());
            written = map.serialize_entry(key, &held);
        }
    });
    written
}
