//! Processes that do not answer for some time, and go on then.

use linetape_generate::{Shape, generate};
use tokio::task::spawn_blocking;

use crate::support::{
    Cluster, Folder, GENEROUS, Process, embedded, report, rows,
};

const WORKING: &str = "linetape-executor: working for ";
const LOST: &str = " heartbeat timed out after ";

/// Asks for the rows of a log with two of them.
async fn ask(cluster: &Cluster) {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"type\":\"user\"}\n{\"type\":\"user\"}\n");
    let context = cluster.context(folder.path(), 1).await;
    let sql = "SELECT type, count(*) AS n FROM lines GROUP BY type";
    let found = tokio::time::timeout(GENEROUS, rows(&context, sql));
    let found = found.await.expect("it hangs");
    assert_eq!(found, ["{\"n\":2,\"type\":\"user\"}"]);
}

/// Waits until an executor was lost.
fn wait_for_loss(scheduler: &mut Process) {
    scheduler.wait_for(|line| line.contains(LOST).then_some(()));
}

/// The scheduler told it to end, and it did.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_that_was_suspended_works_again() {
    let mut cluster = Cluster::start(1);
    ask(&cluster).await;
    cluster.executors[0].pause();
    wait_for_loss(&mut cluster.scheduler);
    cluster.executors[0].go_on();
    cluster.executors[0].wait_for_lines(WORKING, 2);
    ask(&cluster).await;
    let log = cluster.executors[0].log();
    assert!(log.contains("registering again"), "{log}");
    // Signals still have their effect.
    cluster.executors[0].signal("-TERM");
    assert_eq!(cluster.executors[0].end(), Some(0));
}

/// What it had read is lost, and it must not be counted twice. If it was the only one, it
/// does the work again itself.
async fn suspend_in_a_query(executors: usize) {
    let folder = Folder::new();
    let log = generate(Shape::Transcript, 1, 4_000_000);
    for number in 0..30 {
        folder.write(&format!("{number}.jsonl"), &log);
    }
    let sql = "SELECT type, count(*) AS n, sum(length(raw)) AS raw \
               FROM lines GROUP BY type";
    let expected = rows(&embedded(folder.path()).await, sql).await;
    assert!(expected.len() > 2, "{expected:?}");
    let mut cluster = Cluster::start(executors);
    let context = cluster.context(folder.path(), 1).await;
    let query = tokio::spawn(async move { rows(&context, sql).await });
    let cluster = spawn_blocking(move || {
        let executor = &mut cluster.executors[0];
        executor.wait_for(|line| report(line).filter(|(open, _)| *open > 0));
        executor.pause();
        wait_for_loss(&mut cluster.scheduler);
        cluster.executors[0].go_on();
        cluster.executors[0].wait_for_lines(WORKING, 2);
        cluster
    });
    let cluster = cluster.await.unwrap();
    let found = tokio::time::timeout(GENEROUS, query).await;
    assert_eq!(found.expect("it hangs").unwrap(), expected);
    ask(&cluster).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_only_executor_may_be_suspended_in_a_query() {
    suspend_in_a_query(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_executors_may_be_suspended_in_a_query() {
    suspend_in_a_query(2).await;
}

/// It ended. And after a first registration, signals do not end a process by themselves.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_waits_for_a_scheduler_that_is_gone() {
    let mut cluster = Cluster::start(1);
    cluster.scheduler.kill();
    cluster.executors[0].wait_for_lines("registering again", 1);
    let port = cluster.address.rsplit(':').next().unwrap();
    let folder = Folder::new();
    let log = folder.0.join("scheduler.log");
    let program = env!("CARGO_BIN_EXE_linetape-scheduler");
    cluster.scheduler = Process::start(program, &["--port", port], log);
    cluster.executors[0].wait_for_lines(WORKING, 2);
    ask(&cluster).await;

    cluster.scheduler.kill();
    let executor = &mut cluster.executors[0];
    executor.wait_for_lines("registering again", 2);
    executor.signal("-TERM");
    assert_eq!(executor.end(), Some(0));
}
