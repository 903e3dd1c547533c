//! The limit on the number of values in a line.
#![cfg(feature = "messages")]

use linetape::{Decoder, ErrorKind, Limits};

use crate::support::refused::refused;

/// One case per line: the line, its number of values and keys, and the offset
/// of the last one.
#[test]
fn the_last_node_is_read_and_the_next_is_refused() {
    for (line, nodes, last) in [
        (r#"{"a":1}"#, 3, 5),
        (r#"{"a":"b"}"#, 3, 5),
        (r#"{"a":"b,[{:\",,"}"#, 3, 5),
        (r#"{"a,,,[[[":[]}"#, 3, 11),
        (r#"{"a":{},"b":[]}"#, 5, 12),
        (r#"{"a":[1,2,3]}"#, 6, 10),
        (r#"{"a":[1 , -2.5e3 ,true]}"#, 6, 18),
        (r#"{"a":[null,null,"x"]}"#, 6, 16),
        (r#"{"a":[[],[],[[]]]}"#, 7, 13),
        (r#"{"a":{"b":{"c":""}}}"#, 7, 15),
        ("{}", 1, 0),
    ] {
        for more in 0..4 {
            let max_nodes = nodes + more;
            let limits = Limits { max_nodes, ..Limits::default() };
            let mut decoder = Decoder::with_limits(limits);
            let record = decoder.decode(line.as_bytes()).unwrap();
            drop(record);
            decoder.line(line.as_bytes()).to_owned_line().unwrap();
        }
        let limits = Limits { max_nodes: nodes - 1, ..Limits::default() };
        // The neighbours in the stream have three nodes.
        if nodes > 3 {
            let kind = ErrorKind::TooManyNodes;
            let error = refused(limits, line.as_bytes(), kind, last);
            assert_eq!(error.limit(), Some(nodes as u64 - 1));
        } else {
            let mut decoder = Decoder::with_limits(limits);
            let error = decoder.decode(line.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TooManyNodes);
            assert_eq!(error.position().byte(), last as u64, "{line}");
        }
    }
}

/// Text in a string is not counted, whatever it looks like.
#[test]
fn brackets_and_commas_in_strings_are_no_nodes() {
    let limits = Limits { max_nodes: 3, ..Limits::default() };
    for text in ["[", ",", "{", ":", r#"\""#, r#"\\"#, r#"\",["#] {
        let line = format!(r#"{{"k":"{}"}}"#, text.repeat(100_000));
        let mut decoder = Decoder::with_limits(limits);
        let record = decoder.decode(line.as_bytes()).unwrap();
        assert!(record.value().get("k").unwrap().as_str().is_some());
    }
}
