use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use ballista_core::{
    error::Result,
    serde::protobuf::job_status::Status::{Queued, Running},
};
use ballista_scheduler::cluster::JobState;
use tokio::time::sleep;

use crate::members::{Members, Server};

/// How long a query waits for an executor: the first one, or another one if it was sent
/// again because the last one was lost.
const WAIT: Duration = Duration::from_secs(60);

/// How often to look.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Ends the queries that were sent when there was no executor, if there is none for too
/// long. Ballista would let them wait for ever.
///
/// Queries that have lost their last executor are ended by Ballista itself.
pub(crate) async fn watch(
    members: Arc<Members>,
    jobs: Arc<dyn JobState>,
    server: Server,
) {
    // When there was an executor for the last time. At first, it is the start.
    let mut since = now();
    loop {
        sleep(LOOK_EVERY).await;
        let now = now();
        if !members.is_empty().await {
            since = now;
            continue;
        }
        if let Err(error) = end(&jobs, &server, since, now).await {
            log::warn!("cannot end a query without executors: {error}");
        }
    }
}

/// Ends the queries that were sent after a time, and have waited for too long.
async fn end(
    jobs: &Arc<dyn JobState>,
    server: &Server,
    since: Duration,
    now: Duration,
) -> Result<()> {
    let running = server.state.task_manager.get_running_job_cache();
    for (id, job) in running.iter() {
        let mut graph = job.execution_graph.write().await;
        let sent = match &graph.status().status {
            Some(Queued(job)) => job.queued_at,
            Some(Running(job)) => job.queued_at,
            _ => continue,
        };
        let sent = Duration::from_millis(sent);
        if sent < since || now.saturating_sub(sent) < WAIT {
            continue;
        }
        log::warn!("cancelling the query {id}: there is no executor");
        graph.fail_job(format!(
            "there was no executor within {} seconds",
            WAIT.as_secs()
        ));
        let failed = graph.cloned();
        drop(graph);
        // It tells the client, before the query is cancelled without a reason.
        jobs.save_job(id, &failed).await?;
        server.cancel_job(id.clone()).await?;
    }
    Ok(())
}

/// Returns the time, as the scheduler counts it.
fn now() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default()
}
