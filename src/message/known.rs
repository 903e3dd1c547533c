/*!
[`Message::schema`], which lists what the tables contain.
*/

use crate::message::{
    Message, messages,
    schema::{Item, item},
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
        let mut items = vec![];
        // One function for all items: `push` would be inlined for each.
        let mut add = |item: &Item| items.push(*item);
        macro_rules! push {
            ($($item:tt)*) => { add(const { &item! { $($item)* } }); };
        }
        macro_rules! push_messages {
            ($(
                $(#[$note:meta])*
                $variant:ident($view:ident) = $text:literal,
            )*) => {
                add(&Item::Union {
                    name: "Message",
                    by: Some("type"),
                    variants: &[$(($text, stringify!($view)),)*],
                    other: "Unknown",
                });
            };
        }
        macro_rules! push_events {
            ($($(#[$note:meta])* $variant:ident($view:ident),)*) => {
                add(&Item::Union {
                    name: "UiEvent",
                    by: None,
                    variants: &[
                        $((stringify!($variant), stringify!($view)),)*
                    ],
                    other: "Unknown",
                });
            };
        }
        messages!(push_messages);
        ui_messages!(push_events);
        content!(push);
        stream_json!(push);
        events!(push);
        reports!(push);
        results!(push);
        system!(push);
        control!(push);
        transcript!(push);
        server!(push);
        items
    }
}
