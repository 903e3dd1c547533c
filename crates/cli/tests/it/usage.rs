//! `linetape usage`.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::json;

use crate::support::{
    document, file, folder,
    lines::{init, log, printed, said, words},
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
            let expected = spending.with_reported(expected);
            let arguments = ["usage", "--json", "--by", by];
            let output = linetape(&[&arguments, &paths[..]].concat(), b"");
            let mut shown = rounded(document(&output));
            // The reference does not know what is beside the total.
            shown.as_object_mut().unwrap().remove("reported_beside");
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
    let silent = log(&[init()]);
    for by in ["model", "session", "day"] {
        let shown = printed(&["usage", "--by", by], &silent);
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

/// A line of the model in a session, at a time.
pub(crate) fn at(session: &str, time: &str) -> serde_json::Value {
    let mut line = said(&format!("{session} {time}"), words("Hi"));
    line["session_id"] = json!(session);
    line["cwd"] = json!(format!("/srv/{session}"));
    line["timestamp"] = json!(time);
    line
}

/// The names of the rows, and their messages.
fn rows(arguments: &[&str], log: &[u8]) -> Vec<(String, u64)> {
    let arguments = [&["usage", "--json"], arguments, &["-"]].concat();
    let report = document(&linetape(&arguments, log));
    let key = arguments.iter().position(|word| *word == "--by").unwrap() + 1;
    let rows = report[format!("{}s", arguments[key])].as_array().unwrap();
    rows.iter()
        .map(|row| {
            let name = row["name"].as_str().unwrap_or("none").to_string();
            (name, row["messages"].as_u64().unwrap())
        })
        .collect()
}

#[test]
fn periods_and_projects() {
    let lines = [
        at("a", "2026-03-01T23:30:00Z"),
        at("a", "2026-03-02T00:30:00Z"),
        at("b", "2026-04-01T00:30:00Z"),
    ];
    let log = log(&lines);
    let named = |rows: &[(&str, u64)]| -> Vec<(String, u64)> {
        rows.iter().map(|(name, n)| (name.to_string(), *n)).collect()
    };
    let expected = named(&[("2026-W09", 1), ("2026-W10", 1), ("2026-W14", 1)]);
    assert_eq!(rows(&["--by", "week"], &log), expected);
    let expected = named(&[("2026-03", 2), ("2026-04", 1)]);
    assert_eq!(rows(&["--by", "month"], &log), expected);
    let expected = named(&[("2026-03", 3)]);
    let zone = ["--by", "month", "--timezone", "America/New_York"];
    assert_eq!(rows(&zone, &log), expected);
    let zone = ["--by", "day", "--timezone", "+00:30"];
    let expected = named(&[("2026-03-02", 2), ("2026-04-01", 1)]);
    assert_eq!(rows(&zone, &log), expected);
    let expected = named(&[("/srv/a", 2), ("/srv/b", 1)]);
    assert_eq!(rows(&["--by", "project"], &log), expected);
    let wrong = linetape(&["usage", "--timezone", "Mars", "-"], b"");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("expected a name such as"));
}

/// Nothing said that the cost is too low.
#[test]
fn a_cost_without_all_models_is_said_to_be_one() {
    let state = |is_unknown: bool| {
        log(&[json!({"type": "cost-state", "sessionId": "b",
            "totalCostUSD": 0.5, "hasUnknownModelCost": is_unknown})])
    };
    let warning = "Warning: the cost of 1 session does not include a model \
                   whose price the agent did not know.\n";
    for command in ["usage", "stats"] {
        assert!(printed(&[command], &state(true)).contains(warning));
        assert!(!printed(&[command], &state(false)).contains("Warning"));
    }
    let report =
        |log: &[u8]| document(&linetape(&["usage", "--json", "-"], log));
    assert_eq!(report(&state(true))["unknown_cost_sessions"], 1);
    assert!(report(&state(false)).get("unknown_cost_sessions").is_none());
}

#[test]
fn the_folder_of_the_agent_is_read() {
    let log = log(&[at("a", "2026-03-01T00:00:00Z")]);
    let home = folder("home", &[("projects/p/a.jsonl", text(&log))]);
    let run = |folder: &Path| {
        Command::new(env!("CARGO_BIN_EXE_linetape"))
            .args(["usage", "--home", "--json"])
            .env("CLAUDE_CONFIG_DIR", folder)
            .output()
            .unwrap()
    };
    assert_eq!(document(&run(&home))["messages"], 1);
    let absent = run(&home.join("absent"));
    assert_eq!(absent.status.code(), Some(2));
    let both = linetape(&["usage", "--home", "x.jsonl"], b"");
    assert_eq!(both.status.code(), Some(2));
}

/// A file with thousands of bad lines got thousands of messages.
#[test]
fn ten_bad_lines_are_described_and_the_others_counted() {
    let bad = b"{\"type\":\"user\"}\noops\n".repeat(25);
    let path = file("bad.jsonl", &bad);
    let path = path.to_str().unwrap();
    for command in ["usage", "show", "select", "normalize"] {
        let output = linetape(&[command, path, path], b"");
        let lines: Vec<&str> = text(&output.stderr).lines().collect();
        assert_eq!(lines.len(), 22, "{command}: {lines:#?}");
        let last = "bad.jsonl: 15 more bad lines";
        assert!(lines[10].ends_with(last), "{}", lines[10]);
        assert!(lines[21].ends_with(last), "{}", lines[21]);
        assert_eq!(output.status.code(), Some(1));
    }
}

/// Bad lines are what `check` prints.
fn complaint_of<'o>(command: &str, output: &'o Output) -> &'o str {
    let is_check = command == "check";
    text(if is_check { &output.stdout } else { &output.stderr })
}

#[test]
fn other_formats_are_named_once() {
    let document = file("document.json", b"{\n  \"a\": [\n1\n]\n}\n");
    let codex = br#"{"type":"event_msg","payload":{}}
{"type":"event_msg","payload":{}}
"#;
    let codex = file("codex.jsonl", codex);
    for command in ["usage", "show", "stats", "select", "check"] {
        let output = linetape(&[command, document.to_str().unwrap()], b"");
        let complaint = complaint_of(command, &output);
        assert_eq!(complaint.lines().count(), 1, "{command}: {complaint}");
        assert!(complaint.contains("object on each line"), "{complaint}");
        let output = linetape(&[command, codex.to_str().unwrap()], b"");
        let complaint = text(&output.stderr);
        assert_eq!(complaint.lines().count(), 1, "{command}: {complaint}");
        let (name, code) = match command {
            "usage" | "show" => ("(looks like Codex)", 2),
            _ => ("has lines of Codex, whose", 0),
        };
        assert!(complaint.contains(name), "{command}: {complaint}");
        assert_eq!(output.status.code(), Some(code), "{command}");
    }
}

/// Every line of it was described, and lines of others were read in silence.
#[test]
fn other_formats_on_standard_input_are_named_once() {
    let document = b"{\n  \"a\": [\n1\n]\n}\n".to_vec();
    let long = [b"[\n".to_vec(), b"  12,\n".repeat(50_000), b"1]".to_vec()];
    let gemini = b"{\"type\":\"gemini\",\"content\":\"Hi\"}\n".repeat(2);
    let name = "object on each line";
    for command in ["usage", "show", "stats", "select", "check"] {
        for log in [&document, &long.concat()] {
            let output = linetape(&[command, "-"], log);
            let complaint = complaint_of(command, &output);
            assert_eq!(complaint.lines().count(), 1, "{command}: {complaint}");
            assert!(complaint.contains("standard input:"), "{complaint}");
            assert!(complaint.contains(name), "{command}: {complaint}");
            // A summary of a log with bad lines is complete.
            let code = i32::from(command != "stats");
            assert_eq!(output.status.code(), Some(code), "{command}");
        }
        let output = linetape(&[command, "-"], &gemini);
        let complaint = text(&output.stderr);
        assert_eq!(complaint.lines().count(), 1, "{command}: {complaint}");
        let is_named = match command {
            "usage" | "show" => complaint.contains("(looks like Gemini)"),
            _ => complaint.contains("standard input: has lines of Gemini"),
        };
        assert!(is_named, "{command}: {complaint}");
        // A torn first line is not the beginning of a document.
        let torn = b"{\"a\":\n{\"type\":\"user\"}\n{\"type\":\"user\"}\n";
        let output = linetape(&[command, "-"], torn);
        assert!(!text(&output.stderr).contains(name), "{command}");
    }
    // The faults of a document are one.
    let output = linetape(&["check", "--json", "-"], &document);
    let faults = self::document(&output);
    assert_eq!(faults.as_array().unwrap().len(), 1, "{faults}");
}

/// The tokens that the agent states for each model were not shown, and a model
/// with a large context had a row of its own, with a cost and no messages.
#[test]
fn what_the_agent_reports_of_each_model_is_shown() {
    let state = json!({
        "type": "cost-state", "sessionId": "s", "totalCostUSD": 0.75,
        "modelUsage": {
            "opus[1m]": {"inputTokens": 1100, "outputTokens": 5,
                "cacheReadInputTokens": 7, "cacheCreationInputTokens": 3,
                "costUSD": 0.5},
            "haiku[1m]": {"inputTokens": 20, "outputTokens": 2,
                "costUSD": 0.25},
        },
    });
    let log = log(&[said("m1", words("Hi")), state]);
    let expected = "\
model      messages  input  output  cache write  cache read  cost, $
opus              1  1,000       1            0           0   0.5000
haiku[1m]         0      0       0            0           0   0.2500
total             1  1,000       1            0           0   0.7500

model, as reported  input  output  cache write  cache read  cost, $
haiku[1m]              20       2            0           0   0.2500
opus[1m]            1,100       5            3           7   0.5000
Reported, in no message that was read and not in the total: 120 input, 6 output, 3 cache write, 7 cache read.
";
    assert_eq!(printed(&["usage"], &log), expected);
    assert!(printed(&["stats"], &log).ends_with(expected));
    for command in ["usage", "stats"] {
        let report = document(&linetape(&[command, "--json", "-"], &log));
        let opus = &report["reported_models"][1];
        assert_eq!(opus["name"], "opus[1m]");
        assert_eq!(
            (&opus["cost_usd"], &opus["output_tokens"]),
            (&json!(0.5), &json!(5))
        );
        assert_eq!(report["usage"]["output_tokens"], 1);
    }
}

/// It was "No token usage.".
#[test]
fn a_cost_without_a_model_is_shown() {
    let log = br#"{"type":"cost-state","sessionId":"s","totalCostUSD":3,"modelUsage":{}}
"#;
    let shown = linetape(&["usage", "-"], log);
    let shown = text(&shown.stdout);
    assert!(shown.contains("3.00"), "{shown}");
}

#[test]
fn a_time_zone_can_be_west_of_greenwich() {
    let log = br#"{"type":"assistant","sessionId":"s","timestamp":"2026-01-02T01:00:00Z","message":{"id":"m","model":"o","usage":{"output_tokens":5}}}
"#;
    let arguments =
        ["usage", "--by", "day", "--timezone", "-05:00", "--json", "-"];
    let report = document(&linetape(&arguments, log));
    assert_eq!(report["days"][0]["name"], "2026-01-01");
}
