use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use ballista_core::{
    JobId,
    error::Result,
    serde::{
        protobuf::{
            ExecutorHeartbeat, FailedTask, failed_task::FailedReason,
            job_status, task_status,
        },
        scheduler::{ExecutorData, ExecutorMetadata},
    },
};
use ballista_scheduler::{
    cluster::{
        BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot,
        memory::InMemoryClusterState,
    },
    config::TaskDistributionPolicy,
    scheduler_server::SchedulerServer,
    state::{
        execution_graph::ExecutionGraph, execution_stage::ExecutionStage,
        task_manager::JobInfoCache,
    },
};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use linetape_sql::cluster::EXECUTOR_LOST;
use tokio::sync::Mutex;

/// The scheduler of Ballista.
pub(crate) type Server = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// The executors of a cluster, and what becomes of queries if one of them is lost.
///
/// Ballista 55.0 does not recover from the loss of an executor, except while logs are
/// read:
///
/// - It runs a stage again without removing the rows that other executors have made
///   of it before: the query returns these rows twice.
/// - It counts the threads of an executor that are free. If a stage is run again, the
///   threads of its tasks are never counted as free: the executors get no more tasks.
///
/// So a query in which such a stage would be run again is cancelled before another of
/// its tasks begins, and its client sends it again. The free threads are not counted,
/// but follow from the tasks that run.
pub(crate) struct Members {
    inner: Arc<dyn ClusterState>,
    executors: Mutex<HashMap<String, (ExecutorMetadata, ExecutorData)>>,
    server: Arc<OnceLock<Server>>,
}

impl Members {
    /// Wraps the state of a cluster. The server is the one that uses it.
    pub(crate) fn new(
        inner: Arc<dyn ClusterState>,
        server: Arc<OnceLock<Server>>,
    ) -> Members {
        Members { inner, executors: Mutex::default(), server }
    }

    /// Returns whether there is no executor.
    pub(crate) async fn is_empty(&self) -> bool {
        self.executors.lock().await.is_empty()
    }

    /// Cancels the queries that cannot be continued, and returns the others.
    async fn sound(
        &self,
        jobs: &HashMap<JobId, JobInfoCache>,
    ) -> Result<HashMap<JobId, JobInfoCache>> {
        let mut sound = HashMap::new();
        for (id, job) in jobs {
            let mut graph = job.execution_graph.write().await;
            let status = graph.status().status.as_ref();
            if matches!(status, Some(job_status::Status::Failed(_))) {
                continue;
            }
            if !has_lost_rows(graph.as_ref()) {
                sound.insert(id.clone(), job.clone());
                continue;
            }
            log::warn!(
                "cancelling the query {id}: an executor was lost with rows that \
                 its later stages need"
            );
            // From now on it gets no tasks.
            graph.fail_job(EXECUTOR_LOST.to_string());
            drop(graph);
            if let Some(server) = self.server.get() {
                server.cancel_job(id.clone()).await?;
            }
        }
        Ok(sound)
    }
}

/// Checks whether a stage after the first ones would be run again, or a task whose rows
/// are a part of the result.
///
/// The attempts of a stage count from 0. Ballista adds one if the stage has to be run
/// again: when its inputs are lost while it runs, and when its own rows are lost after it
/// has ended. A task that fails for another reason has a counter of its own, so it does
/// not count here. The stages that read logs have no inputs: these may be run again.
fn has_lost_rows(graph: &dyn ExecutionGraph) -> bool {
    graph.stages().values().any(|stage| {
        let (attempt, inputs) = match stage {
            ExecutionStage::UnResolved(stage) => {
                (stage.stage_attempt_num, stage.inputs.len())
            }
            ExecutionStage::Resolved(stage) => {
                (stage.stage_attempt_num, stage.inputs.len())
            }
            ExecutionStage::Running(stage) => {
                (stage.stage_attempt_num, stage.inputs.len())
            }
            ExecutionStage::Successful(stage) => {
                (stage.stage_attempt_num, stage.inputs.len())
            }
            ExecutionStage::Failed(_) => return false,
        };
        let is_last = stage.output_links().is_empty();
        let mut tasks = stage.task_infos().unwrap_or_default().iter();
        let has_lost = |status: &task_status::Status| {
            let reason = match status {
                task_status::Status::Failed(FailedTask {
                    failed_reason,
                    ..
                }) => failed_reason.as_ref(),
                _ => None,
            };
            matches!(reason, Some(FailedReason::ResultLost(_)))
        };
        (inputs > 0 && attempt > 0)
            || (is_last && tasks.any(|task| has_lost(&task.task_status)))
    })
}

#[async_trait]
impl ClusterState for Members {
    async fn init(&self) -> Result<()> {
        self.inner.init().await
    }

    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        active_jobs: Arc<HashMap<JobId, JobInfoCache>>,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        let jobs = self.sound(&active_jobs).await?;
        // No lock is held while the threads are counted, and until the tasks are bound:
        // only the event loop of the scheduler calls this, and waits for it, so there is
        // one call at a time. Tasks that end meanwhile are counted as running, until the
        // next call. An executor that is registered meanwhile has no tasks.
        let mut used: HashMap<String, u32> = HashMap::new();
        for job in active_jobs.values() {
            let graph = job.execution_graph.read().await;
            for task in graph.running_tasks() {
                let threads = graph.task_vcores(task.stage_id, task.task_id);
                *used.entry(task.executor_id).or_default() +=
                    threads.unwrap_or_default();
            }
        }
        // It has the free threads of this moment, and is asked once.
        let free = InMemoryClusterState::default();
        for (id, (metadata, data)) in self.executors.lock().await.iter() {
            let used = used.get(id).copied().unwrap_or_default();
            let available_vcores = data.total_vcores.saturating_sub(used);
            let data = ExecutorData { available_vcores, ..data.clone() };
            free.register_executor(metadata.clone(), data).await?;
        }
        free.bind_schedulable_tasks(distribution, Arc::new(jobs), executors)
            .await
    }

    async fn unbind_tasks(&self, _: Vec<ExecutorSlot>) -> Result<()> {
        Ok(())
    }

    async fn register_executor(
        &self,
        metadata: ExecutorMetadata,
        spec: ExecutorData,
    ) -> Result<()> {
        let known = (metadata.clone(), spec.clone());
        self.inner.register_executor(metadata, spec).await?;
        self.executors.lock().await.insert(known.0.id.clone(), known);
        Ok(())
    }

    async fn save_executor_metadata(
        &self,
        metadata: ExecutorMetadata,
    ) -> Result<()> {
        self.inner.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(
        &self,
        executor_id: &str,
    ) -> Result<ExecutorMetadata> {
        self.inner.get_executor_metadata(executor_id).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.inner.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(
        &self,
        heartbeat: ExecutorHeartbeat,
    ) -> Result<()> {
        self.inner.save_executor_heartbeat(heartbeat).await
    }

    async fn remove_executor(&self, executor_id: &str) -> Result<()> {
        self.executors.lock().await.remove(executor_id);
        self.inner.remove_executor(executor_id).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.inner.executor_heartbeats()
    }

    fn get_executor_heartbeat(
        &self,
        executor_id: &str,
    ) -> Option<ExecutorHeartbeat> {
        self.inner.get_executor_heartbeat(executor_id)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.inner.cluster_state_events().await
    }
}
