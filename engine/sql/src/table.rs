use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use async_trait::async_trait;
use datafusion::{
    arrow::datatypes::{DataType, Field, SchemaRef},
    catalog::{
        Session, TableFunctionArgs, TableFunctionImpl, TableProvider,
        TableProviderFactory,
    },
    common::{
        DataFusionError, Result, ScalarValue, Statistics, plan_err,
        stats::Precision,
    },
    datasource::{
        TableType,
        listing::PartitionedFile,
        physical_plan::{FileGroup, FileScanConfigBuilder},
        source::DataSourceExec,
        table_schema::TableSchema,
    },
    logical_expr::{CreateExternalTable, Expr},
    physical_plan::ExecutionPlan,
};
use linetape_arrow::{OnError, Table};

use crate::{
    listing::Listing, location::Location, meter::Meter, source::LogSource,
};

/// A table of agent logs for DataFusion.
///
/// The files are listed anew for each query, so that lines appended since the
/// last one are seen. Besides the columns of its [`Table`], it has
/// `file_number`: the position of the file in that list, by which rows can be
/// put in the order of the logs.
///
/// # Example
///
/// This shows how to add logs to a context of DataFusion.
///
/// ```no_run
/// use datafusion::prelude::SessionContext;
/// use linetape_arrow::Table;
/// use linetape_sql::LogTable;
/// use std::sync::Arc;
///
/// let context = SessionContext::new();
/// let lines = LogTable::new(Table::Lines, &["logs"])?;
/// context.register_table("lines", Arc::new(lines))?;
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LogTable {
    table: Table,
    on_error: OnError,
    locations: Vec<Location>,
    schema: TableSchema,
    meter: Meter,
    listing: Listing,
}

/// The column that every table has besides those of linetape-arrow.
const FILE_NUMBER: &str = "file_number";

/// Returns the schema of a table in SQL.
pub(crate) fn schema_of(table: Table) -> TableSchema {
    let number = Field::new(FILE_NUMBER, DataType::Int64, false);
    TableSchema::builder(table.schema())
        .with_table_partition_cols(vec![Arc::new(number)])
        .build()
}

/// Returns an error unless a schema from another process is that of the table
/// here: columns are identified by their numbers.
#[cfg(feature = "cluster")]
pub(crate) fn check_schema(table: Table, schema: &SchemaRef) -> Result<()> {
    if schema_of(table).table_schema() == schema {
        return Ok(());
    }
    plan_err!(
        "the table `{table}` has other columns in another process: use one \
         version of linetape-sql, linetape-scheduler and linetape-executor"
    )
}

impl LogTable {
    /// Creates a table of the logs at some places: files, folders and patterns
    /// such as `logs/*/2026-*.jsonl`, or URLs of an object store that the
    /// context knows.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no place, if a URL is invalid, or if the
    /// places are in several stores.
    pub fn new(
        table: Table,
        locations: &[impl AsRef<str>],
    ) -> Result<LogTable> {
        let locations = locations.iter().map(|l| Location::parse(l.as_ref()));
        LogTable::at(table, locations.collect::<Result<_>>()?)
    }

    pub(crate) fn at(
        table: Table,
        locations: Vec<Location>,
    ) -> Result<LogTable> {
        let Some(first) = locations.first() else {
            return plan_err!("a table of logs needs a path");
        };
        let store = first.store()?;
        for location in &locations {
            if location.store()? != store {
                return plan_err!("the logs of a table must be in one store");
            }
        }
        Ok(LogTable {
            table,
            on_error: OnError::default(),
            locations,
            schema: schema_of(table),
            meter: Meter::default(),
            listing: Listing::default(),
        })
    }

    /// Sets what becomes of lines that cannot be read.
    #[must_use]
    pub fn on_error(self, on_error: OnError) -> LogTable {
        LogTable { on_error, ..self }
    }

    /// Sets where to count what is read.
    #[must_use]
    pub fn meter(self, meter: Meter) -> LogTable {
        LogTable { meter, ..self }
    }

    /// Sets the list of files that the table shares with others of a scheduler.
    #[cfg(feature = "cluster")]
    pub(crate) fn listing(self, listing: Listing) -> LogTable {
        LogTable { listing, ..self }
    }

    /// Returns what the table is made of.
    #[cfg(feature = "cluster")]
    pub(crate) fn parts(&self) -> (Table, OnError, &[Location]) {
        (self.table, self.on_error, &self.locations)
    }

    /// Lists the files as they are now, each of them once.
    async fn files(
        &self,
        state: &dyn Session,
    ) -> Result<Vec<PartitionedFile>> {
        let mut files: Vec<PartitionedFile> = vec![];
        let mut seen = HashSet::new();
        for location in &self.locations {
            let url = location.store()?;
            let store = state.runtime_env().object_store(&url)?;
            for mut listed in location.files(store.as_ref()).await? {
                // Paths may overlap, and a file counts once.
                if !seen.insert(listed.whole) {
                    continue;
                }
                let number = i64::try_from(files.len()).unwrap_or(i64::MAX);
                let values = vec![ScalarValue::from(number)];
                listed.file.partition_values = values;
                files.push(listed.file);
            }
        }
        Ok(files)
    }
}

#[async_trait]
impl TableProvider for LogTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.schema.table_schema())
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(location) = self.locations.first() else {
            return plan_err!("a table of logs needs a path");
        };
        let list = self.files(state);
        // All tables of a context share one, however they were made.
        let shared = state.config().get_extension::<Listing>();
        let listing = shared.as_deref().unwrap_or(&self.listing);
        let files = listing.of(state, &self.locations, list).await?;
        let size: u64 = files.iter().map(|file| file.object_meta.size).sum();
        self.meter.expect(size);
        let mut statistics = Statistics::new_unknown(&self.schema());
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        statistics.total_byte_size = Precision::Inexact(size);
        let partitions = state.config().target_partitions();
        let groups = FileGroup::new(files).split_files(partitions);
        let logs = format!("{:?}", self.locations);
        let source = LogSource::new(self.table, self.schema.clone())
            .with_on_error(self.on_error)
            .with_meter(self.meter.clone(), &logs);
        let config =
            FileScanConfigBuilder::new(location.store()?, Arc::new(source))
                .with_file_groups(groups)
                .with_statistics(statistics)
                .with_projection_indices(projection.cloned())?
                .with_limit(limit)
                .build();
        Ok(DataSourceExec::from_data_source(config))
    }
}

/// Creates tables for `CREATE EXTERNAL TABLE ... STORED AS AGENTLOG`.
///
/// Its options are `table` (`lines`, `blocks` or `usage_lines`) and `on_error`
/// (`row`, `skip` or `fail`).
///
/// # Example
///
/// See [`context`](crate::context), which registers it.
#[derive(Clone, Debug, Default)]
pub struct LogTableFactory {
    pub(crate) meter: Meter,
}

#[async_trait]
impl TableProviderFactory for LogTableFactory {
    async fn create(
        &self,
        _state: &dyn Session,
        command: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        if !command.schema.fields().is_empty() {
            return plan_err!(
                "a table of agent logs has a fixed schema: leave out the \
                 columns"
            );
        }
        let is_plain = command.table_partition_cols.is_empty()
            && command.order_exprs.is_empty();
        if !is_plain || command.unbounded {
            return plan_err!(
                "a table of agent logs has no partitions and no order, and is \
                 not unbounded"
            );
        }
        let (table, on_error) = options(&command.options)?;
        let made = LogTable::new(table, &command.locations)?
            .on_error(on_error)
            .meter(self.meter.clone());
        Ok(Arc::new(made))
    }
}

fn options(given: &HashMap<String, String>) -> Result<(Table, OnError)> {
    let (mut table, mut on_error) = (Table::Lines, OnError::default());
    for (key, value) in given {
        // DataFusion puts `format.` before options without a prefix.
        match key.strip_prefix("format.").unwrap_or(key) {
            "table" => table = value.parse().map_err(refused)?,
            "on_error" => on_error = value.parse().map_err(refused)?,
            other => {
                return plan_err!(
                    "the options of agent logs are `table` and `on_error`, \
                     not `{other}`"
                );
            }
        }
    }
    Ok((table, on_error))
}

fn refused(error: linetape::Error) -> DataFusionError {
    DataFusionError::Plan(error.reason().to_string())
}

/// The table function `agent_logs('path', 'table', 'on_error')`. Only the path
/// is required.
///
/// # Example
///
/// See [`context`](crate::context), which registers it.
#[derive(Clone, Debug, Default)]
pub struct AgentLogs {
    pub(crate) meter: Meter,
}

impl TableFunctionImpl for AgentLogs {
    fn call_with_args(
        &self,
        args: TableFunctionArgs<'_, '_>,
    ) -> Result<Arc<dyn TableProvider>> {
        let text = |expr: &Expr| match expr {
            Expr::Literal(value, _) => {
                value.try_as_str().flatten().map(str::to_string)
            }
            _ => None,
        };
        let given: Option<Vec<String>> =
            args.exprs().iter().map(text).collect();
        let (path, table, on_error) = match given.as_deref() {
            Some([path]) => (path, "lines", "row"),
            Some([path, table]) => (path, table.as_str(), "row"),
            Some([path, table, on_error]) => {
                (path, table.as_str(), on_error.as_str())
            }
            _ => {
                return plan_err!(
                    "agent_logs takes texts: a path, and optionally a table \
                     and on_error"
                );
            }
        };
        let table = LogTable::new(table.parse().map_err(refused)?, &[path])?
            .on_error(on_error.parse().map_err(refused)?)
            .meter(self.meter.clone());
        Ok(Arc::new(table))
    }
}
