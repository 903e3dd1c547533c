//! Intended differences from serde_json, positions of errors, and random
//! texts.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use linetape::{
    Decoder, Error, ErrorKind, Position, Value, lines, value::JsonType,
};
use proptest::prelude::*;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value as Json;

use crate::{deserialize::types::*, support::texts};

/// Deserialises a text from a record and from a line.
macro_rules! both {
    ($type:ty, $text:expr) => {{
        let line = $text;
        let line: &[u8] = line.as_ref();
        let (mut one, mut other) = (Decoder::new(), Decoder::new());
        let decoded = one.decode(line).unwrap();
        let decoded = decoded.deserialize::<$type>();
        let decoded = decoded.map(|read| format!("{read:?}"));
        let read = other.line(line).deserialize::<$type>();
        let read = read.map(|read| format!("{read:?}"));
        let show = |read: &Result<String, Error>| format!("{read:?}");
        assert_eq!(show(&decoded), show(&read));
        read
    }};
}

/// The first of the documented differences.
#[test]
fn integers_beyond_64_bits_are_floats() {
    let line = r#"{"v":18446744073709551616}"#;
    assert!(serde_json::from_str::<Wrap<u128>>(line).is_ok());
    let error = both!(Wrap<u128>, line).unwrap_err();
    assert_eq!(error.path(), Some("/v"));
    let error = both!(Wrap<i128>, line).unwrap_err();
    assert!(error.to_string().contains("floating point"), "{error}");
    let read = both!(Wrap<f64>, line).unwrap();
    assert_eq!(read, "Wrap { v: 1.8446744073709552e19 }");
}

#[test]
fn minus_zero_is_the_integer_zero() {
    let line = r#"{"v":-0}"#;
    assert!(serde_json::from_str::<Wrap<i64>>(line).is_err());
    assert_eq!(both!(Wrap<i64>, line).unwrap(), "Wrap { v: 0 }");
    assert_eq!(both!(Wrap<u128>, line).unwrap(), "Wrap { v: 0 }");
    assert_eq!(both!(Wrap<f64>, line).unwrap(), "Wrap { v: 0.0 }");
    let float = r#"{"v":-0.0}"#;
    assert_eq!(both!(Wrap<f64>, float).unwrap(), "Wrap { v: -0.0 }");
}

/// This number is just above the midpoint of two `f32` values, and the nearest
/// `f64` is the midpoint.
#[test]
fn a_small_float_is_rounded_twice() {
    let line = r#"{"v":1.000000059604644775390625000000001}"#;
    let json: Wrap<f32> = serde_json::from_str(line).unwrap();
    assert_eq!(json.v, 1.0 + f32::EPSILON);
    assert_eq!(both!(Wrap<f32>, line).unwrap(), "Wrap { v: 1.0 }");
}

#[test]
fn strings_with_escapes_can_be_borrowed() {
    let line = r#"{"v":"a\n\u00e9"}"#;
    assert!(serde_json::from_str::<Wrap<&str>>(line).is_err());
    assert_eq!(both!(Wrap<&str>, line).unwrap(), "Wrap { v: \"a\\né\" }");
    let bytes = both!(Wrap<&[u8]>, line).unwrap();
    assert_eq!(bytes, "Wrap { v: [97, 10, 195, 169] }");
    let mut decoder = Decoder::new();
    let line = decoder.line(line.as_bytes());
    let cow: Borrowing<'_> = line.deserialize().unwrap();
    assert!(matches!(cow.v, Cow::Borrowed("a\né")));
}

#[test]
fn a_key_is_unescaped_before_it_is_a_number() {
    let line = r#"{"\u0031":2}"#;
    assert!(serde_json::from_str::<BTreeMap<u8, u8>>(line).is_err());
    assert_eq!(both!(BTreeMap<u8, u8>, line).unwrap(), "{1: 2}");
}

#[test]
fn what_a_line_may_nest_can_be_read() {
    let nested = |levels: usize| {
        let inner = "[".repeat(levels - 1) + &"]".repeat(levels - 1);
        format!("{{\"v\":{inner}}}")
    };
    let line = nested(128);
    assert!(serde_json::from_str::<Json>(&nested(127)).is_ok());
    assert!(serde_json::from_str::<Json>(&line).is_err());
    assert!(both!(Json, &line).is_ok());
}

/// serde_json would go on in the middle of such a value.
#[test]
fn what_is_not_read_or_does_not_fit_is_passed_over() {
    let line = r#"{"a":[{}],"b":[[[]],7],"c":"\n","d":{"v":{}},"e":5}"#;
    let expected = "PassedOver { a: (), b: Lenient(Some([Lenient(None), \
        Lenient(Some(7))])), c: Lenient(None), d: Lenient(None), e: 5 }";
    assert_eq!(both!(PassedOver, line).unwrap(), expected);
}

#[test]
fn raw_values_are_refused() {
    let line = r#"{"v":[1]}"#;
    type Raw = Wrap<Box<serde_json::value::RawValue>>;
    assert!(serde_json::from_str::<Raw>(line).is_ok());
    let error = both!(Raw, line).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data);
}

/// The value that does not fit may be the first of two members with the same
/// key.
#[test]
fn a_repeated_key_is_placed_where_it_is() {
    let line = r#"{"a":"x","a":1}"#;
    let error = both!(BTreeMap<String, u8>, line).unwrap_err();
    assert_eq!((error.path(), error.position().byte()), (Some("/a"), 5));
    let line = r#"{"a":1,"a":2}"#;
    let error = both!(Plain, line).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1 (byte 11): duplicate field `a`, at /a"
    );
}

/// A grammar error takes precedence over a value that does not fit.
#[test]
fn a_line_is_checked_before_it_is_read() {
    let line = br#"{"v":"x","w":[1,,2]}"#;
    let mut decoder = Decoder::new();
    let expected = decoder.decode(line).unwrap_err();
    assert_eq!(expected.kind(), ErrorKind::Syntax);
    let error = decoder.line(line).deserialize::<Wrap<u8>>().unwrap_err();
    assert_eq!(error.to_string(), expected.to_string());
    assert_eq!(error.path(), None);
}

/// For a nested value, paths are relative to the value, and positions to the
/// stream.
#[test]
fn a_part_is_read_by_itself() {
    let log = b"{}\n{\"a\":{\"b\":[1,\"x\"]}}\n";
    let mut lines = lines(log);
    lines.next_line();
    let line = lines.next_line().unwrap().unwrap();
    let value = line.peek().unwrap().value().get("a").unwrap();
    let error = value.deserialize::<Wrap<u8>>().unwrap_err();
    let text = "line 2 (byte 8): missing field `v`";
    assert_eq!((error.to_string().as_str(), error.path()), (text, Some("")));
    let error = BTreeMap::<String, Vec<u8>>::deserialize(value).unwrap_err();
    assert_eq!((error.path(), error.position().byte()), (Some("/b/1"), 16));

    // A decoded value does not know its line.
    let record = line.decode().unwrap();
    let value = record.value().get("a").unwrap();
    let error = value.deserialize::<Wrap<u8>>().unwrap_err();
    assert_eq!(error.to_string(), "missing field `v`");
    assert_eq!(error.position(), Position::START);
}

#[test]
fn an_error_keeps_the_line_if_it_is_to() {
    let mut reader =
        linetape::Reader::builder().keep_raw(true).build(&b"{\"v\":-1}\n"[..]);
    let line = reader.next_line().unwrap().unwrap();
    let error = line.deserialize::<Wrap<u8>>().unwrap_err();
    assert_eq!(error.raw(), Some(&b"{\"v\":-1}"[..]));
}

/// Any value, as an untagged enum.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Tree {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Tree>),
    Map(BTreeMap<String, Tree>),
}

/// Some of the keys of random objects.
#[derive(Debug, PartialEq, Deserialize)]
struct Partial {
    a: Option<Box<Partial>>,
    b: Option<u64>,
    #[serde(default)]
    content: Vec<Tree>,
    #[serde(flatten)]
    rest: BTreeMap<String, Tree>,
}

type ByNumber = BTreeMap<String, BTreeMap<i64, Tree>>;

/// Returns whether a value may be the integer -0.
fn has_minus_zero(line: &str) -> bool {
    let mut rest = line.split("-0");
    rest.next();
    rest.any(|rest| !rest.starts_with(['.', 'e', 'E']))
}

fn same<T>(line: &str) -> Result<(), TestCaseError>
where
    T: DeserializeOwned + PartialEq + fmt::Debug,
{
    let mut decoder = Decoder::new();
    let Ok(record) = decoder.decode(line.as_bytes()) else { return Ok(()) };
    let decoded = record.deserialize::<T>();
    let mut other = Decoder::new();
    let text = other.line(line.as_bytes()).deserialize::<T>();
    match serde_json::from_str::<T>(line) {
        Ok(expected) => {
            prop_assert_eq!(&decoded.unwrap(), &expected);
            prop_assert_eq!(&text.unwrap(), &expected);
        }
        Err(_) => {
            let (decoded, text) = (decoded.unwrap_err(), text.unwrap_err());
            prop_assert_eq!(decoded.kind(), ErrorKind::Data);
            prop_assert_eq!(decoded.to_string(), text.to_string());
            let path = text.path().unwrap();
            prop_assert!(leads_somewhere(record.value(), path), "{}", path);
        }
    }
    Ok(())
}

/// Returns whether a path leads to a value, through any of several members
/// with the same key.
fn leads_somewhere(value: Value<'_>, path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return path.is_empty() };
    let (step, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let key = step.replace("~1", "/").replace("~0", "~");
    if let Some(array) = value.as_array() {
        let item = array.get(step.parse().unwrap());
        return item.is_some_and(|item| leads_somewhere(item, rest));
    }
    let mut members = value.as_object().into_iter().flatten();
    members.any(|(k, value)| k == key && leads_somewhere(value, rest))
}

fn json_type(json: &Json) -> JsonType {
    match json {
        Json::Null => JsonType::Null,
        Json::Bool(_) => JsonType::Bool,
        Json::Number(n) if n.is_f64() => JsonType::Number,
        Json::Number(_) => JsonType::Integer,
        Json::String(_) => JsonType::String,
        Json::Array(_) => JsonType::Array,
        Json::Object(_) => JsonType::Object,
    }
}

proptest! {
    #![proptest_config(texts::cases(100))]

    #[test]
    fn random_objects_read_as_serde_json_reads_them(
        line in texts::any_object()
    ) {
        prop_assume!(!has_minus_zero(&line));
        same::<Json>(&line)?;
        same::<Tree>(&line)?;
        same::<BTreeMap<String, Tree>>(&line)?;
        same::<Partial>(&line)?;
        same::<ByNumber>(&line)?;
    }

    #[test]
    fn random_values_compare_and_show_as_serde_json_does(
        (one, other) in (texts::value(), texts::value())
    ) {
        prop_assume!(!has_minus_zero(&one) && !has_minus_zero(&other));
        let line = format!("{{\"one\":{one},\"other\":{other}}}");
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let mut second = Decoder::new();
        let line = second.line(line.as_bytes());
        let peeked = line.peek().unwrap().value();
        let values = ["one", "other"].map(|key| {
            let decoded = record.value().get(key).unwrap();
            (decoded, peeked.get(key).unwrap())
        });
        let json = values.map(|(value, _)| Json::try_from(value).unwrap());
        for ((decoded, peeked), json) in values.iter().zip(&json) {
            prop_assert_eq!(decoded, peeked);
            let shown = decoded.to_string();
            prop_assert_eq!(&shown, &peeked.to_string());
            prop_assert_eq!(&serde_json::from_str::<Json>(&shown)?, json);
            prop_assert_eq!(decoded.json_type(), json_type(json));
            prop_assert_eq!(peeked.json_type(), json_type(json));
        }
        let [(one, _), (_, other)] = values;
        prop_assert_eq!(one == other, json[0] == json[1]);
        prop_assert_eq!(other == one, json[0] == json[1]);
    }
}
