//! The linetape-scheduler command: plans queries, and gives their parts to
//! executors.

#[path = "../terminal/mod.rs"]
mod terminal;

use std::{net::IpAddr, process::ExitCode};

use clap::Parser;
use linetape_cluster::{Bind, Scheduler, run_scheduler};
use tracing_subscriber::filter::LevelFilter;

/// Plan the queries of `linetape-sql --cluster`, and give their parts to
/// executors
///
/// There is no authentication: anyone who can connect to the port can read all
/// files that the executors can read. It listens on this machine only, unless
/// --bind says otherwise.
#[derive(Parser)]
#[command(
    name = "linetape-scheduler",
    version,
    after_help = "\
Exit codes:
  2  it cannot start, for example because the port is in use

Examples:
  linetape-scheduler
  linetape-scheduler --bind 10.0.0.5 --port 50050"
)]
struct Arguments {
    /// The address of the network interface to listen on
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// The name by which executors and clients reach this machine [default:
    /// the address of --bind]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// The port to listen on; 0 is a free one
    #[arg(long, value_name = "PORT", default_value_t = 50050)]
    port: u16,
    /// After how many seconds without a sign an executor is lost, 5 to 3600
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(5..=3600)
    )]
    executor_timeout: u64,
    /// What to log on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    log: LevelFilter,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    terminal::run("linetape-scheduler", arguments.log, async {
        let settings = Scheduler {
            bind: Bind { address: arguments.bind, host: arguments.host },
            port: arguments.port,
            executor_timeout: arguments.executor_timeout,
        };
        let ready = |address: &str| {
            let text = format!("listening on {address}");
            terminal::print("linetape-scheduler", &text);
        };
        run_scheduler(&settings, ready).await
    })
}
