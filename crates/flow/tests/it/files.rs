//! Which files of a folder are logs.

use std::path::PathBuf;

use linetape::ErrorKind;
use linetape_flow::{Logs, logs};

use crate::support::Folder;

/// Returns the logs of a folder, relative to it.
fn names(folder: &Folder) -> Vec<PathBuf> {
    let relative =
        |path: &PathBuf| path.strip_prefix(folder).unwrap().to_path_buf();
    logs(folder).unwrap().iter().map(relative).collect()
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
    assert_eq!(linetape_flow::logs(&link).unwrap().len(), 2);
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
    let found = Logs::find(&folder.0);
    let copies = ["lost.jsonl.gz", "pipe.jsonl.zst"];
    assert_eq!(found.files, copies.map(|name| folder.0.join(name)));
    let mut errors = found.errors;
    errors.sort_by(|(a, _), (b, _)| a.cmp(b));
    let errors: Vec<_> =
        errors.iter().map(|(path, e)| (path.clone(), e.kind())).collect();
    use std::io::ErrorKind::{InvalidInput, NotFound};
    let (lost, pipe) = ((lost, NotFound), (pipe, InvalidInput));
    assert_eq!(errors, [lost.clone(), pipe.clone()]);
    // Of several errors, the one with the first path is returned.
    for (path, kind) in [lost, pipe] {
        let error = logs(&folder.0).unwrap_err();
        assert_eq!(error.file_path(), Some(&*path));
        assert_eq!(error.io_error().unwrap().kind(), kind);
        // Also if it is the path itself.
        assert_eq!(logs(&path).unwrap_err().file_path(), Some(&*path));
        std::fs::remove_file(path).unwrap();
    }
    assert_eq!(logs(&folder.0).unwrap(), found.files);
}

/// A folder that was missing had no logs, unless the caller looked at a list of
/// errors.
#[test]
fn what_is_missing_is_an_error_with_its_path() {
    let folder = Folder::new();
    assert_eq!(logs(&folder).unwrap(), paths(&[]));
    for name in ["missing", "missing.jsonl"] {
        let missing = folder.0.join(name);
        let error = logs(&missing).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert_eq!(error.file_path(), Some(&*missing));
        let text = format!("{}: ", missing.display());
        assert!(error.to_string().starts_with(&text), "{error}");

        let found = Logs::find(&missing);
        assert!(found.files.is_empty());
        assert_eq!(found.errors.len(), 1);
        assert_eq!(found.errors[0].0, missing);
    }
}

/// A file had no logs: it was listed as if it were a folder.
#[test]
fn a_file_that_is_named_is_a_log() {
    let folder = with(&["session.jsonl.gz", "session.jsonl", "notes.txt"]);
    for name in ["session.jsonl.gz", "session.jsonl", "notes.txt"] {
        let path = folder.0.join(name);
        assert_eq!(logs(&path).unwrap(), [path]);
    }
    #[cfg(unix)]
    {
        let link = folder.0.join("link");
        std::os::unix::fs::symlink("notes.txt", &link).unwrap();
        assert_eq!(logs(&link).unwrap(), [link]);
    }
}

/// One folder of many that could not be listed was easy to overlook. Its path
/// is too long for the system, since everything may be listed by root.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_listed_is_not_overlooked() {
    let folder = with(&["one.jsonl"]);
    let deep = |letter: &str| -> PathBuf {
        let name = letter.repeat(250);
        (0..10).map(|_| name.clone()).collect()
    };
    let (a, b) = (folder.0.join(deep("a")), folder.0.join(deep("b")));
    std::fs::create_dir_all(&a).unwrap();
    std::fs::create_dir_all(&b).unwrap();
    let name = "b".repeat(250);
    std::fs::rename(folder.0.join(&name), a.join(&name)).unwrap();

    let error = logs(&folder).unwrap_err();
    assert!(error.file_path().unwrap().starts_with(&a));
    let found = Logs::find(&folder);
    assert_eq!(found.files, [folder.0.join("one.jsonl")]);
    assert_eq!(found.errors.len(), 1);
}
