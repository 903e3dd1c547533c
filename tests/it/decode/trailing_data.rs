//! Trailing data after the object is an error.
#![cfg(feature = "messages")]

use linetape::{Decoder, ErrorKind, Limits, Reader};

use crate::support::refused::refused;

#[test]
fn what_follows_the_object_is_refused() {
    for (line, at) in [
        ("{}{}", 2),
        ("{} x", 3),
        ("{}}", 2),
        ("{}]", 2),
        ("{},", 2),
        ("{} ,{}", 3),
        ("{}1", 2),
        ("{}null", 2),
        ("{}\"x\"", 2),
        ("{}\0", 2),
        ("{}\u{b}", 2),
        ("{} \t\r #", 6),
        (r#"{"a":"\n"}{"b":2}"#, 10),
        (r#"{"a":[{}]} {"type":"user"}"#, 11),
        (r#" {"a":{"b":1}}[]"#, 14),
        (r#"{"a":1}{"b":"#, 7),
    ] {
        let kind = ErrorKind::TrailingData;
        refused(Limits::default(), line.as_bytes(), kind, at);
    }
    for line in ["{} ", "{}\t\r ", " {} "] {
        assert!(Decoder::new().decode(line.as_bytes()).is_ok());
    }
}

/// Two records on the last line, of which the second is cut off, are not a
/// truncated record: more input would not make the line valid.
#[test]
fn spliced_records_at_the_end_are_trailing_data() {
    let mut reader = Reader::new(&br#"{"a":1}{"b":"#[..]);
    let error = reader.next_record().unwrap().map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TrailingData);
    assert_eq!(error.position().byte(), 7);
}
