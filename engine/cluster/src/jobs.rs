use std::{collections::HashSet, sync::Arc};

use async_trait::async_trait;
use ballista_core::{
    JobId, JobStatusSubscriber, error::Result, serde::protobuf::JobStatus,
};
use ballista_scheduler::{
    cluster::{JobState, JobStateEventStream},
    state::execution_graph::ExecutionGraphBox,
};
use datafusion::prelude::{SessionConfig, SessionContext};

/// The queries of a cluster.
///
/// With Ballista 55.0, a client learns the id of its query when the first stage has
/// ended. If the connection breaks earlier, the client cannot cancel the query, which
/// then runs beside the one that is sent again. Here it learns the id as soon as the
/// query is planned.
pub(crate) struct Jobs(pub(crate) Arc<dyn JobState>);

#[async_trait]
impl JobState for Jobs {
    fn accept_job(
        &self,
        job_id: &JobId,
        job_name: &str,
        queued_at: u64,
    ) -> Result<()> {
        self.0.accept_job(job_id, job_name, queued_at)
    }

    fn pending_job_number(&self) -> usize {
        self.0.pending_job_number()
    }

    async fn submit_job(
        &self,
        job_id: JobId,
        graph: &ExecutionGraphBox,
        subscriber: Option<JobStatusSubscriber>,
    ) -> Result<()> {
        let client = subscriber.clone();
        self.0.submit_job(job_id, graph, subscriber).await?;
        if let Some(client) = client {
            // It is the first message, so there is room. A client that is gone needs none.
            let _ = client.try_send(graph.status().clone());
        }
        Ok(())
    }

    async fn get_jobs(&self) -> Result<HashSet<JobId>> {
        self.0.get_jobs().await
    }

    async fn get_all_jobs(&self) -> Result<HashSet<JobId>> {
        self.0.get_all_jobs().await
    }

    async fn get_job_status(
        &self,
        job_id: &JobId,
    ) -> Result<Option<JobStatus>> {
        self.0.get_job_status(job_id).await
    }

    async fn get_execution_graph(
        &self,
        job_id: &JobId,
    ) -> Result<Option<ExecutionGraphBox>> {
        self.0.get_execution_graph(job_id).await
    }

    async fn save_job(
        &self,
        job_id: &JobId,
        graph: &ExecutionGraphBox,
    ) -> Result<()> {
        self.0.save_job(job_id, graph).await
    }

    async fn fail_unscheduled_job(
        &self,
        job_id: &JobId,
        reason: String,
    ) -> Result<()> {
        self.0.fail_unscheduled_job(job_id, reason).await
    }

    async fn remove_job(&self, job_id: &JobId) -> Result<()> {
        self.0.remove_job(job_id).await
    }

    async fn try_acquire_job(
        &self,
        job_id: &JobId,
    ) -> Result<Option<ExecutionGraphBox>> {
        self.0.try_acquire_job(job_id).await
    }

    async fn job_state_events(&self) -> Result<JobStateEventStream> {
        self.0.job_state_events().await
    }

    async fn create_or_update_session(
        &self,
        session_id: &str,
        config: &SessionConfig,
    ) -> Result<Arc<SessionContext>> {
        self.0.create_or_update_session(session_id, config).await
    }

    async fn remove_session(&self, session_id: &str) -> Result<()> {
        self.0.remove_session(session_id).await
    }

    fn produce_config(&self) -> SessionConfig {
        self.0.produce_config()
    }
}
