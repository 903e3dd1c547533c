//! Fields whose values have another type: absent, but kept.
#![cfg(feature = "messages")]

use linetape::{Decoder, Message, owned};
use serde_json::{Value as Json, json};

/// For each field, values of a wrong type. They are absent for the accessor,
/// visible in the value, kept in `extra`, and written again.
#[test]
fn a_field_of_another_type_is_absent_and_kept() {
    let values = [
        json!(null),
        json!(true),
        json!(1),
        json!(-1),
        json!(1.5),
        json!("text"),
        json!([]),
        json!([1]),
        json!({}),
        json!({"k": "v"}),
    ];
    type Fits = fn(&Json) -> bool;
    let fields: [(&str, Fits); 9] = [
        ("uuid", Json::is_string),
        ("result", Json::is_string),
        ("isSidechain", Json::is_boolean),
        ("total_cost_usd", Json::is_number),
        ("num_turns", Json::is_i64),
        ("result_index", Json::is_u64),
        ("usage", Json::is_object),
        ("errors", |v| v.as_array().is_some_and(|list| list.is_empty())),
        ("stop_reason", Json::is_string),
    ];
    for (key, fits) in fields {
        for value in &values {
            let json = json!({"type": "result", key: value, "cwd": "/"});
            let line = json.to_string();
            let mut decoder = Decoder::new();
            let record = decoder.decode(line.as_bytes()).unwrap();
            let Message::Result(view) = record.message() else {
                panic!("{line}");
            };
            let there = match key {
                "uuid" => view.uuid().is_some(),
                "result" => view.result().is_some(),
                "isSidechain" => view.is_sidechain().is_some(),
                "total_cost_usd" => view.total_cost_usd().is_some(),
                "num_turns" => view.num_turns().is_some(),
                "result_index" => view.result_index().is_some(),
                "usage" => view.usage().is_some(),
                // A list is read as a list; items of a wrong type are skipped
                // one by one.
                "errors" => {
                    let items = view.errors().map(|list| list.iter().count());
                    assert_eq!(items, value.as_array().map(|_| 0), "{line}");
                    items.is_some() && fits(value)
                }
                _ => view.stop_reason().is_some(),
            };
            assert_eq!(there, fits(value), "{line}");
            assert_eq!(view.cwd(), Some("/"), "{line}");
            let seen = record.value().get(key).unwrap();
            assert_eq!(&serde_json::to_value(seen).unwrap(), value);

            let ours = record.into_owned();
            let theirs: owned::Message = serde_json::from_str(&line).unwrap();
            assert_eq!(ours, theirs, "{line}");
            let owned::Message::Result(owned) = &ours else {
                panic!("{line}");
            };
            let kept = owned.extra.get(key);
            assert_eq!(kept, Some(value).filter(|v| !fits(v)), "{line}");
            assert_eq!(serde_json::to_value(&ours).unwrap(), json);
        }
    }
}

/// `type` itself may have any type. Then the message has no known type, and is
/// kept whole.
#[test]
fn a_type_that_is_no_string_is_unknown() {
    for value in ["null", "1", "{}", "[\"user\"]", "true", "\"novel\"", "\"\""]
    {
        let line = format!(r#"{{"type":{value},"subtype":{value},"a":1}}"#);
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        assert!(matches!(record.message(), Message::Unknown(_)), "{line}");
        let name: Json = serde_json::from_str(value).unwrap();
        assert_eq!(record.kind().name(), name.as_str(), "{line}");
        assert_eq!(record.kind().subtype(), name.as_str(), "{line}");
        let json: Json = serde_json::from_str(&line).unwrap();
        let ours = serde_json::to_value(record.into_owned()).unwrap();
        assert_eq!(ours, json);
    }
}
