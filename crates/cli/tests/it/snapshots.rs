//! What every command prints, word for word: on the sample session, and on a
//! log in which much is wrong.
//!
//! `LINETAPE_BLESS=1 cargo test --test snapshots` writes the snapshots anew.
//! Read what has changed before you commit it.

mod support;

use std::{env, fs, path::PathBuf};

use support::{linetape, text};

/// Lines of all kinds that are bad, and terminal escapes wherever a log can
/// put them.
const BAD: &[u8] = include_bytes!("snapshots/bad.jsonl");

/// Compares what a command prints with its snapshot. Where it is painted, the
/// snapshot has `^[` for each escape.
fn snapshot(name: &str, arguments: &[&str], input: &[u8]) {
    let output = linetape(arguments, input);
    let (shown, complaints) = (text(&output.stdout), text(&output.stderr));
    let is_painted = arguments.contains(&"always");
    assert_eq!(shown.contains('\x1b'), is_painted, "{name}");
    assert!(!complaints.contains('\x1b'), "{name}");
    let shown = shown.replace('\x1b', "^[");
    let code = output.status.code().unwrap();
    let mut found = format!("$ linetape {}\n{shown}", arguments.join(" "));
    if !complaints.is_empty() {
        found += &format!("--- standard error\n{complaints}");
    }
    found += &format!("--- exit code {code}\n");

    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots");
    let path = PathBuf::from(folder).join(format!("{name}.txt"));
    if env::var_os("LINETAPE_BLESS").is_some() {
        fs::write(&path, &found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    // A checkout may have made CRLF of every LF.
    assert_eq!(found, expected.replace("\r\n", "\n"), "{name}");
}

/// One snapshot of each command line, on the sample and on the bad log.
fn snapshots(name: &str, arguments: &[&str]) {
    snapshot(&format!("sample-{name}"), arguments, b"");
    let arguments = [arguments, &["-"]].concat();
    snapshot(&format!("bad-{name}"), &arguments, BAD);
}

#[test]
fn stats() {
    snapshots("stats", &["stats"]);
    snapshots("stats-peek", &["stats", "--peek"]);
    snapshots("stats-json", &["stats", "--json"]);
}

#[test]
fn usage() {
    for by in ["model", "session", "day", "tool"] {
        snapshots(&format!("usage-{by}"), &["usage", "--by", by]);
    }
    snapshots("usage-json", &["usage", "--json"]);
}

#[test]
fn check() {
    snapshots("check", &["check", "--notes"]);
    snapshots("check-json", &["check", "--json"]);
    snapshots("check-salvage", &["check", "--salvage", "--skip-noise"]);
}

#[test]
fn show() {
    snapshots("show", &["show"]);
    snapshots("show-full", &["show", "--full"]);
    snapshots("show-narrow", &["show", "--width", "40"]);
    snapshots("show-painted", &["show", "--color", "always"]);
}

#[test]
fn select() {
    snapshots("select", &["select", "--type", "result"]);
}

#[test]
fn schema() {
    snapshots("schema", &["schema"]);
    snapshots("schema-json", &["schema", "--json"]);
}

#[test]
fn normalize() {
    snapshots("normalize", &["normalize"]);
}

#[test]
fn convert() {
    snapshots("convert-ui", &["convert", "--to", "ui"]);
    snapshots("convert-wrapper", &["convert", "--to", "wrapper"]);
}

#[test]
fn help() {
    for command in [
        "stats",
        "select",
        "show",
        "usage",
        "check",
        "normalize",
        "convert",
        "generate",
    ] {
        let name = format!("help-{command}");
        snapshot(&name, &["help", command], b"");
    }
    snapshot("help", &["--help"], b"");
}

#[test]
fn the_readme_opens_with_what_is_printed() {
    let readme = include_str!("../../../README.md").replace("\r\n", "\n");
    let shown = linetape(&[], b"").stdout;
    let capture = format!("```console\n$ linetape\n{}```\n", text(&shown));
    let place = readme.find(&capture).expect("README.md shows the report");
    assert!(readme[..place].lines().count() < 10, "it is at the top");
}
