//! Exit codes that all commands share: missing files, a full disk, and a
//! closed pipe.

#[cfg(target_os = "linux")]
use std::{
    fs,
    process::{Command, Stdio},
};

#[cfg(unix)]
use crate::support::unread;
use crate::support::{
    file,
    lines::{log, said, words},
    linetape, text,
};

#[test]
fn a_missing_file_is_named_and_the_others_are_read() {
    let one = file("sessions.jsonl", &log(&[said("m1", words("Hi"))]));
    let one = one.to_str().unwrap();
    for command in ["usage", "check", "show"] {
        let fine = linetape(&[command, one], b"");
        assert_eq!(fine.status.code(), Some(0), "{command}");
        let output = linetape(&[command, "no/such/file", one], b"");
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert_eq!(output.stdout, fine.stdout, "{command}");
        let complaint = text(&output.stderr);
        let start = "linetape: no/such/file: ";
        assert!(complaint.starts_with(start), "{complaint}");
        assert_eq!(complaint.lines().count(), 1);
    }
}

#[cfg(unix)]
const CHECK: &str = "check tests/snapshots/bad.jsonl";

/// Every command, with something to print.
#[cfg(unix)]
const COMMANDS: [&str; 22] = [
    "stats --sample",
    "stats --sample --peek",
    "stats --sample --skim",
    "stats --sample --json",
    "usage --sample",
    "usage --sample --json",
    "select --sample",
    "select --sample --skim",
    "select --sample --count",
    "show --sample",
    "show --sample --full",
    CHECK,
    "check --sample --json",
    "schema --sample",
    "schema --sample --json",
    "schema --known",
    "normalize --sample",
    "redact --sample",
    "convert --sample --to ui",
    "convert --sample --to wrapper",
    "help",
    "--version",
];

#[cfg(target_os = "linux")]
#[test]
fn every_command_reports_a_full_disk() {
    for command in COMMANDS {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_linetape"))
            .args(command.split(' '))
            .stdin(Stdio::null())
            .stdout(full)
            .output()
            .unwrap();
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {complaint}");
        let start = "linetape: cannot write: No space left";
        assert!(complaint.starts_with(start), "{command}: {complaint}");
        assert_eq!(complaint.lines().count(), 1, "{command}: {complaint}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    for command in COMMANDS {
        // `check` still reports that it has found something.
        let code = if command == CHECK { "1\n" } else { "0\n" };
        assert_eq!(unread(command), code, "{command}");
    }
}

/// The last line that had been read was reported as truncated.
#[cfg(unix)]
#[test]
fn a_pipe_that_closes_within_a_line_is_no_error() {
    let records = (0..3000).map(|n| {
        let block = words(&"x".repeat(999));
        said(&format!("m{n}"), block).to_string() + "\n"
    });
    let log = file("long.jsonl", records.collect::<String>().as_bytes());
    let log = log.to_str().unwrap();
    for command in ["redact", "select", "normalize", "convert --to ui"] {
        let command = format!("{command} '{log}'");
        assert_eq!(unread(&command), "0\n", "{command}");
    }
}

/// The exit code was 0 although `check` had found something.
#[cfg(unix)]
#[test]
fn check_reports_findings_even_to_a_closed_pipe() {
    let bad = file("bad.jsonl", b"oops\n");
    let bad = bad.to_str().unwrap();
    for (arguments, code) in [
        ("check --sample".to_string(), "0\n"),
        ("check --sample --json".to_string(), "0\n"),
        (format!("check '{bad}'"), "1\n"),
        (format!("check --json '{bad}'"), "1\n"),
    ] {
        assert_eq!(unread(&arguments), code, "{arguments}");
    }
}
