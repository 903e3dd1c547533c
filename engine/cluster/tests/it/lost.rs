//! An executor that is lost while it works.

use std::time::{Duration, Instant};

use linetape_generate::{Shape, generate};

use crate::support::{Cluster, Folder, embedded, report, rows};

/// The timeouts are ours: with those of Ballista, this took three minutes.
#[tokio::test(flavor = "multi_thread")]
async fn the_work_of_a_killed_executor_is_done_again() {
    let folder = Folder::new();
    let log = generate(Shape::Transcript, 1, 4_000_000);
    for number in 0..SIZE / 4_000_000 {
        folder.write(&format!("{number}.jsonl"), &log);
    }
    let sql = "SELECT type, count(*) AS n, sum(length(raw)) AS raw, \
               sum(length(text)) AS text, max(\"timestamp\") AS last \
               FROM lines GROUP BY type";
    let start = Instant::now();
    let expected = rows(&embedded(folder.path()).await, sql).await;
    // On a machine that does other things, the work itself takes longer.
    let enough = (20 * SECOND + 4 * start.elapsed()).max(30 * SECOND);
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
    assert!(bytes < SIZE, "it had read everything: {bytes}");
    assert!(!query.is_finished());
    let found = tokio::time::timeout(enough, query);
    assert_eq!(found.await.expect("too late").unwrap(), expected);
    assert!(cluster.executors[0].is_running());
    drop(victim);
}

/// Large enough for a query to last longer than two seconds.
const SIZE: u64 = 120_000_000;

const SECOND: Duration = Duration::from_secs(1);
