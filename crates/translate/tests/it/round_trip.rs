//! `FromUi`, and round trips through `ToUi` and `FromUi`.

use linetape::Decoder;
use linetape_translate::{FromUi, ToUi};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    logs,
    reference::{blocks, naive_events},
    run::{events, log, messages, says},
    texts,
    to_ui::any_lines,
};

#[test]
fn events_without_a_counterpart_become_no_message() {
    let log = include_str!("../../../../tests/data/agent_server.jsonl");
    let without =
        ["Permission", "UserInteraction", "TokenUpdate", "CommandComplete"];
    for line in log.lines() {
        let is_without = without.iter().any(|name| line.contains(name));
        assert_eq!(messages(line, &[9]).is_empty(), is_without, "{line}");
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let has_counterpart = FromUi::has_counterpart(record.message());
        assert_eq!(has_counterpart, !is_without, "{line}");
    }
}

#[test]
fn session_names_survive_a_round_trip() {
    let there = events(&log(&[says("Hello")]), &[9]);
    let mut to_ui = ToUi::new();
    let line = says("Hello").to_string();
    let mut decoder = Decoder::new();
    let record = decoder.decode(line.as_bytes()).unwrap();
    to_ui.translate(record.message()).unwrap();
    let mut from_ui = FromUi::with_sessions(to_ui.sessions().clone());
    let line = there[0].to_string();
    let mut decoder = Decoder::new();
    let record = decoder.decode(line.as_bytes()).unwrap();
    assert!(from_ui.translate(record.message()).unwrap().is_empty());
    let back = serde_json::to_value(from_ui.finish()).unwrap();
    assert_eq!(back[0]["session_id"], "s1");
    assert!(from_ui.finish().is_empty());
}

/// Joins consecutive texts. The other items are tool calls and results.
fn kept(items: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = vec![];
    for item in items {
        match (kept.last_mut(), &item) {
            (Some(Value::String(last)), Value::String(text)) => {
                last.push_str(text);
            }
            _ => kept.push(item),
        }
    }
    kept
}

fn kept_of_messages(lines: &[Value]) -> Vec<Value> {
    kept(lines.iter().flat_map(blocks).filter_map(|block| {
        match block["type"].as_str()? {
            "text" => Some(block["text"].clone()),
            "tool_use" => {
                Some(json!([block["id"], block["name"], block["input"]]))
            }
            _ => {
                let event =
                    json!({"type": "user", "message": {"content": [block]}});
                let done = &naive_events(&[event])[0]["ToolCompleted"];
                Some(json!([done["tool_use_id"], done["result"]]))
            }
        }
    }))
}

/// Generates the name and the text of an event that has a counterpart.
fn any_event() -> impl Strategy<Value = (&'static str, String)> {
    let kinds = [
        "TextChunk",
        "TextChunk",
        "ToolExecuting",
        "ToolCompleted",
        "Complete",
        "Error",
        "System",
        "Display",
    ];
    (prop::sample::select(kinds.to_vec()), "[a-z<>/\u{e9}]{1,4}")
}

proptest! {
    #![proptest_config(texts::cases(256))]

    #[test]
    fn stream_to_server_round_trip_keeps_texts_calls_and_results(
        lines in prop::collection::vec(any_lines(), 0..12),
    ) {
        let mut lines = lines.concat();
        // Keeps one session, without streams and sub-agents.
        lines.retain(|line| {
            line["type"] != "stream_event"
                && line["subtype"] != "tool_use"
                && line.get("parentUuid").is_none()
        });
        for line in &mut lines {
            line["session_id"] = json!("s1");
            line.as_object_mut().unwrap().remove("parent_tool_use_id");
        }
        let there = events(&log(&lines), &[9]);
        let back = messages(&log(&there), &[9]);
        prop_assert_eq!(kept_of_messages(&back), kept_of_messages(&lines));
    }

    #[test]
    fn server_to_stream_round_trip_keeps_events(
        list in prop::collection::vec((any_event(), 1..3_i64), 0..20),
    ) {
        let mut turns = [0_u64; 3];
        let mut list_of_events: Vec<Value> = vec![];
        for ((kind, text), session) in list {
            let at = session as usize;
            let turn = json!({"role": "Assistant", "sequence": turns[at] + 1});
            let event = match kind {
                "TextChunk" => json!({"text": text, "session_id": at, "turn_id": turn}),
                "ToolExecuting" => json!({"tool_use_id": text, "tool_name": "Read",
                    "input": {"a": [text]}, "session_id": at}),
                "ToolCompleted" => json!({"tool_use_id": "t", "result": text,
                    "session_id": at}),
                "Complete" => json!({"session_id": at, "turn_id": turn,
                    "stop_reason": "MaxTokens"}),
                "Display" => json!({"content": text, "session_id": at}),
                _ => json!({"message": text, "session_id": at}),
            };
            turns[at] += u64::from(kind == "Complete");
            list_of_events.push(json!({kind: event}));
        }
        let back = messages(&log(&list_of_events), &[9]);
        let again = events(&log(&back), &[9]);
        for session in [1, 2] {
            let of = |events: &[Value], at: &Value| -> Vec<Value> {
                let mine = events.iter().filter(|event| {
                    event.as_object().unwrap().values().all(|e| e["session_id"] == *at)
                });
                joined(mine.cloned())
            };
            // Session numbers depend on the order of first appearance.
            let first = back.iter().filter_map(|m| m["session_id"].as_str());
            let mut names: Vec<&str> = vec![];
            first.for_each(|name| if !names.contains(&name) { names.push(name) });
            let number = names.iter().position(|n| *n == session.to_string());
            let mut expected = of(&list_of_events, &json!(session));
            for event in &mut expected {
                for event in event.as_object_mut().unwrap().values_mut() {
                    event["session_id"] = json!(number.unwrap() + 1);
                }
            }
            let number = number.map_or(0, |number| number + 1);
            prop_assert_eq!(of(&again, &json!(number)), expected);
        }
    }
}

/// Joins consecutive texts.
fn joined(events: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut list: Vec<Value> = vec![];
    for event in events {
        let more = event["TextChunk"]["text"].as_str();
        match (list.last_mut(), more) {
            (Some(last), Some(more)) if last.get("TextChunk").is_some() => {
                let text = last["TextChunk"]["text"].as_str().unwrap();
                last["TextChunk"]["text"] = json!(format!("{text}{more}"));
            }
            _ => list.push(event),
        }
    }
    list
}

#[test]
fn round_trip_of_real_logs_keeps_texts_calls_and_results() {
    for file in logs::corpus_files() {
        let text = String::from_utf8_lossy(&file);
        let there = events(&text, &[4096]);
        let back = messages(&log(&there), &[4096]);
        let again = kept_of_messages(&back);
        let expected = kept(there.iter().filter_map(|event| {
            let (name, event) = event.as_object().unwrap().iter().next()?;
            match &name[..] {
                "TextChunk" => Some(event["text"].clone()),
                "ToolExecuting" => Some(json!([
                    event["tool_use_id"],
                    event["tool_name"],
                    event["input"]
                ])),
                "ToolCompleted" => {
                    Some(json!([event["tool_use_id"], event["result"]]))
                }
                _ => None,
            }
        }));
        assert_eq!(again, expected);
    }
}
