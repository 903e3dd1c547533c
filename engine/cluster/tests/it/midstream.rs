//! An executor that is lost while its rows are fetched.

use std::{
    fmt::Write,
    thread,
    time::{Duration, Instant},
};

use futures::StreamExt;
use linetape_engine_testing::json;
use serde_json::Value;
use tokio::{task::spawn_blocking, time::timeout};

use crate::support::{Cluster, Folder, GENEROUS, Process, embedded, rows};

/// Two stages: the second one has one task, which reads the rows of all others.
const SQL: &str = "SELECT file, uuid FROM lines ORDER BY file LIMIT 100";

/// Writes logs of one long line each. The lines cannot be compressed, and are shorter
/// than a message with rows, which has 8 MiB.
fn logs() -> Folder {
    let folder = Folder::new();
    let mut state = 1_u64;
    for number in 0..8 {
        let mut text = String::new();
        while text.len() < 4_000_000 {
            // Xorshift.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            write!(text, "{state:016x}").unwrap();
        }
        let line = format!("{{\"type\":\"user\",\"uuid\":\"{text}\"}}\n");
        folder.write(&format!("{number}.jsonl"), line);
    }
    folder
}

/// Returns how many parts of the rows of a stage an executor has sent, by its log for
/// programmers. `None` means that nobody has asked for them yet.
fn sent(executor: &Process, stage: u8) -> Option<usize> {
    let (log, stage) = (executor.log(), format!("/{stage}/"));
    let mut lines = log.lines();
    lines.find(|line| {
        line.contains("FetchPartition reading ") && line.contains(&stage)
    })?;
    Some(lines.filter(|line| line.contains("send frame=Data ")).count())
}

/// Kills the executor that is sending rows of a stage. It has sent some parts of them,
/// but by far not all.
fn kill_sender(executors: &mut Vec<Process>, stage: u8) {
    let start = Instant::now();
    loop {
        let is_sending = |e: &Process| sent(e, stage).is_some_and(|n| n > 20);
        if let Some(sender) = executors.iter().position(is_sending) {
            executors.remove(sender).kill();
            return;
        }
        assert!(start.elapsed() < GENEROUS, "nobody fetches rows");
        thread::sleep(Duration::from_millis(10));
    }
}

async fn expected(folder: &Folder) -> Vec<String> {
    let expected = rows(&embedded(folder.path()).await, SQL).await;
    assert_eq!(expected.len(), 8);
    expected
}

/// Ballista itself repeats such a fetch, unless it breaks in the first message. Then the
/// query failed, with an error for programmers.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_may_be_lost_while_another_one_fetches_its_rows() {
    let folder = logs();
    let expected = expected(&folder).await;
    let mut cluster = Cluster::start_with_log(2, "debug");
    let context = cluster.context(folder.path(), 1).await;
    // The sender has to wait after each 100 bytes, so a fetch takes seconds.
    let slow = "SET ballista.client.initial_stream_window_size = 100";
    context.sql(slow).await.unwrap().collect().await.unwrap();
    let query = tokio::spawn(async move { rows(&context, SQL).await });
    let cluster = spawn_blocking(move || {
        kill_sender(&mut cluster.executors, 1);
        cluster
    });
    let cluster = cluster.await.unwrap();
    let found = timeout(GENEROUS, query).await;
    assert_eq!(found.expect("it hangs").unwrap(), expected);
    let log = cluster.executors[0].log();
    let is_broken = |line: &str| {
        line.contains("failed to fetch partition")
            && line.contains("error: ArrowError(IpcError(")
    };
    assert!(log.lines().any(is_broken), "it did not break in the rows");
}

/// The client has a part of the result, but no row of it yet, so it may begin again.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_may_be_lost_while_the_client_fetches_the_first_row() {
    let folder = logs();
    let expected = expected(&folder).await;
    let mut cluster = Cluster::start_with_log(2, "debug");
    let context = cluster.context(folder.path(), 1).await;
    let frame = context.sql(SQL).await.unwrap();
    let mut batches = frame.execute_stream().await.unwrap();
    let start = Instant::now();
    while !cluster.executors.iter().any(|e| sent(e, 2).is_some()) {
        assert!(start.elapsed() < GENEROUS, "it hangs");
        let next = timeout(Duration::from_millis(1), batches.next()).await;
        assert!(next.is_err(), "there are rows already");
    }
    // Nobody asks for the rest of the rows meanwhile, so the sender has to wait after
    // the first 2 MiB.
    let cluster = spawn_blocking(move || {
        kill_sender(&mut cluster.executors, 2);
        cluster
    });
    let _cluster = cluster.await.unwrap();
    let found = async {
        let mut found = vec![];
        while let Some(batch) = batches.next().await {
            found.push(batch.unwrap());
        }
        found
    };
    let found = timeout(GENEROUS, found).await.expect("it hangs");
    let Value::Array(found) = json(&found) else { panic!("no rows") };
    let mut found: Vec<String> = found.iter().map(Value::to_string).collect();
    found.sort();
    assert_eq!(found, expected);
}
