//! An executor that is lost while it works.

use std::time::Duration;

use linetape_cluster::Scheduler;
use linetape_generate::{Shape, generate};

use crate::support::{Cluster, Folder, embedded, report, rows};

/// The timeouts are ours: with those of Ballista, this took three minutes.
#[tokio::test(flavor = "multi_thread")]
async fn the_work_of_a_killed_executor_is_done_again() {
    let folder = Folder::new();
    let log = generate(Shape::Transcript, 1, 4_000_000);
    for number in 0..FILES {
        folder.write(&format!("{number}.jsonl"), &log);
    }
    let size = FILES * log.len() as u64;
    let sql = "SELECT type, count(*) AS n, sum(length(raw)) AS raw, \
               sum(length(text)) AS text, max(\"timestamp\") AS last \
               FROM lines GROUP BY type";
    let expected = rows(&embedded(folder.path()).await, sql).await;
    assert!(expected.len() > 2, "{expected:?}");

    let mut cluster = Cluster::start(2);
    let context = cluster.context(folder.path(), 1).await;
    let query = tokio::spawn(async move { rows(&context, sql).await });
    let mut victim = cluster.executors.remove(0);
    let (victim, bytes) = tokio::task::spawn_blocking(move || {
        let bytes = victim.wait_for(|line| {
            // It has begun to read, and has not ended.
            let (ranges, bytes) = report(line)?;
            (ranges > 0 && bytes > 0).then_some(bytes)
        });
        victim.kill();
        (victim, bytes)
    })
    .await
    .unwrap();
    assert!(bytes < size, "it had read everything: {bytes}");
    assert!(!query.is_finished());
    // Only so that the test ends if the query never does.
    let found = tokio::time::timeout(HANGS, query);
    assert_eq!(found.await.expect("it hangs").unwrap(), expected);
    let mut survivor = cluster.executors.remove(0);
    assert!(survivor.is_running());
    let lost = tokio::task::spawn_blocking(move || {
        let lost = cluster.scheduler.wait_for(|line| {
            let (_, rest) = line.split_once(" heartbeat timed out after ")?;
            rest.split_once('s')?.0.parse::<u64>().ok()
        });
        // What the victim has read is lost, with the rows that it made. So the
        // other one has read everything in the end.
        survivor.wait_for(|line| {
            report(line).filter(|(ranges, read)| *ranges == 0 && *read >= size)
        });
        lost
    })
    .await
    .unwrap();
    // It was our timeout that found the loss.
    assert_eq!(lost, Scheduler::default().executor_timeout);
    drop(victim);
}

/// Together large enough for a query to last longer than two seconds.
const FILES: u64 = 30;

const HANGS: Duration = Duration::from_secs(600);
