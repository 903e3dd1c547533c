/*!
The macro that describes the items of a table by their names.
*/

/// An item of a table, by its names: what [`items!`](crate::message::schema)
/// generates.
///
/// # Example
///
/// This finds the keys of a message.
///
/// ```
/// use linetape::{Message, message::schema::Item};
///
/// let items = Message::schema();
/// let goal = items.iter().find(|item| item.name() == "ActiveGoal");
/// let Some(Item::Struct { fields, .. }) = goal else { panic!() };
/// assert!(fields.iter().any(|field| field.key == "value"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Item {
    /// An object with fields.
    Struct {
        /// The name of the view.
        name: &'static str,
        /// The view whose fields the object has too.
        parent: Option<&'static str>,
        /// The fields, without those of the parent.
        fields: &'static [ItemField],
    },
    /// An open set of strings.
    Enum {
        /// The name of the enum.
        name: &'static str,
        /// The known strings.
        values: &'static [&'static str],
    },
    /// One of several objects, distinguished by a string.
    Union {
        /// The name of the union.
        name: &'static str,
        /// The key of the string. `None` if the only key of the object is the
        /// string.
        by: Option<&'static str>,
        /// The known strings, each with the name of its view.
        variants: &'static [(&'static str, &'static str)],
        /// The view of an object with another string.
        other: &'static str,
    },
}

/// A field of a struct, by its names.
///
/// # Example
///
/// See [`Item`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemField {
    /// The name of the accessor.
    pub name: &'static str,
    /// The key in the JSON.
    pub key: &'static str,
    /// Another key of the same field.
    pub alias: Option<&'static str>,
    /// The type, as the table has it, such as `str`, `[Block]` or `{json}`.
    pub kind: &'static str,
}

impl Item {
    /// Returns the name of the item.
    pub fn name(&self) -> &'static str {
        match self {
            Item::Struct { name, .. }
            | Item::Enum { name, .. }
            | Item::Union { name, .. } => name,
        }
    }
}

/// Describes the items of a table, as a constant array of
/// [`Item`](crate::message::schema::Item)s.
///
/// The [module](crate::message::schema) describes the items.
///
/// # Example
///
/// This reads the name of an item.
///
/// ```
/// use linetape::message::schema::items;
///
/// macro_rules! shapes {
///     ($to:ident) => {
///         $to! {
///             /// A circle.
///             struct Circle {
///                 /// The radius.
///                 radius: u64 = "radius",
///             }
///         }
///     };
/// }
///
/// let items = shapes!(items);
/// assert_eq!(items[0].name(), "Circle");
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! items {
    // The type of a field, without the spaces that `stringify!` adds.
    (@kind [$item:tt]) => {
        concat!("[", $crate::message::schema::items!(@kind $item), "]")
    };
    (@kind {$value:tt}) => {
        concat!("{", $crate::message::schema::items!(@kind $value), "}")
    };
    (@kind ($name:ident)) => { concat!("(", stringify!($name), ")") };
    (@kind $name:ident) => { stringify!($name) };

    (
        @item $(#[$doc:meta])*
        struct $name:ident $(: $parent:ident)? $(or $bare:literal)? {$(
            $(#[$note:meta])*
            $field:ident: $type:tt = $key:literal $(| $alias:literal)?,
        )*}
    ) => {
        $crate::message::schema::Item::Struct {
            name: stringify!($name),
            parent: [$(Some(stringify!($parent)),)? None][0],
            fields: &[$(
                $crate::message::schema::ItemField {
                    name: stringify!($field),
                    key: $key,
                    alias: [$(Some($alias),)? None][0],
                    kind: $crate::message::schema::items!(@kind $type),
                },
            )*],
        }
    };
    (
        @item $(#[$doc:meta])*
        enum $name:ident {$(
            $(#[$note:meta])*
            $variant:ident = $text:literal,
        )*}
    ) => {
        $crate::message::schema::Item::Enum {
            name: stringify!($name),
            values: &[$($text,)*],
        }
    };
    (
        @item $(#[$doc:meta])*
        union $name:ident by $tag:literal
        else $other:ident($other_view:ident) {$(
            $(#[$note:meta])*
            $variant:ident($view:ident) = $text:literal,
        )*}
    ) => {
        $crate::message::schema::Item::Union {
            name: stringify!($name),
            by: Some($tag),
            variants: &[$(($text, stringify!($view)),)*],
            other: stringify!($other_view),
        }
    };

    // The items of a table.
    ($(
        $(#[$doc:meta])* $kind:ident $name:ident
        $(: $parent:ident)? $(or $bare:literal)?
        $(by $tag:literal else $other:ident($other_view:ident))?
        {$($body:tt)*}
    )*) => {[$(
        $crate::message::schema::items! {
            @item $(#[$doc])* $kind $name
            $(: $parent)? $(or $bare)?
            $(by $tag else $other($other_view))?
            {$($body)*}
        },
    )*]};
}
#[doc(inline)]
pub use items;
