use std::{path::PathBuf, sync::Arc, time::Duration};

use ballista_core::{error::Result, ids::new_instance_id};
use linetape_sql::Meter;
use tokio::time::Instant;

use crate::{
    address::Bind,
    end::End,
    folder::Folder,
    reason::plain,
    services::{Ended, Services, is_taken},
};

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
    /// The folder for intermediate rows. `None` means the one for temporary files. The
    /// executor creates a folder of its own inside of it, which is removed at the end, and
    /// touches nothing else there.
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

/// How often other ports are chosen if another process has taken them.
const ATTEMPTS: u8 = 5;

/// How long an executor that has worked tries to work again.
const RETURN: Duration = Duration::from_secs(300);

/// How long it waits before it tries that.
const PAUSE: Duration = Duration::from_secs(1);

/// How often what was read is logged.
const REPORT: Duration = Duration::from_millis(250);

/// Runs an executor until it is stopped by a signal. `ready` is called when
/// the scheduler knows it and all its ports are open.
///
/// A scheduler that has not heard of an executor for some time tells it to end, for
/// example because one of both was suspended. Then the executor registers again, with a
/// new id and without the rows that it had, and `ready` is called again. If that is not
/// possible for five minutes, it ends. Each time that it has worked, these count anew.
///
/// After the first signal, it ends its tasks. With the second one, and with SIGHUP, it does
/// not wait for them. Then the runtime should be shut down without waiting
/// (`shutdown_background`).
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
    ready: impl Fn() + Send + Sync + 'static,
) -> Result<()> {
    // Before there is a folder, which a signal would leave behind.
    let end = End::by_signals();
    // It is removed when this function ends.
    let folder = Folder::new(settings.folder.as_deref())?;
    let report = tokio::spawn(report(meter.clone()));
    let ended = work(settings, meter, &folder, Arc::new(ready), end).await;
    report.abort();
    ended
}

/// Registers, works, and does so again if the scheduler has ended that.
async fn work(
    settings: &Executor,
    meter: &Meter,
    folder: &Folder,
    ready: Arc<dyn Fn() + Send + Sync>,
    mut end: End,
) -> Result<()> {
    let mut attempts = ATTEMPTS;
    // Set if it has worked.
    let mut give_up: Option<Instant> = None;
    loop {
        // A task that has not noticed the end of a run must not write into the files of
        // the next one.
        let folder_of_run = folder.join(&new_instance_id());
        let services = Services::new(settings, meter, &folder_of_run);
        let ended = match services {
            Ok(services) => services.run(Arc::clone(&ready), &mut end).await,
            Err(error) => Err(error),
        };
        match ended {
            Ok(Ended::ByUser) => return Ok(()),
            Ok(Ended::ByScheduler) => {
                log::warn!(
                    "the scheduler has lost this executor, or cannot be reached: \
                     registering again"
                );
                give_up = Some(Instant::now() + RETURN);
                attempts = ATTEMPTS;
            }
            Err(error) if attempts > 0 && is_taken(&error) => {
                log::info!("choosing other ports: {}", plain(&error));
                attempts -= 1;
            }
            Err(error)
                if give_up.is_some_and(|time| Instant::now() < time) =>
            {
                let why = plain(&error);
                log::warn!("cannot work, and will try again: {why}");
            }
            Err(error) => return Err(error),
        }
        // What cannot be removed now is removed with the whole folder.
        let _ = std::fs::remove_dir_all(&folder_of_run);
        if give_up.is_some() {
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = end.wait() => return Ok(()),
            }
        }
    }
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
