//! `linetape watch`: the sessions that are running.

use std::{
    fs::{self, OpenOptions},
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use crate::{
    follow::{Running, append},
    support::{
        document, folder,
        lines::{call, said, words},
        linetape, text,
    },
};

fn line(session: &str, mut line: Value) -> String {
    line["session_id"] = json!(session);
    format!("{line}\n")
}

fn used(session: &str, id: &str, tokens: u64) -> String {
    let mut message = said(id, words("Hi"));
    message["message"]["model"] = json!("claude-sonnet-4-5");
    message["message"]["usage"] =
        json!({ "input_tokens": tokens, "output_tokens": 1 });
    line(session, message)
}

#[test]
fn each_session_is_a_line() {
    let first = used("one", "m1", 10)
        + &used("one", "m1", 10)
        + &line("one", said("m2", call("t1", "Bash", json!({}))))
        + &line("one", said("m3", call("t2", "Read", json!({}))))
        + &line("one", json!({"type":"result","total_cost_usd":0.5}));
    let second = used("two\u{1b}[2J", "n1", 7);
    let logs = folder("logs", &[("a.jsonl", &first), ("b/b.jsonl", &second)]);
    let path = logs.to_str().unwrap();
    let output = linetape(&["watch", "--once", "--json", path], b"");
    assert_eq!(output.status.code(), Some(0));
    let sessions: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(sessions.len(), 2);
    let one = &sessions[0];
    assert_eq!(one["session"], "one");
    // That of the last message.
    assert_eq!(one["model"], "opus");
    assert_eq!(one["tool"], "Read");
    assert_eq!(one["cost_usd"], 0.5);
    assert_eq!(one["file"], logs.join("a.jsonl").to_str().unwrap());
    // The figures are those of `usage`.
    let usage = linetape(&["usage", "--by", "session", "--json", path], b"");
    let usage = document(&usage);
    for session in &sessions {
        let rows = usage["sessions"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == session["session"]);
        let row = row.unwrap();
        assert_eq!(row["messages"], session["messages"]);
        for (name, count) in session["usage"].as_object().unwrap() {
            assert_eq!(&row[name], count, "{name}");
        }
    }
    assert_eq!(sessions[1]["cost_usd"], Value::Null);
    assert_eq!(sessions[1]["usage"]["input_tokens"], 7);

    let table = linetape(&["watch", "--once", path], b"");
    let table = text(&table.stdout);
    assert!(table.starts_with("session"), "{table}");
    assert!(table.contains("Read") && table.contains("0.5000"), "{table}");
    assert!(!table.contains('\u{1b}'), "{table}");
    assert_eq!(table.lines().count(), 3);
}

#[cfg(unix)]
#[test]
fn a_session_that_changes_is_printed_again() {
    let logs = folder("logs", &[("a.jsonl", &used("one", "m1", 1))]);
    let running = Running::new(&["watch", "--json", logs.to_str().unwrap()]);
    let next = || -> Value { serde_json::from_str(&running.line()).unwrap() };
    let figures = |session: Value| {
        let tokens = session["usage"]["input_tokens"].as_u64().unwrap();
        (session["session"].as_str().unwrap().to_string(), tokens)
    };
    assert_eq!(figures(next()), ("one".to_string(), 1));
    append(&logs.join("b.jsonl"), &used("two", "m1", 2));
    assert_eq!(figures(next()), ("two".to_string(), 2));
    append(&logs.join("a.jsonl"), &used("one", "m2", 3));
    assert_eq!(figures(next()), ("one".to_string(), 4));
    let (status, lines, messages) = running.end("-TERM");
    assert_eq!(status.code(), Some(143));
    assert_eq!((lines, &*messages), (vec![], ""));
}

/// A session that was not changed lately is not read, until it goes on: then
/// its figures are whole.
#[cfg(unix)]
#[test]
fn an_old_session_that_goes_on_is_whole() {
    let logs = folder("logs", &[("a.jsonl", &used("one", "m1", 1))]);
    let old = SystemTime::now() - Duration::from_secs(7200);
    let log = logs.join("a.jsonl");
    let file = OpenOptions::new().append(true).open(&log).unwrap();
    file.set_modified(old).unwrap();
    let path = logs.to_str().unwrap();
    let output = linetape(&["watch", "--once", path], b"");
    assert_eq!(text(&output.stdout), "No running sessions.\n");
    fs::write(logs.join("new.jsonl"), used("new", "m1", 5)).unwrap();
    let running = Running::new(&["watch", "--json", path]);
    assert!(running.line().contains("\"new\""));
    append(&log, &used("one", "m2", 3));
    let line: Value = serde_json::from_str(&running.line()).unwrap();
    assert_eq!(line["session"], "one");
    assert_eq!(line["usage"]["input_tokens"], 4);
}

#[test]
fn a_folder_that_is_missing_is_an_error() {
    let output = linetape(&["watch", "--once", "no/such/folder"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no/such/folder"));
}

/// A session was forgotten when it was not running any more, so that its totals
/// began at zero when it went on.
#[cfg(unix)]
#[test]
fn a_session_that_goes_on_after_a_pause_is_whole() {
    let logs = folder("logs", &[("a.jsonl", &used("one", "m1", 1))]);
    let log = logs.join("a.jsonl");
    let arguments = ["watch", "--json", "--within", "1"];
    let path = [logs.to_str().unwrap()];
    let file = OpenOptions::new().append(true).open(&log).unwrap();
    // It ends to be running in a second.
    let end = SystemTime::now() + Duration::from_secs(1);
    file.set_modified(end - Duration::from_secs(60)).unwrap();
    let running = Running::new(&[&arguments[..], &path].concat());
    assert!(running.line().contains("\"one\""));
    // A line of another session shows that time has passed for the command.
    let mut is_over = false;
    while !is_over {
        is_over = SystemTime::now() > end;
        append(&logs.join("b.jsonl"), &used("two", "m1", 1));
        assert!(running.line().contains("\"two\""));
    }
    append(&log, &used("one", "m2", 3));
    let line: Value = serde_json::from_str(&running.line()).unwrap();
    assert_eq!(line["usage"]["input_tokens"], 4);
}

/// A file was waited for, although it was there.
#[test]
fn a_file_is_not_a_folder() {
    let logs = folder("logs", &[("a.jsonl", "{}\n")]);
    let path = logs.join("a.jsonl");
    let output = linetape(&["watch", path.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("not a folder"));
}

/// The path of a session was that before its file was moved.
#[cfg(unix)]
#[test]
fn a_session_has_the_path_of_its_file_after_a_move() {
    let logs = folder("logs", &[("a.jsonl", &used("one", "m1", 1))]);
    let running = Running::new(&["watch", "--json", logs.to_str().unwrap()]);
    let file = || {
        let line: Value = serde_json::from_str(&running.line()).unwrap();
        line["file"].as_str().unwrap().to_string()
    };
    assert_eq!(file(), logs.join("a.jsonl").to_str().unwrap());
    fs::rename(logs.join("a.jsonl"), logs.join("b.jsonl")).unwrap();
    assert_eq!(file(), logs.join("b.jsonl").to_str().unwrap());
}

/// A message without an id, so that a copy of it is not recognised.
fn without_id(tokens: u64) -> String {
    let mut message: Value =
        serde_json::from_str(&used("one", "m", tokens)).unwrap();
    message["message"].as_object_mut().unwrap().remove("id");
    message.as_object_mut().unwrap().remove("uuid");
    format!("{message}\n")
}

/// Messages without an id were counted again when their file was written again
/// from its start. Those in other files of the session stay.
#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_is_counted_once() {
    let both = without_id(1) + &without_id(2);
    let logs = folder("logs", &[("a.jsonl", &both)]);
    let running = Running::new(&["watch", "--json", logs.to_str().unwrap()]);
    let next = || -> u64 {
        let line: Value = serde_json::from_str(&running.line()).unwrap();
        line["usage"]["input_tokens"].as_u64().unwrap()
    };
    assert_eq!(next(), 3);
    append(&logs.join("b.jsonl"), &without_id(10));
    assert_eq!(next(), 13);
    // Replaced by a longer file, as an editor does.
    let new = both + &without_id(4);
    fs::write(logs.join("new"), new).unwrap();
    fs::rename(logs.join("new"), logs.join("a.jsonl")).unwrap();
    assert_eq!(next(), 17);
    // Truncated.
    fs::write(logs.join("a.jsonl"), without_id(5)).unwrap();
    assert_eq!(next(), 15);
    let usage = linetape(&["usage", "--json", logs.to_str().unwrap()], b"");
    assert_eq!(document(&usage)["usage"]["input_tokens"], 15);
}

/// If another file of the session was gone, the lines of a file that was
/// written again were counted twice, without a message.
#[cfg(unix)]
#[test]
fn a_file_is_counted_once_if_another_one_of_its_session_is_gone() {
    let logs = folder(
        "logs",
        &[("a.jsonl", &without_id(1)), ("b.jsonl", &without_id(10))],
    );
    let running = Running::new(&["watch", "--json", logs.to_str().unwrap()]);
    let next = || -> u64 {
        let line: Value = serde_json::from_str(&running.line()).unwrap();
        line["usage"]["input_tokens"].as_u64().unwrap()
    };
    assert_eq!(next(), 11);
    fs::remove_file(logs.join("b.jsonl")).unwrap();
    fs::write(logs.join("new"), without_id(1) + &without_id(4)).unwrap();
    fs::rename(logs.join("new"), logs.join("a.jsonl")).unwrap();
    assert_eq!(next(), 5);
    let (_, _, messages) = running.end("-TERM");
    assert!(messages.contains("b.jsonl: "), "{messages}");
    assert!(messages.contains("without its lines"), "{messages}");
}
