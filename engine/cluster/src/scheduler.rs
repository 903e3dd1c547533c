use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
};

use ballista_core::{
    error::{BallistaError, Result},
    utils::default_session_builder,
};
use ballista_scheduler::{
    cluster::{BallistaCluster, JobState},
    config::SchedulerConfig,
    scheduler_process::{create_scheduler, start_grpc_service_with_listener},
};
use linetape_sql::cluster::{
    LogLogicalCodec, LogPhysicalCodec, MAX_MESSAGE, of_scheduler,
};
use tokio::net::TcpListener;

use crate::{
    address::Bind,
    jobs::Jobs,
    members::{Members, Server},
    vacant::watch,
};

/// The settings of a scheduler.
///
/// # Example
///
/// This shows how to wait longer for executors on a slow network.
///
/// ```
/// use linetape_cluster::Scheduler;
///
/// let scheduler = Scheduler { executor_timeout: 60, ..Scheduler::default() };
/// assert_eq!(scheduler.port, 50050);
/// ```
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Where it listens.
    pub bind: Bind,
    /// The port. 0 means a free one.
    pub port: u16,
    /// An executor that has not been heard of for so many seconds is lost. If it
    /// read logs, others do its work again; in a later stage, the query is
    /// cancelled, and `linetape-sql` sends it again. Executors report every two
    /// seconds.
    pub executor_timeout: u64,
}

impl Default for Scheduler {
    fn default() -> Scheduler {
        Scheduler { bind: Bind::default(), port: 50050, executor_timeout: 10 }
    }
}

/// How often to look for lost executors, in seconds.
const LOOK_EVERY: u64 = 2;

/// Runs a scheduler. `ready` is called with its address, `df://host:port`, as
/// soon as it can be reached.
///
/// # Errors
///
/// Returns an error if the port is in use. Otherwise it does not return.
///
/// # Example
///
/// This shows how to run a scheduler that prints its address.
///
/// ```no_run
/// # async fn run() -> linetape_cluster::Result<()> {
/// use linetape_cluster::{Scheduler, run_scheduler};
///
/// let ready = |address: &str| println!("{address}");
/// run_scheduler(&Scheduler::default(), ready).await
/// # }
/// ```
pub async fn run_scheduler(
    settings: &Scheduler,
    ready: impl FnOnce(&str),
) -> Result<()> {
    let host = settings.bind.host()?;
    let address = SocketAddr::new(settings.bind.address, settings.port);
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| {
        let why = format!("cannot listen on {address}: {error}");
        BallistaError::Configuration(why)
    })?;
    let port = listener.local_addr()?.port();
    let config = SchedulerConfig {
        external_host: host.clone(),
        bind_host: settings.bind.text(),
        bind_port: port,
        executor_timeout_seconds: settings.executor_timeout,
        expire_dead_executor_interval_seconds: LOOK_EVERY,
        no_executors_grace_period_seconds: settings.executor_timeout,
        // If rows cannot be fetched, the query fails, and its client sends it again:
        // see `Members`.
        stage_max_failures: 1,
        grpc_server_max_decoding_message_size: MAX_MESSAGE,
        grpc_server_max_encoding_message_size: MAX_MESSAGE,
        grpc_client_max_message_size: MAX_MESSAGE,
        override_session_builder: Some(Arc::new(|config| {
            Ok(of_scheduler(default_session_builder(config)?))
        })),
        override_logical_codec: Some(Arc::new(LogLogicalCodec::default())),
        override_physical_codec: Some(Arc::new(LogPhysicalCodec::default())),
        ..SchedulerConfig::default()
    };
    config.validate()?;
    let cluster = BallistaCluster::new_from_config(&config).await?;
    let server = Arc::new(OnceLock::new());
    let members = Members::new(cluster.cluster_state(), Arc::clone(&server));
    let (members, jobs) = (Arc::new(members), cluster.job_state());
    let jobs: Arc<dyn JobState> = Arc::new(Jobs(jobs));
    let cluster = BallistaCluster::new(members.clone(), Arc::clone(&jobs));
    let scheduler: Server =
        create_scheduler(cluster, Arc::new(config)).await?;
    // Nobody has set it before.
    let _ = server.set(scheduler.clone());
    tokio::spawn(watch(members, jobs, scheduler.clone()));
    ready(&format!("df://{host}:{port}"));
    start_grpc_service_with_listener(listener, scheduler).await
}
