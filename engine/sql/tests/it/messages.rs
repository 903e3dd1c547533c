//! The messages of errors.

use std::process::Command;

use crate::support::{Folder, LOG};

fn complaint(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// It said that this is likely a bug of DataFusion.
#[test]
fn a_function_with_wrong_types_is_named() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for (call, shown) in [
        ("sum(type)", "sum(Utf8)"),
        ("avg(type)", "avg(Utf8)"),
        ("sum()", "sum()"),
        ("sum(length, length)", "sum(Int64, Int64)"),
        ("first_by(type, type)", "first_by(Utf8, Utf8)"),
    ] {
        let sql = format!("SELECT {call} FROM lines");
        let why = complaint(&[&sql, folder.path()]);
        assert!(why.contains(shown), "{why}");
        for word in ["bug", "Internal", "coercion", "Candidate", "error:"] {
            assert!(!why.contains(word), "{call}: {why}");
        }
        assert_eq!(why.lines().count(), 1, "{why}");
    }
}

/// Prefixes of DataFusion stood before the message, one for each layer.
#[test]
fn a_message_has_no_prefixes() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", LOG);
    let path = path.to_str().unwrap();
    let why =
        complaint(&["--on-error", "fail", "SELECT type FROM lines", path]);
    let at = LOG.find("oops").unwrap();
    let expected = format!(
        "linetape-sql: {path}: line 5 (byte {at}): not a JSON object, at `oops`\n"
    );
    assert_eq!(why, expected);
    for (sql, path, expected) in [
        (
            "SELECT 9223372036854775807 * length FROM lines",
            path,
            "linetape-sql: Arithmetic overflow: ",
        ),
        (
            "SELECT type FROM lines",
            "no/such/file.jsonl",
            "linetape-sql: cannot read no/such/file.jsonl: ",
        ),
        (
            "SELECT type FROM lines",
            "no/such/*.jsonl",
            "linetape-sql: no file matches `no/such/*.jsonl`",
        ),
    ] {
        let why = complaint(&[sql, path]);
        assert!(why.starts_with(expected), "{why}");
    }
}

/// Such a file is read by way of its folder or a pattern.
#[cfg(unix)]
#[test]
fn an_argument_that_is_not_unicode_is_refused() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let output = Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
        .arg("SELECT count(*) FROM lines")
        .arg(OsStr::from_bytes(b"b\xFF.jsonl"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(why.contains("invalid UTF-8"), "{why}");
}
