//! Files that change while they are read, and hostile logs.

use std::{fs, io::Write, time::Duration};

use datafusion::{
    execution::{SessionState, memory_pool::MemoryLimit},
    physical_plan::{ExecutionPlan, collect, displayable},
    prelude::SessionContext,
};
use linetape_sql::{Meter, Settings, context, register};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::support::{Folder, LOG, bare, error, json as to_json, logs, rows};

const COUNT: &str = "SELECT count(*) AS n, sum(length) AS bytes FROM lines";

async fn planned(context: &SessionContext) -> Arc<dyn ExecutionPlan> {
    let frame = context.sql(COUNT).await.unwrap();
    frame.create_physical_plan().await.unwrap()
}

async fn run(
    context: &SessionContext,
    plan: Arc<dyn ExecutionPlan>,
) -> Result<Value, String> {
    let done = collect(plan, context.task_ctx()).await;
    done.map(|batches| to_json(&batches)).map_err(|error| error.to_string())
}

/// The reader of DataFusion for newline-delimited JSON never ends here.
#[tokio::test]
async fn a_file_that_shrinks_after_planning_is_an_error() {
    for partitions in [1, 2, 7] {
        for left in [0, 1, LOG.len() / 2, LOG.len() * 99] {
            let folder = Folder::new();
            let path = folder.write("a.jsonl", LOG.repeat(100));
            let context = logs(folder.path(), partitions).await;
            let plan = planned(&context).await;
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_len(left as u64).unwrap();
            let why = run(&context, plan).await.unwrap_err();
            assert!(why.contains("shorter"), "{partitions}, {left}: {why}");
        }
    }
}

#[tokio::test]
async fn a_file_that_is_deleted_after_planning_is_an_error() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let path = folder.write("b.jsonl", LOG);
    let context = logs(folder.path(), 2).await;
    let plan = planned(&context).await;
    fs::remove_file(path).unwrap();
    let why = run(&context, plan).await.unwrap_err();
    assert!(why.contains("b.jsonl"), "{why}");
}

/// Lines that are appended after planning are not read, and are seen by the
/// next query of the same context.
#[tokio::test]
async fn a_folder_that_grows_is_read_as_it_was() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", LOG);
    let context = logs(folder.path(), 3).await;
    let before = rows(&context, COUNT).await;
    let plan = planned(&context).await;
    let mut file = fs::File::options().append(true).open(&path).unwrap();
    file.write_all(LOG.as_bytes()).unwrap();
    folder.write("new/b.jsonl", LOG);
    assert_eq!(run(&context, plan).await.unwrap(), before);
    let bytes = before[0]["bytes"].as_i64().unwrap();
    let after = json!([{"n": 3 * 7, "bytes": 3 * bytes}]);
    assert_eq!(rows(&context, COUNT).await, after);
}

#[tokio::test]
async fn a_wrong_column_is_an_error() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let context = logs(folder.path(), 2).await;
    let why = error(&context, "SELECT modle FROM usage").await;
    assert!(why.contains("modle"), "{why}");
}

/// Bytes that are no log are rows with an error, and are counted.
#[tokio::test]
async fn rubbish_is_counted() {
    let folder = Folder::new();
    let mut rubbish: Vec<u8> = (0..=255_u8).cycle().take(5000).collect();
    rubbish.extend(b"\n\xFF\xFE{\0\n");
    rubbish.extend("[".repeat(1000).as_bytes());
    folder.write("a.jsonl", &rubbish);
    folder.write("b.jsonl.gz", b"\x1F\x8B\x08 and no gzip");
    folder.write("c.jsonl.zst", b"\x28\xB5\x2F\xFD and no zstd");
    let meter = Meter::default();
    let settings = Settings::default();
    let context = context(&settings, &meter).unwrap();
    register(&context, &[folder.path()], &settings, &meter).await.unwrap();
    let sql = "SELECT count(*) AS n, count(error) AS bad FROM lines";
    let found = rows(&context, sql).await;
    assert_eq!(found[0]["n"], found[0]["bad"]);
    let bad = found[0]["n"].as_u64().unwrap();
    assert!(bad > 20, "{bad}");
    let problems = meter.problems();
    // The two that are not compressed have no lines.
    assert_eq!((problems.bad_lines, problems.cut_files), (bad - 2, 2));
    let sql = "SELECT count(DISTINCT file) AS n FROM lines";
    assert_eq!(rows(&context, sql).await, json!([{"n": 3}]));
    let sql = "SELECT count(*) AS n FROM usage";
    assert_eq!(rows(&context, sql).await, json!([{"n": 0}]));
}

/// Sorting and grouping go on in files when the memory is full.
#[tokio::test]
async fn a_query_that_needs_more_memory_uses_files() {
    let folder = Folder::new();
    let mut log = String::new();
    for number in 0..40_000 {
        let id = format!("m{:0>500}", number % 30_000);
        log += &format!(
            "{{\"type\":\"assistant\",\"message\":{{\"id\":\"{id}\",\"usage\":\
             {{\"output_tokens\":1}}}}}}\n"
        );
    }
    folder.write("a.jsonl", log);
    // It failed with several partitions, as each has a part of the memory.
    for partitions in [1, 7] {
        let settings = Settings {
            memory: Some(12 << 20),
            partitions: Some(partitions),
            ..Settings::default()
        };
        let meter = Meter::default();
        let context = context(&settings, &meter).unwrap();
        register(&context, &[folder.path()], &settings, &meter).await.unwrap();
        let sql = "SELECT count(*) AS n, sum(n) AS lines FROM (SELECT \
                   message_id, count(*) AS n FROM lines GROUP BY message_id)";
        let row = json!([{"n": 30_000, "lines": 40_000}]);
        assert_eq!(rows(&context, sql).await, row, "{partitions}");
        let plan = rows(&context, &format!("EXPLAIN ANALYZE {sql}")).await;
        let plan = plan[0]["plan"].as_str().unwrap();
        let mut spills = plan.split("spill_count=").skip(1);
        assert!(spills.any(|text| !text.starts_with('0')), "{plan}");
    }
}

/// A batch had 8,192 rows, however small the memory was, and a grouping of `usage`
/// needs some kilobytes for each: with 16 MiB or less, the query failed.
#[tokio::test]
async fn a_small_memory_is_enough_for_the_views() {
    let folder = Folder::new();
    let line = |number: usize| {
        format!(
            "{{\"type\":\"assistant\",\"session_id\":\"s{}\",\"requestId\":\
             \"r{number}\",\"message\":{{\"id\":\"msg_{number}\",\"model\":\
             \"m\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{number}\",\
             \"name\":\"Bash\"}}],\"usage\":{{\"output_tokens\":1}}}}}}\n",
            number % 10
        )
    };
    folder.write("a.jsonl", (0..5_000).map(line).collect::<String>());
    for mib in [1, 8] {
        let memory = Some(mib << 20);
        let settings = Settings { memory, ..Settings::default() };
        let meter = Meter::default();
        let context = context(&settings, &meter).unwrap();
        register(&context, &[folder.path()], &settings, &meter).await.unwrap();
        for (view, rows) in
            [("usage", 5_000), ("tool_calls", 5_000), ("sessions", 10)]
        {
            let frame = context.table(view).await.unwrap();
            let batches = frame.collect().await;
            let batches = batches.unwrap_or_else(|e| panic!("{mib}: {e}"));
            let found: usize = batches.iter().map(|b| b.num_rows()).sum();
            assert_eq!(found, rows, "{view} with {mib} MiB");
        }
    }
}

/// With three threads or more, batches had fewer rows, though nobody asked for less
/// memory.
#[test]
fn batches_are_smaller_only_with_little_memory() {
    let rows = |mib: Option<usize>, partitions: Option<usize>| {
        let memory = mib.map(|mib| mib << 20);
        let settings = Settings { memory, partitions, ..Settings::default() };
        let context = context(&settings, &Meter::default()).unwrap();
        context.copied_config().batch_size()
    };
    for partitions in [None, Some(1), Some(3), Some(64)] {
        assert_eq!(rows(None, partitions), 8192, "{partitions:?}");
    }
    assert_eq!(rows(Some(512), Some(4)), 8192);
    assert!(rows(Some(511), Some(4)) < 8192);
    assert_eq!(rows(Some(1), Some(1)), 64);
}

/// The first bytes of the new file were read, as many as the old one had.
#[tokio::test]
async fn a_file_that_is_replaced_after_planning_is_an_error() {
    for partitions in [1, 3] {
        for times in [1, 2] {
            let folder = Folder::new();
            let path = folder.write("a.jsonl", LOG);
            let context = logs(folder.path(), partitions).await;
            let plan = planned(&context).await;
            let new = folder.write("new", LOG.repeat(times));
            fs::rename(new, path).unwrap();
            let why = run(&context, plan).await.unwrap_err();
            assert!(why.contains("has been replaced"), "{why}");
        }
    }
}

/// The same file with other lines, and not longer than it was.
#[tokio::test]
async fn a_file_that_is_overwritten_after_planning_is_an_error() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", LOG);
    let context = logs(folder.path(), 2).await;
    let plan = planned(&context).await;
    fs::write(&path, LOG.replace('e', "f")).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    let later = std::time::SystemTime::now() + Duration::from_secs(10);
    file.set_modified(later).unwrap();
    let why = run(&context, plan).await.unwrap_err();
    assert!(why.contains("has been overwritten"), "{why}");
}

/// What was appended to a compressed file after planning was read.
#[tokio::test]
async fn a_compressed_file_that_grows_is_read_as_it_was() {
    let folder = Folder::new();
    let packed = zstd::encode_all(LOG.as_bytes(), 0).unwrap();
    let path = folder.write("a.jsonl.zst", &packed);
    let context = logs(folder.path(), 2).await;
    let before = rows(&context, COUNT).await;
    let plan = planned(&context).await;
    let mut file = fs::File::options().append(true).open(&path).unwrap();
    file.write_all(&packed).unwrap();
    assert_eq!(run(&context, plan).await.unwrap(), before);
    assert_eq!(rows(&context, COUNT).await[0]["n"], json!(2 * 7));
}

/// Each scan listed the files for itself: of a file that was added between two of
/// them, a view had a half.
#[tokio::test]
async fn all_tables_of_a_statement_have_the_same_files() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let context = logs(folder.path(), 1).await;
    let scan = async |state: &SessionState, table: &str| {
        let table = context.table_provider(table).await.unwrap();
        let plan = table.scan(state, None, &[], None).await.unwrap();
        displayable(plan.as_ref()).one_line().to_string()
    };
    let state = context.state();
    let first = scan(&state, "lines").await;
    assert!(first.contains("a.jsonl") && !first.contains("b.jsonl"));
    folder.write("b.jsonl", LOG);
    for table in ["lines", "blocks", "usage_lines"] {
        let again = scan(&state, table).await;
        assert!(!again.contains("b.jsonl"), "{again}");
    }
    // Tables that are made in SQL had lists of their own.
    let create = format!(
        "CREATE EXTERNAL TABLE more STORED AS AGENTLOG LOCATION '{}'",
        folder.path()
    );
    rows(&context, &create).await;
    let again = scan(&state, "more").await;
    assert!(!again.contains("b.jsonl"), "{again}");
    for table in ["blocks", "more"] {
        let next = scan(&context.state(), table).await;
        assert!(next.contains("b.jsonl"), "{next}");
    }
}

/// A view reads its logs several times: one bad line was counted three times.
#[tokio::test]
async fn a_bad_line_counts_once() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    folder.write("b/c.jsonl", "oops\noops\n{\"type\":\"user\"}\n");
    let (settings, meter) = (Settings::default(), Meter::default());
    let context = context(&settings, &meter).unwrap();
    let a = format!("{}/a.jsonl", folder.path());
    register(&context, &[&a], &settings, &meter).await.unwrap();
    rows(&context, "SELECT * FROM sessions").await;
    assert_eq!(meter.problems().bad_lines, 1);
    rows(&context, "SELECT count(type) FROM lines").await;
    assert_eq!(meter.problems().bad_lines, 1);
    // Those of other logs are added.
    let sql = format!(
        "SELECT count(x.type), count(y.type) FROM lines x, agent_logs('{}/b') y",
        folder.path()
    );
    rows(&context, &sql).await;
    assert_eq!(meter.problems().bad_lines, 3);
}

/// One line that repeats a long id in each of its rows ended the query.
#[tokio::test]
async fn a_hostile_line_is_counted_and_the_query_goes_on() {
    let folder = Folder::new();
    let id = "x".repeat(100_000);
    let blocks = vec![r#"{"type":"text"}"#; 10_000].join(",");
    let hostile = format!(
        "{{\"type\":\"user\",\"session_id\":\"{id}\",\"message\":{{\
         \"content\":[{blocks}]}}}}\n"
    );
    folder.write("a.jsonl", format!("{LOG}{hostile}{LOG}"));
    let (settings, meter) = (Settings::default(), Meter::default());
    let context = context(&settings, &meter).unwrap();
    register(&context, &[folder.path()], &settings, &meter).await.unwrap();
    let sql = "SELECT count(session_id) AS n FROM blocks";
    assert_eq!(rows(&context, sql).await, json!([{"n": 8}]));
    // The other ones are not JSON.
    assert_eq!(meter.problems().bad_lines, 3);
}

#[tokio::test]
async fn deeply_nested_sql_is_an_error_and_not_a_crash() {
    let context = bare(2);
    let sql = format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    let why = error(&context, &sql).await;
    assert!(why.contains("RecursionLimitExceeded"), "{why}");
}

/// The default grew with the number of threads without a limit.
#[test]
fn the_default_memory_is_at_most_half_of_the_machine() {
    let settings =
        Settings { partitions: Some(1 << 20), ..Settings::default() };
    let context = context(&settings, &Meter::default()).unwrap();
    let pool = &context.runtime_env().memory_pool;
    let MemoryLimit::Finite(limit) = pool.memory_limit() else {
        panic!("there is no limit");
    };
    // A machine may have a terabyte or two, but not 256.
    assert!(limit < 128 << 40, "{limit}");
    if let Ok(facts) = std::fs::read_to_string("/proc/meminfo") {
        let total = facts.lines().next().unwrap();
        let kib = total.split_whitespace().nth(1).unwrap();
        let kib: usize = kib.parse().unwrap();
        assert!(limit <= kib * 512, "{limit}: {total}");
    }
    // Each part has enough of it.
    let parts = context.copied_config().target_partitions();
    assert!(parts > 0 && limit / parts >= 64 << 20, "{parts}");
}
