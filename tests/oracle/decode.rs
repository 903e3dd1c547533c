//! Decoding, held to serde_json and to jiter, and packed lines to lone ones.

use std::{borrow::Cow, fmt};

use jiter::JsonValue;
use linetape::{Batch, Decoder, Error, ErrorKind, Position, Record, Value};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Number, Value as Json};

use crate::json::Outline;

/// Whether two values are the same, numbers to the bit and with their class.
///
/// This is the one place with the documented loss: an integer `-0` reads as 0,
/// where serde_json has the float -0.0.
pub fn same(ours: &Json, theirs: &Json) -> bool {
    match (ours, theirs) {
        (Json::Number(a), Json::Number(b)) => {
            if a.is_f64() && b.is_f64() {
                let bits =
                    |n: &serde_json::Number| n.as_f64().map(f64::to_bits);
                return bits(a) == bits(b);
            }
            let minus_zero = b.is_f64() && b.as_f64() == Some(0.0);
            a == b || minus_zero && a.as_u64() == Some(0)
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            let same_in_b = |(key, a): (&String, &Json)| {
                b.get(key).is_some_and(|b| same(a, b))
            };
            a.len() == b.len() && a.iter().all(same_in_b)
        }
        _ => ours == theirs,
    }
}

/// A view as a serde_json value, by the view's own `Serialize`.
pub fn as_json(value: Value<'_>) -> Json {
    serde_json::to_value(value).unwrap()
}

/// How often a text has `type` and `subtype` in its outermost object.
struct Deciding {
    types: usize,
    subtypes: usize,
}

impl<'de> Visitor<'de> for Deciding {
    type Value = Deciding;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(
        mut self,
        mut map: A,
    ) -> Result<Deciding, A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            map.next_value::<IgnoredAny>()?;
            self.types += usize::from(key == "type");
            self.subtypes += usize::from(key == "subtype");
        }
        Ok(self)
    }
}

/// What serde_json says about a line, with our rules on top.
#[derive(Debug)]
pub enum Verdict {
    Accept(Json),
    /// serde_json goes less deep by one level.
    TooDeep,
    NotAnObject,
    Duplicate,
    Reject,
}

pub fn verdict(text: &[u8]) -> Verdict {
    let blank = |byte: &&u8| b" \t\r\n".contains(byte);
    if text.iter().find(|byte| !blank(byte)) != Some(&b'{') {
        return Verdict::NotAnObject;
    }
    if Outline::of(text).depth >= 128 {
        return Verdict::TooDeep;
    }
    let Ok(value) = serde_json::from_slice(text) else {
        return Verdict::Reject;
    };
    let mut reader = serde_json::Deserializer::from_slice(text);
    let counts = Deciding { types: 0, subtypes: 0 };
    let counts = reader.deserialize_map(counts).unwrap();
    match counts.types > 1 || counts.subtypes > 1 {
        true => Verdict::Duplicate,
        false => Verdict::Accept(value),
    }
}

/// Checks one text against serde_json, by every way to decode it.
pub fn decode(text: &[u8]) {
    let mut decoder = Decoder::new();
    let length = text.len() as u64;
    let expected = verdict(text);
    if let Verdict::TooDeep = expected {
        return;
    }

    let mut padded = text.to_vec();
    let behind: Vec<u8> = (0..70).map(|n| b"\"\\}7,"[n % 5]).collect();
    padded.extend(&behind);
    let batch = Batch::new();

    let one = decoder.decode(text).map(|record| {
        assert_eq!(record.raw(), Some(text));
        (as_json(record.value()), format!("{:?}", record.value()))
    });
    let two = batch.push(&mut decoder, text).map(|message| {
        (as_json(message.value()), format!("{:?}", message.value()))
    });
    let three = decoder.decode_padded(&mut padded, text.len());
    let three = three.map(|record| {
        (as_json(record.value()), format!("{:?}", record.value()))
    });
    assert_eq!(&padded[text.len()..], &behind[..], "what is behind");

    for (way, found) in [("copy", &one), ("batch", &two), ("padded", &three)] {
        match (&expected, found) {
            (Verdict::Accept(json), Ok((found, _))) => {
                assert!(same(found, json), "{way}: {found} is {json}");
            }
            (Verdict::Accept(_), Err(error)) => {
                assert!(false, "{way}: refused: {error}");
            }
            (_, Ok((found, _))) => {
                assert!(false, "{way}: {expected:?}, but is {found}");
            }
            (Verdict::TooDeep, _) => unreachable!(),
            (Verdict::NotAnObject, Err(error)) => {
                assert_eq!(error.kind(), ErrorKind::NotAnObject);
            }
            (Verdict::Duplicate, Err(error)) => {
                assert_eq!(error.kind(), ErrorKind::DuplicateKey);
            }
            (Verdict::Reject, Err(error)) => {
                let bad = matches!(
                    error.kind(),
                    ErrorKind::Syntax
                        | ErrorKind::Utf8
                        | ErrorKind::TrailingData
                );
                assert!(bad, "{way}: {error}");
            }
        }
        if let Err(error) = found {
            let byte = error.position().byte();
            assert!(byte <= length, "{way}: {byte} of {length}");
        }
    }
    // The text shows the order and the repeated keys, which a map does not.
    if let (Ok(one), Ok(two), Ok(three)) = (&one, &two, &three) {
        assert_eq!(&one.1, &two.1);
        assert_eq!(&one.1, &three.1);
    }
    if let (Err(one), Err(two)) = (&one, &two) {
        assert_eq!(one.kind(), two.kind());
        assert_eq!(one.position(), two.position());
    }
}

/// Lines that lie side by side in one buffer are each read as they are alone,
/// and what is beside them is left as it was.
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
                // In place, the first of several faults cannot be told.
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

/// The same for a reader, which tells each line's place as well.
fn through_a_reader(text: &[u8], decoder: &mut Decoder) {
    let mut reader = linetape::Reader::builder();
    let mut reader = reader.buffer_capacity(48).build(text);
    while let Some(record) = reader.next_record() {
        let (at, found) = match record {
            Ok(record) => (record.position(), Ok(shown(record))),
            Err(error) => (error.position(), Err(error)),
        };
        let Some(line) = line_at(text, at) else { continue };
        match (found, decoder.decode(line).map(shown)) {
            (Ok(found), Ok(alone)) => assert_eq!(found, alone),
            (Err(found), alone) => match found.kind() {
                ErrorKind::Encoding => assert_eq!(at.line(), 1),
                ErrorKind::Truncated => {
                    assert!(text.ends_with(line), "only at the end");
                    assert!(alone.is_err());
                }
                kind => assert_eq!(kind, alone.unwrap_err().kind()),
            },
            (found, alone) => panic!("{found:?} is not {alone:?}"),
        }
    }
}

/// The line of this number, by the naive rules, without a mark or an ending.
fn line_at(text: &[u8], at: Position) -> Option<&[u8]> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let index = usize::try_from(at.line()).ok()?.checked_sub(1)?;
    let count = text.split(|byte| *byte == b'\n').count();
    let line = text.split(|byte| *byte == b'\n').nth(index)?;
    let is_ended = index + 1 < count;
    Some(line.strip_suffix(b"\r").filter(|_| is_ended).unwrap_or(line))
}

fn shown(record: Record<'_>) -> String {
    format!("{:?}", record.value())
}

/// Three readers that have nothing in common agree on what is an object, and
/// on what it means. An object with a repeated deciding key is left out: only
/// linetape has a rule for it. And where jiter reads a number as infinite, the
/// others refuse it.
pub fn diff_three(text: &[u8]) {
    let expected = verdict(text);
    if matches!(expected, Verdict::TooDeep | Verdict::Duplicate) {
        return;
    }
    let third = JsonValue::parse(text, false);
    let third = third.ok().and_then(|value| from_jiter(&value));
    let third = third.filter(Json::is_object);
    let mut decoder = Decoder::new();
    let ours = decoder.decode(text);
    let ours = ours.ok().map(|record| as_json(record.value()));
    let second = match expected {
        Verdict::Accept(value) => Some(value),
        _ => None,
    };
    let agree = |a: &Option<Json>, b: &Option<Json>| match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    assert!(agree(&ours, &second), "ours {ours:?}, serde_json {second:?}");
    assert!(agree(&third, &second), "jiter {third:?}, serde_json {second:?}");
}

/// The same value for serde_json, if its numbers are finite.
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
