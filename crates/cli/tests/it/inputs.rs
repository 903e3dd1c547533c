//! Inputs: files, folders, links and pipes.

use crate::support::{document, folder, linetape, text};
use serde_json::{Value, json};

#[test]
fn folders_are_read_with_all_that_is_below_in_the_order_of_paths() {
    let folder = folder(
        "tree",
        &[
            ("b.jsonl", "{\"n\":3}\n"),
            ("a/deep/er/x.ndjson", "{\"n\":1}\n"),
            ("a/y.jsonl", "{\"n\":2}\n"),
            ("notes.txt", "{\"n\":0}\n"),
            ("jsonl", "{\"n\":0}\n"),
            ("c.jsonl.bak", "{\"n\":0}\n"),
        ],
    );
    let path = folder.to_str().unwrap();
    let output = linetape(&["select", path], b"");
    assert!(output.status.success() && output.stderr.is_empty());
    let lines = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
    assert_eq!(text(&output.stdout), lines);
    // A file on the command line is read, whatever its extension.
    let notes = folder.join("notes.txt");
    let notes = notes.to_str().unwrap();
    let output = linetape(&["select", notes, path, "-"], b"{\"n\":4}\n");
    let lines = format!("{{\"n\":0}}\n{lines}{{\"n\":4}}\n");
    assert_eq!(text(&output.stdout), lines);
}

#[test]
fn every_command_that_reads_takes_folders() {
    let line = "{\"type\":\"user\",\"message\":{\"content\":\"Hi\"}}\n";
    let folder =
        folder("every", &[("a/one.jsonl", line), ("two.jsonl", line)]);
    let path = folder.to_str().unwrap();
    let both = line.repeat(2);
    for command in
        ["stats", "usage", "select", "show", "check", "schema", "normalize"]
    {
        let of_folder = linetape(&[command, path], b"");
        assert_eq!(of_folder.status.code(), Some(0), "{command}");
        let found = text(&of_folder.stdout).replace(
            "files                       2",
            "files                       1",
        );
        let of_pipe = linetape(&[command, "-"], both.as_bytes());
        assert_eq!(found, text(&of_pipe.stdout), "{command}");
    }
}

#[test]
fn a_folder_without_logs_is_named() {
    let folder = folder("without", &[("readme.md", "")]);
    let path = folder.to_str().unwrap();
    let output = linetape(&["stats", "--json", path], b"");
    let complaint = format!(
        "linetape: {path}: no *.jsonl or *.ndjson files in this folder\n"
    );
    assert_eq!(text(&output.stderr), complaint);
    assert_eq!(document(&output)["files"], 0);
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn links_to_files_are_followed_and_links_to_folders_are_not() {
    use std::os::unix::fs::symlink;

    let folder = folder("links", &[("logs/one.jsonl", "{}\n")]);
    let logs = folder.join("logs");
    symlink(&logs, logs.join("cycle.jsonl")).unwrap();
    symlink("..", logs.join("up")).unwrap();
    symlink("one.jsonl", logs.join("two.jsonl")).unwrap();
    let output = linetape(&["--json", logs.to_str().unwrap()], b"");
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    assert_eq!(document(&output)["files"], 2);
    // A link on the command line is followed.
    let link = folder.join("link");
    symlink(&logs, &link).unwrap();
    let output = linetape(&["--json", link.to_str().unwrap()], b"");
    assert_eq!(document(&output)["files"], 2);
    // A dangling link cannot be read.
    symlink("nowhere", logs.join("lost.jsonl")).unwrap();
    let output = linetape(&["--json", logs.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(document(&output)["files"], 2);
}

#[test]
fn an_empty_file_is_a_file() {
    let folder = folder("empty", &[("empty.jsonl", "")]);
    let output = linetape(&["--json", folder.to_str().unwrap()], b"");
    let report = document(&output);
    let facts = ["files", "bytes", "lines", "records", "longest_line"];
    let facts = facts.map(|name| report[name].clone());
    assert_eq!(facts.to_vec(), [1, 0, 0, 0, 0].map(Value::from));
    assert_eq!(report["kinds"], json!([]));
}
