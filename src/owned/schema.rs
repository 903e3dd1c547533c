/*!
What makes owned types of the schema's tables.

An owned struct has a slot for each field, and `extra` for everything else. One
rule keeps it lossless: a member whose value fits its slot goes there, and any
other stays in `extra` under its own key, be it unknown, `null`, of another
type, or the second casing of a field that is there already.

There are two ways to fill a struct, and they must agree: from a view, for
[`into_owned`](crate::Message::into_owned), and from a map, for `Deserialize`.
Both read every member once, whatever the keys are: repeated ones and second
casings cost no more than others.
*/

use serde::{Serializer, ser::SerializeMap};

use crate::json::{Object, Value};

pub(crate) use crate::owned::slot::{Extra, Slot, to_json};

/// An object, or the part of one, that has slots.
pub(crate) trait Fields: Default {
    /// Puts a member into its slot, if there is one that it fits. What the
    /// slot held before had the same key, and gives way.
    fn take(&mut self, key: &str, value: Value<'_>) -> Taken;

    /// Whether the key is the second one of some field.
    fn is_alias(key: &str) -> bool;

    /// Puts a member whose key is the second one of its field into the slot,
    /// unless it fits not, or a member with the first key is there.
    fn take_alias(&mut self, key: &str, value: Value<'_>) -> Taken;

    /// Takes all members that fit a slot out of a map.
    fn take_all(&mut self, map: &mut Extra);

    /// Writes all slots.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;

    /// Whether a slot is written under this key.
    fn holds(&self, key: &str) -> bool;

    fn extra(&self) -> &Extra;

    fn extra_mut(&mut self) -> &mut Extra;
}

/// What became of a member.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Taken {
    InSlot,
    /// It has no slot, or does not fit it.
    No,
    /// Its key is the second one of a field: it comes after the others.
    Later,
}

/// Something that is read from a whole object: a struct, or a union of them.
pub(crate) trait Part: Sized {
    fn read(object: Object<'_>, tags: Tags<'_>) -> Self;

    fn from_map(map: Extra, tags: Tags<'_>) -> Self;

    /// Writes all members but the tags.
    fn write_to<M: SerializeMap>(
        &self,
        map: &mut M,
        tags: Tags<'_>,
    ) -> Result<(), M::Error>;
}

/// The keys that have told which type an object is. They are written by
/// whoever knows that type, and belong into no slot.
#[derive(Clone, Copy)]
pub(crate) enum Tags<'t> {
    None,
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

/// Reads a struct from a view.
pub(crate) fn read<T: Fields>(object: Object<'_>, tags: Tags<'_>) -> T {
    let mut part = T::default();
    let mut later = false;
    for (key, value) in object {
        if tags.contain(key) {
            continue;
        }
        match part.take(key, value) {
            Taken::Later => later = true,
            taken => settle(&mut part, taken, key, value),
        }
    }
    if later {
        for (key, value) in object {
            if T::is_alias(key) && !tags.contain(key) {
                let taken = part.take_alias(key, value);
                settle(&mut part, taken, key, value);
            }
        }
    }
    part
}

/// Sees to it that a member is in its slot or in `extra`, but not in both.
fn settle<T: Fields>(part: &mut T, taken: Taken, key: &str, value: Value<'_>) {
    let extra = part.extra_mut();
    if taken != Taken::InSlot {
        extra.insert(key.to_string(), to_json(value));
    } else if !extra.is_empty() {
        extra.remove(key);
    }
}

/// Reads a struct from a map.
pub(crate) fn from_map<T: Fields>(mut map: Extra, tags: Tags<'_>) -> T {
    map.retain(|key, _| !tags.contain(key));
    let mut part = T::default();
    part.take_all(&mut map);
    *part.extra_mut() = map;
    part
}

/// Writes a struct: its slots, and then everything else. What somebody has
/// put into a slot stands above what `extra` has under the same key.
pub(crate) fn write<T: Fields, M: SerializeMap>(
    part: &T,
    map: &mut M,
    tags: Tags<'_>,
) -> Result<(), M::Error> {
    part.write(map)?;
    for (key, value) in part.extra() {
        if !part.holds(key) && !tags.contain(key) {
            map.serialize_entry(key, value)?;
        }
    }
    Ok(())
}

/// Puts a member into its slot.
#[inline]
pub(crate) fn place<T: Slot>(slot: &mut Option<T>, value: Value<'_>) -> Taken {
    *slot = T::from_value(value);
    if slot.is_some() { Taken::InSlot } else { Taken::No }
}

/// Puts a member with the second key of a field into the slot, if no member
/// with the first one is there.
pub(crate) fn place_alias<T: Slot>(
    slot: &mut Option<T>,
    aliases: &mut Aliases,
    field: usize,
    value: Value<'_>,
) -> Taken {
    if slot.is_some() && !aliases.get(field) {
        return Taken::No;
    }
    let taken = place(slot, value);
    match taken {
        Taken::InSlot => aliases.set(field),
        _ => aliases.unset(field),
    }
    taken
}

/// Takes the member with the given key out of a map, if it fits the slot.
pub(crate) fn pick<T: Slot>(
    slot: &mut Option<T>,
    map: &mut Extra,
    key: &str,
) -> bool {
    if !map.get(key).is_some_and(T::fits) {
        return false;
    }
    *slot = map.remove(key).and_then(T::from_json);
    slot.is_some()
}

/// Which fields have been read under their second key, to be written so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aliases(u128);

impl Aliases {
    pub(crate) fn set(&mut self, field: usize) {
        self.0 |= 1 << field;
    }

    pub(crate) fn unset(&mut self, field: usize) {
        self.0 &= !(1 << field);
    }

    pub(crate) fn get(self, field: usize) -> bool {
        self.0 >> field & 1 == 1
    }
}

/// Writes a part as an object of its own.
pub(crate) fn serialize<P: Part, S: Serializer>(
    part: &P,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    part.write_to(&mut map, Tags::None)?;
    map.end()
}

/// The type that a field has in an owned struct.
macro_rules! owned_type {
    (str) => { String };
    (bool) => { bool };
    (u64) => { u64 };
    (i64) => { i64 };
    (f64) => { serde_json::Number };
    (json) => { serde_json::Value };
    ([$item:tt]) => { Vec<$crate::owned::schema::owned_type!($item)> };
    ({$value:tt}) => {
        std::collections::BTreeMap<
            String, $crate::owned::schema::owned_type!($value)
        >
    };
    (($name:ident)) => { $crate::owned::OrString<$crate::owned::$name> };
    ($name:ident) => { $crate::owned::$name };
}
pub(crate) use owned_type;

/// Makes an owned type of one item of a table.
macro_rules! owned_types {
    (
        $(#[$doc:meta])*
        struct $name:ident $(: $parent:ident)? $(or $bare:literal)? {$(
            $(#[$note:meta])*
            $field:ident: $type:tt = $key:literal $(| $alias:literal)?,
        )*}
    ) => {
        $crate::owned::schema::owned_struct! {
            [$(#[$doc])*] $name [$($parent)?]
            {$(
                [$(#[$note])* #[doc = concat!(
                    "\n\n`", $key, "`", $(" or `", $alias, "`",)?
                    " on the wire."
                )]]
                $field: $crate::owned::schema::owned_type!($type),
            )*}
        }

        const _: () = {
            #[allow(non_camel_case_types, dead_code)]
            enum Index { $($field,)* Count }
            const { assert!(Index::Count as usize <= 128) };

            #[allow(unused_variables)]
            impl $crate::owned::schema::Fields for $name {
                fn take(
                    &mut self,
                    key: &str,
                    value: $crate::json::Value<'_>,
                ) -> $crate::owned::schema::Taken {
                    match key {
                        $(
                            $key => $crate::owned::schema::place(
                                &mut self.$field, value,
                            ),
                            $($alias => $crate::owned::schema::Taken::Later,)?
                        )*
                        _ => $crate::owned::schema::by_parent!(
                            [$($parent)?] $crate::owned::schema::Taken::No,
                            take(&mut self.base, key, value)
                        ),
                    }
                }

                fn is_alias(key: &str) -> bool {
                    match key {
                        $($($alias => true,)?)*
                        _ => false $(|| <$crate::owned::$parent as
                            $crate::owned::schema::Fields>::is_alias(key))?
                    }
                }

                fn take_alias(
                    &mut self,
                    key: &str,
                    value: $crate::json::Value<'_>,
                ) -> $crate::owned::schema::Taken {
                    match key {
                        $($(
                            $alias => $crate::owned::schema::place_alias(
                                &mut self.$field,
                                &mut self.aliases,
                                Index::$field as usize,
                                value,
                            ),
                        )?)*
                        _ => $crate::owned::schema::by_parent!(
                            [$($parent)?] $crate::owned::schema::Taken::No,
                            take_alias(&mut self.base, key, value)
                        ),
                    }
                }

                fn holds(&self, key: &str) -> bool {
                    match key {
                        $(
                            $key => {
                                let field = Index::$field as usize;
                                self.$field.is_some()
                                    && !self.aliases.get(field)
                            }
                            $($alias => {
                                let field = Index::$field as usize;
                                self.$field.is_some()
                                    && self.aliases.get(field)
                            })?
                        )*
                        _ => $crate::owned::schema::by_parent!(
                            [$($parent)?] false, holds(&self.base, key)
                        ),
                    }
                }

                fn take_all(&mut self, map: &mut $crate::owned::Extra) {
                    $(
                        let slot = &mut self.$field;
                        let found =
                            $crate::owned::schema::pick(slot, map, $key);
                        $(
                            if !found
                                && $crate::owned::schema::pick(
                                    slot, map, $alias,
                                )
                            {
                                self.aliases.set(Index::$field as usize);
                            }
                        )?
                    )*
                    $(
                        <$crate::owned::$parent as
                            $crate::owned::schema::Fields>::take_all(
                            &mut self.base, map,
                        );
                    )?
                }

                fn write<M: serde::ser::SerializeMap>(
                    &self,
                    map: &mut M,
                ) -> Result<(), M::Error> {
                    $(
                        if let Some(value) = &self.$field {
                            let second =
                                self.aliases.get(Index::$field as usize);
                            let alias = [$($alias,)? $key][0];
                            let key = if second { alias } else { $key };
                            map.serialize_entry(key, value)?;
                        }
                    )*
                    $crate::owned::schema::by_parent!(
                        [$($parent)?] Ok(()), write(&self.base, map)
                    )
                }

                fn extra(&self) -> &$crate::owned::Extra {
                    &self.extra
                }

                fn extra_mut(&mut self) -> &mut $crate::owned::Extra {
                    &mut self.extra
                }
            }
        };

        impl $crate::owned::schema::Part for $name {
            fn read(
                object: $crate::json::Object<'_>,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> $name {
                $crate::owned::schema::read(object, tags)
            }

            fn from_map(
                map: $crate::owned::Extra,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> $name {
                $crate::owned::schema::from_map(map, tags)
            }

            fn write_to<M: serde::ser::SerializeMap>(
                &self,
                map: &mut M,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> Result<(), M::Error> {
                $crate::owned::schema::write(self, map, tags)
            }
        }

        $crate::owned::schema::serde_by_parts!($name);
    };

    (
        $(#[$doc:meta])*
        enum $name:ident {$(
            $(#[$note:meta])*
            $variant:ident = $text:literal,
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$note])*
                #[doc = concat!("\n\n`", $text, "` on the wire.")]
                $variant,
            )*
            /// A string that is not known.
            Other(String),
        }

        impl $name {
            /// The string on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $text,)*
                    $name::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> $name {
                match text {
                    $($text => $name::$variant,)*
                    _ => $name::Other(text.to_string()),
                }
            }
        }

        impl $crate::owned::schema::Slot for $name {
            fn from_value(value: $crate::json::Value<'_>) -> Option<$name> {
                value.as_str().map($name::from)
            }

            fn fits(json: &serde_json::Value) -> bool {
                json.is_string()
            }

            fn from_json(json: serde_json::Value) -> Option<$name> {
                json.as_str().map($name::from)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(
                &self,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                from: D,
            ) -> Result<$name, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(from)?;
                Ok($name::from(&text[..]))
            }
        }
    };

    (
        $(#[$doc:meta])*
        union $name:ident by $tag:literal
        else $other:ident($other_view:ident) {$(
            $(#[$note:meta])*
            $variant:ident($view:ident) = $text:literal,
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$note])*
                #[doc = concat!(
                    "\n\n`", $tag, "` is `", $text, "` on the wire."
                )]
                $variant(Box<$crate::owned::$view>),
            )*
            /// Anything else.
            $other(Box<$crate::owned::$other_view>),
        }

        impl $crate::owned::schema::Part for $name {
            fn read(
                object: $crate::json::Object<'_>,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> $name {
                use $crate::owned::schema::{Part, Tags};
                let own = Tags::And($tag, &tags);
                match object.get($tag).and_then(|tag| tag.as_str()) {
                    $(Some($text) => {
                        $name::$variant(Box::new(Part::read(object, own)))
                    })*
                    _ => $name::$other(Box::new(Part::read(object, tags))),
                }
            }

            fn from_map(
                map: $crate::owned::Extra,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> $name {
                use $crate::owned::schema::{Part, Tags};
                let own = Tags::And($tag, &tags);
                match map.get($tag).and_then(|tag| tag.as_str()) {
                    $(Some($text) => {
                        $name::$variant(Box::new(Part::from_map(map, own)))
                    })*
                    _ => $name::$other(Box::new(Part::from_map(map, tags))),
                }
            }

            fn write_to<M: serde::ser::SerializeMap>(
                &self,
                map: &mut M,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> Result<(), M::Error> {
                let own = $crate::owned::schema::Tags::And($tag, &tags);
                match self {
                    $($name::$variant(part) => {
                        map.serialize_entry($tag, $text)?;
                        part.write_to(map, own)
                    })*
                    $name::$other(part) => part.write_to(map, tags),
                }
            }
        }

        impl From<$crate::message::$name<'_>> for $name {
            fn from(view: $crate::message::$name<'_>) -> $name {
                use $crate::owned::schema::{Part, Slot, Tags};
                Slot::from_value(view.value()).unwrap_or_else(|| {
                    Part::from_map(Default::default(), Tags::None)
                })
            }
        }

        $crate::owned::schema::serde_by_parts!($name);
    };
}
pub(crate) use owned_types;

/// The struct itself. `extra` is at the root of a chain of parents, so that
/// there is one for an object.
macro_rules! owned_struct {
    (
        [$($doc:tt)*] $name:ident []
        {$([$($note:tt)*] $field:ident: $type:ty,)*}
    ) => {
        $($doc)*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($($note)* pub $field: Option<$type>,)*
            /// Every member that does not fit a field.
            pub extra: $crate::owned::Extra,
            #[doc(hidden)]
            pub aliases: $crate::owned::schema::Aliases,
        }
    };
    (
        [$($doc:tt)*] $name:ident [$parent:ident]
        {$([$($note:tt)*] $field:ident: $type:ty,)*}
    ) => {
        $($doc)*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($($note)* pub $field: Option<$type>,)*
            /// What it shares with others. Its fields can be used as if they
            /// stood here.
            pub base: $crate::owned::$parent,
            #[doc(hidden)]
            pub aliases: $crate::owned::schema::Aliases,
        }

        impl std::ops::Deref for $name {
            type Target = $crate::owned::$parent;

            fn deref(&self) -> &Self::Target {
                &self.base
            }
        }

        impl std::ops::DerefMut for $name {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.base
            }
        }
    };
}
pub(crate) use owned_struct;

/// Asks the parent, if there is one.
macro_rules! by_parent {
    ([] $otherwise:expr, $method:ident($($argument:expr),*)) => {
        $otherwise
    };
    ([$parent:ident] $otherwise:expr, $method:ident($($argument:expr),*)) => {
        $crate::owned::schema::Fields::$method($($argument),*)
    };
}
pub(crate) use by_parent;

/// `Slot`, `Serialize` and `Deserialize` for what is a part.
macro_rules! serde_by_parts {
    ($name:ident) => {
        impl $crate::owned::schema::Slot for $name {
            fn from_value(value: $crate::json::Value<'_>) -> Option<$name> {
                use $crate::owned::schema::{Part, Tags};
                value
                    .as_object()
                    .map(|object| <$name as Part>::read(object, Tags::None))
            }

            fn fits(json: &serde_json::Value) -> bool {
                json.is_object()
            }

            fn from_json(json: serde_json::Value) -> Option<$name> {
                use $crate::owned::schema::{Part, Tags};
                match json {
                    serde_json::Value::Object(map) => {
                        Some(<$name as Part>::from_map(map, Tags::None))
                    }
                    _ => None,
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(
                &self,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                $crate::owned::schema::serialize(self, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                from: D,
            ) -> Result<$name, D::Error> {
                use $crate::owned::schema::{Part, Tags};
                let map = serde::Deserialize::deserialize(from)?;
                Ok(<$name as Part>::from_map(map, Tags::None))
            }
        }
    };
}
pub(crate) use serde_by_parts;
