//! The other views.

use serde_json::json;

use crate::support::{Folder, LOG, logs, rows};

#[tokio::test]
async fn a_tool_call_has_its_result_and_duration() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let context = logs(folder.path(), 3).await;
    let sql = "SELECT tool_use_id, tool_name, session_id, duration_ms, \
               has_result, is_error, input, result FROM tool_calls";
    assert_eq!(
        rows(&context, sql).await,
        json!([{
            "tool_use_id": "t1", "tool_name": "Bash", "session_id": "s1",
            "duration_ms": 2000, "has_result": true, "is_error": true,
            "input": "{\"command\":\"ls\"}", "result": "no such file",
        }])
    );
}

#[tokio::test]
async fn calls_without_a_result_or_an_id_are_rows() {
    let folder = Folder::new();
    let line = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"A"},{"type":"tool_use","name":"B"},{"type":"tool_use","name":"B"}]}}"#;
    folder.write("a.jsonl", format!("{line}\n{line}\n"));
    let context = logs(folder.path(), 2).await;
    let sql = "SELECT tool_name, has_result, is_error, count(*) AS n FROM \
               tool_calls GROUP BY ALL ORDER BY tool_name";
    assert_eq!(
        rows(&context, sql).await,
        json!([
            {"tool_name": "A", "has_result": false, "is_error": false, "n": 1},
            {"tool_name": "B", "has_result": false, "is_error": false, "n": 4},
        ])
    );
}

#[tokio::test]
async fn a_session_has_its_times_and_tokens() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let context = logs(folder.path(), 3).await;
    let sql = "SELECT session_id, duration_ms, lines, messages, \
               output_tokens, total_cost_usd, cwd FROM sessions \
               ORDER BY session_id";
    assert_eq!(
        rows(&context, sql).await,
        json!([
            {
                "session_id": "s1", "duration_ms": 8000, "lines": 5,
                "messages": 1, "output_tokens": 9, "total_cost_usd": 0.25,
                "cwd": "/srv",
            },
            {
                "session_id": "s2", "duration_ms": 0, "lines": 1,
                "messages": 1, "output_tokens": 4, "total_cost_usd": null,
                "cwd": null,
            },
        ])
    );
}
