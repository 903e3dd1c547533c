use std::{
    io,
    net::SocketAddr,
    path::Path,
    pin::pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::{
    error::{BallistaError, Result},
    registry::BallistaFunctionRegistry,
    serde::protobuf::{
        ExecutorStoppedParams, scheduler_grpc_client::SchedulerGrpcClient,
    },
    utils::{
        GrpcServerConfig, create_grpc_server, create_grpc_server_incoming,
    },
};
use ballista_executor::{
    ArrowFlightServerProvider,
    executor_process::{ExecutorProcessConfig, start_executor_process},
    executor_server::TERMINATING,
    flight_service::BallistaFlightService,
    shutdown::Shutdown,
};
use datafusion::prelude::SessionContext;
use linetape_sql::{
    Meter,
    cluster::{LogLogicalCodec, LogPhysicalCodec, MAX_MESSAGE, host_and_port},
};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    address::Bind,
    end::End,
    executor::Executor,
    reason::{innermost, plain},
};

/// How often the scheduler is told that this executor works, in seconds.
const HEARTBEAT: u64 = 2;

/// How long to try to reach the scheduler.
const CONNECT: Duration = Duration::from_secs(30);

/// How long to wait before the scheduler is called again.
const CALL_AGAIN: Duration = Duration::from_millis(500);

/// How long the scheduler may take to hear that an executor has ended, and Ballista to
/// notice a signal.
const NOTICE: Duration = Duration::from_secs(2);

/// How long the rows of a query are kept at most, in seconds. The scheduler
/// has them removed five minutes after the query, but it may be gone.
const KEEP: u64 = 24 * 3600;

/// Why the services have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// A signal has come.
    ByUser,
    /// The scheduler has said so, or does not answer.
    ByScheduler,
}

/// The services of an executor: one registration with the scheduler.
pub(crate) struct Services {
    config: ExecutorProcessConfig,
    address: String,
    /// The address for tasks, if the user has chosen its port.
    named: Option<SocketAddr>,
    /// Whether Ballista waits for signals itself.
    is_serving: Arc<AtomicBool>,
}

impl Services {
    /// Opens the ports.
    ///
    /// # Errors
    ///
    /// Returns an error if a port is in use, or the folder cannot be created.
    pub(crate) fn new(
        settings: &Executor,
        meter: &Meter,
        folder: &Path,
    ) -> Result<Services> {
        let (scheduler_host, scheduler_port) =
            host_and_port(&settings.scheduler).map_err(|error| {
                BallistaError::Configuration(linetape_sql::message(&error))
            })?;
        std::fs::create_dir_all(folder)?;
        let Some(work_dir) = folder.to_str() else {
            return Err(BallistaError::Configuration(format!(
                "{} is not valid Unicode",
                folder.display()
            )));
        };
        let bind = &settings.bind;
        let external_host = Some(bind.host()?);
        let is_serving = Arc::new(AtomicBool::new(false));
        let (port, rows) = rows(bind, settings.port, &is_serving)?;
        let grpc_port = bind.port(settings.grpc_port)?;
        log::info!("rows are at port {port}, tasks at port {grpc_port}");
        let named = SocketAddr::new(bind.address, grpc_port);
        let named = (settings.grpc_port != 0).then_some(named);
        let defaults = ExecutorProcessConfig::default();
        let config = ExecutorProcessConfig {
            bind_host: bind.text(),
            external_host,
            port,
            grpc_port,
            scheduler_host,
            scheduler_port,
            // One attempt: see `reach`. With more, Ballista 55.0 never ends them.
            scheduler_connect_timeout_seconds: 0,
            vcores: settings.threads.unwrap_or(defaults.vcores).max(1),
            work_dir: Some(work_dir.to_string()),
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
            override_arrow_flight_service: Some(rows),
            ..defaults
        };
        // With the port, if that was left out.
        let address = format!(
            "df://{}:{}",
            config.scheduler_host, config.scheduler_port
        );
        Ok(Services { config, address, named, is_serving })
    }

    /// Registers with the scheduler, and works until the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the scheduler cannot be reached, or if another process has
    /// taken the port for tasks.
    pub(crate) async fn run(
        self,
        ready: Arc<dyn Fn() + Send + Sync>,
        end: &mut End,
    ) -> Result<Ended> {
        let ExecutorProcessConfig { scheduler_host, scheduler_port, .. } =
            &self.config;
        let url = format!("http://{scheduler_host}:{scheduler_port}");
        tokio::select! {
            reached = reach(&url, &self.address) => reached?,
            () = end.wait() => return Ok(Ended::ByUser),
        }
        let health = self.config.health.clone();
        let ready = tokio::spawn(async move {
            while !health.is_ready() {
                sleep(Duration::from_millis(20)).await;
            }
            ready();
        });
        let id = self.config.executor_id.clone();
        let ended = self.serve(end).await;
        ready.abort();
        let has_told = TERMINATING.load(Ordering::Acquire);
        match ended {
            // It may have registered this one again, by a report of the last moment.
            // Then it would send tasks to it until it notices.
            Ok(Ended::ByScheduler) => {
                let reason = "it registers again";
                let _ = timeout(NOTICE, forget(url, id, reason)).await;
            }
            // Ballista does not know of SIGHUP.
            Ok(Ended::ByUser) if !has_told => {
                let _ = timeout(NOTICE, forget(url, id, "it has ended")).await;
            }
            _ => {}
        }
        ended
    }

    async fn serve(self, end: &mut End) -> Result<Ended> {
        let Services { config, named, is_serving, .. } = self;
        // Ballista sets it at the end, and would report it for ever.
        TERMINATING.store(false, Ordering::Release);
        let mut process = pin!(start_executor_process(Arc::new(config)));
        let ended = tokio::select! {
            ended = &mut process => match end.is_told() {
                true => ended.map(|()| Ended::ByUser),
                false => ended.map(|()| Ended::ByScheduler),
            },
            () = end.wait() => {
                if is_serving.load(Ordering::Acquire) {
                    // It ends its tasks first, if it has noticed the signal.
                    let noticed = timeout(NOTICE, &mut process).await.is_err()
                        && TERMINATING.load(Ordering::Acquire);
                    if noticed {
                        // A task may take long.
                        tokio::select! {
                            ended = &mut process => ended?,
                            () = end.wait_for_second() => {
                                log::warn!("ending before all tasks have ended");
                            }
                        }
                    }
                }
                Ok(Ended::ByUser)
            }
        };
        match (ended, named) {
            (Err(error), Some(address)) if is_taken(&error) => {
                Err(cannot_listen(address, &error))
            }
            (ended, _) => ended,
        }
    }
}

/// Checks whether another process has taken a port that was free.
pub(crate) fn is_taken(error: &BallistaError) -> bool {
    match error {
        BallistaError::IoError(error) => {
            error.kind() == io::ErrorKind::AddrInUse
        }
        _ => false,
    }
}

/// Opens the port from which others fetch rows. It stays open, so that no other
/// process can take it before Ballista uses it.
fn rows(
    bind: &Bind,
    port: u16,
    is_serving: &Arc<AtomicBool>,
) -> Result<(u16, Arc<ArrowFlightServerProvider>)> {
    let address = SocketAddr::new(bind.address, port);
    let config = GrpcServerConfig::default();
    let listener = create_grpc_server_incoming(address, &config);
    let listener = listener.map_err(|error| cannot_listen(address, &error))?;
    let port = listener.local_addr()?.port();
    let listener = Mutex::new(Some(listener));
    let is_serving = Arc::clone(is_serving);
    let serve = move |folder: String,
                      _: SocketAddr,
                      mut end: Shutdown,
                      config: GrpcServerConfig| {
        // After this call, Ballista waits for signals.
        is_serving.store(true, Ordering::Release);
        let listener =
            listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        tokio::spawn(async move {
            let Some(listener) = listener else {
                let text = "the rows are served already".to_string();
                return Err(BallistaError::Internal(text));
            };
            let rows =
                FlightServiceServer::new(BallistaFlightService::new(folder))
                    .max_decoding_message_size(MAX_MESSAGE as usize)
                    .max_encoding_message_size(MAX_MESSAGE as usize);
            let server = create_grpc_server(&config).add_service(rows);
            server.serve_with_incoming_shutdown(listener, end.recv()).await?;
            Ok(())
        })
    };
    Ok((port, Arc::new(serve)))
}

/// Waits until the scheduler can be reached.
async fn reach(url: &str, address: &str) -> Result<()> {
    let give_up = Instant::now() + CONNECT;
    loop {
        let call = SchedulerGrpcClient::connect(url.to_string());
        let reason = match tokio::time::timeout_at(give_up, call).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => innermost(&error),
            Err(_) => "it does not answer".to_string(),
        };
        log::info!("cannot reach the scheduler {address} yet: {reason}");
        if Instant::now() + CALL_AGAIN >= give_up {
            return Err(BallistaError::Configuration(format!(
                "cannot reach the scheduler {address}: {reason}"
            )));
        }
        sleep(CALL_AGAIN).await;
    }
}

/// Tells the scheduler that an executor has ended.
async fn forget(url: String, id: String, reason: &str) {
    let Ok(mut scheduler) = SchedulerGrpcClient::connect(url).await else {
        return;
    };
    let reason = reason.to_string();
    let stopped = ExecutorStoppedParams { executor_id: id, reason };
    if let Err(error) = scheduler.executor_stopped(stopped).await {
        log::info!("the scheduler was not told of the end: {error}");
    }
}

/// Returns the error for an address that cannot be used.
fn cannot_listen(address: SocketAddr, error: &BallistaError) -> BallistaError {
    let why = format!("cannot listen on {address}: {}", plain(error));
    BallistaError::Configuration(why)
}
