//! Where logs come from.

use std::sync::Arc;

use datafusion::prelude::SessionContext;
use linetape_sql::LogTable;
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
    assert!(why.contains("byte 761: not a JSON object"), "{why}");
    for (options, expected) in [
        ("OPTIONS ('table' 'x')", "there is no table `x`"),
        ("OPTIONS ('on_error' 'x')", "row, skip or fail"),
        ("OPTIONS ('colour' 'x')", "not `colour`"),
    ] {
        let why = error(&context, &create("x", options)).await;
        assert!(why.contains(expected), "{why}");
    }
    // It was ignored.
    let why = error(&context, &create("x", "PARTITIONED BY (a)")).await;
    assert!(why.contains("no partitions"), "{why}");
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

async fn count(context: &SessionContext, path: &str) -> i64 {
    let sql = format!("SELECT count(*) AS n FROM agent_logs('{path}')");
    rows(context, &sql).await[0]["n"].as_i64().unwrap()
}

/// `**` matches folders and what is in them: a file was read up to three times.
/// And all files that match were read, whatever their names.
#[tokio::test]
async fn a_pattern_reads_each_log_once_by_the_rule_for_folders() {
    let folder = Folder::new();
    let packed = zstd::encode_all(LOG.as_bytes(), 0).unwrap();
    folder.write("g/b/c/a.jsonl", LOG);
    folder.write("copies/a.jsonl", LOG);
    folder.write("copies/a.jsonl.zst", packed);
    folder.write("copies/notes.txt", "no log");
    folder.write("notes/notes.txt", "no log");
    let context = bare(2);
    let path = folder.path();
    for (pattern, expected) in [
        ("g/**", LINES),
        ("g/**/*", LINES),
        ("g/**/*.jsonl", LINES),
        ("g/b*/", LINES),
        ("copies/*", LINES),
        ("copies/*.zst", LINES),
        ("*", 2 * LINES),
        ("**/*", 2 * LINES),
    ] {
        let found = count(&context, &format!("{path}/{pattern}")).await;
        assert_eq!(found, expected, "{pattern}");
    }
    for pattern in ["notes/*", "notes*", "copies/*.txt"] {
        let sql = format!("SELECT * FROM agent_logs('{path}/{pattern}')");
        let why = error(&context, &sql).await;
        assert!(why.contains("no *.jsonl or *.ndjson"), "{pattern}: {why}");
    }
}

/// A file that several paths name was read several times.
#[tokio::test]
async fn a_file_that_several_paths_name_is_read_once() {
    let folder = Folder::new();
    let file = folder.write("a/b.jsonl", LOG);
    let link = folder.0.join("link.jsonl");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let path = folder.path();
    let paths = [
        format!("{path}/a/b.jsonl"),
        format!("{path}/a"),
        format!("{path}/a/../a/b.jsonl"),
        format!("{path}/*"),
        format!("{path}/link.jsonl"),
        format!("file://{path}/a"),
    ];
    for some in [&paths[..1], &paths[..2], &paths[3..4], &paths[..]] {
        let context = bare(2);
        let (settings, meter) = Default::default();
        linetape_sql::register(&context, some, &settings, &meter)
            .await
            .unwrap();
        let sql =
            "SELECT count(*) AS n, max(file_number) AS number FROM lines";
        let row = json!([{"n": LINES, "number": 0}]);
        assert_eq!(rows(&context, sql).await, row, "{some:?}");
    }
}

/// What follows `#` or `?` in a URL is no part of its path: other files were
/// read than those that were meant.
#[tokio::test]
async fn a_url_with_a_query_or_a_fragment_is_refused() {
    let folder = Folder::new();
    folder.write("#1/a.jsonl", LOG);
    folder.write("a?.jsonl", LOG);
    folder.write("b.jsonl", LOG);
    let context = bare(2);
    let path = folder.path();
    for url in [
        format!("file://{path}/#1/a.jsonl"),
        format!("file://{path}/a?.jsonl"),
        "memory://bucket/logs/#1.jsonl".to_string(),
        "memory://bucket/logs/a?.jsonl".to_string(),
    ] {
        let sql = format!("SELECT * FROM agent_logs('{url}')");
        let why = error(&context, &sql).await;
        assert!(why.contains("write %3F for `?` and %23"), "{why}");
    }
    let encoded = format!("file://{path}/%231/a.jsonl");
    assert_eq!(count(&context, &encoded).await, LINES);
    // A path is no URL.
    assert_eq!(count(&context, &format!("{path}/#1/a.jsonl")).await, LINES);
    assert_eq!(count(&context, &format!("{path}/a?.jsonl")).await, LINES);
}

/// One odd name made a whole folder unreadable.
#[tokio::test]
async fn files_with_any_name_are_read() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let folder = Folder::new();
    for name in ["a\nb.jsonl", "\u{1b}[2J.jsonl", "50%41.jsonl", "%.jsonl"] {
        folder.write(name, LOG);
    }
    let odd = folder.0.join(OsStr::from_bytes(b"\xFF\xFE.jsonl"));
    std::fs::write(odd, LOG).unwrap();
    for partitions in [1, 7] {
        let context = logs(folder.path(), partitions).await;
        let sql = "SELECT count(*) AS n, count(DISTINCT file) AS files FROM \
                   lines";
        let row = json!([{"n": 5 * LINES, "files": 5}]);
        assert_eq!(rows(&context, sql).await, row);
        let sql = "SELECT DISTINCT file FROM lines WHERE file LIKE '%50%41%'";
        let file = format!("{}/50%41.jsonl", folder.path());
        assert_eq!(rows(&context, sql).await, json!([{"file": file}]));
    }
    let path = folder.0.join("a\nc.jsonl");
    let sql = format!("SELECT * FROM agent_logs('{}')", path.display());
    let why = error(&bare(1), &sql).await;
    assert!(why.contains("a\\nc.jsonl") && !why.contains('\n'), "{why:?}");
}

/// The port was left out: stores on two ports were taken for one.
#[tokio::test]
async fn the_port_of_a_store_is_a_part_of_its_name() {
    let context = bare(2);
    for (port, lines) in [("1", 1), ("2", 2)] {
        let store = InMemory::new();
        let log = "{}\n".repeat(lines);
        let path = Path::from("a.jsonl");
        store.put(&path, PutPayload::from(log)).await.unwrap();
        let url = Url::parse(&format!("http://logs:{port}")).unwrap();
        context.register_object_store(&url, Arc::new(store));
    }
    assert_eq!(count(&context, "http://logs:1/a.jsonl").await, 1);
    assert_eq!(count(&context, "http://logs:2/a.jsonl").await, 2);
    let paths = ["http://logs:1/a.jsonl", "http://logs:2/a.jsonl"];
    let table = LogTable::new(linetape_arrow::Table::Lines, &paths);
    let why = table.unwrap_err().to_string();
    assert!(why.contains("must be in one store"), "{why}");
}

/// The column `file` of an object was no URL if its name has other characters.
#[tokio::test]
async fn the_url_of_an_object_can_be_read_again() {
    let store = InMemory::new();
    for name in ["a b/#1?.jsonl", "[x]/%41.jsonl"] {
        let path = Path::parse(name).unwrap();
        store.put(&path, PutPayload::from(LOG)).await.unwrap();
    }
    let context = bare(2);
    let url = Url::parse("memory://bucket").unwrap();
    context.register_object_store(&url, Arc::new(store));
    let sql = "SELECT DISTINCT file FROM agent_logs('memory://bucket/')";
    let found = rows(&context, sql).await;
    let files = found.as_array().unwrap();
    assert_eq!(files.len(), 2);
    for file in files {
        let url = file["file"].as_str().unwrap();
        assert_eq!(count(&context, url).await, LINES, "{url}");
        let sql = format!("SELECT DISTINCT file FROM agent_logs('{url}')");
        assert_eq!(rows(&context, &sql).await, json!([file]));
    }
}
