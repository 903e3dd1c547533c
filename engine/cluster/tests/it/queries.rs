//! The same SQL gives the same rows on a cluster as in one process.

use std::{fs, io::Write};

use linetape_generate::{Shape, generate};

use crate::support::{Cluster, Folder, embedded, fixtures, report, rows, run};

/// Logs of all kinds: plain and compressed, with a line that is longer than a
/// range, with lines that cannot be read, and without a newline at the end.
fn logs() -> Folder {
    let folder = Folder::new();
    for file in fs::read_dir(fixtures()).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        folder.write(&format!("fixtures/{name}"), fs::read(&path).unwrap());
    }
    for shape in Shape::ALL {
        let log = generate(shape, 7, 30_000);
        folder.write(&format!("{}.jsonl", shape.name()), log);
    }
    let transcript = generate(Shape::Transcript, 8, 60_000);
    let mut gzip =
        flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    gzip.write_all(&transcript).unwrap();
    folder.write("packed/a.jsonl.gz", gzip.finish().unwrap());
    // Two frames.
    let stream = generate(Shape::Stream, 9, 30_000);
    let zstd = |part: &[u8]| zstd::encode_all(part, 3).unwrap();
    let (first, second) = stream.split_at(10_000);
    folder.write("packed/b.ndjson.zst", [zstd(first), zstd(second)].concat());

    let small = |number: usize| {
        format!(
            "{{\"type\":\"assistant\",\"session_id\":\"giant\",\"message\":\
             {{\"id\":\"g{number}\",\"usage\":{{\"output_tokens\":{number}}}}}}}\n"
        )
    };
    let mut giant: String = (0..20).map(small).collect();
    giant += "{\"type\":\"user\",\"message\":{\"content\":\"";
    giant += &"na ".repeat(700_000);
    giant += "\"}}\r\n";
    giant.extend((20..40).map(small));
    folder.write("giant.jsonl", giant);
    let bad =
        b"oops\n{\"type\":\"user\"\n\xff\xfe\n\n{}\n[1]\n{\"type\":\"user\"}";
    folder.write("bad.jsonl", bad);
    folder
}

const QUERIES: &[&str] = &[
    "SELECT count(*) AS n FROM lines",
    "SELECT count(*) AS n, count(DISTINCT file || ':' || \"offset\") AS lines, \
     sum(\"offset\") AS offsets, sum(length) AS bytes FROM lines",
    "SELECT file_number, file, \"offset\", length, error, type, kind, \
     session_id, uuid, \"timestamp\", model, output_tokens FROM lines \
     WHERE type <> 'user' OR error IS NOT NULL",
    "SELECT type, kind, count(*) AS n FROM lines GROUP BY type, kind",
    "SELECT file, max(line) AS last, count(line) AS n FROM lines GROUP BY file",
    "SELECT type, sum(\"offset\" * 2 - length + 1) AS n FROM lines \
     GROUP BY type",
    "SELECT error, count(*) AS n FROM lines GROUP BY error",
    "SELECT sum(length(raw)) AS raw, max(length(text)) AS text FROM lines",
    "SELECT count(*) AS n FROM lines WHERE text LIKE '%na na%'",
    "SELECT count(*) AS n FROM lines WHERE type = 'assistant'",
    "SELECT count(*) AS n FROM lines WHERE kind IN ('system/init', 'result')",
    "SELECT count(*) AS n FROM lines WHERE session_id = 'giant'",
    "SELECT count(*) AS n FROM lines WHERE \"timestamp\" >= '2026-01-01'",
    "SELECT type FROM lines WHERE type = 'no such type'",
    "SELECT file, \"offset\" FROM lines ORDER BY length DESC, file, \"offset\" \
     LIMIT 5",
    "SELECT block_type, count(*) AS n, sum(bytes) AS bytes FROM blocks \
     GROUP BY block_type",
    "SELECT * FROM usage",
    "SELECT model, count(*) AS n, sum(output_tokens) AS tokens FROM usage \
     GROUP BY model",
    "SELECT * FROM tool_calls",
    "SELECT tool_name, count(*) AS n, \
     count(*) FILTER (WHERE is_error) AS errors FROM tool_calls \
     GROUP BY tool_name",
    "SELECT * FROM sessions",
    "SELECT s.session_id, u.output_tokens FROM sessions s \
     JOIN usage u ON s.session_id = u.session_id",
    "SELECT a.file, count(*) AS n FROM lines a JOIN lines b \
     ON a.file = b.file AND a.\"offset\" = b.\"offset\" GROUP BY a.file",
    "SELECT file, \"offset\", row_number() OVER \
     (PARTITION BY file ORDER BY \"offset\") AS n FROM lines",
    "SELECT type FROM lines UNION ALL SELECT block_type FROM blocks",
    "SELECT a.file, a.\"offset\", b.block_type FROM lines a LEFT JOIN blocks b \
     ON a.uuid = b.uuid AND a.file = b.file",
    "SELECT a.model, b.tool_name FROM usage a FULL JOIN tool_calls b \
     ON a.session_id = b.session_id AND a.model = b.tool_name",
    "SELECT type, count(*) AS n FROM lines a WHERE NOT EXISTS \
     (SELECT 1 FROM blocks b WHERE a.uuid = b.uuid) GROUP BY type",
    "SELECT type, count(*) AS n FROM lines WHERE length > \
     (SELECT avg(length) FROM lines) GROUP BY type",
    "SELECT model, sum(input_tokens) + sum(output_tokens) AS n FROM usage \
     GROUP BY model HAVING sum(output_tokens) > 1",
    // Executors did not know the functions for lists.
    "SELECT x, count(*) AS n FROM (SELECT unnest(make_array(length % 3, 7)) AS x \
     FROM lines) WHERE x > 0 GROUP BY x",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_gives_the_rows_of_one_process() {
    let folder = logs();
    let mut cluster = Cluster::start(2);
    let alone = embedded(folder.path()).await;
    let one = cluster.context(folder.path(), 1).await;
    let any = cluster.context(folder.path(), 0).await;
    let mut has_rows = 0;
    for sql in QUERIES {
        let expected = rows(&alone, sql).await;
        assert_eq!(rows(&one, sql).await, expected, "one a task: {sql}");
        assert_eq!(rows(&any, sql).await, expected, "{sql}");
        has_rows += usize::from(!expected.is_empty());
    }
    assert_eq!(has_rows, QUERIES.len() - 1);
    for executor in &mut cluster.executors {
        // The first report may be of a moment in which a file is open and not read yet.
        executor.wait_for(|line| report(line).filter(|r| r.1 > 0));
    }
}

/// A row without an order may come from any part, but there are so many.
#[tokio::test(flavor = "multi_thread")]
async fn a_limit_is_kept() {
    let folder = logs();
    let cluster = Cluster::start(1);
    let context = cluster.context(folder.path(), 1).await;
    for limit in [0, 1, 30] {
        let sql = format!("SELECT type FROM lines LIMIT {limit}");
        assert_eq!(rows(&context, &sql).await.len(), limit);
    }
    // A scan is sent with a limit of 32 bits. This one became 1.
    let count = "SELECT count(*) AS n FROM";
    let sql = format!("{count} (SELECT type FROM lines LIMIT 4294967297)");
    let all = format!("{count} lines");
    assert_eq!(rows(&context, &sql).await, rows(&context, &all).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_small_files_are_read() {
    let folder = Folder::new();
    for number in 0..1000 {
        let log = format!(
            "{{\"type\":\"assistant\",\"session_id\":\"s{}\",\"message\":{{\
             \"id\":\"m{number}\",\"usage\":{{\"output_tokens\":{number}}}}}}}\n",
            number % 10
        );
        folder.write(&format!("{}/{number}.jsonl", number % 7), log);
    }
    let cluster = Cluster::start(2);
    let context = cluster.context(folder.path(), 1).await;
    let sql = "SELECT count(*) AS n, sum(output_tokens) AS tokens, \
               count(DISTINCT file) AS files, max(file_number) AS last \
               FROM usage_lines";
    let row = r#"{"files":1000,"last":999,"n":1000,"tokens":499500}"#;
    assert_eq!(rows(&context, sql).await, [row]);
    let sql = "SELECT session_id, messages, output_tokens FROM sessions";
    let alone = embedded(folder.path()).await;
    let expected = rows(&alone, sql).await;
    assert_eq!(expected.len(), 10);
    assert_eq!(rows(&context, sql).await, expected);
}

/// Tables made in SQL have their options on the executors too, and lines that
/// were appended since the last query are seen.
#[tokio::test(flavor = "multi_thread")]
async fn tables_of_sql_keep_their_options() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", "{\"type\":\"user\"}\noops\n");
    let cluster = Cluster::start(1);
    let context = cluster.context(folder.path(), 1).await;
    let path = path.to_str().unwrap();
    for (on_error, expected) in [("row", 2), ("skip", 1)] {
        let sql = format!(
            "CREATE EXTERNAL TABLE t_{on_error} STORED AS AGENTLOG LOCATION \
             '{path}' OPTIONS ('on_error' '{on_error}')"
        );
        rows(&context, &sql).await;
        for from in [
            format!("t_{on_error}"),
            format!("agent_logs('{path}', 'lines', '{on_error}')"),
        ] {
            let sql = format!("SELECT count(*) AS n FROM {from}");
            let row = format!("{{\"n\":{expected}}}");
            assert_eq!(rows(&context, &sql).await, [row], "{from}");
        }
    }
    let sql =
        format!("SELECT count(*) FROM agent_logs('{path}', 'lines', 'fail')");
    let error = run(&context, &sql).await.unwrap_err().to_string();
    assert!(error.contains("a.jsonl"), "{error}");

    let mut log = fs::OpenOptions::new().append(true).open(path).unwrap();
    log.write_all(b"{\"type\":\"user\"}\n").unwrap();
    let sql = "SELECT count(*) AS n FROM t_row";
    assert_eq!(rows(&context, sql).await, [r#"{"n":3}"#]);

    fs::remove_file(path).unwrap();
    let error = run(&context, sql).await.unwrap_err().to_string();
    assert!(error.contains("a.jsonl"), "{error}");
}

/// `EXPLAIN` shows what the executors build and skip.
#[tokio::test(flavor = "multi_thread")]
async fn the_plan_of_a_cluster_has_what_was_pushed_down() {
    let folder = logs();
    let cluster = Cluster::start(1);
    let context = cluster.context(folder.path(), 1).await;
    let sql = "EXPLAIN SELECT uuid FROM lines WHERE type = 'user'";
    let plan = rows(&context, sql).await.concat();
    assert!(plan.contains("built=[type, uuid]"), "{plan}");
    assert!(plan.contains("wanted=[type IN (user)]"), "{plan}");
}

/// A table without rows was sent without its columns, and the plan that named them could
/// not be read.
#[tokio::test(flavor = "multi_thread")]
async fn a_condition_may_be_always_false() {
    let folder = Folder::new();
    folder.write("a.jsonl", generate(Shape::Transcript, 4, 50_000));
    let cluster = Cluster::start(1);
    let alone = embedded(folder.path()).await;
    let context = cluster.context(folder.path(), 1).await;
    for sql in [
        "SELECT count(*) AS n, sum(output_tokens) AS s FROM lines WHERE 1 = 0",
        "SELECT count(*) AS n, max(length) AS m, avg(length) AS a, \
         count(DISTINCT uuid) AS d FROM lines WHERE false",
        "SELECT type, count(*) AS n, sum(output_tokens) AS s FROM lines \
         WHERE 1 = 0 GROUP BY type",
        "SELECT count(*) AS n, sum(output_tokens) AS s FROM usage WHERE 1 = 0",
        "SELECT count(*) AS n, max(tool_name) AS m, sum(duration_ms) AS d \
         FROM tool_calls WHERE false",
        "SELECT count(*) AS n, min(session_id) AS m, sum(messages) AS s \
         FROM sessions WHERE 1 = 0",
        "SELECT * FROM sessions WHERE false",
        "SELECT a.type, count(*) AS n, sum(b.n) AS s FROM lines a LEFT JOIN \
         (SELECT uuid, length + 1 AS n FROM lines WHERE false) b \
         ON a.uuid = b.uuid GROUP BY a.type",
        "SELECT count(*) AS n FROM lines WHERE length > \
         (SELECT max(length) FROM lines WHERE 1 = 0)",
        "SELECT sum(length) AS s, max(x) AS x FROM (SELECT length, uuid AS x \
         FROM lines WHERE 1 = 0 UNION ALL SELECT bytes, uuid FROM blocks)",
    ] {
        let expected = rows(&alone, sql).await;
        assert_eq!(rows(&context, sql).await, expected, "{sql}");
        let planned = rows(&context, &format!("EXPLAIN {sql}")).await;
        assert!(!planned.is_empty(), "{sql}");
    }
}
