//! `linetape select`: where lines are written to.

use std::{
    fs,
    process::{Command, Stdio},
};

use crate::support::{file, folder, linetape, text};

const LOG: &[u8] =
    b"{\"type\":\"user\"}\r\n{\"type\":\"x\"}\n{\"type\":\"user\"}";
const USERS: &str = "{\"type\":\"user\"}\n{\"type\":\"user\"}\n";

#[test]
fn a_file_gets_the_same_as_standard_output() {
    let out = file("select_out.jsonl", &b"old\n".repeat(100));
    let out = out.to_str().unwrap();
    for option in ["-o", "--output"] {
        let arguments = ["select", "--type", "user", option, out, "-"];
        let output = linetape(&arguments, LOG);
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(text(&output.stdout), "");
        assert_eq!(fs::read_to_string(out).unwrap(), USERS);
    }
    let arguments = ["select", "--type", "user", "-o", "-", "-"];
    assert_eq!(text(&linetape(&arguments, LOG).stdout), USERS);
}

#[test]
fn lines_of_all_files_are_counted_together() {
    let log = file("select_count.jsonl", LOG);
    let log = log.to_str().unwrap();
    let arguments = ["select", "--type", "user", "--count", log, "-", log];
    let output = linetape(&arguments, b"{\"type\":\"user\"}\noops\n{}");
    assert_eq!(text(&output.stdout), "5\n");
    assert_eq!(text(&output.stderr).lines().count(), 1);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&linetape(&["select", "--count", "-"], b"").stdout),
        "0\n"
    );
}

#[test]
fn a_count_goes_to_no_file() {
    let out = file("select_no_count.jsonl", b"old\n");
    let out = out.to_str().unwrap();
    let output = linetape(&["select", "--count", "-o", out, "-"], LOG);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(out).unwrap(), "old\n");
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let missing = "no/such/\x1b[2J";
    let output = linetape(&["select", "-o", missing, "-"], LOG);
    assert_eq!(output.status.code(), Some(2));
    let complaint = text(&output.stderr);
    assert!(complaint.starts_with(r"linetape: no/such/\u{1b}[2J: "));
    assert_eq!(complaint.lines().count(), 1);
}

fn assert_refuses(arguments: &[&str], input: Stdio) {
    let output = Command::new(env!("CARGO_BIN_EXE_linetape"))
        .arg("select")
        .args(arguments)
        .stdin(input)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    let why = "input file is also the output file\n";
    assert!(text(&output.stderr).ends_with(why), "{arguments:?}");
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn a_file_that_is_read_is_never_overwritten() {
    let log = file("select_onto_itself.jsonl", LOG);
    let other = file("select_other.jsonl", LOG);
    let (log, other) = (log.to_str().unwrap(), other.to_str().unwrap());
    assert_refuses(&["-o", log, log], Stdio::null());
    assert_refuses(&["-o", log, other, log], Stdio::null());
    let folder = folder("links", &[]);
    let folder = folder.to_str().unwrap();
    let detour = format!("{folder}/../select_onto_itself.jsonl");
    assert_refuses(&["-o", &detour, log], Stdio::null());
    #[cfg(unix)]
    {
        let link = format!("{folder}/select_link.jsonl");
        let _ = fs::remove_file(&link);
        fs::hard_link(log, &link).unwrap();
        assert_refuses(&["-o", &link, log], Stdio::null());
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(log, &link).unwrap();
        assert_refuses(&["-o", &link, log], Stdio::null());
        assert_refuses(&["-o", log, &link], Stdio::null());
        fs::remove_file(&link).unwrap();
        let input = fs::File::open(log).unwrap();
        assert_refuses(&["-o", log, other, "-"], input.into());
    }
    assert_eq!(fs::read(log).unwrap(), LOG);

    // The file would be created first, and then read.
    let missing = format!("{folder}/select_missing.jsonl");
    let _ = fs::remove_file(&missing);
    assert_refuses(&["-o", &missing, &missing], Stdio::null());
    assert!(!fs::exists(&missing).unwrap());
}

/// Devices have no content to lose.
#[cfg(unix)]
#[test]
fn a_device_can_be_input_and_output() {
    let arguments = ["select", "-o", "/dev/null", "/dev/./null"];
    assert_eq!(linetape(&arguments, b"").status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let output = linetape(&["select", "-o", "/dev/full", "-"], LOG);
    assert_eq!(output.status.code(), Some(2));
    let complaint = text(&output.stderr);
    assert!(complaint.starts_with("linetape: cannot write: "), "{complaint}");
    assert_eq!(complaint.lines().count(), 1);
}

/// These filled the disk: the command read its own output.
#[cfg(unix)]
#[test]
fn the_output_is_never_an_input() {
    let folder = folder("logs", &[("one.jsonl", "{}\n")]);
    for command in ["select", "normalize"] {
        let out = fs::File::create(folder.join("out.jsonl")).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_linetape"))
            .arg(command)
            .arg(&folder)
            .stdout(out)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}");
        let why =
            "linetape: standard output: input file is also the output file\n";
        assert_eq!(text(&output.stderr), why);
        assert_eq!(fs::read(folder.join("out.jsonl")).unwrap(), b"");
    }
}
