//! Turns with their tool calls, and messages put together of deltas: small
//! sessions, slow twins, real logs.

#[path = "support/turns.rs"]
mod made;
#[allow(dead_code)] // this binary uses a part of it
#[path = "support/mod.rs"]
mod shared;
#[path = "support/deltas.rs"]
mod written;

use shared::{framing as pieces, json as support, texts};
use std::collections::BTreeMap;

use linetape::{
    Decoder, Message, Reader, lines,
    session::{Assembled, Deltas, Tokens, Turns},
};
use made::{
    answers, any_log, calls, digest, log, naive, said, shuffled, spec, user,
    with,
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};
use texts::cases;
use written::{any_block, begin, events, piece, start, stop, written};

// ---- turns of small sessions -----------------------------------------------

fn turns(log: &str) -> Turns {
    let (mut decoded, mut peeked) = (Turns::new(), Turns::new());
    let mut reader = lines(log.as_bytes());
    while let Some(record) = reader.next_record() {
        if let Ok(record) = record {
            decoded.add(record.message(), record.position());
        }
    }
    let mut reader = lines(log.as_bytes());
    while let Some(Ok(line)) = reader.next_line() {
        if line.check().is_ok() {
            peeked.add(line.peek().unwrap(), line.position());
        }
    }
    assert_eq!(digest(&decoded), digest(&peeked));
    decoded
}

fn shown(lines: &[Value]) -> Vec<String> {
    digest(&turns(&log(lines)))
}

#[test]
fn linear_conversations_have_a_turn_for_each_prompt() {
    let lines = [
        spec("user", "1", "0"),
        spec("assistant/response", "2", "1"),
        spec("user", "3", "2"),
        spec("assistant/thinking", "4", "3"),
        spec("assistant/response", "5", "4"),
        // A line that comes again is no other message.
        spec("assistant/response", "5", "4"),
    ];
    let expected = ["s 1@1 1000..2000 m1", "s 3@3 3000..6000 m2"];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn a_tool_is_called_and_answers() {
    let lines = [
        spec("user", "1", "0"),
        spec("assistant/response", "2", "1"),
        spec("assistant/tool_use", "3", "2"),
        spec("system/tool_result", "4", "3"),
        spec("assistant/response", "5", "4"),
    ];
    let expected = ["s 1@1 1000..5000 m3: 3=Write@3+3000>4+4000#0"];
    assert_eq!(shown(&lines), expected);
    let lines =
        [user("Go"), calls("m1", &["t1"]), answers(&["!t1"]), said("m2")];
    let expected = ["s 1@1 1000..4000 m2: t1=Read@2+2000>3+3000!#0"];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn parallel_calls_are_a_group() {
    let call = |uuid, parent| spec("assistant/tool_use", uuid, parent);
    let result =
        |uuid: &str, parent: &str| spec("system/tool_result", uuid, parent);
    let expected = ["s 1@1 1000..8000 m4: c1=Write@2+2000>6+6000#0, \
         c2=Write@3+3000>5+5000#0, c3=Write@4+4000>7+7000#0, \
         c4=Write@8+8000>-#1"];
    // Results name their calls, or else they come in the calls' order.
    let lines = |parents: [&str; 3]| {
        let [one, two, three] = parents;
        [
            spec("user", "u", ""),
            call("c1", "u"),
            call("c2", "c1"),
            call("c3", "c2"),
            result("r1", one),
            result("r2", two),
            result("r3", three),
            call("c4", "r3"),
        ]
    };
    assert_eq!(shown(&lines(["c2", "c1", "c3"])), expected);
    let in_order = shown(&lines(["?", "r1", "r2"]))[0].clone();
    assert!(in_order.contains("c1=Write@2+2000>5"), "{in_order}");
    assert!(in_order.contains("c3=Write@4+4000>7"), "{in_order}");

    // One message makes them, and some have their result before the next.
    let lines = [
        user("Go"),
        calls("m1", &["t1"]),
        answers(&["t1"]),
        calls("m1", &["t2", "t3"]),
        answers(&["t3", "t2"]),
        calls("m2", &["t4"]),
    ];
    let turns = turns(&log(&lines));
    let turn = turns.turns().next().unwrap();
    let groups: Vec<_> = turn.calls().map(|call| call.group).collect();
    assert_eq!(groups, [0, 0, 0, 1]);
    let parallel = turn.parallel_groups();
    assert_eq!(parallel.len(), 1);
    let ids: Vec<_> = parallel[0].iter().filter_map(|call| call.id).collect();
    assert_eq!(ids, ["t1", "t2", "t3"]);
}

#[test]
fn sub_agents_have_turns_of_their_own() {
    let side = |line| with(line, json!({"isSidechain": true}));
    let lines = [
        spec("user", "1", "0"),
        spec("assistant/response", "2", "1"),
        side(spec("user", "3", "2")),
        side(spec("user", "x", "2")),
        side(spec("assistant/tool_use", "4", "3")),
        side(spec("system/tool_result", "5", "4")),
        side(spec("assistant/response", "y", "x")),
        spec("assistant/response", "6", "2"),
    ];
    let expected = [
        "s 1@1 1000..8000 m2",
        "s/side 3 3@3 3000..6000 m1: 4=Write@5+5000>6+6000#0",
        "s/side x 4@4 4000..7000 m1",
    ];
    assert_eq!(shown(&lines), expected);

    let of_call = |line| with(line, json!({"parent_tool_use_id": "t1"}));
    let of_agent = |line| with(side(line), json!({"agentId": "a"}));
    let lines = [
        user("Go"),
        calls("m1", &["t1", "t2"]),
        of_call(user("Look")),
        of_agent(user("Listen")),
        of_call(calls("m2", &["t3"])),
        of_agent(said("m3")),
        of_call(answers(&["t3"])),
        answers(&["t2", "t1"]),
    ];
    let expected = [
        "s 1@1 1000..8000 m1: t1=Read@2+2000>8+8000#0, t2=Read@2+2000>8+8000#0",
        "s/call t1 3@3 3000..7000 m1: t3=Read@5+5000>7+7000#0",
        "s/agent a 4@4 4000..6000 m1",
    ];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn errors_are_recovered_from() {
    let lines = [
        spec("user", "1", "0"),
        spec("assistant/response", "2", "1"),
        spec("assistant/tool_use", "3", "2"),
        with(spec("system/error", "4", "3"), json!({"isError": true})),
        spec("assistant/response", "5", "4"),
        spec("assistant/tool_use", "6", "5"),
        spec("system/tool_result", "7", "6"),
        // This answers nothing.
        with(spec("system/error", "8", "7"), json!({"isError": true})),
        with(said("m"), json!({"error": "rate_limit"})),
    ];
    let expected = ["s 1@1 1000..9000 m5 e2: 3=Write@3+3000>4+4000!#0, \
         6=Write@6+6000>7+7000#1"];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn a_turn_goes_on_through_a_compaction() {
    let step = |line, text: &str| with(line, json!({"message": text}));
    let lines = [
        step(spec("user", "1", "0"), "/compact"),
        step(spec("compact_system", "2", "1"), "conversation_compacting"),
        step(spec("compact_system", "3", "2"), "conversation_compacted"),
        spec("assistant/response", "4", "3"),
    ];
    assert_eq!(shown(&lines), ["s 1@1 1000..4000 m1"]);
    let summary = with(user("So far"), json!({"isCompactSummary": true}));
    let boundary = json!({"type": "system", "subtype": "compact_boundary"});
    let lines = [user("Go"), said("m1"), boundary, summary, said("m2")];
    assert_eq!(shown(&lines), ["s 1@1 1000..5000 m2"]);
}

#[test]
fn a_prompt_that_was_edited_is_a_turn_too() {
    let lines = [
        spec("user", "1", "0"),
        spec("assistant/response", "2", "1"),
        spec("user", "3", "2"),
        spec("assistant/response", "4", "3"),
        spec("user", "3b", "2"),
        spec("assistant/response", "4b", "3b"),
    ];
    let prompts: Vec<_> = turns(&log(&lines))
        .turns()
        .filter_map(|turn| turn.prompt())
        .map(|at| at.line())
        .collect();
    assert_eq!(prompts, [1, 3, 5]);
}

#[test]
fn streams_end_their_turns_with_a_result() {
    let bare = |mut line: Value| {
        for key in ["timestamp", "sessionId"] {
            line[key] = Value::Null;
        }
        line
    };
    let init = || bare(json!({"type": "system", "subtype": "init"}));
    let result = |subtype: &str, more| {
        bare(with(json!({"type": "result", "subtype": subtype}), more))
    };
    let lines = [
        init(),
        bare(calls("m1", &["t1"])),
        bare(answers(&["t1"])),
        bare(said("m2")),
        result("success", json!({"duration_ms": 450, "num_turns": 2})),
        bare(said("m3")),
        result("error_max_turns", json!({"duration_ms": 2.5})),
        // A run that was killed, and one that failed at once.
        init(),
        bare(said("m4")),
        init(),
        result("error", json!({"error": "No"})),
        bare(said("m5")),
        result("input_required", json!({})),
        // The prompt may stand before the init.
        bare(user("Go")),
        init(),
        bare(said("m6")),
        bare(json!({"type": "system", "subtype": "session_state_changed",
            "state": "idle"})),
        bare(said("m7")),
    ];
    let expected = [
        "- -@2 ?..? m2 450ms success@5: t1=Read@2+?>3+?#0",
        "- -@6 ?..? m1 2.5ms error_max_turns!@7",
        "- -@9 ?..? m1",
        "- -@11 ?..? m0 error!@11",
        "- -@12 ?..? m1 input_required@13",
        "- 14@14 ?..? m1",
        "- -@18 ?..? m1",
    ];
    assert_eq!(shown(&lines), expected);
    let log = log(&lines[..5]);
    let turns = turns(&log);
    let result = turns.turns().next().unwrap().result().unwrap();
    assert_eq!((result.duration_ms, result.num_turns), (Some(450.0), Some(2)));
    assert_eq!(result.duration_api_ms, None);
}

#[test]
fn agent_servers_have_turns() {
    let input = |session: i64, sequence: u64| {
        json!({"session_id": session, "content": "Hi",
            "turn_id": {"role": "User", "sequence": sequence}})
    };
    let chunk = |sequence: u64| {
        json!({"TextChunk": {"text": "H", "session_id": 1,
            "turn_id": {"role": "Assistant", "sequence": sequence}}})
    };
    let start = |id: &str| {
        json!({"ToolExecuting": {"tool_use_id": id, "tool_name": "look",
            "input": {}, "session_id": 1}})
    };
    let done = |session: i64, id: &str| {
        json!({"ToolCompleted": {"tool_use_id": id, "result": "",
            "session_id": session}})
    };
    let complete = |reason: &str| json!({"Complete": {"session_id": 1, "stop_reason": reason}});
    let lines = [
        input(1, 1),
        input(2, 1),
        chunk(1),
        chunk(1),
        start("c1"),
        start("c2"),
        complete("ToolUse"),
        done(1, "c2"),
        done(2, "c1"),
        chunk(2),
        start("c3"),
        json!({"Error": {"message": "Oh", "session_id": 1}}),
        complete("EndTurn"),
        input(1, 2),
    ];
    let expected = [
        "1 1@1 ?..? m2 e1 EndTurn@13: c1=look@5+?>-#0, c2=look@6+?>8+?#0, \
         c3=look@11+?>-#1",
        "2 2@2 ?..? m0",
        "1 14@14 ?..? m0",
        "unasked [9]",
    ];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn not_all_that_the_user_says_is_a_prompt() {
    let mut beside = answers(&["t1"]);
    let text = json!({"type": "text", "text": "And hurry."});
    beside["message"]["content"].as_array_mut().unwrap().push(text);
    let empty = with(user(""), json!({"message": {"content": []}}));
    let mut picture = user("");
    picture["message"]["content"] = json!([{"type": "image"}]);
    let origin = json!({"isSynthetic": true, "origin": {"kind": "peer"}});
    for (line, is_prompt) in [
        (user("Go"), true),
        (picture, true),
        (user("<command-name>/review</command-name>"), true),
        (user("<task-notification>Done</task-notification>"), true),
        (with(user("Go"), origin), true),
        (with(user("Go"), json!({"isMeta": false})), true),
        (with(user("Go"), json!({"isMeta": true})), false),
        (with(user("Go"), json!({"isSynthetic": true})), false),
        (with(user("Go"), json!({"shouldQuery": false})), false),
        (user("<local-command-stdout>Bye</local-command-stdout>"), false),
        (user("<bash-stderr>No</bash-stderr>"), false),
        (user("[Request interrupted by user]"), false),
        (answers(&["t1"]), false),
        (beside, false),
        (empty, false),
        (with(user(""), json!({"message": null})), false),
    ] {
        let log = log(&[user("Look"), calls("m1", &["t1"]), line]);
        let count = turns(&log).turns().count();
        assert_eq!(count, 1 + usize::from(is_prompt), "{log}");
        // What is none begins no turn either, unless it is a result.
        let alone = turns(log.lines().last().unwrap()).turns().count();
        let is_result = log.contains("tool_result");
        assert_eq!(alone, usize::from(is_prompt || is_result), "{log}");
    }
}

#[test]
fn calls_may_have_no_result_and_results_no_call() {
    let lines = [
        answers(&["lost"]),
        user("Go"),
        calls("m1", &["t1", "t2"]),
        with(
            user("[Request interrupted by user for tool use]"),
            json!({"sessionId": "s"}),
        ),
        user("Once more"),
        calls("m2", &["t1", "t3"]),
        answers(&["!t3", "t3", "t2", "nobody"]),
        with(answers(&["t3"]), json!({"sessionId": "other"})),
    ];
    let turns = turns(&log(&lines));
    let expected = [
        "s -@1 1000..1000 m0",
        "s 2@2 2000..4000 m1 interrupted: t1=Read@3+3000>-#0, \
         t2=Read@3+3000>7+7000#0",
        "s 5@5 5000..7000 m1: t3=Read@6+6000>7+7000!#0",
        "other -@8 8000..8000 m0",
        "unasked [1, 7, 8]",
    ];
    assert_eq!(digest(&turns), expected);
    let waiting: Vec<_> = turns.unanswered().map(|call| call.id).collect();
    assert_eq!(waiting, [Some("t1")]);
}

#[test]
fn the_api_answers_its_own_calls() {
    let mut line = said("m1");
    line["message"]["content"] = json!([
        {"type": "server_tool_use", "id": "t1", "name": "web_search"},
        {"type": "web_search_tool_result", "tool_use_id": "t1"},
        {"type": "mcp_tool_use", "id": "t2", "name": "ask"},
        {"type": "mcp_tool_result", "tool_use_id": "t2", "is_error": true},
        {"type": "tool_use", "name": "Nameless"},
    ]);
    let expected = ["s 1@1 1000..2000 m1: \
         t1=web_search@2+2000>2+2000#0, t2=ask@2+2000>2+2000!#0, \
         -=Nameless@2+2000>-#0"];
    assert_eq!(shown(&[user("Go"), line]), expected);
}

#[test]
fn times_are_as_the_lines_state_them() {
    let at = |line, time: &str| with(line, json!({"timestamp": time}));
    let lines = [
        at(user("Go"), "2026-01-01T00:00:05Z"),
        at(calls("m1", &["t1", "t2"]), "2026-01-01T01:00:04.25+01:00"),
        at(answers(&["t1"]), "2026-01-01T00:00:04Z"),
        at(answers(&["t2"]), "noon"),
        json!({"type": "system", "subtype": "turn_duration",
            "durationMs": 3000}),
    ];
    let turns = turns(&log(&lines));
    let expected = ["s 1@1 4000..5000 m1 3000ms: t1=Read@2+4250>3+4000#0, \
         t2=Read@2+4250>4+?#0"];
    assert_eq!(digest(&turns), expected);
    let turn = turns.turns().next().unwrap();
    assert_eq!(turn.duration(), Some(1000));
    // A result was not there before its call.
    assert!(turn.calls().all(|call| call.duration().is_none()));
}

#[test]
fn an_answer_that_was_cut_off_counts() {
    let start = json!({"type": "stream_event", "event":
        {"type": "message_start", "message": {"id": "m1"}}});
    let expected = ["s 1@1 1000..3000 m1"];
    assert_eq!(shown(&[user("Go"), start, said("m1")]), expected);
}

// ---- against the twin ------------------------------------------------------

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn turns_are_those_of_the_twin(log in any_log()) {
        prop_assert_eq!(digest(&turns(&log)), naive(&log));
    }

    #[test]
    fn the_order_of_keys_and_the_pieces_of_a_stream_do_not_matter(
        log in any_log(), mut seed in any::<usize>(), plan in vec(1..90usize, 1..9),
    ) {
        let shuffled: String = log.lines()
            .map(|line| shuffled(&serde_json::from_str(line).unwrap(), &mut seed) + "\n")
            .collect();
        let mut in_pieces = Turns::new();
        let mut reader = Reader::new(pieces::InPieces::new(shuffled.as_bytes(), &plan));
        while let Some(record) = reader.next_record() {
            let record = record.unwrap();
            in_pieces.add(record.message(), record.position());
        }
        prop_assert_eq!(digest(&in_pieces), digest(&turns(&log)));
    }

    #[test]
    fn logs_may_be_cut_and_spliced(
        one in any_log(), other in any_log(), cut in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
    ) {
        let spliced = format!("{}{}", &one[..cut.index(one.len() + 1)],
            &other[from.index(other.len() + 1)..]);
        let found = digest(&turns(&spliced));
        // The two halves of a line may make one of a kind that the twin does
        // not know, or one with two types, which only serde_json accepts.
        let known: Vec<&str> = one.lines().chain(other.lines()).collect();
        let mut decoder = Decoder::new();
        let mut is_novel = |line: &str| {
            !known.contains(&line) && decoder.decode(line.as_bytes()).is_ok()
        };
        if spliced.lines().any(&mut is_novel) {
            return Ok(());
        }
        let lines = spliced.lines().map(|line| {
            if known.contains(&line) { line } else { "?" }
        });
        prop_assert_eq!(found, naive(&lines.collect::<Vec<_>>().join("\n")));
    }
}

#[test]
fn real_logs_have_the_turns_that_the_twin_says() {
    for file in support::corpus() {
        let log = String::from_utf8_lossy(&file);
        assert_eq!(digest(&turns(&log)), naive(&log));
    }
}

// ---- deltas ----------------------------------------------------------------

/// The messages that a log is assembled to, those that were cut off at its
/// end, and how many pieces were lost.
fn assemble(log: &str) -> (Vec<Assembled>, Vec<Assembled>, u64) {
    let (mut decoded, mut peeked) = (Deltas::new(), Deltas::new());
    let (mut whole, mut again) = (vec![], vec![]);
    let mut reader = lines(log.as_bytes());
    while let Some(record) = reader.next_record() {
        whole.extend(record.ok().and_then(|r| decoded.add(r.message())));
    }
    let mut reader = lines(log.as_bytes());
    while let Some(Ok(line)) = reader.next_line() {
        if line.check().is_ok() {
            again.extend(peeked.add(line.peek().unwrap()));
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

/// The blocks of a message, and the same by way of its line.
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
fn a_message_says_all_that_its_pieces_say() {
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
fn odd_streams_are_survived() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let log = events(&[
        // For no message.
        piece(0, "text_delta", "lost"),
        stop(),
        start("m1"),
        begin(1 << 60, text("a")),
        begin(u64::MAX, text("b")),
        begin(1 << 60, text("c")),
        piece(1 << 60, "text_delta", "C"),
        piece(u64::MAX, "text_delta", "B"),
        // Lost: no such block, no such delta, no such event.
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
fn what_is_cut_off_comes_out_in_the_order_in_which_it_began() {
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
fn events_without_a_type_are_put_together_too() {
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

    /// However they are cut, and whoever talks at the same time.
    #[test]
    fn pieces_make_the_blocks_that_they_were_made_of(
        messages in vec((0..3usize, vec(any_block(), 0..4), any::<bool>()), 1..6),
        cuts in vec(1..12usize, 1..9),
        turns in vec(0..3usize, 1..40),
    ) {
        // Each agent writes one message after the other.
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
            // Some agent may never have its turn.
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

    /// Whatever happens to a log, there is no panic, and lines can be read.
    #[test]
    fn cut_and_spliced_streams_are_survived(
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

/// The agent writes a line for each block, with the message's id.
#[test]
fn real_messages_are_those_of_the_lines_that_follow() {
    let (mut finished, mut cut) = (0, 0);
    let files = support::corpus();
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
