//! EXPLAIN shows what is pushed down.

use datafusion::prelude::SessionContext;

use crate::support::{Folder, LOG, logs, rows};

async fn plan(context: &SessionContext, sql: &str) -> String {
    let found = rows(context, &format!("EXPLAIN FORMAT INDENT {sql}")).await;
    let rows = found.as_array().unwrap().iter();
    let mut plans = rows.filter(|row| row["plan_type"] == "physical_plan");
    plans.next().unwrap()["plan"].as_str().unwrap().to_string()
}

#[tokio::test]
async fn columns_and_conditions_are_shown() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let context = logs(folder.path(), 1).await;
    let cases = [
        (
            "SELECT output_tokens FROM lines WHERE type = 'assistant'",
            "built=[type, output_tokens], wanted=[type IN (assistant)]",
        ),
        ("SELECT count(*) FROM lines", "table=lines, built=[], on_error=row"),
        (
            "SELECT uuid FROM lines WHERE kind = 'a/b' AND session_id = 's'",
            "wanted=[kind IN (a/b) AND session_id IN (s)]",
        ),
        (
            "SELECT uuid FROM lines WHERE type IN ('a', 'b')",
            "wanted=[type IN (a, b)]",
        ),
        (
            "SELECT uuid FROM lines WHERE \"timestamp\" >= '2026-01-02T00:00:00Z' \
             AND \"timestamp\" < '2026-01-03T00:00:00Z'",
            "wanted=[timestamp >= 1767312000000 AND timestamp <= 1767398400000]",
        ),
        (
            "SELECT uuid FROM blocks WHERE text LIKE '%a b%cd' AND \
             block_type = 'text'",
            "wanted=[block_type IN (text) AND contains \"a b\"]",
        ),
        (
            "SELECT uuid FROM lines WHERE uuid = 'abc'",
            "wanted=[contains \"abc\"]",
        ),
        (
            "SELECT uuid FROM lines WHERE nested IS NULL AND type = 'a'",
            "wanted=[type IN (a) AND nested IS NULL]",
        ),
        (
            "SELECT sum(output_tokens) FROM usage",
            "table=usage_parts, built=[offset, part]",
        ),
    ];
    for (sql, expected) in cases {
        let plan = plan(&context, sql).await;
        assert!(plan.contains(expected), "{sql}\n{plan}");
        assert!(plan.contains("file_type=agentlog"), "{plan}");
    }
    // Nothing is known about lines from this one.
    let sql = "SELECT uuid FROM lines WHERE type <> 'a' OR uuid = 'b'";
    let plan = plan(&context, sql).await;
    assert!(!plan.contains("wanted"), "{plan}");
    assert!(plan.contains("FilterExec"), "{plan}");
}

/// The plan said that a time is wanted, and every line was read all the same.
#[tokio::test]
async fn lines_that_are_not_wanted_are_skipped_by_the_scan() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG.replace("oops\n", ""));
    let context = logs(folder.path(), 1).await;
    for (filter, expected) in [
        ("\"timestamp\" >= '2026-01-03T00:00:00Z'", 1),
        // The time itself is included.
        ("\"timestamp\" < '2026-01-02T03:04:06Z'", 3),
        ("type = 'assistant'", 3),
        ("kind = 'system/init'", 1),
        ("session_id = 's2'", 1),
        ("text LIKE '%me look%'", 1),
        ("uuid LIKE 'u1%%'", 6),
        ("message_id = 'm1' AND model = 'opus'", 2),
    ] {
        let sql =
            format!("EXPLAIN ANALYZE SELECT uuid FROM lines WHERE {filter}");
        let found = rows(&context, &sql).await;
        let plan = found[0]["plan"].as_str().unwrap();
        let scan = plan.split("DataSourceExec").nth(1).unwrap();
        let rows = format!("output_rows={expected},");
        assert!(scan.contains(&rows), "{filter}: {scan}");
    }
}

#[tokio::test]
async fn plain_files_are_divided_and_compressed_ones_are_not() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG.repeat(10));
    let packed = zstd::encode_all(LOG.repeat(10).as_bytes(), 0).unwrap();
    folder.write("b.jsonl.zst", &packed);
    let context = logs(folder.path(), 4).await;
    let plan = plan(&context, "SELECT count(*) FROM lines").await;
    assert!(plan.contains("4 groups"), "{plan}");
    assert_eq!(plan.matches("a.jsonl:").count(), 4, "{plan}");
    assert_eq!(plan.matches("b.jsonl.zst").count(), 1, "{plan}");
    assert!(!plan.contains("b.jsonl.zst:"), "{plan}");
}
