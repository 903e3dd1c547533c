//! The output of `linetape select --state` and `split --state` after a run that
//! was killed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    state::{append, gzip, killed},
    support::{file, folder, linetape, text},
};

fn line(n: usize) -> String {
    format!("{{\"n\":{n},\"t\":\"{}\"}}\n", "x".repeat(90))
}

/// More lines than can be written before the run is killed.
fn lines() -> String {
    (0..3000).map(line).collect()
}

fn packed(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(60_000).flat_map(gzip).collect()
}

/// A run of a command, with a new state.
struct Run {
    state: PathBuf,
    /// The file that the lines go to.
    out: PathBuf,
    arguments: Vec<String>,
}

impl Run {
    fn select(input: &Path) -> Run {
        let out = input.with_file_name("killed.out");
        _ = fs::remove_file(&out);
        Run::new(&["select"], input, &out, out.clone())
    }

    /// All lines must be without a type.
    fn split(input: &Path) -> Run {
        let folder = folder("killed", &[]);
        let out = folder.join("_none.jsonl");
        Run::new(&["split", "--by", "type"], input, &folder, out)
    }

    fn new(command: &[&str], input: &Path, to: &Path, out: PathBuf) -> Run {
        let state = input.with_file_name("killed.state");
        _ = fs::remove_file(&state);
        let [from, at, to] =
            [input, &state, to].map(|path| path.to_str().unwrap());
        let options = ["--state", at, "-o", to, from];
        let arguments = [command, &options].concat();
        let arguments = arguments.into_iter().map(str::to_string).collect();
        Run { state, out, arguments }
    }

    /// Runs the command until it is killed, and returns what it has written.
    fn kill(&self, options: &[&str]) -> String {
        killed(&[&self.arguments(), options].concat());
        assert!(self.state.exists());
        let torn = self.written();
        assert!(torn.len() == 64 << 10 && !torn.ends_with('\n'));
        torn
    }

    /// Runs the command, and returns its messages.
    fn again(&self) -> String {
        let output = linetape(&self.arguments(), b"");
        text(&output.stderr).to_string()
    }

    fn arguments(&self) -> Vec<&str> {
        self.arguments.iter().map(String::as_str).collect()
    }

    fn written(&self) -> String {
        fs::read_to_string(&self.out).unwrap()
    }
}

/// Returns the complete lines.
fn whole(torn: &str) -> &str {
    &torn[..torn.rfind('\n').unwrap() + 1]
}

/// A run that was killed left half a line in the output for good, and its lines
/// twice.
#[test]
fn the_output_of_a_run_that_was_killed_is_repaired() {
    let lines = lines();
    for (is_followed, is_lost) in
        [(false, false), (false, true), (true, false)]
    {
        let path = file("big.jsonl", lines.as_bytes());
        let run = Run::select(&path);
        // The user's own line has no newline.
        fs::write(&run.out, "{\"own\":1}").unwrap();
        let torn = run.kill(if is_followed { &["-f"] } else { &[] });
        if is_lost {
            // Its lines cannot be read again.
            fs::write(&path, "").unwrap();
        }
        run.again();
        let expected = match (is_followed, is_lost) {
            (_, true) => whole(&torn).to_string(),
            (true, _) => format!("{}{lines}", whole(&torn)),
            (false, _) => format!("{{\"own\":1}}\n{lines}"),
        };
        assert!(run.written() == expected, "{is_followed} {is_lost}");
        // A run that has ended: what others append stays.
        append(&run.out, b"{\"other\":1}\n{\"half\":");
        fs::write(&path, lines.clone() + &line(3000)).unwrap();
        run.again();
        let written = run.written();
        assert!(written.contains("{\"other\":1}\n{\"half\":\n"));
        assert!(written.ends_with(&line(3000)));
    }
}

/// The lines of a log that was renamed or compressed after the run was killed,
/// or that was compressed before, were in the output twice.
#[test]
fn the_output_of_a_killed_run_is_repaired_if_its_log_was_moved() {
    let lines = lines();
    for (before, after) in [
        ("a.jsonl", "a.1.jsonl"),
        ("a.jsonl", "a.1.jsonl.gz"),
        ("a.jsonl.gz", "a.jsonl.gz"),
        ("a.jsonl.gz", "a.1.jsonl.gz"),
    ] {
        let logs = folder("logs", &[]);
        let write = |name: &str| {
            let bytes = match name.ends_with("gz") {
                true => packed(&lines),
                false => lines.clone().into_bytes(),
            };
            fs::write(logs.join(name), bytes).unwrap();
        };
        write(before);
        let run = Run::select(&logs);
        let torn = run.kill(&[]);
        // A plain log is recognised by its inode, which a file that is written
        // anew has only by chance.
        fs::rename(logs.join(before), logs.join(after)).unwrap();
        if before.ends_with("gz") != after.ends_with("gz") {
            fs::remove_file(logs.join(after)).unwrap();
            write(after);
        }
        let expected = format!("{} bytes removed", torn.len());
        let message = run.again();
        assert!(message.contains(&expected), "{before} {after}: {message}");
        assert!(run.written() == lines, "{before} {after}");
    }
}

/// Lines were removed from the output although this run did not read them
/// again: another file hid the archive that they were in.
#[test]
fn lines_of_a_log_that_is_not_read_again_stay() {
    let logs = folder("logs", &[]);
    fs::write(logs.join("a.jsonl.gz"), packed(&lines())).unwrap();
    let run = Run::select(&logs);
    let torn = run.kill(&[]);
    fs::write(logs.join("a.jsonl"), "{\"other\":1}\n").unwrap();
    let message = run.again();
    assert!(
        message.contains("a.jsonl.gz: missing, unreadable or changed"),
        "{message}"
    );
    assert_eq!(run.written(), whole(&torn).to_string() + "{\"other\":1}\n");
}

/// An output that was copied to another file after a kill was continued without
/// a word.
#[test]
fn an_output_that_is_another_file_is_reported() {
    let run = Run::select(&file("big.jsonl", lines().as_bytes()));
    run.kill(&[]);
    let copy = run.out.with_file_name("killed.new");
    fs::copy(&run.out, &copy).unwrap();
    fs::rename(&copy, &run.out).unwrap();
    let message = run.again();
    let why = "killed.out: not the output file of the interrupted run";
    assert!(message.contains(why), "{message}");
}

/// What was written was removed although it could not be read again: if another
/// archive was broken, if the archive was truncated, or if another archive
/// began like it.
#[test]
fn lines_of_an_archive_that_is_lost_stay() {
    let begins_alike = lines() + "{\"more\":1}\n";
    for (case, has_broken) in
        [("removed", true), ("truncated", false), ("another", false)]
    {
        for command in [Run::select, Run::split] {
            let logs = folder("logs", &[("z.jsonl", "{}\n")]);
            let archive = packed(&lines());
            if has_broken {
                fs::write(logs.join("b.jsonl.gz"), &archive[..30]).unwrap();
            }
            let log = logs.join("a.jsonl.gz");
            fs::write(&log, &archive).unwrap();
            let run = command(&logs);
            let torn = run.kill(&[]);
            match case {
                "truncated" => fs::write(&log, &archive[..40]).unwrap(),
                "removed" => fs::remove_file(&log).unwrap(),
                _ => {
                    let other = packed(&begins_alike);
                    fs::write(logs.join("c.jsonl.gz"), other).unwrap();
                    fs::remove_file(&log).unwrap();
                }
            }
            let message = run.again();
            let why = "a.jsonl.gz: missing, unreadable or changed";
            assert!(message.contains(why), "{case} {message}");
            assert!(run.written().starts_with(whole(&torn)), "{case}");
        }
    }
}
