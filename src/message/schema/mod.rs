/*!
Tables of fields, and the macro that generates views from them.

A table is a macro that passes its items to another macro:
[`views!`] generates borrowed views, and
[`owned_types!`](crate::owned::schema::owned_types) generates owned types.
[`items!`] describes items by their names. So the keys, type and documentation
of a field are written only once. The tables of this crate are in the folder of
[`message`](crate::message). Other crates can define their own tables.

# Items

| item | generates |
|---|---|
| `struct Name { field: type = "key" \| "alias", }` | a view of an object, with a method for each field |
| `struct Name: Parent { .. }` | the same, with the parent's fields read from the same object |
| `struct Name or "key" { .. }` | the same, with a bare string read as an object with only that key |
| `enum Name { Variant = "text", }` | an open set of strings: unknown ones are `Other` |
| `union Name by "key" else Variant(View) { Variant(View) = "text", }` | one of several views, chosen by a string member |

Items and fields may have attributes, and must have documentation if the crate
denies `missing_docs`. Keys and aliases must be unique within a struct and its
parents.

# Types of fields

| type | view | owned |
|---|---|---|
| `str` | `&str` | `String` |
| `bool`, `u64`, `i64` | the same | the same |
| `f64` | `f64` | `serde_json::Number` |
| `json` (any JSON) | [`Value`] | `serde_json::Value` |
| `Name` (another item) | `Name<'_>` | `Name` |
| `(Name)` (another item, or a bare string instead) | `Name<'_>` | `OrString<Name>` |
| `[type]` | [`List`] | `Vec` |
| `{type}` (a map with arbitrary keys) | [`Map`] | `BTreeMap<String, _>` |

A type from outside the tables can be the type of a field if it implements
[`FromValue`] and [`Described`], and its owned counterpart implements
[`Slot`](crate::owned::schema::Slot).

# Names

The names of types are resolved where the macro is invoked. A view and its
owned type have the same name, so they must be in different modules. The module
of the owned types must have the module of the views in scope, as `view`.

# Example

This defines a table in another crate. With it, a line is read, converted to an
owned type, changed and written.

```standalone_crate
/// The table.
macro_rules! shapes {
    ($to:ident) => {
        $to! {
            /// The fields that all shapes share.
            struct Common {
                /// The colour.
                color: Color = "color" | "colour",
            }

            /// A colour.
            enum Color {
                /// Red.
                Red = "red",
            }

            /// A circle.
            struct Circle: Common {
                /// The radius.
                radius: u64 = "radius",
            }

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
    let view::Shape::Circle(circle) = shape else { panic!("not a circle") };
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

mod items;
mod lists;
mod views;
mod walk;

pub use crate::json::{Object, Value};
#[doc(inline)]
pub use items::items;
pub use items::{Item, ItemField};
pub use lists::{List, ListIter, Map, MapIter};
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use views::serialize_view;
#[doc(inline)]
pub use views::views;
pub use walk::{
    Described, Fields, FromValue, SchemaWalk, ViewField, ViewFields,
    reading_of,
};
#[doc(no_inline)]
pub use walk::{PathStep, Reading, Visited};

/// A view of an object: a struct, or a union of them.
pub trait Shape<'a>: Sized {
    /// Visits the members of an object that also has the fields of another
    /// view. `tags` are the keys of the object's discriminants, such as
    /// `type`.
    fn walk_beside(
        object: Object<'a>,
        tags: &[&str],
        beside: Fields<'a>,
        walk: &mut SchemaWalk<'a, '_>,
    );

    /// Visits the members of an object. `tags` are as in
    /// [`walk_beside`](Shape::walk_beside).
    fn walk(object: Object<'a>, tags: &[&str], walk: &mut SchemaWalk<'a, '_>) {
        Self::walk_beside(object, tags, Root::FIELDS, walk);
    }
}

impl<'a> FromValue<'a> for &'a str {
    #[inline]
    fn from_value(value: Value<'a>) -> Option<&'a str> {
        value.as_str()
    }
}

impl<'a> Described<'a> for &'a str {
    /// Does not unescape the string.
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

/// Returns the value of `key`, or else of `alias`, provided that it has the
/// type `T`. If `value` is not an object, it is read as the member `bare` of
/// an object.
#[inline]
pub fn field<'a, T: FromValue<'a>>(
    value: Value<'a>,
    bare: Option<&str>,
    key: &str,
    alias: Option<&str>,
) -> Option<T> {
    // Without closures: there would be several for each type of field.
    if let Some(value) = member(value, bare, key)
        && let Some(field) = T::from_value(value)
    {
        return Some(field);
    }
    T::from_value(member(value, bare, alias?)?)
}

/// Returns the value of a member. If `value` is not an object, it is itself the
/// member `bare`.
fn member<'a>(
    value: Value<'a>,
    bare: Option<&str>,
    key: &str,
) -> Option<Value<'a>> {
    match value.as_object() {
        Some(object) => object.get(key),
        None => (bare == Some(key)).then_some(value),
    }
}

/// The root of a chain of parents. It has no fields.
#[derive(Clone, Copy, Debug)]
pub struct Root<'a>(Value<'a>);

impl<'a> Root<'a> {
    /// Creates a root from the underlying value.
    #[inline]
    pub fn new(value: Value<'a>) -> Root<'a> {
        Root(value)
    }

    /// Returns the underlying value.
    #[inline]
    pub fn value(self) -> Value<'a> {
        self.0
    }
}

impl<'a> ViewFields<'a> for Root<'a> {
    const FIELDS: Fields<'a> = Fields { own: &[], parent: None };
}
