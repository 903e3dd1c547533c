//! The same types and texts, deserialised by serde_json, from decoded records,
//! and from lines.

use std::{borrow::Cow, collections::BTreeMap};

use linetape::{Error, ErrorKind, Escaped, Position, Value, lines};
use serde::de::IgnoredAny;
use serde_json::Value as Json;

use crate::deserialize::types::*;

/// JSON texts without escapes, duplicate keys, and intended differences.
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

/// Texts from which serde_json cannot borrow strings.
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

/// Returns a log whose second line has the text as its second member.
fn log(text: &str) -> String {
    format!("{{}}\n{{\"before\" : [0], \"v\" : {text} }}")
}

/// The offset of the second line.
const OFFSET: usize = 3;

/// Asserts that the position of an error is the start of the value's text.
fn assert_placed(error: &Error, value: Value<'_>, log: &str) {
    let byte = error.position().byte() as usize;
    let path = error.path().unwrap();
    let misfit = value.pointer(path);
    let misfit = misfit.unwrap_or_else(|| panic!("no {path} in {log}"));
    let text = serde_json::Deserializer::from_str(&log[byte..]);
    let found: Json = text.into_iter().next().unwrap().unwrap();
    assert_eq!(Json::try_from(misfit).unwrap(), found, "{error} of {log}");
}

/// Compares the results of three ways to deserialise a text, as `Debug` text.
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
                let words = Escaped::new(&words);
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

/// One type per line: its test deserialises every text as that type.
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
    as_first_only: Pairs<String, IgnoredAny, 1>,
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

#[test]
fn as_borrowed_strings_and_map_by_unit() {
    for text in TEXTS {
        // A key cannot be a unit.
        compare!(Wrap<Pairs<(), u8>>, text, true);
        compare!(Wrap<&str>, text, true);
        compare!(Wrap<Option<&str>>, text, true);
        compare!(Wrap<BTreeMap<&str, u8>>, text, true);
        compare!(Wrap<&[u8]>, text, true);
        compare!(Borrowing<'_>, text, true);
        compare!(Wrap<(u8, &str)>, text, true);
    }
}
