//! The command.

use std::{
    fs,
    io::Read,
    process::{Command, Output, Stdio},
};

use datafusion::arrow::array::RecordBatch;
use linetape_arrow::{LogReader, Options, ParquetTable, Table};
use serde_json::{Value, json};

use crate::support::{Folder, LOG};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
        .args(arguments)
        .output()
        .unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

fn complaint(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(output.stdout, b"");
    String::from_utf8(output.stderr).unwrap()
}

const TOKENS: &str = "SELECT model, sum(output_tokens) AS output_tokens FROM \
                      usage GROUP BY model ORDER BY model";

#[test]
fn the_result_is_a_table_or_json_or_csv() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let path = folder.path();
    assert_eq!(
        printed(&[TOKENS, path]),
        "+-------+---------------+\n\
         | model | output_tokens |\n\
         +-------+---------------+\n\
         | haiku | 4             |\n\
         | opus  | 9             |\n\
         +-------+---------------+\n"
    );
    let found: Value =
        serde_json::from_str(&printed(&["--json", TOKENS, path])).unwrap();
    assert_eq!(
        found,
        json!([
            {"model": "haiku", "output_tokens": 4},
            {"model": "opus", "output_tokens": 9},
        ])
    );
    let csv = "model,output_tokens\nhaiku,4\nopus,9\n";
    assert_eq!(printed(&["--csv", TOKENS, path]), csv);
}

/// The text of a log could move the cursor, or worse.
#[test]
fn control_characters_of_a_log_are_escaped_in_a_table() {
    let folder = Folder::new();
    let line = r#"{"type":"user","message":{"content":"a\u001b[2Jb\u009bc"}}"#;
    folder.write("a.jsonl", line);
    let table = printed(&["SELECT text FROM lines", folder.path()]);
    assert!(table.contains("a\\u{1b}[2Jb\\u{9b}c"), "{table}");
    assert!(!table.contains(['\u{1b}', '\u{9b}']));
}

#[test]
fn an_empty_result_has_its_columns() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let sql = "SELECT model FROM usage WHERE model = 'none'";
    let path = folder.path();
    let table = "+-------+\n| model |\n+-------+\n+-------+\n";
    assert_eq!(printed(&[sql, path]), table);
    assert_eq!(printed(&["--json", sql, path]), "[]\n");
    assert_eq!(printed(&["--csv", sql, path]), "model\n");
}

#[test]
fn a_parquet_file_is_written_whole_or_not_at_all() {
    let folder = Folder::new();
    folder.write("logs/a.jsonl", LOG);
    let logs = folder.0.join("logs");
    let logs = logs.to_str().unwrap();
    let file = folder.0.join("out.parquet");
    let to = file.to_str().unwrap();
    assert_eq!(printed(&["--parquet", to, "SELECT * FROM lines", logs]), "");
    let sql = format!("SELECT count(*) AS n, count(error) AS e FROM '{to}'");
    let create = format!(
        "CREATE EXTERNAL TABLE p STORED AS PARQUET LOCATION '{to}'; {}",
        sql.replace(&format!("'{to}'"), "p")
    );
    let found = printed(&["--json", &create]);
    assert_eq!(found, "[{\"n\":7,\"e\":1}]\n");
    fs::remove_file(&file).unwrap();
    let sql = "SELECT 1 / (length - length) FROM lines";
    complaint(&["--parquet", to, sql, logs]);
    let left = fs::read_dir(&folder.0).unwrap().count();
    assert_eq!(left, 1, "only the logs");
}

#[test]
fn a_bad_line_is_warned_of() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", LOG);
    let path = path.to_str().unwrap();
    let output = run(&["SELECT count(type) FROM lines", path]);
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(warning.contains("warning: 1 line could not be"), "{warning}");
    assert_eq!(output.status.code(), Some(0));
    let fail = ["--on-error", "fail", "SELECT count(*) FROM lines", path];
    let why = complaint(&fail);
    assert!(why.contains(path) && why.contains("line 5"), "{why}");
}

/// A cut file was one more line that could not be read, or the only one: its rest
/// was missing, and nothing said so.
#[test]
fn a_cut_file_is_warned_of_besides_bad_lines() {
    let folder = Folder::new();
    let packed = zstd::encode_all(LOG.as_bytes(), 0).unwrap();
    let cut = [&packed[..], &packed[..packed.len() - 9]].concat();
    folder.write("a.jsonl.zst", &cut);
    folder.write("b/c.jsonl.zst", &cut);
    folder.write("b/d.jsonl", "oops\n");
    let warned = |sql: &str, path: &str, on_error: &str| {
        let path = format!("{}/{path}", folder.path());
        let output = run(&["--on-error", on_error, sql, &path]);
        assert_eq!(output.status.code(), Some(0), "{sql}");
        String::from_utf8(output.stderr).unwrap()
    };
    let cut_files = |number: &str| {
        format!("warning: {number} could not be read to the end")
    };
    for sql in [
        "SELECT count(type) FROM lines",
        "SELECT count(*) FROM usage",
        // It reads the logs several times.
        "SELECT * FROM sessions",
    ] {
        for on_error in ["row", "skip"] {
            let why = warned(sql, "", on_error);
            assert!(why.contains(&cut_files("2 files")), "{sql}: {why}");
            assert!(why.contains("warning: 3 lines could not"), "{why}");
            let why = warned(sql, "b", on_error);
            assert!(why.contains(&cut_files("1 file")), "{sql}: {why}");
            assert!(why.contains("warning: 2 lines could not"), "{why}");
            let why = warned(sql, "b/d.jsonl", on_error);
            assert!(why.contains("warning: 1 line could not"), "{why}");
            assert!(!why.contains("to the end"), "{sql}: {why}");
        }
    }
    // No line is looked at.
    let why = warned("SELECT count(*) FROM lines", "", "row");
    assert!(why.contains(&cut_files("2 files")), "{why}");
    assert!(!why.contains("line could") && !why.contains("lines could"));
}

/// The warning said that lines were missing, and not why, also if all were read and
/// the checksum was wrong.
#[test]
fn the_cause_of_a_cut_file_is_named() {
    let folder = Folder::new();
    let mut gzip =
        flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, LOG.as_bytes()).unwrap();
    let packed = gzip.finish().unwrap();
    let mut damaged = packed.clone();
    let checksum = packed.len() - 6;
    damaged[checksum] ^= 1;
    folder.write("checksum.jsonl.gz", &damaged);
    folder.write("cut.jsonl.gz", &packed[..packed.len() - 20]);
    // These counted as bad lines.
    folder.write("one.jsonl.gz", b"\x1F");
    folder.write("two.jsonl.zst", b"\x28\xB5");
    folder.write("plain.jsonl", "{}\n");
    let sql = "SELECT * FROM sessions";
    let output = run(&["--csv", "--threads", "3", sql, folder.path()]);
    assert!(output.status.success());
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(why.contains("warning: 4 files could not"), "{why}");
    assert!(why.contains("the rows before it may be wrong"), "{why}");
    for (name, cause) in [
        ("checksum.jsonl.gz", "incorrect data check"),
        ("cut.jsonl.gz", "unexpected end of the compressed data"),
        ("one.jsonl.gz", "unexpected end of the compressed data"),
        ("two.jsonl.zst", "unexpected end of the compressed data"),
    ] {
        let name = format!("{}/{name}: line ", folder.path());
        let causes: Vec<&str> =
            why.lines().filter(|line| line.contains(&name)).collect();
        assert_eq!(causes.len(), 1, "{name}: {why}");
        assert!(causes[0].contains(cause), "{why}");
    }
    // Of many, some are named.
    for number in 0..20 {
        folder.write(&format!("many/{number:02}.jsonl.gz"), b"\x1F");
    }
    let output = run(&[sql, &format!("{}/many", folder.path())]);
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(why.contains("warning: 20 files could not"), "{why}");
    assert!(why.contains("/09.jsonl.gz: line 1 "), "{why}");
    assert!(!why.contains("/10.jsonl.gz"), "{why}");
    assert!(why.contains("and 10 more"), "{why}");
}

#[test]
fn an_error_shows_its_place_in_the_sql() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let path = folder.path();
    let cases = [
        (
            "SELECT modle FROM usage",
            "1 | SELECT modle FROM usage\n  |        ^^^^^",
        ),
        (
            "SELECT * FROM lime",
            "1 | SELECT * FROM lime\n  |               ^^^^",
        ),
    ];
    for (sql, expected) in cases {
        let why = complaint(&["--json", sql, path]);
        assert!(why.contains(expected), "{sql}:\n{why}");
    }
    for sql in ["", ";", "SELECT * FROM agent_logs('no/such/folder')"] {
        let why = complaint(&[sql, path]);
        assert!(why.starts_with("linetape-sql: "), "{why}");
    }
}

/// SQL that begins with a comment was taken for an option.
#[test]
fn sql_may_begin_with_a_comment() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let path = folder.path();
    let sqls = [
        "-- All lines.\nSELECT count(*) AS n FROM lines",
        "--\nSELECT count(*) AS n FROM lines",
        "--all lines = 7\nSELECT count(*) AS n FROM lines",
        "--lines=7\nSELECT count(*) AS n FROM lines",
    ];
    for sql in sqls {
        for arguments in [
            &["--json", sql, path] as &[_],
            &[sql, path, "--json"],
            &["--json", "--", sql, path],
        ] {
            assert_eq!(printed(arguments), "[{\"n\":7}]\n", "{sql:?}");
        }
    }
    let why = complaint(&["-- Models.\nSELECT modle FROM usage", path]);
    let expected = "2 | SELECT modle FROM usage\n  |        ^^^^^";
    assert!(why.contains(expected), "{why}");
    // A value with spaces is one.
    let why = complaint(&["--on-error=a b", "SELECT 1"]);
    assert!(why.contains("on_error is row, skip or fail"), "{why}");
}

/// The error did not say what to do.
#[test]
fn a_query_without_enough_memory_names_the_option() {
    let folder = Folder::new();
    let line = |number: usize| {
        let text = "x".repeat(400_000);
        format!("{{\"type\":\"user\",\"uuid\":\"{number}{text}\"}}\n")
    };
    let log: String = (0..20).map(line).collect();
    folder.write("a.jsonl", log);
    let sql = "SELECT count(*) FROM (SELECT DISTINCT uuid FROM lines)";
    let why = complaint(&["--memory", "1", sql, folder.path()]);
    assert!(why.contains("needs more memory"), "{why}");
    assert!(why.contains("use --memory"), "{why}");
    assert!(
        printed(&["--csv", "--memory", "64", sql, folder.path()])
            .ends_with("\n20\n")
    );
}

#[test]
fn several_statements_print_the_last_result() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let path = folder.path();
    let sql = format!(
        "CREATE EXTERNAL TABLE t STORED AS AGENTLOG LOCATION '{path}'; \
         SELECT 1; SELECT count(*) AS n FROM t"
    );
    assert_eq!(printed(&["--json", &sql]), "[{\"n\":7}]\n");
}

#[test]
fn files_folders_and_patterns_can_be_mixed() {
    let folder = Folder::new();
    let a = folder.write("a.jsonl", LOG);
    folder.write("b/c.jsonl", LOG);
    folder.write("d-1.ndjson", LOG);
    folder.write("d-2.ndjson", LOG);
    let (a, b) = (a.to_str().unwrap(), folder.0.join("b"));
    let pattern = format!("{}/d-?.ndjson", folder.path());
    let sql = "SELECT count(*) AS n FROM lines";
    let arguments = ["--json", sql, a, b.to_str().unwrap(), &pattern];
    assert_eq!(printed(&arguments), "[{\"n\":28}]\n");
}

/// A file of a whole table did not say which table it has, and could not be read
/// again.
#[test]
fn a_parquet_file_of_a_table_can_be_read_as_that_table() {
    let folder = Folder::new();
    folder.write("logs/a.jsonl", LOG);
    let logs = folder.0.join("logs");
    let file = folder.0.join("out.parquet");
    let to = file.to_str().unwrap();
    for table in Table::ALL {
        let sql = format!("SELECT * FROM {table}");
        printed(&["--parquet", to, &sql, logs.to_str().unwrap()]);
        let read = ParquetTable::open(fs::File::open(&file).unwrap()).unwrap();
        assert_eq!(read.table(), table);
        let expected =
            LogReader::open(&[&logs], table, &Options::default()).unwrap();
        let found: Vec<RecordBatch> = read.map(Result::unwrap).collect();
        let expected: Vec<RecordBatch> =
            expected.map(Result::unwrap).collect();
        assert_eq!(found, expected);
    }
    // A part of a table is not the table.
    let logs = logs.to_str().unwrap();
    printed(&["--parquet", to, "SELECT uuid FROM lines", logs]);
    let error = ParquetTable::open(fs::File::open(&file).unwrap());
    assert!(error.unwrap_err().to_string().contains("which table"));
}

/// `linetape-sql --json ... | head` failed with an error about the pipe.
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG.replace("oops\n", "").repeat(2_000));
    for format in ["--json", "--csv", "--on-error=row"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
            .args([format, "SELECT * FROM lines", folder.path()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut begin = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut begin).unwrap();
        let output = child.wait_with_output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(complaint, "", "{format}");
        assert_eq!(output.status.code(), Some(0), "{format}");
    }
}

#[test]
fn rows_are_those_of_linetape_arrow() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let logs =
        LogReader::open(&[&folder.0], Table::Lines, &Options::default());
    let expected: usize =
        logs.unwrap().map(|batch| batch.unwrap().num_rows()).sum();
    let text = printed(&["--json", "SELECT * FROM lines", folder.path()]);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found.as_array().unwrap().len(), expected);
    assert_eq!(found[1]["timestamp"], "2026-01-02T03:04:05Z");
    assert_eq!(found[4]["error"], "not_an_object");
}
