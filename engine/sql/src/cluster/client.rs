use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use ballista::extension::{SessionConfigExt, SessionContextExt};
use ballista_core::{
    config::BallistaConfig,
    execution_plans::DistributedQueryExec,
    planner::BallistaQueryPlanner,
    serde::protobuf::{
        GetJobMetricsParams, NamedCount, operator_metric::Metric,
        scheduler_grpc_client::SchedulerGrpcClient,
    },
};
use datafusion::{
    catalog::Session,
    common::{DataFusionError, Result, plan_err},
    execution::context::QueryPlanner,
    logical_expr::LogicalPlan,
    physical_plan::ExecutionPlan,
    physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner},
    prelude::{SessionConfig, SessionContext},
};
use datafusion_proto::protobuf::LogicalPlanNode;
use url::Url;

use super::{
    LogLogicalCodec, LogPhysicalCodec, empty::with_columns, refuse::Refuse,
    repeat::Repeat,
};
use crate::{
    context::{Settings, with_logs},
    meter::{Meter, Problems},
    metrics,
};

/// The maximum size of a message between the processes of a cluster, in bytes.
/// The plan of a query names each file, so this limits the number of files.
/// Ballista's own limit is 16 MiB.
pub const MAX_MESSAGE: u32 = 256 << 20;

/// The port of a scheduler, if an address has none.
const DEFAULT_PORT: u16 = 50050;

/// How long to wait before an executor that does not answer is asked again.
const RETRY_MS: &str = "1000";

/// How often to ask whether the process at the other end of a connection still
/// answers, and how long to wait for that. A busy machine may need some seconds.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// The code of gRPC for an error of the other process itself.
const INTERNAL: i32 = 13;

/// Creates a context whose queries run on a cluster: `df://host:port` is the
/// address of its scheduler. Otherwise it is used like that of
/// [`context`](crate::context()).
///
/// A relative path is one of this process. [`Settings::memory`] has no effect:
/// each executor has its own limit. [`Settings::partitions`] is the number of
/// tasks for reading, and 16 by default. The adaptive planner of Ballista is off.
///
/// A query whose executor is lost is sent again, up to three times, if there are no rows
/// of its result yet. If no executor is left, the scheduler
/// lets it wait up to 60 seconds for one.
///
/// # Errors
///
/// Returns an error if the address is not valid, or if no scheduler answers
/// there.
///
/// # Example
///
/// This shows how to query the logs of a folder that all processes have.
///
/// ```no_run
/// # async fn run() -> datafusion::error::Result<()> {
/// use linetape_sql::{Meter, Settings, cluster::connect, register};
///
/// let settings = Settings::default();
/// let context = connect("df://localhost:50050", &settings).await?;
/// register(&context, &["/srv/logs"], &settings, &Meter::default()).await?;
/// context.sql("SELECT count(*) FROM lines").await?.show().await?;
/// # Ok(())
/// # }
/// ```
pub async fn connect(
    address: &str,
    settings: &Settings,
) -> Result<SessionContext> {
    let url = url_of(address)?;
    // With the port, if that was left out.
    let address = &url.replacen("http:", "df:", 1);
    // Only to know that somebody is there.
    SchedulerGrpcClient::connect(url.clone())
        .await
        .map_err(|error| unreachable(address, error))?;
    let codec = Arc::new(LogLogicalCodec::default());
    let config = SessionConfig::new_with_ballista()
        .with_ballista_logical_extension_codec(codec.clone())
        .with_ballista_physical_extension_codec(Arc::new(
            LogPhysicalCodec::default(),
        ))
        .with_ballista_grpc_client_max_message_size(MAX_MESSAGE as usize)
        // With the adaptive planner of Ballista 55.0, a join with an empty side
        // never ends: after each stage it replaces the empty side by an empty
        // plan, adds an exchange of that, and runs it as a new stage.
        .with_ballista_adaptive_query_planner(false)
        .set_str("ballista.client.io_retry_wait_time_ms", RETRY_MS)
        // Ballista waits for ever for the rows of an executor that has stopped
        // without closing its connection.
        .with_ballista_override_create_grpc_client_endpoint(Arc::new(
            |endpoint| {
                Ok(endpoint
                    .http2_keep_alive_interval(KEEP_ALIVE)
                    .keep_alive_timeout(KEEP_ALIVE)
                    .keep_alive_while_idle(true)
                    .connect_timeout(KEEP_ALIVE))
            },
        ));
    let remote = BallistaQueryPlanner::<LogicalPlanNode>::with_extension(
        url.clone(),
        config.ballista_config(),
        codec.clone(),
    );
    let settings_of_ballista = config.ballista_config();
    let local = Local::default();
    let planner =
        Planner { url, config: settings_of_ballista, codec, remote, local };
    let config = config.with_ballista_query_planner(Arc::new(planner));
    // What is read is counted by the executors.
    let meter = Meter::default();
    // Executors have memory of their own, and batches of the usual size.
    let settings = Settings { memory: None, ..settings.clone() };
    let local = with_logs(config, &settings, &meter)?;
    let state = local.state();
    let context = SessionContext::remote_with_state(address, state).await?;
    context.add_analyzer_rule(Arc::new(Refuse));
    Ok(context)
}

/// Returns the host and the port of a scheduler's address, `df://host:port`.
///
/// # Errors
///
/// Returns an error if it is no such address.
pub fn host_and_port(address: &str) -> Result<(String, u16)> {
    let url = Url::parse(address).ok().filter(|url| url.scheme() == "df");
    match url.as_ref().map(|url| (url.host_str(), url.port())) {
        Some((Some(host), port)) => {
            Ok((host.to_string(), port.unwrap_or(DEFAULT_PORT)))
        }
        _ => plan_err!(
            "the address of a scheduler is df://HOST:PORT, not `{address}`"
        ),
    }
}

/// Returns the URL of a scheduler for its clients.
fn url_of(address: &str) -> Result<String> {
    let (host, port) = host_and_port(address)?;
    Ok(format!("http://{host}:{port}"))
}

fn unreachable(
    address: &str,
    error: impl std::error::Error + Send + Sync + 'static,
) -> DataFusionError {
    // The reason is that of the innermost error.
    let mut reason: &dyn std::error::Error = &error;
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    let text = format!("cannot reach the scheduler {address}: {reason}");
    DataFusionError::Execution(text)
}

/// Sends queries to the scheduler. What cannot be sent, and needs no logs, is
/// planned here.
#[derive(Debug)]
struct Planner {
    url: String,
    config: BallistaConfig,
    codec: Arc<LogLogicalCodec>,
    remote: BallistaQueryPlanner<LogicalPlanNode>,
    local: Local,
}

/// The planner of DataFusion itself.
#[derive(Default)]
struct Local(DefaultPhysicalPlanner);

impl std::fmt::Debug for Local {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Local")
    }
}

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if let LogicalPlan::DescribeTable(_) = plan {
            return self.local.0.create_physical_plan(plan, session).await;
        }
        let plan = &with_columns(plan)?;
        let planned = self.remote.create_physical_plan(plan, session).await?;
        if planned.is::<DistributedQueryExec<LogicalPlanNode>>() {
            let (url, codec) = (&self.url, &self.codec);
            let id = session.session_id();
            let repeat = Repeat::new(url, &self.config, plan, codec, id);
            return Ok(Arc::new(repeat));
        }
        Ok(planned)
    }
}

/// Asks the scheduler what a query could not read. The plan is that of a query
/// which has ended, from a context of [`connect`].
///
/// # Errors
///
/// Returns an error if the scheduler does not answer.
pub async fn problems(
    address: &str,
    plan: &dyn ExecutionPlan,
) -> Result<Problems> {
    let query = plan.downcast_ref::<Repeat>();
    // A query that reads no logs is not sent.
    let Some(job) = query.and_then(|query| query.job_id()) else {
        return Ok(Problems::default());
    };
    let url = url_of(address)?;
    let address = &url.replacen("http:", "df:", 1);
    let scheduler = SchedulerGrpcClient::connect(url.clone()).await;
    let scheduler = scheduler.map_err(|error| unreachable(address, error))?;
    let mut scheduler =
        scheduler.max_decoding_message_size(MAX_MESSAGE as usize);
    let asked = GetJobMetricsParams { job_id: job.to_string() };
    let told = scheduler.get_job_metrics(asked).await;
    let told = told.map_err(|status| match i32::from(status.code()) {
        INTERNAL => DataFusionError::Execution(
            "Ballista cannot add up the counts of this query".to_string(),
        ),
        _ => unreachable(address, status),
    })?;
    let stages = told.into_inner().stages;
    let operators = stages.iter().flat_map(|stage| &stage.operators);
    Ok(metrics::problems(operators.map(|operator| {
        let counts = operator.metrics.iter();
        let counts = counts.filter_map(|metric| match &metric.metric {
            Some(Metric::Count(NamedCount { name, value })) => {
                Some((name.as_str(), *value))
            }
            _ => None,
        });
        counts.collect()
    })))
}
