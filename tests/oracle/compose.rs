//! Generated messages, whose content is known beforehand.

use linetape::Message;
use serde_json::{Map, Value as Json, json};

use crate::oracle::{input::Input, model::reads_as};

/// Asserts that a generated message is read back correctly: with its fields in
/// any order, and with unknown keys, duplicate keys, escapes and whitespace.
pub fn message_gen(data: &[u8]) {
    let mut input = Input::of_choices(data);
    let fields = fields(&mut input);
    let line = write(&fields, &mut input);
    let fields = fields.into_iter().map(|(key, value)| (key.into(), value));
    // The last of duplicate keys is used.
    reads_as(line.as_bytes(), &Json::Object(fields.collect()));
}

const KEYS: [&str; 32] = [
    "uuid",
    "session_id",
    "sessionId",
    "parentUuid",
    "logicalParentUuid",
    "leafUuid",
    "timestamp",
    "isSidechain",
    "parent_tool_use_id",
    "cwd",
    "version",
    "agentId",
    "user_message_uuids",
    "tool_use_id",
    "toolUseID",
    "duration_ms",
    "durationMs",
    "message",
    "usage",
    "result",
    "error",
    "num_turns",
    "total_cost_usd",
    "modelUsage",
    "structured_output",
    "stop_reason",
    "event_type",
    "data",
    "novel",
    "\u{1f34e}",
    "",
    "Type",
];

const TEXTS: [&str; 12] = [
    "",
    "plain",
    "two\nlines",
    "\"quoted\" \\ /",
    "\u{0}\u{1f}\u{7f}\u{9b}",
    "caf\u{e9} \u{1f34e} \u{10ffff}",
    "\u{2028}\u{2029}\u{feff}",
    "{\"type\":\"no\"}",
    "\\u0041",
    "0123456789012345678901234567890123456789012345678901234567890123456789",
    "user",
    "2026-01-02T03:04:05.678Z",
];

fn fields(input: &mut Input<'_>) -> Vec<(&'static str, Json)> {
    let mut fields = vec![];
    for _ in 0..input.below(10) {
        fields.push((input.one_of(&KEYS), value(input, 0)));
    }
    // Each of these occurs exactly once.
    let subtype = input.one_of(&TEXTS);
    for (key, value) in
        [("type", input.one_of(Message::KINDS)), ("subtype", subtype)]
    {
        if input.below(8) > 0 {
            let at = input.below(fields.len() + 1);
            fields.insert(at, (key, Json::from(value)));
        }
    }
    fields
}

fn value(input: &mut Input<'_>, depth: usize) -> Json {
    match input.below(if depth < 6 { 14 } else { 10 }) {
        0 => Json::Null,
        1 => Json::Bool(input.below(2) == 1),
        2 => Json::from(input.below(1 << 16)),
        3 => Json::from(u64::MAX - input.below(3) as u64),
        4 => Json::from(i64::MIN + input.below(3) as i64),
        5 => {
            let bytes = std::array::from_fn(|_| input.byte());
            Json::from(f64::from_le_bytes(bytes))
        }
        6..=9 => Json::from(input.one_of(&TEXTS)),
        10 | 11 => {
            let count = input.below(5);
            (0..count).map(|_| value(input, depth + 1)).collect()
        }
        12 => json!({
            "role": "assistant",
            "content": [{"type": "text", "text": input.one_of(&TEXTS)}],
            "usage": {"input_tokens": input.below(1 << 16)},
        }),
        _ => {
            let mut map = Map::new();
            for _ in 0..input.below(5) {
                let key = input.one_of(&KEYS);
                map.insert(key.into(), value(input, depth + 1));
            }
            Json::Object(map)
        }
    }
}

fn write(fields: &[(&str, Json)], input: &mut Input<'_>) -> String {
    let mut line = String::new();
    blank(&mut line, input);
    line.push('{');
    for (index, (key, value)) in fields.iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        member(&mut line, key, value, input);
    }
    line.push('}');
    blank(&mut line, input);
    line
}

fn member(line: &mut String, key: &str, value: &Json, input: &mut Input<'_>) {
    blank(line, input);
    string(line, key, input);
    blank(line, input);
    line.push(':');
    any(line, value, input);
}

fn any(line: &mut String, value: &Json, input: &mut Input<'_>) {
    blank(line, input);
    match value {
        Json::String(text) => string(line, text, input),
        Json::Array(items) => {
            line.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    line.push(',');
                }
                any(line, item, input);
            }
            line.push(']');
        }
        Json::Object(members) => {
            line.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                if index > 0 {
                    line.push(',');
                }
                if input.byte() == 1 {
                    // An earlier member with the same key, which is ignored.
                    member(line, key, &Json::Null, input);
                    line.push(',');
                }
                member(line, key, value, input);
            }
            line.push('}');
        }
        plain => line.push_str(&plain.to_string()),
    }
    blank(line, input);
}

fn string(line: &mut String, text: &str, input: &mut Input<'_>) {
    line.push('"');
    for c in text.chars() {
        let must = c < ' ' || c == '"' || c == '\\';
        if must || input.byte() & 7 == 7 {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                line.push_str(&match input.byte() & 1 {
                    0 => format!("\\u{unit:04x}"),
                    _ => format!("\\u{unit:04X}"),
                });
            }
        } else {
            line.push(c);
        }
    }
    line.push('"');
}

fn blank(line: &mut String, input: &mut Input<'_>) {
    match input.byte() {
        250 => line.push_str(" \t\r "),
        251 => line.push_str(&" ".repeat(input.below(70))),
        252..=255 => line.push(' '),
        _ => {}
    }
}
