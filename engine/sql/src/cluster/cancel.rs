//! Cancelling queries, and waiting for that.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use ballista_core::serde::protobuf::{
    CancelJobParams, scheduler_grpc_client::SchedulerGrpcClient,
};
use tokio::runtime::Handle;

/// How long a scheduler may take to cancel a query for which nobody waits.
const CANCEL: Duration = Duration::from_secs(60);

/// How often to look whether all have been cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How many queries are being cancelled.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// One of them.
struct Pending;

impl Drop for Pending {
    fn drop(&mut self) {
        PENDING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Has the scheduler cancel a query whose rows nobody reads. Does not wait for it.
pub(super) fn cancel(url: String, job_id: String) {
    // Without a runtime, there is no connection either.
    let Ok(runtime) = Handle::try_current() else { return };
    PENDING.fetch_add(1, Ordering::AcqRel);
    let pending = Pending;
    runtime.spawn(async move {
        let cancel = async {
            if let Ok(mut scheduler) = SchedulerGrpcClient::connect(url).await
            {
                let _ = scheduler.cancel_job(CancelJobParams { job_id }).await;
            }
        };
        // If it does not answer, it does not run the query either.
        let _ = tokio::time::timeout(CANCEL, cancel).await;
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
