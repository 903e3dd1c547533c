//! Compares the values of a fixture with the fields of their types.

use linetape::{Reader, Value};
use serde_json::Value as Json;

/// The keys that choose the type of an object. They are not fields of it.
pub const TAGS: [&str; 2] = ["hook_event_name", "hookEventName"];

/// Passes the value at a JSON Pointer of a line, counted from 1: decoded, and
/// then peeked.
pub fn on_value(
    log: &str,
    number: usize,
    pointer: &str,
    mut check: impl FnMut(Value<'_>, Json),
) {
    let line = log.lines().nth(number - 1).unwrap();
    let whole: Json = serde_json::from_str(line).unwrap();
    let json = whole.pointer(pointer).unwrap();

    let mut reader = Reader::new(line.as_bytes());
    let record = reader.next_record().unwrap().unwrap();
    check(record.value().pointer(pointer).unwrap(), json.clone());

    let mut lines = linetape::lines(line.as_bytes());
    let line = lines.next_line().unwrap().unwrap();
    let value = line.peek().unwrap().value();
    check(value.pointer(pointer).unwrap(), json.clone());
}

/// One case: a name, a type, a line number, the pointer to a value of this
/// type, and then each field with its value. The field is compared in the view
/// and in the owned type. Every member must be in the case.
macro_rules! fields {
    ($(
        $name:ident: $module:ident::$type:ident, $line:literal, $at:expr => {
            $($field:ident: $value:tt,)*
        }
    )*) => {
        /// The types that have a case.
        pub const TYPES: &[&str] = &[$(stringify!($type)),*];

        $(#[test]
        fn $name() {
            use linetape::message::FromValue as _;
            use linetape_tools::{$module as view, owned::$module as owned};
            use serde_json::json;

            $crate::fixture::on_value(LOG, $line, $at, |value, json| {
                let view = view::$type::from_value(value).unwrap();
                let kept = owned::$type::try_from(view).unwrap();
                let read: owned::$type =
                    serde_json::from_value(json.clone()).unwrap();
                assert_eq!(kept, read);
                $(
                    assert_eq!(
                        $crate::shown::shown(view.$field()),
                        json!($value),
                        stringify!($field)
                    );
                    assert_eq!(
                        json!(kept.$field),
                        json!($value),
                        stringify!($field)
                    );
                )*
                let count = [$(stringify!($field)),*].len();
                let members = json.as_object().unwrap().len();
                assert_eq!(count + kept.extra.len(), members);
                for (key, value) in &kept.extra {
                    let is_tag = $crate::fixture::TAGS.contains(&&key[..]);
                    assert!(is_tag, "no field reads {key}: {value}");
                }
                assert_eq!(json!(kept), json);
                assert_eq!(json!(view), json);
            });
        })*
    };
}
pub(crate) use fields;
