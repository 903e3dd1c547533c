//! Which lines of a message count, and how their counts are read.

use linetape_session::UsageTotals;
use serde_json::{Value, json};

use super::{log, output, said, totals};

/// A line of a stream that was saved, which has no request id and no time.
fn streamed(id: &str, tokens: u64) -> Value {
    said(id, tokens, json!({"session_id": "s", "uuid": "u"}))
}

/// A line of the transcript of the same session.
fn written(id: &str, tokens: u64) -> Value {
    let more = json!({"sessionId": "s", "uuid": "u", "requestId": "r",
        "timestamp": "2026-01-31T00:00:00Z"});
    said(id, tokens, more)
}

/// The tokens of a saved stream beside the transcript of its session were
/// counted twice.
#[test]
fn a_stream_and_the_transcript_of_its_session_count_once() {
    let [stream, transcript] = [streamed("msg_a", 1), written("msg_a", 4)];
    for lines in [
        [stream.clone(), transcript.clone()],
        [transcript.clone(), stream.clone()],
    ] {
        assert_eq!(output(&lines), (1, 4));
        let totals = totals(&log(&lines));
        assert_eq!(totals.by_day()[0].name, Some("2026-01-31"));
        let [mut first, second] =
            lines.map(|line| super::totals(&log(&[line])));
        first = UsageTotals::load(first.save()).unwrap();
        first.append(second);
        assert_eq!(first.total(), totals.total());
    }
    // Two requests are two messages, and both have the line of the stream.
    let mut other = written("msg_a", 8);
    other["requestId"] = json!("r2");
    let lines = [stream.clone(), transcript.clone(), other];
    assert_eq!(output(&lines), (2, 12));
    // A mirrored line of the transcript replaces the line of the stream, which
    // counted before: it may have the counts of the start of the message.
    let mirror = json!({"type": "transcript_mirror",
        "entries": [written("msg_a", 4)]});
    assert_eq!(output(&[mirror.clone(), stream.clone()]), (1, 4));
    assert_eq!(output(&[mirror, stream.clone(), transcript]), (1, 4));
    // In another session, it may be another message.
    let mut other = written("msg_a", 8);
    other["sessionId"] = json!("s2");
    assert_eq!(output(&[stream, other]), (2, 9));
    // A gateway's id may not be unique.
    assert_eq!(output(&[streamed("a", 1), written("a", 4)]), (2, 5));
}

/// The calls of a stream's line are those of the transcript's.
#[test]
fn a_call_of_a_streamed_message_is_one_of_the_transcript() {
    let call = json!([{"type": "tool_use", "id": "t", "name": "Read",
        "input": {}}]);
    let mut lines = [streamed("msg_a", 1), written("msg_a", 4)];
    lines.iter_mut().for_each(|l| l["message"]["content"] = call.clone());
    let totals = totals(&log(&lines));
    let read = totals.by_tool()[0];
    assert_eq!((read.messages, read.tokens.output_tokens), (1, 4));
}

/// Returns the usage of lines of one message.
fn used(lines: &[Value]) -> [u64; 4] {
    let lines: Vec<Value> = lines
        .iter()
        .map(|usage| {
            let mut line = said("msg_a", 0, json!({}));
            line["message"]["usage"] = usage.clone();
            line
        })
        .collect();
    let tokens = totals(&log(&lines)).total().tokens;
    [
        tokens.input_tokens,
        tokens.output_tokens,
        tokens.cache_creation_input_tokens,
        tokens.cache_read_input_tokens,
    ]
}

/// Counts that a program wrote as floating-point numbers were 0.
#[test]
fn a_whole_number_may_be_written_as_a_fraction() {
    let usage: Value = serde_json::from_str(
        r#"{"input_tokens":5.0,"output_tokens":1e2,
            "cache_read_input_tokens":-0.0}"#,
    )
    .unwrap();
    assert_eq!(used(&[usage]), [5, 100, 0, 0]);
    let parts = json!({"cache_creation": {"ephemeral_5m_input_tokens": 7.0}});
    assert_eq!(used(&[parts]), [0, 0, 7, 0]);
    for count in ["0.5", "-1", "-1.0", "1e300", "9007199254740994.0"] {
        let usage = format!(r#"{{"input_tokens":{count}}}"#);
        let usage = serde_json::from_str(&usage).unwrap();
        assert_eq!(used(&[usage]), [0; 4], "{count}");
    }
}

/// The parts of what was written to the cache were lost if the sum was 0.
#[test]
fn the_parts_of_a_cache_write_count_if_the_sum_is_zero() {
    let usage = |sum: u64| {
        json!({
            "cache_creation_input_tokens": sum,
            "cache_creation": {"ephemeral_5m_input_tokens": 70,
                "ephemeral_1h_input_tokens": 7},
        })
    };
    assert_eq!(used(&[usage(0)]), [0, 0, 77, 0]);
    // A sum that is stated is used.
    assert_eq!(used(&[usage(5)]), [0, 0, 5, 0]);
}

/// A last line without any tokens erased those of the lines before it.
#[test]
fn a_line_without_tokens_does_not_erase_those_of_another_line() {
    let usage = |input, output| {
        json!({"input_tokens": input,
        "output_tokens": output})
    };
    assert_eq!(used(&[usage(5, 400), usage(0, 0)]), [5, 400, 0, 0]);
    assert_eq!(used(&[usage(0, 0), usage(5, 400)]), [5, 400, 0, 0]);
    // Otherwise the last line counts, even if it has less.
    assert_eq!(used(&[usage(5, 400), usage(0, 1)]), [0, 1, 0, 0]);
    assert_eq!(used(&[usage(5, 400), usage(0, 1), usage(0, 0)]), [0, 1, 0, 0]);
    // A copy that ends earlier can be read later.
    let line =
        |tokens, time: &str| said("msg_a", tokens, json!({"timestamp": time}));
    let lines = [
        line(0, "2026-01-03T00:00:00Z"),
        line(7, "2026-01-02T00:00:00Z"),
        line(3, "2026-01-01T00:00:00Z"),
    ];
    assert_eq!(output(&lines), (1, 7));
}

/// Each of the messages with tokens was paired with each one without, so that
/// this log took minutes and gigabytes.
#[test]
fn many_messages_of_one_id_take_linear_time() {
    const MANY: u64 = 3_000;
    let line = |request: String, tokens| {
        let more = json!({"sessionId": "s", "requestId": request});
        said("msg_a", tokens, more)
    };
    let empty = (0..MANY).map(|n| line(format!("a{n}"), 0));
    let full = (0..MANY).map(|n| {
        let line = line(format!("b{n}"), 3);
        json!({"type": "transcript_mirror", "entries": [line]})
    });
    let lines: Vec<Value> = empty.chain(full).collect();
    assert_eq!(output(&lines), (MANY, 3 * MANY));
}

/// A line of zeros with a request id erased the tokens of the same message in
/// a stream, and one of a higher rank those of the message's other lines.
#[test]
fn a_line_without_tokens_erases_nothing_whatever_its_rank() {
    let line = |tokens, more: Value| {
        let mut line = said("msg_a", tokens, json!({"sessionId": "s"}));
        for (key, value) in more.as_object().unwrap() {
            line[key] = value.clone();
        }
        line
    };
    let zero = || {
        let time = "2026-01-02T00:00:00Z";
        let mut line = line(0, json!({"requestId": "r", "timestamp": time}));
        line["message"]["model"] = json!("opus");
        line
    };
    let nested = |line: Value| {
        json!({"type": "progress", "sessionId": "s", "data": {
            "type": "agent_progress", "message": line}})
    };
    let side = json!({"requestId": "r", "isSidechain": true});
    let other = json!({"requestId": "r2", "isSidechain": true});
    let fork = json!({"requestId": "r", "sessionId": "t",
        "forkedFrom": {"sessionId": "s"}});
    let mirrored =
        |line: Value| json!({"type": "transcript_mirror", "entries": [line]});
    for full in [
        line(7, json!({})),
        line(7, side),
        line(7, other.clone()),
        line(7, fork),
        nested(line(7, json!({"requestId": "r"}))),
        nested(line(7, json!({"requestId": "r2"}))),
        mirrored(line(7, json!({"requestId": "r"}))),
        mirrored(line(7, json!({}))),
    ] {
        for lines in [[zero(), full.clone()], [full.clone(), zero()]] {
            assert_eq!(output(&lines), (1, 7), "{lines:?}");
            let [one, two] = &lines;
            let mut parts = totals(&log(std::slice::from_ref(one)));
            parts.append(totals(&log(std::slice::from_ref(two))));
            for totals in [totals(&log(&lines)), parts] {
                // It has the names of the line without tokens.
                let message = totals.messages().next().unwrap();
                assert_eq!(message.session, Some("s"), "{lines:?}");
                assert_eq!(message.model, Some("opus"));
                assert_eq!(message.day, Some("2026-01-02"));
                assert!(message.time.is_some() && !message.is_sidechain);
                assert_eq!(message.tokens.output_tokens, 7);
                assert_eq!(totals.by_day()[0].tokens.output_tokens, 7);
                assert_eq!(totals.subagents().messages, 0);
            }
        }
    }
    // Two messages of one level are two, even if one has no tokens.
    let second = line(5, json!({"requestId": "r2"}));
    let lines = [zero(), second, line(7, json!({})), line(9, other)];
    assert_eq!(output(&lines), (2, 5));
    // All of these have tokens, so that none erases another one.
    let mirror = |request| mirrored(line(7, json!({"requestId": request})));
    assert_eq!(output(&[zero(), mirror("r2"), mirror("r3")]), (2, 14));
}

/// A line of a higher rank without a model or a time left the message without
/// them.
#[test]
fn names_that_a_line_of_a_higher_rank_lacks_are_those_of_another() {
    let mut side = said(
        "msg_a",
        7,
        json!({"isSidechain": true,
        "sessionId": "s", "timestamp": "2026-01-02T00:00:00Z"}),
    );
    side["message"]["model"] = json!("opus");
    let main = said("msg_a", 9, json!({}));
    for lines in [[main.clone(), side.clone()], [side, main]] {
        let totals = totals(&log(&lines));
        let message = totals.messages().next().unwrap();
        let names = (message.session, message.model, message.day);
        assert_eq!(names, (Some("s"), Some("opus"), Some("2026-01-02")));
        assert_eq!(message.tokens.output_tokens, 9);
    }
}
