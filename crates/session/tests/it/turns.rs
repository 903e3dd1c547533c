//! Turns with their tool calls: small sessions, a reference implementation,
//! real logs.

use linetape::{Decoder, Reader, lines};
use linetape_session::Turns;
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use crate::{
    logs, sources as pieces,
    texts::cases,
    turns_reference::{
        answers, any_log, calls, digest, log, naive, said, shuffled, spec,
        user, with,
    },
};

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
fn a_linear_conversation_has_a_turn_for_each_prompt() {
    let lines = [
        spec("user", "1", "0"),
        spec("assistant/response", "2", "1"),
        spec("user", "3", "2"),
        spec("assistant/thinking", "4", "3"),
        spec("assistant/response", "5", "4"),
        // A repeated line is the same message.
        spec("assistant/response", "5", "4"),
    ];
    let expected = ["s 1@1 1000..2000 m1", "s 3@3 3000..6000 m2"];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn a_tool_call_is_matched_with_its_result() {
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
fn parallel_tool_calls_are_a_group() {
    let call = |uuid, parent| spec("assistant/tool_use", uuid, parent);
    let result =
        |uuid: &str, parent: &str| spec("system/tool_result", uuid, parent);
    let expected = ["s 1@1 1000..8000 m4: c1=Write@2+2000>6+6000#0, \
         c2=Write@3+3000>5+5000#0, c3=Write@4+4000>7+7000#0, \
         c4=Write@8+8000>-#1"];
    // Results are matched by id, or else in the order of the calls.
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

    // One message makes all calls, with results in between.
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
fn sub_agents_have_separate_turns() {
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
fn errors_are_counted_in_the_turn() {
    let lines = [
        spec("user", "1", "0"),
        spec("assistant/response", "2", "1"),
        spec("assistant/tool_use", "3", "2"),
        with(spec("system/error", "4", "3"), json!({"isError": true})),
        spec("assistant/response", "5", "4"),
        spec("assistant/tool_use", "6", "5"),
        spec("system/tool_result", "7", "6"),
        // This is not the result of a call.
        with(spec("system/error", "8", "7"), json!({"isError": true})),
        with(said("m"), json!({"error": "rate_limit"})),
    ];
    let expected = ["s 1@1 1000..9000 m5 e2: 3=Write@3+3000>4+4000!#0, \
         6=Write@6+6000>7+7000#1"];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn a_turn_continues_across_a_compaction() {
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
fn an_edited_prompt_begins_a_turn() {
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
fn a_result_ends_the_turn_of_a_stream() {
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
        // A run that was killed, and one that failed immediately.
        init(),
        bare(said("m4")),
        init(),
        result("error", json!({"error": "No"})),
        bare(said("m5")),
        result("input_required", json!({})),
        // The prompt may come before the init.
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
fn turns_of_an_agent_server() {
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
fn prompts_and_other_user_messages() {
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
        // Other messages begin no turn either, except tool results.
        let alone = turns(log.lines().last().unwrap()).turns().count();
        let is_result = log.contains("tool_result");
        assert_eq!(alone, usize::from(is_prompt || is_result), "{log}");
    }
}

#[test]
fn unanswered_calls_and_unasked_results() {
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
fn results_of_tools_that_the_api_runs() {
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
fn times_and_durations_of_turns_and_calls() {
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
    // A result that is earlier than its call has no duration.
    assert!(turn.calls().all(|call| call.duration().is_none()));
}

#[test]
fn a_truncated_message_is_counted() {
    let start = json!({"type": "stream_event", "event":
        {"type": "message_start", "message": {"id": "m1"}}});
    let expected = ["s 1@1 1000..3000 m1"];
    assert_eq!(shown(&[user("Go"), start, said("m1")]), expected);
}

// ---- against the reference ------------------------------------------------------

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn turns_agree_with_the_reference(log in any_log()) {
        prop_assert_eq!(digest(&turns(&log)), naive(&log));
    }

    #[test]
    fn key_order_and_chunk_size_do_not_change_turns(
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
    fn truncated_and_spliced_logs_agree_with_the_reference(
        one in any_log(), other in any_log(), cut in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
    ) {
        let spliced = format!("{}{}", &one[..cut.index(one.len() + 1)],
            &other[from.index(other.len() + 1)..]);
        let found = digest(&turns(&spliced));
        // The halves of two lines may form a line of a kind that the reference
        // does not know, or a line with two types, which only serde_json
        // accepts.
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
fn turns_of_real_logs_agree_with_the_reference() {
    for file in logs::corpus_files() {
        let log = String::from_utf8_lossy(&file);
        assert_eq!(digest(&turns(&log)), naive(&log));
    }
}
