//! SQL that the parser knows, and of which DataFusion ignores a part.

use std::process::{Command, Output};

use crate::support::{Folder, LOG};

fn run(arguments: &[&str], folder: &Folder) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
        .args(arguments)
        .arg(folder.path())
        .output()
        .unwrap()
}

fn refused(sql: &str, folder: &Folder) -> String {
    let output = run(&[sql], folder);
    let why = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{sql}: {why}");
    let why = why.strip_prefix("linetape-sql: ").expect(&why);
    why.trim_end().to_string()
}

fn printed(sql: &str, folder: &Folder) -> String {
    let output = run(&["--csv", sql], folder);
    let why = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{sql}: {why}");
    String::from_utf8(output.stdout).unwrap()
}

/// `PREWHERE type = 'user'` counted all lines, and the totals of `WITH ROLLUP` were
/// missing.
#[test]
fn parts_of_a_query_that_are_ignored_are_refused() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for (sql, part) in [
        ("SELECT count(*) FROM lines PREWHERE type = 'user'", "PREWHERE"),
        (
            "SELECT 1 FROM lines START WITH line = 1 CONNECT BY uuid = parent_uuid",
            "CONNECT BY",
        ),
        ("SELECT type FROM lines FORMAT JSON", "FORMAT"),
        ("SELECT type FROM lines SETTINGS max_threads = 1", "SETTINGS"),
        ("SELECT type FROM lines FOR JSON AUTO", "FOR after a query"),
        (
            "SELECT count(*) FROM lines PARTITION (p)",
            "PARTITION after a table",
        ),
        (
            "SELECT count(*) FROM lines WITH (nolock)",
            "WITH (...) after a table",
        ),
        ("SELECT * FROM lines WITH ORDINALITY", "WITH ORDINALITY"),
    ] {
        let expected = format!("{part} is not supported");
        for sql in [
            sql.to_string(),
            format!("EXPLAIN {sql}"),
            format!("WITH a AS ({sql}) SELECT * FROM a"),
            format!("CREATE VIEW v AS {sql}"),
        ] {
            assert_eq!(refused(&sql, &folder), expected, "{sql}");
        }
    }
    for modifier in ["ROLLUP", "CUBE", "TOTALS"] {
        let grouped = "SELECT type, count(*) FROM lines GROUP BY type";
        let why = refused(&format!("{grouped} WITH {modifier}"), &folder);
        let expected = format!(
            "WITH {modifier} after the columns of GROUP BY is not supported: "
        );
        assert!(why.starts_with(&expected), "{why}");
    }
    let rollup = "SELECT type, count(*) AS n FROM lines WHERE session_id = 's2' \
                  GROUP BY ROLLUP (type) ORDER BY n, type";
    assert_eq!(printed(rollup, &folder), "type,n\nassistant,1\n,1\n");
}

/// The window was all rows: a sum by session was the sum of all sessions.
#[test]
fn a_window_that_is_made_of_another_one_is_refused() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for over in ["(w)", "(w ORDER BY line)"] {
        let sql = format!(
            "SELECT session_id, sum(length) OVER {over} FROM lines WINDOW w AS \
             (PARTITION BY session_id)"
        );
        let why = refused(&sql, &folder);
        assert!(why.starts_with("OVER (w ...) is not supported"), "{why}");
    }
    // It sorted by the sum, and not by the running total.
    let sql = "SELECT type, sum(length) FROM lines GROUP BY type WINDOW w AS \
               (ORDER BY type) ORDER BY sum(length) OVER w DESC";
    let why = refused(sql, &folder);
    assert!(why.starts_with("OVER w is not supported in ORDER BY"), "{why}");
    let sql = "SELECT type FROM lines QUALIFY count(*) OVER w > 1 WINDOW w AS \
               (PARTITION BY type)";
    let why = refused(sql, &folder);
    assert!(why.starts_with("OVER w is not supported in ORDER BY"), "{why}");
    let sql = "SELECT DISTINCT session_id, count(*) OVER w AS n FROM lines WHERE \
               type = 'assistant' WINDOW w AS (PARTITION BY session_id) ORDER BY n";
    assert_eq!(printed(sql, &folder), "session_id,n\ns2,1\ns1,2\n");
}

/// A FILTER of a function of one row was ignored, and DISTINCT of `lag`.
#[test]
fn parts_of_a_call_that_are_ignored_are_refused() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let filter = "FILTER (WHERE type = 'user')";
    for (call, part, name) in [
        (format!("length(type) {filter}"), "FILTER", "length"),
        (format!("LENGTH(type) {filter}"), "FILTER", "length"),
        (format!("\"length\"(type) {filter}"), "FILTER", "length"),
        ("upper(DISTINCT type)".into(), "DISTINCT", "upper"),
        (format!("unnest(make_array(1, 2)) {filter}"), "FILTER", "unnest"),
        ("upper(type) OVER ()".into(), "OVER", "upper"),
        ("upper(type ORDER BY line)".into(), "ORDER BY", "upper"),
        (
            "upper(type) IGNORE NULLS".into(),
            "IGNORE NULLS or RESPECT NULLS",
            "upper",
        ),
        (format!("row_number() {filter} OVER ()"), "FILTER", "row_number"),
        (
            format!("first_value(type) {filter} OVER (ORDER BY line)"),
            "FILTER",
            "first_value",
        ),
        ("lag(DISTINCT type) OVER ()".into(), "DISTINCT", "lag"),
    ] {
        let with = match call.contains("OVER") && name != "upper" {
            true => " and OVER",
            false => ", which is not an aggregate function",
        };
        let expected = format!("{part} is not supported with {name}{with}");
        let sql = format!("SELECT {call} FROM lines");
        assert_eq!(refused(&sql, &folder), expected, "{sql}");
    }
    let sql = "SELECT nothing(type) FILTER (WHERE true) OVER () FROM lines";
    let why = refused(sql, &folder);
    assert!(why.contains("Invalid function 'nothing'"), "{why}");
    let why = refused("SELECT sum(1)(length) FROM lines", &folder);
    assert_eq!(why, "sum with two lists of arguments is not supported");
    // With aggregate functions, all of these have their effect.
    for (call, expected) in [
        (format!("count(*) {filter}"), "1"),
        ("count(DISTINCT type)".into(), "4"),
        ("first_value(type ORDER BY line DESC)".into(), "assistant"),
        (format!("first_value(type ORDER BY line) {filter}"), "user"),
        (
            "first_value(error ORDER BY line) IGNORE NULLS".into(),
            "not_an_object",
        ),
        (format!("max(count(*) {filter}) OVER ()"), "1"),
        ("max(count(DISTINCT type)) OVER ()".into(), "4"),
    ] {
        let sql = format!("SELECT {call} AS n FROM lines");
        assert_eq!(
            printed(&sql, &folder),
            format!("n\n{expected}\n"),
            "{sql}"
        );
    }
}

/// The pattern was a regular expression that had to match a part only: `%` stood for
/// itself, and `'us'` was similar to `'user'`.
#[test]
fn similar_to_is_refused() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    for similar in ["SIMILAR TO", "NOT SIMILAR TO"] {
        let sql = format!("SELECT 1 FROM lines WHERE type {similar} '%us%'");
        assert_eq!(
            refused(&sql, &folder),
            "SIMILAR TO is not supported: use LIKE, or ~ with a regular expression"
        );
    }
}

/// An object had two members with one name, of which most programs read one only.
#[test]
fn columns_with_one_name_are_refused_where_names_matter() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let sql = "SELECT a.type, b.type FROM lines a JOIN lines b USING (uuid) \
               WHERE a.uuid = 'u1'";
    let file = folder.0.join("out.parquet");
    let parquet = ["--parquet", file.to_str().unwrap()];
    for format in [&["--json"][..], &parquet] {
        let output = run(&[format, &[sql]].concat(), &folder);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "linetape-sql: two columns have the same name, type: give one of them \
             another name with AS, or use --csv\n"
        );
        assert_eq!(output.stdout, b"");
    }
    assert!(!file.exists());
    assert_eq!(printed(sql, &folder), "type,type\nassistant,assistant\n");
}
