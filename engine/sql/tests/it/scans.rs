//! However a scan is divided, its rows are the same.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use linetape_arrow::{LogReader, Options, Table};
use linetape_sql::{Meter, Settings, context, register};
use serde_json::{Value, json};

use crate::support::{Folder, LOG, logs, rows};

/// Logs with everything that makes dividing hard: a giant line, bad and empty
/// lines, no line feed at the end, CRLF, empty files, and compressed files.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a/one.jsonl", LOG);
    let giant = format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":\"{}\"}}}}\n",
        "x".repeat(300_000)
    );
    folder.write("a/two.jsonl", format!("{LOG}{giant}{LOG}"));
    folder.write("a/three.ndjson", LOG.replace('\n', "\r\n").trim_end());
    folder.write("b/blank.jsonl", "\n\n\r\n \n");
    folder.write("b/empty.jsonl", "");
    let mut gzip =
        flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    gzip.write_all(LOG.as_bytes()).unwrap();
    folder.write("b/four.jsonl.gz", gzip.finish().unwrap());
    // Two frames: some readers stop after the first.
    let mut frames = zstd::encode_all(LOG.as_bytes(), 0).unwrap();
    frames.extend_from_within(..);
    folder.write("b/five.jsonl.zst", frames);
    // Compressed, whatever its name says; and the other way round.
    folder.write("b/six.jsonl", zstd::encode_all(LOG.as_bytes(), 0).unwrap());
    folder.write("b/seven.jsonl.gz", LOG);
    folder.write("b/notes.txt", "no log");
    folder
}

#[tokio::test]
async fn rows_do_not_depend_on_partitions_and_batches() {
    let folder = folder();
    for table in Table::ALL {
        let direct = LogReader::open(&[&folder.0], table, &Options::default());
        let expected: usize =
            direct.unwrap().map(|batch| batch.unwrap().num_rows()).sum();
        assert!(expected > 20, "{expected}");
        let sql = format!(
            "SELECT count(*) AS n, count(DISTINCT file || ':' || \"offset\") \
             AS lines, sum(\"offset\") AS offsets FROM {table}"
        );
        let mut first: Option<Value> = None;
        for partitions in [1, 2, 3, 7, 16, 64] {
            for batch in [1, 3, 8192] {
                let context = logs(folder.path(), partitions).await;
                let set =
                    format!("SET datafusion.execution.batch_size = {batch}");
                rows(&context, &set).await;
                let found = rows(&context, &sql).await;
                assert_eq!(found[0]["n"], json!(expected), "{partitions}");
                let first = first.get_or_insert_with(|| found.clone());
                assert_eq!(&found, first, "{table}: {partitions}, {batch}");
            }
        }
    }
}

#[tokio::test]
async fn counting_needs_no_columns() {
    let folder = folder();
    for partitions in [1, 7] {
        let context = logs(folder.path(), partitions).await;
        let all = rows(&context, "SELECT count(*) AS n FROM lines").await;
        let sql = "SELECT count(raw) AS n FROM lines";
        assert_eq!(all, rows(&context, sql).await);
        let sql = "SELECT count(*) AS n FROM lines WHERE error IS NOT NULL";
        // One bad line in each copy of the log.
        assert_eq!(rows(&context, sql).await, json!([{"n": 9}]));
    }
}

/// The rows alone do not tell: any limit returns so many.
#[tokio::test]
async fn a_limit_ends_the_scan() {
    let folder = Folder::new();
    let size = 20 << 20;
    let line = "{\"type\":\"user\",\"text\":\"0123456789\"}\n";
    folder.write("a.jsonl", line.repeat(size / line.len()));
    for limit in [0, 1, 5] {
        let meter = Meter::default();
        let settings = Settings::default();
        let context = context(&settings, &meter).unwrap();
        register(&context, &[folder.path()], &settings, &meter).await.unwrap();
        let sql = format!("SELECT file, raw FROM lines LIMIT {limit}");
        let found = rows(&context, &sql).await;
        assert_eq!(found.as_array().unwrap().len(), limit);
        assert!(meter.read() < size as u64 / 2, "{}", meter.read());
    }
}

/// The end of a query was counted as a line that could not be read.
#[tokio::test]
async fn a_limit_counts_no_bad_lines() {
    let folder = Folder::new();
    let line = "{\"type\":\"user\",\"text\":\"0123456789\"}\n";
    folder.write("a.jsonl", line.repeat(200_000));
    let meter = Meter::default();
    let settings = Settings::default();
    for _ in 0..10 {
        let context = context(&settings, &meter).unwrap();
        register(&context, &[folder.path()], &settings, &meter).await.unwrap();
        rows(&context, "SELECT file FROM lines LIMIT 1").await;
    }
    // The readers notice the end of the query a little later.
    let start = Instant::now();
    while meter.open() > 0 {
        assert!(start.elapsed() < Duration::from_secs(120), "they go on");
        tokio::task::yield_now().await;
    }
    assert_eq!(meter.problems().bad_lines, 0);
}

/// In a file that was divided, the numbers of the first part were right, and the
/// others were NULL: the largest depended on the number of cores.
#[tokio::test]
async fn line_numbers_do_not_depend_on_partitions() {
    let folder = folder();
    for partitions in [1, 2, 7] {
        let context = logs(folder.path(), partitions).await;
        let sql = "SELECT file, max(line) AS last, count(line) = count(*) AS \
                   are_known FROM lines GROUP BY file ORDER BY file";
        let found = rows(&context, sql).await;
        let last = |row: &Value| {
            assert_eq!(row["are_known"], json!(true), "{row}");
            row["last"].as_i64().unwrap()
        };
        let found: Vec<i64> =
            found.as_array().unwrap().iter().map(last).collect();
        assert_eq!(found, [7, 7, 15, 14, 7, 7, 7], "{partitions}");
        let sql = "SELECT count(*) AS n FROM lines WHERE line = 7";
        assert_eq!(rows(&context, sql).await, json!([{"n": 7}]));
    }
}

#[tokio::test]
async fn filters_give_the_same_rows_as_without_push_down() {
    let folder = folder();
    // An id that needs escapes, milliseconds, and a nested message.
    folder.write("c.jsonl", concat!(
        r#"{"type":"user","session_id":"C:\\x","timestamp":"2026-01-02T03:04:06.500Z","message":{"content":"a"}}"#,
        "\n",
        r#"{"type":"progress","sessionId":"s1","timestamp":"2026-01-02T03:04:05Z","data":{"type":"agent_progress","message":{"type":"assistant","timestamp":"2026-01-03T03:04:05Z","message":{"id":"n","content":"b","usage":{"output_tokens":2}}}}}"#,
        "\n",
    ));
    let seconds = |operator: &str| {
        let kind = "'Timestamp(Second, Some(\"+00:00\"))'";
        format!(
            "arrow_cast(\"timestamp\", {kind}) {operator} \
             arrow_cast('2026-01-02T03:04:06Z', {kind})"
        )
    };
    let (equal, at_most) = (seconds("="), seconds("<="));
    let equal_of_type = format!("type = 'user' AND {equal}");
    let filters = [
        &*equal,
        &*at_most,
        &*equal_of_type,
        "session_id = 'C:\\x'",
        "\"timestamp\" > '2026-01-02T12:00:00Z' AND type = 'assistant'",
        "type = 'assistant'",
        "type IN ('user', 'result')",
        "nested IS NULL",
        "nested IS NULL AND type = 'progress'",
        "nested IS NULL AND error IS NOT NULL",
        "nested IS NOT NULL",
        "'system/init' = kind",
        "kind = 'system'",
        "session_id = 's1'",
        "session_id = 's1' AND type = 'user'",
        "session_id = 's1' OR type = 'user'",
        "NOT (type = 'user')",
        "type <> 'user'",
        "type IS NULL",
        "type = 'user' AND type = 'assistant'",
        "\"timestamp\" >= '2026-01-02T03:04:06Z'",
        "\"timestamp\" < '2026-01-02T03:04:06Z'",
        "\"timestamp\" = '2026-01-02T03:04:06Z'",
        "\"timestamp\" > '2026-01-02T03:04:05.9999Z'",
        "\"timestamp\" BETWEEN '2026-01-02' AND '2026-01-03'",
        "\"timestamp\" IS NULL AND type = 'result'",
        "error IS NOT NULL",
        "length > 100 AND type = 'user'",
        "lower(type) = 'user'",
        "text LIKE '%look%'",
        "text LIKE '%such_file%' OR text LIKE 'Let%'",
        "text LIKE 'Let _e look\\.'",
        "text NOT LIKE '%look%'",
        "text ILIKE '%LOOK%'",
        "text = 'Hi.'",
        "raw LIKE '%oops%'",
        "raw LIKE '%C:\\\\\\\\x%'",
        "uuid = 'u1'",
        "uuid IN ('u1', 'u2')",
        "message_id = 'm1' AND model = 'opus'",
        "block_type = 'tool_use'",
        "block_type IN ('text', 'tool_result')",
        "block_type <> 'text' AND tool_use_id = 't1'",
        "tool_use_id = 't1'",
    ];
    let context = logs(folder.path(), 3).await;
    let mut compared = 0;
    for filter in filters {
        for table in Table::ALL {
            let has =
                |name: &str| table.schema().field_with_name(name).is_ok();
            let others = [
                "block_type",
                "error",
                "kind",
                "length",
                "raw",
                "text",
                "tool_use_id",
                "type",
            ];
            // A word of the filter that is a column, but not of this table.
            let mut words =
                filter.split(|c: char| !c.is_ascii_alphabetic() && c != '_');
            if words.any(|word| others.contains(&word) && !has(word)) {
                continue;
            }
            compared += 1;
            let select =
                format!("SELECT file, \"offset\", nested FROM {table}");
            let order = "ORDER BY file, \"offset\", nested";
            let pushed = format!("{select} WHERE {filter} {order}");
            // A condition on a random number cannot be pushed down.
            let kept = format!(
                "{select} WHERE CASE WHEN random() < 2 THEN ({filter}) END \
                 {order}"
            );
            let found = rows(&context, &pushed).await;
            assert_eq!(found, rows(&context, &kept).await, "{filter}");
            let is_empty = matches!(
                filter,
                "kind = 'system'" | "type = 'user' AND type = 'assistant'"
            );
            if table != Table::UsageLines {
                assert_eq!(found == json!([]), is_empty, "{filter}");
            }
        }
    }
    assert_eq!(compared, 78);
}
