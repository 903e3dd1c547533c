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
/// This lists the events.
///
/// ```
/// use linetape_tools::schema::{Item, items};
///
/// let items = items();
/// let inputs = items.iter().find(|item| item.name() == "HookInput");
/// let Some(Item::Union { variants, .. }) = inputs else { panic!() };
/// assert_eq!(variants.len(), 33);
/// assert_eq!(variants[0], ("PreToolUse", "PreToolUse"));
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

/// A field of an object, by its names.
///
/// # Example
///
/// ```
/// use linetape_tools::schema::{fields_of, items};
///
/// let fields = fields_of(&items(), "MessageDisplay");
/// let last = fields.iter().find(|field| field.name == "is_final").unwrap();
/// assert_eq!((last.key, last.kind), ("final", "bool"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemField {
    /// The name of the accessor.
    pub name: &'static str,
    /// The key in the JSON.
    pub key: &'static str,
    /// Another key of the same field.
    pub alias: Option<&'static str>,
    /// The type, in the notation of [`linetape::message::schema`], such as
    /// `str` or `[Hunk]`. A type that [`items`] does not have is a type of
    /// [`linetape::message`], such as `Usage`.
    pub kind: &'static str,
}

/// A tool.
///
/// # Example
///
/// ```
/// use linetape_tools::schema::TOOLS;
///
/// let agent = TOOLS.iter().find(|tool| tool.names.contains(&"Task"));
/// assert_eq!(agent.map(|tool| tool.input), Some("AgentInput"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// The names in the JSON, the current one first.
    pub names: &'static [&'static str],
    /// The name of the input's view.
    pub input: &'static str,
    /// The name of the result's view.
    pub result: &'static str,
}

macro_rules! tool_names {
    ($(
        $(#[$note:meta])*
        $variant:ident($input:ident, $result:ident) = [$($name:literal),+],
    )*) => {
        /// The tools that the schema knows.
        pub const TOOLS: &[Tool] = &[$(Tool {
            names: &[$($name),+],
            input: stringify!($input),
            result: stringify!($result),
        },)*];
    };
}
tools!(tool_names);

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

/// Returns the items of all tables: hook inputs, hook answers, tool inputs
/// and tool results.
pub fn items() -> Vec<Item> {
    let mut items = vec![];
    // Here, because a macro sees only the variables before it.
    macro_rules! push {
        ($($item:tt)*) => {{
            const ITEM: Item = item! { $($item)* };
            items.push(ITEM);
        }};
    }
    hooks!(push);
    answers!(push);
    inputs!(push);
    results!(push);
    items
}

/// Returns the fields of an object, followed by those of its parents. Returns
/// nothing if no object has this name.
///
/// # Example
///
/// ```
/// use linetape_tools::schema::{fields_of, items};
///
/// let fields = fields_of(&items(), "PreToolUse");
/// let keys: Vec<_> = fields.iter().map(|field| field.key).collect();
/// assert_eq!(keys[..2], ["tool_name", "tool_input"]);
/// assert!(keys.contains(&"session_id"));
/// ```
pub fn fields_of(items: &[Item], name: &str) -> Vec<ItemField> {
    let mut all = vec![];
    let mut next = Some(name);
    // In the tables, a parent precedes its children. The caller's list could
    // have a cycle, so the number of steps is limited.
    for _ in items {
        let found = items.iter().find_map(|item| match item {
            Item::Struct { name, parent, fields } if Some(*name) == next => {
                Some((*parent, *fields))
            }
            _ => None,
        });
        let Some((parent, fields)) = found else { break };
        all.extend(fields);
        next = parent;
    }
    all
}
