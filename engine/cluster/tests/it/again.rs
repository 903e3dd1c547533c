//! A query that is sent again while the scheduler still runs it.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use ballista_core::serde::protobuf::{
    GetJobStatusParams, job_status::Status,
    scheduler_grpc_client::SchedulerGrpcClient,
};
use linetape_generate::{Shape, generate};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::spawn_blocking,
    time::{sleep, timeout},
};

use crate::support::{Cluster, Folder, GENEROUS, embedded, report, rows};

/// Passes connections on to a scheduler, and can break them.
struct Proxy {
    /// `df://host:port`.
    address: String,
    breaks: watch::Sender<()>,
}

impl Proxy {
    async fn start(scheduler: &str) -> Proxy {
        let to = scheduler.strip_prefix("df://").unwrap().to_string();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("df://{}", listener.local_addr().unwrap());
        let (breaks, broken) = watch::channel(());
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let mut scheduler = TcpStream::connect(&to).await.unwrap();
                let mut broken = broken.clone();
                broken.mark_unchanged();
                tokio::spawn(async move {
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut scheduler) => {}
                        _ = broken.changed() => {}
                    }
                });
            }
        });
        Proxy { address, breaks }
    }

    /// Breaks all connections of this moment.
    fn break_connections(&self) {
        self.breaks.send(()).unwrap();
    }
}

/// Returns how far a job is, by its scheduler.
pub async fn status(scheduler: &str, job: &str) -> Option<Status> {
    let url = scheduler.replacen("df:", "http:", 1);
    let mut scheduler = SchedulerGrpcClient::connect(url).await.unwrap();
    let asked = GetJobStatusParams { job_id: job.to_string() };
    let told = scheduler.get_job_status(asked).await.unwrap();
    told.into_inner().status.and_then(|told| told.status)
}

/// Reads the job of a task that has begun: `Execute task  : [TID job/stage...`
pub fn job(line: &str) -> Option<String> {
    let (_, task) = line.split_once("Execute task  : [TID ")?;
    Some(task.split_once('/')?.0.to_string())
}

/// The old query ran to its end, and took the threads of the new one: before the end of
/// the first stage, the client did not know which query to cancel.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_cancelled_if_it_is_sent_again() {
    let folder = Folder::new();
    let log = generate(Shape::Transcript, 1, 4_000_000);
    for number in 0..10 {
        folder.write(&format!("{number}.jsonl"), &log);
    }
    let sql = "SELECT type, count(*) AS n, sum(length(raw)) AS raw \
               FROM lines GROUP BY type";
    let expected = rows(&embedded(folder.path()).await, sql).await;
    assert!(expected.len() > 2, "{expected:?}");
    // It must not be lost while it is paused.
    let mut cluster = Cluster::start_with_timeout(1, "120");
    let scheduler = cluster.address.clone();
    let proxy = Proxy::start(&scheduler).await;
    // That of the client. The executor is connected directly.
    cluster.address.clone_from(&proxy.address);
    let context = cluster.context(folder.path(), 1).await;
    let query = tokio::spawn(async move { rows(&context, sql).await });
    let paused = spawn_blocking(move || {
        let executor = &mut cluster.executors[0];
        executor.wait_for(|line| report(line).filter(|(open, _)| *open > 0));
        // The query cannot end meanwhile.
        executor.pause();
        let first = executor.wait_for(job);
        (cluster, first)
    });
    let (cluster, first) = paused.await.unwrap();
    let old = status(&scheduler, &first).await;
    assert!(matches!(old, Some(Status::Running(_))), "{old:?}");
    proxy.break_connections();
    // The client sends the query again after half a second.
    let start = Instant::now();
    while let Some(Status::Running(_)) = status(&scheduler, &first).await {
        if start.elapsed() > Duration::from_secs(60) {
            break;
        }
        sleep(Duration::from_millis(50)).await;
    }
    cluster.executors[0].go_on();
    let found = timeout(GENEROUS, query).await;
    assert_eq!(found.expect("it hangs").unwrap(), expected);
    let log = cluster.executors[0].log();
    let jobs: HashSet<String> = log.lines().filter_map(job).collect();
    assert_eq!(jobs.len(), 2, "{jobs:?}");
    match status(&scheduler, &first).await {
        Some(Status::Failed(old)) => assert_eq!(old.error, "Cancelled"),
        old => panic!("the old query was not cancelled: {old:?}"),
    }
}
