//! Compressed logs that cannot be read to their end, with `--state`.

use std::{fs, path::PathBuf};

use crate::{
    state::{gzip, with_state},
    support::{file, folder, text},
};

fn numbered(numbers: std::ops::Range<usize>) -> String {
    numbers.map(|n| format!("{{\"type\":\"user\",\"n\":{n}}}\n")).collect()
}

/// An archive that ends with these bytes, and a state that does not exist yet.
fn archive(lines: &str, end: &[u8]) -> (PathBuf, PathBuf) {
    let path =
        file("broken.jsonl.gz", &[&gzip(lines.as_bytes()), end].concat());
    let state = path.with_file_name("broken.state");
    _ = fs::remove_file(&state);
    (path, state)
}

/// Every run wrote the lines of a broken archive again. It is read again when
/// it has changed.
#[test]
fn select_writes_the_lines_of_a_broken_archive_once() {
    let cut = &gzip(numbered(200..300).as_bytes());
    for (end, why) in [
        (&b"junk"[..], "trailing data"),
        // The first half of another member.
        (&cut[..cut.len() / 2], "unexpected end"),
    ] {
        let (path, state) = archive(&numbered(0..200), end);
        let output = with_state(&["select"], &state, &[&path]);
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        assert!(message.contains(why), "{message}");
        assert!(text(&output.stdout).starts_with(&numbered(0..200)));
        let whole = [numbered(0..200), numbered(200..300)];
        let whole = whole.map(|part| gzip(part.as_bytes())).concat();
        for (is_repaired, expected) in
            [(false, String::new()), (true, numbered(0..300))]
        {
            if is_repaired {
                fs::write(&path, &whole).unwrap();
            }
            for expected in [&*expected, ""] {
                let output = with_state(&["select"], &state, &[&path]);
                assert_eq!(output.status.code(), Some(0));
                assert_eq!(text(&output.stdout), expected, "{why}");
            }
        }
    }
}

/// Every run appended the lines of a broken archive again.
#[test]
fn split_writes_the_lines_of_a_broken_archive_once() {
    let (path, state) = archive(&numbered(0..200), b"junk");
    let out = folder("out", &[]);
    let split = ["split", "--by", "type", "-o", out.to_str().unwrap()];
    for code in [2, 0, 0] {
        let output = with_state(&split, &state, &[&path]);
        assert_eq!(output.status.code(), Some(code));
        let written = fs::read_to_string(out.join("user.jsonl")).unwrap();
        assert_eq!(written, numbered(0..200));
    }
}
