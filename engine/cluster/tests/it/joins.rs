//! Joins and sums, whose plans differ between a cluster and one process.

use std::time::Duration;

use datafusion::{
    config::ExecutionOptions,
    physical_plan::{ExecutionPlanProperties, displayable},
    prelude::SessionContext,
};
use linetape_generate::{Shape, generate};
use linetape_sql::{
    Settings,
    cluster::{connect, of_scheduler},
};

use crate::support::{Cluster, Folder, embedded, rows, run};

/// Only so that a test ends if a query never does.
const HANGS: Duration = Duration::from_secs(60);

async fn rows_or_hang(context: &SessionContext, sql: &str) -> Vec<String> {
    let rows = tokio::time::timeout(HANGS, rows(context, sql));
    rows.await.unwrap_or_else(|_| panic!("it never ends: {sql}"))
}

/// The adaptive planner of Ballista made stages for ever: it replaced the side
/// without rows by an empty plan, and then added an exchange of it, again and
/// again.
#[tokio::test(flavor = "multi_thread")]
async fn a_join_with_an_empty_side_ends() {
    let folder = Folder::new();
    let line = "{\"type\":\"user\",\"session_id\":\"s\",\"uuid\":\"u\"}\n";
    folder.write("a.jsonl", line);
    let cluster = Cluster::start(1);
    let alone = embedded(folder.path()).await;
    let on = "blocks b ON a.uuid = b.uuid";
    let sqls = [
        "SELECT * FROM sessions".to_string(),
        format!(
            "SELECT count(*) AS n, count(b.uuid) AS b FROM lines a JOIN {on}"
        ),
        format!("SELECT a.uuid, b.uuid AS b FROM lines a LEFT JOIN {on}"),
        format!("SELECT count(*) AS n FROM lines a LEFT JOIN {on}"),
        format!("SELECT a.uuid, b.uuid AS b FROM lines a RIGHT JOIN {on}"),
        format!("SELECT a.uuid, b.uuid AS b FROM lines a FULL JOIN {on}"),
        "SELECT b.uuid AS b, a.uuid FROM blocks b FULL JOIN lines a \
         ON a.uuid = b.uuid"
            .to_string(),
        "SELECT uuid FROM lines a WHERE NOT EXISTS \
         (SELECT 1 FROM blocks b WHERE a.uuid = b.uuid)"
            .to_string(),
        "SELECT uuid FROM lines a WHERE EXISTS \
         (SELECT 1 FROM blocks b WHERE a.uuid = b.uuid)"
            .to_string(),
        "SELECT uuid FROM lines WHERE uuid NOT IN (SELECT uuid FROM blocks)"
            .to_string(),
        "SELECT uuid FROM blocks WHERE uuid NOT IN (SELECT uuid FROM lines)"
            .to_string(),
        "SELECT uuid FROM lines WHERE length > (SELECT count(*) FROM blocks)"
            .to_string(),
        "SELECT count(*) AS n FROM lines, blocks".to_string(),
    ];
    for per_task in [0, 1] {
        let context = cluster.context(folder.path(), per_task).await;
        for sql in &sqls {
            let expected = rows(&alone, sql).await;
            assert_eq!(rows_or_hang(&context, sql).await, expected, "{sql}");
        }
    }
}

/// Without its adaptive planner, Ballista plans joins by another set of rules.
#[tokio::test(flavor = "multi_thread")]
async fn joins_of_larger_logs_have_the_rows_of_one_process() {
    let folder = Folder::new();
    for number in 0..3 {
        let log = generate(Shape::Transcript, number, 5_000_000);
        folder.write(&format!("{number}.jsonl"), log);
    }
    let cluster = Cluster::start(2);
    let alone = embedded(folder.path()).await;
    let context = cluster.context(folder.path(), 1).await;
    for sql in [
        "SELECT count(*) AS n FROM lines WHERE uuid NOT IN \
         (SELECT uuid FROM blocks WHERE uuid IS NOT NULL)",
        "SELECT file, \"offset\" FROM lines WHERE length NOT IN \
         (SELECT bytes FROM blocks WHERE bytes IS NOT NULL)",
        "SELECT max(raw) AS raw FROM lines WHERE raw NOT IN \
         (SELECT type FROM lines WHERE type IS NOT NULL)",
        "SELECT count(*) AS n FROM lines a WHERE NOT EXISTS \
         (SELECT 1 FROM blocks b WHERE a.uuid = b.uuid)",
        "SELECT count(*) AS n, count(b.uuid) AS b FROM lines a \
         LEFT JOIN blocks b ON a.uuid = b.uuid",
        "SELECT count(*) AS n, count(b.uuid) AS b FROM lines a \
         FULL JOIN blocks b ON a.uuid = b.uuid AND b.block_type = 'text'",
        "SELECT count(*) AS n FROM lines WHERE length > \
         (SELECT avg(length) FROM lines)",
    ] {
        let expected = rows(&alone, sql).await;
        assert_eq!(rows_or_hang(&context, sql).await, expected, "{sql}");
    }
}

/// The type of a column is that of its rows, and that of one process.
#[tokio::test(flavor = "multi_thread")]
async fn sums_have_the_types_of_one_process() {
    let folder = Folder::new();
    folder.write("a.jsonl", generate(Shape::Transcript, 3, 50_000));
    let cluster = Cluster::start(1);
    let alone = embedded(folder.path()).await;
    let context = cluster.context(folder.path(), 1).await;
    for expr in [
        "sum(input_tokens) + sum(output_tokens)",
        "sum(input_tokens) + 1",
        "sum(input_tokens) * 2",
        "sum(input_tokens) - max(input_tokens)",
        "sum(input_tokens + 1)",
        "sum(input_tokens) / 2",
        "avg(input_tokens)",
    ] {
        let sql = format!("SELECT {expr} AS n FROM usage");
        let expected = rows(&alone, &sql).await;
        let found = run(&context, &sql).await;
        let found = found.unwrap_or_else(|error| panic!("{expr}: {error}"));
        assert_eq!(found[0].to_string(), expected[0], "{expr}");
        // The type of a column is that of its rows.
        let planned = context.sql(&sql).await.unwrap();
        let here = alone.sql(&sql).await.unwrap();
        assert_eq!(planned.schema(), here.schema(), "{expr}");
        let kind = planned.schema().field(0).data_type().clone();
        let batches = planned.collect().await.unwrap();
        assert_eq!(batches[0].column(0).data_type(), &kind, "{expr}");
    }
    for name in
        ["lines", "blocks", "usage_lines", "usage", "tool_calls", "sessions"]
    {
        let found = context.table(name).await.unwrap();
        let expected = alone.table(name).await.unwrap();
        assert_eq!(found.schema(), expected.schema(), "{name}");
    }
}

/// The number of rows in a batch depended on the client's memory setting, which should
/// have no effect.
#[tokio::test(flavor = "multi_thread")]
async fn the_memory_of_the_client_has_no_effect() {
    let cluster = Cluster::start(0);
    for memory in [Some(1 << 20), None] {
        let settings = Settings { memory, ..Settings::default() };
        let context = connect(&cluster.address, &settings).await.unwrap();
        let config = context.copied_config();
        assert_eq!(config.batch_size(), 8192, "{memory:?}");
        let execution = &config.options().execution;
        let kept = execution.sort_spill_reservation_bytes;
        assert_eq!(
            kept,
            ExecutionOptions::default().sort_spill_reservation_bytes
        );
    }
}

/// A subquery with several rows multiplied the rows of the query, and hash joins
/// returned those of each part. Both are errors.
#[tokio::test(flavor = "multi_thread")]
async fn what_would_have_wrong_rows_is_refused() {
    let folder = Folder::new();
    let line = "{\"type\":\"user\",\"session_id\":\"s\",\"uuid\":\"u\"}\n";
    folder.write("a.jsonl", line.repeat(3));
    let cluster = Cluster::start(1);
    let alone = embedded(folder.path()).await;
    let context = cluster.context(folder.path(), 1).await;
    for sql in [
        "SELECT sum(length) AS n FROM lines \
         WHERE length >= (SELECT length FROM lines)",
        "SELECT uuid, (SELECT type FROM lines) AS t FROM lines",
    ] {
        let refused = run(&context, sql).await.unwrap_err();
        assert!(refused.to_string().contains("LIMIT 1"), "{refused}");
        assert!(run(&alone, sql).await.is_err(), "{sql}");
    }
    for sql in [
        "SELECT count(*) AS n FROM lines \
         WHERE length >= (SELECT max(length) FROM lines)",
        "SELECT count(*) AS n FROM lines \
         WHERE length >= (SELECT length FROM lines LIMIT 1)",
        "SELECT count(*) AS n FROM lines a WHERE length = \
         (SELECT max(b.length) FROM lines b WHERE b.uuid = a.uuid)",
    ] {
        let expected = rows(&alone, sql).await;
        assert_eq!(rows_or_hang(&context, sql).await, expected, "{sql}");
    }
    let set = "SET datafusion.optimizer.prefer_hash_join = true";
    context.sql(set).await.unwrap();
    let sql = "SELECT count(*) AS n FROM lines a LEFT JOIN lines b \
               ON a.uuid = b.uuid";
    let refused = run(&context, sql).await.unwrap_err();
    assert!(refused.to_string().contains("prefer_hash_join"), "{refused}");
}

/// The condition was computed for rows of one side only, and the query failed because
/// the columns of the other side, which are never NULL in their table, were NULL. Without
/// `=`, rows were returned once for each part of the other side in which they had no partner.
#[tokio::test(flavor = "multi_thread")]
async fn outer_joins_compare_columns_by_any_operator() {
    let folder = Folder::new();
    let line = |number: usize| {
        format!(
            "{{\"type\":\"user\",\"session_id\":\"{}\",\"uuid\":\"{number}\",\
             \"message\":{{\"content\":\"{}\"}}}}\n",
            number % 7,
            "x".repeat(number % 11),
        )
    };
    folder.write("a.jsonl", (0..40).map(line).collect::<String>());
    folder.write("b.jsonl", (30..70).map(line).collect::<String>());
    let cluster = Cluster::start(1);
    let alone = embedded(folder.path()).await;
    let context = cluster.context(folder.path(), 1).await;
    for join in ["LEFT", "RIGHT", "FULL", "INNER"] {
        for on in [
            "a.length < b.length",
            "a.uuid = b.uuid AND a.\"offset\" < b.\"offset\"",
            "a.session_id = b.session_id AND a.length > b.length + 5",
            "a.uuid = b.uuid AND a.file <> b.file",
            // Most rows have no partner, whatever their lengths are.
            "a.uuid = b.session_id AND a.length < b.length",
            "a.session_id = b.uuid AND a.length <= b.length",
            "a.session_id = b.session_id AND a.length > 110",
            "a.session_id = b.session_id AND b.length > 110",
            "a.uuid = b.uuid AND a.length + b.length < 0",
        ] {
            let sql = format!(
                "SELECT a.file, a.\"offset\", a.length, b.file AS file2, \
                 b.\"offset\" AS offset2, b.length AS length2 \
                 FROM lines a {join} JOIN lines b ON {on}"
            );
            let expected = rows(&alone, &sql).await;
            assert_eq!(rows_or_hang(&context, &sql).await, expected, "{sql}");
        }
    }
    for sql in [
        "SELECT a.uuid FROM lines a WHERE EXISTS (SELECT 1 FROM lines b \
         WHERE a.session_id = b.session_id AND a.length < b.length)",
        "SELECT a.uuid FROM lines a WHERE NOT EXISTS (SELECT 1 FROM lines b \
         WHERE a.session_id = b.session_id AND a.length < b.length)",
        "SELECT a.uuid FROM lines a WHERE EXISTS (SELECT 1 FROM lines b \
         WHERE a.length < b.length)",
        "SELECT a.uuid FROM lines a WHERE NOT EXISTS (SELECT 1 FROM lines b \
         WHERE a.length < b.length)",
        "SELECT count(*) AS n, count(b.uuid) AS b FROM lines a \
         LEFT JOIN blocks b ON a.length < b.bytes",
        "SELECT a.uuid FROM lines a WHERE a.length < 70 OR EXISTS \
         (SELECT 1 FROM lines b WHERE a.length > b.length + 9)",
    ] {
        let expected = rows(&alone, sql).await;
        assert_eq!(rows_or_hang(&context, sql).await, expected, "{sql}");
    }
}

/// The right side of such a join is read by one task because a limit without a number stands
/// above it. Without the limit, Ballista would divide it again.
#[tokio::test]
async fn the_plan_of_a_join_without_equality_has_one_task() {
    let folder = Folder::new();
    let line = "{\"type\":\"user\",\"uuid\":\"u\"}\n".repeat(100);
    folder.write("a.jsonl", line);
    let alone = embedded(folder.path()).await;
    for set in [
        "SET datafusion.execution.target_partitions = 7",
        "SET datafusion.optimizer.repartition_file_min_size = 1",
    ] {
        alone.sql(set).await.unwrap().collect().await.unwrap();
    }
    let state = of_scheduler(alone.state());
    for (kind, is_one) in
        [("LEFT", true), ("FULL", true), ("RIGHT", false), ("INNER", false)]
    {
        let sql = format!(
            "SELECT a.uuid, b.length FROM lines a {kind} JOIN lines b \
             ON a.length < b.length"
        );
        let plan = state.create_logical_plan(&sql).await.unwrap();
        let plan = state.create_physical_plan(&plan).await.unwrap();
        let text = displayable(plan.as_ref()).indent(false).to_string();
        let mut join = &plan;
        while join.name() != "NestedLoopJoinExec" {
            let children = join.children();
            assert_eq!(children.len(), 1, "{kind}: {text}");
            join = children[0];
        }
        let right = join.children()[1];
        let parts = right.output_partitioning().partition_count();
        assert_eq!(parts == 1, is_one, "{kind}: {text}");
        let marker = "GlobalLimitExec: skip=0, fetch=None";
        let shown = displayable(right.as_ref()).one_line().to_string();
        assert_eq!(shown.trim() == marker, is_one, "{kind}: {text}");
        let count = text.matches(marker).count();
        assert_eq!(count, usize::from(is_one), "{kind}: {text}");
    }
}
