//! Pipes that stay open: lines are written at once, and a closed output is
//! noticed.

use std::{
    fs,
    io::{self, BufRead, BufReader, Write},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::{
    follow::{Running, append, eventually},
    support::folder,
};

/// Sends some input, and keeps the pipe open until a line comes back.
fn assert_comes_at_once(arguments: &[&str], input: &[u8]) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_linetape"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    let stdout = child.stdout.take().unwrap();
    let (sender, lines) = mpsc::channel();
    let reader = thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            sender.send(line.unwrap()).unwrap();
        }
    });
    let line = lines.recv_timeout(Duration::from_secs(60));
    assert_eq!(line.as_deref(), Ok("{\"type\":\"user\"}"), "{arguments:?}");
    drop(stdin);
    reader.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(lines.recv().is_err());
}

#[test]
fn a_line_of_a_live_pipe_is_not_held_back() {
    let user = ["select", "--type", "user", "-"];
    assert_comes_at_once(&user, b"{\"type\":\"user\"}\n");
    // The second line is not written, so it does not flush the first.
    assert_comes_at_once(&user, b"{\"type\":\"user\"}\n{\"type\":\"x\"}\n");
    assert_comes_at_once(&user, b"{\"type\":\"user\"}\n\n\n  ");
    let noise = ["select", "--skip-noise", "--tool", "x", "--invert", "-"];
    assert_comes_at_once(&noise, b"{\"type\":\"user\"}\nnoise\n");
    let normalize = ["normalize", "--skip-noise", "-"];
    assert_comes_at_once(&normalize, b"{\"type\":\"user\"}\nnoise\n");
}

/// The command noticed this only at its next write.
#[test]
fn a_closed_output_is_noticed_while_waiting_for_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_linetape"))
        .args(["select", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{}\n").unwrap();
    // The input stays open, without more data.
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
    drop(stdin);
}

/// Starts a command whose standard output nobody reads.
fn start_unread(arguments: &[&str]) -> Running {
    let (_, unread) = io::pipe().unwrap();
    Running::to(unread, arguments)
}

/// A command that follows logs noticed this only when it wrote the next line,
/// and so `select -f logs | head -n 1` did not end.
#[cfg(unix)]
#[test]
fn a_closed_output_ends_a_command_that_waits_for_lines() {
    let logs = folder("logs", &[("a.jsonl", "")]);
    let path = logs.to_str().unwrap();
    for arguments in [
        ["select", "-f", path],
        ["show", "-f", path],
        ["watch", "--json", path],
    ] {
        let (status, _, messages) = start_unread(&arguments).wait();
        assert_eq!(status.code(), Some(0), "{arguments:?}");
        assert_eq!(messages, "", "{arguments:?}");
    }
}

/// Standard output does not matter if the lines go to a file.
#[test]
fn a_closed_output_does_not_end_a_command_that_writes_to_a_file() {
    let logs = folder("logs", &[("a.jsonl", "")]);
    let out = logs.with_file_name("out");
    _ = fs::remove_file(&out);
    let paths = [logs.to_str().unwrap(), out.to_str().unwrap()];
    let _running = start_unread(&["select", "-f", paths[0], "-o", paths[1]]);
    for count in 1..6 {
        append(&logs.join("a.jsonl"), "{}\n");
        let expected = "{}\n".repeat(count);
        eventually(|| fs::read_to_string(&out).is_ok_and(|it| it == expected));
    }
}
