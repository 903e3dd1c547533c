//! Duplicate keys: an error for `type` and `subtype`; for all others, the last
//! one is used.
#![cfg(feature = "messages")]

use linetape::{Decoder, ErrorKind, Limits, Message, Writer, owned};
use serde_json::{Value as Json, json};

use crate::support::refused::refused;

/// A duplicate `type` or `subtype` is an error, at any position, with or
/// without escapes, and with any values.
#[test]
fn duplicate_type_or_subtype_is_rejected() {
    let twins = [
        ("type", "type"),
        ("type", r"\u0074ype"),
        (r"\u0074ype", "type"),
        (r"typ\u0065", r"t\u0079pe"),
        ("subtype", "subtype"),
        ("subtype", r"sub\u0074ype"),
    ];
    let values = [
        (r#""user""#, r#""assistant""#),
        (r#""user""#, r#""user""#),
        ("null", r#""user""#),
        ("1", "[]"),
        (r#"{"type":1,"type":2}"#, r#""\n""#),
    ];
    for (first, second) in twins {
        for (one, two) in values {
            for between in [0, 1, 31, 32, 33, 10_000] {
                let filler: String =
                    (0..between).map(|n| format!(r#""f{n}":"\t","#)).collect();
                for before in ["", r#""uuid":"u","#] {
                    let head =
                        format!(r#"{{{before}"{first}":{one},{filler}"#);
                    let line = format!(r#"{head}"{second}":{two},"z":0}}"#);
                    let kind = ErrorKind::DuplicateKey;
                    let at = head.len();
                    refused(Limits::default(), line.as_bytes(), kind, at);
                }
            }
        }
    }
}

/// The first duplicate is the error. One key of each is not a duplicate.
#[test]
fn the_first_duplicate_type_or_subtype_is_reported() {
    let line = r#"{"type":"a","subtype":"b","subtype":"c","type":"d"}"#;
    let kind = ErrorKind::DuplicateKey;
    refused(Limits::default(), line.as_bytes(), kind, 26);
    for line in [
        r#"{"type":"a","subtype":"b"}"#,
        r#"{"type":"a","Type":"b","types":1,"typ":2,"":3}"#,
        r#"{"type":"a","x":{"type":"b","type":"c"},"y":[{"type":1}]}"#,
    ] {
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        assert!(record.kind().is("a"));
    }
}

/// If a line also has a grammar error, that is the error that is returned.
#[test]
fn a_fault_in_the_grammar_comes_before_a_repeated_key() {
    let line = br#"{"type":"a","type":"b",}"#;
    refused(Limits::default(), line, ErrorKind::Syntax, 23);
}

#[test]
fn for_any_other_key_the_last_wins_everywhere() {
    let line = br#"{"type":"user","uuid":"first","uuid":7,
        "uuid":"last","novel":1,"no\u0076el":[2],
        "message":{"role":"x","content":"old"},
        "message":{"role":"user","type":"a","type":"b","content":"older",
            "content":[{"type":"text","type":"thinking","thinking":"hm",
                "type":"text","text":"a","text":"b"}]}}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let value = record.value();
    let text = |path| value.pointer(path).and_then(|text| text.as_str());
    assert_eq!(text("/uuid"), Some("last"));
    assert_eq!(text("/message/type"), Some("b"));
    assert_eq!(text("/message/content/0/text"), Some("b"));
    assert_eq!(record.message().uuid(), Some("last"));
    let said: Vec<&str> = record.message().text().collect();
    assert_eq!(said, ["b"]);
    let Message::User(user) = record.message() else { panic!("a user") };
    assert_eq!(user.message().and_then(|m| m.role()), Some("user"));

    let expected = json!({
        "type": "user", "uuid": "last", "novel": [2],
        "message": {
            "role": "user", "type": "b",
            "content": [
                {"type": "text", "thinking": "hm", "text": "b"}
            ],
        },
    });
    assert_eq!(serde_json::to_value(value).unwrap(), expected);
    let theirs: owned::Message = serde_json::from_slice(line).unwrap();
    let mut writer = Writer::new(vec![]);
    writer.write_value(&value).unwrap();
    let ours = record.into_owned();
    assert_eq!(ours, theirs);
    let owned::Message::User(user) = &ours else { panic!("a user") };
    assert_eq!(user.uuid.as_deref(), Some("last"));
    assert_eq!(user.extra["novel"], json!([2]));
    writer.write_value(&ours).unwrap();
    let written = writer.into_inner().unwrap();
    let lines: Vec<&[u8]> =
        written.trim_ascii_end().split(|&b| b == b'\n').collect();
    assert_eq!(lines.len(), 2);
    for line in lines {
        let back: Json = serde_json::from_slice(line).unwrap();
        assert_eq!(back, expected);
    }
}

/// The last one is used even if its type is wrong for the field: then the
/// field is absent, and an earlier one is not used instead.
#[test]
fn a_last_value_of_another_type_is_still_the_last() {
    let line = br#"{"type":"result","uuid":"u","uuid":null,"num_turns":3,
        "num_turns":"x","usage":{"input_tokens":1},"usage":[]}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let Message::Result(result) = record.message() else { panic!("result") };
    assert_eq!(result.uuid(), None);
    assert_eq!(result.num_turns(), None);
    assert!(result.usage().is_none());
    let expected = json!({
        "type": "result", "uuid": null, "num_turns": "x", "usage": [],
    });
    let ours = record.into_owned();
    let theirs: owned::Message = serde_json::from_slice(line).unwrap();
    assert_eq!(ours, theirs);
    assert_eq!(serde_json::to_value(&ours).unwrap(), expected);
}
