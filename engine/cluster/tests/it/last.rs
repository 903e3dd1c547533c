//! Clusters without executors.

use datafusion::{error::Result, prelude::SessionContext};
use linetape_generate::{Shape, generate};
use serde_json::Value;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::support::{Cluster, Folder, GENEROUS, embedded, report, rows, run};

const SQL: &str = "SELECT type, count(*) AS n, sum(length(raw)) AS raw \
                   FROM lines GROUP BY type";

/// Together large enough for a query to last longer than two seconds.
fn logs() -> Folder {
    let folder = Folder::new();
    let log = generate(Shape::Transcript, 1, 4_000_000);
    for number in 0..30 {
        folder.write(&format!("{number}.jsonl"), &log);
    }
    folder
}

/// Sends a query, and kills the only executor while it reads.
async fn lose_the_last(
    cluster: Cluster,
    context: SessionContext,
) -> (Cluster, JoinHandle<Result<Vec<Value>>>) {
    let query = tokio::spawn(async move { run(&context, SQL).await });
    let lost = spawn_blocking(move || {
        let mut cluster = cluster;
        let mut victim = cluster.executors.remove(0);
        victim.wait_for(|line| report(line).filter(|(open, _)| *open > 0));
        victim.kill();
        cluster
    });
    let cluster = lost.await.unwrap();
    assert!(!query.is_finished());
    (cluster, query)
}

/// The query failed 10 seconds after the loss was noticed.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_waits_for_another_executor() {
    let folder = logs();
    let expected = rows(&embedded(folder.path()).await, SQL).await;
    assert!(expected.len() > 2, "{expected:?}");
    let cluster = Cluster::start(1);
    let context = cluster.context(folder.path(), 1).await;
    let (cluster, query) = lose_the_last(cluster, context).await;
    let cluster = spawn_blocking(move || {
        let mut cluster = cluster;
        cluster.scheduler.wait_for(|line| {
            line.contains("no executors remain").then_some(())
        });
        cluster.add_executor(1);
        cluster
    });
    let cluster = cluster.await.unwrap();
    let found = tokio::time::timeout(GENEROUS, query);
    let found = found.await.expect("it hangs").unwrap().unwrap();
    let mut found: Vec<String> = found.iter().map(Value::to_string).collect();
    found.sort();
    assert_eq!(found, expected);
    drop(cluster);
}

/// It waited for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_does_not_wait_for_ever_for_the_first_executor() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"type\":\"user\"}\n");
    let cluster = Cluster::start(0);
    let context = cluster.context(folder.path(), 1).await;
    // 60 seconds.
    let query = tokio::time::timeout(GENEROUS, run(&context, SQL));
    let error = query.await.expect("it hangs").unwrap_err();
    let error = error.to_string();
    let expected = "there was no executor within 60 seconds";
    assert!(error.contains(expected), "{error}");
    // The next query runs as usual.
    let cluster = spawn_blocking(move || {
        let mut cluster = cluster;
        cluster.add_executor(1);
        cluster
    });
    let cluster = cluster.await.unwrap();
    assert_eq!(rows(&context, "SELECT type FROM lines").await.len(), 1);
    drop(cluster);
}
