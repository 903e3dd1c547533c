//! Inputs that are one JSON array, as Claude Code writes with
//! `--output-format json --verbose`.

use std::fs;

use serde_json::Value;

use crate::{
    state::gzip,
    support::{document, file, folder, linetape, shipped, text},
};

/// The lines of a log, and an array of the same messages, as Claude Code writes
/// it and with whitespace.
fn log_and_arrays() -> (String, [String; 2]) {
    let sample = shipped("../../crates/cli/sample/session.jsonl");
    let log = fs::read_to_string(sample).unwrap();
    let message = |line: &&str| serde_json::from_str::<Value>(line).ok();
    let lines = log.lines().filter(|line| message(line).is_some());
    let lines: Vec<&str> = lines.collect();
    let compact = format!("[{}]", lines.join(","));
    let indented = lines.iter().map(|line| line.replacen('{', "{\n  ", 1));
    let indented = indented.collect::<Vec<_>>().join(" ,\r\n  ");
    let log = lines.join("\n") + "\n";
    (log, [compact, format!("[\n  {indented}\n]\n")])
}

#[test]
fn every_command_reads_an_array_as_its_messages() {
    let (log, arrays) = log_and_arrays();
    let log = file("log.jsonl", log.as_bytes());
    let log = log.to_str().unwrap();
    for array in arrays {
        let bytes = array.as_bytes();
        let plain = file("array.json", bytes);
        let packed = file("array.json.gz", &gzip(bytes));
        let folder = folder("logs", &[("a.jsonl", &array)]);
        for command in [
            "usage --json",
            "usage --by session --peek",
            "show",
            "show --full --markdown",
            "schema",
            "normalize",
            "convert --to ui",
            "check",
            "report -o -",
        ] {
            let command: Vec<&str> = command.split(' ').collect();
            let of = |path: &str, input: &[u8]| {
                let output =
                    linetape(&[&command[..], &[path]].concat(), input);
                // A page states how many bytes it is made of.
                let lines = text(&output.stdout).lines();
                let lines = lines.filter(|l| !l.contains("linetape-source"));
                let page: String = lines.collect();
                (page, output.status.code(), output.stderr)
            };
            let expected = of(log, b"");
            assert_eq!(expected.1, Some(0), "{command:?}");
            for path in [&plain, &packed, &folder] {
                let found = of(path.to_str().unwrap(), b"");
                assert_eq!(found, expected, "{command:?} {path:?}");
            }
            let expected = of("-", &fs::read(log).unwrap());
            assert_eq!(of("-", bytes), expected, "{command:?}");
        }
    }
}

#[test]
fn what_is_copied_is_lines() {
    let (log, [compact, indented]) = log_and_arrays();
    for command in ["select", "redact"] {
        let output = linetape(&[command, "-"], compact.as_bytes());
        let lines = text(&output.stdout).trim_matches('\n').to_string() + "\n";
        let expected = linetape(&[command, "-"], log.as_bytes());
        assert_eq!(lines, text(&expected.stdout), "{command}");
        // The other one has its whitespace in its lines.
        let output = linetape(&[command, "-"], indented.as_bytes());
        let again = linetape(&["normalize", "-"], &output.stdout);
        let expected = linetape(&["normalize", "-"], &expected.stdout);
        assert_eq!(text(&again.stdout), text(&expected.stdout), "{command}");
    }
}

#[test]
fn counts_and_positions_are_those_of_the_array() {
    let array = "[{\"type\":\"user\"},\n {\"type\":\"user\"} {},\n{}]\n";
    let log = file("log.json", array.as_bytes());
    let log = log.to_str().unwrap();
    let report = document(&linetape(&["stats", "--json", log], b""));
    let facts = ["bytes", "lines", "blank", "records"];
    let facts = facts.map(|name| report[name].clone());
    assert_eq!(facts.to_vec(), [array.len(), 4, 1, 1].map(Value::from));
    let output = linetape(&["check", log], b"");
    let found = text(&output.stdout).lines();
    let places = [":2:1 required", ":3:35 trailing", ":4:41 trailing"];
    let places = places.map(|place| format!("{log}{place}"));
    assert!(found.zip(&places).all(|(line, at)| line.starts_with(at)));
}

#[test]
fn an_array_that_grew_is_another_one() {
    let log = file("log.json", b"[{\"n\":1}]");
    let path = log.to_str().unwrap();
    let state = log.with_file_name("the.state");
    _ = fs::remove_file(&state);
    let select = ["select", "--state", state.to_str().unwrap(), path];
    let run = || text(&linetape(&select, b"").stdout).to_string();
    assert_eq!(run(), "{\"n\":1}\n");
    assert_eq!(run(), "");
    fs::write(&log, "[{\"n\":1},{\"n\":2}]").unwrap();
    assert_eq!(run(), "{\"n\":1}\n{\"n\":2}\n");
}

/// Lines are appended to a log. An array is replaced as a whole.
#[test]
fn an_array_is_neither_followed_nor_redacted_in_place() {
    let array = "[{\"type\":\"user\"}]\n";
    let log = file("log.json", array.as_bytes());
    let log = log.to_str().unwrap();
    for command in [&["select", "-f"][..], &["redact", "--in-place"]] {
        let output = linetape(&[command, &[log]].concat(), b"");
        let why = text(&output.stderr);
        assert!(why.contains("a JSON array"), "{why}");
        assert_ne!(output.status.code(), Some(0));
        assert_eq!(fs::read_to_string(log).unwrap(), array);
    }
}
