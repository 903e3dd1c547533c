//! `linetape show`: wrapping, colours, escapes, and output as it arrives.

use std::{
    io::{BufRead, BufReader, Write},
    process::{ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

#[cfg(unix)]
use crate::support::file;
use crate::support::{
    lines::{answer, call, log, printed, said, words},
    linetape, logs, text,
};

/// Returns the rows that `show` prints for a text, without indentation.
fn rows(width: usize, text: &str) -> Vec<String> {
    let log = log(&[said("m1", words(text))]);
    let shown = printed(&["show", "--width", &width.to_string()], &log);
    let lines = shown.lines().skip(3);
    lines.map(|line| line[line.len().min(2)..].to_string()).collect()
}

/// Wraps words in the simplest way.
fn naive_rows(width: usize, text: &str) -> Vec<String> {
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let row = rows.last_mut().unwrap();
        if row.is_empty() {
            row.push_str(word);
        } else if row.len() + 1 + word.len() <= width - 2 {
            *row = format!("{row} {word}");
        } else {
            rows.push(word.to_string());
        }
    }
    rows
}

#[test]
fn lines_are_broken_between_words() {
    for length in (1..120).step_by(3) {
        let word = |at: usize| "abcdefghijk"[..1 + at * 7 % 11].to_string();
        let text: Vec<String> = (0..length).map(word).collect();
        let text = text.join(" ");
        for width in [20, 21, 37, 80] {
            assert_eq!(rows(width, &text), naive_rows(width, &text));
        }
    }
}

#[test]
fn indentation_and_lists_hang_and_long_words_are_cut() {
    let cases = [
        // Code keeps its indentation, on all rows.
        ("    let x = one + two;", vec!["    let x = one +", "    two;"]),
        // But half of the row is left for words.
        (
            "                 a b c d e f g",
            vec!["         a b c d e", "         f g"],
        ),
        ("                 a", vec!["                 a"]),
        ("\tone two three four", vec!["    one two three", "    four"]),
        ("- one two three four", vec!["- one two three", "  four"]),
        (" * one two three four", vec![" * one two three", "   four"]),
        ("10. one two three x", vec!["10. one two three", "    x"]),
        ("2) one two three xyz", vec!["2) one two three", "   xyz"]),
        ("-x one two three four", vec!["-x one two three", "four"]),
        // A split word begins on the current row.
        ("see abcdefghijklmnopqrst", vec!["see abcdefghijklmn", "opqrst"]),
        ("abcdefghijklmnopqr", vec!["abcdefghijklmnopqr"]),
        ("abcdefghijklmnopqr s", vec!["abcdefghijklmnopqr", "s"]),
        ("a    b", vec!["a    b"]),
        ("one two three four    five", vec!["one two three four", "five"]),
        ("one two three fou    five", vec!["one two three fou", "five"]),
    ];
    for (text, expected) in cases {
        assert_eq!(rows(20, text), expected, "{text:?}");
    }
}

/// Terminals count columns, not bytes or characters.
#[test]
fn columns_are_counted() {
    let cases = [
        // Nine wide characters are eighteen columns.
        ("写".repeat(10), vec!["写".repeat(9), "写".into()]),
        ("e\u{301}".repeat(19), {
            vec!["e\u{301}".repeat(18), "e\u{301}".into()]
        }),
        ("❤\u{fe0f}".repeat(10), {
            vec!["❤\u{fe0f}".repeat(9), "❤\u{fe0f}".into()]
        }),
        (format!("a{}", "写".repeat(9)), {
            vec![format!("a{}", "写".repeat(8)), "写".into()]
        }),
    ];
    for (text, expected) in cases {
        assert_eq!(rows(20, &text), expected);
    }
    // An escaped character is as wide as its escape.
    assert_eq!(
        rows(20, "\u{7}bell bell \u{7}bell"),
        [r"\u{7}bell bell", r"\u{7}bell",]
    );
}

#[test]
fn a_width_is_a_number_and_not_too_small() {
    let text = "one two three four five six seven";
    assert_eq!(rows(1, text), rows(20, text));
    assert_eq!(rows(0, text), [text]);
    let long = "word ".repeat(1000);
    assert_eq!(rows(0, &long), [long.trim_end()]);
    let plain = printed(&["show"], &log(&[said("m1", words(&long))]));
    assert!(plain.contains(long.trim_end()), "a pipe has no width");
    for width in ["wide", "-1", "70000"] {
        let output = linetape(&["show", "--width", width], b"");
        assert_eq!(output.status.code(), Some(2), "{width}");
    }
}

#[test]
fn calls_and_results_are_one_line_of_the_width() {
    let long = "0123456789".repeat(20);
    let mut side = said("m1", call("t1", "Bash", json!({ "command": long })));
    let failed = answer("t1", json!(format!("{long}\n{long}")));
    let lines = [side.clone(), failed.clone()];
    let expected = "\
--- session s

Assistant
  > Bash 0123456789012345678901234567...
  < Bash done: 012345678901... [2 lines]
";
    let shown = printed(&["show", "--width", "40"], &log(&lines));
    assert_eq!(shown, expected);
    // A line that fits is not truncated.
    let input = |length: usize| json!({ "command": &long[..length] });
    for (length, row) in [
        (31, "  > Bash 0123456789012345678901234567890"),
        (32, "  > Bash 0123456789012345678901234567..."),
    ] {
        let lines = [said("m1", call("t1", "Bash", input(length)))];
        let shown = printed(&["show", "--width", "40"], &log(&lines));
        assert_eq!(shown.lines().last(), Some(row));
    }
    side["parent_tool_use_id"] = json!("t0");
    side["session_id"] = json!("A session with a long name");
    side["message"]["content"][0]["name"] = json!("tool_with_a_long_name");
    let expected = "\
--- session A ses...

  | Assistant (su...
  |   > tool_with...
";
    let shown = printed(&["show", "--width", "20"], &log(&[side]));
    assert_eq!(shown, expected);
}

/// Returns the escape sequences of a text, without the first and the last
/// character of each.
fn sequences(text: &str) -> Vec<&str> {
    let parts = text.split('\x1b').skip(1);
    parts
        .map(|part| {
            let end = part.find(|c: char| !"[0123456789;".contains(c));
            assert!(part[end.unwrap()..].starts_with('m'), "{part:?}");
            part[1..end.unwrap()].trim_end_matches('m')
        })
        .collect()
}

/// In all logs, lines fit, and colours do not change the text.
#[test]
fn logs_fit_and_every_line_ends_its_colours() {
    let mut painted_lines = 0;
    for path in logs() {
        let path = path.to_str().unwrap();
        for width in [20, 80] {
            let columns = width.to_string();
            let show = |color, full: &[&str]| {
                let options = ["show", "--color", color, "--width", &columns];
                linetape(&[&options, full, &[path]].concat(), b"").stdout
            };
            for full in [&[][..], &["--full"]] {
                let painted = show("always", full);
                let painted = text(&painted);
                let plain = show("never", full);
                let plain = text(&plain);
                assert!(!plain.contains('\x1b'), "{path}");
                let mut stripped = String::new();
                for line in painted.lines() {
                    let colours = sequences(line);
                    let known = ["0", "1", "2", "31", "32", "35", "36"];
                    let odd = colours.iter().find(|c| !known.contains(c));
                    assert_eq!(odd, None, "{line:?}");
                    assert_eq!(*colours.last().unwrap_or(&"0"), "0");
                    painted_lines += usize::from(!colours.is_empty());
                    let mut parts = line.split('\x1b');
                    stripped += parts.next().unwrap();
                    for part in parts {
                        stripped += part.split_once('m').unwrap().1;
                    }
                    stripped += "\n";
                }
                assert!(stripped == plain, "{path}");
                for line in plain.lines() {
                    assert!(line.width() <= width, "{path}: {line:?}");
                    assert_eq!(line, line.trim_end(), "{path}");
                }
            }
        }
    }
    assert!(painted_lines > 100);
}

/// Wrapping loses no text.
#[test]
fn the_text_is_the_same_at_every_width() {
    let rest = |shown: &str| -> String {
        shown.chars().filter(|c| !c.is_whitespace()).collect()
    };
    for path in logs() {
        let path = path.to_str().unwrap();
        let only = linetape(&["select", "--type", "user", path], b"").stdout;
        // Only prompts, since results are folded.
        let prompts = text(&only).lines().filter(|line| {
            !line.contains("tool_") && !line.contains("\"isSidechain\":true")
        });
        let prompts: String = prompts.map(|l| format!("{l}\n")).collect();
        let show = |width: &str| {
            let options = ["show", "--width", width, "-"];
            let output = linetape(&options, prompts.as_bytes());
            rest(text(&output.stdout))
        };
        let whole = show("0");
        for width in ["60", "133"] {
            assert!(show(width) == whole, "{path}");
        }
    }
}

/// All characters that control a terminal, or the direction of text.
fn dangerous() -> impl Iterator<Item = char> {
    let ranges = [
        0x00..=0x1f,
        0x7f..=0x9f,
        0x61c..=0x61c,
        0x200e..=0x200f,
        0x2028..=0x202e,
        0x2066..=0x2069,
    ];
    ranges.into_iter().flatten().filter_map(char::from_u32)
}

/// A log with `e` in every string that is shown.
fn hostile(e: &str) -> Vec<u8> {
    let mut side = said("m", words(e));
    side["parent_tool_use_id"] = json!("t1");
    let mut agent = said("m", words("x"));
    agent["isSidechain"] = json!(true);
    agent["agentId"] = json!(e);
    let found = json!([{ "title": e, "url": e }]);
    let block = |kind: &str, content: Value| json!({ "type": kind, "tool_use_id": "t2", "content": content });
    let task = json!({ "prompt": e, "description": e, "subagent_type": e });
    let mut lines = vec![
        json!({ "type": "system", "subtype": "init", "model": e }),
        json!({ "type": "user", "timestamp": e, "message": { "content": e } }),
        said("m", words(&format!("a{e}b\na{e}b"))),
        said("m", json!({ "type": "thinking", "thinking": e })),
        said("m", call("t1", e, task)),
        side,
        agent,
        said("m", call("t2", "Read", json!({ e: e }))),
        said("m", call("t3", "Read", json!({ "list": [e, { e: 1 }] }))),
        said("m", call("t4", "Read", json!(e))),
        answer("t1", json!(format!("a{e}b"))),
        answer("t2", json!({ e: e })),
        answer("t3", json!([{ "type": e }])),
        said("m", block("web_search_tool_result", found)),
        said("m", block("web_search_tool_result", json!({ "error_code": e }))),
        said("m", block("code_execution_tool_result", json!({ "stdout": e }))),
        said("m", json!({ "type": e })),
        json!({ "type": "assistant", "subtype": "tool_use", "toolName": e,
                "toolArguments": { e: e } }),
        json!({ "type": "system", "subtype": "tool_result", "message": e }),
        json!({ "type": "system", "subtype": "error", "message": e }),
        json!({ "type": "compact_system", "message": e }),
        json!({ "type": "error", "error": { "message": e } }),
        json!({ "type": "result", "subtype": e, "errors": [e] }),
    ];
    for line in &mut lines {
        line["session_id"] = json!(e);
    }
    for event in ["TextChunk", "Display", "System", "Error"] {
        let says = json!({ "text": e, "content": e, "message": e });
        lines.push(json!({ event: says }));
    }
    let call = json!({ "tool_name": e, "input": { e: e } });
    lines.push(json!({ "ToolExecuting": call }));
    lines.push(json!({ "ToolCompleted": { "result": e } }));
    lines.push(json!({ "session_id": 1, "content": e, "turn_id": {} }));
    log(&lines)
}

#[test]
fn no_dangerous_character_is_printed_in_any_position() {
    for c in dangerous().filter(|&c| c != '\n') {
        // With letters around it: `show` trims text.
        let log = hostile(&format!("x{c}y"));
        for (color, option) in [
            ("never", "--full"),
            ("never", "--width=60"),
            ("always", "--width=0"),
        ] {
            let options = ["show", "--color", color, option, "-"];
            let output = linetape(&options, &log);
            assert_eq!(text(&output.stderr), "");
            let shown = text(&output.stdout);
            sequences(shown);
            let allowed =
                |d: char| d == '\n' || (d == '\x1b' && color == "always");
            let bad = dangerous().find(|&d| !allowed(d) && shown.contains(d));
            assert_eq!(bad, None, "{options:?}: {shown:?}");
            // It is shown, but escaped. A tab is shown as spaces.
            let times = format!("x{}y", c.escape_default());
            let mut times = shown.matches(&times).count();
            if c == '\t' {
                times += shown.matches("x    y").count();
            }
            assert!(times >= 20, "{options:?} {c:?}: {times}\n{shown}");
        }
    }
}

#[test]
fn a_name_cannot_begin_a_line() {
    let log = hostile("x\nforged");
    for option in ["--full", "--raw", "--width=0"] {
        let shown = printed(&["show", option], &log);
        let forged = shown.lines().find(|line| line.starts_with("forged"));
        assert_eq!(forged, None, "{shown}");
        assert!(shown.contains(r"--- session x\nforged"), "{shown}");
    }
}

#[test]
fn raw_strings_are_printed_as_they_are() {
    let e = "\x1b[1mbold\x1b[0m \u{202e}left\u{9b}2J\u{7}";
    let log = hostile(e);
    let shown = printed(&["show", "--raw", "--color", "never"], &log);
    assert!(shown.matches(e).count() >= 25, "{shown:?}");
    assert!(!shown.contains(r"\u{"), "{shown:?}");
    // There are no other escape sequences.
    let own = shown.replace(e, "");
    assert!(!own.replace("\x1b[1mbold", "").contains("\x1b["), "{own:?}");
    let painted = printed(&["show", "--raw", "--color", "always"], &log);
    assert!(painted.contains("\x1b[1m\x1b[35mAssistant\x1b[0m"), "{painted}");
    assert!(painted.matches(e).count() >= 25, "{painted:?}");
}

/// Starts `show`. Returns its standard input, and a channel of its lines.
fn live() -> (ChildStdin, Receiver<String>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_linetape"))
        .args(["show", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take());
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout.unwrap()).lines() {
            _ = sender.send(line.unwrap());
        }
        child.wait().unwrap();
    });
    (stdin, receiver)
}

#[test]
fn input_from_a_pipe_is_shown_at_once() {
    let (mut stdin, shown) = live();
    let next = || shown.recv_timeout(Duration::from_secs(60)).unwrap();
    let hi = said("m1", words("Hi"));
    // One line, and the first half of the next.
    stdin.write_all(format!("{hi}\n{{\"type\":").as_bytes()).unwrap();
    assert_eq!(
        [next(), next(), next(), next()],
        ["--- session s", "", "Assistant", "  Hi",]
    );
    stdin.write_all(b"\"error\",\"error\":{\"message\":\"No\"}}\n").unwrap();
    assert_eq!([next(), next(), next()], ["", "Error", "  No"]);
    // Of chunks, the lines that are complete.
    let chunk = |text| json!({ "TextChunk": { "text": text } });
    let pieces = log(&[chunk("\nGood "), chunk("day.\n\nHow")]);
    stdin.write_all(&pieces).unwrap();
    assert_eq!([next(), next(), next()], ["", "Assistant", "  Good day."]);
    let pieces = log(&[chunk(" are you?\n"), chunk("\n \n")]);
    stdin.write_all(&pieces).unwrap();
    assert_eq!([next(), next()], ["", "  How are you?"]);
    drop(stdin);
    let end = shown.recv_timeout(Duration::from_secs(60));
    assert!(end.is_err(), "{end:?}");
}

/// If both streams are the same file, they are in the order of the log.
#[cfg(unix)]
#[test]
fn a_bad_line_is_reported_after_the_text_before_it() {
    let lines = [said("m1", words("One")), said("m2", words("Two"))];
    let [one, two] = lines.map(|line| log(&[line]));
    let path = file("show_bad.jsonl", &[&one, &b"oops\n"[..], &two].concat());
    let (command, path) = (env!("CARGO_BIN_EXE_linetape"), path.display());
    // A file is read twice, so its errors come first.
    let script = format!("'{command}' show - < '{path}' 2>&1");
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let shown = text(&output.stdout);
    let places = ["One", "oops", "Two"].map(|word| shown.find(word).unwrap());
    assert!(places.is_sorted(), "{shown}");
}
