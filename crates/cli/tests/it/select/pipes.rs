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
fn a_reader_that_has_gone_away_is_no_error() {
    // More than any pipe or buffer holds, and a line that is never found
    // to be bad because nobody wants to know any more.
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
    let mut command = command(&["select"]);
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let complaint = text(&output.stderr);
    assert!(complaint.starts_with("linetape: cannot write: "));
}

/// Standard input may be set not to block, by whoever shares it. Then
/// there is nothing to read now and then, which is no error.
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
        // The command object holds their end too.
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
