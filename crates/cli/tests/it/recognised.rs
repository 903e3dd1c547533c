//! Which logs `--state` recognises between two runs, and which it does not.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use linetape_flow::Checkpoints;

use crate::{
    state::{gzip, with_state},
    support::{document, folder, text},
};

/// A folder of logs, and what all runs so far have written.
struct Logs {
    folder: PathBuf,
    state: PathBuf,
    written: String,
}

impl Logs {
    fn new() -> Logs {
        let folder = folder("logs", &[]);
        let state = folder.with_file_name("recognised.state");
        _ = fs::remove_file(&state);
        Logs { folder, state, written: String::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a log in place, or in a new file if there is none.
    fn write(&self, name: &str, text: &str) {
        let bytes = match name.ends_with(".gz") {
            true => gzip(text.as_bytes()),
            false => text.as_bytes().to_vec(),
        };
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Writes a log in a new file, which replaces the one at its path.
    fn replace(&self, name: &str, text: &str) {
        self.write("new.tmp", text);
        self.rename("new.tmp", name);
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    fn run(&mut self) {
        let output = with_state(&["select"], &self.state, &[&self.folder]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        self.written += text(&output.stdout);
    }

    /// Returns how often the first line of some lines was written.
    fn count(&self, lines: &str) -> usize {
        let first = lines.lines().next().unwrap();
        self.written.lines().filter(|line| *line == first).count()
    }
}

/// Lines with more bytes than the start of a log that is compared.
fn lines(name: &str) -> String {
    let line = |n| format!("{{\"type\":\"user\",\"{name}\":{n}}}\n");
    (0..300).map(line).collect()
}

/// A log was taken for one that was gone if it began with the same line, or
/// had the same content: its lines were lost.
#[test]
fn a_new_log_is_not_one_that_is_gone() {
    let header = format!("{{\"header\":\"{}\"}}\n", "x".repeat(60));
    for (old, new) in [
        (header.clone(), header.clone() + &lines("new")),
        (lines("same"), lines("same")),
    ] {
        let mut logs = Logs::new();
        logs.write("a.jsonl", &old);
        logs.write("other.jsonl", "{}\n");
        logs.run();
        // Before the old one is removed: it would get its inode.
        logs.write("b.away", &new);
        logs.remove("a.jsonl");
        logs.run();
        logs.rename("b.away", "b.jsonl");
        logs.run();
        assert_eq!(logs.count(&old), 2);
        assert!(logs.written.ends_with(&new));
    }
}

/// A log that is away for a run is read on when it comes back. If another log
/// was at its path meanwhile, it is read again.
#[test]
fn a_log_that_is_away_for_a_run_is_read_once() {
    for has_next in [false, true] {
        let mut logs = Logs::new();
        let (a, b) = (lines("a"), lines("b"));
        logs.write("log.jsonl", &a);
        logs.write("other.jsonl", "{}\n");
        logs.run();
        logs.rename("log.jsonl", "a.away");
        if has_next {
            logs.write("log.jsonl", &b);
        }
        logs.run();
        logs.rename("a.away", "log.1.jsonl");
        logs.run();
        assert_eq!(logs.count(&a), if has_next { 2 } else { 1 });
        assert_eq!(logs.count(&b), usize::from(has_next));
    }
}

/// A small log whose file was replaced was read on from its old place, so that
/// its first line was lost.
#[test]
fn a_small_log_that_is_replaced_is_read_again() {
    let mut logs = Logs::new();
    let (first, second) = ("{\"n\":1}\n", "{\"n\":2}\n");
    logs.write("a.jsonl", first);
    logs.run();
    logs.replace("a.jsonl", &(first.to_string() + second));
    logs.run();
    assert_eq!([first, second].map(|line| logs.count(line)), [2, 1]);
}

/// The number of files grew with each one that replaced another one, also if
/// that was empty.
#[test]
fn a_file_that_is_replaced_counts_once() {
    let logs = Logs::new();
    let files = || {
        let command = ["stats", "--json"];
        let output = with_state(&command, &logs.state, &[&logs.folder]);
        document(&output)["files"].as_u64().unwrap()
    };
    logs.write("a.jsonl", "");
    assert_eq!(files(), 1);
    for n in 0..4 {
        logs.replace("a.jsonl", &lines(&format!("a{n}")));
        assert_eq!(files(), 1);
    }
    // Rotated.
    logs.write("b.jsonl", "");
    assert_eq!(files(), 2);
    logs.rename("b.jsonl", "b.1.jsonl");
    logs.write("b.jsonl", &lines("b"));
    assert_eq!(files(), 3);
}

/// A result was matched with a call that was only in the old content.
#[test]
fn the_calls_of_content_that_is_gone_are_forgotten() {
    let call = "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\
                \"tool_use\",\"id\":\"t1\",\"name\":\"Read\"}]}}\n";
    let result = "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\
                  \"tool_result\",\"tool_use_id\":\"t1\"}]}}\n";
    let logs = Logs::new();
    let select = || {
        let command = ["select", "--tool", "Read"];
        let output = with_state(&command, &logs.state, &[&logs.folder]);
        text(&output.stdout).to_string()
    };
    logs.write("a.jsonl", call);
    assert_eq!(select(), call);
    logs.write("a.jsonl", result);
    assert_eq!(select(), "");
}

/// The calls of files that were forgotten stayed in the state for ever.
#[test]
fn the_calls_of_files_that_are_forgotten_are_removed() {
    let call = "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\
                \"tool_use\",\"id\":\"t1\",\"name\":\"Read\"}]}}\n";
    let logs = Logs::new();
    let select = || {
        let command = ["select", "--tool", "Read"];
        with_state(&command, &logs.state, &[&logs.folder]);
        let saved = fs::read(&logs.state).unwrap();
        String::from_utf8_lossy(&saved).matches("\"t1\"").count()
    };
    logs.write("a.jsonl", call);
    logs.write("b.jsonl", "{}\n");
    assert_eq!(select(), 1);
    logs.remove("a.jsonl");
    logs.write("b.jsonl", "{}\n{}\n");
    assert_eq!(select(), 1);
    let mut saved = Checkpoints::open(&logs.state).unwrap();
    let days = |count: u64| Duration::from_secs(count * 24 * 60 * 60);
    saved.note_gone(SystemTime::now() - days(31));
    saved.save().unwrap();
    drop(saved);
    for text in ["{}\n{}\n{}\n", "{}\n{}\n{}\n{}\n"] {
        logs.write("b.jsonl", text);
        select();
    }
    assert_eq!(select(), 0);
}
