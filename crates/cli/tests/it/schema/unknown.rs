//! `linetape schema`: flags for unknown keys, types and values.

use serde_json::{Value, json};

use crate::{
    schema::reference::values,
    support::{document, linetape, text},
};

#[test]
fn unknown_values_are_flagged_and_the_flags_are_explained() {
    let lines = [
        // Only some values of a path are unknown.
        json!({"type": "user", "message": {"content": [
            {"type": "text", "text": "t", "id": "i"},
            {"type": "tool_use", "id": "i", "input": {"any": 1}},
            "bare",
        ]}}),
        json!({"type": "user", "mood": {"good": [{"very": true}]}}),
        json!({"type": "user", "uuid": {"why": 1}, "permissionMode": "tea"}),
        json!({"type": "user", "session_id": "a", "sessionId": "b"}),
        json!({"type": "tea", "subtype": "green", "cup": {"sugar": 2}}),
    ];
    let log: Vec<String> = lines.iter().map(Value::to_string).collect();
    let log = log.join("\n");
    let report =
        document(&linetape(&["schema", "--json", "-"], log.as_bytes()));
    let mut doubts = vec![];
    for kind in report["kinds"].as_array().unwrap() {
        for row in kind["paths"].as_array().unwrap() {
            let known = row["doubts"] == json!({});
            assert_eq!(row["known"], known, "{row}");
            if !known {
                let path = row["path"].as_str().unwrap().to_string();
                doubts.push((
                    path,
                    row["values"].clone(),
                    row["doubts"].clone(),
                ));
            }
        }
    }
    let key = json!({"unknown_key": 1});
    let expected = [
        ("message.content[]", 3, json!({"other_type": 1})),
        ("message.content[].id", 2, key.clone()),
        ("mood", 1, key.clone()),
        ("mood.good", 1, key.clone()),
        ("mood.good[]", 1, key.clone()),
        ("mood.good[].very", 1, key.clone()),
        ("permissionMode", 1, json!({"unknown_text": 1})),
        ("sessionId", 1, json!({"hidden": 1})),
        ("uuid", 1, json!({"other_type": 1})),
        ("uuid.why", 1, key.clone()),
        ("cup", 1, key.clone()),
        ("cup.sugar", 1, key),
    ]
    .map(|(path, values, doubts)| (path.to_string(), json!(values), doubts));
    assert_eq!(doubts, expected);
    let known: Vec<_> = report["kinds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|k| &k["known"])
        .collect();
    assert_eq!(known, [true, false]);

    let shown = linetape(&["schema", "-"], log.as_bytes());
    let shown = text(&shown.stdout);
    let marks: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with(['?', '!', '~', '=']))
        .map(|line| line.split("  ").next().unwrap())
        .collect();
    let expected = [
        "! message.content[]",
        "? message.content[].id",
        "? mood",
        "? mood.good",
        "? mood.good[]",
        "? mood.good[].very",
        "~ permissionMode",
        "= sessionId",
        "! uuid",
        "? uuid.why",
        "? tea/green, 1 record",
        "? cup",
        "? cup.sugar",
        "? unknown key or type",
        "! unexpected JSON type",
        "~ unknown string value",
        "= ignored: another member takes precedence",
    ];
    assert_eq!(marks, expected);
    assert!(shown.ends_with(&format!("\n\n{}\n", expected[13..].join("\n"))));
}

/// A type without members has a flag, too.
#[test]
fn an_unknown_kind_is_flagged_even_without_members() {
    let output = linetape(&["schema", "-"], b"{}\n{\"type\":\"tea\"}\n");
    let shown = text(&output.stdout);
    assert!(
        shown.starts_with("? none, 1 record\n\n? tea, 1 record\n"),
        "{shown}"
    );
    assert!(shown.ends_with("\n\n? unknown key or type\n"), "{shown}");
}

/// A record without a type can be an event, which is a known kind.
#[test]
fn a_kind_is_known_only_if_all_its_records_are() {
    for (log, known) in [
        ("{\"event_type\":\"e\",\"data\":1}\n", true),
        ("{\"event_type\":\"e\",\"data\":1}\n{}\n", false),
        ("{}\n{\"event_type\":\"e\",\"data\":1}\n", false),
    ] {
        let output = linetape(&["schema", "--json", "-"], log.as_bytes());
        assert_eq!(document(&output)["kinds"][0]["known"], known, "{log}");
    }
}

/// The first of two maps with the same key is hidden, and not read as a map.
#[test]
fn a_duplicate_map_is_still_a_map() {
    let log =
        br#"{"type":"result","modelUsage":{"a":1},"modelUsage":{"b":{}}}"#;
    let report = document(&linetape(&["schema", "--json", "-"], log));
    let expected = [("modelUsage", 2), ("modelUsage.*", 2), ("type", 1)];
    let expected = expected.map(|(path, count)| (path.to_string(), count));
    assert_eq!(values(&report), expected.into());
    let map = &report["kinds"][0]["paths"][0];
    assert_eq!(map["doubts"], json!({"hidden": 1}));
}
