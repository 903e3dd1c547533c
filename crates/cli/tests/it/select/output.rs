//! Where the lines go that `linetape select` selects, and what any command
//! does if there is no room for what it prints, or nobody to read it.

mod support;

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use support::{file, linetape, text};

const LOG: &[u8] =
    b"{\"type\":\"user\"}\r\n{\"type\":\"x\"}\n{\"type\":\"user\"}";
const USERS: &str = "{\"type\":\"user\"}\n{\"type\":\"user\"}\n";

#[test]
fn a_file_gets_what_standard_output_would() {
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
    let why = "it is read from, so it cannot be written to\n";
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
    let folder = env!("CARGO_TARGET_TMPDIR");
    let parent = format!("{folder}/select_folder");
    fs::create_dir_all(&parent).unwrap();
    let detour = format!("{parent}/../select_onto_itself.jsonl");
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

    // It would be made first, and then read.
    let missing = format!("{folder}/select_missing.jsonl");
    let _ = fs::remove_file(&missing);
    assert_refuses(&["-o", &missing, &missing], Stdio::null());
    assert!(!fs::exists(&missing).unwrap());
}

/// Nothing can be lost in these.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_may_be_read_and_written() {
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

/// Every command, with something to say.
#[cfg(unix)]
const COMMANDS: [&str; 21] = [
    "stats",
    "stats --peek",
    "stats --json",
    "usage",
    "usage --json",
    "select",
    "select --count",
    "show",
    "show --full",
    "check tests/snapshots/bad.jsonl",
    "check --json",
    "schema",
    "schema --json",
    "normalize",
    "convert --to ui",
    "convert --to wrapper",
    "generate --bytes 100K",
    "man",
    "completions bash",
    "help",
    "--version",
];

#[cfg(target_os = "linux")]
#[test]
fn every_command_tells_that_the_disk_is_full() {
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
fn no_command_minds_a_reader_that_has_gone_away() {
    for command in COMMANDS {
        assert_eq!(support::unread(command), "0\n", "{command}");
    }
}

/// Sends a piece of input and keeps the pipe open, until a line comes back.
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
    // Nothing of what follows is written, so nothing else sets the line free.
    assert_comes_at_once(&user, b"{\"type\":\"user\"}\n{\"type\":\"x\"}\n");
    assert_comes_at_once(&user, b"{\"type\":\"user\"}\n\n\n  ");
    let noise = ["select", "--skip-noise", "--tool", "x", "--invert", "-"];
    assert_comes_at_once(&noise, b"{\"type\":\"user\"}\nnoise\n");
    let normalize = ["normalize", "--skip-noise", "-"];
    assert_comes_at_once(&normalize, b"{\"type\":\"user\"}\nnoise\n");
}

/// It went on until the pipe ended, as it noticed only when it wrote again.
#[test]
fn a_reader_of_a_live_pipe_that_has_gone_is_noticed() {
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
    // The pipe stays open, and nothing else comes.
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
    drop(stdin);
}

/// These filled the disk: a log that grew by what was read from it.
#[cfg(unix)]
#[test]
fn what_is_written_is_not_read() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("own");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("one.jsonl"), "{}\n").unwrap();
    for command in ["select", "normalize"] {
        let out = fs::File::create(folder.join("out.jsonl")).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_linetape"))
            .arg(command)
            .arg(&folder)
            .stdout(out)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}");
        let why = "linetape: standard output: it is read from, too\n";
        assert_eq!(text(&output.stderr), why);
        assert_eq!(fs::read(folder.join("out.jsonl")).unwrap(), b"");
    }
}
