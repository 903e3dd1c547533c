//! An executor that is lost while it works.

use std::{collections::HashSet, thread, time::Duration};

use futures::StreamExt;
use linetape_cluster::Scheduler;
use linetape_generate::{Shape, generate};

use crate::support::{
    Cluster, Folder, GENEROUS, Process, embedded, report, rows,
};

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
    let found = tokio::time::timeout(LIMIT, query).await;
    let found = found.expect("it takes too long, or hangs").unwrap();
    assert_eq!(found, expected);
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

/// How long a query may take after the loss, in the one test that looks at the time. The
/// loss is noticed after 12 seconds at the latest, and then a part of the query is run
/// again. With four other programs that compute on two cores, and in a debug build, that
/// takes up to 20 seconds.
const LIMIT: Duration = Duration::from_secs(30);

/// Waits for a query whose executor was lost in this moment. It is noticed after 12
/// seconds at the latest, and then a part of the query is run again, or the whole.
async fn ends<T>(query: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(GENEROUS, query).await;
    ended.expect("it hangs")
}

/// The tasks in the log of an executor.
#[derive(Debug, Default)]
struct Tasks {
    /// The stages of those that run.
    running: Vec<u64>,
    /// The stages of those that have ended.
    ended: Vec<u64>,
}

impl Tasks {
    fn of(executor: &Process) -> Tasks {
        let log = executor.log();
        let named = |what: &str| {
            let names = log.lines().filter_map(|line| {
                let (_, rest) = line.split_once(what)?;
                Some(rest.split_once(']')?.0.to_string())
            });
            names.collect::<HashSet<String>>()
        };
        let begun = named("Execute task  : [");
        let ended = named("Finished task : [");
        // `TID job/stage.attempt/task.attempt`
        let stage = |name: &String| {
            let (stage, _) = name.split('/').nth(1)?.split_once('.')?;
            stage.parse().ok()
        };
        Tasks {
            running: begun.difference(&ended).filter_map(stage).collect(),
            ended: ended.iter().filter_map(stage).collect(),
        }
    }
}

/// Kills one of two executors in the middle of a query, as soon as `is_time` says so of
/// the tasks of this one and of the other one. The rows must be those of one process,
/// and the other executor must work on.
async fn lose_one(sql: &'static str, is_time: fn(&Tasks, &Tasks) -> bool) {
    let folder = Folder::new();
    for number in 0..10 {
        let log = generate(Shape::Transcript, number, 2_000_000);
        folder.write(&format!("{number}.jsonl"), log);
    }
    let alone = embedded(folder.path()).await;
    let expected = rows(&alone, sql).await;
    assert!(!expected.is_empty());
    // An executor may have ended its task in the moment in which it is killed.
    for _ in 0..10 {
        let mut cluster = Cluster::start(2);
        let context = cluster.context(folder.path(), 1).await;
        let again = context.clone();
        let query = tokio::spawn(async move { rows(&context, sql).await });
        let [mut victim, other] = cluster
            .executors
            .drain(..)
            .collect::<Vec<_>>()
            .try_into()
            .ok()
            .unwrap();
        let handle = query.abort_handle();
        let killed = tokio::task::spawn_blocking(move || {
            while !is_time(&Tasks::of(&victim), &Tasks::of(&other)) {
                if handle.is_finished() {
                    break;
                }
                thread::sleep(Duration::from_millis(1));
            }
            victim.kill();
            (victim, other)
        });
        let (victim, other) = killed.await.unwrap();
        if !is_time(&Tasks::of(&victim), &Tasks::of(&other)) {
            continue;
        }
        assert_eq!(ends(query).await.unwrap(), expected);
        assert_eq!(ends(rows(&again, sql)).await, expected);
        assert!(Tasks::of(&other).running.is_empty());
        return;
    }
    panic!("it was never killed while it had a task");
}

/// Ballista ran stages again without removing the rows that they had made, so some rows
/// were counted twice. Or it waited for ever, and gave the other executor no more tasks.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_may_be_lost_in_the_last_stage() {
    let sql = "SELECT uuid, max(raw) AS raw FROM lines GROUP BY uuid";
    lose_one(sql, |victim, other| {
        let is_last = |stage: &u64| *stage == 2;
        victim.running.iter().any(is_last) && other.ended.iter().any(is_last)
    })
    .await;
}

/// Its rows of the first stage are lost with it.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_may_be_lost_in_the_second_stage() {
    let sql = "SELECT type, count(*) AS n, sum(length(raw)) AS raw FROM \
               (SELECT uuid, min(type) AS type, max(raw) AS raw FROM lines \
               GROUP BY uuid) GROUP BY type";
    lose_one(sql, |victim, _| {
        victim.running.contains(&2) && victim.ended.contains(&1)
    })
    .await;
}

/// It has rows already, but nobody has fetched them yet.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_may_be_lost_with_the_rows_of_the_first_stage() {
    let sql =
        "SELECT tool_name, count(*) AS n FROM tool_calls GROUP BY tool_name";
    lose_one(sql, |victim, _| {
        let first = |stage: &&u64| **stage == 1;
        victim.ended.iter().filter(first).count() > 1
            && victim.running.contains(&1)
    })
    .await;
}

/// A query has one stage only, and both executors have rows of the result.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_may_be_lost_with_rows_of_the_result() {
    lose_one("SELECT type, uuid, length FROM lines", |victim, other| {
        !victim.ended.is_empty()
            && !victim.running.is_empty()
            && !other.ended.is_empty()
    })
    .await;
}

/// If the client has rows already, it cannot begin again.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_that_is_lost_with_the_result_is_an_error() {
    lose_the_result(Process::kill).await;
}

/// The client waited for ever for an executor that kept its connections open.
#[tokio::test(flavor = "multi_thread")]
async fn an_executor_that_does_not_answer_any_more_is_an_error() {
    lose_the_result(|executor| executor.pause()).await;
}

/// Loses both executors after the first rows of the result.
async fn lose_the_result(lose: fn(&mut Process)) {
    let folder = Folder::new();
    for number in 0..10 {
        let log = generate(Shape::Transcript, number, 4_000_000);
        folder.write(&format!("{number}.jsonl"), log);
    }
    let mut cluster = Cluster::start(2);
    let context = cluster.context(folder.path(), 1).await;
    let frame = context.sql("SELECT file, \"offset\", raw FROM lines").await;
    let mut batches = frame.unwrap().execute_stream().await.unwrap();
    assert!(batches.next().await.unwrap().unwrap().num_rows() > 0);
    cluster.executors.iter_mut().for_each(lose);
    let rest = async {
        loop {
            match batches.next().await {
                Some(Ok(_)) => {}
                other => break other,
            }
        }
    };
    let error =
        ends(rest).await.expect("rows are missing").unwrap_err().to_string();
    assert!(error.contains("an executor was lost"), "{error}");
}
