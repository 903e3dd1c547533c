//! Secrets that are split over the text chunks of an agent server.

use linetape_redact::{Redactor, Replacement, RuleLevel};
use serde_json::{Value, json};

use crate::{
    planted::planted,
    support::{found, replacements, secrets, stars, text},
};

fn chunk(session: u64, turn: u64, text: &str) -> String {
    let turn = json!({ "role": "Assistant", "sequence": turn });
    line(json!({ "TextChunk":
        { "text": text, "session_id": session, "turn_id": turn } }))
}

fn complete(session: u64) -> String {
    line(json!({ "Complete":
        { "session_id": session, "stop_reason": "EndTurn" } }))
}

fn line(value: Value) -> String {
    value.to_string() + "\n"
}

/// The text of all chunks of a session.
fn joined(log: &str, session: u64) -> String {
    let values = log.lines().map(|l| serde_json::from_str(l).unwrap());
    let chunks = values.filter_map(|value: Value| {
        let chunk = &value["TextChunk"];
        let text = chunk["text"].as_str().map(str::to_string);
        text.filter(|_| chunk["session_id"] == session)
    });
    chunks.collect()
}

fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

/// They were searched one by one, so a token in two chunks was left as it is.
#[test]
fn a_secret_in_chunks_is_found_wherever_it_is_split() {
    let rules = secrets();
    for planted in planted(3) {
        let whole = format!("é\n{} ok", planted.whole());
        for size in [1, 7] {
            let chars: Vec<char> = whole.chars().collect();
            let mut log = String::from("{\"type\":\"system\"}\n");
            for piece in chars.chunks(size) {
                log += &chunk(1, 4, &piece.iter().collect::<String>());
            }
            log += &complete(1);
            log += "{\"type\":\"assistant\",\"n\":1.0}\n";
            let mut redactor =
                Redactor::new(rules.clone(), Replacement::stars());
            let ours = text(&mut redactor, &log);
            let rest = format!("é\n{}***{} ok", planted.before, planted.after);
            assert_eq!(joined(&ours, 1), rest, "{}", planted.rule);
            assert_eq!(found(&redactor)[0], planted.rule);
            assert_eq!(ours.lines().count(), log.lines().count());
            assert_eq!(ours.lines().last(), log.lines().last());
            redactor.clear_findings();
            assert_eq!(text(&mut redactor, &ours), ours);
            assert!(found(&redactor).is_empty());
        }
    }
}

#[test]
fn a_secret_in_two_chunks_is_replaced_once() {
    let token = token();
    for replacement in replacements() {
        let mut redactor = Redactor::new(secrets(), replacement);
        let whole = redactor.text(&token).to_string();
        for at in 0..=token.len() {
            let (one, two) = token.split_at(at);
            let log = chunk(1, 4, &format!("a {one}"))
                + &line(json!({ "TokenUpdate":
                    { "output_tokens": 7, "session_id": 1 } }))
                + &chunk(1, 4, &format!("{two} b"));
            let ours = text(&mut redactor, &log);
            assert_eq!(joined(&ours, 1), format!("a {whole} b"), "{at}");
        }
    }
}

#[test]
fn chunks_of_sessions_and_turns_are_apart() {
    let token = token();
    let (one, two) = token.split_at(9);
    let log = [
        chunk(1, 4, one),
        chunk(2, 4, "x"),
        chunk(1, 4, two),
        chunk(1, 5, one),
        chunk(1, 6, two),
        complete(1),
    ];
    let ours = text(&mut stars(RuleLevel::Secrets), &log.concat());
    let mut expected = log.clone();
    expected[0] = chunk(1, 4, "***");
    expected[2] = chunk(1, 4, "");
    assert_eq!(ours, expected.concat());
}

/// A person who is asked for a permission must see the question: it ends the
/// text, so that the lines do not wait for each other.
#[test]
fn lines_do_not_wait_longer_than_the_text_goes_on() {
    let mut redactor = stars(RuleLevel::Secrets);
    let session = json!({ "session_id": 1 });
    for end in [
        line(json!({ "PermissionRequired": session })),
        line(json!({ "ToolExecuting": session })),
        line(json!({ "Error": { "message": "no session" } })),
        line(json!({ "session_id": 1, "content": "Hi",
            "turn_id": { "role": "User", "sequence": 1 } })),
        complete(1),
    ] {
        let mut out = vec![];
        let log = chunk(1, 4, "Hello") + &end;
        let mut lines = linetape::lines(log.as_bytes());
        let first = lines.next_line().unwrap().unwrap();
        redactor.line(&first, &mut out).unwrap();
        assert!(out.is_empty(), "it waits");
        let second = lines.next_line().unwrap().unwrap();
        redactor.line(&second, &mut out).unwrap();
        assert_eq!(out, log.as_bytes(), "{end}");
    }
}

/// Lines without a match come out as they went in.
#[test]
fn chunks_without_secrets_are_the_same_bytes() {
    let log = "{ \"TextChunk\":{\"text\":\"a\\u0062\\/\", \"session_id\" : 1} }\n\
               {\"TextChunk\":{\"text\":7}}\n{\"TextChunk\":null}\n\
               {\"TextChunk\":{\"text\":\"b\"}}";
    assert_eq!(text(&mut stars(RuleLevel::Secrets), log), log);
}
