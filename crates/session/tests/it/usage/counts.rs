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
    // A line is one of the stream before it is one of a mirror.
    let mirror = json!({"type": "transcript_mirror",
        "entries": [written("msg_a", 4)]});
    assert_eq!(output(&[mirror.clone(), stream.clone()]), (1, 1));
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
