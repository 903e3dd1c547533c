//! What is read without a path: standard input, the sample session, or nothing.

use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    process::{Command, Output, Stdio},
};

use crate::support::{document, file, folder, linetape, text};

const LOG: &[u8] =
    b"{\"type\":\"user\",\"sessionId\":\"mine\",\"uuid\":\"u\",\
    \"timestamp\":\"2026-03-02T09:14:07Z\",\
    \"message\":{\"role\":\"user\",\"content\":\"from the pipe\"}}\n";

/// Every command that reads logs.
const COMMANDS: [&[&str]; 9] = [
    &["stats"],
    &["usage"],
    &["check"],
    &["select"],
    &["show"],
    &["schema"],
    &["normalize"],
    &["redact"],
    &["convert", "--to", "ui"],
];

fn run(arguments: &[&str], stdin: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linetape"));
    command.args(arguments).stdin(stdin).output().unwrap()
}

/// `cat log | linetape stats`, `usage < log` and the like worked on the sample
/// session, and printed its numbers.
#[test]
fn a_pipe_and_a_file_are_read_without_a_path() {
    let path = file("log.jsonl", LOG);
    for command in COMMANDS.iter().chain([&[] as &[&str]].iter()) {
        let expected = linetape(&[command, &["-"][..]].concat(), LOG);
        let expected = match command.is_empty() {
            true => linetape(&["stats", "-"], LOG),
            false => expected,
        };
        // There is nothing wrong with it, or nothing to convert.
        let is_silent = matches!(command, ["check"] | ["convert", ..]);
        assert_eq!(expected.stdout.is_empty(), is_silent, "{command:?}");
        for output in [
            linetape(command, LOG),
            run(command, File::open(&path).unwrap().into()),
        ] {
            assert_eq!(text(&output.stdout), text(&expected.stdout));
            assert_eq!(text(&output.stderr), text(&expected.stderr));
            assert_eq!(output.status, expected.status, "{command:?}");
        }
    }
    // Those that need an output.
    let to = folder("split", &[]);
    let to = to.to_str().unwrap();
    let output = linetape(&["split", "--by", "session", "-o", to], LOG);
    assert_eq!(output.status.code(), Some(0));
    let written = std::fs::read(format!("{to}/mine.jsonl")).unwrap();
    assert_eq!(text(&written), text(LOG));
    let page = linetape(&["report", "-o", "-"], LOG);
    assert!(text(&page.stdout).contains("from the pipe"));
}

/// `check < bad` exited with 0, and `redact < secrets` printed another log.
#[test]
fn what_is_wrong_on_standard_input_is_found() {
    let output = linetape(&["check"], b"{\"type\":");
    assert!(text(&output.stdout).starts_with("standard input:1:"));
    assert_eq!(output.status.code(), Some(1));
    let secret = format!("{{\"text\":\"AKIA{}\"}}\n", "Z2".repeat(8));
    let output = linetape(&["redact", "--check"], secret.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let output = linetape(&["redact"], secret.as_bytes());
    assert_eq!(text(&output.stdout), "{\"text\":\"***\"}\n");
}

/// `linetape usage $FILES`, where `FILES` is empty, printed the cost of the
/// sample session as if it were the user's.
#[test]
fn a_command_that_has_nothing_to_read_says_so() {
    let empty_pipe = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(writer);
        Stdio::from(reader)
    };
    for command in COMMANDS {
        for stdin in [Stdio::null(), empty_pipe()] {
            let output = run(command, stdin);
            assert_eq!(text(&output.stdout), "", "{command:?}");
            assert_eq!(output.status.code(), Some(2), "{command:?}");
            let message = text(&output.stderr);
            let name = command[0];
            let begin = "linetape: nothing to read\nUsage: linetape";
            assert!(message.starts_with(begin), "{message}");
            assert!(message.contains(&format!("linetape help {name}")));
            assert!(message.lines().count() <= 8, "{message}");
        }
    }
    let state = folder("state", &[]).join("usage.state");
    let state = state.to_str().unwrap();
    let output = linetape(&["usage", "--state", state], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(!std::fs::exists(state).unwrap());
    // An empty file is a log without records.
    let path = file("empty.jsonl", b"");
    let output = run(&["stats", "--json"], File::open(path).unwrap().into());
    assert_eq!(document(&output)["records"], 0);
}

#[test]
fn the_sample_session_is_read_by_the_bare_command_and_on_request() {
    let bare = linetape(&[], b"");
    assert_eq!(bare.status.code(), Some(0));
    let first = text(&bare.stdout).lines().next().unwrap();
    assert!(first.starts_with("The sample session."), "{first}");
    // A document has no first line that could say so.
    let bare = linetape(&["--json"], b"");
    assert_eq!(
        text(&bare.stderr),
        "linetape: nothing to read; this is the sample session\n"
    );
    let asked = linetape(&["stats", "--sample", "--json"], b"");
    assert_eq!(document(&asked), document(&bare));
    assert_eq!(text(&asked.stderr), "");
    for command in COMMANDS {
        let sample = [command, &["--sample"]].concat();
        // Even if there is something to read.
        let output = linetape(&sample, LOG);
        assert!(output.status.code().unwrap() < 2, "{command:?}");
        let printed = text(&output.stdout);
        assert!(!printed.contains("from the pipe"), "{command:?}");
        let both = linetape(&[&sample[..], &["-"]].concat(), LOG);
        assert_eq!(both.status.code(), Some(2), "{command:?}");
    }
}

/// A pipe that nobody writes to looked like a command that hangs.
#[test]
fn a_silent_pipe_is_waited_for_and_mentioned() {
    for command in [&[] as &[&str], &["usage"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_linetape"))
            .args(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let mut message = String::new();
        let mut messages = BufReader::new(child.stderr.take().unwrap());
        messages.read_line(&mut message).unwrap();
        let waits = "linetape: waiting for standard input;";
        assert!(message.starts_with(waits), "{message}");
        // What comes later is read all the same.
        pipe.write_all(LOG).unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(!text(&output.stdout).contains("sample"));
    }
}
