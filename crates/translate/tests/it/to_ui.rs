//! `ToUi` agrees with a reference implementation on random logs.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    reference::naive_events,
    run::{answer_line, answers, call_line, events, one_of, shuffled},
    texts,
};

/// Generates a complete stream, a single line, or the end of a run.
pub fn any_lines() -> impl Strategy<Value = Vec<Value>> {
    let session = one_of(&["s1", "s2", "s3"]);
    let reason = one_of(&["end_turn", "max_tokens", "tool_use", "refusal"]);
    let id = one_of(&["m1", "m2"]);
    let usage = (0..3_u64, 0..3_u64).prop_map(|(a, b)| {
        json!({"input_tokens": a, "cache_read_input_tokens": b,
            "output_tokens": a + b})
    });
    (0..11_u8, session, reason, id, usage, any::<[bool; 3]>()).prop_map(
        |(kind, session, reason, id, usage, [named, side, more])| {
            let said = json!({"type": "assistant", "message": {"id": id,
                "usage": usage, "content": [{"type": "text", "text": "Hello"},
                    {"type": "tool_use", "id": id, "name": "Read",
                        "input": {"b": [1, 0.5], "a": null}}]}});
            let piece =
                |event: Value| json!({"type": "stream_event", "event": event});
            let mut lines = match kind {
                0 | 1 => vec![said],
                2 | 3 => vec![
                    piece(json!({"type": "message_start",
                        "message": {"id": id, "usage": usage}})),
                    piece(json!({"type": "content_block_delta", "delta":
                        {"type": "text_delta", "text": "Hel"}})),
                    piece(json!({"type": "content_block_delta", "delta":
                        {"type": "text_delta", "text": "lo"}})),
                    said,
                    piece(json!({"type": "message_delta",
                        "delta": {"stop_reason": reason},
                        "usage": {"output_tokens": 7}})),
                ],
                4 if more => vec![answers(&id, json!("one\ntwo"))],
                4 => vec![answers(
                    &id,
                    json!([{"type": "text", "text": "one"},
                    {"type": "image"}, {"type": "text", "text": "two"}]),
                )],
                5 if more => vec![json!({"type": "result",
                    "subtype": "success", "is_error": false,
                    "stop_reason": reason})],
                5 => vec![json!({"type": "result", "subtype": "success"})],
                6 => vec![json!({"type": "result", "is_error": true,
                    "subtype": "error_max_turns"})],
                7 => vec![json!({"type": "system", "subtype": "status"})],
                8 => vec![call_line(&id, "Read", json!({"a": [1]}))],
                9 => vec![answer_line(&id, side, more)],
                _ => vec![json!({"type": "error", "error": {"message": "x"}})],
            };
            let is_stream = lines.len() > 1;
            for line in &mut lines {
                let members = line.as_object_mut().unwrap();
                members.remove("session_id");
                if named || is_stream {
                    members.insert("session_id".into(), json!(session));
                }
                if side && !is_stream {
                    members.insert("parent_tool_use_id".into(), json!("t"));
                }
            }
            lines
        },
    )
}

proptest! {
    #![proptest_config(texts::cases(256))]

    #[test]
    fn events_agree_with_the_reference(
        lines in prop::collection::vec(any_lines(), 0..12),
        seed in any::<u64>(),
        plan in prop::collection::vec(1..90_usize, 1..5),
    ) {
        let lines = lines.concat();
        let text: String =
            lines.iter().map(|l| shuffled(l, seed) + "\n").collect();
        prop_assert_eq!(events(&text, &plan), naive_events(&lines));
    }
}
