//! Helpers that run a translator over a log, and lines for logs.

use linetape::{Decoder, Message, Reader};
use linetape_translate::{FromUi, ToUi, Wrapper};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::sources;

/// Runs a translator over decoded lines, over peeked lines, and over decoded
/// lines that are read in chunks. Asserts that all three results are equal.
pub fn three_ways<T: PartialEq + std::fmt::Debug>(
    log: &str,
    plan: &[usize],
    run: impl Fn(&mut dyn FnMut(&mut dyn FnMut(Message<'_>))) -> T,
) -> T {
    let decoded = run(&mut |add| {
        let mut lines = linetape::lines(log.as_bytes());
        while let Some(record) = lines.next_record() {
            if let Ok(record) = record {
                add(record.message());
            }
        }
    });
    let peeked = run(&mut |add| {
        let mut lines = linetape::lines(log.as_bytes());
        while let Some(Ok(line)) = lines.next_line() {
            // For an invalid line, the translator returns an error.
            if let Ok(message) = line.peek() {
                add(message);
            }
        }
    });
    let in_pieces = run(&mut |add| {
        let pieces = sources::InPieces::new(log.as_bytes(), plan);
        let mut reader = Reader::new(pieces);
        while let Some(record) = reader.next_record() {
            if let Ok(record) = record {
                add(record.message());
            }
        }
    });
    assert_eq!(decoded, peeked);
    assert_eq!(decoded, in_pieces);
    decoded
}

/// Parses a written line. Asserts that it is the right kind of message.
pub fn read_back(written: String, is_right: fn(Message<'_>) -> bool) -> Value {
    let mut decoder = Decoder::new();
    let record = decoder.decode(written.as_bytes()).unwrap();
    assert!(is_right(record.message()), "{written}");
    serde_json::from_str(&written).unwrap()
}

pub fn frames(log: &str, plan: &[usize]) -> Vec<Value> {
    three_ways(log, plan, |lines| {
        let (mut wrapper, mut frames) = (Wrapper::new(), vec![]);
        lines(&mut |message| {
            for frame in wrapper.translate(message).unwrap_or_default() {
                let written = serde_json::to_string(&frame).unwrap();
                let is_right =
                    |m: Message<'_>| matches!(m, Message::Unknown(_));
                frames.push(read_back(written, is_right));
            }
        });
        frames
    })
}

pub fn events(log: &str, plan: &[usize]) -> Vec<Value> {
    three_ways(log, plan, |lines| {
        let (mut to_ui, mut events) = (ToUi::new(), vec![]);
        lines(&mut |message| {
            for event in to_ui.translate(message).unwrap_or_default() {
                let written = serde_json::to_string(&event).unwrap();
                let is_right = |m: Message<'_>| matches!(m, Message::Ui(_));
                events.push(read_back(written, is_right));
            }
        });
        events
    })
}

pub fn messages(log: &str, plan: &[usize]) -> Vec<Value> {
    three_ways(log, plan, |lines| {
        let (mut from_ui, mut messages) = (FromUi::new(), vec![]);
        let mut add = |list: Vec<linetape::owned::Message>| {
            for message in list {
                let written = serde_json::to_string(&message).unwrap();
                let is_right =
                    |m: Message<'_>| !matches!(m, Message::Unknown(_));
                messages.push(read_back(written, is_right));
            }
        };
        lines(&mut |message| {
            add(from_ui.translate(message).unwrap_or_default());
        });
        add(from_ui.finish());
        messages
    })
}

pub fn log(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

pub fn says(text: &str) -> Value {
    json!({"type": "assistant", "session_id": "s1", "message": {"content": [
        {"type": "text", "text": text},
    ]}})
}

pub fn calls(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "assistant", "session_id": "s1", "message": {"content": [
        {"type": "tool_use", "id": id, "name": name, "input": input},
    ]}})
}

pub fn answers(id: &str, content: Value) -> Value {
    json!({"type": "user", "session_id": "s1", "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "content": content},
    ]}})
}

/// Returns a line that is itself a tool call.
pub fn call_line(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "assistant", "subtype": "tool_use", "uuid": id,
        "session_id": "s1", "toolName": name, "toolArguments": input})
}

/// Returns a line that is itself the result of a tool call.
pub fn answer_line(id: &str, failed: bool, is_result: bool) -> Value {
    let subtype = if is_result { "tool_result" } else { "error" };
    json!({"type": "system", "subtype": subtype, "parentUuid": id,
        "session_id": "s1", "message": "ok", "isError": failed})
}

/// Returns the valid lines: not those that were truncated, nor those that have
/// two types after splicing.
pub fn parsed(log: &str) -> Vec<Value> {
    let mut decoder = Decoder::new();
    let lines = log.lines();
    let lines = lines.filter(|line| decoder.decode(line.as_bytes()).is_ok());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn one_of(list: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    prop::sample::select(list.to_vec()).prop_map(str::to_string)
}

/// Writes a value as JSON, with its keys shuffled by the seed.
pub fn shuffled(value: &Value, seed: u64) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            let count = members.len().max(1);
            members.rotate_left(seed as usize % count);
            if seed & 1 == 1 {
                members.reverse();
            }
            let member = |(key, value): &(&String, &Value)| {
                format!("{}:{}", json!(key), shuffled(value, seed / 2))
            };
            let members: Vec<_> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| shuffled(item, seed / 2));
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}
