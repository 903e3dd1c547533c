//! `linetape split`: one file for each session, type or day.

use std::{collections::BTreeMap, fs, path::Path};

use crate::support::{file, folder, linetape, logs, text};

/// Returns the files of a folder, by name.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

const LOG: &str = r#"{"type":"user","session_id":"../../x","timestamp":"2026-03-02T09:14:07Z"}
{"type":"system","subtype":"init", "session_id":"b"}
{"type":"system","subtype":"end","session_id":"7","timestamp":"2026-03-03T00:00:00+02:00"}

{"type":"user","session_id":"b","timestamp":"2026-03-02"}
{"session_id":"CON"}
"#;

#[test]
fn each_line_is_in_the_file_of_its_key() {
    let log = file("log.jsonl", LOG.as_bytes());
    let log = log.to_str().unwrap();
    for (by, expected) in [
        (
            "session",
            &[
                ("%2E.%2F..%2Fx.jsonl", &[0][..]),
                ("%43ON.jsonl", &[5]),
                ("7.jsonl", &[2]),
                ("b.jsonl", &[1, 4]),
            ][..],
        ),
        (
            "type",
            &[
                ("_none.jsonl", &[5]),
                ("system.jsonl", &[1, 2]),
                ("user.jsonl", &[0, 4]),
            ],
        ),
        (
            "day",
            &[
                ("2026-03-02.jsonl", &[0]),
                ("2026-03-03.jsonl", &[2]),
                ("_none.jsonl", &[1, 4, 5]),
            ],
        ),
    ] {
        let out = folder("out", &[]);
        let path = out.join("deep");
        let path_text = path.to_str().unwrap();
        let arguments = ["split", "--by", by, log, "-o", path_text];
        // Twice: the files are replaced.
        for option in [&[][..], &["--replace"]] {
            let arguments = [&arguments[..], option].concat();
            let output = linetape(&arguments, b"");
            assert_eq!(output.status.code(), Some(0), "{by}");
            assert!(output.stdout.is_empty() && output.stderr.is_empty());
        }
        let lines: Vec<&str> = LOG.split_inclusive('\n').collect();
        let expected: BTreeMap<String, Vec<u8>> = expected
            .iter()
            .map(|(name, numbers)| {
                let lines = numbers.iter().map(|n| lines[*n]);
                (name.to_string(), lines.collect::<String>().into_bytes())
            })
            .collect();
        assert_eq!(files(&path), expected, "{by}");
        // Nothing else was written.
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    }
}

/// Files that were there were emptied.
#[test]
fn lines_are_appended_to_files_that_are_there() {
    let (one, two) = ("{\"type\":\"a\"}\n", "{\"type\":\"a\",\"n\":2}\n");
    // The last line of a run that was killed.
    let out = folder("out", &[("a.jsonl", &format!("{one}{{\"ty"))]);
    let path = out.to_str().unwrap();
    let arguments = ["split", "--by", "type", "-o", path, "-"];
    let output = linetape(&arguments, two.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    let expected = ("a.jsonl".to_string(), [one, two].concat().into_bytes());
    assert_eq!(files(&out), BTreeMap::from([expected]));
}

/// Every line that `select` writes is in exactly one file, in order.
#[test]
fn no_line_is_lost() {
    for log in logs() {
        let log = log.to_str().unwrap();
        let selected = linetape(&["select", log], b"");
        let mut all: Vec<&[u8]> =
            selected.stdout.split_inclusive(|b| *b == b'\n').collect();
        for by in ["session", "type", "day"] {
            let out = folder("out", &[]);
            let path = out.to_str().unwrap();
            let output =
                linetape(&["split", "--by", by, log, "-o", path], b"");
            assert_eq!(output.status.code(), selected.status.code(), "{log}");
            assert_eq!(text(&output.stderr), text(&selected.stderr));
            let files = files(&out);
            let mut split: Vec<&[u8]> = files
                .values()
                .flat_map(|text| text.split_inclusive(|b| *b == b'\n'))
                .collect();
            split.sort_unstable();
            all.sort_unstable();
            assert!(split == all, "{log} by {by}");
        }
    }
}

#[test]
fn invalid_lines_are_reported_and_not_written() {
    let out = folder("out", &[]);
    let path = out.to_str().unwrap();
    let arguments = ["split", "--by", "type", "-", "-o", path];
    let output = linetape(&arguments, b"{\"type\":\"a\"}\noops\n{\"type\":\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr).lines().count(), 2);
    let expected = ("a.jsonl".to_string(), b"{\"type\":\"a\"}\n".to_vec());
    assert_eq!(files(&out), BTreeMap::from([expected]));
}

/// An input in the output folder could be replaced while it is read.
#[test]
fn an_input_is_never_an_output() {
    let log = "{\"type\":\"user\",\"session_id\":\"a\"}\n";
    let logs = folder("logs", &[("a.jsonl", log), ("sub/b.jsonl", log)]);
    let path = logs.to_str().unwrap();
    let output =
        linetape(&["split", "--by", "session", path, "-o", path], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("output folder"));
    assert_eq!(fs::read(logs.join("a.jsonl")).unwrap(), log.as_bytes());
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    let log = file("log.jsonl", LOG.as_bytes());
    let log = log.to_str().unwrap();
    // A file is where the folder should be.
    let output = linetape(&["split", "--by", "type", log, "-o", log], b"");
    assert_eq!(output.status.code(), Some(2));
    // A folder is where a file should be.
    let out = folder("out", &[("user.jsonl/x", "")]);
    let path = out.to_str().unwrap();
    let output = linetape(&["split", "--by", "type", log, "-o", path], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("user.jsonl"));
}

/// The output replaced the input while it was read: the file was lost. It was
/// noticed only if the path of the input was in the folder.
#[cfg(unix)]
#[test]
fn an_input_in_the_folder_is_refused_under_any_name() {
    use std::{fs::File, process::Command};

    let line = "{\"type\":\"user\",\"session_id\":\"s\"}\n";
    let out = folder("out", &[("s.jsonl", line)]);
    let (path, log) = (out.to_str().unwrap(), out.join("s.jsonl"));
    let link = out.with_file_name("hard-link.jsonl");
    _ = fs::remove_file(&link);
    fs::hard_link(&log, &link).unwrap();
    let split = ["split", "--by", "session", "-o", path];
    let output =
        linetape(&[&split[..], &[link.to_str().unwrap()]].concat(), b"");
    assert_eq!(output.status.code(), Some(2));
    let output = Command::new(env!("CARGO_BIN_EXE_linetape"))
        .args(split)
        .arg("-")
        .stdin(File::open(&log).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("in the output folder"), "{message}");
    assert_eq!(fs::read_to_string(&log).unwrap(), line);
}

/// Runs `split` with a limit of the shell.
#[cfg(unix)]
fn split_with(limit: &str, log: &Path, out: &Path) -> std::process::Output {
    std::process::Command::new("bash")
        .args(["-c", &format!("{limit} && exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_linetape"))
        .args(["split", "--by", "session", "-o"])
        .args([out, log])
        .output()
        .unwrap()
}

/// With few files that the process can open, the command failed.
#[cfg(unix)]
#[test]
fn more_sessions_than_files_that_can_be_open_are_split() {
    let line =
        |n: usize| format!("{{\"type\":\"x\",\"session_id\":\"{n}\"}}\n");
    let lines: String = (0..200).map(|n| line(n % 100)).collect();
    let log = file("many.jsonl", lines.as_bytes());
    let out = log.with_file_name("many");
    _ = fs::remove_dir_all(&out);
    let output = split_with("ulimit -n 40", &log, &out);
    assert_eq!(text(&output.stderr), "");
    for n in 0..100 {
        let written = fs::read_to_string(out.join(format!("{n}.jsonl")));
        assert_eq!(written.unwrap(), line(n).repeat(2));
    }
}

/// The message was `reading failed`, without the name of the file.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_named() {
    let line = "{\"type\":\"x\",\"session_id\":\"abc\"}\n";
    let log = file("full.jsonl", line.repeat(1000).as_bytes());
    let out = log.with_file_name("full");
    _ = fs::remove_dir_all(&out);
    let output = split_with("trap '' XFSZ; ulimit -f 1", &log, &out);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("abc.jsonl: "), "{message}");
    assert!(!message.contains("reading"), "{message}");
}

/// The CR of a line that ends with CR and LF was dropped.
#[test]
fn lines_keep_their_terminator() {
    let log = b"{\"type\":\"a\"}\r\n\r\n{\"type\":\"a\",\"n\":2}\n\
        {\"type\":\"b\"}\r\n{\"type\":\"b\",\"n\":2}";
    let log = file("crlf.jsonl", log);
    let out = folder("out", &[]).join("deep");
    let (log, path) = (log.to_str().unwrap(), out.to_str().unwrap());
    let output = linetape(&["split", "--by", "type", log, "-o", path], b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files = files(&out);
    let a = "{\"type\":\"a\"}\r\n{\"type\":\"a\",\"n\":2}\n";
    let b = "{\"type\":\"b\"}\r\n{\"type\":\"b\",\"n\":2}\n";
    assert_eq!(text(&files["a.jsonl"]), a);
    assert_eq!(text(&files["b.jsonl"]), b);
}
