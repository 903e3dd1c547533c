//! Logs, processes and contexts for the tests.

use std::{
    env, fs,
    fs::File,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use datafusion::{error::Result, prelude::SessionContext};
use linetape_engine_testing::json;
use linetape_sql::{Meter, Settings, cluster::connect, context, register};
use serde_json::Value;

pub use linetape_engine_testing::{Folder, fixtures};

/// How long something may take that takes seconds on a fast machine.
pub const GENEROUS: Duration = Duration::from_secs(120);

/// A process that is killed at the end of a test, even if the test fails.
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    pub fn start(program: &str, arguments: &[&str], log: PathBuf) -> Process {
        let child = Command::new(program)
            .args(arguments)
            // Intermediate rows are removed with the folder of the log.
            .env("TMPDIR", log.parent().unwrap())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        Process { child, log }
    }

    /// Waits for a line of the log. The limit is only there so that a test
    /// ends if the line never comes.
    pub fn wait_for<T>(&mut self, find: impl Fn(&str) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            let log = self.log();
            if let Some(found) = log.lines().find_map(&find) {
                return found;
            }
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "{ended:?}: {log}");
            assert!(start.elapsed() < Duration::from_secs(300), "{log}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn wait_until_it_works(&mut self) {
        self.wait_for(|line| {
            line.contains("linetape-executor: working for").then_some(())
        });
    }

    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops the process, so that it keeps its connections and does not answer.
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets a process that was stopped go on.
    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    /// Waits until the process has ended, and returns its exit code. The limit is only
    /// there so that a test ends if the process does not.
    pub fn end(&mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(start.elapsed() < GENEROUS, "it goes on: {}", self.log());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sends a signal, such as `-TERM`.
    pub fn signal(&self, signal: &str) {
        linetape_engine_testing::signal(&self.child, signal);
    }

    /// Waits until the log has so many lines with a text.
    pub fn wait_for_lines(&mut self, text: &str, count: usize) {
        let start = Instant::now();
        loop {
            let log = self.log();
            let found = log.lines().filter(|line| line.contains(text)).count();
            if found >= count {
                return;
            }
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "{ended:?}: {log}");
            assert!(start.elapsed() < Duration::from_secs(300), "{log}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have been killed before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A scheduler and executors, each a process, on this machine.
pub struct Cluster {
    pub address: String,
    pub executors: Vec<Process>,
    // Dropped last.
    pub scheduler: Process,
    folder: Folder,
    /// What executors log.
    level: &'static str,
}

impl Cluster {
    pub fn start(executors: usize) -> Cluster {
        Cluster::start_with_log(executors, "info")
    }

    /// Starts a cluster whose executors log what has this level.
    pub fn start_with_log(executors: usize, level: &'static str) -> Cluster {
        Cluster::start_with(executors, level, &[])
    }

    /// Starts a cluster whose executors are lost after so many seconds.
    pub fn start_with_timeout(executors: usize, seconds: &str) -> Cluster {
        let more = ["--executor-timeout", seconds];
        Cluster::start_with(executors, "info", &more)
    }

    /// Starts a cluster whose scheduler has more arguments.
    fn start_with(
        executors: usize,
        level: &'static str,
        more: &[&str],
    ) -> Cluster {
        let folder = Folder::new();
        let log = |name: &str| folder.0.join(name);
        let program = env!("CARGO_BIN_EXE_linetape-scheduler");
        let arguments = [&["--port", "0"], more].concat();
        let mut scheduler =
            Process::start(program, &arguments, log("scheduler.log"));
        let address = scheduler.wait_for(|line| {
            let address =
                line.strip_prefix("linetape-scheduler: listening on ");
            address.map(str::to_string)
        });
        let mut cluster =
            Cluster { address, executors: vec![], scheduler, folder, level };
        let mut started: Vec<Process> =
            (0..executors).map(|number| cluster.executor(number)).collect();
        started.iter_mut().for_each(Process::wait_until_it_works);
        cluster.executors = started;
        cluster
    }

    /// Starts one more executor.
    pub fn add_executor(&mut self, number: usize) {
        let mut executor = self.executor(number);
        executor.wait_until_it_works();
        self.executors.push(executor);
    }

    fn executor(&self, number: usize) -> Process {
        let program = env!("CARGO_BIN_EXE_linetape-executor");
        let arguments = [
            "--scheduler",
            &self.address,
            "--threads",
            "1",
            "--log",
            self.level,
        ];
        let log = self.folder.0.join(format!("executor-{number}.log"));
        Process::start(program, &arguments, log)
    }

    /// Returns a context whose queries are cut into 7 partitions, however small
    /// they are, with so many of them in a task. 0 means as many as fit.
    pub async fn context(&self, path: &str, per_task: u8) -> SessionContext {
        let settings = Settings { partitions: Some(7), ..Settings::default() };
        let context = connect(&self.address, &settings).await.unwrap();
        let set = [
            "SET datafusion.optimizer.repartition_file_min_size = 1".into(),
            format!(
                "SET ballista.scheduler.max_partitions_per_task = {per_task}"
            ),
        ];
        for set in set {
            context.sql(&set).await.unwrap().collect().await.unwrap();
        }
        let meter = Meter::default();
        register(&context, &[path], &settings, &meter).await.unwrap();
        context
    }
}

/// Reads `reading 1 ranges; 200 bytes, 0 bad lines ...` in a line of an executor's log:
/// the ranges and the bytes.
pub fn report(line: &str) -> Option<(u64, u64)> {
    let (_, rest) = line.split_once("reading ")?;
    let (ranges, rest) = rest.split_once(" ranges; ")?;
    let (bytes, _) = rest.split_once(" bytes")?;
    Some((ranges.parse().ok()?, bytes.parse().ok()?))
}

/// Returns a context of this process, with one partition.
pub async fn embedded(path: &str) -> SessionContext {
    let settings = Settings { partitions: Some(1), ..Settings::default() };
    let meter = Meter::default();
    let context = context(&settings, &meter).unwrap();
    register(&context, &[path], &settings, &meter).await.unwrap();
    context
}

pub async fn run(context: &SessionContext, sql: &str) -> Result<Vec<Value>> {
    let batches = context.sql(sql).await?.collect().await?;
    match json(&batches) {
        Value::Array(rows) => Ok(rows),
        other => panic!("{sql}: {other}"),
    }
}

/// Returns the rows of a query, in an order that does not depend on it.
pub async fn rows(context: &SessionContext, sql: &str) -> Vec<String> {
    let rows = match run(context, sql).await {
        Ok(rows) => rows,
        Err(error) => panic!("{sql}: {error}"),
    };
    let mut rows: Vec<String> = rows.iter().map(Value::to_string).collect();
    rows.sort();
    rows
}
