/*!
[`Message::schema`], which lists what the tables contain.
*/

use crate::message::{
    Message, messages,
    schema::{Item, items},
    tables::{
        content, control, events, reports, results, server, stream_json,
        system, transcript, ui_messages,
    },
};

impl Message<'_> {
    /// Returns the items of all tables: the types, subtypes, content blocks,
    /// fields and values that linetape knows.
    ///
    /// The first item is the union of the messages that have a `type`, and the
    /// second one is the union of the events of agent servers.
    ///
    /// # Example
    ///
    /// This lists the known subtypes of system messages.
    ///
    /// ```
    /// use linetape::{Message, message::schema::Item};
    ///
    /// let items = Message::schema();
    /// let system = items.iter().find(|item| item.name() == "System");
    /// let Some(Item::Union { by, variants, .. }) = system else { panic!() };
    /// assert_eq!(*by, Some("subtype"));
    /// assert!(variants.contains(&("init", "Init")));
    /// ```
    pub fn schema() -> Vec<Item> {
        macro_rules! kinds {
            ($(
                $(#[$note:meta])*
                $variant:ident($view:ident) = $text:literal,
            )*) => {
                Item::Union {
                    name: "Message",
                    by: Some("type"),
                    variants: &[$(($text, stringify!($view)),)*],
                    other: "Unknown",
                }
            };
        }
        macro_rules! events_by_key {
            ($($(#[$note:meta])* $variant:ident($view:ident),)*) => {
                Item::Union {
                    name: "UiEvent",
                    by: None,
                    variants: &[
                        $((stringify!($variant), stringify!($view)),)*
                    ],
                    other: "Unknown",
                }
            };
        }
        const TABLES: &[&[Item]] = &[
            &[messages!(kinds), ui_messages!(events_by_key)],
            &content!(items),
            &stream_json!(items),
            &events!(items),
            &reports!(items),
            &results!(items),
            &system!(items),
            &control!(items),
            &transcript!(items),
            &server!(items),
        ];
        TABLES.concat()
    }
}
