//! `linetape stats`, run as a person would run it.

mod support;

use std::process::{Command, Stdio};

use serde_json::json;
use support::{document, file, linetape, text};

#[test]
fn without_arguments_it_reports_on_the_sample() {
    let output = linetape(&[], b"");
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert!(shown.starts_with("The sample session."), "{shown}");

    let sample = include_bytes!("../sample/session.jsonl");
    let lines = sample.split(|&b| b == b'\n').count() - 1;
    let blank = sample.windows(2).filter(|pair| pair == b"\n\n").count();
    let longest = sample.split(|&b| b == b'\n').map(<[u8]>::len).max();
    let kind = |kind: &str, subtype: Option<&str>, records, bytes| {
        json!({
            "type": kind,
            "subtype": subtype,
            "records": records,
            "bytes": bytes,
        })
    };
    let expected = json!({
        "files": 1,
        "bytes": sample.len(),
        "lines": lines,
        "blank": blank,
        "records": lines - blank,
        "kinds": [
            kind("assistant", None, 7, 3914),
            kind("user", None, 5, 1712),
            kind("keep_alive", None, 1, 22),
            kind("result", Some("success"), 1, 737),
            kind("stream_event", None, 1, 295),
            kind("system", Some("init"), 1, 462),
        ],
        "longest_line": longest,
        "errors": { "total": 0, "by_kind": {} },
    });
    for arguments in [&["--json"][..], &["stats", "--json"]] {
        assert_eq!(document(&linetape(arguments, b"")), expected);
    }
    for row in [("lines", lines), ("blank lines", blank)] {
        let row = format!("{:<32}{:>16}\n", row.0, row.1);
        assert!(shown.contains(&row), "no {row} in {shown}");
    }
}

#[test]
fn files_and_standard_input_are_added_up() {
    let one = file("one.jsonl", b"{}\n\n{\"a\":1,}");
    let two = file("two.jsonl", b"\xFF\xFE{\0\n{}\r\n");
    let paths = [one.to_str().unwrap(), "-", two.to_str().unwrap()];
    let arguments = [&["stats", "--json"][..], &paths].concat();
    let output = linetape(&arguments, b"{\"from\":\"stdin\"}\n");
    assert!(output.status.success());
    let expected = json!({
        "files": 3,
        "bytes": 12 + 17 + 9,
        "lines": 3 + 1 + 2,
        "blank": 1,
        "records": 3,
        // The bytes of a record are those of its line, terminator included.
        "kinds": [{
            "type": null,
            "subtype": null,
            "records": 3,
            "bytes": 3 + 17 + 4,
        }],
        "longest_line": 16,
        "errors": {
            "total": 2,
            "by_kind": { "encoding": 1, "syntax": 1 },
        },
    });
    assert_eq!(document(&output), expected);

    let output = linetape(&paths, b"");
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert!(shown.contains("  encoding"), "{shown}");
    assert!(!shown.contains("sample"), "{shown}");
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_the_reason() {
    let fine = file("fine.jsonl", b"{}\n");
    let fine = fine.to_str().unwrap();
    let folder = env!("CARGO_TARGET_TMPDIR");
    for bad in ["no/such/file.jsonl", folder] {
        let output = linetape(&["--json", bad, fine], b"");
        assert_eq!(output.status.code(), Some(2));
        let complaint = text(&output.stderr);
        assert!(complaint.contains(bad), "{complaint}");
        assert!(complaint.contains("directory"), "{complaint}");
        // The other file is reported on all the same.
        assert_eq!(document(&output)["files"], 1);
        assert_eq!(document(&output)["lines"], 1);
        let errors = json!({ "total": 1, "by_kind": { "io": 1 } });
        assert_eq!(document(&output)["errors"], errors);
    }
}

#[test]
fn the_name_of_a_file_cannot_drive_the_terminal() {
    let output = linetape(&["\x1b]0;owned\x07.jsonl"], b"");
    assert_eq!(output.status.code(), Some(2));
    let complaint = text(&output.stderr);
    assert!(complaint.contains(r"\u{1b}]0;owned\u{7}"), "{complaint}");
    assert!(!complaint.contains('\x1b'));
}

#[test]
fn the_name_of_a_kind_cannot_drive_the_terminal() {
    let log = b"{\"type\":\"\\u001b[2J\",\"subtype\":\"\\u202e\"}\n";
    let output = linetape(&["-"], log);
    let shown = text(&output.stdout);
    assert!(shown.contains(r"\u{1b}[2J/\u{202e}"), "{shown}");
    assert!(!shown.contains(['\x1b', '\u{202e}']));
    let json = linetape(&["--json", "-"], log);
    assert_eq!(document(&json)["kinds"][0]["type"], "\x1b[2J");
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    let command = env!("CARGO_BIN_EXE_linetape");
    let script = format!("'{command}' --json; echo $? >&2");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "0\n");
}
