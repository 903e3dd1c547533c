//! Secrets that are split over the pieces of a streamed block.

use linetape_redact::{Redactor, Replacement, RuleLevel, Rules};
use serde_json::{Value, json};

use crate::{
    planted::planted,
    support::{found, replacements, secrets, stars, text},
};

fn event(event: Value) -> String {
    json!({ "type": "stream_event", "event": event, "session_id": "s" })
        .to_string()
        + "\n"
}

fn delta(index: u64, key: &str, text: &str) -> String {
    let kind = match key {
        "text" => "text_delta",
        "thinking" => "thinking_delta",
        _ => "input_json_delta",
    };
    event(json!({ "type": "content_block_delta", "index": index,
        "delta": { "type": kind, key: text } }))
}

fn stop(index: u64) -> String {
    event(json!({ "type": "content_block_stop", "index": index }))
}

/// The text of all pieces of a block.
fn joined(log: &str, index: u64) -> String {
    let values = log.lines().map(|l| serde_json::from_str(l).unwrap());
    let pieces = values.filter_map(|value: Value| {
        let event = &value["event"];
        let delta = &event["delta"];
        let text = ["text", "partial_json", "thinking"]
            .iter()
            .find_map(|key| delta[key].as_str());
        (event["index"] == index).then(|| text.unwrap_or("").to_string())
    });
    pieces.collect()
}

/// Splits a text into pieces of at most `size` characters.
fn pieces(text: &str, size: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size).map(|piece| piece.iter().collect()).collect()
}

#[test]
fn a_secret_in_pieces_is_found_wherever_it_is_split() {
    let rules = secrets();
    for planted in planted(3) {
        let whole = format!("é\n{} ok", planted.whole());
        for (key, size) in
            [("text", 1), ("text", 7), ("thinking", 3), ("partial_json", 5)]
        {
            let block = match key {
                "partial_json" => json!({ "command": whole }).to_string(),
                _ => whole.clone(),
            };
            let mut log = String::from("{\"type\":\"system\"}\n");
            for piece in pieces(&block, size) {
                log += &delta(0, key, &piece);
            }
            log += &stop(0);
            log += "{\"type\":\"assistant\",\"n\":1.0}\n";
            let mut redactor =
                Redactor::new(rules.clone(), Replacement::stars());
            let ours = text(&mut redactor, &log);
            let rest = format!("é\n{}***{} ok", planted.before, planted.after);
            let expected = match key {
                "partial_json" => json!({ "command": rest }).to_string(),
                _ => rest,
            };
            assert_eq!(joined(&ours, 0), expected, "{}", planted.rule);
            assert_eq!(found(&redactor)[0], planted.rule);
            assert_eq!(ours.lines().count(), log.lines().count());
            assert_eq!(ours.lines().last(), log.lines().last());
            redactor.clear_findings();
            assert_eq!(text(&mut redactor, &ours), ours);
            assert!(found(&redactor).is_empty());
        }
    }
}

/// Each way to cut a token in two, with each replacement.
#[test]
fn a_secret_in_two_pieces_is_replaced_once() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    for replacement in replacements() {
        let mut redactor = Redactor::new(secrets(), replacement);
        let whole = redactor.text(&token).to_string();
        for at in 0..=token.len() {
            let (one, two) = token.split_at(at);
            let log = delta(2, "text", &format!("a {one}"))
                + &delta(2, "text", &format!("{two} b"))
                + &stop(2);
            let ours = text(&mut redactor, &log);
            assert_eq!(joined(&ours, 2), format!("a {whole} b"), "{at}");
        }
    }
}

#[test]
fn blocks_of_several_threads_are_apart_and_lines_keep_their_order() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let (one, two) = token.split_at(9);
    let other = |line: String| line.replace("\"s\"", "\"t\"");
    let log = [
        delta(0, "text", one),
        other(delta(0, "text", "x")),
        delta(1, "text", "y"),
        "{\"type\":\"user\",\"k\":2}\n".to_string(),
        delta(0, "text", two),
        other(stop(0)),
        stop(1),
        stop(0),
        delta(0, "text", "not finished"),
    ];
    let ours = text(&mut stars(RuleLevel::Secrets), &log.concat());
    let expected = [
        delta(0, "text", "***"),
        log[1].clone(),
        log[2].clone(),
        log[3].clone(),
        delta(0, "text", ""),
        log[5].clone(),
        log[6].clone(),
        log[7].clone(),
        log[8].clone(),
    ];
    assert_eq!(ours, expected.concat());
}

/// The other strings of the line of a piece are not left out.
#[test]
fn the_line_of_a_piece_is_cleaned_as_well() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let line = delta(0, "text", "fine")
        .replace("\"s\"", &format!("\"s\",\"x\":\"{token}\""));
    let ours = text(&mut stars(RuleLevel::Secrets), &line);
    assert_eq!(ours, line.replace(&token, "***"));
}

/// Lines without a match come out as they went in.
#[test]
fn pieces_without_secrets_are_the_same_bytes() {
    let log = "{ \"type\":\"stream_event\", \"event\":{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\\u0062\\/\"}} }\n\
        {\"event_type\":\"content_block_delta\",\"data\":{\"index\":0,\"delta\":{\"partial_json\":\"\\\"\"}},\"type\":\"event\"}\n";
    assert_eq!(text(&mut stars(RuleLevel::All), log), log);
}

#[test]
fn a_block_that_is_too_long_goes_as_a_whole_from_there_on() {
    let piece = "word ".repeat(20_000);
    let mut log = String::new();
    for _ in 0..12 {
        log += &delta(0, "text", &piece);
    }
    log += &delta(0, "text", "");
    log += &stop(0);
    log += &delta(0, "text", "the next one");
    let mut redactor = stars(RuleLevel::Secrets);
    let ours = text(&mut redactor, &log);
    let lines: Vec<&str> = ours.lines().collect();
    let before: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 15);
    assert!(lines[..9] == before[..9]);
    // A secret may begin at the end of the last piece.
    let (kept, _) = lines[9].split_once("***").unwrap();
    assert!(before[9].starts_with(kept));
    assert!(kept.len() > before[9].len() - 5000);
    assert_eq!(lines[10].to_owned() + "\n", delta(0, "text", "***"));
    assert_eq!(lines[11], lines[10]);
    assert!(lines[12..] == before[12..]);
    assert_eq!(found(&redactor), ["oversized-stream"; 3]);
    redactor.clear_findings();
}

/// A stream that never ends its blocks does not wait for ever.
#[test]
fn lines_are_not_held_after_the_result() {
    let mut redactor = stars(RuleLevel::Secrets);
    let log = delta(0, "text", "a") + "{\"type\":\"result\"}\n";
    let mut lines = linetape::lines(log.as_bytes());
    let mut out = vec![];
    let line = lines.next_line().unwrap().unwrap();
    redactor.line(&line, &mut out).unwrap();
    assert!(out.is_empty());
    let line = lines.next_line().unwrap().unwrap();
    redactor.line(&line, &mut out).unwrap();
    assert_eq!(out, log.as_bytes());
}

/// The text of a streamed block was left as it is.
#[test]
fn a_field_of_a_stream_is_replaced() {
    let rules = Rules::builder().field("thinking").build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    let log = delta(0, "thinking", "private") + &delta(1, "text", "a");
    let expected = delta(0, "thinking", "***") + &delta(1, "text", "a");
    assert_eq!(text(&mut redactor, &log), expected);
}

/// Deltas without a type were not joined.
#[test]
fn deltas_without_a_type_are_joined() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let (start, end) = token.split_at(20);
    let piece = |text: &str| {
        format!(
            "{{\"type\":\"stream_event\",\"event\":{{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"text\":\"{text}\"}}}}}}\n"
        )
    };
    let ours =
        text(&mut stars(RuleLevel::Secrets), &(piece(start) + &piece(end)));
    assert_eq!(ours, piece("***") + &piece(""));
}

/// All but the last character of a token stayed, if the block was too long
/// with it.
#[test]
fn a_secret_at_the_end_of_what_is_held_goes() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let (start, end) = token.split_at(39);
    let long = "word ".repeat((1 << 20) / 5 - 8) + " ";
    let log = delta(0, "text", &long)
        + &delta(0, "text", start)
        + &delta(0, "text", end)
        + &delta(0, "text", "more");
    for replacement in crate::support::replacements() {
        let mut redactor = Redactor::new(secrets(), replacement);
        let ours = text(&mut redactor, &log);
        assert!(!ours.contains(&start[..30]), "{}", ours.len());
        // Nearly all of the text before it stays.
        assert!(ours.len() > log.len() - 10_000);
        assert_eq!(text(&mut redactor, &ours), ours);
    }
}

fn other(line: &str) -> String {
    line.replace("\"s\"", "\"t\"")
}

/// Writes a log line by line, and returns what is written after each.
fn as_it_goes(log: &[String]) -> Vec<String> {
    let mut redactor = stars(RuleLevel::Secrets);
    let written = |line: &String| {
        let mut out = vec![];
        let mut lines = linetape::lines(line.as_bytes());
        let line = lines.next_line().unwrap().unwrap();
        redactor.line(&line, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    log.iter().map(written).collect()
}

/// A result ended the blocks of all sessions, so a secret that was split
/// there stayed.
#[test]
fn the_result_of_another_session_ends_nothing() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let (one, two) = token.split_at(9);
    let result = "{\"type\":\"result\",\"session_id\":\"s\"}\n";
    let log = [
        delta(0, "text", one),
        other(result),
        delta(0, "text", two),
        result.to_string(),
    ];
    let ours = as_it_goes(&log);
    let expected = delta(0, "text", "***")
        + &other(result)
        + &delta(0, "text", "")
        + result;
    assert_eq!(ours, ["", "", "", &expected]);
}

/// The lines waited for the end of the block, which may be missing.
#[test]
fn a_message_ends_the_blocks_of_its_thread() {
    let message = "{\"type\":\"assistant\",\"session_id\":\"s\"}\n";
    let of_agent = message.replace("}", ",\"parent_tool_use_id\":\"p\"}");
    let log = [
        delta(0, "text", "a"),
        other(message),
        of_agent.clone(),
        message.to_string(),
    ];
    let ours = as_it_goes(&log);
    assert_eq!(ours, ["", "", "", &log.concat()]);
}

/// Lines of all sessions waited until the end of the log.
#[test]
fn a_session_that_broke_off_does_not_hold_others_for_ever() {
    let mut log = vec![delta(0, "text", "a b")];
    let quiet = "{\"type\":\"user\",\"session_id\":\"t\"}\n".to_string();
    log.resize((16 << 10) + 1, quiet);
    let ours = as_it_goes(&log);
    let (last, before) = ours.split_last().unwrap();
    assert!(before.concat().is_empty());
    assert!(*last == delta(0, "text", "***") + &log[1..].concat());
}

/// The text of `content_block_start` was searched by itself.
#[test]
fn a_block_may_begin_with_text() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let begin = |key: &str, text: &str| {
        event(json!({ "type": "content_block_start", "index": 1,
            "content_block": { "type": key, key: text } }))
    };
    for key in ["text", "thinking"] {
        for at in 1..=token.len() {
            let (one, two) = token.split_at(at);
            let log = begin(key, one) + &delta(1, key, two) + &stop(1);
            let expected = begin(key, "***") + &delta(1, key, "") + &stop(1);
            assert_eq!(text(&mut stars(RuleLevel::Secrets), &log), expected);
        }
    }
    // Nothing waits for an empty text.
    let log = [begin("text", ""), delta(1, "text", "a")];
    assert_eq!(as_it_goes(&log), [&*log[0], ""]);
    // In another dialect, the block is in `data`.
    let (one, two) = token.split_at(20);
    let piece = |kind: &str, key: &str, text: &str| {
        let data = json!({ "index": 0, key: { "text": text } });
        json!({ "event_type": kind, "data": data }).to_string() + "\n"
    };
    let log = |one: &str, two: &str| {
        piece("content_block_start", "content_block", one)
            + &piece("content_block_delta", "delta", two)
    };
    let ours = text(&mut stars(RuleLevel::Secrets), &log(one, two));
    assert_eq!(ours, log("***", ""));
}

/// If the replacement made a line too long, the secret stayed in it.
#[test]
fn a_line_that_would_be_too_long_loses_its_piece() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let (one, two) = token.split_at(20);
    let log = delta(0, "text", one) + &delta(0, "text", two) + &stop(0);
    let max_line = log.lines().map(str::len).max().unwrap();
    let limits = linetape::Limits { max_line, ..Default::default() };
    let long = Replacement::text(&"x".repeat(200)).unwrap();
    let mut redactor = Redactor::with_limits(secrets(), long, limits);
    let expected = delta(0, "text", "") + &delta(0, "text", "") + &stop(0);
    assert_eq!(text(&mut redactor, &log), expected);
}

/// A message can be on several lines, with a block on each, and its text comes
/// in pieces before. The same secret has the same pseudonym in all of them.
#[test]
fn a_message_on_several_lines_is_redacted_like_its_pieces() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let assistant = |block: Value| {
        json!({ "type": "assistant", "session_id": "s",
            "message": { "id": "msg_1", "content": [block] } })
        .to_string()
            + "\n"
    };
    let mut log = String::new();
    for piece in pieces(&format!("use {token}!"), 9) {
        log += &delta(0, "text", &piece);
    }
    log +=
        &assistant(json!({ "type": "text", "text": format!("use {token}!") }));
    log += &stop(0);
    for piece in pieces(&json!({ "command": token }).to_string(), 7) {
        log += &delta(1, "partial_json", &piece);
    }
    log += &assistant(json!({ "type": "tool_use", "id": "t", "name": "Bash",
        "input": { "command": token } }));
    log += &stop(1);
    for how in replacements() {
        let mut redactor = Redactor::new(secrets(), how);
        let name = redactor.text(&token).to_string();
        redactor.clear_findings();
        let ours = text(&mut redactor, &log);
        assert_eq!(joined(&ours, 0), format!("use {name}!"));
        assert_eq!(joined(&ours, 1), json!({ "command": name }).to_string());
        let whole: Vec<Value> = ours
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|line: &Value| line["type"] == "assistant")
            .map(|line| line["message"]["content"][0].clone())
            .collect();
        assert_eq!(whole[0]["text"], format!("use {name}!"));
        assert_eq!(whole[1]["input"]["command"], name);
        assert_eq!(found(&redactor), ["github"; 4]);
    }
}
