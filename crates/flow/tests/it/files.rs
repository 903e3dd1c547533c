//! Which files of a folder are logs.

use std::path::PathBuf;

use linetape_flow::logs;

use crate::support::Folder;

/// Returns the logs of a folder, relative to it.
fn names(folder: &Folder) -> Vec<PathBuf> {
    let logs = logs(folder);
    assert!(logs.errors.is_empty(), "{:?}", logs.errors);
    let relative =
        |path: &PathBuf| path.strip_prefix(folder).unwrap().to_path_buf();
    logs.files.iter().map(relative).collect()
}

fn with(files: &[&str]) -> Folder {
    let folder = Folder::new();
    for name in files {
        folder.write(name, "");
    }
    folder
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

#[test]
fn logs_are_sorted_by_path() {
    let folder = with(&[
        "b.jsonl",
        "a/deep/er/x.ndjson",
        "a/y.jsonl",
        "a.jsonl.gz",
        "c/z.NDJSON.ZST",
        "notes.txt",
        "jsonl",
        "c.jsonl.bak",
        "d.gz",
        "e.json",
    ]);
    let expected = [
        "a/deep/er/x.ndjson",
        "a/y.jsonl",
        "a.jsonl.gz",
        "b.jsonl",
        "c/z.NDJSON.ZST",
    ];
    assert_eq!(names(&folder), paths(&expected));
}

/// Case 62 of the list of cases: a log and its compressed copy.
#[test]
fn a_log_is_read_once() {
    let folder = with(&[
        "both.jsonl",
        "both.jsonl.zst",
        "three.ndjson",
        "three.ndjson.gz",
        "three.ndjson.zst",
        "packed.jsonl.gz",
        "packed.jsonl.zst",
        "alone.jsonl.zst",
        // Another log.
        "both.ndjson.zst",
        "sub/both.jsonl.zst",
    ]);
    let expected = [
        "alone.jsonl.zst",
        "both.jsonl",
        "both.ndjson.zst",
        "packed.jsonl.gz",
        "sub/both.jsonl.zst",
        "three.ndjson",
    ];
    assert_eq!(names(&folder), paths(&expected));
}

/// A program that compresses a log writes to a temporary file first.
#[test]
fn temporary_files_are_not_logs() {
    let folder = with(&[
        "a.jsonl.zst.compress.12.1.tmp",
        "b.jsonl.tmp",
        ".c.jsonl.gz.tmp",
    ]);
    assert_eq!(names(&folder), paths(&[]));
}

/// A folder with the name of a log does not hide its compressed copy.
#[test]
fn a_folder_is_not_a_log() {
    let folder = with(&["a.jsonl/x.txt", "a.jsonl.zst"]);
    assert_eq!(names(&folder), paths(&["a.jsonl.zst"]));
}

#[cfg(unix)]
#[test]
fn links_to_files_are_followed_and_links_to_folders_are_not() {
    use std::os::unix::fs::symlink;

    let folder = with(&["logs/one.jsonl"]);
    let logs = folder.0.join("logs");
    symlink(&logs, logs.join("cycle.jsonl")).unwrap();
    symlink("..", logs.join("up")).unwrap();
    symlink("one.jsonl", logs.join("two.jsonl")).unwrap();
    let expected = ["logs/one.jsonl", "logs/two.jsonl"];
    assert_eq!(names(&folder), paths(&expected));
    // A link that is named is followed.
    let link = folder.0.join("link");
    symlink(&logs, &link).unwrap();
    assert_eq!(linetape_flow::logs(&link).files.len(), 2);
}

/// A pipe was listed, and opening it waited for its writer. A link that leads
/// nowhere hid the compressed copy of a log.
#[cfg(unix)]
#[test]
fn what_is_not_a_regular_file_is_an_error_and_hides_no_copy() {
    let folder = with(&["lost.jsonl.gz", "pipe.jsonl.zst"]);
    let (lost, pipe) =
        (folder.0.join("lost.jsonl"), folder.0.join("pipe.jsonl"));
    std::os::unix::fs::symlink("nowhere", &lost).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let found = logs(&folder.0);
    let copies = ["lost.jsonl.gz", "pipe.jsonl.zst"];
    assert_eq!(found.files, copies.map(|name| folder.0.join(name)));
    let mut errors = found.errors;
    errors.sort_by(|(a, _), (b, _)| a.cmp(b));
    let errors: Vec<_> =
        errors.iter().map(|(path, e)| (path.clone(), e.kind())).collect();
    use std::io::ErrorKind::{InvalidInput, NotFound};
    assert_eq!(errors, [(lost, NotFound), (pipe, InvalidInput)]);
}

#[test]
fn a_folder_that_is_missing_is_an_error() {
    let folder = Folder::new();
    let missing = folder.0.join("missing");
    let found = logs(&missing);
    assert!(found.files.is_empty());
    assert_eq!(found.errors.len(), 1);
    assert_eq!(found.errors[0].0, missing);
}
