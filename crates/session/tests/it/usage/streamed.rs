//! Streams: the lines of a message have the counts of its start, events those
//! of its end, and results what no message has.

use linetape_session::{Tokens, Unlogged, UsageTotals};
use serde_json::{Value, json};

use super::{log, saved::everything, totals};
use crate::logs;

/// A line of a message that has just begun.
fn line(id: &str, input: u64) -> Value {
    json!({"type": "assistant", "session_id": "s", "parent_tool_use_id": null,
        "uuid": format!("line {id} {input}"), "request_id": format!("r {id}"),
        "message": {"id": id, "model": "opus", "stop_reason": null,
            "usage": {"input_tokens": input, "output_tokens": 1,
                "cache_creation_input_tokens": 20,
                "cache_read_input_tokens": 300}}})
}

fn event(event: Value) -> Value {
    json!({"type": "stream_event", "session_id": "s",
        "parent_tool_use_id": null, "event": event})
}

fn start(id: &str, input: u64) -> Value {
    let message = line(id, input)["message"].clone();
    event(json!({"type": "message_start", "message": message}))
}

fn delta(usage: Value) -> Value {
    event(json!({"type": "message_delta", "usage": usage,
        "delta": {"stop_reason": "end_turn"}}))
}

fn with(mut line: Value, key: &str, value: Value) -> Value {
    line[key] = value;
    line
}

/// A delta that names its message.
fn named(id: &str, output: u64) -> Value {
    let delta = delta(json!({"output_tokens": output}));
    with(delta, "api_message_id", json!(id))
}

fn result(output: u64) -> Value {
    json!({"type": "result", "session_id": "s",
        "modelUsage": {"opus[1m]": {"inputTokens": 9, "outputTokens": output,
            "cacheCreationInputTokens": 20, "cacheReadInputTokens": 300}}})
}

fn four(tokens: Tokens) -> [u64; 4] {
    [
        tokens.input_tokens,
        tokens.output_tokens,
        tokens.cache_creation_input_tokens,
        tokens.cache_read_input_tokens,
    ]
}

fn summed(lines: &[Value]) -> ([u64; 4], u64) {
    let totals = totals(&log(lines));
    (four(totals.total().tokens), totals.placeholders())
}

/// Asserts that the lines give the same totals when they are cut anywhere, and
/// the parts are added up alone and saved before they are appended.
fn check_cuts(lines: &[Value]) {
    let whole = everything(&totals(&log(lines)));
    for first in 0..=lines.len() {
        for second in first..=lines.len() {
            let parts =
                [&lines[..first], &lines[first..second], &lines[second..]];
            let mut sum = UsageTotals::new();
            for part in parts {
                let part = totals(&log(part)).save();
                sum.append(UsageTotals::load(part).unwrap());
            }
            assert_eq!(everything(&sum), whole, "{first} {second}");
        }
    }
}

/// The output tokens of a stream were those of the start of each message, up to
/// 13 times too few.
#[test]
fn the_last_counts_of_a_streamed_message_are_used() {
    let lines = [
        start("msg_a", 9),
        line("msg_a", 9),
        line("msg_a", 9),
        delta(json!({"output_tokens": 70})),
        delta(json!({"output_tokens": 77, "input_tokens": 0,
            "cache_read_input_tokens": 301})),
        start("msg_b", 4),
        line("msg_b", 4),
        delta(json!({"output_tokens": 5})),
    ];
    assert_eq!(summed(&lines), ([13, 82, 40, 601], 0));
    let whole = totals(&log(&lines));
    assert_eq!(four(whole.by_model()[0].tokens), [13, 82, 40, 601]);
    let outputs = whole.messages().map(|one| one.tokens.output_tokens);
    assert_eq!(outputs.collect::<Vec<_>>(), [77, 5]);
    check_cuts(&lines);
}

/// A delta may come before the lines of its message, and after those of the
/// next one.
#[test]
fn a_delta_that_names_its_message_may_be_anywhere() {
    let (first, second) = (line("msg_a", 9), line("msg_b", 4));
    let deltas = [named("msg_a", 50), named("msg_b", 6)];
    let [a, b] = deltas.clone();
    for lines in [
        [first.clone(), second.clone(), b.clone(), a.clone()],
        [a.clone(), b.clone(), second.clone(), first.clone()],
        [start("msg_b", 4), first.clone(), a.clone(), line("msg_a", 9)],
    ] {
        let (tokens, placeholders) = summed(&lines);
        assert_eq!((tokens[1] >= 50, placeholders), (true, 0), "{lines:?}");
        check_cuts(&lines);
    }
    assert_eq!(summed(&[first.clone(), a.clone()]).0[1], 50);
    // A delta alone is no message: the agent wrote no line of it.
    assert_eq!(summed(&deltas), ([0; 4], 0));
    // A copy of the stream changes nothing.
    assert_eq!(summed(&[a.clone(), first.clone(), a, first]).0[1], 50);
}

/// Each agent of a session streams its own messages.
#[test]
fn a_delta_belongs_to_its_thread_and_session() {
    let side = |line| with(line, "parent_tool_use_id", json!("t"));
    let other = |line| with(line, "session_id", json!("s2"));
    let lines = [
        start("msg_a", 9),
        side(start("msg_b", 9)),
        other(start("msg_c", 9)),
        line("msg_a", 9),
        side(line("msg_b", 9)),
        other(line("msg_c", 9)),
        delta(json!({"output_tokens": 10})),
        side(delta(json!({"output_tokens": 200}))),
        other(delta(json!({"output_tokens": 3000}))),
    ];
    let totals = totals(&log(&lines));
    assert_eq!(totals.subagents().tokens.output_tokens, 200);
    let sessions = totals.by_session();
    let outputs = sessions.iter().map(|session| session.tokens.output_tokens);
    assert_eq!(outputs.collect::<Vec<_>>(), [210, 3000]);
    check_cuts(&lines);
}

/// The ids of a gateway may not be unique: a message is known by the counts of
/// its input as well.
#[test]
fn a_gateway_may_repeat_an_id() {
    let bare = |mut line: Value| {
        line.as_object_mut().unwrap().remove("request_id");
        line
    };
    let lines = [
        start("chat", 9),
        bare(line("chat", 9)),
        named("chat", 40),
        start("chat", 4),
        bare(line("chat", 4)),
        delta(json!({"output_tokens": 5})),
        // Without its start, it could be any message with the id.
        with(named("chat", 600), "parent_tool_use_id", json!("t")),
    ];
    assert_eq!(summed(&lines), ([13, 45, 40, 600], 0));
    check_cuts(&lines);
}

/// The tools of a stream had the counts of the start of their messages.
#[test]
fn a_tool_has_the_last_counts_of_its_messages() {
    let mut call = line("msg_a", 9);
    call["message"]["content"] =
        json!([{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]);
    let totals = totals(&log(&[call, named("msg_a", 50)]));
    assert_eq!(totals.by_tool()[0].tokens.output_tokens, 50);
}

/// A short message of a stream was no placeholder: there are too few bytes for
/// its one token to be implausible.
#[test]
fn a_line_of_a_stream_without_a_reason_to_stop_is_a_placeholder() {
    let changed = |key: &str, value: Value| with(line("msg_a", 9), key, value);
    assert_eq!(summed(&[line("msg_a", 9)]).1, 1);
    let mut stopped = line("msg_a", 9);
    stopped["message"]["stop_reason"] = json!("end_turn");
    assert_eq!(summed(&[stopped.clone()]).1, 0);
    let mut silent = line("msg_a", 9);
    silent["message"].as_object_mut().unwrap().remove("stop_reason");
    assert_eq!(summed(&[silent]).1, 0);
    // Transcripts leave the reason out, too, and have the last counts. Some of
    // their lines have both keys.
    assert_eq!(summed(&[changed("sessionId", json!("s"))]).1, 0);
    // Qwen Code never writes it on messages that end with a text.
    assert_eq!(summed(&[changed("uuid", json!("msg_a"))]).1, 0);
    let mut sum = line("msg_a", 9);
    sum["message"]["usage"]["total_tokens"] = json!(330);
    assert_eq!(summed(&[sum]).1, 0);
    // The agent itself writes messages that use no tokens.
    let mut own = line("msg_a", 9);
    own["message"]["usage"] = json!({"input_tokens": 0, "output_tokens": 0});
    assert_eq!(summed(&[own]).1, 0);
}

/// The placeholder of a stream replaced the counts of the transcript if it was
/// read later: both have the request id, and the stream may have no time.
#[test]
fn a_placeholder_never_replaces_other_counts() {
    let mut saved = line("msg_a", 9);
    saved["sessionId"] = json!("s");
    saved["requestId"] = saved["request_id"].take();
    saved["timestamp"] = json!("2026-01-31T10:00:00Z");
    saved["message"]["usage"]["output_tokens"] = json!(60);
    let open = line("msg_a", 9);
    for lines in [[saved.clone(), open.clone()], [open, saved]] {
        assert_eq!(summed(&lines), ([9, 60, 20, 300], 0));
    }
}

/// What the results report and no message has was in a second table only.
#[test]
fn what_the_results_report_beyond_the_messages_is_in_the_total() {
    let lines = [line("msg_a", 9), result(400)];
    let totals = totals(&log(&lines));
    let Unlogged { counted, beside, placeholders, .. } = totals.unlogged();
    assert_eq!(four(counted), [0, 399, 0, 0]);
    assert_eq!((four(beside), placeholders), ([0; 4], 0));
    assert_eq!(four(totals.total().tokens), [9, 400, 20, 300]);
    // It is no message, and in no group.
    assert_eq!((totals.total().messages, totals.placeholders()), (1, 1));
    assert_eq!(four(totals.by_model()[0].tokens), [9, 1, 20, 300]);
    check_cuts(&lines);

    // Nothing is left if there are events.
    let lines = [line("msg_a", 9), named("msg_a", 400), result(400)];
    assert_eq!(summed(&lines), ([9, 400, 20, 300], 0));
    // The messages may be more than a result tells of: a later process did not
    // end.
    let lines = [line("msg_a", 9), named("msg_a", 500), result(400)];
    assert_eq!(summed(&lines).0, [9, 500, 20, 300]);
    // The results of another session tell nothing of this one.
    let other = with(result(400), "session_id", json!("s2"));
    let lines = [line("msg_a", 9), named("msg_a", 7), other];
    assert_eq!(summed(&lines).0, [18, 407, 40, 600]);
}

/// The sums of results are those of the process so far. One that resumes a
/// session or was forked from it may go on with the sums of the other.
#[test]
fn results_are_not_added_up_where_they_are_sums() {
    let since = |output: u64, sum: u64| {
        let models = json!({"opus": {"outputTokens": output}});
        with(result(sum), "model_usage_since_last_result", models)
    };
    let output = |lines: &[Value]| {
        check_cuts(lines);
        summed(lines).0[1]
    };
    assert_eq!(output(&[result(400), result(500)]), 500);
    // The count began again.
    assert_eq!(output(&[result(400), result(50)]), 450);
    // Read alone, the stream of a fork has what it has used itself.
    assert_eq!(output(&[since(30, 430)]), 30);
    assert_eq!(output(&[since(400, 400), since(30, 430)]), 430);
    assert_eq!(output(&[since(400, 400), result(430)]), 430);
    let nothing = json!({});
    let again = with(result(430), "model_usage_since_last_result", nothing);
    assert_eq!(output(&[since(400, 400), since(30, 430), again]), 430);
    // A copy of a result.
    let copy = with(result(400), "uuid", json!("u"));
    assert_eq!(output(&[copy.clone(), copy]), 400);
}

/// A transcript has the sum of its messages, as other programs count it.
#[test]
fn what_a_cost_state_reports_beyond_the_messages_is_beside_the_total() {
    let saved = |session: &str, id: &str| {
        let mut line = line(id, 9);
        let object = line.as_object_mut().unwrap();
        object.remove("session_id");
        object.insert("sessionId".to_string(), json!(session));
        line
    };
    let state = |session: &str, output: u64| {
        let mut state = result(output);
        let object = state.as_object_mut().unwrap();
        object.remove("session_id");
        object.insert("sessionId".to_string(), json!(session));
        object.insert("type".to_string(), json!("cost-state"));
        state
    };
    let beside = |lines: &[Value]| {
        let totals = totals(&log(lines));
        let unlogged = totals.unlogged();
        assert_eq!(four(unlogged.counted), [0; 4]);
        let messages = totals.messages().map(|message| message.tokens);
        assert_eq!(totals.total().tokens, messages.sum::<Tokens>());
        four(unlogged.beside)
    };
    let lines = [saved("s", "msg_a"), state("s", 400)];
    assert_eq!(beside(&lines), [0, 399, 0, 0]);
    check_cuts(&lines);
    // A fork goes on with the sums of the original. What one of them has too
    // much was taken for something that no message has.
    let copy = with(saved("fork", "msg_a"), "requestSessionId", json!("s"));
    let forked = [saved("s", "msg_a"), state("s", 1), copy, state("fork", 31)];
    assert_eq!(beside(&forked)[1], 31);
    // If there are results as well, they are used.
    let mut both = lines.to_vec();
    both.push(result(400));
    assert_eq!(summed(&both).0, [9, 400, 20, 300]);
}

/// A sum that a result completes was called too low.
#[test]
fn placeholders_are_lacking_where_no_result_reports_the_rest() {
    let other = with(line("msg_b", 9), "session_id", json!("s2"));
    let totals = totals(&log(&[line("msg_a", 9), result(400), other]));
    assert_eq!(
        (totals.placeholders(), totals.unlogged().placeholders),
        (2, 1)
    );
}

/// A result of a process that has used so much since its last result.
fn since(input: u64, output: u64) -> Value {
    let models = json!({"opus": {"inputTokens": input, "outputTokens": output,
        "cacheCreationInputTokens": 20, "cacheReadInputTokens": 300}});
    let result = with(result(output), "modelUsage", models.clone());
    with(result, "model_usage_since_last_result", models)
}

fn init() -> Value {
    json!({"type": "system", "subtype": "init", "session_id": "s"})
}

/// The messages of a process that was killed were taken for a part of what the
/// next one reports, and the total was called complete.
#[test]
fn the_result_of_a_resumed_session_is_not_about_a_killed_process() {
    let killed = [init(), line("msg_a", 9), named("msg_a", 663)];
    let resumed = [init(), line("msg_b", 4), since(4, 588)];
    let lines = [killed.to_vec(), resumed.to_vec()].concat();
    assert_eq!(summed(&lines).0, [13, 1251, 40, 600]);
    let unlogged = totals(&log(&lines)).unlogged();
    assert_eq!(
        (four(unlogged.counted), unlogged.placeholders),
        ([0, 587, 0, 0], 0)
    );
    check_cuts(&lines);
    // In any order of files.
    let lines = [resumed.to_vec(), killed.to_vec()].concat();
    assert_eq!(summed(&lines).0, [13, 1251, 40, 600]);
    check_cuts(&lines);
    // The rest of a message that was killed is not known.
    let open = [init(), line("msg_a", 9)];
    for lines in [
        [open.to_vec(), resumed.to_vec()].concat(),
        [resumed.to_vec(), open.to_vec()].concat(),
    ] {
        assert_eq!(summed(&lines), ([13, 589, 40, 600], 2));
        assert_eq!(totals(&log(&lines)).unlogged().placeholders, 1);
        check_cuts(&lines);
    }
    // A log may have no `system/init`.
    let lines = [
        line("msg_a", 9),
        named("msg_a", 600),
        line("msg_b", 9),
        since(9, 500),
    ];
    assert_eq!(summed(&lines), ([18, 1100, 40, 600], 1));
    check_cuts(&lines);
}

/// An agent writes a `system/init` within a process as well, when a sub-agent
/// in the background has ended.
#[test]
fn the_result_of_one_process_is_about_all_its_messages() {
    let mut result = since(13, 700);
    for key in ["modelUsage", "model_usage_since_last_result"] {
        result[key]["opus"]["cacheCreationInputTokens"] = json!(40);
        result[key]["opus"]["cacheReadInputTokens"] = json!(600);
    }
    let lines = [
        init(),
        line("msg_a", 9),
        named("msg_a", 60),
        init(),
        line("msg_b", 4),
        result,
    ];
    assert_eq!(summed(&lines).0, [13, 700, 40, 600]);
    check_cuts(&lines);
}

/// The sums of old agents begin at 0 when a session is resumed. They may be
/// more than before nevertheless.
#[test]
fn sums_may_begin_again_without_a_fall() {
    let of = |output: u64, read: u64| {
        let mut result = result(output);
        result["modelUsage"]["opus[1m]"]["cacheReadInputTokens"] = json!(read);
        result
    };
    let lines =
        [line("msg_a", 9), of(100, 300), line("msg_b", 9), of(150, 900)];
    assert_eq!(summed(&lines).0, [18, 250, 40, 1200]);
    check_cuts(&lines);
    // One of the figures falls.
    let lines =
        [line("msg_a", 9), of(100, 300), line("msg_b", 9), of(90, 300)];
    assert_eq!(summed(&lines).0, [18, 190, 40, 600]);
    check_cuts(&lines);
}

/// A transcript has messages that the stream of its session lacks, and its
/// results report. The order of the files does not matter.
#[test]
fn the_messages_of_a_transcript_are_those_of_its_results() {
    let saved = |id: &str, input: u64, output: u64| {
        let mut line = line(id, input);
        line["sessionId"] = json!("s");
        line["requestId"] = line["request_id"].take();
        line["message"]["usage"]["output_tokens"] = json!(output);
        line
    };
    let mut result = since(13, 700);
    for key in ["modelUsage", "model_usage_since_last_result"] {
        result[key]["opus"]["cacheCreationInputTokens"] = json!(40);
        result[key]["opus"]["cacheReadInputTokens"] = json!(600);
    }
    let stream = vec![init(), line("msg_a", 9), result];
    let transcript = vec![saved("msg_a", 9, 100), saved("msg_b", 4, 600)];
    for lines in [
        [stream.clone(), transcript.clone()].concat(),
        [transcript, stream].concat(),
    ] {
        assert_eq!(summed(&lines).0, [13, 700, 40, 600]);
        check_cuts(&lines);
    }
}

/// A message of a stream that is a copy counted once more if it had a delta.
#[test]
fn a_delta_does_not_bring_back_a_copy() {
    let mut copy = line("msg_a", 9);
    copy["parent_tool_use_id"] = json!("t");
    copy["request_id"] = json!("another");
    let lines = [line("msg_a", 9), copy, named("msg_a", 50)];
    let totals = totals(&log(&lines));
    assert_eq!((totals.total().messages, totals.messages().count()), (1, 1));
    assert_eq!(totals.total().tokens.output_tokens, 50);
}

/// The streams of real sessions: the total is what the client itself reports.
#[test]
fn the_totals_of_real_streams_are_those_of_their_results() {
    for file in logs::corpus_files() {
        let text = String::from_utf8_lossy(&file);
        let lines = text.lines().filter_map(|line| {
            serde_json::from_str::<Value>(line).ok().filter(Value::is_object)
        });
        let mut results = lines.filter(|line| {
            let models = line["modelUsage"].as_object();
            line["type"] == "result" && models.is_some_and(|m| !m.is_empty())
        });
        // Of several results, the last one has the sums.
        let Some(result) = results.next_back() else { continue };
        let models = result["modelUsage"].as_object().unwrap();
        let keys = [
            "inputTokens",
            "outputTokens",
            "cacheCreationInputTokens",
            "cacheReadInputTokens",
        ];
        let sum = keys.map(|key| {
            let counts = models.values().map(|used| used[key].as_u64());
            counts.sum::<Option<u64>>().unwrap()
        });
        assert_eq!(four(totals(&text).total().tokens), sum);
    }
}
