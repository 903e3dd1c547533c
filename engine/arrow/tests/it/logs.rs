//! The logs that the tests read.

use std::fs;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_select::concat::concat_batches;
use linetape_arrow::{Batches, Options, Table};
use linetape_engine_testing::fixtures;

pub use linetape_engine_testing::Folder;

/// Lines that test what a line is: bad ones, blank ones, CRLF, a BOM, nested
/// messages, an advisor, and no line feed at the end.
pub const MIXED: &str = concat!(
    "\u{feff}{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s1\",\"cwd\":\"/srv\"}\r\n",
    "\n",
    "oops\n",
    r#"{"type":"assistant","sessionId":"s1","uuid":"u1","timestamp":"2026-01-02T03:04:05.678Z","isSidechain":false,"message":{"id":"m1","model":"opus","content":[{"type":"text","text":"a\nb"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls","n":1}}],"usage":{"input_tokens":3,"output_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":7},"iterations":[{"type":"advisor_message","model":"other","output_tokens":11}]}}}"#,
    "\n",
    r#"{"type":"user","sessionId":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}]}}"#,
    "\n",
    r#"{"type":"progress","sessionId":"s1","parentToolUseID":"t1","timestamp":"2026-01-02T03:04:06Z","data":{"type":"agent_progress","agentId":"a1","message":{"type":"assistant","message":{"id":"m2","model":"haiku","content":"hi","usage":{"output_tokens":2}}}}}"#,
    "\n",
    "{\"type\":\"user\",\"message\":{\"content\":[1,,2]}}\n",
    "{\"type\":\"assistant\",\"message\":{\"id\":\"m1\",\"usage\":{\"output_tokens\":6}}}\n",
    "{\"type\":\"result\",\"session_id\":\"s1\",\"total_cost_usd\":0.5,\"num_turns\":2,\"duration_ms\":1.5}\n",
    "{\"type\":\"user\",\"message\":\"cut o",
);

/// Returns the fixtures of the project, and generated logs.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let mut logs = vec![("mixed".to_string(), MIXED.as_bytes().to_vec())];
    for entry in fs::read_dir(fixtures()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        logs.push((name, fs::read(path).unwrap()));
    }
    for shape in linetape_generate::Shape::ALL {
        let log = linetape_generate::generate(shape, 1, 50_000);
        logs.push((shape.name().to_string(), log));
    }
    assert!(logs.len() > 11);
    logs
}

/// Reads all rows of a log as one batch.
pub fn read(log: &[u8], table: Table, options: &Options) -> RecordBatch {
    let reader = options.reader.build(log);
    let batches = Batches::new(reader, "log", table, options);
    joined(batches)
}

pub fn joined(batches: impl RecordBatchReader) -> RecordBatch {
    let schema = batches.schema();
    let batches: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}
