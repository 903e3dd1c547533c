/*!
Tables of fields, and the macro that makes views of them.

A table is a macro that hands its items, one by one, to another macro:
[`views!`] makes borrowed views of them, and
[`owned_types!`](crate::owned::schema::owned_types) makes owned types. So a
field is written once, with its keys, its type and its documentation, and
everything else follows from that. The tables of this crate are in the folder
of [`message`](crate::message). Another crate can have tables of its own.

# Items

| item | makes |
|---|---|
| `struct Name { field: type = "key" \| "alias", }` | a view of an object, with a method for each field |
| `struct Name: Parent { .. }` | the same, and the parent's fields are read from the same object |
| `struct Name or "key" { .. }` | the same, and a bare string is read as an object with just that key |
| `enum Name { Variant = "text", }` | a set of strings that is open: others are `Other` |
| `union Name by "key" else Variant(View) { Variant(View) = "text", }` | one of several views, told apart by a string |

Items and fields may have attributes, and must have documentation where the
crate denies `missing_docs`. A key or alias must occur once in a struct, its
parents included. A parent comes before its children.

# Types of fields

| type | view | owned |
|---|---|---|
| `str` | `&str` | `String` |
| `bool`, `u64`, `i64` | the same | the same |
| `f64` | `f64` | `serde_json::Number` |
| `json` (anything) | [`Value`] | `serde_json::Value` |
| `Name` (another item) | `Name<'_>` | `Name` |
| `(Name)` (another item, or a bare string in its place) | `Name<'_>` | `OrString<Name>` |
| `[type]` | [`List`] | `Vec` |
| `{type}` (a map with any keys) | [`Map`] | `BTreeMap<String, _>` |

A type that is not from a table can be the type of a field if it implements
[`FromValue`] and [`Described`], and its owned form
[`Slot`](crate::owned::schema::Slot).

# Names

The names of types are resolved where the macro is invoked. A view and its
owned type have the same name, so they are made in two modules. The module of
the owned types must have a module `view` in scope, in which the views are.

# Example

This shows a table in another crate, from which a line is read, owned, changed
and written.

```
/// The table.
macro_rules! shapes {
    ($each:ident) => {
        $each! {
            /// What all shapes have.
            struct Common {
                /// The colour.
                color: Color = "color" | "colour",
            }
        }
        $each! {
            /// A colour.
            enum Color {
                /// Red.
                Red = "red",
            }
        }
        $each! {
            /// A circle.
            struct Circle: Common {
                /// The radius.
                radius: u64 = "radius",
            }
        }
        $each! {
            /// A shape.
            union Shape by "shape" else Other(Common) {
                /// A circle.
                Circle(Circle) = "circle",
            }
        }
    };
}

mod view {
    use linetape::message::schema::views;
    shapes!(views);
}

# #[cfg(feature = "owned")]
mod owned {
    use crate::view;
    use linetape::owned::schema::owned_types;
    shapes!(owned_types);
}

# #[cfg(feature = "owned")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let line = br#"{"shape":"circle","colour":"red","radius":2,"new":null}"#;
    let mut decoder = linetape::Decoder::new();
    let record = decoder.decode(line)?;

    let shape = view::Shape::new(record.value());
    let view::Shape::Circle(circle) = shape else { panic!("no circle") };
    assert_eq!(circle.radius(), Some(2));
    assert_eq!(circle.color(), Some(view::Color::Red));

    let mut shape = owned::Shape::try_from(shape)?;
    if let owned::Shape::Circle(circle) = &mut shape {
        assert_eq!(circle.color, Some(owned::Color::Red));
        circle.radius = Some(3);
    }
    assert_eq!(
        serde_json::to_string(&shape)?,
        r#"{"shape":"circle","radius":3,"colour":"red","new":null}"#
    );
    Ok(())
}
# #[cfg(not(feature = "owned"))]
# fn main() {}
```
*/

mod lists;
mod views;

pub use crate::{
    json::{Object, Value},
    message::visit::{SchemaWalk, ViewField, ViewFields, reading_of},
};
pub use lists::{List, ListIter, Map, MapIter};
#[cfg(feature = "owned")]
#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use views::serialize_view;
#[doc(inline)]
pub use views::views;

use crate::message::Reading;

/// A type that a value can be read as.
///
/// # Example
///
/// This shows how to read a view from any value.
///
/// ```
/// use linetape::{
///     Decoder,
///     message::{FromValue, Usage},
/// };
///
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(br#"{"cost":{"input_tokens":7}}"#)?;
/// let usage = record.value().get("cost").and_then(Usage::from_value);
/// assert_eq!(usage.and_then(|usage| usage.input_tokens()), Some(7));
/// # Ok::<(), linetape::Error>(())
/// ```
pub trait FromValue<'a>: Sized {
    /// Reads a value. A value of another type is `None`.
    fn from_value(value: Value<'a>) -> Option<Self>;
}

/// A type that [`Message::visit`](crate::Message::visit) knows about.
pub trait Described<'a>: FromValue<'a> {
    /// Returns how a value is read as this type.
    fn reading(value: Value<'a>) -> Reading {
        reading_of(Self::from_value(value).is_some(), value)
    }

    /// Visits what is inside a value that can be read.
    fn inside(_value: Value<'a>, _walk: &mut SchemaWalk<'a, '_>) {}
}

/// A view of an object: a struct, or a union of them.
pub trait Shape<'a>: Sized {
    /// Visits the members of an object that also has the fields of `B`.
    /// `tags` are the keys that have told which type the object is.
    fn walk_beside<B: ViewFields<'a>>(
        object: Object<'a>,
        tags: &[&str],
        walk: &mut SchemaWalk<'a, '_>,
    );

    /// Visits the members of an object.
    fn walk(object: Object<'a>, tags: &[&str], walk: &mut SchemaWalk<'a, '_>) {
        Self::walk_beside::<Root<'a>>(object, tags, walk);
    }
}

impl<'a> FromValue<'a> for &'a str {
    #[inline]
    fn from_value(value: Value<'a>) -> Option<&'a str> {
        value.as_str()
    }
}

impl<'a> Described<'a> for &'a str {
    /// The string is not unescaped for this.
    fn reading(value: Value<'a>) -> Reading {
        reading_of(value.is_string(), value)
    }
}

impl<'a> FromValue<'a> for bool {
    fn from_value(value: Value<'a>) -> Option<bool> {
        value.as_bool()
    }
}

impl Described<'_> for bool {}

impl<'a> FromValue<'a> for u64 {
    fn from_value(value: Value<'a>) -> Option<u64> {
        value.as_u64()
    }
}

impl Described<'_> for u64 {}

impl<'a> FromValue<'a> for i64 {
    fn from_value(value: Value<'a>) -> Option<i64> {
        value.as_i64()
    }
}

impl Described<'_> for i64 {}

impl<'a> FromValue<'a> for f64 {
    fn from_value(value: Value<'a>) -> Option<f64> {
        value.as_f64()
    }
}

impl Described<'_> for f64 {}

impl<'a> FromValue<'a> for Value<'a> {
    fn from_value(value: Value<'a>) -> Option<Value<'a>> {
        Some(value)
    }
}

impl<'a> Described<'a> for Value<'a> {
    fn reading(_value: Value<'a>) -> Reading {
        Reading::Json
    }
}

/// Returns the field with the given key, or else with the alias, whichever is
/// there and of the right type. A bare string is read as an object that has
/// just the member `bare`.
#[inline]
pub fn field<'a, T: FromValue<'a>>(
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

/// The value at the root of a chain of parents.
#[derive(Clone, Copy, Debug)]
pub struct Root<'a>(Value<'a>);

impl<'a> Root<'a> {
    /// Creates the root of a chain of parents.
    #[inline]
    pub fn new(value: Value<'a>) -> Root<'a> {
        Root(value)
    }

    /// Returns the value itself.
    #[inline]
    pub fn value(self) -> Value<'a> {
        self.0
    }

    /// Returns 0: the root has no fields.
    #[doc(hidden)]
    pub fn count_fields(self) -> usize {
        0
    }
}

/// The root has no fields.
impl<'a> ViewFields<'a> for Root<'a> {
    const COUNT: usize = 0;

    fn field(_key: &str) -> Option<ViewField<'a>> {
        None
    }
}
