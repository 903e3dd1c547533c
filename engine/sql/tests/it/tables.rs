//! Where logs come from.

use std::sync::Arc;

use object_store::{ObjectStoreExt, PutPayload, memory::InMemory, path::Path};
use serde_json::json;
use url::Url;

use crate::support::{Folder, LOG, bare, error, logs, rows};

const LINES: i64 = 7;

#[tokio::test]
async fn an_external_table_reads_logs() {
    let folder = Folder::new();
    folder.write("x/a.jsonl", LOG);
    let context = bare(3);
    let create = |name: &str, options: &str| {
        format!(
            "CREATE EXTERNAL TABLE {name} STORED AS AGENTLOG LOCATION '{}' \
             {options}",
            folder.path()
        )
    };
    rows(&context, &create("t", "")).await;
    let found = rows(&context, "SELECT count(*) AS n FROM t").await;
    assert_eq!(found, json!([{"n": LINES}]));
    let options = "OPTIONS ('table' 'blocks')";
    rows(&context, &create("b", options)).await;
    let found = rows(&context, "SELECT count(*) AS n FROM b").await;
    assert_eq!(found, json!([{"n": 4}]));
    let options = "OPTIONS ('on_error' 'skip')";
    rows(&context, &create("s", options)).await;
    let found = rows(&context, "SELECT count(*) AS n FROM s").await;
    assert_eq!(found, json!([{"n": LINES - 1}]));
    let options = "OPTIONS ('on_error' 'fail')";
    rows(&context, &create("f", options)).await;
    let why = error(&context, "SELECT count(*) FROM f").await;
    assert!(why.contains("byte 727: not a JSON object"), "{why}");
    for (options, expected) in [
        ("OPTIONS ('table' 'x')", "there is no table `x`"),
        ("OPTIONS ('on_error' 'x')", "row, skip or fail"),
        ("OPTIONS ('colour' 'x')", "not `colour`"),
    ] {
        let why = error(&context, &create("x", options)).await;
        assert!(why.contains(expected), "{why}");
    }
    let columns = create("x (a INT)", "");
    let why = error(&context, &columns).await;
    assert!(why.contains("fixed schema"), "{why}");
}

#[tokio::test]
async fn the_table_function_reads_logs() {
    let folder = Folder::new();
    folder.write("a b/#1/%41/[x]/a.jsonl", LOG);
    folder.write("b.jsonl", LOG);
    let context = bare(3);
    let path = folder.path();
    for (arguments, expected) in [
        (format!("'{path}'"), 2 * LINES),
        (format!("'{path}/'"), 2 * LINES),
        (format!("'file://{path}'"), 2 * LINES),
        (format!("'{path}/a b'"), LINES),
        (format!("'{path}/a b/#1/%41/[x]'"), LINES),
        (format!("'{path}/a b/#1/%41/[x]/a.jsonl'"), LINES),
        (format!("'{path}/*.jsonl'"), LINES),
        (format!("'{path}/*'"), 2 * LINES),
        (format!("'{path}/b.jsonl', 'blocks'"), 4),
        (format!("'{path}/b.jsonl', 'lines', 'skip'"), LINES - 1),
    ] {
        let sql = format!("SELECT count(*) AS n FROM agent_logs({arguments})");
        let found = rows(&context, &sql).await;
        assert_eq!(found, json!([{"n": expected}]), "{arguments}");
    }
    // Object stores have no `..`, and a query failed with it.
    let up = format!("{path}/a b/../b.jsonl");
    let sql = format!("SELECT DISTINCT file FROM agent_logs('{up}')");
    let file = format!("{path}/b.jsonl");
    assert_eq!(rows(&context, &sql).await, json!([{"file": file}]));
    let sql = format!("SELECT count(*) AS n FROM agent_logs('{path}/a b/..')");
    assert_eq!(rows(&context, &sql).await, json!([{"n": 2 * LINES}]));
    for (arguments, expected) in [
        ("", "takes texts"),
        ("7", "takes texts"),
        ("'x', 'lines', 'row', 'more'", "takes texts"),
        ("'x', 'y'", "there is no table `y`"),
        ("'/no/such/folder'", "/no/such/folder"),
        ("'/no/such/*.jsonl'", "no file matches"),
        // It has no size, and looked like an empty log.
        ("'/dev/null'", "not a regular file"),
    ] {
        let sql = format!("SELECT * FROM agent_logs({arguments})");
        let why = error(&context, &sql).await;
        assert!(why.contains(expected), "{arguments}: {why}");
    }
}

#[tokio::test]
async fn the_column_file_can_be_opened() {
    let folder = Folder::new();
    let path = folder.write("a b/ü%41.jsonl", LOG);
    let context = logs(folder.path(), 2).await;
    let found = rows(&context, "SELECT DISTINCT file FROM lines").await;
    assert_eq!(found, json!([{"file": path.to_str().unwrap()}]));
}

#[tokio::test]
async fn a_folder_without_logs_is_an_error() {
    let folder = Folder::new();
    folder.write("notes.txt", "no log");
    let context = logs(folder.path(), 2).await;
    let why = error(&context, "SELECT * FROM lines").await;
    assert!(why.contains("no *.jsonl or *.ndjson files"), "{why}");
    folder.write("a.jsonl", LOG);
    let found = rows(&context, "SELECT count(*) AS n FROM lines").await;
    assert_eq!(found, json!([{"n": LINES}]));
}

#[tokio::test]
async fn copies_of_a_log_are_read_once() {
    let folder = Folder::new();
    let packed = zstd::encode_all(LOG.as_bytes(), 0).unwrap();
    for name in ["a.jsonl", "a.jsonl.zst", "b.jsonl.zst", "B.JSONL.GZ"] {
        let bytes = match name.ends_with("zst") {
            true => &packed[..],
            false => LOG.as_bytes(),
        };
        folder.write(name, bytes);
    }
    let context = logs(folder.path(), 2).await;
    let found = rows(&context, "SELECT count(*) AS n FROM lines").await;
    assert_eq!(found, json!([{"n": 3 * LINES}]));
}

/// In an object store, ranges are requests, and the rows are the same.
#[tokio::test]
async fn an_object_store_is_read() {
    let store = Arc::new(InMemory::new());
    let put = async |name: &str, bytes: Vec<u8>| {
        store.put(&Path::from(name), PutPayload::from(bytes)).await.unwrap();
    };
    let giant = format!("{LOG}{{\"a\":\"{}\"}}\n{LOG}", "x".repeat(300_000));
    put("logs/a/one.jsonl", giant.into_bytes()).await;
    let packed = zstd::encode_all(LOG.as_bytes(), 0).unwrap();
    put("logs/a/two.jsonl.zst", packed.clone()).await;
    put("logs/three.jsonl", packed.clone()).await;
    // A worse copy, and no log.
    put("logs/three.jsonl.zst", packed).await;
    put("logs/notes.txt", b"no log".to_vec()).await;
    put("other/four.jsonl", LOG.into()).await;
    for partitions in [1, 2, 7, 50] {
        let context = bare(partitions);
        let url = Url::parse("memory://bucket").unwrap();
        context.register_object_store(&url, Arc::clone(&store) as _);
        for (path, expected) in [
            ("logs", 4 * LINES + 1),
            ("logs/", 4 * LINES + 1),
            ("logs/a/one.jsonl", 2 * LINES + 1),
            ("logs/a/*.jsonl", 2 * LINES + 1),
            ("logs/a/two.jsonl.zst", LINES),
            ("", 5 * LINES + 1),
        ] {
            let sql = format!(
                "SELECT count(*) AS n, count(DISTINCT file || \"offset\") AS \
                 places FROM agent_logs('memory://bucket/{path}')"
            );
            let found = rows(&context, &sql).await;
            let row = json!([{"n": expected, "places": expected}]);
            assert_eq!(found, row, "{path}, {partitions}");
        }
        let sql = "SELECT min(file) AS file FROM \
                   agent_logs('memory://bucket/logs/a')";
        let file = "memory://bucket/logs/a/one.jsonl";
        assert_eq!(rows(&context, sql).await, json!([{"file": file}]));
        for path in ["nothing", "nothing/", "logs/*.txt"] {
            let sql =
                format!("SELECT * FROM agent_logs('memory://bucket/{path}')");
            let why = error(&context, &sql).await;
            assert!(why.contains("no *.jsonl or *.ndjson"), "{path}: {why}");
        }
    }
}
