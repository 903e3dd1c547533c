//! A slow and simple list of the texts, thoughts, calls and results of a
//! transcript.

use std::collections::HashSet;

use serde_json::Value;

/// Returns every text, thought, call and result, in log order: its kind, and
/// its text or the id of the call. A message with a known uuid is passed over,
/// and so is a call that its message has had before.
pub fn pieces(log: &[u8]) -> Vec<(&'static str, String)> {
    let mut pieces = vec![];
    let mut seen = HashSet::new();
    let mut calls = HashSet::new();
    let mut prints = HashSet::new();
    for line in log.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        let message = match line["type"].as_str() {
            Some("progress") => &line["data"]["message"],
            _ => &line,
        };
        if !matches!(message["type"].as_str(), Some("user" | "assistant")) {
            continue;
        }
        if let Some(uuid) = message["uuid"].as_str()
            && !seen.insert(uuid.to_string())
        {
            continue;
        }
        let content = &message["message"]["content"];
        if let Some(text) = content.as_str() {
            pieces.push(("text", text.to_string()));
        }
        for block in content.as_array().into_iter().flatten() {
            let text =
                |key: &str| block[key].as_str().unwrap_or("").to_string();
            match block["type"].as_str() {
                Some("text") => pieces.push(("text", text("text"))),
                Some("thinking") => {
                    pieces.push(("thought", text("thinking")));
                }
                Some("tool_use") => {
                    calls.insert(text("id"));
                    let id = message["message"]["id"].as_str();
                    let print = id.map(|id| format!("{id} {block}"));
                    if print.is_none_or(|print| prints.insert(print)) {
                        pieces.push(("call", text("id")));
                    }
                }
                Some("tool_result") => {
                    let id = text("tool_use_id");
                    let id = match calls.contains(&id) {
                        true => id,
                        false => "orphan".to_string(),
                    };
                    pieces.push(("result", id));
                }
                _ => {}
            }
        }
    }
    pieces.retain(|(_, text)| !text.trim().is_empty());
    pieces
}
