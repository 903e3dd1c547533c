//! Copies of messages, in one session and in several, do not count.

use linetape_session::{Facts, MessageKeys};
use serde_json::{Value, json};

use crate::{
    support::{Folder, logs, rows},
    usage::{Row, compare, expected},
};

/// Numbers that look random, and are the same on each run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        // Knuth's MMIX. The upper bits are the good ones.
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

/// Returns a line of the message with a number: in the main conversation, of a
/// sub-agent, of a fork, nested or mirrored; with any session, request id, model,
/// time and counts, or without them. Half of the ids may not be unique.
fn line(dice: &mut Dice, number: usize) -> Value {
    let id = match number % 2 {
        0 => format!("msg_{number}"),
        _ => format!("x{number}"),
    };
    let mut line = json!({
        "type": "assistant",
        "message": {
            "id": id,
            "usage": {
                "input_tokens": dice.roll(3) / 2,
                "output_tokens": dice.roll(3) / 2 * 5,
            },
        },
    });
    let session = dice.pick(&["s", "t", "u", ""]);
    if !session.is_empty() {
        line["sessionId"] = json!(session);
    }
    let model = dice.pick(&["a", "b", "c", ""]);
    if !model.is_empty() {
        line["message"]["model"] = json!(format!("{model}{number}"));
    }
    let request = dice.pick(&["", "r1", "r2", "r3"]);
    if !request.is_empty() {
        line["requestId"] = json!(request);
    }
    if dice.roll(2) == 0 {
        let day = 1 + dice.roll(3);
        line["timestamp"] = json!(format!("2026-01-0{day}T03:04:05Z"));
    }
    match dice.roll(8) {
        0 => {
            line["message"]["usage"]["iterations"] =
                json!([{"type": "advisor_message", "output_tokens": 7}]);
        }
        1 | 2 => line["message"]["usage"] = Value::Null,
        _ => {}
    }
    match dice.roll(8) {
        0 | 1 => line,
        2 => {
            line["forkedFrom"] = json!({"sessionId": "u"});
            line
        }
        3 => json!({"type": "transcript_mirror", "entries": [line]}),
        4 => json!({
            "type": "progress",
            "sessionId": "s",
            "data": {"type": "agent_progress", "message": line},
        }),
        _ => {
            line["isSidechain"] = json!(true);
            line
        }
    }
}

/// The view had no rule for copies within a session: it counted the messages
/// that a sub-agent repeats with request ids of its own, and those of a mirror.
/// Later, a message with copies in two sessions had the names of the wrong one, and
/// a line without usage did not decide which of two copies is the first.
#[tokio::test]
async fn copies_in_a_session_are_those_of_the_totals() {
    let folder = Folder::new();
    let mut dice = Dice(7);
    let mut files = [const { String::new() }; 3];
    let mut lines = 0;
    for number in 0..3000 {
        for _ in 0..2 + dice.roll(7) {
            let file = &mut files[dice.roll(3)];
            *file += &line(&mut dice, number).to_string();
            file.push('\n');
            lines += 1;
        }
    }
    for (name, file) in ["a", "b", "c"].into_iter().zip(&files) {
        folder.write(&format!("{name}.jsonl"), file);
    }
    let messages = compare(&folder.0).await;
    // Without copies, each key is a message.
    let context = logs(folder.path(), 2).await;
    let sql = "SELECT count(DISTINCT key) AS n FROM usage_lines";
    let keys = rows(&context, sql).await[0]["n"].as_u64().unwrap();
    assert!(messages + 500 < keys && keys < lines, "{messages} of {keys}");
}

/// A line of zeros with a higher rank or a request id erased the tokens of the
/// other lines of the message.
#[tokio::test]
async fn a_line_without_tokens_erases_nothing() {
    let zero = json!({
        "type": "assistant", "sessionId": "s", "requestId": "r1",
        "timestamp": "2026-01-02T03:04:05Z",
        "message": {"id": "msg_1", "model": "a", "usage": {
            "input_tokens": 0, "output_tokens": 0}},
    });
    let full = |more: Value| {
        let mut line = json!({
            "type": "assistant", "sessionId": "s",
            "message": {"id": "msg_1", "usage": {"output_tokens": 5}},
        });
        for (key, value) in more.as_object().unwrap() {
            line[key] = value.clone();
        }
        line
    };
    let side = json!({"requestId": "r2", "isSidechain": true});
    let mirrored = |request: &str| {
        let line = full(json!({"requestId": request}));
        json!({"type": "transcript_mirror", "entries": [line]})
    };
    for full in [
        full(json!({})),
        full(json!({"requestId": "r1", "isSidechain": true})),
        full(side.clone()),
        full(json!({"requestId": "r1", "sessionId": "t",
            "forkedFrom": {"sessionId": "s"}})),
        mirrored("r1"),
        mirrored("r2"),
    ] {
        let folder = Folder::new();
        folder.write("a.jsonl", format!("{zero}\n{full}\n"));
        let (rows, _) = expected(&folder.0);
        let [(session, model, _, day, _, is_sidechain, counts)] = &rows[..]
        else {
            panic!("{rows:?}")
        };
        assert_eq!(session.as_deref(), Some("s"));
        assert_eq!(model.as_deref(), Some("a"));
        assert_eq!(day.as_deref(), Some("2026-01-02"));
        assert_eq!((*is_sidechain, counts[1]), (false, 5));
        assert_eq!(compare(&folder.0).await, 1, "{full}");
    }
    // Neither of two messages of one level is a copy.
    let folder = Folder::new();
    let lines = [zero, mirrored("r2"), mirrored("r3"), full(side)];
    let log: String = lines.iter().map(|line| format!("{line}\n")).collect();
    folder.write("a.jsonl", log);
    assert_eq!(compare(&folder.0).await, 2);
}

/// A message may be in many sessions, and is a copy if it is one in any.
#[tokio::test]
async fn a_copy_in_one_of_many_sessions_does_not_count() {
    let folder = Folder::new();
    let line = |session: &str, request: &str, is_sidechain: bool| {
        let line = json!({
            "type": "assistant", "sessionId": session,
            "requestId": request, "isSidechain": is_sidechain,
            "message": {"id": "msg_1", "usage": {"output_tokens": 5}},
        });
        format!("{line}\n")
    };
    let sessions = ["s1", "s2", "s3", "s4"];
    let copies = sessions.map(|session| line(session, "r2", true)).concat();
    folder.write("a.jsonl", &copies);
    assert_eq!(compare(&folder.0).await, 1);
    folder.write("b.jsonl", line("s3", "r1", false));
    let (rows, _) = expected(&folder.0);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].0.as_deref(), Some("s3"));
    assert_eq!(compare(&folder.0).await, 1);
    // Another session has no copy of it.
    folder.write("b.jsonl", line("s5", "r1", false));
    assert_eq!(compare(&folder.0).await, 2);
}

/// The columns are the keys of linetape-session, so that another database can
/// count by the same rule.
#[tokio::test]
async fn the_columns_are_the_keys_of_a_message() {
    let folder = Folder::new();
    let text = r#"{"type":"assistant","sessionId":"s","requestId":"r","isSidechain":true,"message":{"id":"x","usage":{"output_tokens":5}}}"#;
    folder.write("a.jsonl", text);
    let mut lines = linetape::lines(text.as_bytes());
    let line = lines.next_line().unwrap().unwrap();
    let keys = MessageKeys::of(&Facts::of(line.checked().unwrap()));
    let session: Vec<u64> = keys.session().collect();
    let [first, second] = session[..] else { panic!("{session:?}") };
    let context = logs(folder.path(), 1).await;
    let sql = "SELECT key, rank, level, copy_key, other_copy_key FROM \
               usage_lines";
    let row = json!([{
        "key": format!("m{:016x}", keys.message().unwrap()),
        "rank": 3,
        "level": 0,
        "copy_key": first.cast_signed(),
        "other_copy_key": second.cast_signed(),
    }]);
    assert_eq!(rows(&context, sql).await, row);
}

/// Writes lines as a log, and compares its messages. Returns them.
async fn compared(lines: &[&str]) -> Vec<Row> {
    let folder = Folder::new();
    folder.write("a.jsonl", lines.join("\n"));
    compare(&folder.0).await;
    expected(&folder.0).0
}

/// Of two messages that name a third one, in two sessions, the name counted that is
/// last in the alphabet.
#[tokio::test]
async fn the_first_of_two_sessions_names_a_message() {
    let rows = compared(&[
        r#"{"type":"assistant","sessionId":"s","isSidechain":true,"requestId":"r3","message":{"id":"msg_1","model":"b","usage":{"output_tokens":5}}}"#,
        r#"{"type":"assistant","sessionId":"t","isSidechain":true,"requestId":"r3","message":{"id":"msg_1","model":"b","usage":{"output_tokens":5}}}"#,
        r#"{"type":"assistant","sessionId":"s","requestId":"r1","message":{"id":"msg_1","model":"a","usage":{"output_tokens":0}}}"#,
        r#"{"type":"assistant","sessionId":"t","requestId":"r2","message":{"id":"msg_1","model":"c","usage":{"output_tokens":0}}}"#,
    ])
    .await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].0.as_deref(), Some("s"));
    assert_eq!(rows[0].1.as_deref(), Some("a"));
}

/// A message begins with its first line, even if that one reports no usage. It was
/// not looked at, and another one of two equal copies counted.
#[tokio::test]
async fn a_line_without_usage_is_the_first_of_its_message() {
    let rows = compared(&[
        r#"{"type":"assistant","sessionId":"t","isSidechain":true,"requestId":"r2","message":{"id":"msg_1"}}"#,
        r#"{"type":"assistant","sessionId":"t","isSidechain":true,"requestId":"r1","message":{"id":"msg_1","model":"b","usage":{"output_tokens":5}}}"#,
        r#"{"type":"assistant","sessionId":"t","isSidechain":true,"requestId":"r2","message":{"id":"msg_1","model":"a","usage":{"output_tokens":5}}}"#,
    ])
    .await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].1.as_deref(), Some("a"));
    // Such lines alone are no message, and say nothing of one.
    let rows = compared(&[
        r#"{"type":"assistant","sessionId":"s","message":{"id":"msg_1","model":"a"}}"#,
        r#"{"type":"assistant","sessionId":"s","message":{"id":"msg_2","model":"a"}}"#,
        r#"{"type":"assistant","isSidechain":true,"message":{"id":"msg_2","usage":{"output_tokens":5}}}"#,
    ])
    .await;
    let counts = [0, 5, 0, 0, 0, 0, 0, 0];
    assert_eq!(rows, [(None, None, None, None, None, true, counts)]);
}
