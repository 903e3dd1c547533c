//! Inputs: files, folders, links, pipes and compressed logs.

use std::fs;

use crate::support::{document, file, folder, linetape, text};
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

/// `{"n":1}`, compressed by gzip.
const GZIP: &[u8] = &[
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xAB, 0x56,
    0xCA, 0x53, 0xB2, 0x32, 0xAC, 0xE5, 0x02, 0x00, 0x93, 0x11, 0xBE, 0x85,
    0x08, 0x00, 0x00, 0x00,
];

/// `{"n":2}`, compressed by zstd.
const ZSTD: &[u8] = &[
    0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0x41, 0x00, 0x00, 0x7B, 0x22, 0x6E,
    0x22, 0x3A, 0x32, 0x7D, 0x0A, 0x0F, 0xD1, 0x43, 0x7D,
];

#[test]
fn compressed_logs_are_read_by_every_command() {
    let plain = [("c.jsonl", "{\"n\":3}\n"), ("twin.jsonl", "{\"n\":4}\n")];
    let folder = folder("compressed", &plain);
    for (name, bytes) in [
        ("a.jsonl.gz", GZIP),
        ("b.ndjson.zst", ZSTD),
        // A copy of a plain log, and a file that is being written.
        ("twin.jsonl.zst", ZSTD),
        ("d.jsonl.zst.tmp", ZSTD),
    ] {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let path = folder.to_str().unwrap();
    let lines = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n";
    let output = linetape(&["select", path], b"");
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(text(&output.stdout), lines);
    let report = document(&linetape(&["--json", path], b""));
    let facts = ["files", "bytes", "lines", "records", "longest_line"];
    let facts = facts.map(|name| report[name].clone());
    // The sizes are those of the plain text.
    assert_eq!(facts.to_vec(), [4, 32, 4, 4, 7].map(Value::from));
    for command in ["usage", "show", "schema", "normalize"] {
        let packed = linetape(&[command, path], b"");
        let plain = linetape(&[command, "-"], lines.as_bytes());
        assert_eq!(packed.stdout, plain.stdout, "{command}");
        assert_eq!(packed.status, plain.status, "{command}");
    }
}

#[test]
fn standard_input_may_be_compressed() {
    for (packed, expected) in [(GZIP, "{\"n\":1}\n"), (ZSTD, "{\"n\":2}\n")] {
        let output = linetape(&["select", "-"], packed);
        assert_eq!(text(&output.stdout), expected);
        let report = document(&linetape(&["--json", "-"], packed));
        assert_eq!(report["records"], 1);
    }
}

/// No command could limit what a small file expands to.
#[test]
fn the_plain_size_of_a_compressed_input_can_be_limited() {
    let log = file("limited.jsonl.gz", GZIP);
    let log = log.to_str().unwrap();
    let out = folder("out", &[]);
    let out = out.to_str().unwrap();
    for command in [
        "stats",
        "select",
        "show",
        "usage",
        "check",
        "schema",
        "normalize",
        "convert --to ui",
        "redact",
        "redact --check",
    ]
    .map(str::to_string)
    .into_iter()
    .chain([
        format!("split --by type -o {out}"),
        format!("report -o {out}/page.html"),
        format!("select --state {out}/the.state"),
    ]) {
        let run = |limit: &str, path: &str| {
            let command = command.split(' ').collect::<Vec<_>>();
            let options = ["--max-plain", limit, path];
            linetape(&[&command[..], &options].concat(), GZIP)
        };
        for path in [log, "-"] {
            if path == "-" && command.contains("--state") {
                continue;
            }
            let output = run("7", path);
            let complaint = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} {complaint}");
            let why = "decompressed size exceeds 7 bytes";
            assert!(complaint.contains(why), "{command}: {complaint}");
            let code = match &*command {
                "check" => 1,
                // The record is of no known agent.
                "show" | "usage" => 2,
                // There is no session in it.
                command if command.starts_with("report") => continue,
                _ => 0,
            };
            assert_eq!(run("8", path).status.code(), Some(code), "{command}");
        }
    }
    // A plain text is not limited.
    let output = linetape(&["select", "--max-plain", "1", "-"], b"{}\n");
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        ("{}\n", Some(0))
    );
}

#[test]
fn a_damaged_compressed_log_is_an_input_that_failed() {
    let rubbish = [GZIP, b"rubbish"].concat();
    for (input, offset) in [(&GZIP[..20], 20), (&rubbish, GZIP.len())] {
        for command in ["select", "stats", "usage"] {
            let output = linetape(&[command, "-"], input);
            assert_eq!(output.status.code(), Some(2), "{command}");
            let complaint = text(&output.stderr);
            let at = format!("at compressed byte {offset}");
            assert!(complaint.contains(&at), "{command}: {complaint}");
            assert!(complaint.contains("decompression failed"), "{command}");
        }
    }
    let report = document(&linetape(&["--json", "-"], &rubbish));
    assert_eq!(report["records"], 1);
    assert_eq!(report["errors"]["by_kind"]["decompress"], 1);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    // More than two blocks.
    let long = "x".repeat(250);
    let log = format!("{{\"type\":\"user\",\"text\":\"{long}\"}}\noops\n");
    let log = log.repeat(20_000);
    let folder = folder("threads", &[("log.jsonl", &log)]);
    let path = folder.to_str().unwrap();
    let one = linetape(&["stats", "--threads", "1", path], b"");
    assert_eq!(one.status.code(), Some(0));
    for threads in ["2", "3", "16"] {
        let many = linetape(&["stats", "--threads", threads, path], b"");
        assert_eq!(text(&many.stdout), text(&one.stdout), "{threads}");
    }
    for wrong in ["0", "-1", "x", "99999"] {
        let output = linetape(&["usage", "--threads", wrong, path], b"");
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

/// The first error of a log opened its file again, so that a pipe lost the
/// lines after it.
#[cfg(unix)]
#[test]
fn a_pipe_with_a_bad_first_line_is_read_once() {
    let good = r#"{"type":"user","message":{"content":"Hi"}}"#;
    let log = format!("noise\n{}", format!("{good}\n").repeat(9000));
    let path = file("bad-first.jsonl", log.as_bytes());
    let script = "cat \"$1\" | \"$0\" select --count /dev/stdin";
    let output = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_linetape")])
        .arg(&path)
        .output()
        .unwrap();
    assert_eq!(text(&output.stdout).trim(), "9000");
}

/// A misspelt command was only reported as a file that does not exist, below a
/// table of zeros, and so was any other word.
#[test]
fn a_word_that_is_no_file_is_not_read_as_a_path() {
    for (words, meant) in [
        (["shwo", "a.jsonl"], "`shwo`; did you mean `show`?"),
        (["sho", "a.jsonl"], "`sho`; did you mean `show`?"),
        (["usgae", "a.jsonl"], "`usgae`; did you mean `usage`?"),
        (["sessions", "a.jsonl"], "`sessions`"),
        (["grep", "foo"], "`grep`"),
        (["a.jsonl", "tomorrow"], "`tomorrow`"),
    ] {
        let output = linetape(&words, b"");
        let expected = format!("linetape: no file or command {meant}\n");
        assert_eq!(text(&output.stderr), expected);
        assert_eq!(text(&output.stdout), "");
        assert_eq!(output.status.code(), Some(2));
    }
    // A table of zeros followed.
    let output = linetape(&["sho.jsonl", "no/such/file"], b"");
    assert!(text(&output.stderr).contains("sho.jsonl: No such file"));
    assert_eq!(text(&output.stdout), "");
    assert_eq!(output.status.code(), Some(2));
}
