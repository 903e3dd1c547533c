use std::{path::PathBuf, sync::Arc, time::Duration};

use ballista_core::{
    error::{BallistaError, Result},
    registry::BallistaFunctionRegistry,
};
use ballista_executor::executor_process::{
    ExecutorProcessConfig, start_executor_process,
};
use datafusion::prelude::SessionContext;
use linetape_sql::{
    Meter,
    cluster::{LogLogicalCodec, LogPhysicalCodec, MAX_MESSAGE},
};
use tempfile::TempDir;

use crate::address::{Bind, scheduler};

/// The settings of an executor.
///
/// # Example
///
/// This shows how to use one core only.
///
/// ```
/// use linetape_cluster::Executor;
///
/// let executor = Executor { threads: Some(1), ..Executor::default() };
/// assert_eq!(executor.scheduler, "df://127.0.0.1:50050");
/// ```
#[derive(Clone, Debug)]
pub struct Executor {
    /// The address of the scheduler, `df://host:port`.
    pub scheduler: String,
    /// Where it listens.
    pub bind: Bind,
    /// The port from which others fetch rows. 0 means a free one.
    pub port: u16,
    /// The port at which the scheduler sends tasks. 0 means a free one.
    pub grpc_port: u16,
    /// How many partitions it works on at once. `None` means one per core.
    pub threads: Option<usize>,
    /// The memory for sorting, grouping and joining, in bytes. With more,
    /// files in `folder` are used.
    pub memory: u64,
    /// The folder for intermediate rows. `None` means a temporary one, which
    /// is removed at the end.
    pub folder: Option<PathBuf>,
}

impl Default for Executor {
    fn default() -> Executor {
        Executor {
            scheduler: "df://127.0.0.1:50050".to_string(),
            bind: Bind::default(),
            port: 0,
            grpc_port: 0,
            threads: None,
            memory: 1 << 30,
            folder: None,
        }
    }
}

/// How often the scheduler is told that this executor works, in seconds.
const HEARTBEAT: u64 = 2;

/// How long to try to reach the scheduler, in seconds.
const CONNECT: u16 = 30;

/// How long the rows of a query are kept at most, in seconds. The scheduler
/// has them removed five minutes after the query, but it may be gone.
const KEEP: u64 = 24 * 3600;

/// How often what was read is logged.
const REPORT: Duration = Duration::from_millis(250);

/// Runs an executor until it is stopped by a signal. `ready` is called when
/// the scheduler knows it.
///
/// The meter counts what the executor reads. While it reads, it logs the counts
/// four times a second, with the level `info`.
///
/// # Errors
///
/// Returns an error if the scheduler cannot be reached, or if a port is in use.
///
/// # Example
///
/// This shows how to run an executor for a scheduler on the same machine.
///
/// ```no_run
/// # async fn run() -> linetape_cluster::Result<()> {
/// use linetape_cluster::{Executor, run_executor};
/// use linetape_sql::Meter;
///
/// run_executor(&Executor::default(), &Meter::default(), || ()).await
/// # }
/// ```
pub async fn run_executor(
    settings: &Executor,
    meter: &Meter,
    ready: impl FnOnce() + Send + 'static,
) -> Result<()> {
    let (scheduler_host, scheduler_port) = scheduler(&settings.scheduler)?;
    // It is removed when this function ends.
    let temporary = match &settings.folder {
        Some(_) => None,
        None => Some(TempDir::with_prefix("linetape-executor-")?),
    };
    let folder = match (&settings.folder, &temporary) {
        (Some(folder), _) => folder.clone(),
        (None, Some(temporary)) => temporary.path().to_path_buf(),
        (None, None) => PathBuf::new(),
    };
    std::fs::create_dir_all(&folder)?;
    let Some(folder) = folder.to_str() else {
        return Err(BallistaError::Configuration(format!(
            "{} is not valid Unicode",
            folder.display()
        )));
    };
    let bind = &settings.bind;
    let port = bind.port(settings.port)?;
    let mut grpc_port = bind.port(settings.grpc_port)?;
    while grpc_port == port && settings.grpc_port == 0 {
        grpc_port = bind.port(0)?;
    }
    let defaults = ExecutorProcessConfig::default();
    let config = ExecutorProcessConfig {
        bind_host: bind.text(),
        external_host: Some(bind.host()?),
        port,
        grpc_port,
        scheduler_host,
        scheduler_port,
        scheduler_connect_timeout_seconds: CONNECT,
        vcores: settings.threads.unwrap_or(defaults.vcores).max(1),
        work_dir: Some(folder.to_string()),
        job_data_ttl_seconds: KEEP,
        job_data_clean_up_interval_seconds: 300,
        grpc_max_decoding_message_size: MAX_MESSAGE,
        grpc_max_encoding_message_size: MAX_MESSAGE,
        executor_heartbeat_interval_seconds: HEARTBEAT,
        memory_pool_size: Some(settings.memory),
        // That of Ballista has no functions for lists.
        override_function_registry: Some(Arc::new(
            BallistaFunctionRegistry::from(&SessionContext::new().state()),
        )),
        override_logical_codec: Some(Arc::new(LogLogicalCodec::default())),
        override_physical_codec: Some(Arc::new(LogPhysicalCodec::new(
            meter.clone(),
        ))),
        ..defaults
    };
    let health = config.health.clone();
    tokio::spawn(async move {
        while !health.is_ready() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        ready();
    });
    tokio::spawn(report(meter.clone()));
    start_executor_process(Arc::new(config)).await
}

/// Logs what is read, while anything is read.
async fn report(meter: Meter) {
    let mut last = (0, 0);
    loop {
        tokio::time::sleep(REPORT).await;
        let now = (meter.open(), meter.read());
        if now != last {
            let (open, read) = now;
            let problems = meter.problems();
            let (bad, cut) = (problems.bad_lines, problems.cut_files);
            log::info!(
                "reading {open} ranges; {read} bytes, {bad} bad lines and \
                 {cut} cut files so far"
            );
        }
        last = now;
    }
}
