//! Logs and contexts for the tests.

use std::{env, path::PathBuf};

use datafusion::{error::Result, prelude::SessionContext};
use linetape_arrow::OnError;
use linetape_engine_testing::logs_in;
use linetape_sql::{Meter, Settings, context, register};
use serde_json::Value;

pub use linetape_engine_testing::{Folder, json};

pub const LOG: &str = concat!(
    r#"{"type":"system","subtype":"init","session_id":"s1","cwd":"/srv","timestamp":"2026-01-02T03:04:00Z"}"#,
    "\n",
    r#"{"type":"assistant","session_id":"s1","requestId":"r1","uuid":"u1","timestamp":"2026-01-02T03:04:05Z","message":{"id":"m1","model":"opus","content":[{"type":"text","text":"Let me look."}],"usage":{"input_tokens":3,"output_tokens":1}}}"#,
    "\n",
    r#"{"type":"assistant","session_id":"s1","requestId":"r1","uuid":"u2","timestamp":"2026-01-02T03:04:06Z","message":{"id":"m1","model":"opus","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"output_tokens":9}}}"#,
    "\n",
    r#"{"type":"user","session_id":"s1","timestamp":"2026-01-02T03:04:08Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no such file"}]}}"#,
    "\n",
    "oops\n",
    r#"{"type":"result","session_id":"s1","total_cost_usd":0.25,"num_turns":1}"#,
    "\n",
    r#"{"type":"assistant","session_id":"s2","timestamp":"2026-02-02T03:04:05Z","message":{"id":"m2","model":"haiku","content":"Hi.","usage":{"output_tokens":4}}}"#,
    "\n",
);

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

/// Returns the fixtures of the project, by name.
pub fn fixtures() -> Vec<PathBuf> {
    let files = logs_in(linetape_engine_testing::fixtures());
    assert!(files.len() > 5);
    files
}

/// Returns the real logs: those of `LINETAPE_CORPUS`.
pub fn corpus() -> Vec<PathBuf> {
    let folder = env::var_os("LINETAPE_CORPUS")
        .expect("LINETAPE_CORPUS is the folder with real logs");
    logs_in(folder)
}
