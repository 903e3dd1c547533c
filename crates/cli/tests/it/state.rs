//! `--state`: runs that go on where the last one ended.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, SystemTime},
};

use linetape_flow::Checkpoints;
use serde_json::{Value, json};

use crate::support::{
    document, file, folder,
    lines::{log, said, words},
    linetape,
    real_logs::exhaustive,
    text,
};

/// A log, and the file of a state that does not exist yet.
fn log_and_state(lines: &[Value]) -> (PathBuf, PathBuf) {
    let path = file("log.jsonl", &log(lines));
    let state = path.with_file_name("the.state");
    _ = fs::remove_file(&state);
    (path, state)
}

pub fn append(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

/// Runs a command with a state.
pub fn with_state(command: &[&str], state: &Path, paths: &[&Path]) -> Output {
    let mut arguments = command.to_vec();
    arguments.extend(["--state", state.to_str().unwrap()]);
    arguments.extend(paths.iter().map(|path| path.to_str().unwrap()));
    linetape(&arguments, b"")
}

/// Runs a command without one.
pub fn without(command: &[&str], paths: &[&Path]) -> Output {
    let paths = paths.iter().map(|path| path.to_str().unwrap());
    linetape(&command.iter().copied().chain(paths).collect::<Vec<_>>(), b"")
}

/// Asserts that a run was refused, and that the state is as before. Returns
/// the message.
fn refused(command: &[&str], state: &Path, paths: &[&Path]) -> String {
    let before = fs::read(state).unwrap();
    let output = with_state(command, state, paths);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout), "");
    assert_eq!(fs::read(state).unwrap(), before);
    text(&output.stderr).to_string()
}

fn call(message: &str, id: &str) -> Value {
    said(message, json!({"type": "tool_use", "id": id, "name": "Read"}))
}

fn answer(id: &str, failed: bool) -> Value {
    json!({"type": "user", "sessionId": "s", "message": {"content": [{
        "type": "tool_result", "tool_use_id": id, "is_error": failed,
    }]}})
}

fn lines() -> [Value; 6] {
    let result = json!({"type": "result", "session_id": "s",
        "total_cost_usd": 0.25, "timestamp": "2026-01-31T10:00:00Z"});
    [
        said("m1", words("Hi")),
        call("m2", "t1"),
        answer("t1", true),
        call("m2", "t2"),
        result,
        said("m1", words("Again")),
    ]
}

/// After each line that is appended, the report is that of the whole log.
#[test]
fn reports_are_of_everything_read_so_far() {
    for command in [
        &["usage", "--json"][..],
        &["usage", "--json", "--by", "tool"],
        &["usage", "--json", "--by", "session"],
        &["usage", "--peek", "--json"],
        &["stats", "--json"],
        &["stats", "--peek", "--json"],
        &["stats", "--skim", "--json"],
    ] {
        let (path, state) = log_and_state(&[]);
        for line in lines() {
            append(&path, &log(&[line]));
            // Also a bad line and an empty one.
            append(&path, b"oops\n\n");
            let output = with_state(command, &state, &[&path]);
            let expected = without(command, &[&path]);
            assert_eq!(document(&output), document(&expected), "{command:?}");
            assert_eq!(output.status, expected.status);
            // Without new lines, it is the same report. `oops` was reported.
            let again = with_state(command, &state, &[&path]);
            assert_eq!(document(&again), document(&expected), "{command:?}");
            assert_eq!(again.status.code(), Some(0));
            assert_eq!(text(&again.stderr), "");
        }
    }
}

/// What is printed may differ from run to run.
#[test]
fn one_state_serves_all_groupings() {
    let (path, state) = log_and_state(&lines());
    for by in ["model", "session", "day", "tool"] {
        let command = ["usage", "--by", by];
        let output = with_state(&command, &state, &[&path]);
        let expected = without(&command, &[&path]);
        assert_eq!(text(&output.stdout), text(&expected.stdout));
    }
}

#[test]
fn select_writes_new_lines_only() {
    let (path, state) = log_and_state(&[]);
    let command = ["select", "--type", "assistant"];
    let mut written = String::new();
    for line in lines() {
        append(&path, &log(&[line]));
        let output = with_state(&command, &state, &[&path]);
        assert_eq!(output.status.code(), Some(0));
        written += text(&output.stdout);
        let again = with_state(&command, &state, &[&path]);
        assert_eq!(text(&again.stdout), "");
    }
    assert_eq!(written, text(&without(&command, &[&path]).stdout));
    assert_eq!(written.lines().count(), 4);
}

/// A result matches by the id of its call, which an earlier run has read.
#[test]
fn select_remembers_the_calls_of_a_tool() {
    let (path, state) = log_and_state(&[call("m", "t1")]);
    let command = ["select", "--tool", "Read"];
    let first = with_state(&command, &state, &[&path]);
    assert_eq!(text(&first.stdout).lines().count(), 1);
    append(&path, &log(&[answer("other", false), answer("t1", false)]));
    let second = with_state(&command, &state, &[&path]);
    assert_eq!(second.stdout, log(&[answer("t1", false)]));

    // Even if the file was moved.
    let one = String::from_utf8(log(&[call("m", "t1")])).unwrap();
    let logs = folder("logs", &[("a.jsonl", &one), ("b/c.jsonl", "")]);
    let state = logs.with_file_name("folder.state");
    _ = fs::remove_file(&state);
    assert_eq!(text(&with_state(&command, &state, &[&logs]).stdout), one);
    fs::rename(logs.join("a.jsonl"), logs.join("b/a.jsonl")).unwrap();
    append(&logs.join("b/a.jsonl"), &log(&[answer("t1", false)]));
    let moved = with_state(&command, &state, &[&logs]);
    assert_eq!(moved.stdout, log(&[answer("t1", false)]));
}

#[test]
fn a_line_without_its_newline_waits_for_the_next_run() {
    let (path, state) = log_and_state(&[said("m1", words("Hi"))]);
    let whole = log(&[said("m2", words("Ho"))]);
    let (half, rest) = whole.split_at(40);
    append(&path, half);
    for command in
        [&["select"][..], &["usage", "--json"], &["stats", "--json"]]
    {
        let state = state.with_extension(command[0]);
        _ = fs::remove_file(&state);
        let output = with_state(command, &state, &[&path]);
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert_eq!(text(&output.stderr), "");
    }
    append(&path, rest);
    let selected =
        with_state(&["select"], &state.with_extension("select"), &[&path]);
    assert_eq!(selected.stdout, whole);
    for command in [&["usage", "--json"][..], &["stats", "--json"]] {
        let state = state.with_extension(command[0]);
        let output = with_state(command, &state, &[&path]);
        let expected = document(&without(command, &[&path]));
        assert_eq!(document(&output), expected, "{command:?}");
    }
}

/// The positions of errors are those in the whole file.
#[test]
fn errors_have_their_line_and_byte() {
    let (path, state) = log_and_state(&lines());
    let size = fs::metadata(&path).unwrap().len();
    for command in ["select", "usage", "stats"] {
        let state = state.with_extension(command);
        _ = fs::remove_file(&state);
        with_state(&[command], &state, &[&path]);
    }
    append(&path, b"{}\noops\n");
    let expected = format!(":8:{}", size + 3);
    for command in [&["select"][..], &["usage"], &["stats", "--json"]] {
        let state = state.with_extension(command[0]);
        let output = with_state(command, &state, &[&path]);
        let shown = match command[0] {
            "stats" => {
                let first = &document(&output)["errors"]["first"][0];
                format!(":{}:{}", first["line"], first["byte"])
            }
            _ => {
                let message = text(&output.stderr);
                let position = format!("line 8 (byte {})", size + 3);
                assert!(message.contains(&position), "{message}");
                expected.clone()
            }
        };
        assert_eq!(shown, expected);
    }
}

#[test]
fn a_file_that_was_truncated_or_replaced_is_read_from_its_start() {
    let shorter = log(&[said("m3", words("New"))]);
    // Longer than before, so that the size does not tell.
    let longer = log(&vec![said("m4", words("New")); 20]);
    for content in [shorter, longer] {
        let (path, state) = log_and_state(&lines());
        with_state(&["select"], &state, &[&path]);
        fs::write(&path, &content).unwrap();
        let output = with_state(&["select"], &state, &[&path]);
        assert_eq!(output.stdout, content);
        assert_eq!(output.status.code(), Some(0));
        let message = text(&output.stderr);
        assert!(message.contains("truncated or replaced"), "{message}");
        // Lines of a log that was rotated were lost without a word.
        assert!(message.contains("are not read"), "{message}");
        // That is saved at once.
        let again = with_state(&["select"], &state, &[&path]);
        assert_eq!(text(&again.stdout), "");
        assert_eq!(text(&again.stderr), "");
    }
    // A file that is empty now is no reason to forget it.
    let (path, state) = log_and_state(&lines());
    with_state(&["select"], &state, &[&path]);
    fs::write(&path, "").unwrap();
    let output = with_state(&["select"], &state, &[&path]);
    assert!(text(&output.stderr).contains("truncated or replaced"));
    fs::write(&path, log(&lines())).unwrap();
    let output = with_state(&["select"], &state, &[&path]);
    assert_eq!(output.stdout, log(&lines()));
}

#[test]
fn new_and_moved_files_of_a_folder_are_found() {
    let one = String::from_utf8(log(&lines())).unwrap();
    let logs = folder("logs", &[("a.jsonl", &one)]);
    let state = logs.with_file_name("the.state");
    _ = fs::remove_file(&state);
    let select = || with_state(&["select"], &state, &[&logs]);
    assert_eq!(text(&select().stdout), one);
    let new = log(&[said("m9", words("New"))]);
    fs::write(logs.join("b.jsonl"), &new).unwrap();
    assert_eq!(select().stdout, new);
    // Codex moves old sessions to another folder.
    fs::create_dir(logs.join("archived")).unwrap();
    fs::rename(logs.join("a.jsonl"), logs.join("archived/a.jsonl")).unwrap();
    assert_eq!(text(&select().stdout), "");
    append(&logs.join("archived/a.jsonl"), &new);
    let output = select();
    assert_eq!(output.stdout, new);
    assert_eq!(text(&output.stderr), "");
    assert_eq!(text(&select().stdout), "");
    let state = state.with_extension("stats");
    _ = fs::remove_file(&state);
    let usage = document(&with_state(&["stats", "--json"], &state, &[&logs]));
    assert_eq!(usage["files"], 2);
}

#[test]
fn a_compressed_file_is_read_once() {
    let path = file("log.jsonl.gz", GZIP);
    let state = path.with_file_name("the.state");
    _ = fs::remove_file(&state);
    let first = with_state(&["select"], &state, &[&path]);
    assert_eq!(text(&first.stdout), "{\"type\":\"user\"}\n");
    let second = with_state(&["select"], &state, &[&path]);
    assert_eq!((text(&second.stdout), second.status.code()), ("", Some(0)));
    // Another member. All is read again: no part of the text is known.
    append(&path, GZIP);
    let third = with_state(&["select"], &state, &[&path]);
    assert_eq!(text(&third.stdout).lines().count(), 2);
    assert!(text(&third.stderr).contains("truncated or replaced"));
    let fourth = with_state(&["select"], &state, &[&path]);
    assert_eq!((text(&fourth.stdout), text(&fourth.stderr)), ("", ""));
}

/// Compresses bytes: one gzip member with one stored block.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let sum = bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| match sum & 1 {
            1 => sum >> 1 ^ 0xEDB8_8320,
            _ => sum >> 1,
        })
    });
    let head = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    let lengths = [length.to_le_bytes(), (!length).to_le_bytes()].concat();
    let tail =
        [(!sum).to_le_bytes(), u32::from(length).to_le_bytes()].concat();
    [&head[..], &lengths, bytes, &tail].concat()
}

/// The totals had the lines of a file twice after it was renamed, rotated or
/// compressed.
#[cfg(unix)]
#[test]
fn a_file_is_counted_once_under_any_name() {
    let user = &long_line();
    let logs = folder("logs", &[("a.jsonl", user)]);
    let state = logs.with_file_name("the.state");
    _ = fs::remove_file(&state);
    let command = ["stats", "--json"];
    let run = || {
        let output = with_state(&command, &state, &[&logs]);
        let report = document(&output);
        assert_eq!(report, document(&without(&command, &[&logs])));
        // Whether all had to be read again.
        let is_anew = text(&output.stderr).contains("all inputs again");
        (report["lines"].as_u64().unwrap(), is_anew)
    };
    let rename = |old: &str, new: &str| {
        fs::rename(logs.join(old), logs.join(new)).unwrap();
    };
    assert_eq!(run(), (1, false));
    rename("a.jsonl", "b.jsonl");
    assert_eq!(run(), (1, false));
    // Rotated, twice.
    rename("b.jsonl", "b.1.jsonl");
    fs::write(logs.join("b.jsonl"), user.repeat(2)).unwrap();
    assert_eq!(run(), (3, false));
    rename("b.1.jsonl", "b.2.jsonl");
    rename("b.jsonl", "b.1.jsonl");
    fs::write(logs.join("b.jsonl"), "{\"type\":\"system\"}\n").unwrap();
    assert_eq!(run(), (4, false));
    // Compressed.
    fs::remove_file(logs.join("b.2.jsonl")).unwrap();
    fs::write(logs.join("b.2.jsonl.gz"), gzip(user.as_bytes())).unwrap();
    assert_eq!(run(), (4, true));
    assert_eq!(run(), (4, false));
    rename("b.2.jsonl.gz", "old.jsonl.gz");
    assert_eq!(run(), (4, false));
    // And back.
    fs::remove_file(logs.join("old.jsonl.gz")).unwrap();
    fs::write(logs.join("old.jsonl"), user).unwrap();
    assert_eq!(run(), (4, true));
    // Renamed and compressed, which was counted twice.
    // It has another inode, since the old file is still there.
    fs::write(logs.join("older.jsonl.gz"), gzip(user.as_bytes())).unwrap();
    fs::remove_file(logs.join("old.jsonl")).unwrap();
    assert_eq!(run(), (4, true));
    assert_eq!(run(), (4, false));
}

/// A line that shows that a file is the same at another path: 64 bytes do.
fn long_line() -> String {
    format!("{{\"type\":\"user\",\"text\":\"{}\"}}\n", "x".repeat(64))
}

/// A log that was restored has another inode, which was not saved: it was read
/// again when it was renamed later.
#[cfg(unix)]
#[test]
fn a_restored_file_is_found_when_it_is_renamed_later() {
    let line = long_line();
    let logs = folder("logs", &[("a.jsonl", &line)]);
    fs::write(logs.join("b.jsonl.gz"), gzip(line.as_bytes())).unwrap();
    let state = logs.with_file_name("the.state");
    _ = fs::remove_file(&state);
    let run = || {
        let output = with_state(&["select"], &state, &[&logs]);
        assert_eq!(text(&output.stderr), "");
        text(&output.stdout).lines().count()
    };
    assert_eq!(run(), 2);
    for (name, new) in [("a.jsonl", "c.jsonl"), ("b.jsonl.gz", "d.jsonl.gz")] {
        let copy = logs.join("copy");
        fs::copy(logs.join(name), &copy).unwrap();
        fs::rename(&copy, logs.join(name)).unwrap();
        assert_eq!(run(), 0, "{name}");
        fs::rename(logs.join(name), logs.join(new)).unwrap();
        assert_eq!(run(), 0, "{name}");
    }
}

/// Few bytes can be the same in a new file, whose first lines were skipped.
#[cfg(unix)]
#[test]
fn a_new_file_with_the_same_short_start_is_read() {
    let user = "{\"type\":\"user\"}\n";
    let logs = folder("logs", &[("a/log.jsonl", user), ("b/x.jsonl", "")]);
    let state = logs.with_file_name("the.state");
    _ = fs::remove_file(&state);
    let run = || with_state(&["select"], &state, &[&logs]).stdout;
    assert_eq!(text(&run()), user);
    // The same name in another folder, while the old one is gone.
    fs::write(logs.join("b/log.jsonl"), user.repeat(2)).unwrap();
    fs::remove_file(logs.join("a/log.jsonl")).unwrap();
    assert_eq!(text(&run()), user.repeat(2));
}

/// Of several files that were moved at once, one had the calls of another.
#[cfg(unix)]
#[test]
fn select_remembers_the_calls_of_files_that_are_rotated() {
    let one = |id: &str| String::from_utf8(log(&[call("m", id)])).unwrap();
    let (a, b) = (one("t1"), one("t2"));
    let logs = folder("logs", &[("a.jsonl", &a), ("b.jsonl", &b)]);
    let state = logs.with_file_name("the.state");
    _ = fs::remove_file(&state);
    let command = ["select", "--tool", "Read"];
    let run = || with_state(&command, &state, &[&logs]).stdout;
    assert_eq!(text(&run()).lines().count(), 2);
    fs::rename(logs.join("b.jsonl"), logs.join("c.jsonl")).unwrap();
    fs::rename(logs.join("a.jsonl"), logs.join("b.jsonl")).unwrap();
    append(&logs.join("b.jsonl"), &log(&[answer("t1", false)]));
    append(&logs.join("c.jsonl"), &log(&[answer("t2", false)]));
    let results = log(&[answer("t1", false), answer("t2", false)]);
    assert_eq!(run(), results);
}

/// A compressed file with the same size and the same start was not read.
#[test]
fn a_compressed_file_that_ends_otherwise_has_changed() {
    let pad = "x".repeat(5000);
    let text_of = |last: &str| format!("{{\"pad\":\"{pad}\"}}\n{last}\n");
    let path = file("pad.jsonl.gz", &gzip(text_of("{\"a\":1}").as_bytes()));
    let state = path.with_file_name("the.state");
    _ = fs::remove_file(&state);
    let run = || {
        let output = with_state(&["select"], &state, &[&path]);
        text(&output.stdout).lines().count()
    };
    assert_eq!((run(), run()), (2, 0));
    fs::write(&path, gzip(text_of("{\"b\":1}").as_bytes())).unwrap();
    assert_eq!((run(), run()), (2, 0));
}

/// One file that could not be read to its end kept the state from being saved
/// at all, so that every run read everything again.
#[test]
fn a_file_that_cannot_be_read_does_not_keep_the_others_from_being_saved() {
    let user = "{\"type\":\"user\"}\n";
    for command in
        [&["select"][..], &["stats", "--json"], &["usage", "--json"]]
    {
        let logs = folder("logs", &[("a.jsonl", user), ("c.jsonl", user)]);
        let broken = [GZIP, &GZIP[..20]].concat();
        fs::write(logs.join("b.jsonl.gz"), broken).unwrap();
        let state = logs.with_file_name("the.state");
        _ = fs::remove_file(&state);
        for is_first in [true, false] {
            let output = with_state(command, &state, &[&logs]);
            // Its lines are read once, and its error is reported once.
            let code = if is_first { 2 } else { 0 };
            assert_eq!(output.status.code(), Some(code), "{output:?}");
            let lines = match command[0] {
                "select" => text(&output.stdout).lines().count(),
                _ => {
                    let expected = document(&without(command, &[&logs]));
                    assert_eq!(document(&output), expected);
                    continue;
                }
            };
            assert_eq!(lines, if is_first { 3 } else { 0 });
        }
        fs::write(logs.join("b.jsonl.gz"), GZIP).unwrap();
        let output = with_state(command, &state, &[&logs]);
        assert_eq!(output.status.code(), Some(0));
        match command[0] {
            // It has changed.
            "select" => assert_eq!(text(&output.stdout), user),
            _ => {
                let expected = document(&without(command, &[&logs]));
                assert_eq!(document(&output), expected);
            }
        }
    }
}

/// The first bytes of what was appended were taken for those of a file: a line
/// that began like a gzip file was an error that ended the input, and a byte
/// order mark was dropped.
#[test]
fn what_is_appended_is_not_the_start_of_a_file() {
    let user = "{\"type\":\"user\"}\n";
    for bytes in [&b"\x1F\x8B\x08"[..], b"\xEF\xBB\xBF"] {
        for command in [&["select"][..], &["stats", "--json"]] {
            let path = file("log.jsonl", user.as_bytes());
            let state = path.with_file_name("the.state");
            _ = fs::remove_file(&state);
            with_state(command, &state, &[&path]);
            append(&path, &[bytes, user.as_bytes()].concat());
            append(&path, user.as_bytes());
            let output = with_state(command, &state, &[&path]);
            let expected = without(command, &[&path]);
            assert_eq!(output.status, expected.status);
            match command[0] {
                "select" => {
                    let whole = [user.as_bytes(), &output.stdout].concat();
                    assert_eq!(whole, expected.stdout);
                }
                _ => {
                    assert_eq!(document(&output)["errors"]["total"], 1);
                    assert_eq!(document(&output), document(&expected));
                }
            }
        }
    }
}

/// The path of a log was stored as it was written, so that a file of the same
/// name in another folder was taken for it.
#[test]
fn paths_are_relative_to_the_current_folder_of_each_run() {
    let user = "{\"type\":\"user\"}\n";
    let logs = folder("logs", &[("a/log.jsonl", user), ("b/log.jsonl", "")]);
    let state = logs.join("the.state");
    let run = |folder: &str, path: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linetape"));
        command.args(["select", "--state"]).arg(&state).arg(path);
        command.current_dir(logs.join(folder)).output().unwrap()
    };
    assert_eq!(text(&run("a", "log.jsonl").stdout), user);
    assert_eq!(text(&run("", "a/log.jsonl").stdout), "");
    let output = run("b", "log.jsonl");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("belongs to"));
}

/// The output was replaced by the state. A run without new lines emptied it.
#[test]
fn select_appends_to_its_output() {
    let (path, state) = log_and_state(&[]);
    let out = path.with_file_name("out");
    _ = fs::remove_file(&out);
    let user = "{\"type\":\"user\"}\n";
    let run = |out: &Path| {
        let command = ["select", "-o", out.to_str().unwrap()];
        with_state(&command, &state, &[&path])
    };
    for count in 1..4 {
        append(&path, user.as_bytes());
        for _ in 0..2 {
            assert_eq!(run(&out).status.code(), Some(0));
            let written = fs::read_to_string(&out).unwrap();
            assert_eq!(written, user.repeat(count));
        }
    }
    // A run that was killed while it wrote.
    append(&out, b"{\"half");
    append(&path, user.as_bytes());
    run(&out);
    let written = fs::read_to_string(&out).unwrap();
    assert!(written.ends_with(&format!("{{\"half\n{user}")), "{written}");

    let before = fs::read(&state).unwrap();
    let output = run(&state);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("the file of the state"));
    assert_eq!(fs::read(&state).unwrap(), before);
}

/// `mktemp` creates an empty file, which was refused.
#[test]
fn an_empty_state_is_a_new_one() {
    let (path, state) = log_and_state(&lines());
    fs::write(&state, "").unwrap();
    let output = with_state(&["select"], &state, &[&path]);
    assert_eq!(output.stdout, log(&lines()));
    assert_eq!(text(&with_state(&["select"], &state, &[&path]).stdout), "");
}

/// The message had the name of the file twice.
#[test]
fn a_state_in_use_is_named_once() {
    let (path, state) = log_and_state(&lines());
    let locked = Checkpoints::open(&state).unwrap();
    let output = with_state(&["select"], &state, &[&path]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert_eq!(message.matches("the.state").count(), 1, "{message}");
    drop(locked);
}

/// `{"type":"user"}` and a newline, stored without compression.
const GZIP: &[u8] = &[
    0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1, 16, 0, 0xEF, 0xFF, b'{', b'"',
    b't', b'y', b'p', b'e', b'"', b':', b'"', b'u', b's', b'e', b'r', b'"',
    b'}', b'\n', 0x2A, 0x3D, 0x45, 0x2B, 16, 0, 0, 0,
];

#[test]
fn a_state_that_is_damaged_or_of_something_else_is_refused() {
    let (path, state) = log_and_state(&lines());
    let usage = &["usage"][..];
    assert_eq!(with_state(usage, &state, &[&path]).status.code(), Some(0));
    let good = fs::read(&state).unwrap();

    for broken in [&b"{}\n"[..], b"{\"type\":\"user\"}\nmore\n"] {
        fs::write(&state, broken).unwrap();
        let message = refused(usage, &state, &[&path]);
        assert!(message.contains("the.state"), "{message}");
    }
    for length in [1, 100, good.len() / 2, good.len() - 1] {
        fs::write(&state, &good[..length]).unwrap();
        refused(usage, &state, &[&path]);
    }
    let mut flipped = good.clone();
    let middle = flipped.len() - 100;
    flipped[middle] ^= 1;
    fs::write(&state, flipped).unwrap();
    refused(usage, &state, &[&path]);

    // Of another program.
    fs::remove_file(&state).unwrap();
    let mut other = Checkpoints::open(&state).unwrap();
    other.set_state("something else");
    other.save().unwrap();
    drop(other);
    let message = refused(usage, &state, &[&path]);
    assert!(message.contains("not a state"), "{message}");

    fs::write(&state, good).unwrap();
    assert_eq!(with_state(usage, &state, &[&path]).status.code(), Some(0));
}

/// The message about an old state did not say what to do.
#[test]
fn the_message_about_an_old_or_damaged_state_says_what_to_do() {
    let (path, state) = log_and_state(&lines());
    for command in ["usage", "stats", "select"] {
        _ = fs::remove_file(&state);
        let run = || with_state(&[command], &state, &[&path]);
        assert_eq!(run().status.code(), Some(0));
        let good = fs::read(&state).unwrap();
        let says_what_to_do = |why: &str| {
            let message = refused(&[command], &state, &[&path]);
            assert!(message.contains(why), "{command}: {message}");
            assert!(message.contains("remove "), "{command}: {message}");
            assert!(message.contains("are read again"), "{message}");
        };
        // Another version of the state of the analysis, if there is one, or
        // of the document of the command.
        let mut other = Checkpoints::open(&state).unwrap();
        let mut bytes = other.take_state();
        let magic = bytes.windows(8).position(|text| text == b"linetape");
        let why = match magic {
            Some(at) if bytes[at + 8..at + 12] == 1u32.to_le_bytes() => {
                bytes[at + 12] ^= 64;
                "another version"
            }
            _ => {
                let text = b"\"version\":2";
                let mut all = bytes.windows(text.len());
                let at = all.position(|part| part == text).unwrap();
                bytes[at + text.len() - 1] = b'7';
                "not a state of this version"
            }
        };
        other.set_state(bytes);
        other.save().unwrap();
        drop(other);
        says_what_to_do(why);

        let text = String::from_utf8_lossy(&good[..100]);
        let at = text.find("\"version\":1").unwrap() + 10;
        let mut later = good.clone();
        later[at] = b'9';
        fs::write(&state, &later).unwrap();
        says_what_to_do("another version");
        fs::write(&state, &good[..good.len() - 1]).unwrap();
        says_what_to_do("damaged");
        fs::remove_file(&state).unwrap();
        assert_eq!(run().status.code(), Some(0), "{command}");
    }
}

#[test]
fn a_state_of_another_command_or_other_options_is_refused() {
    let (path, state) = log_and_state(&lines());
    let other = file("other.jsonl", b"{}\n");
    with_state(&["usage"], &state, &[&path]);
    for (command, paths) in [
        (&["stats"][..], &[&*path][..]),
        (&["select"], &[&path]),
        (&["usage", "--peek"], &[&path]),
        (&["usage", "--salvage"], &[&path]),
        (&["usage", "--skip-noise"], &[&path]),
        (&["usage", "--max-line", "9M"], &[&path]),
        (&["usage"], &[&other]),
        (&["usage"], &[&path, &other]),
    ] {
        let message = refused(command, &state, paths);
        assert!(message.contains("belongs to `linetape usage"), "{message}");
    }
    let selected = state.with_extension("select");
    _ = fs::remove_file(&selected);
    with_state(&["select", "--type", "user"], &selected, &[&path]);
    let message = refused(&["select"], &selected, &[&path]);
    assert!(message.contains("--type user"), "{message}");
}

#[test]
fn two_processes_with_one_state_exclude_each_other() {
    let (path, state) = log_and_state(&lines());
    with_state(&["usage"], &state, &[&path]);
    let held = Checkpoints::open(&state).unwrap();
    let message = refused(&["usage"], &state, &[&path]);
    assert!(message.contains("another process"), "{message}");
    drop(held);
    assert_eq!(
        with_state(&["usage"], &state, &[&path]).status.code(),
        Some(0)
    );
}

#[test]
fn only_files_can_have_a_state() {
    let (path, state) = log_and_state(&lines());
    let run = |paths: &[&str]| {
        let state = state.to_str().unwrap();
        linetape(&[&["usage", "--state", state], paths].concat(), b"{}\n")
    };
    let output = run(&["-"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--state needs files"));
    _ = fs::remove_file(&state);
    assert_eq!(run(&[]).status.code(), Some(2));
    _ = fs::remove_file(&state);
    // The state is not a log, and would be replaced.
    let both = path.to_str().unwrap();
    let output = linetape(&["usage", "--state", both, both], b"");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(&path).unwrap(), log(&lines()));
}

/// Lines that could not be written are written by the next run.
#[cfg(target_os = "linux")]
#[test]
fn lines_that_could_not_be_written_are_not_marked_as_read() {
    let (path, state) = log_and_state(&lines());
    let full = "/dev/full";
    assert!(File::open(full).is_ok());
    let output = with_state(&["select", "-o", full], &state, &[&path]);
    assert_eq!(output.status.code(), Some(2));
    let output = with_state(&["select"], &state, &[&path]);
    assert_eq!(output.stdout, log(&lines()));
}

/// Runs a command that is killed when it has written 64 KiB to one file.
#[cfg(unix)]
pub fn killed(arguments: &[&str]) {
    let output = Command::new("bash")
        .args(["-c", "ulimit -f 64 && exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_linetape"))
        .args(arguments)
        .output()
        .unwrap();
    assert_ne!(output.status.code(), Some(0));
}

/// A file that has been gone for 30 days was never forgotten.
#[test]
fn files_that_are_gone_for_long_are_forgotten() {
    let lines = |id: &str| String::from_utf8(log(&[said(id, words("Hi"))]));
    let (a, b) = (lines("m1").unwrap(), lines("m2").unwrap());
    let logs = folder("gone", &[("a.jsonl", &a), ("b.jsonl", &b)]);
    let state = logs.with_file_name("gone.state");
    _ = fs::remove_file(&state);
    let run = || {
        let output = with_state(&["select"], &state, &[&logs]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let saved = Checkpoints::open(&state).unwrap();
        (text(&output.stdout).lines().count(), saved.iter().count())
    };
    assert_eq!(run(), (2, 2));
    fs::remove_file(logs.join("a.jsonl")).unwrap();
    assert_eq!(run(), (0, 2));
    let days = |count: u64| Duration::from_secs(count * 24 * 60 * 60);
    let note = |time: SystemTime| {
        let mut saved = Checkpoints::open(&state).unwrap();
        saved.note_gone(time);
        saved.save().unwrap();
    };
    note(SystemTime::now() - days(29));
    append(&logs.join("b.jsonl"), b.as_bytes());
    assert_eq!(run(), (1, 2));
    // If it comes back before that, it is not read again.
    fs::write(logs.join("a.jsonl"), &a).unwrap();
    assert_eq!(run(), (0, 2));
    fs::remove_file(logs.join("a.jsonl")).unwrap();
    note(SystemTime::now() - days(31));
    append(&logs.join("b.jsonl"), b.as_bytes());
    assert_eq!(run(), (1, 1));
    fs::write(logs.join("a.jsonl"), a).unwrap();
    assert_eq!(run(), (1, 2));
}

/// The totals had messages of files that were gone.
#[test]
fn totals_have_nothing_of_what_is_gone() {
    let lines = |id: &str| log(&[said(id, words("Hi"))]);
    let one = String::from_utf8(lines("m1")).unwrap();
    for command in [&["usage", "--json"][..], &["stats", "--json"]] {
        let logs = folder("gone", &[("a.jsonl", &one), ("b.jsonl", "")]);
        let state = logs.with_file_name("gone.state");
        _ = fs::remove_file(&state);
        let report = |why: &str| {
            let output = with_state(command, &state, &[&logs]);
            let message = text(&output.stderr);
            let again = "since the last run; reading all inputs again";
            match why {
                "" => assert_eq!(message, "", "{command:?}"),
                _ => assert!(
                    message.contains(&format!("{why} {again}")),
                    "{message}"
                ),
            }
            let expected = document(&without(command, &[&logs]));
            assert_eq!(document(&output), expected, "{command:?} {why}");
        };
        report("");
        fs::write(logs.join("b.jsonl"), lines("m2")).unwrap();
        report("");
        fs::write(logs.join("b.jsonl"), lines("m3")).unwrap();
        report("b.jsonl: truncated or replaced");
        fs::remove_file(logs.join("a.jsonl")).unwrap();
        report("a.jsonl: renamed or removed");
        report("");
    }
}

/// What could not be opened for one run was taken for removed: all was read
/// again when it was back.
#[test]
fn totals_keep_what_cannot_be_opened_for_one_run() {
    let lines = |id: &str| log(&[said(id, words("Hi"))]);
    for command in [&["usage", "--json"][..], &["stats", "--json"]] {
        let one = String::from_utf8(lines("m1")).unwrap();
        let logs = folder("away", &[("in/a.jsonl", &one), ("b.jsonl", &one)]);
        let (inner, named) = (logs.join("in"), logs.join("b.jsonl"));
        let state = logs.join("the.state");
        let run = || with_state(command, &state, &[&inner, &named]);
        let first = document(&run());
        for path in [&inner, &named] {
            let away = logs.join("away");
            fs::rename(path, &away).unwrap();
            let output = run();
            assert_eq!(output.status.code(), Some(2), "{command:?}");
            assert_eq!(text(&output.stderr).lines().count(), 1);
            assert_eq!(document(&output), first, "{command:?}");
            fs::rename(&away, path).unwrap();
            let output = run();
            assert_eq!(text(&output.stderr), "", "{command:?}");
            assert_eq!(document(&output), first);
        }
        append(&inner.join("a.jsonl"), &lines("m2"));
        let expected = without(command, &[&inner, &named]);
        assert_eq!(document(&run()), document(&expected), "{command:?}");
    }
}

/// Changes a folder of logs at random, and remembers all complete lines.
struct Changes {
    logs: PathBuf,
    random: u64,
    lines: usize,
    seen: BTreeSet<String>,
}

impl Changes {
    fn below(&mut self, end: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = self.random.wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % end
    }

    /// Some new lines: of new messages, of earlier ones, and without ids.
    fn news(&mut self) -> Vec<u8> {
        let mut bytes = vec![];
        for _ in 0..=self.below(3) {
            self.lines += 1;
            let id = format!("m{}", self.below(self.lines as u64));
            let mut line = said(&id, words(&format!("{}", self.lines)));
            line["message"]["usage"]["output_tokens"] = json!(self.lines);
            // The last counts of a message are used, wherever they are.
            let (hour, minute) = (self.lines / 60, self.lines % 60);
            line["timestamp"] =
                json!(format!("2026-01-31T{hour:02}:{minute:02}:00Z"));
            if self.below(4) == 0 {
                line = json!({"type": "user", "sessionId": id,
                    "uuid": format!("u{}", self.lines)});
            }
            let line = format!("{line}\n");
            self.seen.insert(line.clone());
            bytes.extend(line.into_bytes());
        }
        bytes
    }

    /// Changes a file, and returns what was done.
    fn change(&mut self) -> String {
        let (name, other) = (self.below(4), self.below(4));
        let plain = self.logs.join(format!("{name}.jsonl"));
        let packed = self.logs.join(format!("{name}.jsonl.gz"));
        let other = self.logs.join(format!("{other}.jsonl"));
        let what = match self.below(9) {
            0 if plain.exists() && plain != other => {
                fs::rename(&plain, other).unwrap();
                "renamed"
            }
            1 if plain.exists() && plain != other => {
                fs::copy(&plain, other).unwrap();
                "copied over"
            }
            2 if plain.exists() => {
                let bytes = fs::read(&plain).unwrap();
                fs::write(packed, gzip(&bytes)).unwrap();
                fs::remove_file(plain).unwrap();
                "compressed"
            }
            3 => {
                let news = self.news();
                fs::write(plain, news).unwrap();
                "truncated"
            }
            4 if packed.exists() => {
                let news = self.news();
                append(&packed, &gzip(&news));
                "a member appended"
            }
            5 => {
                _ = fs::remove_file(packed);
                _ = fs::remove_file(plain);
                "removed"
            }
            _ => {
                let news = self.news();
                let old = fs::read(&plain).unwrap_or_default();
                fs::write(plain, [old, news].concat()).unwrap();
                "appended"
            }
        };
        format!("{name} {what}")
    }
}

/// In any sequence of changes, totals are those of a run without a state, and
/// no line is lost to `select`.
#[test]
fn any_sequence_of_changes_gives_the_right_totals_and_loses_no_line() {
    let seeds = if exhaustive() { 12 } else { 4 };
    for seed in 0..seeds {
        let logs = folder("changes", &[("0.jsonl", "")]);
        let mut changes =
            Changes { logs, random: seed, lines: 0, seen: BTreeSet::new() };
        let state = |command: &str| {
            changes.logs.with_file_name(format!("changes.{command}"))
        };
        let states = ["usage", "stats", "select"].map(state);
        states.iter().for_each(|state| _ = fs::remove_file(state));
        let [usage, stats, select] = &states;
        let mut written = String::new();
        for step in 0..12 {
            let mut done = changes.change();
            if seed % 2 == 1 {
                done = format!("{done}, {}", changes.change());
            }
            for (command, state) in [
                (&["usage", "--json", "--by", "session"][..], usage),
                (&["stats", "--json"], stats),
            ] {
                let output = with_state(command, state, &[&changes.logs]);
                let mut report = document(&output);
                let output = without(command, &[&changes.logs]);
                let mut expected = document(&output);
                // Its order is that of reading.
                for report in [&mut report, &mut expected] {
                    report["links"] = Value::Null;
                }
                assert_eq!(report, expected, "{seed} {step}: {done}");
            }
            let output = with_state(&["select"], select, &[&changes.logs]);
            written += text(&output.stdout);
            let now = without(&["select"], &[&changes.logs]);
            for line in text(&now.stdout).lines() {
                assert!(written.contains(line), "{seed} {step}: {done}");
            }
        }
        let is_known =
            |line: &str| changes.seen.contains(&format!("{line}\n"));
        assert!(written.lines().all(is_known));
    }
}
