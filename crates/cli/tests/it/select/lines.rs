//! `linetape select`: which lines are written, and how.

use std::{collections::BTreeSet, fs};

use crate::support::{
    UNREADABLE, file, logs,
    reference::{Record, records},
    selection::Filter,
    text,
};

/// Returns filters that match some of the records.
fn filters(records: &[Record<'_>]) -> Vec<Filter> {
    let names: BTreeSet<&String> =
        records.iter().flat_map(|record| &record.names).collect();
    let sessions: BTreeSet<&String> =
        records.iter().filter_map(|record| record.session.as_ref()).collect();
    let none = Filter::default();
    let mut filters = vec![none.clone(), Filter::of_type("no such type")];
    filters.extend(names.iter().map(|name| Filter::of_type(name)));
    // Most logs have one session.
    for id in sessions.into_iter().take(3) {
        filters.push(none.clone().and_session(id));
        let some = names.iter().take(2);
        let some = some.fold(none.clone(), |filter, name| filter.or(name));
        filters.push(some.and_session(id));
    }
    filters
}

/// Compares the command with the reference implementation, and asserts that
/// each line matches a filter or its inverse.
fn assert_selects(paths: &[&str], input: &[u8], log: &[u8]) {
    let (records, bad) = records(log);
    for filter in filters(&records) {
        let mut lines = 0;
        for filter in [filter.clone(), filter.clone().inverted()] {
            let output = filter.run(paths, input);
            let expected = filter.select(&records);
            // Not `assert_eq`, which would print megabytes.
            let same = output.stdout == expected;
            assert!(same, "{filter:?} of {paths:?}");
            assert_eq!(output.status.code(), Some(i32::from(bad > 0)));
            let complaints = text(&output.stderr).lines().count();
            assert_eq!(complaints, bad, "{filter:?} of {paths:?}");
            lines +=
                output.stdout.iter().filter(|&&byte| byte == b'\n').count();
        }
        assert_eq!(lines, records.len(), "{filter:?} of {paths:?}");
    }
}

/// A log with all kinds of lines. Only a `type` at depth 1 is the type of the
/// line.
const LOG: &str = concat!(
    r#"{"message":{"type":"nested","subtype":"deep"},"type":"assistant"}"#,
    "\n",
    r#"  { "type" : "user" , "session_id" : "s1" }  "#,
    "\r\n\n \t\r\n",
    r#"{"type":"\u0075ser","session_id":"s\u0031","text":"\"type\":\"no\""}"#,
    "\n",
    r#"{"type":"system","subtype":"init","session_id":"s1"}"#,
    "\n",
    r#"{"subtype":"init","type":"system\/x"}"#,
    "\n",
    r#"{"type":"system","subtype":"status","session_id":"7"}"#,
    "\n",
    r#"{"TextChunk":{"text":"caf\u00e9 é","session_id":7}}"#,
    "\n",
    r#"{"TextChunk":{"type":"user","session_id":-8}}"#,
    "\n",
    r#"{"session_id":7,"content":"hi","turn_id":{"role":"user"}}"#,
    "\n",
    r#"{"type":"user","session_id":7}"#,
    "\n",
    r#"{"session_id":"s1","sessionId":"s2","isSidechain":true,"type":"user"}"#,
    "\n",
    r#"{"type":null,"subtype":"init","sessionId":"s2"}"#,
    "\n",
    r#"{"event_type":"x","data":{"type":"user"}}"#,
    "\n",
    r#"[{"type":"user"}]"#,
    "\n",
    r#"{"type":"result","subtype":"success"}"#,
);

#[test]
fn types_and_sessions_of_a_small_log_match_the_reference() {
    let path = file("select.jsonl", LOG.as_bytes());
    assert_selects(&[path.to_str().unwrap()], b"", LOG.as_bytes());
    assert_selects(&["-"], LOG.as_bytes(), LOG.as_bytes());
}

#[test]
fn types_and_sessions_of_all_logs_match_the_reference() {
    for path in logs() {
        let log = fs::read(&path).unwrap();
        assert_selects(&[path.to_str().unwrap()], b"", &log);
    }
}

/// The reference implementation could be wrong in the same way as the command,
/// so these line numbers are fixed by hand.
#[test]
fn types_and_sessions_select_these_lines() {
    let user = Filter::of_type("user");
    let init = Filter::of_type("system/init");
    let s1 = Filter::default().and_session("s1");
    let seven = Filter::default().and_session("7");
    let cases = [
        (user.clone(), vec![2, 5, 12, 13]),
        (init.clone(), vec![6]),
        (Filter::of_type("system"), vec![6, 8]),
        (Filter::of_type("system/x"), vec![7]),
        (Filter::of_type("system/x/init"), vec![7]),
        (Filter::of_type("sys"), vec![]),
        (Filter::of_type("system/"), vec![]),
        (Filter::of_type("nested"), vec![]),
        (Filter::of_type("no"), vec![]),
        (Filter::of_type("none"), vec![]),
        (Filter::of_type("input").or("TextChunk"), vec![9, 10, 11]),
        (init.or("assistant").or("user"), vec![1, 2, 5, 6, 12, 13]),
        (s1.clone(), vec![2, 5, 6]),
        (seven.clone(), vec![8, 9, 11]),
        (s1.and_session("7"), vec![2, 5, 6, 8, 9, 11]),
        (Filter::default().and_session("07"), vec![]),
        (Filter::default().and_session("-8"), vec![10]),
        (user.clone().and_session("s1"), vec![2, 5]),
        (
            user.and_session("s1").inverted(),
            vec![1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17],
        ),
        (seven.inverted(), vec![1, 2, 5, 6, 7, 10, 12, 13, 14, 15, 17]),
        (Filter::default().inverted(), vec![]),
    ];
    let lines: Vec<&str> = LOG.lines().collect();
    for (filter, numbers) in cases {
        let output = filter.run(&["-"], LOG.as_bytes());
        let expected: String = numbers
            .iter()
            .map(|number| format!("{}\n", lines[number - 1]))
            .collect();
        assert_eq!(text(&output.stdout), expected, "{filter:?}");
    }
}

#[test]
fn several_inputs_are_read_in_order_and_each_line_ends_in_one_newline() {
    let one = file("select_one.jsonl", b"{\"n\":1}\r\n\r\n{\"n\":2}\r\r\n");
    let two = file("select_two.jsonl", b"\xEF\xBB\xBF{\"n\":4}");
    let paths = [one.to_str().unwrap(), "-", two.to_str().unwrap()];
    let output = Filter::default().run(&paths, b"\n{\"n\":3}");
    assert!(output.status.success());
    // One CR is part of the terminator, a second is part of the line.
    let expected = "{\"n\":1}\n{\"n\":2}\r\n{\"n\":3}\n{\"n\":4}\n";
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn lines_of_the_sample_are_selected() {
    let sample = include_bytes!("../../../sample/session.jsonl");
    let keep_alive = Filter::of_type("keep_alive");
    let output = keep_alive.run(&["--sample"], b"");
    assert!(output.status.success());
    assert_eq!(text(&output.stdout), "{\"type\":\"keep_alive\"}\n");
    let others = keep_alive.inverted().run(&["--sample"], b"");
    let count = |bytes: &[u8]| bytes.iter().filter(|&&b| b == b'\n').count();
    // One line of the sample is blank.
    assert_eq!(count(&others.stdout) + 2, count(sample));
}

#[test]
fn a_line_that_cannot_be_read_never_matches_and_is_named() {
    let log =
        b"{\"type\":\"user\"}\n\n  oops\n{\"type\":\"user\",\"a\":[1,2}\n\
        {\"type\":\"user\",\"type\":\"user\"}\n{\"type\":\"user\"} {}\n\
        {\"type\":\"user\",\"\x1b[2J\":}\n\
        {\"type\":\"user\",\"b\":\"\xff\"}\n{\"b\":1}\n{\"type\":\"user\"";
    let path = file("select_bad.jsonl", log);
    let path = path.to_str().unwrap();
    let all = Filter::default();
    let user = Filter::of_type("user");
    let cases = [
        (all.clone(), "{\"type\":\"user\"}\n{\"b\":1}\n"),
        (all.inverted(), ""),
        (user.clone(), "{\"type\":\"user\"}\n"),
        (user.clone().inverted(), "{\"b\":1}\n"),
        (user.and_session("s1"), ""),
    ];
    for (filter, expected) in cases {
        let output = filter.run(&[path], b"");
        assert_eq!(output.status.code(), Some(1), "{filter:?}");
        assert_eq!(text(&output.stdout), expected, "{filter:?}");
        let complaints: Vec<&str> = text(&output.stderr).lines().collect();
        let places = [
            "line 3 (byte 19): not a JSON object, at `oops`",
            "line 4 (byte 47): invalid JSON",
            "line 5 (byte 64): ",
            "line 6 (byte 95): trailing data after the JSON object, at `{}`",
            "line 7 (byte 114): ",
            "line 8 (byte 142): ",
            "line 10 (byte 154): unexpected end of input: last line is truncated after 14 bytes",
        ];
        assert_eq!(complaints.len(), places.len(), "{complaints:#?}");
        for (complaint, place) in complaints.iter().zip(places) {
            let expected = format!("linetape: {path}: {place}");
            assert!(complaint.starts_with(&expected), "{complaint}");
            assert!(!complaint.contains('\x1b'), "{complaint}");
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_named_and_the_next_is_found() {
    let mut log = b"{\"type\":\"user\",\"text\":\"".to_vec();
    log.resize((64 << 20) + 1, b'x');
    log.extend_from_slice(b"\"}\n{\"type\":\"user\"}\n");
    for filter in [Filter::of_type("user"), Filter::of_type("x").inverted()] {
        let output = filter.run(&["-"], &log);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(text(&output.stdout), "{\"type\":\"user\"}\n");
        let start = "linetape: standard input: line 1 (byte 0): \
                     line too long: ";
        assert!(text(&output.stderr).starts_with(start));
        assert_eq!(text(&output.stderr).lines().count(), 1);
    }
}

#[test]
fn an_input_that_cannot_be_read_is_worse_than_a_bad_line() {
    let bad = file("select_worse.jsonl", b"oops\n{}\n");
    for missing in ["no/such/\x1b[2J", UNREADABLE] {
        let paths = [missing, bad.to_str().unwrap()];
        let output = Filter::default().run(&paths, b"");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stdout), "{}\n", "the rest is read");
        let complaints: Vec<&str> = text(&output.stderr).lines().collect();
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        let named = missing.replace('\x1b', r"\u{1b}");
        let start = format!("linetape: {named}: ");
        assert!(complaints[0].starts_with(&start), "{complaints:?}");
    }
}
