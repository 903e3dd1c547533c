//! `linetape select`: pipes that are closed, full or not ready.
#![cfg(unix)]

#[cfg(target_os = "linux")]
use std::fs::File;
use std::{
    io::{Read, Write},
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::support::{file, text};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linetape"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_closed_pipe_is_no_error() {
    // More than the pipe and all buffers hold. The bad line at the end is
    // never read.
    let mut log = b"{\"type\":\"user\"}\n".repeat(100_000);
    log.extend_from_slice(b"oops\n");
    let path = file("select_much.jsonl", &log);
    let arguments = ["select", path.to_str().unwrap()];
    let mut child = command(&arguments).spawn().unwrap();
    let mut begin = [0; 15];
    child.stdout.take().unwrap().read_exact(&mut begin).unwrap();
    assert_eq!(&begin, b"{\"type\":\"user\"}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = command(&["select", "--sample"]);
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let complaint = text(&output.stderr);
    assert!(complaint.starts_with("linetape: cannot write: "));
}

/// Another process can set a shared standard input to non-blocking. Then
/// `WouldBlock` is not an error.
#[test]
fn an_input_that_is_not_ready_is_waited_for() {
    for arguments in [
        &["select", "--type", "user", "-"][..],
        &["normalize", "-"],
        &["stats", "--json", "-"],
        &["stats", "--peek", "--json", "-"],
    ] {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        theirs.set_nonblocking(true).unwrap();
        let mut command = command(arguments);
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        let child = command.spawn().unwrap();
        // It holds the other end of the socket, too.
        drop(command);
        for piece in ["{\"type\":", "\"user\"}\n", "{\"type\":\"user\"}"] {
            thread::sleep(Duration::from_millis(20));
            ours.write_all(piece.as_bytes()).unwrap();
        }
        drop(ours);
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let shown = text(&output.stdout);
        if arguments[0] == "stats" {
            assert!(shown.contains("\"records\":2"), "{shown}");
        } else {
            assert_eq!(shown, "{\"type\":\"user\"}\n".repeat(2));
        }
    }
}
