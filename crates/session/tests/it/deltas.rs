//! Messages assembled from deltas: small streams, random messages split into
//! deltas, real logs.

use std::collections::BTreeMap;

use linetape::{Decoder, Message, lines};
use linetape_session::{Assembled, Deltas, Tokens};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use crate::{
    logs,
    stream::{any_block, begin, events, piece, start, stop, written},
    texts::cases,
};

/// Returns the assembled messages of a log, the messages that are unfinished
/// at its end, and the number of lost deltas.
fn assemble(log: &str) -> (Vec<Assembled>, Vec<Assembled>, u64) {
    let (mut decoded, mut peeked) = (Deltas::new(), Deltas::new());
    let (mut whole, mut again) = (vec![], vec![]);
    let mut reader = lines(log.as_bytes());
    while let Some(record) = reader.next_record() {
        if let Ok(record) = record {
            whole.extend(decoded.add(record.message()).unwrap());
        }
    }
    let mut reader = lines(log.as_bytes());
    while let Some(Ok(line)) = reader.next_line() {
        // An invalid line is an error, and adds nothing.
        if let Ok(message) = line.peek()
            && let Ok(added) = peeked.add(message)
        {
            again.extend(added);
        }
    }
    assert_eq!(whole, again);
    let cut_off = decoded.take_unfinished();
    assert_eq!(cut_off, peeked.take_unfinished());
    assert!(decoded.take_unfinished().is_empty());
    let lost = decoded.lost();
    assert_eq!(lost, peeked.lost());
    (whole, cut_off, lost)
}

/// Returns the blocks of a message. Asserts that its line has the same blocks.
fn blocks(message: &Assembled) -> Vec<Value> {
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let blocks = message.blocks.iter().map(|block| json(&block.to_json()));
    let blocks: Vec<Value> = blocks.collect();
    let line = message.to_line();
    assert_eq!(line.lines().count(), 1);
    let mut decoder = Decoder::new();
    let record = decoder.decode(line.as_bytes()).unwrap();
    let Message::Assistant(said) = record.message() else { panic!("{line}") };
    let read = said.content().map(|block| json(&format!("{block:?}")));
    assert_eq!(read.collect::<Vec<_>>(), blocks, "{line}");
    let id = said.message().and_then(|inner| inner.id());
    assert_eq!(id, message.id.as_deref());
    assert_eq!(said.session_id(), message.session.as_deref());
    assert_eq!(record.message().usage().map(Tokens::of), message.usage);
    blocks
}

#[test]
fn a_delta_of_an_invalid_line_is_an_error() {
    let line = br#"{"type":"stream_event","event":{"type":"message_start","message":{"content":[1,,2]}}}"#;
    let mut decoder = Decoder::new();
    let decoded = decoder.decode(line).unwrap_err();
    let mut decoder = Decoder::new();
    let mut deltas = Deltas::new();
    let line = decoder.line(line);
    let refused = deltas.add(line.peek().unwrap()).unwrap_err();
    assert_eq!(refused.to_string(), decoded.to_string());
    assert!(deltas.take_unfinished().is_empty());
}

#[test]
fn a_message_is_assembled_from_its_deltas() {
    let citation = json!({"type": "page", "title": "A"});
    let log = events(&[
        start("m1"),
        json!({"type": "ping"}),
        begin(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        piece(0, "thinking_delta", "Hm"),
        piece(0, "thinking_delta", "m"),
        piece(0, "signature_delta", "abc="),
        begin(1, json!({"type": "text", "text": "A", "citations": null})),
        piece(1, "text_delta", "nd"),
        json!({"type": "content_block_delta", "index": 1, "delta":
            {"type": "citations_delta", "citation": citation}}),
        json!({"type": "content_block_stop", "index": 1}),
        begin(
            2,
            json!({"type": "tool_use", "id": "t", "name": "Do", "input": {"a": 1}}),
        ),
        piece(2, "input_json_delta", ""),
        begin(
            3,
            json!({"type": "tool_use", "input": {}, "caller": {"type": "direct"}}),
        ),
        piece(3, "input_json_delta", "{\"b\":"),
        piece(3, "input_json_delta", "\n2}"),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use",
            "stop_sequence": "X"}, "usage": {"output_tokens": 9}}),
        stop(),
    ]);
    let (messages, cut_off, lost) = assemble(&log);
    assert_eq!((messages.len(), cut_off.len(), lost), (1, 0, 0));
    let message = &messages[0];
    assert!(message.is_finished);
    let texts = [
        &message.id,
        &message.role,
        &message.model,
        &message.stop_reason,
        &message.stop_sequence,
    ];
    let texts = texts.map(|text| text.as_deref().unwrap());
    assert_eq!(texts, ["m1", "assistant", "opus", "tool_use", "X"]);
    let usage = message.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (7, 9));
    let [thought, text, one, two] = &message.blocks[..] else { panic!() };
    assert_eq!(
        (thought.thinking(), thought.signature()),
        (Some("Hmm"), Some("abc="))
    );
    assert_eq!((text.kind(), text.text()), (Some("text"), Some("And")));
    assert_eq!(
        [thought, text].map(|block| block.is_finished()),
        [false, true]
    );
    assert_eq!(
        (one.id(), one.name(), one.index()),
        (Some("t"), Some("Do"), 2)
    );
    assert_eq!(
        (one.input(), two.input()),
        (Some("{\"a\":1}"), Some("{\"b\": 2}"))
    );
    assert_eq!(
        blocks(message),
        [
            json!({"type": "thinking", "thinking": "Hmm", "signature": "abc="}),
            json!({"type": "text", "text": "And", "citations": [citation]}),
            json!({"type": "tool_use", "id": "t", "name": "Do", "input": {"a": 1}}),
            json!({"type": "tool_use", "input": {"b": 2}, "caller": {"type": "direct"}}),
        ]
    );
}

#[test]
fn irregular_streams_are_assembled_and_lost_deltas_counted() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let log = events(&[
        // Lost: there is no message.
        piece(0, "text_delta", "lost"),
        stop(),
        start("m1"),
        begin(1 << 60, text("a")),
        begin(u64::MAX, text("b")),
        begin(1 << 60, text("c")),
        piece(1 << 60, "text_delta", "C"),
        piece(u64::MAX, "text_delta", "B"),
        // Lost: unknown block, unknown delta type, unknown event.
        piece(0, "text_delta", "lost"),
        piece(u64::MAX, "novel_delta", "lost"),
        json!({"type": "novel"}),
        json!({"type": "content_block_start", "index": -1, "content_block": {}}),
        start("m2"),
        begin(0, json!({"type": "tool_use", "input": {}})),
        piece(0, "input_json_delta", "{\"cut\":"),
        begin(1, json!({"type": "tool_use", "input": {}})),
        piece(1, "input_json_delta", "[1]"),
        begin(
            2,
            json!({"type": "novel", "text": 5, "at": [1.5, null, "\u{2028}"]}),
        ),
    ]);
    let (messages, cut_off, lost) = assemble(&log);
    assert_eq!((messages.len(), cut_off.len(), lost), (1, 1, 6));
    assert!(!messages[0].is_finished && !cut_off[0].is_finished);
    assert_eq!(messages[0].lost, 4);
    assert_eq!(blocks(&messages[0]), [text("a"), text("cC"), text("bB")]);
    let broken: Vec<_> = cut_off[0]
        .blocks
        .iter()
        .map(|b| (b.input(), b.broken_input()))
        .collect();
    assert_eq!(
        broken,
        [(None, Some("{\"cut\":")), (None, Some("[1]")), (None, None)]
    );
    let expected = [json!("{\"cut\":"), json!("[1]"), Value::Null];
    let inputs: Vec<_> =
        blocks(&cut_off[0]).iter().map(|b| b["input"].clone()).collect();
    assert_eq!(inputs, expected);
    assert_eq!(blocks(&cut_off[0])[2]["at"], json!([1.5, null, "\u{2028}"]));
}

#[test]
fn abandoned_blocks_are_dropped() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let abandon = |id: &str| {
        let event = begin(1, text(id));
        let from = json!({"api_message_id": id, "from_block_index": 1});
        format!(
            "{}\n",
            json!({"type": "stream_event", "event": event, "abandoned_blocks": from})
        )
    };
    let begun = events(&[
        start("m1"),
        begin(0, text("a")),
        begin(1, text("b")),
        begin(2, text("c")),
    ]);
    for (id, expected) in
        [("m1", &["a", "m1"][..]), ("m2", &["a", "b", "m2", "c"])]
    {
        let (_, cut_off, _) = assemble(&format!("{begun}{}", abandon(id)));
        let texts: Vec<_> =
            cut_off[0].blocks.iter().filter_map(|b| b.text()).collect();
        assert_eq!(texts, expected);
    }
}

#[test]
fn unfinished_messages_are_returned_in_order_of_start() {
    let line = |agent: &String| {
        format!(
            "{}\n",
            json!({"type": "stream_event", "event": start(agent),
            "session_id": "s", "parent_tool_use_id": agent})
        )
    };
    let agents: Vec<String> = (0..20).map(|n| format!("t{n}")).collect();
    let (whole, cut_off, _) =
        assemble(&agents.iter().map(line).collect::<String>());
    let ids: Vec<_> =
        cut_off.into_iter().filter_map(|m| m.parent_tool_use_id).collect();
    assert_eq!((whole.len(), ids), (0, agents));
}

#[test]
fn events_with_event_type_are_assembled_too() {
    let event = |name: &str, data: Value| {
        format!("{}\n", json!({"event_type": name, "data": data}))
    };
    let log = event("message_start", json!({"message_id": "m1"}))
        + &event("content_block_start", begin(0, json!({"type": "text"})))
        + &event("content_block_delta", piece(0, "text_delta", "Hi"))
        + &event("message_delta", json!({"stop_reason": "end_turn"}))
        + &event("message_stop", json!({}));
    let (messages, _, lost) = assemble(&log);
    assert_eq!((messages[0].id.as_deref(), lost), (Some("m1"), 0));
    assert_eq!(messages[0].stop_reason.as_deref(), Some("end_turn"));
    assert_eq!(blocks(&messages[0]), [json!({"type": "text", "text": "Hi"})]);
}

proptest! {
    #![proptest_config(cases(256))]

    /// Messages of three agents, split into deltas of any size and
    /// interleaved, are assembled to the original blocks.
    #[test]
    fn deltas_of_parallel_agents_make_the_original_blocks(
        messages in vec((0..3usize, vec(any_block(), 0..4), any::<bool>()), 1..6),
        cuts in vec(1..12usize, 1..9),
        turns in vec(0..3usize, 1..40),
    ) {
        // Each agent writes its messages one after the other.
        let mut streams = vec![vec![]; 3];
        let mut expected = BTreeMap::new();
        for (number, (agent, blocks, pretty)) in messages.into_iter().enumerate() {
            let id = format!("m{number}");
            streams[agent].extend(written(&id, &blocks, pretty, &cuts));
            expected.insert(id, blocks);
        }
        let mut streams: Vec<_> = streams.into_iter().map(Vec::into_iter).collect();
        let call = [json!(null), json!("t1"), json!("t2")];
        let mut log = String::new();
        for agent in turns.iter().cycle() {
            if streams.iter().all(|stream| stream.len() == 0) {
                break;
            }
            // `turns` may not contain every agent.
            let fallback = streams.iter().position(|stream| stream.len() > 0);
            let agent = if streams[*agent].len() > 0 { *agent } else { fallback.unwrap() };
            let event = streams[agent].next().unwrap();
            log += &format!("{}\n", json!({"type": "stream_event", "event": event,
                "session_id": "s", "parent_tool_use_id": call[agent]}));
        }
        let (messages, cut_off, lost) = assemble(&log);
        prop_assert_eq!((cut_off.len(), lost), (0, 0));
        let assembled: BTreeMap<_, _> = messages
            .iter()
            .map(|message| (message.id.clone().unwrap(), blocks(message)))
            .collect();
        prop_assert_eq!(assembled, expected);
    }

    /// Events in any order cause no panic, and assembled lines are valid.
    #[test]
    fn reordered_deltas_do_not_panic_and_make_valid_lines(
        message in vec(any_block(), 0..4), cuts in vec(1..12usize, 1..9),
        order in vec(any::<prop::sample::Index>(), 0..30),
    ) {
        let written = written("m", &message, false, &cuts);
        let log: Vec<Value> =
            order.iter().map(|at| written[at.index(written.len())].clone()).collect();
        let (whole, cut_off, _) = assemble(&events(&log));
        whole.iter().chain(&cut_off).for_each(|message| _ = blocks(message));
    }
}

/// In real logs, the agent writes an assistant line for each block, with the
/// message's id.
#[test]
fn assembled_messages_of_real_logs_equal_their_assistant_lines() {
    let (mut finished, mut cut) = (0, 0);
    let files = logs::corpus_files();
    for file in &files {
        let log = String::from_utf8_lossy(file);
        let mut said: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in log.lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let message = &line["message"];
            if line["type"] == "assistant"
                && let Some(id) = message["id"].as_str()
            {
                let blocks = message["content"].as_array().unwrap();
                said.entry(id.to_string()).or_default().extend(blocks.clone());
            }
        }
        let (messages, cut_off, lost) = assemble(&log);
        assert_eq!(lost, 0);
        cut += cut_off.len();
        for message in messages {
            if message.is_finished {
                finished += 1;
                assert_eq!(
                    blocks(&message),
                    said[message.id.as_ref().unwrap()]
                );
            } else {
                cut += 1;
                assert!(!message.blocks[0].is_finished());
            }
        }
    }
    println!("{finished} messages assembled, {cut} cut off");
    assert!(files.is_empty() || finished > 0);
}
