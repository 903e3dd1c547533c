//! Neither a log nor a file name can control the terminal.

#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};
use std::{fs, path::Path};

use serde_json::{Value, json};

#[cfg(unix)]
use crate::support::document;
use crate::support::{
    file,
    lines::{answer, call, log, said, words},
    linetape, logs, text, without_colours,
};

// ---- a handmade log ----------------------------------------------------------

/// Characters that control a terminal, or the direction of text.
const ORDERS: &str = "\x1b[2J\r\u{9b}2J\u{7f}\u{202e}\u{2066}\u{7}";
/// The same characters, escaped.
const HARMLESS: &str = r"\u{1b}[2J\r\u{9b}2J\u{7f}\u{202e}\u{2066}\u{7}";

/// A log with control characters in every string that is shown.
fn evil_log() -> Vec<u8> {
    let e = ORDERS;
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
    // Another call than the one before: a repeated one is shown once.
    let id = format!("{e}2");
    let call = json!({ "tool_use_id": id, "tool_name": e, "input": { e: e } });
    lines.push(json!({ "ToolExecuting": call }));
    let done = json!({ "tool_use_id": id, "result": e });
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
fn a_log_cannot_control_the_terminal() {
    let log = evil_log();
    // The minimum number of times that the escaped text is shown.
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
            let evil = |c: char| ORDERS.contains(c) && !"[2J".contains(c);
            assert!(!shown.contains(evil), "{command:?}: {shown:?}");
        }
        let times = text(&output.stdout).matches(HARMLESS).count();
        assert!(times >= at_least, "{command:?}: {times}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_name_cannot_control_the_terminal() {
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
    assert_eq!(faults[0]["file"], path, "JSON has the exact name");
}

// ---- every record of the shipped logs --------------------------------------

/// Returns whether a character controls a terminal, or the direction of text.
fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One character of each sort. A table may show only the first ones.
const EVIL: &str =
    "\x1b[2Jx\r\t\x07\u{7f}\u{9b}\u{61c}\u{202e}\u{2066}\u{2028}";

/// Adds control characters to every string, and a key of them to every object.
/// With `all`, also to the strings that decide the kind of a record.
fn spoil(value: &mut Value, all: bool) {
    match value {
        Value::String(text) => text.insert_str(0, EVIL),
        Value::Array(items) => {
            items.iter_mut().for_each(|item| spoil(item, all));
        }
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                let decides =
                    ["type", "subtype", "role", "timestamp"].contains(&&**key);
                if all || !decides {
                    spoil(value, all);
                }
            }
            members.insert(EVIL.to_string(), EVIL.into());
        }
        _ => {}
    }
}

/// All records of the shipped logs, with control characters everywhere.
fn hostile_log() -> String {
    let mut log = String::new();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let shipped = fs::canonicalize(root).unwrap();
    let is_shipped =
        |path: &Path| path.canonicalize().unwrap().starts_with(&shipped);
    for path in logs().iter().filter(|path| is_shipped(path)) {
        for line in fs::read_to_string(path).unwrap().lines() {
            let Ok(value) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            for all in [false, true] {
                let mut value = value.clone();
                spoil(&mut value, all);
                log += &format!("{value}\n");
            }
        }
    }
    log
}

/// Escapes every dangerous character, in JSON.
fn escaped(log: &str) -> String {
    let escape = |c: char| match is_dangerous(c) && c != '\n' {
        true => format!("\\u{:04x}", c as u32),
        false => c.to_string(),
    };
    log.chars().map(escape).collect()
}

/// Bad lines.
fn bad_lines() -> String {
    [
        EVIL.to_string(),
        format!("[debug] {EVIL}"),
        format!("{{\"{EVIL}\":1}}"),
        format!("{{\"a\":1}}{EVIL}"),
        format!("{{\"a\":tru{EVIL}}}"),
        escaped(&format!("{{\"type\":\"{EVIL}\",\"type\":\"{EVIL}\"}}")),
        escaped(&format!("{{\"{EVIL}\":[1,,2]}}")),
        escaped(&format!("{{\"text\":\"{EVIL}")),
    ]
    .join("\n")
}

#[test]
fn no_command_lets_a_log_control_the_terminal() {
    let good = hostile_log();
    let bad = bad_lines();
    let name = if cfg!(unix) { EVIL } else { "evil" };
    let raw =
        file(&format!("raw{name}.jsonl"), format!("{good}{bad}").as_bytes());
    // `select` copies lines byte for byte, except to a terminal: see the next
    // test.
    let tame = file(
        &format!("tame{name}.jsonl"),
        format!("{}{bad}", escaped(&good)).as_bytes(),
    );
    // The command, and how often it must show the escaped text.
    let commands: [(&[&str], usize); 22] = [
        (&["stats"], 10),
        (&["stats", "--peek"], 10),
        (&["stats", "--json"], 10),
        (&["usage"], 1),
        (&["usage", "--by", "session"], 1),
        (&["usage", "--by", "tool"], 1),
        (&["usage", "--by", "day"], 0),
        (&["usage", "--json"], 1),
        (&["show"], 100),
        (&["show", "--full"], 100),
        (&["show", "--width", "40"], 0),
        (&["check"], 10),
        (&["check", "--notes"], 10),
        (&["check", "--notes", "--json"], 10),
        (&["check", "--salvage", "--skip-noise"], 10),
        (&["schema"], 100),
        (&["schema", "--json"], 100),
        (&["normalize"], 100),
        (&["normalize", "--salvage"], 100),
        (&["convert", "--to", "ui"], 10),
        (&["convert", "--to", "wrapper"], 10),
        (&["select"], 100),
    ];
    for (command, at_least) in commands {
        let log = if command == ["select"] { &tame } else { &raw };
        let log = log.to_str().unwrap();
        // With colours, which are then removed: the text is the same.
        let options = ["--color", "always", log, "nowhere\x1b[2J\u{9b}"];
        let output = linetape(&[command, &options].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        for bytes in [&output.stdout, &output.stderr] {
            let shown = without_colours(text(bytes));
            let found = shown.find(|c| is_dangerous(c) && c != '\n');
            let around = found
                .map(|at| shown[at..].chars().take(60).collect::<String>());
            assert_eq!(around, None, "{command:?}");
        }
        let shown = text(&output.stdout);
        let json = shown.matches("\\u001b[2Jx").count();
        let times = json + shown.matches("\\u{1b}[2Jx").count();
        assert!(times >= at_least, "{command:?}: {times}");
    }
}

/// `script` runs a command on a terminal. The test is skipped without it.
#[cfg(target_os = "linux")]
#[test]
fn lines_that_are_copied_to_a_terminal_do_not_control_it() {
    let log = hostile_log();
    let path = file("terminal.jsonl", log.as_bytes());
    let run = |end: &str| {
        let binary = env!("CARGO_BIN_EXE_linetape");
        let command = format!("'{binary}' select '{}'{end}", path.display());
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).stdin(Stdio::null());
        script.output().ok().filter(|output| output.status.success())
    };
    let Some(shown) = run("") else {
        println!("skipped: `script` is not installed");
        return;
    };
    // The terminal converts LF to CRLF.
    let shown = text(&shown.stdout).replace("\r\n", "\n");
    let found = shown.find(|c| is_dangerous(c) && c != '\n');
    assert_eq!(found, None, "{}", shown.escape_debug());
    assert!(shown.matches("\\u{7f}\\u{9b}\\u{61c}\\u{202e}").count() >= 100);
    assert_eq!(shown.lines().count(), log.lines().count());
    // A program gets the bytes. `cat -v` shows DEL as `^?`.
    let piped = run(" | cat -v").unwrap();
    assert!(text(&piped.stdout).contains("^?"));
}

/// `redact` passes on the byte order mark and blank lines. A terminal would show
/// the one as a strange character, and needs neither.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_the_lines_of_a_redacted_log_alone() {
    let log = "\u{feff}\n{\"n\":1}\r\n \r\n\n{\"a\":\"\u{7f}\"} \n{\"n\":2}";
    let path = file("terminal-redact.jsonl", log.as_bytes());
    let binary = env!("CARGO_BIN_EXE_linetape");
    let command = format!("'{binary}' redact '{}'", path.display());
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).stdin(Stdio::null());
    let shown = script.output().ok().filter(|o| o.status.success());
    let Some(shown) = shown else {
        println!("skipped: `script` is not installed");
        return;
    };
    // The terminal converts LF to CRLF.
    let shown = text(&shown.stdout).replace("\r\n", "\n");
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    assert_eq!(lines, ["{\"n\":1}", "{\"a\":\"\\u{7f}\"}", "{\"n\":2}"]);
}
