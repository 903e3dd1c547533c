/*!
The names that the tables know, for programs that compare them with another
description of the format.
*/

use crate::{
    answers::answers, hooks::hooks, inputs::inputs, results::results,
    tools::tools,
};

/// An item of the tables.
///
/// # Example
///
/// This lists the events.
///
/// ```
/// use linetape_tools::known::{Known, known};
///
/// let events = known().into_iter().find_map(|item| match item {
///     Known::Union { name: "HookInput", variants, .. } => Some(variants),
///     _ => None,
/// });
/// let events = events.unwrap();
/// assert_eq!(events.len(), 33);
/// assert_eq!(events[0], ("PreToolUse", "PreToolUse"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Known {
    /// An object.
    Struct {
        /// The name of the type.
        name: &'static str,
        /// The name of the type whose fields it has as well.
        parent: Option<&'static str>,
        /// The fields, without those of the parent.
        fields: Vec<Field>,
    },
    /// A set of strings.
    Enum {
        /// The name of the type.
        name: &'static str,
        /// The known strings.
        texts: Vec<&'static str>,
    },
    /// One of several objects, chosen by a string member.
    Union {
        /// The name of the type.
        name: &'static str,
        /// The key of the member.
        key: &'static str,
        /// The known strings, each with the name of its type.
        variants: Vec<(&'static str, &'static str)>,
    },
}

impl Known {
    /// Returns the name of the type.
    pub fn name(&self) -> &'static str {
        match self {
            Known::Struct { name, .. }
            | Known::Enum { name, .. }
            | Known::Union { name, .. } => name,
        }
    }
}

/// A field of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// The name in Rust.
    pub name: &'static str,
    /// The key in the JSON.
    pub key: &'static str,
    /// The other key in the JSON, if it has two.
    pub alias: Option<&'static str>,
    /// The type, in the notation of the tables: see
    /// [`linetape::message::schema`]. A name that [`known`] does not have is
    /// a type of [`linetape::message`].
    pub kind: &'static str,
}

/// A tool.
///
/// # Example
///
/// ```
/// use linetape_tools::known::TOOLS;
///
/// let agent = TOOLS.iter().find(|tool| tool.names.contains(&"Task"));
/// assert_eq!(agent.map(|tool| tool.input), Some("AgentInput"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// The names in the JSON, the current one first.
    pub names: &'static [&'static str],
    /// The name of the input's type.
    pub input: &'static str,
    /// The name of the result's type.
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

/// Returns the items of all tables: hook inputs, hook answers, tool inputs
/// and tool results.
pub fn known() -> Vec<Known> {
    let mut all = vec![];
    // Here, because a macro sees only the variables before it.
    macro_rules! add {
        (
            $(#[$doc:meta])*
            struct $name:ident $(: $parent:ident)? $(or $bare:literal)? {$(
                $(#[$note:meta])*
                $field:ident: $type:tt = $key:literal $(| $alias:literal)?,
            )*}
        ) => {
            all.push(Known::Struct {
                name: stringify!($name),
                parent: [$(Some(stringify!($parent)),)? None][0],
                fields: vec![$(Field {
                    name: stringify!($field),
                    key: $key,
                    alias: [$(Some($alias),)? None][0],
                    kind: stringify!($type),
                },)*],
            });
        };
        (
            $(#[$doc:meta])*
            enum $name:ident {$(
                $(#[$note:meta])*
                $variant:ident = $text:literal,
            )*}
        ) => {
            all.push(Known::Enum {
                name: stringify!($name),
                texts: vec![$($text,)*],
            });
        };
        (
            $(#[$doc:meta])*
            union $name:ident by $tag:literal
            else $other:ident($other_view:ident) {$(
                $(#[$note:meta])*
                $variant:ident($view:ident) = $text:literal,
            )*}
        ) => {
            all.push(Known::Union {
                name: stringify!($name),
                key: $tag,
                variants: vec![$(($text, stringify!($view)),)*],
            });
        };
    }
    hooks!(add);
    answers!(add);
    inputs!(add);
    results!(add);
    all
}

/// Returns the fields of an object, those of its parents included. Returns
/// nothing if [`known`] has no object with this name.
///
/// # Example
///
/// ```
/// use linetape_tools::known::{fields_of, known};
///
/// let fields = fields_of(&known(), "PreToolUse");
/// let keys: Vec<_> = fields.iter().map(|field| field.key).collect();
/// assert_eq!(keys[..2], ["tool_name", "tool_input"]);
/// assert!(keys.contains(&"session_id"));
/// ```
pub fn fields_of(known: &[Known], name: &str) -> Vec<Field> {
    let mut all = vec![];
    let mut next = Some(name);
    // A parent precedes its children in the tables, so there is no cycle; the
    // list is from the caller, however, and may have one.
    for _ in 0..known.len() {
        let Some(name) = next else { break };
        let found = known.iter().find_map(|item| match item {
            Known::Struct { name: found, parent, fields }
                if *found == name =>
            {
                Some((*parent, fields))
            }
            _ => None,
        });
        let Some((parent, fields)) = found else { break };
        all.extend(fields);
        next = parent;
    }
    all
}
