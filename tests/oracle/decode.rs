//! Decoding, compared with serde_json and jiter, and lines of a stream
//! compared with single ones.

use std::borrow::Cow;

use jiter::JsonValue;
use linetape::{Decoder, ErrorKind, Record};
use serde_json::{Number, Value as Json};

use crate::support::{
    differences::{Judge, is_same, json},
    framing::{Outcome, naive},
    json::{Outline, told},
};

/// Compares every way of decoding one text with serde_json.
pub fn decode(text: &[u8]) {
    let mut decoder = Decoder::new();
    let length = text.len() as u64;
    let judge = Judge::of(text);

    let one = decoder.decode(text).map(|record| {
        assert_eq!(record.raw(), Some(text));
        (json(record.value()), format!("{:?}", record.value()))
    });
    let two = decoder
        .line(text)
        .to_owned_line()
        .map(|line| (json(line.value()), format!("{:?}", line.value())));

    for (way, found) in [("record", &one), ("owned line", &two)] {
        let ours = match found {
            Ok((json, _)) => Ok(json.clone()),
            Err(error) => {
                let byte = error.position().byte();
                assert!(byte <= length, "{way}: {byte} of {length}");
                if error.kind() == ErrorKind::Utf8 {
                    let valid = str::from_utf8(text).unwrap_err();
                    assert_eq!(byte, valid.valid_up_to() as u64, "{way}");
                }
                Err(told(error).kind)
            }
        };
        if let Err(why) = judge.difference(&ours) {
            panic!("{way}: {why}");
        }
    }
    // The text shows the order of keys and duplicate keys, which a map does
    // not.
    if let (Ok(one), Ok(two)) = (&one, &two) {
        assert_eq!(&one.1, &two.1);
    }
    if let (Err(one), Err(two)) = (&one, &two) {
        assert_eq!(one.kind(), two.kind());
        assert_eq!(one.position(), two.position());
    }
}

/// Asserts that each line of a stream that is not blank is decoded as it is
/// alone.
pub fn decode_packed(text: &[u8]) {
    let mut decoder = Decoder::new();
    let builder = linetape::Reader::builder().buffer_capacity(48);
    let mut reader = builder.build(text);
    for outcome in naive(text, usize::MAX).outcomes {
        // Not `next_record`, which skips the lines of a document.
        let found = reader.next_line().expect("there is a line");
        let found = found.and_then(|line| line.decode());
        let (number, bytes) = match outcome {
            Outcome::Line { number, bytes, .. } => (number, bytes),
            Outcome::Error { kind, number, .. } => {
                let error = found.unwrap_err();
                assert_eq!(
                    (error.kind(), error.position().line()),
                    (kind, number)
                );
                continue;
            }
        };
        let alone = decoder.decode(&bytes).map(shown);
        match (found, alone) {
            (Ok(found), Ok(alone)) => {
                assert_eq!(found.position().line(), number);
                assert_eq!(shown(found), alone);
            }
            (Err(found), Err(alone)) => {
                assert_eq!(found.position().line(), number);
                match found.kind() {
                    ErrorKind::Truncated => assert!(text.ends_with(&bytes)),
                    kind => assert_eq!(kind, alone.kind()),
                }
            }
            (found, alone) => panic!("{found:?} is not {alone:?}"),
        }
    }
    assert!(reader.next_line().is_none());
}

fn shown(record: Record<'_>) -> String {
    format!("{:?}", record.value())
}

/// Asserts that three independent parsers agree on which texts are objects,
/// and on their values. jiter is not compared on lines with an intended
/// difference from serde_json, and on lines near its own depth limit. It reads
/// some numbers as infinite that the others reject.
pub fn diff_three(text: &[u8]) {
    let mut decoder = Decoder::new();
    let ours = match decoder.decode(text) {
        Ok(record) => Ok(json(record.value())),
        Err(error) => Err(error.kind()),
    };
    let difference = Judge::of(text).difference(&ours).unwrap();
    if difference.is_some() || Outline::of(text).depth >= 128 {
        return;
    }
    let third = JsonValue::parse(text, false);
    let third = third.ok().and_then(|value| from_jiter(&value));
    match (&ours, third.filter(Json::is_object)) {
        (Ok(ours), Some(third)) => {
            assert!(is_same(ours, &third), "{ours}, jiter {third}");
        }
        (ours, third) => {
            assert!(ours.is_err() && third.is_none(), "{ours:?} {third:?}");
        }
    }
}

/// Returns the same value for serde_json, if its numbers are finite.
fn from_jiter(value: &JsonValue<'_>) -> Option<Json> {
    Some(match value {
        JsonValue::Null => Json::Null,
        JsonValue::Bool(truth) => Json::Bool(*truth),
        JsonValue::Int(number) => Json::from(*number),
        JsonValue::BigInt(number) => {
            serde_json::from_str(&number.to_string()).ok()?
        }
        JsonValue::Float(number) => Json::Number(Number::from_f64(*number)?),
        JsonValue::Str(text) => Json::from(text.as_ref()),
        JsonValue::Array(items) => {
            Json::Array(items.iter().map(from_jiter).collect::<Option<_>>()?)
        }
        JsonValue::Object(members) => {
            let member = |(key, value): &(Cow<'_, str>, JsonValue<'_>)| {
                Some((key.to_string(), from_jiter(value)?))
            };
            Json::Object(members.iter().map(member).collect::<Option<_>>()?)
        }
    })
}
