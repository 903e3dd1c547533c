//! Logs that are rotated while a run with `--state` reads.

use std::{
    fs,
    io::Read,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    state::{append, gzip, with_state},
    support::{folder, text},
};

/// Lines that do not fit into a pipe, so that the command waits for its reader.
fn many() -> String {
    let pad = "x".repeat(100);
    (0..10_000).map(|n| format!("{{\"a\":{n},\"p\":\"{pad}\"}}\n")).collect()
}

fn numbered(name: &str, numbers: std::ops::Range<usize>) -> String {
    let line = |n| format!("{{\"type\":\"user\",\"{name}\":{n}}}\n");
    numbers.map(line).collect()
}

/// Runs `select`, and calls a closure when it has made its plan and is writing
/// the lines of the first file. Returns what it has written and reported.
fn select_while(
    state: &Path,
    logs: &Path,
    rotate: impl FnOnce(),
) -> (String, String, Option<i32>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_linetape"))
        .args(["select", "--state"])
        .args([state, logs])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut bytes = vec![0; 100];
    out.read_exact(&mut bytes).unwrap();
    rotate();
    out.read_to_end(&mut bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    let message = text(&output.stderr).to_string();
    (text(&bytes).to_string(), message, output.status.code())
}

/// Another file at the path was read in place of the one that was planned, and
/// that one counted as read: its lines were lost.
#[test]
fn no_line_of_a_log_that_is_rotated_meanwhile_is_lost_or_doubled() {
    for is_compressed in [false, true] {
        // A compressed log that has grown is read again as a whole.
        for before in if is_compressed { vec![0] } else { vec![0, 60] } {
            let logs = folder("logs", &[("a.jsonl", &many())]);
            let name = |name: &str| match is_compressed {
                true => logs.join(format!("{name}.jsonl.gz")),
                false => logs.join(format!("{name}.jsonl")),
            };
            let packed = |lines: String| match is_compressed {
                true => gzip(lines.as_bytes()),
                false => lines.into_bytes(),
            };
            let state = logs.with_file_name("rotated.state");
            _ = fs::remove_file(&state);
            let mut all = String::new();
            if before > 0 {
                fs::write(name("b"), packed(numbered("b", 0..before)))
                    .unwrap();
                let b = name("b");
                // The first run reads a part.
                let output = with_state(&["select"], &state, &[&logs]);
                all += text(&output.stdout);
                append(&b, &packed(numbered("b", before..100)));
                append(&logs.join("a.jsonl"), many().as_bytes());
            } else {
                fs::write(name("b"), packed(numbered("b", 0..100))).unwrap();
            }
            let (lines, message, code) = select_while(&state, &logs, || {
                fs::rename(name("b"), name("b.1")).unwrap();
                let new = numbered("new", 0..200);
                fs::write(name("b"), packed(new)).unwrap();
            });
            all += &lines;
            assert_eq!(code, Some(2));
            let why = "replaced or truncated since this run began";
            assert!(message.contains(why), "{message}");
            for _ in 0..2 {
                let output = with_state(&["select"], &state, &[&logs]);
                assert_eq!(output.status.code(), Some(0));
                all += text(&output.stdout);
            }
            let of = |name: &str| -> String {
                let lines = all.split_inclusive('\n');
                lines.filter(|line| line.contains(name)).collect()
            };
            let context = format!("{is_compressed} {before}");
            assert_eq!(of("\"b\":"), numbered("b", 0..100), "{context}");
            assert_eq!(of("\"new\":"), numbered("new", 0..200), "{context}");
        }
    }
}

/// The checkpoint of a compressed log was made of the file that was at its path
/// when it had been read: the log was read again under its new name.
#[test]
fn a_compressed_log_that_is_rotated_while_it_is_read_is_not_read_again() {
    let many = many();
    let packed: Vec<u8> =
        many.as_bytes().chunks(60_000).flat_map(gzip).collect();
    let logs = folder("logs", &[]);
    let path = logs.join("a.jsonl.gz");
    fs::write(&path, packed).unwrap();
    let state = logs.with_file_name("rotated.state");
    _ = fs::remove_file(&state);
    let new = numbered("new", 0..200);
    let (lines, message, code) = select_while(&state, &logs, || {
        fs::rename(&path, logs.join("a.1.jsonl.gz")).unwrap();
        fs::write(&path, gzip(new.as_bytes())).unwrap();
    });
    assert_eq!((&*message, code), ("", Some(0)));
    assert!(lines == many);
    let output = with_state(&["select"], &state, &[&logs]);
    assert_eq!(text(&output.stdout), new);
}

/// A log that was truncated while it was read counted as read to its end.
#[test]
fn a_log_that_is_truncated_while_it_is_read_is_reported() {
    let logs = folder("logs", &[("a.jsonl", &many())]);
    let state = logs.with_file_name("rotated.state");
    _ = fs::remove_file(&state);
    let new = numbered("new", 0..2);
    let (_, message, code) = select_while(&state, &logs, || {
        fs::write(logs.join("a.jsonl"), &new).unwrap();
    });
    assert_eq!(code, Some(2));
    let why = "a.jsonl: not saved in the state; the next run reads it again";
    assert!(message.contains(why), "{message}");
    let output = with_state(&["select"], &state, &[&logs]);
    assert_eq!(text(&output.stdout), new);
}

/// A log that was rotated is read on under its new name. If it was copied or
/// compressed, it is read again.
#[test]
fn a_rotated_log_is_found_by_its_identity() {
    let (old, new) = (numbered("old", 0..100), numbered("new", 0..1));
    for case in ["move", "copy", "gz"] {
        let logs = folder("logs", &[("b.jsonl", &old)]);
        let state = logs.with_file_name("rotated.state");
        _ = fs::remove_file(&state);
        let select = || {
            let output = with_state(&["select"], &state, &[&logs]);
            assert_eq!(output.status.code(), Some(0));
            text(&output.stdout).to_string()
        };
        assert_eq!(select(), old);
        let (from, to) = (logs.join("b.jsonl"), logs.join("b.1.jsonl"));
        match case {
            "copy" => _ = fs::copy(&from, &to).unwrap(),
            _ => fs::rename(&from, &to).unwrap(),
        }
        fs::write(&from, &new).unwrap();
        append(&to, b"{\"late\":1}\n");
        if case == "gz" {
            let packed = gzip(&fs::read(&to).unwrap());
            fs::write(logs.join("b.1.jsonl.gz"), packed).unwrap();
            fs::remove_file(&to).unwrap();
        }
        let late = "{\"late\":1}\n".to_string();
        let expected = match case {
            "move" => late + &new,
            _ => old.clone() + &late + &new,
        };
        assert_eq!(select(), expected, "{case}");
        assert_eq!(select(), "", "{case}");
    }
}
