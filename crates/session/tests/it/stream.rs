//! Stream events, and messages that are split into them.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

pub fn events(events: &[Value]) -> String {
    let line = |event: &Value| {
        format!("{}\n", json!({"type": "stream_event", "event": event}))
    };
    events.iter().map(line).collect()
}

pub fn start(id: &str) -> Value {
    json!({"type": "message_start", "message": {"id": id, "model": "opus",
        "role": "assistant", "usage": {"input_tokens": 7, "output_tokens": 1}}})
}

pub fn begin(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

pub fn piece(index: u64, kind: &str, piece: &str) -> Value {
    let key = match kind {
        "input_json_delta" => "partial_json",
        _ => kind.strip_suffix("_delta").unwrap(),
    };
    let delta = json!({"type": kind, key: piece});
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

pub fn stop() -> Value {
    json!({"type": "message_stop"})
}

fn any_text() -> impl Strategy<Value = String> {
    let c = prop_oneof![
        4 => prop::char::range(' ', '~'),
        2 => select("\"\\\n\r\t\0\u{7f}\u{85}\u{2028}\u{202e}\u{ffff}".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    vec(c, 0..30).prop_map(|chars| chars.into_iter().collect())
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any_text().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        any::<Option<bool>>().prop_map(|flag| json!(flag)),
    ];
    leaf.prop_recursive(4, 20, 5, |inner| {
        let object =
            prop::collection::btree_map(any_text(), inner.clone(), 0..4);
        prop_oneof![
            vec(inner, 0..4).prop_map(Value::from),
            object.prop_map(|o| json!(o))
        ]
    })
}

/// Generates a complete content block.
pub fn any_block() -> impl Strategy<Value = Value> {
    let input = prop::collection::btree_map(any_text(), any_json(), 0..4);
    (0..6u8, any_text(), any_text(), input, any_json()).prop_map(|(kind, one, two, input, more)| match kind {
        0 => json!({"type": "text", "text": one}),
        1 => json!({"type": "text", "text": one, "citations": [{"title": two}, {"title": one}]}),
        2 => json!({"type": "thinking", "thinking": one, "signature": two}),
        3 => json!({"type": "tool_use", "id": one, "name": two, "input": input, "more": more}),
        4 => json!({"type": "server_tool_use", "id": one, "name": two, "input": input}),
        _ => json!({"type": "novel", "data": one, "more": more}),
    })
}

/// Returns the events of a message with the given blocks.
pub fn written(
    id: &str,
    blocks: &[Value],
    pretty: bool,
    cuts: &[usize],
) -> Vec<Value> {
    let mut cuts = cuts.iter().cycle();
    let mut cut = |text: &str| {
        let (mut pieces, mut rest) = (vec![], text);
        while !rest.is_empty() {
            let size = *cuts.next().unwrap();
            let end =
                rest.char_indices().map(|(at, _)| at).find(|at| *at >= size);
            let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
            pieces.push(piece.to_string());
            rest = behind;
        }
        pieces
    };
    let mut events = vec![start(id)];
    for (index, block) in (0..).zip(blocks) {
        let (mut begun, mut deltas) = (block.clone(), vec![]);
        for key in ["text", "thinking", "signature"] {
            if let Some(text) = block[key].as_str() {
                begun[key] = json!("");
                let kind = format!("{key}_delta");
                deltas.extend(
                    cut(text).iter().map(|text| piece(index, &kind, text)),
                );
            }
        }
        if let Some(citations) = block["citations"].as_array() {
            begun["citations"] = json!([]);
            deltas.extend(citations.iter().map(|citation| {
                json!({
                    "type": "content_block_delta", "index": index,
                    "delta": {"type": "citations_delta", "citation": citation},
                })
            }));
        }
        if block["input"].is_object() {
            begun["input"] = json!({});
            let text = if pretty {
                format!("{:#}", block["input"])
            } else {
                block["input"].to_string()
            };
            let text = if text == "{}" { "" } else { &text };
            deltas.extend(
                cut(text)
                    .iter()
                    .map(|text| piece(index, "input_json_delta", text)),
            );
        }
        events.push(begin(index, begun));
        events.extend(deltas);
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(stop());
    events
}
