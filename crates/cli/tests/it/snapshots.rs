//! What commands print, compared with `tests/snapshots`: on the sample session,
//! and on a log with many errors; and the help of every command.

use std::{env, fs, path::PathBuf};

use crate::support::{diff::diff, linetape, text};

/// Writes the snapshots. Read the difference before you commit it.
const BLESS: &str =
    "LINETAPE_BLESS=1 cargo test -p linetape-cli --test it snapshots";

/// Lines of all kinds that are bad, and terminal escapes wherever a log can
/// put them.
const BAD: &[u8] = include_bytes!("../snapshots/bad.jsonl");

/// Snapshots that a test compares. All of them are compared before it fails.
#[derive(Default)]
struct Snapshots {
    /// The differences found so far, for a person.
    differences: String,
}

impl Snapshots {
    /// Compares the output of a command with its snapshot, which has `^[` for
    /// each escape character.
    fn compare(&mut self, name: &str, arguments: &[&str], input: &[u8]) {
        let output = linetape(arguments, input);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let is_painted = arguments.contains(&"always");
        assert_eq!(stdout.contains('\x1b'), is_painted, "{name}");
        assert!(!stderr.contains('\x1b'), "{name}");
        let stdout = stdout.replace('\x1b', "^[");
        let code = output.status.code().unwrap();
        let mut got = format!("$ linetape {}\n{stdout}", arguments.join(" "));
        if !stderr.is_empty() {
            got += &format!("--- standard error\n{stderr}");
        }
        got += &format!("--- exit code {code}\n");

        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots");
        let path = PathBuf::from(folder).join(format!("{name}.txt"));
        if env::var_os("LINETAPE_BLESS").is_some() {
            fs::write(&path, &got).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        // A checkout may have made CRLF of every LF.
        let diff = diff(&expected.replace("\r\n", "\n"), &got);
        if !diff.is_empty() {
            let file = format!("tests/snapshots/{name}.txt");
            self.differences += &format!("\n--- {file}\n+++ got\n{diff}");
        }
    }

    /// Compares the output for the sample and for the bad log.
    fn compare_both(&mut self, name: &str, arguments: &[&str]) {
        let sample = [arguments, &["--sample"]].concat();
        self.compare(&format!("sample-{name}"), &sample, b"");
        let arguments = [arguments, &["-"]].concat();
        self.compare(&format!("bad-{name}"), &arguments, BAD);
    }

    /// Fails if something differs.
    fn finish(self) {
        assert!(
            self.differences.is_empty(),
            "the output differs from its snapshots\n{}\n\
             If this is what it should be: {BLESS}\n",
            self.differences
        );
    }
}

#[test]
fn stats() {
    let mut snapshots = Snapshots::default();
    snapshots.compare_both("stats", &["stats"]);
    snapshots.compare_both("stats-peek", &["stats", "--peek"]);
    snapshots.compare_both("stats-json", &["stats", "--json"]);
    snapshots.finish();
}

#[test]
fn usage() {
    let mut snapshots = Snapshots::default();
    for by in ["model", "session", "day", "tool"] {
        snapshots.compare_both(&format!("usage-{by}"), &["usage", "--by", by]);
    }
    snapshots.compare_both("usage-json", &["usage", "--json"]);
    snapshots.finish();
}

#[test]
fn check() {
    let mut snapshots = Snapshots::default();
    snapshots.compare_both("check", &["check", "--notes"]);
    snapshots.compare_both("check-json", &["check", "--json"]);
    snapshots.compare_both(
        "check-salvage",
        &["check", "--salvage", "--skip-noise"],
    );
    snapshots.finish();
}

#[test]
fn show() {
    let mut snapshots = Snapshots::default();
    snapshots.compare_both("show", &["show"]);
    snapshots.compare_both("show-full", &["show", "--full"]);
    snapshots.compare_both("show-narrow", &["show", "--width", "40"]);
    snapshots.compare_both("show-markdown", &["show", "--markdown"]);
    snapshots.compare_both("show-painted", &["show", "--color", "always"]);
    snapshots.finish();
}

#[test]
fn report() {
    let mut snapshots = Snapshots::default();
    snapshots.compare_both("report", &["report", "-o", "-"]);
    snapshots.finish();
}

#[test]
fn select() {
    let mut snapshots = Snapshots::default();
    snapshots.compare_both("select", &["select", "--type", "result"]);
    snapshots.finish();
}

#[test]
fn schema() {
    let mut snapshots = Snapshots::default();
    snapshots.compare_both("schema", &["schema"]);
    snapshots.compare_both("schema-json", &["schema", "--json"]);
    snapshots.finish();
}

#[test]
fn normalize() {
    let mut snapshots = Snapshots::default();
    snapshots.compare_both("normalize", &["normalize"]);
    snapshots.finish();
}

#[test]
fn convert() {
    let mut snapshots = Snapshots::default();
    snapshots.compare_both("convert-ui", &["convert", "--to", "ui"]);
    snapshots.compare_both("convert-wrapper", &["convert", "--to", "wrapper"]);
    snapshots.finish();
}

#[test]
fn help() {
    let mut snapshots = Snapshots::default();
    for command in [
        "stats",
        "select",
        "show",
        "usage",
        "check",
        "schema",
        "normalize",
        "convert",
        "split",
        "watch",
        "redact",
        "report",
        "sql",
    ] {
        let name = format!("help-{command}");
        snapshots.compare(&name, &["help", command], b"");
    }
    snapshots.compare("help", &["--help"], b"");
    snapshots.finish();
}

#[test]
fn the_readme_shows_the_sample_session() {
    let readme = include_str!("../../../../README.md").replace("\r\n", "\n");
    let shown = linetape(&["show", "--sample", "--width", "79"], b"").stdout;
    let lines: Vec<&str> = text(&shown).lines().take(10).collect();
    let command = "$ linetape show --sample --width 79 | head -n 10";
    let expected = format!("{command}\n{}\n", lines.join("\n"));
    let (_, capture) = readme.split_once("```console\n").unwrap();
    let (capture, _) = capture.split_once("```\n").unwrap();
    assert_eq!(diff(capture, &expected), "", "README.md is out of date");
}
