//! Signals that end an executor.
#![cfg(unix)]

use std::fs;

use linetape_engine_testing::obeys_hangup;

use crate::support::{Cluster, Folder, Process, rows};

const EXECUTOR: &str = env!("CARGO_BIN_EXE_linetape-executor");

/// Starts an executor whose folder for rows is `folder/work`.
fn start(cluster: &Cluster, folder: &Folder) -> Process {
    let work = folder.0.join("work");
    let arguments = [
        "--scheduler",
        &cluster.address,
        "--work-dir",
        work.to_str().unwrap(),
        "--log",
        "info",
    ];
    let log = folder.0.join("executor.log");
    let mut executor = Process::start(EXECUTOR, &arguments, log);
    executor.wait_for_lines("linetape-executor: working for", 1);
    executor
}

/// Returns how many files and folders are in the folder for rows.
fn left(folder: &Folder) -> usize {
    fs::read_dir(folder.0.join("work")).unwrap().count()
}

/// It ended, and left its rows behind.
#[test]
fn a_hangup_removes_the_rows() {
    if !obeys_hangup() {
        return;
    }
    let (cluster, folder) = (Cluster::start(0), Folder::new());
    let mut executor = start(&cluster, &folder);
    assert_eq!(left(&folder), 1);
    executor.signal("-HUP");
    assert_eq!(executor.end(), Some(0));
    assert_eq!(left(&folder), 0);
}

/// Reads the stage of a task that has begun: `Execute task  : [TID job/stage.attempt/...`
fn stage(line: &str) -> Option<u64> {
    let (_, task) = line.split_once("Execute task  : [")?;
    let (stage, _) = task.split('/').nth(1)?.split_once('.')?;
    stage.parse().ok()
}

/// It could only be killed, and then its rows stayed.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_an_executor_with_a_long_task() {
    let (cluster, folder) = (Cluster::start(0), Folder::new());
    let log: String = (0..200_000)
        .map(|n| format!("{{\"type\":\"user\",\"uuid\":\"{n}\"}}\n"))
        .collect();
    folder.write("logs/a.jsonl", log);
    let logs = folder.0.join("logs").to_str().unwrap().to_string();
    let mut executor = start(&cluster, &folder);
    let context = cluster.context(&logs, 1).await;
    // It compares 40,000 million pairs.
    let sql =
        "SELECT count(*) AS n FROM lines a, lines b WHERE a.uuid < b.uuid";
    let query = tokio::spawn(async move { rows(&context, sql).await });
    let ended = tokio::task::spawn_blocking(move || {
        executor.wait_for(|line| stage(line).filter(|stage| *stage > 1));
        executor.signal("-TERM");
        executor.wait_for_lines("setting executor to TERMINATING status", 1);
        assert!(executor.is_running(), "{}", executor.log());
        executor.signal("-TERM");
        executor.end()
    });
    assert_eq!(ended.await.unwrap(), Some(0));
    query.abort();
    assert_eq!(left(&folder), 0);
}
