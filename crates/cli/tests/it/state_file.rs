//! Which files and arguments `--state` takes.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use crate::{
    state::{with_state, without},
    support::{
        document, file, folder,
        lines::{log, said, words},
        text,
    },
};

const USER: &str = "{\"type\":\"user\"}\n";

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |path: PathBuf| path.file_name().unwrap().to_owned();
    let names = entries.map(|entry| name(entry.unwrap().path()));
    names.map(|name| name.into_string().unwrap()).collect()
}

/// The first run created it as a log of the folder, and only the second run
/// refused it.
#[test]
fn a_state_that_would_be_a_log_of_its_folder_is_refused_at_once() {
    let out = folder("out", &[]);
    let split = ["split", "--by", "type", "-o", out.to_str().unwrap()];
    for command in
        [&["usage"][..], &["stats"], &["select"], &["select", "-f"], &split]
    {
        let logs = folder("logs", &[("a.jsonl", USER)]);
        let state = logs.join("s.jsonl");
        let output = with_state(command, &state, &[&logs]);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert_eq!(text(&output.stdout), "");
        let message = text(&output.stderr);
        let why = "logs: the file of the state is a log in it";
        assert!(message.contains(why), "{message}");
        assert_eq!(names(&logs), ["a.jsonl".to_string()].into());
        assert_eq!(names(&out), BTreeSet::new());
        // Another name is fine.
        if !command.contains(&"-f") {
            let state = logs.join("s.state");
            let output = with_state(command, &state, &[&logs]);
            assert_eq!(output.status.code(), Some(0), "{command:?}");
            _ = fs::remove_dir_all(&out);
            fs::create_dir(&out).unwrap();
        }
    }
}

/// The folder of the agent was not compared with the state: the first run
/// created it as a log of that folder, and only the second run refused it.
#[test]
fn a_state_among_the_logs_of_the_agent_is_refused_at_once() {
    let home = folder("home", &[("projects/p/a.jsonl", USER)]);
    let logs = home.join("projects/p");
    let run = |state: &str| {
        Command::new(env!("CARGO_BIN_EXE_linetape"))
            .args(["usage", "--home", "--state"])
            .arg(logs.join(state))
            .env("CLAUDE_CONFIG_DIR", &home)
            .output()
            .unwrap()
    };
    for state in ["s.jsonl", "s.ndjson", "s.jsonl.gz", "a.jsonl"] {
        let output = run(state);
        assert_eq!(output.status.code(), Some(2), "{state}");
        assert_eq!(text(&output.stdout), "");
        let message = text(&output.stderr);
        let why = "projects: the file of the state is a log in it";
        assert!(message.contains(why), "{message}");
        assert_eq!(names(&logs), ["a.jsonl".to_string()].into());
        assert_eq!(fs::read(logs.join("a.jsonl")).unwrap(), USER.as_bytes());
    }
    for _ in 0..2 {
        assert_eq!(run("s.state").status.code(), Some(0));
    }
}

/// An empty log was taken for a new state, and replaced.
#[test]
fn a_state_that_is_the_input_is_refused() {
    let log = file("empty.log", b"");
    for command in ["usage", "stats", "select"] {
        let output = with_state(&[command], &log, &[&log]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let message = text(&output.stderr);
        assert!(message.contains("the file of the state"), "{message}");
        assert_eq!(fs::read(&log).unwrap(), b"");
    }
}

/// A log or a folder was refused, but had a lock file beside it from then on.
#[test]
fn what_is_not_a_state_gets_no_lock() {
    let logs = folder("logs", &[("a.jsonl", USER), ("b/c.txt", "")]);
    let log = file("log.jsonl", USER.as_bytes());
    for name in ["a.jsonl", "b"] {
        let before = names(&logs);
        let output = with_state(&["usage"], &logs.join(name), &[&log]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert_eq!(names(&logs), before, "{name}");
    }
}

fn used(session: &str, day: &str) -> Vec<u8> {
    let mut line = said(session, words("Hi"));
    line["session_id"] = json!(session);
    if !day.is_empty() {
        line["timestamp"] = json!(format!("{day}T09:00:00Z"));
    }
    log(&[line])
}

/// The rows had the order in which the runs had read the sessions.
#[test]
fn sessions_have_the_same_order_with_and_without_a_state() {
    let logs = folder("logs", &[("z.jsonl", "")]);
    let state = logs.join("the.state");
    _ = fs::remove_file(&state);
    let command = ["usage", "--by", "session", "--json"];
    for (name, session, day) in [
        ("z.jsonl", "b", "2026-01-30"),
        ("y.jsonl", "c", ""),
        ("x.jsonl", "e", "2026-01-29"),
        ("w.jsonl", "d", "2026-01-29"),
        ("v.jsonl", "a", "2026-01-31"),
    ] {
        fs::write(logs.join(name), used(session, day)).unwrap();
        let output = with_state(&command, &state, &[&logs]);
        let expected = without(&command, &[&logs]);
        assert_eq!(text(&output.stdout), text(&expected.stdout), "{name}");
    }
    let report = document(&without(&command, &[&logs]));
    let rows = report["sessions"].as_array().unwrap().iter();
    let order: Vec<&str> =
        rows.map(|row| row["name"].as_str().unwrap()).collect();
    // By their first day, and then by name.
    assert_eq!(order, ["d", "e", "b", "a", "c"]);
}

/// A folder was another one if a link or `..` led to it.
#[cfg(unix)]
#[test]
fn a_folder_is_the_same_by_any_path() {
    let root = folder("root", &[("logs/a.jsonl", USER), ("else/b", "")]);
    std::os::unix::fs::symlink(root.join("logs"), root.join("link")).unwrap();
    let state = root.join("the.state");
    let run = |command: &[&str], from: &str, path: &str| {
        let mut linetape = Command::new(env!("CARGO_BIN_EXE_linetape"));
        linetape.args(command).arg("--state").arg(&state).arg(path);
        linetape.current_dir(root.join(from)).output().unwrap()
    };
    let select = &["select"][..];
    assert_eq!(text(&run(select, ".", "logs").stdout), USER);
    for (from, path) in
        [("else", "../logs"), (".", "link"), ("logs", "."), (".", "logs/")]
    {
        let output = run(select, from, path);
        assert_eq!(text(&output.stderr), "", "{path}");
        // Nothing is read again, though the lines are short.
        assert_eq!(text(&output.stdout), "", "{path}");
    }
}

/// The message named an option that nobody had given, and not what differed.
#[test]
fn a_refusal_says_what_differs() {
    let logs = folder("logs", &[("a.jsonl", USER), ("b.jsonl", USER)]);
    let (a, b) = (logs.join("a.jsonl"), logs.join("b.jsonl"));
    let state = logs.join("the.state");
    let salvage = &["usage", "--salvage"][..];
    with_state(salvage, &state, &[&a]);
    for (command, paths, differs) in [
        (&["usage"][..], &[&*a][..], "this run is without `--salvage`"),
        (&["stats", "--salvage"], &[&a], "this run has `stats` instead of"),
        (&["usage", "--salvage", "--max-line", "9M"], &[&a], "this run adds"),
        (salvage, &[&b], "this run has `"),
        (salvage, &[&a, &b], "this run adds `"),
        (salvage, &[&a, &a], "this run has these in another order or number"),
    ] {
        let output = with_state(command, &state, paths);
        assert_eq!(output.status.code(), Some(2), "{differs}");
        let message = text(&output.stderr);
        assert!(
            message.contains("to `linetape usage --salvage /"),
            "{message}"
        );
        assert!(message.contains(differs), "{message}");
    }
}

/// The lines were written to a file that the state replaced, or the state to
/// one of the files of lines.
#[cfg(unix)]
#[test]
fn an_output_that_is_a_file_of_the_state_is_refused() {
    let log = file("log.jsonl", USER.as_bytes());
    let out = folder("out", &[("user.jsonl", "")]);
    let state = out.join("x");
    let link = out.with_file_name("link");
    _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(&state, &link).unwrap();
    let before = names(&out);
    let assert_refused = |command: &[&str], state: &Path, why: &str| {
        let output = with_state(command, state, &[&log]);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        let message = text(&output.stderr);
        assert!(message.contains(why), "{message}");
        assert_eq!(names(&out), before);
    };
    for end in ["", ".lock", ".tmp"] {
        let output = out.join(format!("x{end}"));
        let output = output.to_str().unwrap();
        let why = format!("x{end}: the output is the file of the state");
        for state in [&state, &link] {
            let by = ["split", "--by", "type", "-o", output];
            for command in [&["select", "-o", output][..], &by] {
                assert_refused(command, state, &why);
            }
        }
    }
    let split = ["split", "--by", "type", "-o", out.to_str().unwrap()];
    let why = "user.jsonl: the file of the state would be an output";
    assert_refused(&split, &out.join("user.jsonl"), why);
    assert_eq!(fs::read(out.join("user.jsonl")).unwrap(), b"");
    let why = "new.jsonl: the file of the state would be an output";
    assert_refused(&split, &out.join("new.jsonl"), why);
    // Another name is fine.
    let output = with_state(&split, &out.join("the.state"), &[&log]);
    assert_eq!(output.status.code(), Some(0));
}
