//! Numbers keep their value and their type, and must be in range.
#![cfg(feature = "messages")]

use linetape::{Decoder, ErrorKind, Limits};
use serde_json::Value as Json;

use crate::support::refused::refused;

#[test]
fn numbers_keep_their_value_and_their_class() {
    let line = br#"{"type":"novel","a":18446744073709551615,
        "b":-9223372036854775808,"c":18446744073709551616,
        "d":-9223372036854775809,"e":1e308,"f":9223372036854775808,
        "g":1.0,"h":1,"i":123456789012345678901234567890,"j":0}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let get = |key| record.value().get(key).unwrap();
    assert_eq!(get("a").as_u64(), Some(u64::MAX));
    assert_eq!(get("a").as_i64(), None);
    assert_eq!(get("a").as_f64(), Some(u64::MAX as f64));
    assert_eq!(get("b").as_i64(), Some(i64::MIN));
    assert_eq!(get("b").as_u64(), None);
    assert_eq!(get("b").as_f64(), Some(i64::MIN as f64));
    let floats = [
        ("c", 18446744073709551616.0),
        ("d", -9223372036854775809.0),
        ("e", 1e308),
        ("g", 1.0),
        ("i", 123456789012345678901234567890.0),
    ];
    for (key, expected) in floats {
        let value = get(key);
        assert_eq!(value.as_f64(), Some(expected), "{key}");
        assert_eq!((value.as_u64(), value.as_i64()), (None, None), "{key}");
    }
    assert_eq!(get("f").as_u64(), Some(1 << 63));
    assert_eq!(get("f").as_i64(), None);
    assert_eq!((get("h").as_u64(), get("h").as_i64()), (Some(1), Some(1)));
    assert_eq!((get("j").as_u64(), get("j").as_i64()), (Some(0), Some(0)));

    let json: Json = serde_json::from_slice(line).unwrap();
    assert_eq!(serde_json::to_value(record.value()).unwrap(), json);
    let ours = record.into_owned();
    assert_eq!(serde_json::to_value(ours).unwrap(), json);
}

#[test]
fn a_number_out_of_range_is_refused() {
    for number in ["1e309", "-1e309", "1.8e308", "1e99999"] {
        let line = format!(r#"{{"a":"\n","n":{number}}}"#);
        let kind = ErrorKind::Syntax;
        refused(Limits::default(), line.as_bytes(), kind, 14);
    }
    let line = format!(r#"{{"n":1{}}}"#, "0".repeat(400));
    refused(Limits::default(), line.as_bytes(), ErrorKind::Syntax, 5);
}
