//! The fields of a message, each read as its accessor reads it.

use std::{collections::HashMap, sync::LazyLock};

use linetape::{
    Message, Value,
    message::{
        ApiMessage, Content, FromValue, List, Map, PathStep, Reading,
        schema::{self, Item, ItemField},
    },
};

use super::json::same_shallow;

static ITEMS: LazyLock<HashMap<&str, Item>> = LazyLock::new(|| {
    Message::schema().into_iter().map(|item| (item.name(), item)).collect()
});

/// Returns how many values [`Message::visit`] reports as read, and asserts
/// that those of the message itself are what the fields of its view return.
pub fn count_fields(message: Message<'_>) -> usize {
    let (mut seen, mut count) = (HashMap::new(), 0);
    message.visit(|visited| {
        let value = visited.value;
        let is_read = match visited.reading {
            Reading::Read | Reading::UnknownText => !value.is_null(),
            reading => reading == Reading::Json,
        };
        count += usize::from(is_read && !value.is_null());
        if let (true, [PathStep::Key(key)]) = (is_read, visited.path) {
            seen.insert(*key, value);
        }
    });
    compare("Message", message.value(), &seen);
    count
}

fn compare(view: &str, value: Value<'_>, seen: &HashMap<&str, Value<'_>>) {
    match ITEMS.get(view) {
        Some(Item::Union { by: Some(by), variants, other, .. }) => {
            let tag = value.get(by).and_then(|tag| tag.as_str());
            let named = variants.iter().find(|(text, _)| tag == Some(text));
            compare(named.map_or(other, |(_, view)| view), value, seen);
        }
        Some(Item::Struct { parent, fields, .. }) => {
            parent.iter().for_each(|parent| compare(parent, value, seen));
            for field in *fields {
                let keys = [Some(field.key), field.alias];
                let theirs = keys.iter().flatten().find_map(|k| seen.get(k));
                // A visit does not unescape strings.
                let is_text = |value: &Value<'_>| value.as_str().is_some();
                if field.kind != "str" || theirs.is_none_or(is_text) {
                    same_shallow(read(field, value), theirs.copied(), view);
                }
            }
        }
        _ => {}
    }
}

/// Reads a field as its accessor does.
fn read<'a>(field: &ItemField, value: Value<'a>) -> Option<Value<'a>> {
    match field.kind.trim_matches(['(', ')']) {
        "str" => typed::<&str>(field, value),
        "bool" => typed::<bool>(field, value),
        "u64" => typed::<u64>(field, value),
        "i64" => typed::<i64>(field, value),
        "f64" => typed::<f64>(field, value),
        "json" => typed::<Value<'_>>(field, value),
        "Content" => typed::<Content<'_>>(field, value),
        "ApiMessage" => typed::<ApiMessage<'_>>(field, value),
        kind if kind.starts_with('[') => {
            typed::<List<'_, Value<'_>>>(field, value)
        }
        kind => match ITEMS.get(kind) {
            Some(Item::Enum { .. }) => typed::<&str>(field, value),
            _ => typed::<Map<'_, Value<'_>>>(field, value),
        },
    }
}

/// Returns the value of a field, if it has the type `T`.
fn typed<'a, T: FromValue<'a>>(
    field: &ItemField,
    value: Value<'a>,
) -> Option<Value<'a>> {
    struct As<'a, T>(Value<'a>, T);

    impl<'a, T: FromValue<'a>> FromValue<'a> for As<'a, T> {
        fn from_value(value: Value<'a>) -> Option<Self> {
            T::from_value(value).map(|read| As(value, read))
        }
    }

    schema::field::<As<'a, T>>(value, None, field.key, field.alias)
        .map(|As(value, _)| value)
}
