//! `linetape usage`.

use std::fs;

use serde_json::json;

use crate::support::{
    document,
    lines::{log, printed, said, words},
    linetape, logs,
    reference::{Spending, records, rounded},
    text,
};

#[test]
fn the_report_is_that_of_the_reference() {
    let logs = logs();
    let mut messages = 0;
    for paths in logs.chunks(1).chain([&logs[..]]) {
        let (mut spending, mut bad) = (Spending::default(), 0);
        for path in paths {
            let log = fs::read(path).unwrap();
            let (records, wrong) = records(&log);
            records.iter().for_each(|record| spending.add(record));
            bad += wrong;
        }
        messages += spending.messages();
        let paths = paths.iter().map(|path| path.to_str().unwrap());
        let paths: Vec<&str> = paths.collect();
        for by in ["model", "session", "project", "day", "month", "tool"] {
            let expected = json!({
                format!("{by}s"): spending.rows(by),
                "messages": spending.messages(),
                "usage": spending.usage(),
                "subagents": spending.subagents(),
                "placeholder_messages": spending.placeholders(),
                "cost_usd": spending.cost(),
            });
            let arguments = ["usage", "--json", "--by", by];
            let output = linetape(&[&arguments, &paths[..]].concat(), b"");
            let shown = rounded(document(&output));
            assert_eq!(shown, rounded(expected), "{by} of {paths:?}");
            assert_eq!(output.status.code(), Some(i32::from(bad > 0)));
            let complaints = text(&output.stderr).lines().count();
            assert_eq!(complaints, bad, "{paths:?}");
        }
    }
    assert!(messages > 0);
}

/// The agent also reports costs of messages that it does not log.
#[test]
fn what_cost_something_has_a_row_though_no_message_tells_of_it() {
    let result = |session: &str, cost, haiku| {
        json!({
            "type": "result",
            "session_id": session,
            "total_cost_usd": cost,
            "modelUsage": {
                "opus": { "costUSD": 0.25 },
                "haiku": { "costUSD": haiku },
            },
        })
    };
    let lines = [
        said("m1", words("Hi")),
        result("s", 0.5, 0.25),
        result("t", 0.25, -0.00001),
    ];
    let expected = "\
model  messages  input  output  cache write  cache read  cost, $
opus          1  1,000       1            0           0   0.5000
haiku         0      0       0            0           0   0.2500
total         1  1,000       1            0           0   0.7500
";
    assert_eq!(printed(&["usage"], &log(&lines)), expected);
    let by_session = &["usage", "--by", "session"];
    let expected = "\
session  messages  input  output  cache write  cache read  cost, $
s               1  1,000       1            0           0   0.5000
t               0      0       0            0           0   0.2500
total           1  1,000       1            0           0   0.7500
";
    assert_eq!(printed(by_session, &log(&lines)), expected);
    let only = [result("s", -0.0, 0.0)];
    let shown = printed(by_session, &log(&only));
    assert!(shown.contains(" 0.0000\n"), "{shown}");
    assert!(!shown.contains('-'), "{shown}");
}

#[test]
fn where_nothing_was_used_it_says_so() {
    for by in ["model", "session", "day"] {
        let shown = printed(&["usage", "--by", by], b"{}\n");
        assert_eq!(shown, "No token usage.\n");
    }
    let one = log(&[said("m1", words("Hi"))]);
    for log in [&b""[..], &one] {
        let shown = printed(&["usage", "--by", "tool"], log);
        assert_eq!(shown, "No tool calls.\n");
    }
    let empty = json!({
        "models": [],
        "messages": 0,
        "usage": Spending::default().usage(),
        "subagents": Spending::default().subagents(),
        "placeholder_messages": 0,
        "cost_usd": null,
    });
    assert_eq!(document(&linetape(&["usage", "--json", "-"], b"")), empty);
}

#[test]
fn wide_characters_do_not_bend_a_table() {
    let mut lines = vec![said("m1", words("Hi"))];
    for (at, model) in ["模型", "e\u{301}te", "🍎"].iter().enumerate() {
        let mut line = said(&at.to_string(), words("Hi"));
        line["message"]["model"] = json!(model);
        lines.push(line);
    }
    let expected = "\
day    messages  input  output  cache write  cache read
none          4  4,000       4            0           0
total         4  4,000       4            0           0
";
    assert_eq!(printed(&["usage", "--by", "day"], &log(&lines)), expected);
    let expected = "\
model  messages  input  output  cache write  cache read
opus          1  1,000       1            0           0
模型          1  1,000       1            0           0
e\u{301}te           1  1,000       1            0           0
🍎            1  1,000       1            0           0
total         4  4,000       4            0           0
";
    assert_eq!(printed(&["usage"], &log(&lines)), expected);
}
