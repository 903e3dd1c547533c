//! Tables and scans are the same after a journey to another process.

use std::{
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use datafusion::{
    arrow::datatypes::{DataType, Field, Schema},
    catalog::TableProvider,
    common::TableReference,
    datasource::{
        physical_plan::{FileScanConfig, FileScanConfigBuilder},
        source::DataSourceExec,
    },
    error::Result,
    execution::{SessionState, TaskContext},
    logical_expr::Operator,
    physical_expr::expressions::{binary, col, lit},
    physical_plan::{ExecutionPlan, collect, displayable, execute_stream},
    prelude::SessionContext,
};
use datafusion_proto::{
    bytes::{
        logical_plan_from_bytes_with_extension_codec as logical_from_bytes,
        logical_plan_to_bytes_with_extension_codec as logical_to_bytes,
        physical_plan_from_bytes_with_extension_codec as physical_from_bytes,
        physical_plan_to_bytes_with_extension_codec as physical_to_bytes,
    },
    logical_plan::LogicalExtensionCodec,
};
use futures::{StreamExt, TryStreamExt};
use linetape_arrow::{OnError, Table};
use linetape_generate::{Shape, generate};
use linetape_sql::{
    LogSource, LogTable, Meter, Settings,
    cluster::{LogLogicalCodec, LogPhysicalCodec},
    context,
};
use object_store::{ObjectStoreExt, memory::InMemory, path::Path};
use url::Url;

use crate::support::{Folder, run};

const EACH: [OnError; 3] = [OnError::Row, OnError::Skip, OnError::Fail];

fn logs() -> Folder {
    let folder = Folder::new();
    for shape in [Shape::Transcript, Shape::Stream, Shape::Unicode] {
        let name = format!("{}.jsonl", shape.name());
        folder.write(&name, generate(shape, 2, 20_000));
    }
    folder
}

/// Returns a context with one table, `t`, and 3 partitions.
fn with(table: LogTable) -> SessionContext {
    let settings = Settings { partitions: Some(3), ..Settings::default() };
    let context = context(&settings, &Meter::default()).unwrap();
    let state = context.state_ref();
    let mut state = state.write();
    let options = state.config_mut().options_mut();
    options.optimizer.repartition_file_min_size = 1;
    drop(state);
    context.register_table("t", Arc::new(table)).unwrap();
    context
}

/// Sends a plan and gets it back.
fn sent(
    plan: &Arc<dyn ExecutionPlan>,
    task: &TaskContext,
) -> Arc<dyn ExecutionPlan> {
    let codec = LogPhysicalCodec::default();
    let bytes = physical_to_bytes(Arc::clone(plan), &codec).unwrap();
    let received = physical_from_bytes(&bytes, task, &codec).unwrap();
    assert_eq!(shown(&received), shown(plan));
    let again = physical_to_bytes(Arc::clone(&received), &codec).unwrap();
    assert_eq!(again, bytes);
    received
}

fn shown(plan: &Arc<dyn ExecutionPlan>) -> String {
    displayable(plan.as_ref()).indent(true).to_string()
}

async fn ran(
    plan: Arc<dyn ExecutionPlan>,
    task: Arc<TaskContext>,
) -> Result<Vec<String>> {
    let batches = collect(plan, task).await?;
    let mut rows: Vec<String> = vec![];
    for batch in batches {
        for row in 0..batch.num_rows() {
            rows.push(format!("{:?}", batch.slice(row, 1).columns()));
        }
    }
    rows.sort();
    Ok(rows)
}

#[tokio::test]
async fn every_scan_survives() {
    let folder = logs();
    let of_all = [
        "",
        "WHERE session_id = 's'",
        "WHERE session_id IS NULL",
        "WHERE uuid = 'abc'",
    ];
    let of_blocks = ["WHERE block_type IN ('text', 'ü')"];
    let of_lines = [
        "WHERE type = 'assistant'",
        "WHERE type IN ('user', 'ü')",
        "WHERE nested IS NULL",
        "WHERE kind = 'system/init' OR kind = 'user'",
        "WHERE \"timestamp\" >= '2025-01-01'",
        "WHERE \"timestamp\" < '2027-01-01T00:00:00.5Z'",
        "WHERE \"timestamp\" > '1969-12-31'",
        "WHERE text LIKE '%the \"ü%'",
        "WHERE type = 'user' AND kind = 'user' AND session_id IN ('a', 'b') \
         AND \"timestamp\" BETWEEN '2020-01-01' AND '2030-01-01'",
    ];
    let (mut scans, mut hinted) = (0, 0);
    for table in Table::ALL {
        for on_error in EACH {
            let logs = LogTable::new(table, &[folder.path()]).unwrap();
            let context = with(logs.on_error(on_error));
            let of_table = match table {
                Table::Lines => &of_lines[..],
                Table::Blocks => &of_blocks[..],
                Table::UsageLines | Table::UsageParts => &[],
            };
            for filter in of_all.iter().chain(of_table) {
                for columns in ["*", "file_number, \"offset\" + 1, file"] {
                    let sql = format!("SELECT {columns} FROM t {filter}");
                    let frame = context.sql(&sql).await.unwrap();
                    let task = Arc::new(frame.task_ctx());
                    let plan = frame.create_physical_plan().await.unwrap();
                    let received = sent(&plan, &task);
                    let text = shown(&received);
                    let option = format!("on_error={}", on_error.as_str());
                    assert!(text.contains(&option), "{text}");
                    let option = format!("table={table}");
                    assert!(text.contains(&option), "{text}");
                    hinted += usize::from(text.contains("wanted="));
                    let task2 = Arc::clone(&task);
                    let expected = ran(plan, task2).await.unwrap();
                    assert_eq!(ran(received, task).await.unwrap(), expected);
                    scans += 1;
                }
            }
        }
    }
    assert_eq!((scans, hinted), (132, 96));
}

/// No value is wanted: not the same as all values.
#[tokio::test]
async fn an_empty_list_survives() {
    let folder = logs();
    let logs = LogTable::new(Table::Lines, &[folder.path()]).unwrap();
    let context = with(logs);
    let frame = context.sql("SELECT type FROM t").await.unwrap();
    let task = frame.task_ctx();
    let plan = frame.create_physical_plan().await.unwrap();
    let config = config_of(&plan);
    let mut source = Arc::clone(config.file_source());
    let schema = source.table_schema().table_schema().clone();
    for name in ["user", "assistant"] {
        let is = binary(
            col("type", &schema).unwrap(),
            Operator::Eq,
            lit(name),
            &schema,
        );
        let options = context.copied_config().options().as_ref().clone();
        let pushed = source.try_pushdown_filters(vec![is.unwrap()], &options);
        source = pushed.unwrap().updated_node.unwrap();
    }
    let config =
        FileScanConfigBuilder::from(config.clone()).with_source(source);
    let plan: Arc<dyn ExecutionPlan> =
        DataSourceExec::from_data_source(config.build());
    let received = sent(&plan, &task);
    let source = config_of(&received).file_source();
    let source = source.downcast_ref::<LogSource>().unwrap();
    assert_eq!(source.wanted().types, Some(vec![]));
    assert_eq!(source.wanted().kinds, None);
}

fn config_of(plan: &Arc<dyn ExecutionPlan>) -> &FileScanConfig {
    let scan = plan.downcast_ref::<DataSourceExec>().unwrap();
    scan.data_source().downcast_ref().unwrap()
}

#[tokio::test]
async fn a_limit_of_more_than_32_bits_is_left_out() {
    let folder = logs();
    let logs = LogTable::new(Table::Lines, &[folder.path()]).unwrap();
    let context = with(logs);
    for (limit, expected) in [(9, Some(9)), ((1 << 32) + 9, None)] {
        let frame = context.sql("SELECT type FROM t").await.unwrap();
        let task = frame.task_ctx();
        let plan = frame.create_physical_plan().await.unwrap();
        let plan = plan.with_fetch(Some(limit)).unwrap();
        assert_eq!(config_of(&plan).limit, Some(limit));
        let codec = LogPhysicalCodec::default();
        let bytes = physical_to_bytes(plan, &codec).unwrap();
        let received = physical_from_bytes(&bytes, &task, &codec).unwrap();
        assert_eq!(config_of(&received).limit, expected);
    }
}

/// An object that was replaced after it was listed is an error on an executor
/// too. Its tag is lost by the message of DataFusion.
#[tokio::test]
async fn the_tags_of_objects_survive() {
    let store = Arc::new(InMemory::new());
    let path = Path::from("a.jsonl");
    let line = "{\"type\":\"user\"}\n";
    store.put(&path, line.into()).await.unwrap();
    let logs = LogTable::new(Table::Lines, &["mem://logs/"]).unwrap();
    let context = with(logs);
    let url = Url::parse("mem://logs").unwrap();
    let stored = Arc::clone(&store);
    context.register_object_store(&url, stored);
    let frame = context.sql("SELECT type FROM t").await.unwrap();
    let task = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await.unwrap();
    // A plan can be run once.
    let [first, second] = [sent(&plan, &task), sent(&plan, &task)];
    assert_eq!(ran(first, Arc::clone(&task)).await.unwrap().len(), 1);
    store.put(&path, line.replace("user", "oops").into()).await.unwrap();
    let error = ran(second, task).await.unwrap_err().to_string();
    assert!(error.contains("a.jsonl"), "{error}");
}

/// An executor only knew the size of a file: it read the first bytes of another
/// one, if that was longer.
#[tokio::test]
async fn the_tags_of_files_survive() {
    let folder = Folder::new();
    let line = "{\"type\":\"user\"}\n";
    let path = folder.write("a.jsonl", line.repeat(9));
    let logs = LogTable::new(Table::Lines, &[folder.path()]).unwrap();
    let context = with(logs);
    let frame = context.sql("SELECT type FROM t").await.unwrap();
    let task = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await.unwrap();
    let [first, second] = [sent(&plan, &task), sent(&plan, &task)];
    let grown = line.repeat(10);
    std::fs::write(&path, &grown).unwrap();
    assert_eq!(ran(first, Arc::clone(&task)).await.unwrap().len(), 9);
    std::fs::write(&path, grown.replace("user", "oops")).unwrap();
    let error = ran(second, task).await.unwrap_err().to_string();
    assert!(error.contains("has been overwritten"), "{error}");
}

/// An executor did not know when a file was modified: with the same size and the same
/// ends, it read a file that was overwritten, or parts of both.
#[tokio::test]
async fn the_times_of_files_survive() {
    let folder = Folder::new();
    let line = |number: usize| {
        let kind = if number == 60_000 { "user" } else { "system" };
        format!("{{\"type\":\"{kind}\",\"uuid\":\"{number:09}\"}}\n")
    };
    let log: String = (0..100_000).map(line).collect();
    let path = folder.write("a.jsonl", &log);
    let logs = LogTable::new(Table::Lines, &[folder.path()]).unwrap();
    let context = with(logs);
    let frame = context.sql("SELECT uuid FROM t").await.unwrap();
    let task = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await.unwrap();
    let [same, before, during, grown] =
        std::array::from_fn(|_| sent(&plan, &task));
    assert_eq!(ran(same, Arc::clone(&task)).await.unwrap().len(), 100_000);

    let start = std::fs::metadata(&path).unwrap().modified().unwrap();
    let mut seconds = 0;
    // Writes in place, and makes sure that the time is another one.
    let mut overwrite = |log: &str, end: &str| {
        use std::io::Write;
        let options = std::fs::File::options().write(true).open(&path);
        let mut file = options.unwrap();
        file.write_all(log.as_bytes()).unwrap();
        file.write_all(end.as_bytes()).unwrap();
        seconds += 10;
        file.set_modified(start + Duration::from_secs(seconds)).unwrap();
    };
    let other = log.replace("\"user\",\"", "\"oops\",\"");
    assert_eq!(other.len(), log.len());

    let task2 = Arc::clone(&task);
    let mut rows = execute_stream(during, task2).unwrap();
    assert!(rows.next().await.unwrap().unwrap().num_rows() < 10_000);
    overwrite(&other, "");
    let rest: Result<Vec<_>> = rows.try_collect().await;
    let error = rest.unwrap_err().to_string();
    assert!(error.contains("changed since"), "{error}");
    assert!(error.contains("a.jsonl"), "{error}");

    let error = ran(before, Arc::clone(&task)).await.unwrap_err().to_string();
    assert!(error.contains("changed since"), "{error}");

    // A file that only grew is read as it was.
    overwrite(&log, "{\"type\":\"user\"}\n");
    assert_eq!(ran(grown, task).await.unwrap().len(), 100_000);
}

/// Only times without a fraction of a second were taken for those of a copy. Some disks and
/// programs keep other units.
#[tokio::test]
async fn the_time_of_a_copy_may_be_cut_to_a_unit() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", "{\"type\":\"user\"}\n");
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    let logs = LogTable::new(Table::Lines, &[folder.path()]).unwrap();
    let context = with(logs);
    let second = 1_000_000_000;
    let time = |nanos| UNIX_EPOCH + Duration::from_nanos(nanos);
    // An odd second, so that two of them are another unit.
    let whole = 1_700_000_001 * second + 987_654_321;
    let (us, ms) = (1_000, 1_000_000);
    for listed_is_whole in [true, false] {
        for (unit, is_same) in [
            (100, true),
            (us, true),
            (ms, true),
            (10 * ms, true),
            (second, true),
            (2 * second, true),
            (60 * second, false),
        ] {
            let cut = whole - whole % unit;
            let times = match listed_is_whole {
                true => [whole, cut],
                false => [cut, whole],
            };
            file.set_modified(time(times[0])).unwrap();
            let frame = context.sql("SELECT type FROM t").await.unwrap();
            let task = Arc::new(frame.task_ctx());
            let plan = frame.create_physical_plan().await.unwrap();
            let received = sent(&plan, &task);
            file.set_modified(time(times[1])).unwrap();
            let ran = ran(received, task).await;
            assert_eq!(ran.is_ok(), is_same, "{unit}: {ran:?}");
        }
    }
}

#[tokio::test]
async fn every_table_survives() {
    let folder = logs();
    let file = folder.0.join("stream.jsonl");
    let pattern = format!("{}/*.jsonl", folder.path());
    let url = format!("file://{}", folder.path());
    let places = [folder.path(), file.to_str().unwrap(), &pattern, &url];
    let codec = LogLogicalCodec::default();
    for table in Table::ALL {
        for on_error in EACH {
            for place in places {
                let logs = LogTable::new(table, &[place, folder.path()]);
                let context = with(logs.unwrap().on_error(on_error));
                let sql = "SELECT file_number, file, \"offset\" FROM t";
                let frame = context.sql(sql).await.unwrap();
                let task = frame.task_ctx();
                let plan = frame.into_optimized_plan().unwrap();
                let bytes = logical_to_bytes(&plan, &codec).unwrap();
                let received =
                    logical_from_bytes(&bytes, &task, &codec).unwrap();
                let again = logical_to_bytes(&received, &codec).unwrap();
                assert_eq!(again, bytes);
                let name = on_error.as_str().as_bytes();
                assert!(bytes.windows(4).any(|part| part.starts_with(name)));
                let frame = context.execute_logical_plan(received).await;
                let frame = frame.unwrap().create_physical_plan().await;
                let task = Arc::new(task);
                let found = ran(frame.unwrap(), Arc::clone(&task)).await;
                let state = context.state();
                let direct = state.create_physical_plan(&plan).await.unwrap();
                let expected = ran(direct, task).await.unwrap();
                assert!(!expected.is_empty());
                assert_eq!(found.unwrap(), expected);
            }
        }
    }
}

/// A scheduler listed the files for each table of a query: of a file that was added
/// between two of them, a view had a half.
#[tokio::test]
async fn all_tables_of_a_query_have_the_same_files() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"type\":\"user\"}\n");
    let codec = LogLogicalCodec::default();
    let name = TableReference::bare("t");
    let task = TaskContext::default();
    let received = |table: Table| {
        let logs = LogTable::new(table, &[folder.path()]).unwrap();
        let logs: Arc<dyn TableProvider> = Arc::new(logs);
        let (schema, mut bytes) = (logs.schema(), vec![]);
        codec.try_encode_table_provider(&name, logs, &mut bytes).unwrap();
        let decoded =
            codec.try_decode_table_provider(&bytes, &name, schema, &task);
        decoded.unwrap()
    };
    let scan = async |state: &SessionState, table: Table| {
        let table = received(table);
        let plan = table.scan(state, None, &[], None).await.unwrap();
        shown(&plan)
    };
    let context = SessionContext::new();
    let state = context.state();
    let first = scan(&state, Table::Lines).await;
    assert!(first.contains("a.jsonl") && !first.contains("b.jsonl"));
    folder.write("b.jsonl", "{\"type\":\"user\"}\n");
    // Another query sees it, and does not disturb the first one.
    let other = scan(&context.state(), Table::Lines).await;
    assert!(other.contains("b.jsonl"), "{other}");
    for table in Table::ALL {
        let again = scan(&state, table).await;
        assert!(!again.contains("b.jsonl"), "{again}");
    }
}

/// Columns travel by number, so another version of linetape must not guess.
#[tokio::test]
async fn other_versions_and_broken_messages_are_refused() {
    let codec = LogLogicalCodec::default();
    let logs = LogTable::new(Table::Blocks, &["/logs"]).unwrap();
    let logs: Arc<dyn TableProvider> = Arc::new(logs);
    let (schema, name) = (logs.schema(), TableReference::bare("t"));
    let mut bytes = vec![];
    codec.try_encode_table_provider(&name, logs, &mut bytes).unwrap();
    let task = TaskContext::default();
    let decode = |bytes: &[u8], schema: Arc<Schema>| {
        let decoded =
            codec.try_decode_table_provider(bytes, &name, schema, &task);
        decoded.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(decode(&bytes, Arc::clone(&schema)), Ok(()));
    let fewer = schema.fields().iter().skip(1).cloned();
    let fewer = Schema::new(fewer.collect::<Vec<_>>());
    let more = Field::new("more", DataType::Utf8, true);
    let more = [&schema.fields()[..], &[Arc::new(more)]].concat();
    for other in [fewer, Schema::new(more), Schema::empty()] {
        let error = decode(&bytes, Arc::new(other)).unwrap_err();
        assert!(error.contains("use one version"), "{error}");
    }
    // The first field is the version.
    assert_eq!(bytes[..2], [8, 4]);
    bytes[1] = 5;
    let error = decode(&bytes, Arc::clone(&schema)).unwrap_err();
    assert!(error.contains("version 5"), "{error}");
    for end in 0..bytes.len() {
        assert!(decode(&bytes[..end], Arc::clone(&schema)).is_err(), "{end}");
    }
}

/// `COPY` writes files in the formats of DataFusion.
#[tokio::test]
async fn other_nodes_are_left_to_ballista() {
    let folder = logs();
    let logs = LogTable::new(Table::Lines, &[folder.path()]).unwrap();
    let context = with(logs);
    let codec = LogLogicalCodec::default();
    let target = folder.0.join("out.parquet");
    let sql = format!(
        "COPY (SELECT type FROM t) TO '{}' STORED AS PARQUET",
        target.display()
    );
    let plan = context.state().create_logical_plan(&sql).await.unwrap();
    let bytes = logical_to_bytes(&plan, &codec).unwrap();
    let task = context.task_ctx();
    let plan = logical_from_bytes(&bytes, &task, &codec).unwrap();
    let frame = context.execute_logical_plan(plan).await.unwrap();
    frame.collect().await.unwrap();
    assert!(target.exists());

    run(&context, "CREATE TABLE m AS SELECT 1 AS a").await.unwrap();
    let plan = context.state().create_logical_plan("SELECT * FROM m").await;
    let error = logical_to_bytes(&plan.unwrap(), &codec).unwrap_err();
    assert!(error.to_string().contains("not provided"), "{error}");
}
