/*!
What makes views of the schema's tables.

A table is a macro that hands its items, one by one, to another macro. Here is
the one that makes borrowed views of them; `owned::schema` has the one that
makes owned types. So a field is written once, with its keys, its type and its
documentation, and everything else follows from that.

| item | makes |
|---|---|
| `struct Name { field: type = "key" \| "alias", }` | a view of an object, with a method for each field |
| `struct Name: Parent { .. }` | the same, and the parent's fields are read from the same object |
| `struct Name or "key" { .. }` | the same, and a bare string stands for an object with just that key |
| `enum Name { Variant = "text", }` | a set of strings that is open: others are `Other` |
| `union Name by "key" else Variant(View) { Variant(View) = "text", }` | one of several views, told apart by a string |

The types of fields: `str`, `bool`, `u64`, `i64`, `f64`, `json` (anything),
`Name` (another item), `(Name)` (another item, or a bare string in its place),
`[type]` (a list) and `{type}` (a map with any keys).
*/

use std::{fmt, iter::FusedIterator, marker::PhantomData};

use crate::{
    json::{Array, Items, Members, Object, Value},
    message::visit::{Reading, Walk},
};

/// Reads a JSON value as some type: a view, a string, a number, a list.
///
/// # Example
///
/// This shows how to get the view of an object that a caller has found by
/// itself.
///
/// ```
/// use linetape::{Decoder, message::{FromValue, Usage}};
///
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(br#"{"mine":{"output_tokens":5}}"#)?;
/// let usage = record.value().get("mine").and_then(Usage::from_value);
/// assert_eq!(usage.and_then(|usage| usage.output_tokens()), Some(5));
/// # Ok::<(), linetape::Error>(())
/// ```
pub trait FromValue<'a>: Sized {
    /// Reads a value. Returns `None` if the value is of another type.
    fn from_value(value: Value<'a>) -> Option<Self>;

    /// How [`Message::visit`](crate::Message::visit) tells of a value.
    #[doc(hidden)]
    fn reading(value: Value<'a>) -> Reading {
        Reading::of(Self::from_value(value).is_some(), value)
    }

    /// Visits what is inside of a value that can be read.
    #[doc(hidden)]
    fn inside(_value: Value<'a>, _walk: &mut Walk<'a, '_>) {}
}

impl<'a> FromValue<'a> for &'a str {
    #[inline]
    fn from_value(value: Value<'a>) -> Option<&'a str> {
        value.as_str()
    }

    /// The string is not unescaped for this.
    fn reading(value: Value<'a>) -> Reading {
        Reading::of(value.is_string(), value)
    }
}

impl<'a> FromValue<'a> for bool {
    fn from_value(value: Value<'a>) -> Option<bool> {
        value.as_bool()
    }
}

impl<'a> FromValue<'a> for u64 {
    fn from_value(value: Value<'a>) -> Option<u64> {
        value.as_u64()
    }
}

impl<'a> FromValue<'a> for i64 {
    fn from_value(value: Value<'a>) -> Option<i64> {
        value.as_i64()
    }
}

impl<'a> FromValue<'a> for f64 {
    fn from_value(value: Value<'a>) -> Option<f64> {
        value.as_f64()
    }
}

impl<'a> FromValue<'a> for Value<'a> {
    fn from_value(value: Value<'a>) -> Option<Value<'a>> {
        Some(value)
    }

    fn reading(_value: Value<'a>) -> Reading {
        Reading::Json
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for List<'a, T> {
    fn from_value(value: Value<'a>) -> Option<List<'a, T>> {
        Some(List { array: value.as_array()?, items: PhantomData })
    }

    fn inside(value: Value<'a>, walk: &mut Walk<'a, '_>) {
        walk.items::<T>(value.as_array().into_iter().flatten());
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Map<'a, T> {
    fn from_value(value: Value<'a>) -> Option<Map<'a, T>> {
        Some(Map { object: value.as_object()?, values: PhantomData })
    }

    fn inside(value: Value<'a>, walk: &mut Walk<'a, '_>) {
        value.as_object().into_iter().for_each(|map| walk.entries::<T>(map));
    }
}

/// The field with the given key, or else with the alias, whichever is there
/// and of the right type. A bare string stands for an object that has just
/// the member `bare`.
#[inline]
pub(crate) fn field<'a, T: FromValue<'a>>(
    value: Value<'a>,
    bare: Option<&str>,
    key: &str,
    alias: Option<&str>,
) -> Option<T> {
    let Some(object) = value.as_object() else {
        return T::from_value(value).filter(|_| bare == Some(key));
    };
    let get = |key| object.get(key).and_then(T::from_value);
    get(key).or_else(|| alias.and_then(get))
}

/// A list of values of one type, as it stands in a line.
///
/// Items of another type are passed over; [`array`](List::array) has them
/// all.
///
/// # Example
///
/// This shows how to list the tools of a session.
///
/// ```
/// use linetape::{Decoder, Message, message::System};
///
/// let line = br#"{"type":"system","subtype":"init","tools":["Bash","Read"]}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let Message::System(System::Init(init)) = record.message() else {
///     panic!("not an init");
/// };
/// let tools = init.tools().unwrap();
/// let names: Vec<_> = tools.iter().filter_map(|tool| tool.name()).collect();
/// assert_eq!(names, ["Bash", "Read"]);
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct List<'a, T> {
    array: Array<'a>,
    items: PhantomData<T>,
}

impl<'a, T: FromValue<'a>> List<'a, T> {
    /// The items that are of the list's type.
    pub fn iter(self) -> ListIter<'a, T> {
        ListIter { items: self.array.iter(), item: PhantomData }
    }

    /// The array itself, with whatever is in it.
    pub fn array(self) -> Array<'a> {
        self.array
    }
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

impl<T> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.array, f)
    }
}

impl<'a, T: FromValue<'a>> IntoIterator for List<'a, T> {
    type Item = T;
    type IntoIter = ListIter<'a, T>;

    fn into_iter(self) -> ListIter<'a, T> {
        self.iter()
    }
}

/// The items of a [`List`].
#[derive(Debug)]
pub struct ListIter<'a, T> {
    items: Items<'a>,
    item: PhantomData<T>,
}

impl<'a, T: FromValue<'a>> Iterator for ListIter<'a, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.items.find_map(T::from_value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.items.size_hint().1)
    }
}

#[allow(private_bounds)]
impl<'a, T: FromValue<'a>> FusedIterator for ListIter<'a, T> {}

/// A map from any keys to values of one type, as it stands in a line.
///
/// Values of another type are passed over; [`object`](Map::object) has them
/// all. A key that is repeated comes as often as it stands there;
/// [`get`](Map::get) gives the last.
///
/// # Example
///
/// This shows how to read what each model has cost.
///
/// ```
/// use linetape::{Decoder, Message};
///
/// let line = br#"{"type":"result","modelUsage":{"opus":{"costUSD":0.5}}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let Message::Result(result) = record.message() else {
///     panic!("not a result");
/// };
/// for (model, usage) in result.model_usage().unwrap() {
///     assert_eq!((model, usage.cost_usd()), ("opus", Some(0.5)));
/// }
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct Map<'a, T> {
    object: Object<'a>,
    values: PhantomData<T>,
}

impl<'a, T: FromValue<'a>> Map<'a, T> {
    /// The value with the given key.
    pub fn get(self, key: &str) -> Option<T> {
        self.object.get(key).and_then(T::from_value)
    }

    /// The entries whose values are of the map's type.
    pub fn iter(self) -> MapIter<'a, T> {
        MapIter { members: self.object.iter(), value: PhantomData }
    }

    /// The object itself, with whatever is in it.
    pub fn object(self) -> Object<'a> {
        self.object
    }
}

impl<T> Clone for Map<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Map<'_, T> {}

impl<T> fmt::Debug for Map<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.object, f)
    }
}

impl<'a, T: FromValue<'a>> IntoIterator for Map<'a, T> {
    type Item = (&'a str, T);
    type IntoIter = MapIter<'a, T>;

    fn into_iter(self) -> MapIter<'a, T> {
        self.iter()
    }
}

/// The entries of a [`Map`].
#[derive(Debug)]
pub struct MapIter<'a, T> {
    members: Members<'a>,
    value: PhantomData<T>,
}

impl<'a, T: FromValue<'a>> Iterator for MapIter<'a, T> {
    type Item = (&'a str, T);

    fn next(&mut self) -> Option<(&'a str, T)> {
        self.members
            .find_map(|(key, value)| Some((key, T::from_value(value)?)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.members.size_hint().1)
    }
}

#[allow(private_bounds)]
impl<'a, T: FromValue<'a>> FusedIterator for MapIter<'a, T> {}

/// The type that a field has in a view.
macro_rules! view_type {
    ($a:lifetime str) => { &$a str };
    ($a:lifetime bool) => { bool };
    ($a:lifetime u64) => { u64 };
    ($a:lifetime i64) => { i64 };
    ($a:lifetime f64) => { f64 };
    ($a:lifetime json) => { $crate::json::Value<$a> };
    ($a:lifetime [$item:tt]) => {
        $crate::message::schema::List<
            $a, $crate::message::schema::view_type!($a $item)
        >
    };
    ($a:lifetime {$value:tt}) => {
        $crate::message::schema::Map<
            $a, $crate::message::schema::view_type!($a $value)
        >
    };
    ($a:lifetime ($name:ident)) => { $crate::message::$name<$a> };
    ($a:lifetime $name:ident) => { $crate::message::$name<$a> };
}
pub(crate) use view_type;

/// Makes a view of one item of a table.
macro_rules! views {
    (
        $(#[$doc:meta])*
        struct $name:ident $(: $parent:ident)? $(or $bare:literal)? {$(
            $(#[$note:meta])*
            $field:ident: $type:tt = $key:literal $(| $alias:literal)?,
        )*}
    ) => {
        $crate::message::schema::view_struct! {
            [$(#[$doc])*] $name [$($parent)?]
        }

        impl<'a> $name<'a> {
            /// The object that this is a view of.
            pub fn value(self) -> $crate::json::Value<'a> {
                self.0.value()
            }

            /// The member that a bare string stands for, if it may stand
            /// for the object.
            const BARE: Option<&'static str> = [$(Some($bare),)? None][0];

            /// Reads every field, the parent's too, and says how many there
            /// are.
            #[doc(hidden)]
            pub fn count_fields(self) -> usize {
                self.0.count_fields()
                    $(+ usize::from(self.$field().is_some()))*
            }

            pub(crate) fn walk(
                object: $crate::json::Object<'a>,
                tags: &[&str],
                walk: &mut $crate::message::visit::Walk<'a, '_>,
            ) {
                walk.members::<$name<'a>>(object, tags);
            }

            $(
                $(#[$note])*
                #[doc = concat!(
                    "\n\n`", $key, "`", $(" or `", $alias, "`",)?
                    " on the wire."
                )]
                pub fn $field(self) -> Option<
                    $crate::message::schema::view_type!('a $type)
                > {
                    let alias: Option<&str> = [$(Some($alias),)? None][0];
                    $crate::message::schema::field(
                        self.value(), Self::BARE, $key, alias,
                    )
                }
            )*
        }

        impl<'a> $crate::message::schema::FromValue<'a> for $name<'a> {
            fn from_value(value: $crate::json::Value<'a>) -> Option<Self> {
                let fits = value.as_object().is_some()
                    || Self::BARE.is_some() && value.as_str().is_some();
                fits.then(|| $name::new(value))
            }

            fn inside(
                value: $crate::json::Value<'a>,
                walk: &mut $crate::message::visit::Walk<'a, '_>,
            ) {
                if let Some(object) = value.as_object() {
                    $name::walk(object, &[], walk);
                }
            }
        }

        const _: () = {
            use $crate::message::{
                schema::parent,
                visit::{Field, Fields},
            };

            #[allow(non_camel_case_types, dead_code)]
            enum Number { $($field,)* Count }
            type Parent<'a> = parent!('a [$($parent)?]);

            impl<'a> Fields<'a> for $name<'a> {
                const COUNT: usize =
                    Parent::COUNT + Number::Count as usize;

                fn field(key: &str) -> Option<Field<'a>> {
                    match key {
                        $(
                            $key $(| $alias)? => {
                                let number = Number::$field as usize;
                                Some(Field::new::<
                                    $crate::message::schema::view_type!(
                                        'a $type
                                    )
                                >(
                                    Parent::COUNT + number, key != $key,
                                ))
                            }
                        )*
                        _ => Parent::field(key),
                    }
                }
            }
        };

        $crate::message::schema::shown_as_json!($name);
    };

    (
        $(#[$doc:meta])*
        enum $name:ident {$(
            $(#[$note:meta])*
            $variant:ident = $text:literal,
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name<'a> {
            $(
                $(#[$note])*
                #[doc = concat!("\n\n`", $text, "` on the wire.")]
                $variant,
            )*
            /// A string that is not known.
            Other(&'a str),
        }

        impl<'a> $name<'a> {
            /// The string on the wire.
            pub fn as_str(self) -> &'a str {
                match self {
                    $($name::$variant => $text,)*
                    $name::Other(text) => text,
                }
            }
        }

        impl<'a> From<&'a str> for $name<'a> {
            fn from(text: &'a str) -> $name<'a> {
                match text {
                    $($text => $name::$variant,)*
                    _ => $name::Other(text),
                }
            }
        }

        impl std::fmt::Display for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl<'a> $crate::message::schema::FromValue<'a> for $name<'a> {
            fn from_value(value: $crate::json::Value<'a>) -> Option<Self> {
                value.as_str().map($name::from)
            }

            fn reading(
                value: $crate::json::Value<'a>,
            ) -> $crate::message::visit::Reading {
                use $crate::message::visit::Reading;
                match $name::from_value(value) {
                    Some($name::Other(_)) => Reading::UnknownText,
                    text => Reading::of(text.is_some(), value),
                }
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
        #[derive(Clone, Copy)]
        #[non_exhaustive]
        pub enum $name<'a> {
            $(
                $(#[$note])*
                #[doc = concat!(
                    "\n\n`", $tag, "` is `", $text, "` on the wire."
                )]
                $variant($crate::message::$view<'a>),
            )*
            /// Anything else.
            $other($crate::message::$other_view<'a>),
        }

        impl<'a> $name<'a> {
            pub(crate) fn new(value: $crate::json::Value<'a>) -> $name<'a> {
                match value.get($tag).and_then(|tag| tag.as_str()) {
                    $(Some($text) => {
                        $name::$variant($crate::message::$view::new(value))
                    })*
                    _ => $name::$other(
                        $crate::message::$other_view::new(value)
                    ),
                }
            }

            #[doc(hidden)]
            pub fn count_fields(self) -> usize {
                match self {
                    $($name::$variant(view) => view.count_fields(),)*
                    $name::$other(view) => view.count_fields(),
                }
            }

            /// The object that this is a view of.
            pub fn value(self) -> $crate::json::Value<'a> {
                match self {
                    $($name::$variant(view) => view.value(),)*
                    $name::$other(view) => view.value(),
                }
            }

            pub(crate) fn walk(
                object: $crate::json::Object<'a>,
                tags: &[&str],
                walk: &mut $crate::message::visit::Walk<'a, '_>,
            ) {
                use $crate::message::schema::Seen;
                $name::walk_beside::<Seen<'a>>(object, tags, walk);
            }

            /// The same for an object that has other fields as well.
            pub(crate) fn walk_beside<
                T: $crate::message::visit::Fields<'a>
            >(
                object: $crate::json::Object<'a>,
                tags: &[&str],
                walk: &mut $crate::message::visit::Walk<'a, '_>,
            ) {
                match object.get($tag).and_then(|tag| tag.as_str()) {
                    $(Some($text) => walk.members_beside::<
                        $crate::message::$view<'a>, T
                    >(object, tags),)*
                    _ => walk.members_beside::<
                        $crate::message::$other_view<'a>, T
                    >(object, tags),
                }
            }
        }

        impl<'a> $crate::message::schema::FromValue<'a> for $name<'a> {
            fn from_value(value: $crate::json::Value<'a>) -> Option<Self> {
                value.as_object().map(|_| $name::new(value))
            }

            fn inside(
                value: $crate::json::Value<'a>,
                walk: &mut $crate::message::visit::Walk<'a, '_>,
            ) {
                if let Some(object) = value.as_object() {
                    $name::walk(object, &[$tag], walk);
                }
            }
        }

        $crate::message::schema::shown_as_json!($name);
    };
}
pub(crate) use views;

/// The struct behind a view: a value, or a parent that is a view itself.
macro_rules! view_struct {
    ([$($doc:tt)*] $name:ident []) => {
        $($doc)*
        #[derive(Clone, Copy)]
        pub struct $name<'a>($crate::message::schema::Seen<'a>);

        impl<'a> $name<'a> {
            #[inline]
            pub(crate) fn new(value: $crate::json::Value<'a>) -> $name<'a> {
                $name($crate::message::schema::Seen(value))
            }
        }
    };
    ([$($doc:tt)*] $name:ident [$parent:ident]) => {
        $($doc)*
        #[derive(Clone, Copy)]
        pub struct $name<'a>($crate::message::$parent<'a>);

        impl<'a> $name<'a> {
            #[inline]
            pub(crate) fn new(value: $crate::json::Value<'a>) -> $name<'a> {
                $name($crate::message::$parent::new(value))
            }
        }

        impl<'a> std::ops::Deref for $name<'a> {
            type Target = $crate::message::$parent<'a>;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    };
}
pub(crate) use view_struct;

/// What a view stands on.
macro_rules! parent {
    ($a:lifetime []) => { $crate::message::schema::Seen<$a> };
    ($a:lifetime [$parent:ident]) => { $crate::message::$parent<$a> };
}
pub(crate) use parent;

/// The value at the root of a chain of parents.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a>(pub(crate) Value<'a>);

impl<'a> Seen<'a> {
    #[inline]
    pub(crate) fn value(self) -> Value<'a> {
        self.0
    }

    pub(crate) fn count_fields(self) -> usize {
        0
    }
}

/// A view is shown, and written, as the JSON that it is a view of.
macro_rules! shown_as_json {
    ($name:ident) => {
        impl std::fmt::Debug for $name<'_> {
            fn fmt(
                &self,
                f: &mut std::fmt::Formatter<'_>,
            ) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.value(), f)
            }
        }

        #[cfg(feature = "owned")]
        impl serde::Serialize for $name<'_> {
            fn serialize<S: serde::Serializer>(
                &self,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                self.value().serialize(to)
            }
        }
    };
}
pub(crate) use shown_as_json;
