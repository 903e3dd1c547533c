//! However a scan is divided, its rows are the same.

use std::io::Write;

use linetape_arrow::{LogReader, Options, Table};
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

#[tokio::test]
async fn a_limit_ends_the_scan() {
    let folder = folder();
    let context = logs(folder.path(), 7).await;
    for limit in [0, 1, 5] {
        let sql = format!("SELECT file, raw FROM lines LIMIT {limit}");
        let found = rows(&context, &sql).await;
        assert_eq!(found.as_array().unwrap().len(), limit);
    }
}

#[tokio::test]
async fn filters_give_the_same_rows_as_without_push_down() {
    let folder = folder();
    let filters = [
        "type = 'assistant'",
        "type IN ('user', 'result')",
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
    ];
    let context = logs(folder.path(), 3).await;
    let mut found_any = 0;
    for filter in filters {
        let select = "SELECT file, \"offset\", type, kind FROM lines";
        let order = "ORDER BY file, \"offset\"";
        let pushed = format!("{select} WHERE {filter} {order}");
        // A condition on a random number cannot be pushed down.
        let kept = format!(
            "{select} WHERE CASE WHEN random() < 2 THEN ({filter}) END {order}"
        );
        let found = rows(&context, &pushed).await;
        assert_eq!(found, rows(&context, &kept).await, "{filter}");
        found_any += usize::from(found != json!([]));
    }
    assert!(found_any >= 14, "{found_any}");
}
