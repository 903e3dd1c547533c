//! A command that is interrupted.
#![cfg(unix)]

use std::time::{Duration, Instant};

use ballista_core::serde::protobuf::job_status::Status;
use linetape_generate::{Shape, generate};
use tokio::{
    task::spawn_blocking,
    time::{sleep, timeout},
};

use crate::{
    again::{job, status},
    commands::sql,
    support::{Cluster, Folder, GENEROUS, Process, report, rows},
};

/// The query went on in the cluster to its end, and the threads of the executors were busy
/// until then.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_is_interrupted_is_cancelled() {
    let folder = Folder::new();
    let log = generate(Shape::Transcript, 1, 4_000_000);
    for number in 0..10 {
        folder.write(&format!("{number}.jsonl"), &log);
    }
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        // The executor must not be lost while it is paused.
        let cluster = Cluster::start_with_timeout(1, "120");
        let context = cluster.context(folder.path(), 1).await;
        let query = "SELECT type, count(*) AS n, sum(length(raw)) AS raw \
                     FROM lines GROUP BY type";
        let outputs = Folder::new();
        let mut command = Process::start(
            sql().to_str().unwrap(),
            &["--csv", "--cluster", &cluster.address, query, folder.path()],
            outputs.0.join("sql.log"),
        );
        let stopped = spawn_blocking(move || {
            let mut cluster = cluster;
            let executor = &mut cluster.executors[0];
            let is_reading = |line: &str| report(line).filter(|r| r.0 > 0);
            executor.wait_for(is_reading);
            // The query cannot end meanwhile.
            executor.pause();
            let id = executor.wait_for(job);
            command.signal(signal);
            assert_eq!(command.end(), Some(code), "{}", command.log());
            (cluster, id)
        });
        let (cluster, id) = stopped.await.unwrap();
        // The scheduler was told, and does the rest in a moment.
        let start = Instant::now();
        let ended = loop {
            match status(&cluster.address, &id).await {
                Some(Status::Running(_)) => {
                    let is_long = start.elapsed() > Duration::from_secs(60);
                    assert!(!is_long, "{signal}: the query goes on");
                    sleep(Duration::from_millis(50)).await;
                }
                ended => break ended,
            }
        };
        match ended {
            Some(Status::Failed(job)) => assert_eq!(job.error, "Cancelled"),
            other => panic!("{signal}: it was not cancelled: {other:?}"),
        }
        cluster.executors[0].go_on();
        let next = rows(&context, "SELECT count(*) > 0 AS n FROM lines");
        let found = timeout(GENEROUS, next).await.expect("it is busy");
        assert_eq!(found, ["{\"n\":true}"]);
        drop(cluster);
    }
}
