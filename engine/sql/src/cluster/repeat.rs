//! Statements whose executors are lost.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ballista_core::{
    JobId, config::BallistaConfig, execution_plans::DistributedQueryExec,
};
use datafusion::{
    arrow::{datatypes::SchemaRef, record_batch::RecordBatch},
    common::{Result, exec_err, tree_node::TreeNodeRecursion},
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::LogicalPlan,
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, PhysicalExpr,
        PlanProperties, stream::RecordBatchStreamAdapter,
    },
};
use datafusion_proto::protobuf::LogicalPlanNode;
use futures::{StreamExt, stream};

use super::{LogLogicalCodec, cancel::cancel, loss::is_loss};

pub(super) type Query = DistributedQueryExec<LogicalPlanNode>;

/// How often a statement is sent again.
const REPEATS: u32 = 3;

/// How long to wait before a statement is sent again for the first time. After that, it
/// is twice as long each time.
const PAUSE: Duration = Duration::from_millis(500);

/// A statement for a cluster. If an executor is lost before there is a row of the
/// result, the statement is sent again. A scheduler lets it wait if it has no executor.
#[derive(Clone, Debug)]
pub(super) struct Repeat {
    url: String,
    config: BallistaConfig,
    plan: LogicalPlan,
    codec: Arc<LogLogicalCodec>,
    session: String,
    properties: Arc<PlanProperties>,
    /// The one that was sent last. It knows its job.
    last: Arc<Mutex<Arc<Query>>>,
}

impl Repeat {
    pub(super) fn new(
        url: &str,
        config: &BallistaConfig,
        plan: &LogicalPlan,
        codec: &Arc<LogLogicalCodec>,
        session: &str,
    ) -> Repeat {
        let (url, session) = (url.to_string(), session.to_string());
        let (config, plan) = (config.clone(), plan.clone());
        let codec = Arc::clone(codec);
        let first = query(&url, &config, &plan, &codec, &session);
        let properties = Arc::clone(first.properties());
        let last = Arc::new(Mutex::new(first));
        Repeat { url, config, plan, codec, session, properties, last }
    }

    /// Returns the job of the statement, if it was sent.
    pub(super) fn job_id(&self) -> Option<JobId> {
        self.last().job_id()
    }

    fn last(&self) -> Arc<Query> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&last)
    }

    /// Sends the statement again.
    fn again(
        &self,
        context: &Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let Repeat { url, config, plan, codec, session, .. } = self;
        // A query keeps the job that it had first.
        let next = query(url, config, plan, codec, session);
        let mut last =
            self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Arc::clone(&next);
        next.execute(0, Arc::clone(context))
    }

    /// Has the query cancelled that was sent last. If it has ended, that has no effect.
    fn cancel(&self) {
        if let Some(job) = self.job_id() {
            cancel(self.url.clone(), job.to_string());
        }
    }
}

fn query(
    url: &str,
    config: &BallistaConfig,
    plan: &LogicalPlan,
    codec: &Arc<LogLogicalCodec>,
    session: &str,
) -> Arc<Query> {
    let codec = Arc::clone(codec);
    Arc::new(Query::with_extension(
        url.to_string(),
        config.clone(),
        plan.clone(),
        codec,
        session.to_string(),
    ))
}

/// The rows of a statement, and whether it may be sent again.
struct Rows {
    statement: Repeat,
    context: Arc<TaskContext>,
    rows: SendableRecordBatchStream,
    /// How often the statement was sent again.
    repeats: u32,
    has_rows: bool,
    is_over: bool,
}

impl Drop for Rows {
    /// Has the query cancelled if nobody reads its rows any more.
    fn drop(&mut self) {
        // When there are rows, only these are left to be fetched.
        if !self.is_over && !self.has_rows {
            self.statement.cancel();
        }
    }
}

impl Rows {
    async fn next(mut self) -> Result<Option<(RecordBatch, Rows)>> {
        loop {
            let error = match self.rows.next().await {
                None => {
                    self.is_over = true;
                    return Ok(None);
                }
                Some(Ok(batch)) => {
                    self.has_rows |= batch.num_rows() > 0;
                    return Ok(Some((batch, self)));
                }
                Some(Err(error)) => error,
            };
            if is_loss(&error) && self.has_rows {
                return exec_err!(
                    "an executor was lost after the first rows of the result: \
                     run the query again"
                );
            }
            if !is_loss(&error)
                || self.repeats == REPEATS
                || writes(&self.statement.plan)
            {
                return Err(error);
            }
            tokio::time::sleep(PAUSE * 2_u32.pow(self.repeats)).await;
            self.repeats += 1;
            // It may still run, and would take the threads of the next one.
            self.statement.cancel();
            self.rows = self.statement.again(&self.context)?;
        }
    }
}

/// Checks whether a statement has an effect besides its rows.
fn writes(plan: &LogicalPlan) -> bool {
    use LogicalPlan as P;

    matches!(plan, P::Copy(_) | P::Dml(_) | P::Ddl(_) | P::Statement(_))
}

impl DisplayAs for Repeat {
    fn fmt_as(
        &self,
        kind: DisplayFormatType,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        self.last().fmt_as(kind, f)
    }
}

impl ExecutionPlan for Repeat {
    fn name(&self) -> &str {
        "Repeat"
    }

    fn schema(&self) -> SchemaRef {
        self.last().schema()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.last().execute(partition, Arc::clone(&context))?;
        let rows = Rows {
            statement: self.clone(),
            context,
            rows,
            repeats: 0,
            has_rows: false,
            is_over: false,
        };
        let rows = stream::try_unfold(rows, Rows::next);
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }
}
