//! `linetape stats`, run as a person would run it.

mod support;

use std::fs;

use serde_json::{Value, json};
#[cfg(unix)]
use support::unread;
use support::{
    document, file, linetape, logs,
    reference::{Spending, records, rounded},
    text,
};

/// What there is to say if no message tells of usage.
fn with_nothing_used(mut report: Value) -> Value {
    report["models"] = json!([]);
    report["tools"] = json!([]);
    report["usage"] = Spending::default().usage();
    report["cost_usd"] = Value::Null;
    report
}

#[test]
fn without_arguments_it_reports_on_the_sample() {
    let output = linetape(&[], b"");
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert!(shown.starts_with("The sample session."), "{shown}");

    let sample = include_bytes!("../sample/session.jsonl");
    let lines = sample.split(|&b| b == b'\n').count() - 1;
    let blank = sample.windows(2).filter(|pair| pair == b"\n\n").count();
    let longest = sample.split(|&b| b == b'\n').map(<[u8]>::len).max();
    let kind = |kind: &str, subtype: Option<&str>, records, bytes| {
        json!({
            "type": kind,
            "subtype": subtype,
            "records": records,
            "bytes": bytes,
        })
    };
    let expected = json!({
        "files": 1,
        "bytes": sample.len(),
        "lines": lines,
        "blank": blank,
        "records": lines - blank,
        "kinds": [
            kind("assistant", None, 7, 3914),
            kind("user", None, 5, 1712),
            kind("keep_alive", None, 1, 22),
            kind("result", Some("success"), 1, 737),
            kind("stream_event", None, 1, 295),
            kind("system", Some("init"), 1, 462),
        ],
        "models": [{
            "model": "claude-sonnet-4-5",
            "messages": 5,
            "input_tokens": 6012,
            "output_tokens": 397,
            "cache_creation_input_tokens": 4288,
            "cache_read_input_tokens": 16832,
        }],
        "tools": [
            { "name": "Bash", "calls": 1, "errors": 1 },
            { "name": "Edit", "calls": 1, "errors": 0 },
            { "name": "Grep", "calls": 1, "errors": 0 },
            { "name": "Read", "calls": 1, "errors": 0 },
        ],
        "usage": {
            "input_tokens": 6012,
            "output_tokens": 397,
            "cache_creation_input_tokens": 4288,
            "cache_read_input_tokens": 16832,
        },
        "cost_usd": 0.0481,
        "longest_line": longest,
        "errors": { "total": 0, "by_kind": {} },
    });
    for arguments in [&["--json"][..], &["stats", "--json"]] {
        assert_eq!(document(&linetape(arguments, b"")), expected);
    }
    for row in [("lines", lines), ("blank lines", blank)] {
        let row = format!("{:<32}{:>16}\n", row.0, row.1);
        assert!(shown.contains(&row), "no {row} in {shown}");
    }
}

#[test]
fn files_and_standard_input_are_added_up() {
    let one = file("one.jsonl", b"{}\n\n{\"a\":1,}");
    let two = file("two.jsonl", b"\xFF\xFE{\0\n{}\r\n");
    let paths = [one.to_str().unwrap(), "-", two.to_str().unwrap()];
    let arguments = [&["stats", "--json"][..], &paths].concat();
    let output = linetape(&arguments, b"{\"from\":\"stdin\"}\n");
    assert!(output.status.success());
    let expected = json!({
        "files": 3,
        "bytes": 12 + 17 + 9,
        "lines": 3 + 1 + 2,
        "blank": 1,
        "records": 3,
        // The bytes of a record are those of its line, terminator included.
        "kinds": [{
            "type": null,
            "subtype": null,
            "records": 3,
            "bytes": 3 + 17 + 4,
        }],
        "longest_line": 16,
        "errors": {
            "total": 2,
            "by_kind": { "encoding": 1, "syntax": 1 },
        },
    });
    assert_eq!(document(&output), with_nothing_used(expected));

    let output = linetape(&paths, b"");
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert!(shown.contains("  encoding"), "{shown}");
    assert!(!shown.contains("sample"), "{shown}");
}

#[test]
fn a_peek_reports_on_logs_what_decoding_them_does() {
    let logs = logs();
    let logs: Vec<&str> = logs.iter().map(|p| p.to_str().unwrap()).collect();
    let mut records = 0;
    let one_by_one = logs.iter().map(std::slice::from_ref);
    for paths in one_by_one.chain([&logs[..], &[]]) {
        let decoded = linetape(&[&["stats", "--json"], paths].concat(), b"");
        let arguments = [&["stats", "--peek", "--json"], paths].concat();
        let peeked = linetape(&arguments, b"");
        assert_eq!(document(&peeked), document(&decoded), "{paths:?}");
        assert!(peeked.status.success() && decoded.status.success());
        records += document(&peeked)["records"].as_u64().unwrap();
    }
    assert!(records > 0);
    let shown = |arguments: &[&str]| linetape(arguments, b"").stdout;
    assert_eq!(text(&shown(&["--peek"])), text(&shown(&["stats"])));
}

#[test]
fn what_logs_used_is_what_the_reference_says() {
    let logs = logs();
    let mut messages = 0;
    for paths in logs.chunks(1).chain([&logs[..]]) {
        let mut spending = Spending::default();
        for path in paths {
            let log = fs::read(path).unwrap();
            records(&log).0.iter().for_each(|record| spending.add(record));
        }
        let model = |mut row: Value| {
            row["model"] = row["name"].take();
            let of_model = row.as_object_mut().unwrap();
            of_model.retain(|key, _| key != "name" && key != "cost_usd");
            row
        };
        // What a model cost is not reported here.
        let models = spending.rows("model").into_iter();
        let models = models.filter(|row| row["messages"] != 0).map(model);
        let tool = |row: Value| {
            let (name, calls) = (&row["name"], &row["calls"]);
            json!({"name": name, "calls": calls, "errors": row["errors"]})
        };
        let tools = spending.rows("tool").into_iter().map(tool);
        let expected = [
            ("models", models.collect::<Value>()),
            ("tools", tools.collect()),
            ("usage", spending.usage()),
            ("cost_usd", rounded(spending.cost())),
        ];
        let paths = paths.iter().map(|path| path.to_str().unwrap());
        let arguments: Vec<&str> =
            ["--json"].into_iter().chain(paths).collect();
        let report = rounded(document(&linetape(&arguments, b"")));
        for (key, expected) in expected {
            assert_eq!(report[key], expected, "{key} of {arguments:?}");
        }
        messages += spending.messages();
    }
    assert!(messages > 0);
}

#[test]
fn the_bytes_of_a_record_on_a_damaged_line_are_its_own() {
    let one = b"{\"a\":1}";
    for behind in ["{}", "\0\n", "x\n", "\0\r\n", "{}\r\n", "{\"b\""] {
        let log = [one, behind.as_bytes(), b"\n{\"type\":\"x\"}\r\n"].concat();
        let output = linetape(&["--json", "--salvage", "-"], &log);
        let report = document(&output);
        let kind = |name: &str| {
            let kinds = report["kinds"].as_array().unwrap();
            let of_name =
                kinds.iter().filter(|k| k["type"].as_str() == Some(name));
            of_name.map(|k| k["bytes"].as_u64().unwrap()).sum::<u64>()
        };
        assert_eq!(kind("x"), 14, "{behind:?}");
        let kinds = report["kinds"].as_array().unwrap();
        let untyped = kinds.iter().find(|k| k["type"].is_null()).unwrap();
        let records = 1 + u64::from(behind.starts_with("{}"));
        assert_eq!(untyped["records"], records, "{behind:?}");
        let bytes = if records == 2 { 9 } else { 7 };
        assert_eq!(untyped["bytes"], bytes, "{behind:?}");
    }
}

#[test]
fn a_peek_counts_bad_lines_as_decoding_does() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    // Each of these breaks a rule that a peek knows.
    let lines: [&[u8]; 10] = [
        b"\xFE\xFF{}",
        b"{\"type\":\"user\",\"a\":{\"b\":\"\xff\"}}",
        b"{\"type\":\"user\",}",
        b"{\"type\":\"user\",\"a\":[1,2}",
        deep.as_bytes(),
        b"[{\"type\":\"user\"}]",
        b"{\"type\":\"user\",\"type\":\"user\"}",
        b"{\"type\":\"user\"}{\"type\":\"user\"}",
        b"{\"type\":\"user\"}\r",
        b"{\"type\":\"user\",\"a\":\"",
    ];
    let log = lines.join(&b'\n');
    let expected = json!({
        "files": 1,
        "bytes": log.len(),
        "lines": lines.len(),
        "blank": 0,
        "records": 1,
        "kinds": [{
            "type": "user",
            "subtype": null,
            "records": 1,
            "bytes": 17,
        }],
        "longest_line": deep.len(),
        "errors": {
            "total": 9,
            "by_kind": {
                "encoding": 1,
                "utf8": 1,
                "syntax": 2,
                "depth": 1,
                "not_an_object": 1,
                "duplicate_key": 1,
                "trailing_data": 1,
                "truncated": 1,
            },
        },
    });
    let expected = with_nothing_used(expected);
    for arguments in [&["--json", "-"][..], &["--peek", "--json", "-"]] {
        let output = linetape(arguments, &log);
        assert!(output.status.success());
        assert_eq!(document(&output), expected, "{arguments:?}");
    }
}

#[test]
fn a_peek_takes_a_line_with_bad_json_inside_for_a_record() {
    let log = b"{\"type\":\"user\",\"a\":[1,,2]}\n{\"type\":\"user\"}\n";
    let decoded = document(&linetape(&["--json", "-"], log));
    assert_eq!(decoded["records"], 1);
    assert_eq!(decoded["kinds"][0]["bytes"], 16);
    assert_eq!(decoded["errors"]["by_kind"], json!({ "syntax": 1 }));
    let peeked = document(&linetape(&["--peek", "--json", "-"], log));
    assert_eq!(peeked["records"], 2);
    assert_eq!(peeked["kinds"][0]["bytes"], log.len());
    assert_eq!(peeked["errors"]["by_kind"], json!({}));
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_the_reason() {
    let fine = file("fine.jsonl", b"{}\n");
    let fine = fine.to_str().unwrap();
    let folder = env!("CARGO_TARGET_TMPDIR");
    for bad in ["no/such/file.jsonl", folder] {
        let output = linetape(&["--json", bad, fine], b"");
        assert_eq!(output.status.code(), Some(2));
        let complaint = text(&output.stderr);
        assert!(complaint.contains(bad), "{complaint}");
        assert!(complaint.contains("directory"), "{complaint}");
        // The other file is reported on all the same.
        assert_eq!(document(&output)["files"], 1);
        assert_eq!(document(&output)["lines"], 1);
        let errors = json!({ "total": 1, "by_kind": { "io": 1 } });
        assert_eq!(document(&output)["errors"], errors);
    }
}

#[test]
fn the_name_of_a_file_cannot_drive_the_terminal() {
    let output = linetape(&["\x1b]0;owned\x07.jsonl"], b"");
    assert_eq!(output.status.code(), Some(2));
    let complaint = text(&output.stderr);
    assert!(complaint.contains(r"\u{1b}]0;owned\u{7}"), "{complaint}");
    assert!(!complaint.contains('\x1b'));
}

#[test]
fn the_name_of_a_kind_cannot_drive_the_terminal() {
    let log = b"{\"type\":\"\\u001b[2J\",\"subtype\":\"\\u202e\"}\n";
    let output = linetape(&["-"], log);
    let shown = text(&output.stdout);
    assert!(shown.contains(r"\u{1b}[2J/\u{202e}"), "{shown}");
    assert!(!shown.contains(['\x1b', '\u{202e}']));
    let json = linetape(&["--json", "-"], log);
    assert_eq!(document(&json)["kinds"][0]["type"], "\x1b[2J");
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    assert_eq!(unread("--json"), "0\n");
}
