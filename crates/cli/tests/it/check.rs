//! `linetape usage` and `check`, run as a person would run them, and the
//! options that all commands have.

mod support;

use std::fs;

use serde_json::{Value, json};
#[cfg(unix)]
use support::unread;
use support::{
    UNREADABLE, document, file,
    lines::{answer, call, init, log, printed, said, words},
    linetape, logs,
    reference::{Spending, records, rounded},
    text,
};

mod usage {
    use super::*;

    #[test]
    fn the_report_on_logs_is_what_the_reference_says() {
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
            for by in ["model", "session", "day", "tool"] {
                let expected = json!({
                    format!("{by}s"): spending.rows(by),
                    "messages": spending.messages(),
                    "usage": spending.usage(),
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

    /// The agent calls models on its own account, too.
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
            assert_eq!(shown, "No message tells of usage.\n");
        }
        let one = log(&[said("m1", words("Hi"))]);
        for log in [&b""[..], &one] {
            let shown = printed(&["usage", "--by", "tool"], log);
            assert_eq!(shown, "No message calls a tool.\n");
        }
        let empty = json!({
            "models": [],
            "messages": 0,
            "usage": Spending::default().usage(),
            "cost_usd": null,
        });
        assert_eq!(document(&linetape(&["usage", "--json", "-"], b"")), empty);
    }

    #[test]
    fn wide_characters_do_not_bend_a_table() {
        let mut lines = vec![said("m1", words("Hi"))];
        for (at, model) in ["模型", "e\u{301}te", "🍎"].iter().enumerate()
        {
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
}

mod check {
    use super::*;

    /// One line that is no record, a uuid that is used twice, a call that
    /// the model did not wait for.
    fn bad_log() -> Vec<u8> {
        let mut again = said("m3", words("Bye"));
        again["uuid"] = json!("uuid of m1");
        let lines = [
            init(),
            said("m1", call("t1", "Read", json!({}))),
            said("m2", words("Hi")),
            again,
        ];
        let mut log = log(&lines);
        log.extend_from_slice(b"oops\n{\"type\":\"keep_alive\"}\n{\"a\":");
        log
    }

    /// Rules, messages and the lines that they are about.
    const EXPECTED: [(&str, &str, usize); 4] = [
        ("unanswered_call", "the call `t1` has no result", 2),
        (
            "duplicate_uuid",
            "`uuid of m1`: another message has it, in line 2",
            4,
        ),
        ("not_an_object", "not a JSON object, at `oops`", 5),
        (
            "truncated",
            "unexpected end of input: last line is truncated after 5 bytes",
            7,
        ),
    ];

    fn offset(log: &[u8], line: usize) -> usize {
        let lines = log.split_inclusive(|&byte| byte == b'\n');
        lines.take(line - 1).map(<[u8]>::len).sum()
    }

    #[test]
    fn what_is_wrong_is_told_in_the_order_of_the_file() {
        let log = bad_log();
        let path = file("check_bad.jsonl", &log);
        let path = path.to_str().unwrap();
        let output = linetape(&["check", path], b"");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(text(&output.stderr), "");
        let line = |(rule, message, line): (&str, &str, usize)| {
            let byte = offset(&log, line);
            format!("{path}:{line}:{byte} {rule} {message}\n")
        };
        let expected: String = EXPECTED.map(line).concat();
        assert_eq!(text(&output.stdout), expected);

        let output = linetape(&["check", "--json", path, "-"], b"oops");
        assert_eq!(output.status.code(), Some(1));
        let fault = |file: &str, (rule, message, line), byte| {
            json!({
                "file": file,
                "line": line,
                "byte": byte,
                "rule": rule,
                "level": "error",
                "message": message,
            })
        };
        let mut expected: Vec<Value> = EXPECTED
            .map(|fact| fault(path, fact, offset(&log, fact.2)))
            .into();
        let oops = (EXPECTED[2].0, EXPECTED[2].1, 1);
        expected.push(fault("standard input", oops, 0));
        assert_eq!(document(&output), json!(expected));
    }

    #[test]
    fn notes_are_told_if_asked_for_and_are_nothing_bad() {
        // The log is cut off.
        let log = log(&[init(), said("m1", call("t1", "Read", json!({})))]);
        assert_eq!(printed(&["check"], &log), "");
        assert_eq!(printed(&["check", "--json"], &log), "[]\n");
        let byte = offset(&log, 2);
        let note = "the call `t1` has no result, and was not waited for";
        let shown = printed(&["check", "--notes"], &log);
        let place = format!("standard input:2:{byte}");
        let line = format!("{place} unanswered_call note: {note}\n");
        assert_eq!(shown, line);
        let shown = printed(&["check", "--notes", "--json"], &log);
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown[0]["level"], "note");
        assert_eq!(shown[0]["message"], note);
        assert_eq!(shown.as_array().unwrap().len(), 1);
    }

    #[test]
    fn the_exit_code_tells_how_it_went() {
        let bad = file("check_exit.jsonl", b"oops\n");
        let bad = bad.to_str().unwrap();
        let cases = [
            (vec!["check"], 0),
            (vec!["check", "--notes"], 0),
            (vec!["check", bad], 1),
            (vec!["check", "--json", bad, "-"], 1),
            (vec!["check", bad, "no/such/file"], 2),
            (vec!["check", "no/such/file", bad], 2),
            (vec!["check", UNREADABLE], 2),
            (vec!["check", "--json", "no/such/file"], 2),
        ];
        let output = linetape(&["check", "--json", "no/such/file", bad], b"");
        let rules = document(&output);
        let rules = [&rules[0]["rule"], &rules[1]["rule"]];
        assert_eq!(rules, ["io", "not_an_object"]);
        for (arguments, code) in cases {
            let output = linetape(&arguments, b"{}\n");
            assert_eq!(output.status.code(), Some(code), "{arguments:?}");
            let is_told = !output.stderr.is_empty();
            assert_eq!(is_told, code == 2, "{arguments:?}");
        }
    }

    /// Files are checked one by one: positions are those of a file.
    #[test]
    fn files_do_not_mix() {
        let one = log(&[init(), said("m1", words("Hi"))]);
        let paths = ["check_one.jsonl", "check_two.jsonl"];
        let paths = paths.map(|name| file(name, &one));
        let paths = paths.each_ref().map(|path| path.to_str().unwrap());
        let output = linetape(&["check", "--notes", paths[0], paths[1]], b"");
        assert_eq!(text(&output.stdout), "");
        assert!(output.status.success());
    }

    #[test]
    fn a_log_that_is_bad_all_over_is_told_of_in_part() {
        let line = json!({
            "type": "user", "uuid": "u", "session_id": "s",
            "timestamp": "soon", "message": { "content": "Hi" },
        });
        let log = log(&vec![line; 1003]);
        let output = linetape(&["check", "-"], &log);
        let shown = text(&output.stdout);
        let of_rule = |l: &&str| l.contains(" timestamp ");
        assert_eq!(shown.lines().filter(of_rule).count(), 1000);
        let last = shown.lines().rfind(of_rule).unwrap();
        assert!(last.ends_with(" (and 3 more)"), "{last}");
    }
}

/// Characters that a terminal obeys, or that turn a text around.
const EVIL: &str = "\x1b[2J\r\u{9b}2J\u{7f}\u{202e}\u{2066}\u{7}";
/// How they are to be shown.
const HARMLESS: &str = r"\u{1b}[2J\r\u{9b}2J\u{7f}\u{202e}\u{2066}\u{7}";

/// A log in which all that is shown is evil.
fn evil_log() -> Vec<u8> {
    let e = EVIL;
    let evil = |mut line: Value| {
        line["session_id"] = json!(e);
        line
    };
    let mut lines = vec![
        json!({ "type": "system", "subtype": "init", "model": e }),
        json!({ "type": "user", "uuid": e, "timestamp": e,
                "message": { "content": e } }),
        json!({ "type": "user", "uuid": e, "parentUuid": e,
                "isSidechain": true, "message": { "content": "x" } }),
        said(e, words(e)),
        said(e, json!({ "type": "thinking", "thinking": e })),
        said(e, call(e, e, json!({ e: e, "list": [{ e: e }] }))),
        said("m", call("t2", "Read", json!(e))),
        answer(e, json!(format!("{e}\n{e}"))),
        answer("t8", json!(e)),
        said(e, json!({ "type": e })),
        json!({ "type": "assistant", "toolName": e, "toolArguments": e,
                "subtype": "tool_use" }),
        json!({ "type": "system", "subtype": "tool_result", "message": e }),
        json!({ "type": "system", "subtype": "error", "message": e }),
        json!({ "type": "compact_system", "message": e }),
        json!({ "type": "error", "error": { "message": e } }),
        json!({ "type": "result", "subtype": e, "total_cost_usd": 1,
                "modelUsage": { e: { "costUSD": 1 } } }),
    ];
    lines.iter_mut().for_each(|line| *line = evil(line.take()));
    for event in ["TextChunk", "Display", "System", "Error"] {
        let says = json!({ "text": e, "content": e, "message": e });
        lines.push(json!({ event: says }));
    }
    let call = json!({ "tool_use_id": e, "tool_name": e, "input": { e: e } });
    lines.push(json!({ "ToolExecuting": call }));
    let done = json!({ "tool_use_id": e, "result": e });
    lines.push(json!({ "ToolCompleted": done }));
    lines.push(json!({ "session_id": 1, "content": e, "turn_id": {} }));
    let model = json!({ "message": { "model": e, "usage": {} } });
    lines.push(evil(said("m9", words("x"))));
    lines.last_mut().unwrap()["message"] = model["message"].clone();
    let mut log = log(&lines);
    log.extend_from_slice(format!("{e}\n").as_bytes());
    log
}

#[test]
fn a_log_cannot_drive_the_terminal() {
    let log = evil_log();
    // How often the evil is shown, at least.
    let commands = [
        (vec!["show"], 25),
        (vec!["show", "--full"], 25),
        (vec!["check", "--notes"], 5),
        (vec!["usage"], 1),
        (vec!["usage", "--by", "session"], 1),
        (vec!["usage", "--by", "tool"], 1),
        (vec!["usage", "--by", "day"], 0),
        (vec!["stats"], 2),
    ];
    for (command, at_least) in commands {
        let output = linetape(&[&command[..], &["-"]].concat(), &log);
        for bytes in [&output.stdout, &output.stderr] {
            let shown = text(bytes);
            let evil = |c: char| EVIL.contains(c) && !"[2J".contains(c);
            assert!(!shown.contains(evil), "{command:?}: {shown:?}");
        }
        let times = text(&output.stdout).matches(HARMLESS).count();
        assert!(times >= at_least, "{command:?}: {times}");
    }
}

#[cfg(unix)]
#[test]
fn the_name_of_a_file_cannot_drive_the_terminal() {
    let path = file("\x1b[2J\u{202e}.jsonl", b"oops\n");
    let path = path.to_str().unwrap();
    for command in ["check", "show", "usage"] {
        let output = linetape(&[command, path, "\x1b[2J\u{202e}"], b"");
        assert_eq!(output.status.code(), Some(2), "{command}");
        let shown = [output.stdout, output.stderr].concat();
        let shown = text(&shown);
        assert!(!shown.contains(['\x1b', '\u{202e}']), "{shown:?}");
        assert_eq!(shown.matches(r"\u{1b}[2J\u{202e}").count(), 2, "{shown}");
    }
    let faults = document(&linetape(&["check", "--json", path], b""));
    assert_eq!(faults[0]["file"], path, "programs get it as it is");
}

/// How many records a command has seen of some, and how it ended. Each has
/// the word `record` in its text.
fn seen(command: &str, options: &[&str], log: &[u8]) -> (usize, i32) {
    let arguments = match command {
        "stats" | "usage" | "check" => vec![command, "--json"],
        _ => vec![command],
    };
    let arguments = [&arguments, options, &["-"]].concat();
    let output = linetape(&arguments, log);
    let count = |value: &Value| usize::try_from(value.as_u64().unwrap());
    let records = match command {
        "stats" => count(&document(&output)["records"]).unwrap(),
        "usage" => count(&document(&output)["messages"]).unwrap(),
        // This tells of everything but records.
        "check" => document(&output).as_array().unwrap().len(),
        _ => text(&output.stdout).matches("record").count(),
    };
    (records, output.status.code().unwrap())
}

#[test]
fn every_command_has_the_options_of_the_reader() {
    let one = said("m1", words("record")).to_string();
    let two = said("m2", words("record")).to_string();
    let long = said("m3", words(&format!("record{}", "x".repeat(500))));
    let spliced = format!("{one}{two}\n");
    let noisy = format!("Compiling ...\n{one}\n");
    let uneven = format!("{long}\n{one}\n");
    let torn = format!("{}{two}\n", &one[..one.len() - 9]);
    let limit = one.len().to_string();
    let cases = [
        // What is read without the option, and what with it.
        (&spliced, vec!["--salvage"], (0, 1), (2, 0)),
        (&torn, vec!["--salvage"], (0, 1), (1, 1)),
        (&noisy, vec!["--skip-noise"], (1, 1), (1, 0)),
        (&uneven, vec!["--max-line", &limit], (2, 0), (1, 1)),
    ];
    let commands = ["stats", "select", "normalize", "usage", "check", "show"];
    for (log, options, without, with) in cases {
        for (options, expected) in [(vec![], without), (options, with)] {
            for command in commands {
                let (records, bad) = expected;
                let expected = match command {
                    // It is there to tell of bad lines.
                    "stats" => (records, 0),
                    "check" => (usize::try_from(bad).unwrap(), bad),
                    _ => expected,
                };
                let shown = seen(command, &options, log.as_bytes());
                assert_eq!(shown, expected, "{command} {options:?} {log}");
            }
        }
    }
    let output = linetape(&["show", "--max-line", "many"], b"");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_line_that_is_bad_deep_inside_is_no_record() {
    let mut line = said("m1", words("record")).to_string();
    line.insert_str(1, "\"a\":[1,,2],");
    line.push('\n');
    for (command, expected) in [("usage", 0), ("show", 0), ("check", 1)] {
        let shown = seen(command, &[], line.as_bytes());
        assert_eq!(shown, (expected, 1), "{command}");
    }
    // Unless someone asks only to peek.
    let peeked =
        linetape(&["usage", "--peek", "--json", "-"], line.as_bytes());
    assert_eq!(document(&peeked)["messages"], 1);
    assert!(peeked.status.success() && peeked.stderr.is_empty());
}

#[test]
fn a_missing_file_is_named_and_the_others_are_read() {
    let one = file("sessions.jsonl", &log(&[said("m1", words("Hi"))]));
    let one = one.to_str().unwrap();
    for command in ["usage", "check", "show"] {
        let fine = linetape(&[command, one], b"");
        assert_eq!(fine.status.code(), Some(0), "{command}");
        let output = linetape(&[command, "no/such/file", one], b"");
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert_eq!(output.stdout, fine.stdout, "{command}");
        let complaint = text(&output.stderr);
        let start = "linetape: no/such/file: ";
        assert!(complaint.starts_with(start), "{complaint}");
        assert_eq!(complaint.lines().count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    let bad = file("unread.jsonl", b"oops\n");
    for arguments in ["usage", "usage --json", "show", "check --json"] {
        assert_eq!(unread(arguments), "0\n", "{arguments}");
    }
    let check = format!("check '{}'", bad.to_str().unwrap());
    assert_eq!(unread(&check), "0\n");
}
