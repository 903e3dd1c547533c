//! Reference implementation of `ToUi`: it searches the whole log.

use serde_json::{Value, json};

use super::lines::{all_blocks, blocks, is_error_line, is_side, session_of};

/// The state of one session.
#[derive(Default)]
struct Seen {
    turns: u64,
    /// The last message whose text was streamed.
    streamed: Option<Value>,
    reason: Option<Value>,
    tokens: (u64, u64),
}

/// Returns whether the parent of a line is a call without a result before the
/// line.
fn is_open(lines: &[Value], line: &Value) -> bool {
    let id = &line["parentUuid"];
    let before = lines.iter().take_while(|other| !std::ptr::eq(*other, line));
    let before: Vec<&Value> = before.collect();
    let last = before.iter().rev().find_map(|other| {
        let call = all_blocks(other).len() > blocks(other).len();
        let ends = other["type"] == "system"
            && (other["subtype"] == "tool_result" || is_error_line(other));
        (call && other["uuid"] == *id)
            .then_some(true)
            .or((ends && other["parentUuid"] == *id).then_some(false))
    });
    last == Some(true)
}

/// Returns the events of a log in which all streams are complete.
pub fn naive_events(lines: &[Value]) -> Vec<Value> {
    let mut events = vec![];
    let mut names: Vec<&str> = vec![""];
    let mut all = vec![Seen::default()];
    let mut at = 0;
    for line in lines {
        let own = session_of(line);
        if let Some(own) = own {
            at = names
                .iter()
                .skip(1)
                .position(|n| *n == own)
                .map_or(names.len(), |p| p + 1);
            if at == names.len() {
                names.push(own);
                all.push(Seen::default());
            }
        }
        let seen = &mut all[at];
        let turn = json!({"role": "Assistant", "sequence": seen.turns + 1});
        let of_all = match own {
            Some(_) => json!({"session_id": at}),
            None => json!({}),
        };
        let mut tell = |name: &str, more: Value| {
            let mut event = match name {
                "Error" | "System" => of_all.clone(),
                _ => json!({"session_id": at}),
            };
            event
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            events.push(json!({name: event}));
        };
        let chunk = |text: &Value| json!({"text": text, "turn_id": turn});
        let mut usage = Value::Null;
        let event = &line["event"];
        match line["type"].as_str() {
            Some("stream_event") if !is_side(line) => {
                match event["type"].as_str() {
                    Some("message_start") => {
                        seen.streamed = None;
                        usage = event["message"]["usage"].clone();
                    }
                    Some("content_block_delta") => {
                        let start = lines
                            .iter()
                            .take_while(|other| !std::ptr::eq(*other, line));
                        let start = start.filter(|other| {
                            session_of(other) == Some(names[at])
                        });
                        let id = start
                            .map(|other| &other["event"]["message"]["id"]);
                        seen.streamed =
                            id.filter(|id| id.is_string()).last().cloned();
                        tell("TextChunk", chunk(&event["delta"]["text"]));
                    }
                    _ => {
                        seen.reason =
                            Some(event["delta"]["stop_reason"].clone());
                        usage = event["usage"].clone();
                    }
                }
            }
            Some("assistant") => {
                let message = &line["message"];
                let again = seen.streamed.as_ref() == Some(&message["id"]);
                for block in all_blocks(line) {
                    if block["type"] == "text" && !again && !is_side(line) {
                        tell("TextChunk", chunk(&block["text"]));
                    }
                    if block["type"] == "tool_use" {
                        tell(
                            "ToolExecuting",
                            json!({"tool_use_id": block["id"],
                            "tool_name": block["name"], "input": block["input"]}),
                        );
                    }
                }
                if !is_side(line) {
                    let reason = &message["stop_reason"];
                    seen.reason = seen
                        .reason
                        .take()
                        .filter(|_| reason.is_null())
                        .or(Some(reason.clone()).filter(|r| !r.is_null()));
                    usage = message["usage"].clone();
                }
            }
            Some("user") => {
                for block in blocks(line) {
                    if block["type"] == "tool_result" {
                        let texts: Vec<String> = match &block["content"] {
                            Value::String(text) => vec![text.clone()],
                            content => content
                                .as_array()
                                .into_iter()
                                .flatten()
                                .filter(|part| part["type"] == "text")
                                .map(|part| {
                                    part["text"].as_str().unwrap().to_string()
                                })
                                .collect(),
                        };
                        tell(
                            "ToolCompleted",
                            json!({"tool_use_id": block["tool_use_id"],
                            "result": texts.join("\n")}),
                        );
                    }
                }
            }
            Some("result") if line["is_error"] == true => {
                tell("Error", json!({"message": line["subtype"]}));
            }
            Some("result") => {
                let own = Some(&line["stop_reason"]).filter(|r| !r.is_null());
                let reason = own.cloned().or(seen.reason.take());
                let reason = match reason.as_ref().and_then(|r| r.as_str()) {
                    Some("max_tokens" | "model_context_window_exceeded") => {
                        "MaxTokens"
                    }
                    Some("stop_sequence") => "StopSequence",
                    Some("tool_use") => "ToolUse",
                    _ => "EndTurn",
                };
                tell(
                    "Complete",
                    json!({"turn_id": turn, "stop_reason": reason}),
                );
            }
            Some("system")
                if line["parentUuid"].is_string()
                    && (line["subtype"] == "tool_result"
                        || is_error_line(line) && is_open(lines, line)) =>
            {
                let said = line["message"].as_str().unwrap_or_default();
                tell(
                    "ToolCompleted",
                    json!({"tool_use_id": line["parentUuid"],
                        "result": said}),
                );
            }
            Some("system") if is_error_line(line) => {
                let said = line.get("message").unwrap_or(&line["subtype"]);
                tell("Error", json!({"message": said}))
            }
            Some("system") => {
                tell("System", json!({"message": line["subtype"]}))
            }
            Some("error") => {
                tell("Error", json!({"message": line["error"]["message"]}))
            }
            _ => {}
        }
        if line["type"] == "result" {
            (seen.turns, seen.streamed, seen.reason) =
                (seen.turns + 1, None, None);
        }
        let count = |key: &str| usage[key].as_u64();
        let input = [
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        ];
        let tokens = (
            input
                .iter()
                .filter_map(|key| count(key))
                .reduce(|a, b| a + b)
                .unwrap_or(seen.tokens.0),
            count("output_tokens").unwrap_or(seen.tokens.1),
        );
        if usage.is_object() && tokens != seen.tokens {
            seen.tokens = tokens;
            tell(
                "TokenUpdate",
                json!({"input_tokens": tokens.0, "output_tokens": tokens.1}),
            );
        }
    }
    events
}
