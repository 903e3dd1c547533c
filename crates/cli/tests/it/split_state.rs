//! `linetape split --state`.

use std::{collections::BTreeMap, fs, path::PathBuf, process::Output};

#[cfg(unix)]
use crate::state::killed;
use crate::{
    split::files,
    state::append,
    support::{file, folder, linetape, text},
};

/// Each run read all lines again.
#[test]
fn with_a_state_each_line_is_written_once() {
    let lines: Vec<String> = (0..9)
        .map(|n| format!("{{\"type\":\"t{}\",\"n\":{n}}}\n", n % 2))
        .collect();
    let log = file("log.jsonl", lines[..3].concat().as_bytes());
    let (state, append) = (log.with_file_name("the.state"), |text: &str| {
        let before = fs::read_to_string(&log).unwrap();
        fs::write(&log, before + text).unwrap();
    });
    _ = fs::remove_file(&state);
    let old = "{\"old\":1}\n";
    let out = folder("out", &[("t0.jsonl", old), ("other.jsonl", old)]);
    let run = |by: &str| {
        let [out, state, log] = [&out, &state, &log].map(|p| p.to_str());
        linetape(
            &[
                "split",
                "--by",
                by,
                "--state",
                state.unwrap(),
                "-o",
                out.unwrap(),
                log.unwrap(),
            ],
            b"",
        )
    };
    let assert_has = |count: usize| {
        let output = run("type");
        assert_eq!(text(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
        let of = |kind: usize| -> String {
            let lines = lines[..count].iter().enumerate();
            let lines = lines.filter(|(n, _)| n % 2 == kind);
            lines.map(|(_, line)| line.as_str()).collect()
        };
        let expected = [
            ("other.jsonl", old.to_string()),
            ("t0.jsonl", old.to_string() + &of(0)),
            ("t1.jsonl", of(1)),
        ];
        let expected =
            expected.map(|(name, text)| (name.to_string(), text.into_bytes()));
        assert_eq!(files(&out), BTreeMap::from(expected), "{count}");
    };
    assert_has(3);
    assert_has(3);
    append(&lines[3..6].concat());
    append("{\"type\":\"t0\"");
    assert_has(6);
    let whole = lines.concat();
    fs::write(&log, &whole).unwrap();
    assert_has(9);
    let output = run("session");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("belongs to"));
}

/// A log, a state that does not exist yet, and an output folder.
struct Paths {
    log: PathBuf,
    state: PathBuf,
    out: PathBuf,
}

impl Paths {
    fn new(log: &str, out: &[(&str, &str)]) -> Paths {
        let log = file("split.jsonl", log.as_bytes());
        let state = log.with_file_name("split.state");
        _ = fs::remove_file(&state);
        Paths { log, state, out: folder("out", out) }
    }

    fn arguments(&self) -> [&str; 8] {
        let [log, state, out] =
            [&self.log, &self.state, &self.out].map(|p| p.to_str().unwrap());
        ["split", "--by", "type", "--state", state, "-o", out, log]
    }

    fn run(&self) -> Output {
        linetape(&self.arguments(), b"")
    }

    fn assert_runs(&self) {
        self.assert_runs_and_removes(None);
    }

    fn assert_runs_and_removes(&self, bytes: Option<usize>) {
        let output = self.run();
        let message = bytes.map_or(String::new(), |bytes| {
            format!(
                "linetape: {}: {bytes} bytes removed from its end: written \
                 since an interrupted run began, or an incomplete line\n",
                self.path("t0").display()
            )
        });
        assert_eq!(text(&output.stderr), message);
        assert_eq!(output.status.code(), Some(0));
    }

    fn of(&self, kind: &str) -> String {
        fs::read_to_string(self.path(kind)).unwrap()
    }

    fn path(&self, kind: &str) -> PathBuf {
        self.out.join(format!("{kind}.jsonl"))
    }
}

/// Lines of two types in turn, with more than 64 KiB of each.
fn line(n: usize) -> String {
    let pad = "x".repeat(90);
    format!("{{\"type\":\"t{}\",\"n\":{n},\"pad\":\"{pad}\"}}\n", n % 2)
}

fn lines(kind: usize, numbers: std::ops::Range<usize>) -> String {
    numbers.filter(|n| n % 2 == kind).map(line).collect()
}

/// What a run that was killed has written was in the files twice, and its last
/// line was cut.
#[cfg(unix)]
#[test]
fn the_files_of_a_run_that_was_killed_are_repaired() {
    let old = "{\"old\":1}\n";
    for before in [0, 10] {
        let text: String = (0..before).map(line).collect();
        let paths = Paths::new(&text, &[("t0.jsonl", old)]);
        if before > 0 {
            paths.assert_runs();
        }
        // Not of a run, so it is kept, also if the run adds the newline.
        let end = if before > 0 { "" } else { "\n" };
        let other = format!("{{\"other\":1}}{end}");
        append(&paths.path("t0"), other.as_bytes());
        let text: String = (before..3000).map(line).collect();
        append(&paths.log, text.as_bytes());
        killed(&paths.arguments());
        let torn = paths.of("t0");
        assert!(torn.len() == 64 << 10 && !torn.ends_with('\n'));
        let kept = torn.find(&other).unwrap() + other.len();
        for removed in [Some(torn.len() - kept), None] {
            paths.assert_runs_and_removes(removed);
            let expected = [
                old,
                &lines(0, 0..before),
                "{\"other\":1}\n",
                &lines(0, before..3000),
            ];
            assert!(paths.of("t0") == expected.concat(), "{before}");
            assert!(paths.of("t1") == lines(1, 0..3000), "{before}");
        }
    }
}

/// The lines of an input that was removed after the run was killed were
/// removed, too.
#[cfg(unix)]
#[test]
fn lines_that_cannot_be_read_again_stay() {
    let paths = Paths::new(&(0..3000).map(line).collect::<String>(), &[]);
    killed(&paths.arguments());
    let written = paths.of("t0");
    fs::write(&paths.log, line(3000)).unwrap();
    let output = paths.run();
    assert_eq!(output.status.code(), Some(0));
    let message = text(&output.stderr);
    assert!(message.contains("split.jsonl: missing, unreadable or changed"));
    let torn = written.rfind('\n').unwrap() + 1;
    let message_of_torn = format!("{} bytes removed", written.len() - torn);
    assert!(message.contains(&message_of_torn), "{message}");
    assert_eq!(paths.of("t0"), written[..torn].to_string() + &line(3000));
}

/// Lines that others had appended after a run were removed by the next one.
#[test]
fn lines_of_others_stay_after_a_run_that_has_ended() {
    let paths = Paths::new(&(line(0) + &line(1)), &[]);
    paths.assert_runs();
    append(&paths.path("t0"), b"{\"other\":1}\n{\"half\":");
    paths.assert_runs();
    append(&paths.log, line(2).as_bytes());
    paths.assert_runs();
    let expected = line(0) + "{\"other\":1}\n{\"half\":\n" + &line(2);
    assert_eq!(paths.of("t0"), expected);
    // To which nothing is written now.
    append(&paths.path("t1"), b"{\"other\":2}\n");
    append(&paths.log, line(4).as_bytes());
    paths.assert_runs();
    assert_eq!(paths.of("t1"), line(1) + "{\"other\":2}\n");
    assert_eq!(paths.of("t0"), expected + &line(4));
}

/// Once a file was moved away, every run failed.
#[test]
fn a_file_that_is_gone_begins_anew() {
    let paths = Paths::new(&(line(0) + &line(1)), &[]);
    paths.assert_runs();
    fs::remove_file(paths.path("t0")).unwrap();
    paths.assert_runs();
    append(&paths.log, (line(2) + &line(3)).as_bytes());
    paths.assert_runs();
    assert_eq!(paths.of("t0"), line(2));
    assert_eq!(paths.of("t1"), line(1) + &line(3));
    // All of them, and the folder.
    fs::remove_dir_all(&paths.out).unwrap();
    append(&paths.log, line(4).as_bytes());
    paths.assert_runs();
    let expected = ("t0.jsonl".to_string(), line(4).into_bytes());
    assert_eq!(files(&paths.out), BTreeMap::from([expected]));
}

/// The message had neither the file nor a remedy.
#[test]
fn a_file_that_is_shorter_than_before_is_named() {
    let paths = Paths::new(&(line(0) + &line(1)), &[]);
    paths.assert_runs();
    fs::write(paths.path("t1"), "{}\n").unwrap();
    append(&paths.log, line(2).as_bytes());
    let output = paths.run();
    assert_eq!(output.status.code(), Some(2));
    let size = line(1).len();
    let why = format!(
        "t1.jsonl: 3 bytes, but the last run left {size}; restore the file, \
         or move it away to begin a new one"
    );
    assert!(text(&output.stderr).contains(&why), "{output:?}");
    assert_eq!(paths.of("t0"), line(0));
    // The remedy.
    fs::rename(paths.path("t1"), paths.out.join("kept")).unwrap();
    paths.assert_runs();
    assert_eq!(paths.of("t0"), line(0) + &line(2));
}
