//! Compressed logs that cannot be read to their end, with `--state`.

use std::{fs, path::Path, process::Output};

use serde_json::json;

use crate::{
    state::{gzip, with_state},
    support::{
        file, folder,
        lines::{log, said},
        text,
    },
};

fn numbered(numbers: std::ops::Range<usize>) -> String {
    numbers.map(|n| format!("{{\"type\":\"user\",\"n\":{n}}}\n")).collect()
}

/// An archive that ends with these bytes, and a state that does not exist yet.
fn archive(
    lines: &str,
    end: &[u8],
) -> (std::path::PathBuf, std::path::PathBuf) {
    let path =
        file("broken.jsonl.gz", &[&gzip(lines.as_bytes()), end].concat());
    let state = path.with_file_name("broken.state");
    _ = fs::remove_file(&state);
    (path, state)
}

fn assert_reported(output: &Output, why: &str) {
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains(why), "{message}");
}

/// Every run wrote the lines of a broken archive again.
#[test]
fn select_writes_the_lines_of_a_broken_archive_once() {
    let cut = &gzip(numbered(200..300).as_bytes());
    for (end, why) in [
        (&b"junk"[..], "trailing data"),
        // The first half of another member.
        (&cut[..cut.len() / 2], "unexpected end"),
    ] {
        let (path, state) = archive(&numbered(0..200), end);
        let mut all = String::new();
        for _ in 0..3 {
            let output = with_state(&["select"], &state, &[&path]);
            assert_reported(&output, why);
            all += text(&output.stdout);
        }
        assert!(all.starts_with(&numbered(0..200)));
        // It is repaired, and has more lines.
        let whole = [numbered(0..200), numbered(200..300)];
        let whole = whole.map(|part| gzip(part.as_bytes())).concat();
        fs::write(&path, whole).unwrap();
        for _ in 0..2 {
            let output = with_state(&["select"], &state, &[&path]);
            assert_eq!(text(&output.stderr), "");
            all += text(&output.stdout);
        }
        assert_eq!(all, numbered(0..300), "{why}");
    }
}

/// What the lines before the error have told is known when the archive is
/// repaired.
#[test]
fn the_calls_of_a_broken_archive_are_remembered() {
    let call = json!({"type": "tool_use", "id": "t1", "name": "Read"});
    let result = json!({"type": "tool_result", "tool_use_id": "t1"});
    let result = json!({"type": "user", "message": {"content": [result]}});
    let first = String::from_utf8(log(&[said("m", call)])).unwrap();
    let (path, state) = archive(&first, b"junk");
    let select = ["select", "--tool", "Read"];
    let output = with_state(&select, &state, &[&path]);
    assert_eq!(text(&output.stdout), first);
    let result = log(&[result]);
    let whole = [gzip(first.as_bytes()), gzip(&result)].concat();
    fs::write(&path, whole).unwrap();
    let output = with_state(&select, &state, &[&path]);
    assert_eq!(output.stdout, result);
}

/// Every run appended the lines of a broken archive again.
#[test]
fn split_writes_the_lines_of_a_broken_archive_once() {
    let (path, state) = archive(&numbered(0..200), b"junk");
    let out = folder("out", &[]);
    let split = ["split", "--by", "type", "-o", out.to_str().unwrap()];
    let written = |out: &Path| fs::read_to_string(out.join("user.jsonl"));
    for _ in 0..3 {
        let output = with_state(&split, &state, &[&path]);
        assert_reported(&output, "trailing data");
        assert_eq!(written(&out).unwrap(), numbered(0..200));
    }
}
