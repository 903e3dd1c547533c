//! Logs and contexts for the tests.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

use datafusion::{
    arrow::{
        array::RecordBatch,
        json::{WriterBuilder, writer::JsonArray},
    },
    error::Result,
    prelude::SessionContext,
};
use linetape_arrow::OnError;
use linetape_sql::{Meter, Settings, context, register};
use serde_json::Value;

pub const LOG: &str = concat!(
    r#"{"type":"system","subtype":"init","session_id":"s1","cwd":"/srv","timestamp":"2026-01-02T03:04:00Z"}"#,
    "\n",
    r#"{"type":"assistant","session_id":"s1","uuid":"u1","timestamp":"2026-01-02T03:04:05Z","message":{"id":"m1","model":"opus","content":[{"type":"text","text":"Let me look."}],"usage":{"input_tokens":3,"output_tokens":1}}}"#,
    "\n",
    r#"{"type":"assistant","session_id":"s1","uuid":"u2","timestamp":"2026-01-02T03:04:06Z","message":{"id":"m1","model":"opus","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"output_tokens":9}}}"#,
    "\n",
    r#"{"type":"user","session_id":"s1","timestamp":"2026-01-02T03:04:08Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no such file"}]}}"#,
    "\n",
    "oops\n",
    r#"{"type":"result","session_id":"s1","total_cost_usd":0.25,"num_turns":1}"#,
    "\n",
    r#"{"type":"assistant","session_id":"s2","timestamp":"2026-02-02T03:04:05Z","message":{"id":"m2","model":"haiku","content":"Hi.","usage":{"output_tokens":4}}}"#,
    "\n",
);

/// A folder that is removed at the end of a test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linetape-sql-{}-{next}", process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Returns a context with the logs of a path, which are cut into so many
/// partitions, however small they are.
pub async fn logs(path: &str, partitions: usize) -> SessionContext {
    let context = bare(partitions);
    let settings = Settings::default();
    register(&context, &[path], &settings, &Meter::default()).await.unwrap();
    context
}

/// Returns a context without logs.
pub fn bare(partitions: usize) -> SessionContext {
    let settings = Settings {
        partitions: Some(partitions),
        on_error: OnError::Row,
        ..Settings::default()
    };
    let context = context(&settings, &Meter::default()).unwrap();
    let state = context.state_ref();
    let mut state = state.write();
    let options = state.config_mut().options_mut();
    options.optimizer.repartition_file_min_size = 1;
    drop(state);
    context
}

pub async fn run(context: &SessionContext, sql: &str) -> Result<Value> {
    let batches = context.sql(sql).await?.collect().await?;
    Ok(json(&batches))
}

pub async fn rows(context: &SessionContext, sql: &str) -> Value {
    match run(context, sql).await {
        Ok(rows) => rows,
        Err(error) => panic!("{sql}: {error}"),
    }
}

/// Returns the error of a query, from planning or from running it.
pub async fn error(context: &SessionContext, sql: &str) -> String {
    run(context, sql).await.expect_err(sql).to_string()
}

pub fn json(batches: &[RecordBatch]) -> Value {
    let builder = WriterBuilder::new().with_explicit_nulls(true);
    let mut writer = builder.build::<_, JsonArray>(vec![]);
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    serde_json::from_slice(&writer.into_inner()).unwrap()
}

/// Returns the fixtures of the project, by name.
pub fn fixtures() -> Vec<PathBuf> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    let logs = linetape_flow::logs(folder);
    assert!(logs.files.len() > 5);
    logs.files
}

/// Returns the real logs: those of `LINETAPE_CORPUS`.
pub fn corpus() -> Vec<PathBuf> {
    let folder = env::var_os("LINETAPE_CORPUS")
        .expect("LINETAPE_CORPUS is the folder with real logs");
    let logs = linetape_flow::logs(&folder);
    assert!(!logs.files.is_empty(), "{folder:?} has no logs");
    logs.files
}
