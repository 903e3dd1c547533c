//! Decoding, compared with serde_json and jiter, and packed lines compared
//! with single ones.

use std::borrow::Cow;

use jiter::JsonValue;
use linetape::{Batch, Decoder, Error, ErrorKind, Record};
use serde_json::{Number, Value as Json};

use crate::support::{
    differences::{Judge, is_same, json},
    framing::{Outcome, naive},
    json::Outline,
};

/// Compares every way of decoding one text with serde_json.
pub fn decode(text: &[u8]) {
    let mut decoder = Decoder::new();
    let length = text.len() as u64;
    let judge = Judge::of(text);

    let mut padded = text.to_vec();
    let behind: Vec<u8> = (0..70).map(|n| b"\"\\}7,"[n % 5]).collect();
    padded.extend(&behind);
    let batch = Batch::new();

    let one = decoder.decode(text).map(|record| {
        assert_eq!(record.raw(), Some(text));
        (json(record.value()), format!("{:?}", record.value()))
    });
    let two = batch.push(decoder.line(text)).map(|message| {
        (json(message.value()), format!("{:?}", message.value()))
    });
    let three = decoder.decode_padded(&mut padded, text.len());
    let three = three
        .map(|record| (json(record.value()), format!("{:?}", record.value())));
    assert_eq!(&padded[text.len()..], &behind[..], "what is behind");

    for (way, found) in [("copy", &one), ("batch", &two), ("padded", &three)] {
        let ours = match found {
            Ok((json, _)) => Ok(json.clone()),
            Err(error) => {
                let byte = error.position().byte();
                assert!(byte <= length, "{way}: {byte} of {length}");
                // Decoding in place does not know the position.
                if error.kind() == ErrorKind::Utf8 && way != "padded" {
                    let valid = str::from_utf8(text).unwrap_err();
                    assert_eq!(byte, valid.valid_up_to() as u64, "{way}");
                }
                Err(error.kind())
            }
        };
        if let Err(why) = judge.difference(&ours) {
            panic!("{way}: {why}");
        }
    }
    // The text shows the order of keys and duplicate keys, which a map does
    // not.
    if let (Ok(one), Ok(two), Ok(three)) = (&one, &two, &three) {
        assert_eq!(&one.1, &two.1);
        assert_eq!(&one.1, &three.1);
    }
    if let (Err(one), Err(two)) = (&one, &two) {
        assert_eq!(one.kind(), two.kind());
        assert_eq!(one.position(), two.position());
    }
}

/// Asserts that adjacent lines in one buffer are decoded as each is alone, and
/// that the bytes around them are unchanged.
pub fn decode_packed(text: &[u8]) {
    const SPARE: &[u8; 64] = &[b'"'; 64];
    let packed = [text, SPARE].concat();
    let mut decoder = Decoder::new();
    let mut start = 0;
    for line in text.split(|byte| *byte == b'\n') {
        let end = start + line.len();
        let mut buffer = packed.clone();
        let beside = decoder.decode_padded(&mut buffer[start..], line.len());
        let beside = beside.map(shown);
        assert_eq!(buffer[..start], packed[..start], "before it");
        assert_eq!(buffer[end..], packed[end..], "behind it");
        match (beside, decoder.decode(line).map(shown)) {
            (Ok(beside), Ok(alone)) => assert_eq!(beside, alone),
            (Err(beside), Err(alone)) => {
                let at = |error: &Error| error.position().byte();
                assert!(at(&beside) <= line.len() as u64);
                // Decoding in place does not know which of several faults is
                // first.
                use ErrorKind::{Depth, Syntax, TrailingData, Utf8};
                let vague = [Depth, Syntax, Utf8];
                let is_vague = vague.contains(&alone.kind())
                    || alone.kind() == TrailingData;
                match is_vague {
                    true => assert!(vague.contains(&beside.kind())),
                    false => assert_eq!(beside.kind(), alone.kind()),
                }
            }
            (beside, alone) => panic!("{beside:?} is not {alone:?}"),
        }
        start = end + 1;
    }
    through_a_reader(text, &mut decoder);
}

/// The same for a reader, which returns every line that is not blank.
fn through_a_reader(text: &[u8], decoder: &mut Decoder) {
    let builder = linetape::Reader::builder().buffer_capacity(48);
    let mut reader = builder.build(text);
    for outcome in naive(text, usize::MAX).outcomes {
        let found = reader.next_record().expect("there is a line");
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
    assert!(reader.next_record().is_none());
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
