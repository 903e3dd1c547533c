//! `Message::schema`, which must list exactly what the views read.

use std::collections::BTreeMap;

use linetape::{
    Decoder, Message,
    message::{
        PathStep, Reading,
        schema::{Item, ItemField},
        server::UiEvent,
    },
};

use crate::support::logs;

/// The items by name.
fn items() -> BTreeMap<&'static str, Item> {
    Message::schema().into_iter().map(|item| (item.name(), item)).collect()
}

/// Returns the fields of a struct and of its parents.
fn fields(items: &BTreeMap<&str, Item>, name: &str) -> Vec<ItemField> {
    let Item::Struct { parent, fields, .. } = items[name] else {
        panic!("{name} is not a struct");
    };
    let above = parent.map(|parent| self::fields(items, parent));
    [fields.to_vec(), above.unwrap_or_default()].concat()
}

/// Returns the view that the tables name for a line, or `None` for a type that
/// they do not have.
fn view(
    items: &BTreeMap<&str, Item>,
    line: Message<'_>,
) -> Option<&'static str> {
    let mut name = "Message";
    while let Some(Item::Union { by, variants, other, .. }) = items.get(name) {
        let text = line.value().get(by.unwrap());
        let text = text.and_then(|text| text.as_str());
        let found = variants.iter().find(|(tag, _)| Some(*tag) == text);
        name = found.map_or(*other, |(_, view)| view);
    }
    (name != "Unknown").then_some(name)
}

#[test]
fn names_are_unique_and_resolve() {
    let all = Message::schema();
    let items = items();
    assert_eq!(all.len(), items.len(), "two items have one name");
    let is_known = |name: &str| {
        let of_rust = ["str", "bool", "u64", "i64", "f64", "json"];
        // The content of a message is not in a table: text, or blocks.
        items.contains_key(name)
            || of_rust.contains(&name)
            || name == "Content"
    };
    for item in all {
        match item {
            Item::Struct { name, parent, fields } => {
                assert!(parent.is_none_or(is_known), "{name}: {parent:?}");
                for field in fields {
                    let kind = field
                        .kind
                        .trim_matches(['[', ']', '{', '}', '(', ')']);
                    assert!(is_known(kind), "{name}: {field:?}");
                }
            }
            Item::Union { name, variants, other, .. } => {
                for (text, view) in variants {
                    assert!(is_known(view), "{name}: {text} is {view}");
                }
                assert!(other == "Unknown" || is_known(other), "{name}");
            }
            Item::Enum { name, values } => {
                assert!(!values.is_empty(), "{name} has no values");
            }
            other => panic!("a new kind of item: {other:?}"),
        }
    }
}

#[test]
fn the_first_items_are_the_types_of_messages() {
    let names = |item: &Item| match item {
        Item::Union { variants, .. } => {
            variants.iter().map(|(text, _)| *text).collect::<Vec<_>>()
        }
        other => panic!("{other:?} is not a union"),
    };
    let items = Message::schema();
    assert_eq!(names(&items[0]), Message::KINDS);
    assert_eq!(names(&items[1]), UiEvent::KINDS);
}

#[test]
fn a_key_is_listed_if_and_only_if_it_is_read() {
    let items = items();
    let mut decoder = Decoder::new();
    let (mut read, mut unread) = (0, 0);
    for (name, log) in logs::fixtures() {
        let lines = log.split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.is_empty()) {
            let record = decoder.decode(line).unwrap();
            let message = record.message();
            // A control message can have the fields of its body too.
            if matches!(
                message,
                Message::ControlRequest(_) | Message::ControlResponse(_)
            ) {
                continue;
            }
            let Some(view) = view(&items, message) else { continue };
            let fields = fields(&items, view);
            message.visit(|visited| {
                let [PathStep::Key(key)] = *visited.path else { return };
                let is_listed = fields
                    .iter()
                    .any(|field| field.key == key || field.alias == Some(key));
                let is_tag = ["type", "subtype"].contains(&key);
                let is_read = visited.reading != Reading::UnknownKey;
                assert_eq!(
                    is_listed || is_tag,
                    is_read,
                    "{name}: `{key}` of {view}"
                );
                match is_read {
                    true => read += 1,
                    false => unread += 1,
                }
            });
        }
    }
    // Otherwise this test would show nothing.
    assert!(read > 500 && unread > 0, "{read} and {unread} keys");
}
