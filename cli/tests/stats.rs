//! `linetape stats`, run as a person would run it.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

fn linetape(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_linetape"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A file of its own for each test.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

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
    let expected = json!({
        "files": 1,
        "bytes": sample.len(),
        "lines": lines,
        "blank": blank,
        "longest_line": longest,
        "errors": { "total": 0, "by_kind": {} },
    });
    for arguments in [&["--json"][..], &["stats", "--json"]] {
        assert_eq!(document(&linetape(arguments, b"")), expected);
    }
    for row in [("lines", lines), ("blank lines", blank)] {
        let row = format!("{:<16}{:>16}\n", row.0, row.1);
        assert!(shown.contains(&row), "no {row} in {shown}");
    }
}

#[test]
fn files_and_standard_input_are_added_up() {
    let one = file("one.jsonl", b"{}\n\n{\"a\":1}");
    let two = file("two.jsonl", b"\xFF\xFE{\0\n{}\r\n");
    let paths = [one.to_str().unwrap(), "-", two.to_str().unwrap()];
    let arguments = [&["stats", "--json"][..], &paths].concat();
    let output = linetape(&arguments, b"{\"from\":\"stdin\"}\n");
    assert!(output.status.success());
    let expected = json!({
        "files": 3,
        "bytes": 11 + 17 + 9,
        "lines": 3 + 1 + 2,
        "blank": 1,
        "longest_line": 16,
        "errors": { "total": 1, "by_kind": { "encoding": 1 } },
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
