//! The messages of errors.

use std::process::Command;

use datafusion::error::DataFusionError;
use linetape_sql::message;

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
        let lines: Vec<&str> = why.lines().collect();
        assert_eq!(lines.len(), 3, "{why}");
        assert_eq!(lines[1], format!("1 | {sql}"), "{why}");
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

/// Syntax errors were shown as Rust does for programmers, `ParserError("...")`, and those
/// at the end had no place. Columns that are not there had none either, and a list of all
/// columns followed.
#[test]
fn a_mistake_in_the_sql_is_shown_with_its_place() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for (sql, expected, column, width) in [
        (
            "SELECT count( FROM lines",
            "syntax error at line 1, column 20: expected ), found lines",
            20,
            1,
        ),
        (
            "SELECT type FROM lines WHERE (type = 'user'",
            "syntax error at the end: expected ), found nothing",
            44,
            1,
        ),
        (
            "SELEC type FROM lines",
            "syntax error at line 1, column 1: expected an SQL statement, \
             found SELEC",
            1,
            1,
        ),
        (
            "SELECT 'abc FROM lines",
            "syntax error at line 1, column 8: Unterminated string literal",
            8,
            1,
        ),
        ("SELECT modle FROM lines", "column 'modle' not found", 8, 5),
        ("SELECT type FROM lnes", "table 'lnes' not found", 18, 4),
        ("SELECT foo(type) FROM lines", "Invalid function 'foo'", 8, 3),
        (
            "SELECT type FROM lines WHERE length",
            "lines.length is not a condition: its type is Int64",
            30,
            6,
        ),
        (
            "SELECT type FROM lines ORDER BY nope",
            "there is no column nope. Did you mean 'lines.type'?",
            33,
            4,
        ),
        (
            "SELECT type + 1 FROM lines",
            "expressions have incompatible types",
            8,
            4,
        ),
    ] {
        let why = complaint(&[sql, folder.path()]);
        let lines: Vec<&str> = why.lines().collect();
        assert_eq!(lines[0], format!("linetape-sql: {expected}"), "{sql}");
        let [.., shown, mark] = &lines[..] else { panic!("{why}") };
        assert_eq!(*shown, format!("1 | {sql}"));
        let before = " ".repeat(column - 1);
        assert_eq!(*mark, format!("  | {before}{}", "^".repeat(width)));
        assert!(lines.len() < 7, "{why}");
    }
    // These have no place.
    for (sql, expected) in [
        ("", "there is no SQL"),
        (" ; ", "there is no SQL"),
        (
            "SELECT type FROM lines WHERE length = 'x'",
            "Cannot cast string 'x' to value of Int64 type",
        ),
        (
            "SELECT type FROM lines LIMIT -1",
            "LIMIT must be >= 0, '-1' was provided",
        ),
        (
            "SELECT type FROM lines WHERE length > ANY (SELECT length FROM lines)",
            "with ANY and ALL, `lines.length` must not be a column of the \
             subquery too: give a table another name, such as FROM lines a",
        ),
        (
            "SELECT a.b.c.d.e FROM lines",
            "a name has too many parts: a.b.c.d.e",
        ),
        (
            "SELECT EXISTS (SELECT 1 FROM lines b WHERE a.length < b.length) \
             FROM lines a",
            "such an expression is not supported: Exists",
        ),
    ] {
        let why = complaint(&[sql, folder.path()]);
        assert_eq!(why, format!("linetape-sql: {expected}\n"), "{sql}");
    }
}

/// Errors of a cluster come as text, as Rust writes them for programmers.
#[test]
fn errors_of_other_processes_are_sentences() {
    let refused = "Os { code: 111, kind: ConnectionRefused, message: \
                   \"Connection refused\" }";
    let connect = format!(
        "tonic::transport::Error(Transport, ConnectError(ConnectError(\
         \"tcp connect error\", 127.0.0.1:4711, {refused})))"
    );
    let reaching = "cannot reach 127.0.0.1:4711: Connection refused";
    let lost = "the connection to a process of the cluster was lost";
    let body =
        "message: \"h2 protocol error: error reading a body\", source: None";
    for (text, expected) in [
        (
            "Status { code: InvalidArgument, message: \"Could not parse plan: \
             DataFusion error: Schema error: No field named \\\"a b\\\".\", \
             metadata: MetadataMap { headers: {} }, source: None }"
                .to_string(),
            "No field named \"a b\".",
        ),
        (format!("code: 'Unknown error', {body}"), lost),
        (connect.clone(), reaching),
        (
            format!(
                "GrpcConnectionError({:?})",
                format!("Error connecting to Ballista at http://a: {connect}")
            ),
            reaching,
        ),
        (
            format!(
                "Job 1A failed: Job failed due to stage 2 failed: Stage 2 has \
                 failed 1 times, most recent failure reason: {connect:?}"
            ),
            reaching,
        ),
        (
            "failed to serialize logical plan: Plan(\"General error: Proto \
             serialization error: EXISTS is not yet supported\").\nThis issue \
             was likely caused by a bug in DataFusion's code."
                .to_string(),
            "EXISTS is not yet supported",
        ),
        (
            "Context(\"Error serializing custom table at mod.rs:1534\", \
             NotImplemented(\"LogicalExtensionCodec is not provided\"))"
                .to_string(),
            "a table of this query is only known to this process: a cluster cannot \
             read tables in memory, nor table functions such as generate_series",
        ),
        (
            "Job 1A failed: Job failed due to stage 1 failed: Task failed due to IO \
             error: DataFusionError(Shared(External(DataFusionError(IoError(Custom \
             { kind: Other, error: \"no such folder\" })))))"
                .to_string(),
            "no such folder",
        ),
    ] {
        let error = DataFusionError::Execution(text.clone());
        assert_eq!(message(&error), expected, "{text}");
    }
}

/// They had names of DataFusion in them, such as `regex_match_dyn_scalar`, `Int64(1)` and
/// `Compute error`, or gave the same advice twice.
#[test]
fn mistakes_are_described_in_plain_words() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let not_valid = "the regular expression is not valid";
    let unclosed = format!("{not_valid}: unclosed group\n    (\n    ^");
    let grouped = "lines.type must be in GROUP BY, or in an aggregate function such \
                   as max(lines.type)";
    let too_large = "the regular expression is too large";
    let twice = "two columns have the same name";
    let rename = "give one of them another name with AS";
    for (sql, expected) in [
        ("SELECT 1 FROM lines WHERE type ~ '('", unclosed.clone()),
        ("SELECT regexp_like(type, '(') FROM lines", unclosed.clone()),
        ("SELECT regexp_match(type, '(') FROM lines", unclosed.clone()),
        ("SELECT regexp_replace(type, '(', '') FROM lines", unclosed),
        (
            "SELECT regexp_count(type, '(') FROM lines",
            format!("{not_valid}: ("),
        ),
        (
            "SELECT 1 FROM lines WHERE type ~ '(a{1000}){1000}'",
            too_large.to_string(),
        ),
        (
            "SELECT type, count(*) FROM lines",
            format!(
                "{grouped}\n1 | SELECT type, count(*) FROM lines\n  |        ^^^^"
            ),
        ),
        (
            "SELECT model FROM lines GROUP BY model ORDER BY type",
            format!(
                "{grouped}\n1 | SELECT model FROM lines GROUP BY model ORDER BY type\
                 \n  | {}^^^^",
                " ".repeat(48)
            ),
        ),
        (
            "SELECT 1 FROM lines HAVING type = 'it''s' AND length > 1",
            "lines.type = 'it''s' AND lines.length > 1 in HAVING must be in GROUP \
             BY, or in an aggregate function"
                .to_string(),
        ),
        (
            "SELECT max(count(*)) FROM lines",
            "Aggregate function calls cannot be nested\nCompute 'count(*)' in an \
             inner query and aggregate its result"
                .to_string(),
        ),
        ("SELECT 1 AS a, 2 AS a", format!("{twice}, a: {rename}")),
        (
            "SELECT count(*), count(*) FROM lines",
            format!("{twice}, count(*): {rename}"),
        ),
        (
            "SELECT type, type FROM lines",
            format!("{twice}, lines.type: {rename}"),
        ),
        (
            "SELECT concat(type, 'a', 1), concat(type, 'a', 1) FROM lines",
            format!("{twice}, concat(lines.type, 'a', 1): {rename}"),
        ),
    ] {
        let why = complaint(&[sql, folder.path()]);
        assert_eq!(why, format!("linetape-sql: {expected}\n"), "{sql}");
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
        for sql in ["SELECT FROM lines", "SELECT FROM lines WHERE false"] {
            let given = [format, &[sql, folder.path()]].concat();
            assert_eq!(
                complaint(&given),
                "linetape-sql: the rows of this query have no columns: name some \
                 after SELECT\n",
                "{given:?}"
            );
        }
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

/// DataFusion does not read the sample, so that sums were those of the whole table.
#[test]
fn a_sample_of_a_table_is_refused() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for sql in [
        "SELECT count(*) FROM lines TABLESAMPLE (10)",
        "SELECT count(*) FROM lines TABLESAMPLE BERNOULLI (10 PERCENT)",
        "SELECT 1 WHERE 1 IN (SELECT 1 FROM lines TABLESAMPLE (10))",
        "WITH a AS (SELECT 1 FROM lines TABLESAMPLE (10)) SELECT * FROM a",
        "EXPLAIN SELECT count(*) FROM lines TABLESAMPLE (10)",
        "COPY (SELECT * FROM lines TABLESAMPLE (10)) TO 'a.csv'",
    ] {
        let why = complaint(&[sql, folder.path()]);
        assert_eq!(why, "linetape-sql: TABLESAMPLE is not supported\n");
    }
}

/// DataFusion ignores the pattern, so that all columns were there.
#[test]
fn a_pattern_for_columns_is_refused() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for sql in [
        "SELECT * ILIKE '%token%' FROM lines",
        "SELECT a.* ILIKE '%token%' FROM lines a",
    ] {
        let why = complaint(&[sql, folder.path()]);
        assert_eq!(why, "linetape-sql: ILIKE after * is not supported\n");
    }
}

/// DataFusion ignores the replacement, so that nobody noticed the mistake.
#[test]
fn a_column_that_is_replaced_must_exist() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for sql in [
        "SELECT * REPLACE (1 AS nope) FROM lines",
        "SELECT * REPLACE (type AS type, 1 AS nope) FROM lines",
        "SELECT * EXCLUDE (type) REPLACE (1 AS nope) FROM lines",
        "SELECT a.* REPLACE (1 AS nope) FROM lines a",
        "SELECT 1 FROM (SELECT * REPLACE (1 AS nope) FROM lines)",
        "SELECT 1 UNION SELECT * REPLACE (2 AS nope) FROM (SELECT 1 AS a)",
        "EXPLAIN SELECT * REPLACE (1 AS nope) FROM lines",
        "COPY (SELECT * REPLACE (1 AS nope) FROM lines) TO 'a.csv'",
        // Its place is that of the first one, although the name occurs twice.
        "SELECT * REPLACE (1 AS nope), 2 AS nope FROM lines",
        // DataFusion itself refuses these.
        "SELECT * EXCLUDE (nope) FROM lines",
        "SELECT * EXCEPT (nope) FROM lines",
    ] {
        let why = complaint(&[sql, folder.path()]);
        // `a.*` has columns of `a`.
        let why = why.replacen(" a.nope", " nope", 1);
        let message = "linetape-sql: there is no column nope";
        assert!(why.starts_with(message), "{sql}: {why}");
        let mark =
            format!("  | {}^^^^\n", " ".repeat(sql.find("nope").unwrap()));
        assert!(why.ends_with(&mark), "{sql}: {why}");
    }
    for sql in [
        "SELECT * REPLACE (upper(type) AS type) FROM lines",
        "SELECT * EXCLUDE (raw) REPLACE (1 AS type, 2 AS uuid) FROM lines",
        "SELECT type FROM (SELECT * REPLACE (1 AS type) FROM lines a)",
        "SELECT a.* REPLACE (b.type AS type) FROM lines a, lines b",
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
            .args(["--csv", sql, folder.path()])
            .output()
            .unwrap();
        let why = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{sql}: {why}");
    }
}

/// It said that there is no such table.
#[test]
fn a_path_that_is_missing_is_named() {
    for sql in [
        "SELECT 1 FROM lines",
        "SELECT 1 FROM usage u JOIN sessions s ON true",
        "DESCRIBE blocks",
    ] {
        assert_eq!(
            complaint(&[sql]),
            "linetape-sql: there are no logs: a PATH is missing after the SQL\n\
             Usage: linetape-sql [OPTIONS] <SQL> [PATH]...\n",
            "{sql}"
        );
    }
    let other = complaint(&["SELECT 1 FROM other"]);
    assert!(other.contains("table 'other' not found"), "{other}");
}

/// It said that the rows have no columns.
#[test]
fn a_statement_that_is_not_supported_is_named() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for (sql, name) in [
        ("CREATE INDEX i ON lines(type)", "CreateIndex"),
        ("START TRANSACTION", "TransactionStart"),
        ("COMMIT", "TransactionEnd"),
    ] {
        let why = complaint(&[sql, folder.path()]);
        assert!(why.contains(name) && !why.contains("columns"), "{why}");
    }
}

/// Structures of Rust were printed.
#[test]
fn sql_that_is_not_supported_is_named_without_its_syntax_tree() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for (sql, name) in [
        ("SELECT substr(type) FROM lines", "ubstr"),
        (
            "SELECT * FROM lines PIVOT (sum(length) FOR type IN ('user'))",
            "Pivot",
        ),
        ("SELECT struct(1).foo", "Identifier"),
    ] {
        let why = complaint(&[sql, folder.path()]);
        assert!(why.contains(name), "{why}");
        for word in ["{", "Ident ", "Span", "Some("] {
            assert!(!why.contains(word), "{word} in {why}");
        }
    }
}

/// The place was in the words of the parser, without the line of the SQL.
#[test]
fn text_after_a_statement_is_a_syntax_error_with_its_place() {
    let why = complaint(&["SELECT 1 2 3"]);
    let lines: Vec<&str> = why.lines().collect();
    assert!(
        lines[0].starts_with("linetape-sql: syntax error at line 1, column "),
        "{why}"
    );
    assert_eq!(lines.len(), 3, "{why}");
}

/// It named a function of DataFusion.
#[test]
fn an_object_store_that_is_not_known_is_named() {
    let why = complaint(&["SELECT * FROM lines", "s3://bucket/a.jsonl"]);
    assert!(why.contains("s3://bucket"), "{why}");
    assert!(!why.contains("RuntimeEnv"), "{why}");
}
