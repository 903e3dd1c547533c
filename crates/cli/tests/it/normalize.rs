//! `linetape normalize`.

use crate::support::{file, linetape, text};
use serde_json::Value;

fn records(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|&byte| byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

#[test]
fn the_sample_loses_nothing() {
    let sample = include_bytes!("../../sample/session.jsonl");
    let output = linetape(&["normalize", "--sample"], b"");
    assert!(output.status.success());
    assert_eq!(records(&output.stdout), records(sample));
    let again = linetape(&["normalize", "-"], &output.stdout);
    assert_eq!(again.stdout, output.stdout, "normalizing is idempotent");
}

#[test]
fn each_bad_line_is_named_and_the_rest_goes_through() {
    let log = b"{\"type\":\"user\"}\n\n  oops\n{\"a\":[1,2}\n{ \"b\" : 1 }\n{";
    let path = file("bad.jsonl", log);
    let path = path.to_str().unwrap();
    let output = linetape(&["normalize", path], b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "{\"type\":\"user\"}\n{\"b\":1}\n");
    let complaints: Vec<&str> = text(&output.stderr).lines().collect();
    let expected = [
        "line 3 (byte 19): not a JSON object, at `oops`",
        "line 4 (byte 33): invalid JSON: expected `,` or `]`, at `}`",
        "line 6 (byte 47): unexpected end of input: last line is truncated after 1 bytes",
    ];
    assert_eq!(complaints.len(), expected.len(), "{complaints:?}");
    for (complaint, expected) in complaints.iter().zip(expected) {
        assert_eq!(*complaint, format!("linetape: {path}: {expected}"));
    }
}

#[test]
fn a_file_that_cannot_be_read_is_worse_than_a_bad_line() {
    let bad = file("worse.jsonl", b"oops\n{}\n");
    let paths = ["normalize", "no/such/file", bad.to_str().unwrap()];
    let output = linetape(&paths, b"");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout), "{}\n");
}
