use std::sync::Arc;

use datafusion::{
    common::Result,
    execution::{
        SessionStateBuilder, disk_manager::DiskManagerBuilder,
        memory_pool::FairSpillPool, runtime_env::RuntimeEnvBuilder,
    },
    prelude::{SessionConfig, SessionContext},
};
use linetape_arrow::{OnError, Table};

use crate::{
    listing::Listing,
    machine,
    meter::Meter,
    table::{AgentLogs, LogTable, LogTableFactory},
    usage::usage_messages,
    views::views,
};

/// The settings of a context.
///
/// # Example
///
/// This shows how to limit the memory of queries.
///
/// ```
/// use linetape_sql::Settings;
///
/// let memory = Some(256 << 20);
/// let settings = Settings { memory, ..Settings::default() };
/// assert_eq!(settings.partitions, None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The memory for sorting, grouping and joining, in bytes. Sorting and
    /// grouping use files in the temporary folder when it is full; a join that
    /// needs more fails. With less than 128 MiB for each part of the query, batches
    /// have fewer rows. `None` means 128 MiB for each, and at least 1 GiB, but at most
    /// half of the machine's memory (8 GiB, if that is not known). Reading is not
    /// counted: each part needs some megabytes, or up to ten times its longest line.
    pub memory: Option<usize>,
    /// How many parts of a query run at once. `None` means four per core. There
    /// are fewer if each would have less than 64 MiB of `memory`.
    pub partitions: Option<usize>,
    /// What becomes of lines that cannot be read.
    pub on_error: OnError,
}

/// The least memory that a part of a query should have, in bytes.
const MEMORY_OF_A_PART: usize = 64 << 20;

/// The default memory of a part of a query, in bytes.
/// With less, batches have fewer rows than usual: with 64 MiB for each of 16 parts, and
/// the usual batches, 480,000 messages were too many for the view `sessions`.
const USUAL_MEMORY_OF_A_PART: usize = 128 << 20;

/// The minimum of the default memory of a query, in bytes.
const USUAL_MEMORY: usize = 1 << 30;

/// The memory for each row of a batch, in bytes, if a part has less than
/// [`USUAL_MEMORY_OF_A_PART`]. A row of the view `usage` takes
/// some kilobytes while it is grouped, and several groupings share the memory.
const MEMORY_OF_A_ROW: usize = 32 << 10;

/// The least number of rows of a batch.
const LEAST_ROWS: usize = 64;

/// How many parts of a query there are for each core. A part that waits for
/// others, or for a store, leaves the core to them. With files of this machine,
/// their number hardly matters: on two cores, two and eight parts take the same
/// time.
const PARTS_OF_A_CORE: usize = 4;

/// Creates a context of DataFusion that can read agent logs: with
/// `CREATE EXTERNAL TABLE ... STORED AS AGENTLOG` and the table function
/// `agent_logs('path')`. The meter counts what its queries read.
///
/// # Errors
///
/// Returns an error if the temporary folder cannot be used.
///
/// # Example
///
/// This shows how to query a log.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// use linetape_sql::{Meter, Settings, context};
///
/// # let path = std::env::temp_dir()
/// #     .join(format!("linetape-sql-{}.jsonl", std::process::id()));
/// # std::fs::write(&path, "{\"type\":\"user\"}\noops\n")?;
/// let context = context(&Settings::default(), &Meter::default())?;
/// let sql = format!(
///     "SELECT count(*) FROM agent_logs('{}') WHERE error IS NOT NULL",
///     path.display(),
/// );
/// let batches = context.sql(&sql).await?.collect().await?;
/// # std::fs::remove_file(&path)?;
/// datafusion::assert_batches_eq!(
///     ["+----------+", "| count(*) |", "+----------+", "| 1        |",
///      "+----------+"],
///     &batches
/// );
/// # Ok(())
/// # }
/// ```
pub fn context(settings: &Settings, meter: &Meter) -> Result<SessionContext> {
    let config = SessionConfig::new();
    let usual = || config.target_partitions() * PARTS_OF_A_CORE;
    let wanted = settings.partitions.unwrap_or_else(usual);
    // Each part has its share of the memory, and fails if that is too small.
    let memory = settings.memory.unwrap_or_else(|| usual_memory(wanted));
    let partitions = Some(wanted.min(memory / MEMORY_OF_A_PART));
    with_logs(config, &Settings { partitions, ..settings.clone() }, meter)
}

/// Returns the default memory of a query with so many parts, in bytes.
fn usual_memory(parts: usize) -> usize {
    let wanted =
        parts.saturating_mul(USUAL_MEMORY_OF_A_PART).max(USUAL_MEMORY);
    let most = machine::memory().map_or(MOST_MEMORY, |memory| memory / 2);
    wanted.min(most.max(MEMORY_OF_A_PART))
}

/// The maximum of the default memory if that of the machine is not known, in bytes.
const MOST_MEMORY: usize = 8 << 30;

/// Creates a context with some configuration that can read agent logs.
pub(crate) fn with_logs(
    config: SessionConfig,
    settings: &Settings,
    meter: &Meter,
) -> Result<SessionContext> {
    let mut config = config
        .with_information_schema(true)
        .with_extension(Arc::new(Listing::default()));
    if let Some(partitions) = settings.partitions {
        config = config.with_target_partitions(partitions.max(1));
    }
    let parts = config.target_partitions().max(1);
    let memory = settings.memory.unwrap_or_else(|| usual_memory(parts));
    // A sort or a grouping needs room for some batches, however small they are.
    let of_a_part = memory / parts;
    if of_a_part < USUAL_MEMORY_OF_A_PART {
        let rows = (of_a_part / MEMORY_OF_A_ROW).max(LEAST_ROWS);
        let rows = rows.min(config.batch_size());
        config = config.with_batch_size(rows);
    }
    let options = config.options_mut();
    // For the place of an error in the SQL.
    options.sql_parser.collect_spans = true;
    // What each sort keeps for merging its files. By default it is 10 MB, which
    // a small memory does not have.
    let kept = &mut options.execution.sort_spill_reservation_bytes;
    *kept = (*kept).min(memory / 32);
    let pool = Arc::new(FairSpillPool::new(memory));
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(pool)
        .with_disk_manager_builder(DiskManagerBuilder::default())
        .build_arc()?;
    let factory = LogTableFactory { meter: meter.clone() };
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_default_features()
        .with_table_factory("AGENTLOG".to_string(), Arc::new(factory))
        .build();
    let context = SessionContext::new_with_state(state);
    let function = AgentLogs { meter: meter.clone() };
    context.register_udtf("agent_logs", Arc::new(function));
    Ok(context)
}

/// Registers logs as the tables `lines`, `blocks`, `usage_lines` and `usage_parts`,
/// and the views `usage`, `tool_calls` and `sessions` over them. Any context of
/// DataFusion can have them.
///
/// # Errors
///
/// Returns an error if a path is not valid, or if a table with one of the names
/// exists. Paths are looked up when a query reads them.
///
/// # Example
///
/// This shows how to sum the tokens of all logs in a folder.
///
/// ```no_run
/// # async fn run() -> datafusion::error::Result<()> {
/// use linetape_sql::{Meter, Settings, context, register};
///
/// let (settings, meter) = (Settings::default(), Meter::default());
/// let context = context(&settings, &meter)?;
/// register(&context, &["logs"], &settings, &meter).await?;
/// let sql = "SELECT model, sum(output_tokens) FROM usage GROUP BY model";
/// context.sql(sql).await?.show().await?;
/// # Ok(())
/// # }
/// ```
pub async fn register(
    context: &SessionContext,
    paths: &[impl AsRef<str>],
    settings: &Settings,
    meter: &Meter,
) -> Result<()> {
    for table in Table::ALL.into_iter().chain([Table::UsageParts]) {
        let logs = LogTable::new(table, paths)?
            .on_error(settings.on_error)
            .meter(meter.clone());
        context.register_table(table.name(), Arc::new(logs))?;
    }
    context.register_udaf(usage_messages());
    for (name, query) in views() {
        let view = context.sql(&query).await?.into_view();
        context.register_table(name, view)?;
    }
    Ok(())
}
