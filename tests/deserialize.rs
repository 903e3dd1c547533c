//! Values read into the caller's own types: the same types and texts through
//! serde_json, decoded records and lines.
#![cfg(feature = "owned")]
#![allow(dead_code)] // many fields are only shown

use std::{borrow::Cow, collections::BTreeMap, fmt};

use linetape::{
    Decoder, Error, ErrorKind, Escaped, JsonType, Position, Value, lines,
};
use proptest::prelude::*;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value as Json;

#[path = "support/texts.rs"]
mod texts;

#[derive(Debug, Deserialize)]
struct Wrap<T> {
    v: T,
}

#[derive(Debug, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Newtype(u64);

#[derive(Debug, Deserialize)]
struct Pair(u8, u8);

#[derive(Debug, Deserialize)]
struct Plain {
    a: u8,
    b: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    a: u8,
    #[serde(default)]
    b: Json,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
enum Fruit {
    Apple,
    Pear,
}

#[derive(Debug, Deserialize)]
enum External {
    Unit,
    Newtype(u8),
    Tuple(u8, String),
    Struct { a: u8 },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Internal {
    Unit,
    Newtype(Plain),
    Struct { a: u8, b: Option<Json> },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", content = "a")]
enum Adjacent {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u64),
    Text(String),
    Pair(u8, u8),
    Struct { a: u8 },
    Null,
}

#[derive(Debug, Deserialize)]
struct Flat {
    a: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, Json>,
}

#[derive(Debug, Deserialize)]
struct Deep {
    a: Vec<Option<Box<Deep>>>,
}

/// A map in the order of the text, with any keys.
#[derive(Debug)]
struct Pairs<K, V>(Vec<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de>
    for Pairs<K, V>
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct AsPairs<K, V>(Vec<(K, V)>);

        impl<'de, K, V> Visitor<'de> for AsPairs<K, V>
        where
            K: Deserialize<'de>,
            V: Deserialize<'de>,
        {
            type Value = Pairs<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(
                mut self,
                mut map: A,
            ) -> Result<Pairs<K, V>, A::Error> {
                while let Some(entry) = map.next_entry()? {
                    self.0.push(entry);
                }
                Ok(Pairs(self.0))
            }
        }

        from.deserialize_map(AsPairs(vec![]))
    }
}

/// Reads the first member of a map and no more.
#[derive(Debug)]
struct FirstOnly(String);

impl<'de> Deserialize<'de> for FirstOnly {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct AsFirst;

        impl<'de> Visitor<'de> for AsFirst {
            type Value = FirstOnly;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<FirstOnly, A::Error> {
                let entry = map.next_entry::<String, IgnoredAny>()?;
                Ok(FirstOnly(entry.unwrap_or_default().0))
            }
        }

        from.deserialize_any(AsFirst)
    }
}

/// Bytes, from a string or an array.
#[derive(Debug)]
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct AsBytes;

        impl<'de> Visitor<'de> for AsBytes {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> Result<Bytes, A::Error> {
                let mut bytes = vec![];
                while let Some(byte) = list.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }

        from.deserialize_byte_buf(AsBytes)
    }
}

/// JSON texts without escapes, repeated keys, or what is read in another way
/// on purpose.
const TEXTS: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "7",
    "255",
    "256",
    "-1",
    "-128",
    "-129",
    "65536",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "-9223372036854775808",
    "1.0",
    "1.5",
    "-0.5",
    "0.1",
    "1e3",
    "1e39",
    "-1e39",
    "1e300",
    "16777217",
    "\"\"",
    "\"x\"",
    "\"é\"",
    "\"xy\"",
    "\"1\"",
    "\"true\"",
    "\"Apple\"",
    "\"Unit\"",
    "\"Newtype\"",
    "\"Tuple\"",
    "\"Struct\"",
    "\"syntax\"",
    "[]",
    "[1]",
    "[1,2]",
    "[1,\"x\"]",
    "[1,null]",
    "[1,2,3]",
    "[ 1 , 256 ]",
    "[[1],[2]]",
    "[null,{\"a\":[]}]",
    "{}",
    "{\"a\":1}",
    "{\"a\":256}",
    "{\"a\":null}",
    "{\"a\":\"x\"}",
    "{\"a\":1,\"b\":\"x\"}",
    "{\"a\":1,\"b\":null,\"c\":[1]}",
    "{\"a\":1,\"c\":2}",
    "{\"b\":\"x\"}",
    "{\"c\":{\"a/b\":{\"~\":[0,1,\"x\"]}}}",
    "{\"a\":[]}",
    "{\"a\":[null,{\"a\":[{\"a\":[null]}]}]}",
    "{\"a\":[null,{\"a\":[{\"a\":[null,1]}]}]}",
    "{\"1\":1}",
    "{\"1\":1,\"2\":2}",
    "{\"-1\":1}",
    "{\"01\":1}",
    "{\" 1\":1}",
    "{\"1 \":1}",
    "{\"+1\":1}",
    "{\"1.5\":1}",
    "{\"1e2\":1}",
    "{\"1e999\":1}",
    "{\"1e39\":1}",
    "{\"\":1}",
    "{\"-\":1}",
    "{\"null\":1}",
    "{\"300\":1}",
    "{\"true\":1,\"false\":2}",
    "{\"Apple\":1,\"Pear\":2}",
    "{\"Plum\":1}",
    "{\"x\":1}",
    "{\"18446744073709551615\":1}",
    "{\"Unit\":null}",
    "{\"Unit\":1}",
    "{\"Newtype\":1}",
    "{\"Newtype\":\"x\"}",
    "{\"Tuple\":[1,\"x\"]}",
    "{\"Tuple\":[1]}",
    "{\"Tuple\":[1,\"x\",2]}",
    "{\"Tuple\":{}}",
    "{\"Struct\":{\"a\":1}}",
    "{\"Struct\":[1]}",
    "{\"Struct\":{\"b\":1}}",
    "{\"Struct\":{\"a\":1},\"Unit\":null}",
    "{\"type\":\"Unit\"}",
    "{\"type\":\"Newtype\",\"a\":1}",
    "{\"a\":1,\"type\":\"Struct\",\"b\":[1]}",
    "{\"type\":\"Tuple\",\"a\":[1,2]}",
    "{\"type\":\"Other\"}",
    "{\"line\":1,\"byte\":2}",
    "{\"Ok\":1}",
];

/// What borrowed strings cannot be had from, with serde_json.
const ESCAPED: &[&str] = &[
    r#""\u0041pple""#,
    r#""a\n\ud83c\udf4e""#,
    r#"["\t","\\"]"#,
    r#"{"\u0061":1}"#,
    r#"{"\u0041pple":2}"#,
    r#"{"a":1,"b":"\""}"#,
    r#"{"typ\u0065":"Uni\u0074"}"#,
];

const REPEATED: &[&str] = &[
    r#"{"a":1,"a":2}"#,
    r#"{"a":"x","a":1}"#,
    r#"{"a":1,"a":"x"}"#,
    r#"{"1":1,"1":2}"#,
    r#"{"Unit":null,"Unit":null}"#,
];

/// A line whose second member is the text, behind another line.
fn log(text: &str) -> String {
    format!("{{}}\n{{\"before\" : [0], \"v\" : {text} }}")
}

/// Where the second line begins.
const OFFSET: usize = 3;

/// The place of a value is where a text begins that is the value.
fn assert_placed(error: &Error, value: Value<'_>, log: &str) {
    let byte = error.position().byte() as usize;
    let path = error.path().unwrap();
    let misfit = value.pointer(path);
    let misfit = misfit.unwrap_or_else(|| panic!("no {path} in {log}"));
    let text = serde_json::Deserializer::from_str(&log[byte..]);
    let found: Json = text.into_iter().next().unwrap().unwrap();
    assert_eq!(Json::try_from(misfit).unwrap(), found, "{error} of {log}");
}

/// Compares what became of a text, shown, in three ways.
fn compare(
    log: &str,
    json: Result<String, serde_json::Error>,
    decoded: Result<String, Error>,
    line: Result<String, Error>,
) {
    let (decoded, line) = match json {
        Ok(expected) => {
            assert_eq!(decoded.unwrap(), expected, "{log}");
            assert_eq!(line.unwrap(), expected, "{log}");
            return;
        }
        Err(json) => {
            let [decoded, line] = [decoded, line].map(|read| match read {
                Ok(read) => panic!("{log} as {read}, but {json}"),
                Err(error) => error,
            });
            let words = json.to_string();
            let (words, _) = words.rsplit_once(" at line ").unwrap();
            let data = json.classify() == serde_json::error::Category::Data;
            // serde_json drops the first byte of a key that is not a bool.
            let cut_key = words.starts_with("invalid type: string")
                && words.ends_with("expected a boolean");
            if data && !cut_key && !words.contains("floating point") {
                let words = Escaped(words.as_bytes());
                let reason = decoded.reason().to_string();
                let path = decoded.path().unwrap();
                let at = if path.is_empty() { "" } else { ", at " };
                assert_eq!(reason, format!("{words}{at}{path}"), "{log}");
            }
            (decoded, line)
        }
    };
    assert_eq!(decoded.to_string(), line.to_string(), "{log}");
    for error in [decoded, line] {
        assert_eq!(error.kind(), ErrorKind::Data);
        assert!(error.is_recoverable());
        let place = error.position();
        assert_eq!(place.line(), 2);
        let byte = place.byte() as usize;
        assert!((OFFSET..log.len()).contains(&byte), "{error} of {log}");
    }
}

macro_rules! compare {
    ($type:ty, $text:expr, $placed:expr) => {{
        let log = log($text);
        let json = serde_json::from_str::<$type>(&log[OFFSET..]);
        let json = json.map(|read| format!("{read:?}"));
        let accepted = json.is_ok();
        let mut first = lines(log.as_bytes());
        let mut second = lines(log.as_bytes());
        first.next_line();
        second.next_line();
        let record = first.next_record().unwrap().unwrap();
        let decoded = record.deserialize::<$type>();
        let line = second.next_line().unwrap().unwrap();
        let read = line.deserialize::<$type>();
        if let (Err(error), true) = (&decoded, $placed) {
            assert_placed(error, record.value(), &log);
        }
        let [decoded, read] =
            [decoded, read].map(|read| read.map(|read| format!("{read:?}")));
        compare(&log, json, decoded, read);
        accepted
    }};
}

/// One type a line: its test reads every text as that type.
macro_rules! owned {
    ($($name:ident: $type:ty,)*) => {$(
        #[test]
        fn $name() {
            let mut accepted = 0;
            for text in TEXTS.iter().chain(ESCAPED) {
                accepted += usize::from(compare!(Wrap<$type>, text, true));
            }
            for text in REPEATED {
                compare!(Wrap<$type>, text, false);
            }
            assert!(accepted > 0, "no text is good for the type");
        }
    )*};
}

owned! {
    as_bool: bool,
    as_i8: i8,
    as_i16: i16,
    as_i32: i32,
    as_i64: i64,
    as_i128: i128,
    as_u8: u8,
    as_u16: u16,
    as_u32: u32,
    as_u64: u64,
    as_u128: u128,
    as_f32: f32,
    as_f64: f64,
    as_char: char,
    as_string: String,
    as_boxed_str: Box<str>,
    as_unit: (),
    as_option: Option<u8>,
    as_option_of_unit: Option<()>,
    as_option_of_option: Option<Option<String>>,
    as_bytes: Bytes,
    as_list_of_bytes: Vec<u8>,
    as_list: Vec<Option<i64>>,
    as_fixed_array: [u8; 2],
    as_empty_array: [u8; 0],
    as_one_tuple: (u8,),
    as_tuple: (u8, String),
    as_unit_struct: Unit,
    as_newtype: Newtype,
    as_option_of_newtype: Option<Newtype>,
    as_tuple_struct: Pair,
    as_struct: Plain,
    as_strict_struct: Strict,
    as_recursive_struct: Deep,
    as_flat_struct: Flat,
    as_first_only: FirstOnly,
    as_external_enum: External,
    as_unit_enum: Fruit,
    as_internal_enum: Internal,
    as_adjacent_enum: Adjacent,
    as_untagged_enum: Untagged,
    as_list_of_enums: Vec<Untagged>,
    as_map: BTreeMap<String, u8>,
    as_map_of_json: BTreeMap<String, Json>,
    as_pairs: Pairs<String, Json>,
    as_map_by_i8: BTreeMap<i8, u8>,
    as_map_by_u64: BTreeMap<u64, Json>,
    as_map_by_i128: BTreeMap<i128, Json>,
    as_map_by_u128: BTreeMap<u128, Json>,
    as_map_by_f32: Pairs<f32, Json>,
    as_map_by_f64: Pairs<f64, Json>,
    as_map_by_bool: BTreeMap<bool, u8>,
    as_map_by_char: BTreeMap<char, u8>,
    as_map_by_enum: BTreeMap<Fruit, u8>,
    as_map_by_newtype: BTreeMap<Newtype, u8>,
    as_map_by_option: BTreeMap<Option<u8>, u8>,
    as_map_by_bytes: Pairs<Bytes, u8>,
    as_map_by_external_enum: Pairs<External, u8>,
    as_ignored: IgnoredAny,
    as_json: Json,
    as_json_number: serde_json::Number,
    as_result: Result<u8, String>,
    as_position: Position,
    as_error_kind: ErrorKind,
    as_cow: Cow<'static, str>,
}

/// A key cannot be null, and nothing else.
#[test]
fn as_map_by_unit() {
    for text in TEXTS {
        compare!(Wrap<Pairs<(), u8>>, text, true);
    }
}

#[derive(Debug, Deserialize)]
struct Borrowing<'a> {
    #[serde(borrow)]
    v: Cow<'a, str>,
}

#[test]
fn as_borrowed_strings() {
    for text in TEXTS {
        compare!(Wrap<&str>, text, true);
        compare!(Wrap<Option<&str>>, text, true);
        compare!(Wrap<BTreeMap<&str, u8>>, text, true);
        compare!(Wrap<&[u8]>, text, true);
        compare!(Borrowing<'_>, text, true);
        compare!(Wrap<(u8, &str)>, text, true);
    }
}

/// Reads a text as a type from a record and from a line.
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

/// This lies just above the middle of two `f32`, and the nearest `f64` is the
/// middle.
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

#[test]
fn raw_values_are_refused() {
    let line = r#"{"v":[1]}"#;
    type Raw = Wrap<Box<serde_json::value::RawValue>>;
    assert!(serde_json::from_str::<Raw>(line).is_ok());
    let error = both!(Raw, line).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data);
}

/// The first member with a key can be the one that does not fit.
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

/// What is wrong with the text comes before what does not fit.
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

/// A part of a line has paths of its own, and the places of the line.
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

/// Decoding in place overwrites the text: only the line is known.
#[test]
fn without_the_text_a_value_is_placed_at_its_line() {
    let mut padded = br#"{"v":"x"}"#.to_vec();
    let len = padded.len();
    padded.resize(len + 64, b' ');
    let mut decoder = Decoder::new();
    let record = decoder.decode_padded(&mut padded, len).unwrap();
    let error = record.deserialize::<Wrap<u8>>().unwrap_err();
    assert_eq!(error.position(), Position::START);
    assert_eq!(error.path(), Some("/v"));
    assert!(error.to_string().starts_with("line 1 (byte 0): "), "{error}");
}

#[test]
fn an_error_keeps_the_line_if_it_is_to() {
    let mut reader =
        linetape::Reader::builder().keep_raw(true).build(&b"{\"v\":-1}\n"[..]);
    let line = reader.next_line().unwrap().unwrap();
    let error = line.deserialize::<Wrap<u8>>().unwrap_err();
    assert_eq!(error.raw(), Some(&b"{\"v\":-1}"[..]));
}

/// Anything, told apart by its shape.
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

/// Some of the keys that random objects have.
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

/// Whether there is something that may be the integer -0.
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

/// Whether a path leads to a value, by any of several members with one key.
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

proptest! {
    #![proptest_config(texts::cases(400))]

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

#[test]
fn values_compare_with_what_they_hold() {
    let line = br#"{"s":"x","t":true,"u":1,"i":-1,"f":1.0,"n":null}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let get = |key| record.value().get(key).unwrap();
    assert!(get("s") == "x" && get("s") == *"x" && get("s") != "y");
    assert!(get("t") == true && get("t") != false && get("n") != false);
    assert!(get("u") == 1u64 && get("u") == 1i64 && get("u") == 1.0);
    assert!(get("i") == -1i64 && get("i") != 1u64 && get("i") == -1.0);
    assert!(get("f") == 1.0 && get("f") != 1u64 && get("f") != get("u"));
    assert!(get("n") == get("n") && get("s").is_string());
    assert!(get("u").is_number() && get("f").is_number());
    assert!(!get("s").is_number() && !get("n").is_bool());
    assert!(get("t").is_bool() && record.value().is_object());
    assert!(!record.value().is_array());
}

/// Of several members with one key, the last is compared.
#[test]
fn the_last_of_repeated_keys_is_compared() {
    let line = br#"{"a":{"k":1,"k":2},"b":{"k":2},"c":{"k":2,"l":2}}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let get = |key| record.value().get(key).unwrap();
    assert_eq!(get("a"), get("b"));
    assert_ne!(get("b"), get("c"));
    assert_ne!(get("c"), get("b"));
}

/// Nothing comes after the end, and never more than was promised.
#[test]
fn iterators_end_once() {
    let texts = [
        r#"{"a":[1,{},"x"],"m":{"a":1,"b":[2]}}"#,
        r#"{"a":[1,{},,"x"],"m":{"a":1,"\x":2,"b":3}}"#,
        r#"{"a":[],"m":{}}"#,
    ];
    for text in texts {
        let mut one = Decoder::new();
        let line = one.line(text.as_bytes());
        let peeked = line.peek().unwrap().value();
        let mut other = Decoder::new();
        let record = other.decode(text.as_bytes());
        let record = record.as_ref().ok();
        let values = [Some(peeked), record.map(|record| record.value())];
        for value in values.into_iter().flatten() {
            let mut items = value.get("a").unwrap().as_array().unwrap().iter();
            let most = items.size_hint().1.unwrap();
            assert!(items.by_ref().count() <= most, "{text}");
            assert!(items.next().is_none() && items.next().is_none());
            let object = value.get("m").unwrap().as_object().unwrap();
            let mut members = object.iter();
            let most = members.size_hint().1.unwrap();
            assert!(members.by_ref().count() <= most, "{text}");
            assert!(members.next().is_none() && members.next().is_none());
        }
    }
}
