//! Handmade logs.

use serde_json::{Value, json};

use super::{linetape, text};

/// Joins lines into a log, with a newline after each.
pub fn log(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

/// An assistant message with one block.
pub fn said(message: &str, block: Value) -> Value {
    json!({
        "type": "assistant",
        "uuid": format!("uuid of {message}"),
        "session_id": "s",
        "message": {
            "id": message,
            "model": "opus",
            "content": [block],
            "usage": { "input_tokens": 1000, "output_tokens": 1 },
        },
    })
}

pub fn words(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

pub fn call(id: &str, tool: &str, input: Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": tool, "input": input })
}

pub fn answer(id: &str, content: Value) -> Value {
    let block = json!({
        "type": "tool_result",
        "tool_use_id": id,
        "content": content,
    });
    json!({
        "type": "user",
        "session_id": "s",
        "message": { "role": "user", "content": [block] },
    })
}

pub fn init() -> Value {
    json!({ "type": "system", "subtype": "init", "session_id": "s" })
}

/// Returns the output of a command that must succeed without messages.
pub fn printed(arguments: &[&str], log: &[u8]) -> String {
    let output = linetape(&[arguments, &["-"]].concat(), log);
    assert_eq!(text(&output.stderr), "", "{arguments:?}");
    assert!(output.status.success(), "{arguments:?}");
    text(&output.stdout).to_string()
}
