//! Runs the command, and provides files and logs.

pub mod lines;
pub mod reference;
pub mod selection;

#[path = "../../../../../tests/support/diff.rs"]
pub mod diff;
// The library and the session crate use the rest of these.
#[allow(dead_code)]
#[path = "../../../../../tests/support/logs.rs"]
pub mod real_logs;
#[allow(dead_code)]
#[path = "../../../../../tests/support/usage.rs"]
pub mod usage;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
    thread,
};

use serde_json::Value;

pub fn linetape(arguments: &[&str], input: &[u8]) -> Output {
    // A pipe would be mentioned by a command that does not read it.
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    let mut child = Command::new(env!("CARGO_BIN_EXE_linetape"))
        .args(arguments)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    let input = input.to_vec();
    // A command that does not read its input can end before all is written.
    let feed = thread::spawn(move || {
        stdin.map(|mut stdin| drop(stdin.write_all(&input)))
    });
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap();
    output
}

/// Runs a command whose standard output is a closed pipe. Returns its standard
/// error and its exit code.
#[cfg(unix)]
pub fn unread(arguments: &str) -> String {
    let command = env!("CARGO_BIN_EXE_linetape");
    // The command starts after the pipe is closed.
    let script =
        format!("read go; '{command}' {arguments} </dev/null; echo $? >&2");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    text(&child.wait_with_output().unwrap().stderr).to_string()
}

/// A file that exists and cannot be read.
#[cfg(target_os = "linux")]
pub const UNREADABLE: &str = "/proc/self/mem";
/// A file that cannot be read, since it does not exist.
#[cfg(not(target_os = "linux"))]
pub const UNREADABLE: &str = "no/such/input/error";

pub fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A path that no other test uses at the same time: tests run in parallel,
/// each on a thread with its name.
fn path(name: &str) -> PathBuf {
    let test = thread::current().name().unwrap_or("main").replace("::", "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// Writes a file for one test.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = path(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Creates a folder for one test, with these files in it.
pub fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = path(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (path, content) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

/// A log that ships with linetape.
pub fn shipped(name: &str) -> PathBuf {
    real_logs::root().join("tests/data").join(name)
}

/// The logs that ship with linetape, and real logs if there are any, which are
/// cut in everyday tests.
pub fn logs() -> Vec<PathBuf> {
    static LOGS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    LOGS.get_or_init(find_logs).clone()
}

fn find_logs() -> Vec<PathBuf> {
    let root = real_logs::root();
    let mut logs = vec![root.join("crates/cli/sample/session.jsonl")];
    add_logs(&root.join("tests/data"), &mut logs);
    assert!(logs.len() > 1, "no logs in tests/data");

    if let Some(corpus) = real_logs::folder(root, "LINETAPE_CORPUS", "corpus")
    {
        let shipped = logs.len();
        add_logs(&corpus, &mut logs);
        assert!(logs.len() > shipped, "no logs in {}", corpus.display());
        let copies = Path::new(env!("CARGO_TARGET_TMPDIR")).join("logs");
        fs::create_dir_all(&copies).unwrap();
        for path in &mut logs[shipped..] {
            let mut log = fs::read(&*path).unwrap();
            let whole = log.len();
            real_logs::cut(&mut log);
            if log.len() < whole {
                *path = copies.join(path.file_name().unwrap());
                fs::write(path, log).unwrap();
            }
        }
    }
    logs
}

fn add_logs(folder: &Path, logs: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add_logs(&path, logs);
        } else if path
            .extension()
            .is_some_and(|end| end == "jsonl" || end == "ndjson")
        {
            logs.push(path);
        }
    }
}

/// Removes the styles of a text. Each of them must end on its line.
pub fn without_colours(painted: &str) -> String {
    let mut plain = String::new();
    for line in painted.split_inclusive('\n') {
        let mut parts = line.split("\x1b[");
        plain += parts.next().unwrap();
        let mut is_open = false;
        for part in parts {
            let (code, rest) = part.split_once('m').unwrap();
            assert!(code.bytes().all(|b| b.is_ascii_digit() || b == b';'));
            is_open = code != "0";
            plain += rest;
        }
        assert!(!is_open, "a style does not end on its line: {line:?}");
    }
    plain
}
