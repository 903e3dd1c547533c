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
    for (path, expected) in [
        (
            "no/such/file.jsonl",
            "linetape-sql: cannot read no/such/file.jsonl: ",
        ),
        ("no/such/*.jsonl", "linetape-sql: no file matches `no/such/*.jsonl`"),
    ] {
        let why = complaint(&["SELECT type FROM lines", path]);
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

/// A mistake in the SQL is named, and is not said to be a bug.
#[test]
fn a_mistake_in_the_sql_is_named() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for (sql, expected) in [
        ("SELECT count( FROM lines", "Expected"),
        ("SELECT 'abc FROM lines", "Unterminated string literal"),
        ("SELECT foo(type) FROM lines", "foo"),
        ("SELECT type FROM lines WHERE length", "length"),
        ("SELECT type, count(*) FROM lines", "GROUP BY"),
        ("SELECT 1 FROM lines WHERE type ~ '('", "unclosed group"),
        ("CREATE INDEX i ON lines(type)", "CreateIndex"),
        ("", "there is no SQL"),
        (" ; ", "there is no SQL"),
    ] {
        let why = complaint(&[sql, folder.path()]);
        assert!(why.starts_with("linetape-sql: "), "{why}");
        assert!(why.contains(expected), "{sql}: {why}");
        assert!(!why.contains("bug in DataFusion"), "{sql}: {why}");
    }
}

/// Nothing was printed, with any format, as if there were no rows. With `--json` it was
/// not even an array.
#[test]
fn rows_without_columns_are_refused() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let file = folder.0.join("x.parquet");
    let parquet = ["--parquet", file.to_str().unwrap()];
    let formats: [&[&str]; 4] = [&[], &["--json"], &["--csv"], &parquet];
    for format in formats {
        let given = [format, &["SELECT FROM lines", folder.path()]].concat();
        assert_eq!(
            complaint(&given),
            "linetape-sql: the rows of this query have no columns: name some \
             after SELECT\n",
            "{given:?}"
        );
        // These have no rows.
        for sql in [
            "CREATE VIEW v AS SELECT type FROM lines",
            "SET datafusion.execution.batch_size = 10",
            "CREATE TABLE t AS SELECT 1; DROP TABLE t",
        ] {
            let output = Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
                .args(format)
                .args([sql, folder.path()])
                .output()
                .unwrap();
            let why = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(0), "{sql}: {why}");
            assert_eq!(output.stdout, b"", "{sql}");
        }
    }
    assert!(!file.exists());
}

/// It said that there is no such table, and not why.
#[test]
fn a_path_that_is_missing_is_named() {
    let why = complaint(&["SELECT 1 FROM usage"]);
    assert!(why.contains("no PATH was given"), "{why}");
}
