//! The ports of an executor.

use std::{
    net::TcpListener,
    process::Command,
    time::{Duration, Instant},
};

use crate::support::{Cluster, Folder, Process};

const SCHEDULER: &str = env!("CARGO_BIN_EXE_linetape-scheduler");
const EXECUTOR: &str = env!("CARGO_BIN_EXE_linetape-executor");
const WORKING: &str = "linetape-executor: working for ";

/// With `--port`, it said that it was working, and ended with exit code 0.
#[test]
fn a_port_that_is_in_use_is_an_error() {
    let cluster = Cluster::start(0);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let port = address.port().to_string();
    for option in ["--port", "--grpc-port"] {
        let output = Command::new(EXECUTOR)
            .args(["--scheduler", &cluster.address, option, &port])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let start = format!("linetape-executor: cannot listen on {address}: ");
        assert!(text.starts_with(&start), "{option}: {text}");
        assert!(!text.contains(WORKING), "{option}: {text}");
        assert_eq!(output.status.code(), Some(2), "{option}: {text}");
    }
    // One port cannot be both.
    drop(taken);
    let output = Command::new(EXECUTOR)
        .args(["--scheduler", &cluster.address])
        .args(["--port", &port, "--grpc-port", &port])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("cannot listen on "), "{text}");
    assert_eq!(output.status.code(), Some(2), "{text}");
}

/// Both ports were chosen, closed again, and opened later. If another process took one
/// in between, the executor ended. If it was the one for rows, it had said before that it
/// was working.
#[test]
fn a_port_that_is_taken_while_the_executor_starts_is_chosen_again() {
    let folder = Folder::new();
    // Nobody listens there yet, so that the executor waits.
    let scheduler = TcpListener::bind("127.0.0.1:0").unwrap();
    let scheduler_port = scheduler.local_addr().unwrap().port().to_string();
    drop(scheduler);
    let address = format!("df://127.0.0.1:{scheduler_port}");
    let arguments = ["--scheduler", &address, "--log", "info"];
    let mut executor =
        Process::start(EXECUTOR, &arguments, folder.0.join("executor.log"));
    let (rows, tasks) = executor.wait_for(ports);
    let held = TcpListener::bind(("127.0.0.1", rows));
    assert!(held.is_err(), "the port for rows is open to others");
    let taken = TcpListener::bind(("127.0.0.1", tasks)).unwrap();

    let arguments = ["--port", &scheduler_port];
    let log = folder.0.join("scheduler.log");
    let mut scheduler = Process::start(SCHEDULER, &arguments, log);
    scheduler.wait_for(|line| line.contains("listening on").then_some(()));
    executor.wait_for(|line| line.contains(WORKING).then_some(()));
    let log = executor.log();
    let (_, last) = log.lines().filter_map(ports).next_back().unwrap();
    assert_ne!(last, tasks);
    drop(taken);
}

/// Reads `rows are at port 1, tasks at port 2`.
fn ports(line: &str) -> Option<(u16, u16)> {
    let (_, rest) = line.split_once("rows are at port ")?;
    let (rows, tasks) = rest.split_once(", tasks at port ")?;
    Some((rows.parse().ok()?, tasks.parse().ok()?))
}

/// Ballista tried it for ever.
#[test]
fn a_scheduler_that_cannot_be_reached_is_an_error() {
    // Nobody listens there. A free port could be taken by another test meanwhile.
    let address = "df://127.0.0.1:1";
    let folder = Folder::new();
    let arguments = ["--scheduler", address];
    let log = folder.0.join("executor.log");
    let mut executor = Process::start(EXECUTOR, &arguments, log);
    // It waits for 30 seconds.
    let start = Instant::now();
    executor.end();
    assert!(start.elapsed() > Duration::from_secs(20));
    let text = executor.log();
    let expected = format!(
        "linetape-executor: cannot reach the scheduler {address}: Connection"
    );
    assert!(text.starts_with(&expected), "{text}");
}
