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
        let output = self.run();
        assert_eq!(text(&output.stderr), "");
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

/// A run that was killed has left half a line, which the next one removes. It
/// writes all lines again, and none is lost.
#[cfg(unix)]
#[test]
fn the_lines_of_a_run_that_was_killed_are_written_again() {
    let old = "{\"old\":1}\n";
    let paths = Paths::new(&line(0), &[("t0.jsonl", old)]);
    paths.assert_runs();
    append(&paths.log, (1..3000).map(line).collect::<String>().as_bytes());
    killed(&paths.arguments());
    let torn = paths.of("t1");
    assert!(torn.len() == 64 << 10 && !torn.ends_with('\n'));
    let whole = &torn[..torn.rfind('\n').unwrap() + 1];
    let output = paths.run();
    assert_eq!(output.status.code(), Some(0));
    let removed = format!("{} bytes removed", torn.len() - whole.len());
    assert!(text(&output.stderr).contains(&removed), "{output:?}");
    assert!(paths.of("t1") == whole.to_string() + &lines(1, 0..3000));
    let expected = old.to_string() + &lines(0, 0..3000);
    assert!(paths.of("t0") == expected);
    paths.assert_runs();
}

/// Lines that others had appended after a run were removed by the next one.
#[test]
fn lines_of_others_stay_after_a_run_that_has_ended() {
    let paths = Paths::new(&(line(0) + &line(1)), &[]);
    paths.assert_runs();
    append(&paths.path("t0"), b"{\"other\":1}\n");
    paths.assert_runs();
    append(&paths.log, line(2).as_bytes());
    paths.assert_runs();
    let expected = line(0) + "{\"other\":1}\n" + &line(2);
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
