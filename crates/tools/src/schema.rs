/*!
The names of all types and fields, for programs that compare them with another
description of the format.
*/

use linetape::message::schema::{Item, items};

use crate::{
    answers::answers, hooks::hooks, inputs::inputs, results::results,
    tools::tools,
};

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
/// use linetape::message::schema::Item;
///
/// let items = linetape_tools::schema();
/// let inputs = items.iter().find(|item| item.name() == "HookInput");
/// let Some(Item::Union { variants, .. }) = inputs else { panic!() };
/// assert_eq!(variants.len(), 33);
/// assert_eq!(variants[0], ("PreToolUse", "PreToolUse"));
/// ```
pub fn schema() -> Vec<Item> {
    macro_rules! by_name {
        ($(
            $(#[$note:meta])*
            $variant:ident($input:ident, $result:ident) =
                [$($name:literal),+],
        )*) => {[
            Item::Union {
                name: "ToolInput",
                by: Some("name"),
                variants: &[$($(($name, stringify!($input)),)+)*],
                other: "json",
            },
            Item::Union {
                name: "ToolResult",
                by: Some("name"),
                variants: &[$($(($name, stringify!($result)),)+)*],
                other: "json",
            },
        ]};
    }
    const TABLES: &[&[Item]] = &[
        &tools!(by_name),
        &hooks!(items),
        &answers!(items),
        &inputs!(items),
        &results!(items),
    ];
    TABLES.concat()
}
