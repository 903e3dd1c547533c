//! The linetape-executor command: reads logs, and runs the parts of queries.

#[path = "../terminal/mod.rs"]
mod terminal;

use std::{net::IpAddr, path::PathBuf, process::ExitCode};

use clap::Parser;
use linetape_cluster::{Bind, Executor, run_executor};
use linetape_sql::Meter;
use tracing_subscriber::filter::LevelFilter;

/// Read logs and run parts of queries for a linetape-scheduler
///
/// There is no authentication: anyone who can connect to a port can read all
/// files that this process can read, and write where it can write. It listens
/// on this machine only, unless --bind says otherwise.
#[derive(Parser)]
#[command(
    name = "linetape-executor",
    version,
    after_help = "\
With SIGTERM or Ctrl-C, it ends after the tasks that it runs, or at once with a
second signal. With SIGHUP, it ends at once. Its rows are removed, and other
executors run these tasks again. If the scheduler has lost it, or cannot be
reached, it registers again, and tries that for five minutes.

Exit codes:
  0  it was told to end
  2  it cannot reach the scheduler, or a port is in use

Examples:
  linetape-executor
  linetape-executor --scheduler df://10.0.0.5:50050 --bind 10.0.0.6"
)]
struct Arguments {
    /// The address of the scheduler
    #[arg(
        long,
        value_name = "df://HOST:PORT",
        default_value = "df://127.0.0.1:50050"
    )]
    scheduler: String,
    /// The address of the network interface to listen on
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// The name by which other processes reach this machine [default: the
    /// address of --bind]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// The port from which others fetch rows [default: a free one]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    port: u16,
    /// The port at which the scheduler sends tasks [default: a free one]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    grpc_port: u16,
    /// How many ranges of files are read at once [default: one for each core]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    threads: Option<u16>,
    /// The memory for sorting, grouping and joining, in MiB; with more, files
    /// in the folder of --work-dir are used
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    memory: u32,
    /// The folder for intermediate rows, which are parts of the logs. They are
    /// in a folder inside of it that only its owner can read [default: the one
    /// for temporary files]
    #[arg(long, value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
    /// What to log on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    log: LevelFilter,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    terminal::run("linetape-executor", arguments.log, async {
        let settings = Executor {
            scheduler: arguments.scheduler.clone(),
            bind: Bind { address: arguments.bind, host: arguments.host },
            port: arguments.port,
            grpc_port: arguments.grpc_port,
            threads: arguments.threads.map(usize::from),
            memory: u64::from(arguments.memory) << 20,
            folder: arguments.work_dir,
        };
        let ready = move || {
            let text = format!("working for {}", arguments.scheduler);
            terminal::print("linetape-executor", &text);
        };
        run_executor(&settings, &Meter::default(), ready).await
    })
}
