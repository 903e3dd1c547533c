/*!
The names of all types and fields, for programs that compare them with another
description of the format.
*/

use crate::{
    answers::answers, hooks::hooks, inputs::inputs, results::results,
    tools::tools,
};

/// An item of a table, by its names.
///
/// # Example
///
/// This finds the keys of a result.
///
/// ```
/// use linetape_tools::schema::{Item, schema};
///
/// let items = schema();
/// let hunk = items.iter().find(|item| item.name() == "Hunk");
/// let Some(Item::Struct { fields, .. }) = hunk else { panic!() };
/// assert_eq!(fields[0].key, "oldStart");
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
        /// The key of the string.
        by: Option<&'static str>,
        /// The known strings, each with the name of its view.
        variants: &'static [(&'static str, &'static str)],
        /// The view of an object with another string.
        other: &'static str,
    },
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
    /// The type, as the table has it, such as `str`, `[Hunk]` or `{json}`.
    pub kind: &'static str,
}

/// Describes one item of a table.
macro_rules! item {
    // The type of a field, without the spaces that `stringify!` adds.
    (@kind [$item:tt]) => { concat!("[", item!(@kind $item), "]") };
    (@kind {$value:tt}) => { concat!("{", item!(@kind $value), "}") };
    (@kind ($name:ident)) => { concat!("(", stringify!($name), ")") };
    (@kind $name:ident) => { stringify!($name) };

    (
        $(#[$doc:meta])*
        struct $name:ident $(: $parent:ident)? $(or $bare:literal)? {$(
            $(#[$note:meta])*
            $field:ident: $type:tt = $key:literal $(| $alias:literal)?,
        )*}
    ) => {
        Item::Struct {
            name: stringify!($name),
            parent: [$(Some(stringify!($parent)),)? None][0],
            fields: &[$(ItemField {
                name: stringify!($field),
                key: $key,
                alias: [$(Some($alias),)? None][0],
                kind: item!(@kind $type),
            },)*],
        }
    };
    (
        $(#[$doc:meta])*
        enum $name:ident {$(
            $(#[$note:meta])*
            $variant:ident = $text:literal,
        )*}
    ) => {
        Item::Enum { name: stringify!($name), values: &[$($text,)*] }
    };
    (
        $(#[$doc:meta])*
        union $name:ident by $tag:literal
        else $other:ident($other_view:ident) {$(
            $(#[$note:meta])*
            $variant:ident($view:ident) = $text:literal,
        )*}
    ) => {
        Item::Union {
            name: stringify!($name),
            by: Some($tag),
            variants: &[$(($text, stringify!($view)),)*],
            other: stringify!($other_view),
        }
    };
}

/// Returns the items of all tables: the types, fields and values of hook
/// inputs, hook answers, tool inputs and tool results.
///
/// The first two items are the unions `ToolInput` and `ToolResult`. Their
/// string is the name of the tool, which is the member `name` of the tool use
/// around the input. A type that is not in the list is a type of
/// [`linetape::message`], such as `Usage`.
///
/// # Example
///
/// This lists the events.
///
/// ```
/// use linetape_tools::schema::{Item, schema};
///
/// let items = schema();
/// let inputs = items.iter().find(|item| item.name() == "HookInput");
/// let Some(Item::Union { variants, .. }) = inputs else { panic!() };
/// assert_eq!(variants.len(), 33);
/// assert_eq!(variants[0], ("PreToolUse", "PreToolUse"));
/// ```
pub fn schema() -> Vec<Item> {
    let mut items = vec![];
    macro_rules! push {
        ($($item:tt)*) => { items.push(item! { $($item)* }); };
    }
    macro_rules! push_tools {
        ($(
            $(#[$note:meta])*
            $variant:ident($input:ident, $result:ident) =
                [$($name:literal),+],
        )*) => {
            items.push(Item::Union {
                name: "ToolInput",
                by: Some("name"),
                variants: &[$($(($name, stringify!($input)),)+)*],
                other: "json",
            });
            items.push(Item::Union {
                name: "ToolResult",
                by: Some("name"),
                variants: &[$($(($name, stringify!($result)),)+)*],
                other: "json",
            });
        };
    }
    tools!(push_tools);
    hooks!(push);
    answers!(push);
    inputs!(push);
    results!(push);
    items
}
