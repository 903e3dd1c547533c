//! Facts about a single line.

use serde_json::{Value, json};

/// Returns the content blocks of a line. A string is one text block.
pub fn blocks(line: &Value) -> Vec<Value> {
    let content = match &line["message"] {
        Value::String(text) => json!(text),
        message => message["content"].clone(),
    };
    match content {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks,
        _ => vec![],
    }
}

/// Returns the content blocks of a line. If the line itself is a call, that
/// call is added as a block.
pub fn all_blocks(line: &Value) -> Vec<Value> {
    let mut blocks = blocks(line);
    let calls = blocks.iter().any(|block| block["type"] == "tool_use");
    if line["type"] == "assistant"
        && line["subtype"] == "tool_use"
        && line["toolName"].is_string()
        && !calls
    {
        let mut call = json!({"type": "tool_use", "id": line["uuid"],
            "name": line["toolName"]});
        if let Some(input) = line.get("toolArguments") {
            call["input"] = input.clone();
        }
        blocks.push(call);
    }
    blocks
}

/// Returns whether a `system` line reports an error.
pub fn is_error_line(line: &Value) -> bool {
    let subtype = line["subtype"].as_str();
    line["isError"] == true
        || line["isApiErrorMessage"] == true
        || matches!(subtype, Some("error" | "api_error"))
}

pub fn session_of(line: &Value) -> Option<&str> {
    let saved = line.get("parentUuid").or(line.get("isSidechain")).is_some();
    let mut keys = ["session_id", "sessionId"];
    if saved {
        keys.reverse();
    }
    keys.iter().find_map(|key| line[key].as_str())
}

pub fn is_side(line: &Value) -> bool {
    line["isSidechain"] == true || line["parent_tool_use_id"].is_string()
}
