use std::{fmt, sync::Arc};

use datafusion::{
    common::{Result, tree_node::TreeNodeRecursion},
    config::ConfigOptions,
    datasource::{
        physical_plan::{
            FileGroup, FileGroupPartitioner, FileOpener, FileScanConfig,
            FileSource,
        },
        projection::{ProjectionOpener, SplitProjection},
        table_schema::TableSchema,
    },
    physical_expr::LexOrdering,
    physical_plan::{
        DisplayFormatType, PhysicalExpr, apply_expression_roots,
        filter_pushdown::{FilterPushdownPropagation, PushedDown},
        metrics::ExecutionPlanMetricsSet,
        projection::ProjectionExprs,
    },
};
use linetape_arrow::{OnError, Table, Wanted};
use object_store::ObjectStore;

use crate::{
    meter::{Meter, ScanProblems},
    metrics::Counts,
    opener::LogOpener,
    predicate,
};

/// How many ranges of a large file there are for each part of a query. The parts
/// take them from one queue, so that they end at the same time.
const PIECES: usize = 8;

/// The least size of these ranges for all parts together, in bytes.
const PIECE: u64 = 64 << 20;

/// Reads agent logs for a scan of DataFusion.
///
/// It builds only the columns of the projection, and skips lines that cannot
/// pass the filters. It never claims to have applied a filter: DataFusion still
/// checks every row.
///
/// # Example
///
/// See [`LogTable`](crate::LogTable), which makes scans of it.
#[derive(Clone, Debug)]
pub struct LogSource {
    table: Table,
    on_error: OnError,
    schema: TableSchema,
    projection: SplitProjection,
    wanted: Wanted,
    batch_size: Option<usize>,
    /// Identifies the logs, for counting their problems.
    logs: Arc<str>,
    /// Whether this is a part of a scan, on an executor of a cluster.
    is_task: bool,
    meter: Meter,
    problems: ScanProblems,
    metrics: ExecutionPlanMetricsSet,
}

impl LogSource {
    /// Creates a source of all rows and columns.
    pub(crate) fn new(table: Table, schema: TableSchema) -> LogSource {
        LogSource {
            table,
            on_error: OnError::default(),
            projection: SplitProjection::unprojected(&schema),
            schema,
            wanted: Wanted::default(),
            batch_size: None,
            logs: "".into(),
            is_task: false,
            meter: Meter::default(),
            problems: ScanProblems::default(),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    pub(crate) fn with_on_error(self, on_error: OnError) -> LogSource {
        LogSource { on_error, ..self }
    }

    /// Sets where to count what is read: see [`Meter::scan`].
    pub(crate) fn with_meter(self, meter: Meter, logs: &str) -> LogSource {
        let problems = meter.scan(logs);
        LogSource { meter, problems, logs: logs.into(), ..self }
    }

    /// Sets where to count what is read by a task of a cluster.
    #[cfg(feature = "cluster")]
    pub(crate) fn with_meter_of_task(
        self,
        meter: Meter,
        logs: &str,
    ) -> LogSource {
        let problems = meter.task();
        let logs = logs.into();
        LogSource { meter, problems, logs, is_task: true, ..self }
    }

    /// Returns what identifies the logs.
    #[cfg(feature = "cluster")]
    pub(crate) fn logs(&self) -> &str {
        &self.logs
    }

    /// Returns whether the query needs the column `line`.
    fn needs_numbers(&self) -> bool {
        let fields = self.schema.file_schema().fields();
        let mut built = self.projection.file_indices.iter();
        built.any(|index| {
            fields.get(*index).is_some_and(|field| field.name() == "line")
        })
    }

    #[cfg(feature = "cluster")]
    pub(crate) fn with_wanted(self, wanted: Wanted) -> LogSource {
        LogSource { wanted, ..self }
    }

    /// Returns what the source is made of.
    #[cfg(feature = "cluster")]
    pub(crate) fn parts(&self) -> (Table, OnError, &Wanted) {
        (self.table, self.on_error, &self.wanted)
    }

    /// Returns which rows the filters of the query need.
    pub fn wanted(&self) -> &Wanted {
        &self.wanted
    }
}

impl FileSource for LogSource {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        base: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let logs = self.is_task.then_some(&*self.logs);
        let counts = Counts::new(&self.metrics, partition, logs);
        let opener = LogOpener::new(
            store,
            base.object_store_url.as_str(),
            self.table,
            self.on_error,
            self.projection.file_indices.clone(),
            self.wanted.clone(),
            self.batch_size.unwrap_or(8192),
            self.meter.clone(),
            self.problems.clone(),
            counts,
        );
        let schema = self.schema.file_schema();
        ProjectionOpener::try_new(
            self.projection.clone(),
            Arc::new(opener),
            schema,
        )
    }

    fn table_schema(&self) -> &TableSchema {
        &self.schema
    }

    fn with_batch_size(&self, rows: usize) -> Arc<dyn FileSource> {
        let batch_size = Some(rows);
        Arc::new(LogSource { batch_size, ..self.clone() })
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn FileSource>>> {
        let merged = self.projection.source.try_merge(projection)?;
        let schema = self.schema.file_schema();
        let projection = SplitProjection::new(schema, &merged);
        Ok(Some(Arc::new(LogSource { projection, ..self.clone() })))
    }

    /// Keeps what the filters say about lines, and leaves the filters where
    /// they are.
    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        let mut source = self.clone();
        for filter in &filters {
            let schema = self.schema.table_schema();
            predicate::add(&mut source.wanted, filter, schema);
        }
        let answers = vec![PushedDown::No; filters.len()];
        let source: Arc<dyn FileSource> = Arc::new(source);
        let answers =
            FilterPushdownPropagation::with_parent_pushdown_result(answers);
        Ok(answers.with_updated_node(source))
    }

    /// Divides plain files into ranges. A compressed file cannot be divided,
    /// and remains whole. If the query needs the numbers of lines, no file is
    /// divided: they are known only from the beginning of a file on.
    fn repartitioned(
        &self,
        target_partitions: usize,
        repartition_file_min_size: usize,
        output_ordering: Option<LexOrdering>,
        config: &FileScanConfig,
    ) -> Result<Option<FileScanConfig>> {
        if self.needs_numbers() {
            return Ok(None);
        }
        let files = config.file_groups.iter().flat_map(FileGroup::iter);
        let (whole, plain): (Vec<_>, Vec<_>) =
            files.cloned().partition(|file| {
                let name = file.object_meta.location.as_ref();
                is_compressed(name)
            });
        let size: u64 = plain.iter().map(|file| file.object_meta.size).sum();
        let most = usize::try_from(size / PIECE).unwrap_or(usize::MAX);
        let pieces = most.clamp(1, PIECES).saturating_mul(target_partitions);
        let partitioner = FileGroupPartitioner::new()
            .with_target_partitions(pieces)
            .with_repartition_file_min_size(repartition_file_min_size)
            .with_preserve_order_within_groups(output_ordering.is_some());
        let plain = vec![FileGroup::new(plain)];
        let Some(pieces) = partitioner.repartition_file_groups(&plain) else {
            return Ok(None);
        };
        let count = target_partitions.clamp(1, pieces.len().max(1));
        let mut groups = vec![FileGroup::default(); count];
        let pieces = pieces.into_iter().enumerate();
        let pieces = pieces.flat_map(|(number, piece)| {
            piece.into_inner().into_iter().map(move |file| (number, file))
        });
        for (number, file) in pieces.chain((0..).zip(whole)) {
            if let Some(group) = groups.get_mut(number % count) {
                group.push(file);
            }
        }
        let mut config = config.clone();
        config.file_groups = groups;
        Ok(Some(config))
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &str {
        "agentlog"
    }

    fn fmt_extra(
        &self,
        _format: DisplayFormatType,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let fields = self.schema.file_schema().fields();
        let indexes = self.projection.file_indices.iter();
        let names = indexes.filter_map(|index| fields.get(*index));
        let names: Vec<&str> =
            names.map(|field| field.name().as_str()).collect();
        write!(f, ", table={}, built=[{}]", self.table, names.join(", "))?;
        if self.wanted != Wanted::default() {
            write!(f, ", wanted=[{}]", self.wanted)?;
        }
        write!(f, ", on_error={}", self.on_error.as_str())
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        apply_expression_roots(self.projection.source.iter(), f)
    }
}

/// Returns whether a file is compressed, by its name.
fn is_compressed(name: &str) -> bool {
    let end = name.rsplit('.').next().unwrap_or_default();
    end.eq_ignore_ascii_case("gz") || end.eq_ignore_ascii_case("zst")
}
