//! Waiting for a cluster: for an executor, and for the end of a query.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use ballista_core::serde::protobuf::{
    CancelJobParams, scheduler_grpc_client::SchedulerGrpcClient,
};
use datafusion::{
    common::{Result, exec_err},
    execution::TaskContext,
    logical_expr::{LogicalPlanBuilder, lit},
    physical_plan::ExecutionPlan,
};
use futures::StreamExt;
use tokio::runtime::Handle;

use super::repeat::Repeat;

/// How long to wait for an executor.
const WAIT: Duration = Duration::from_secs(30);

/// How long to wait for a scheduler to cancel a query.
const CANCEL: Duration = Duration::from_secs(2);

/// How long a scheduler may take to cancel a query for which nobody waits.
const CANCEL_LATER: Duration = Duration::from_secs(60);

/// Waits until a cluster has an executor. A scheduler does not tell whether it has one,
/// so this sends a query that needs no logs.
///
/// # Errors
///
/// Returns an error if there is none for too long.
pub(super) async fn for_executor(
    statement: &Repeat,
    context: &Arc<TaskContext>,
) -> Result<()> {
    let plan = LogicalPlanBuilder::empty(true).project([lit(1)])?.build()?;
    let query = statement.query(&plan);
    let mut rows = query.execute(0, Arc::clone(context))?;
    let answered = async {
        // If it fails, the statement will tell why.
        while let Some(Ok(_)) = rows.next().await {}
    };
    if tokio::time::timeout(WAIT, answered).await.is_ok() {
        return Ok(());
    }
    if let Some(job) = query.job_id() {
        let cancel = cancel(statement.url.clone(), job.to_string());
        // Without it, the next executor runs it for nothing.
        let _ = tokio::time::timeout(CANCEL, cancel).await;
    }
    exec_err!(
        "the last executor was lost, and there was no other one within {} seconds",
        WAIT.as_secs()
    )
}

/// Has the scheduler cancel a query, if it answers.
pub(super) async fn cancel(url: String, job_id: String) {
    let cancel = async {
        if let Ok(mut scheduler) = SchedulerGrpcClient::connect(url).await {
            let _ = scheduler.cancel_job(CancelJobParams { job_id }).await;
        }
    };
    // If it does not answer, it does not run the query either.
    let _ = tokio::time::timeout(CANCEL_LATER, cancel).await;
}

/// How many queries are being cancelled for which nobody waits.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// One of them.
struct Pending;

impl Pending {
    fn new() -> Pending {
        PENDING.fetch_add(1, Ordering::AcqRel);
        Pending
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        PENDING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Has the scheduler cancel a query whose rows nobody reads. Does not wait for it.
pub(super) fn cancel_soon(url: String, job_id: String) {
    // Without a runtime, there is no connection either.
    let Ok(runtime) = Handle::try_current() else { return };
    let pending = Pending::new();
    runtime.spawn(async move {
        cancel(url, job_id).await;
        drop(pending);
    });
}

/// Waits until the queries of this process whose rows were dropped have been cancelled. A
/// process that ends without waiting leaves them running in the cluster.
///
/// # Example
///
/// This shows how long a command waits before it ends.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use std::time::Duration;
///
/// let cancelled = linetape_sql::cluster::cancelled();
/// let waited = tokio::time::timeout(Duration::from_secs(2), cancelled).await;
/// assert!(waited.is_ok());
/// # }
/// ```
pub async fn cancelled() {
    while PENDING.load(Ordering::Acquire) > 0 {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// How often to look whether they have been cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(10);
