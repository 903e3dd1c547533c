//! What does not fit into the memory.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use linetape_engine_testing::{obeys_hangup, signal as send};

use crate::support::{Folder, LOG};

/// A process that is killed at the end of a test, even if the test fails.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the files below a folder that are not empty.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    // Files come and go meanwhile.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(facts) if facts.is_dir() => found.extend(files(&entry.path())),
            Ok(facts) if facts.len() > 0 => found.push(entry.path()),
            _ => {}
        }
    }
    found
}

fn count(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

/// The parts of logs stayed in the temporary folder, in a folder that everybody can read.
#[test]
fn a_signal_leaves_no_temporary_files() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129)] {
        if signal == "-HUP" && !obeys_hangup() {
            continue;
        }
        let folder = Folder::new();
        let line =
            |n| format!("{{\"type\":\"user\",\"uuid\":\"{n:0100}\"}}\n");
        let log: String = (0..300_000).map(line).collect();
        let log = folder.write("logs/a.jsonl", log);
        let temporary = folder.0.join("temporary");
        fs::create_dir(&temporary).unwrap();
        let process = Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
            .args(["--threads", "1", "--memory", "16", "--csv"])
            .arg("SELECT raw, uuid FROM lines ORDER BY uuid DESC")
            .arg(&log)
            .env("TMPDIR", &temporary)
            // Nobody reads it, so that the command does not end.
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut process = Process(process);
        let start = Instant::now();
        while files(&temporary).is_empty() {
            assert_eq!(process.0.try_wait().unwrap(), None);
            assert!(start.elapsed() < Duration::from_secs(120), "no files");
            thread::sleep(Duration::from_millis(5));
        }
        for entry in fs::read_dir(&temporary).unwrap() {
            let mode = entry.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        send(&process.0, signal);
        assert_eq!(process.0.wait().unwrap().code(), Some(code), "{signal}");
        assert_eq!(count(&temporary), 0, "{signal}");
    }
}

/// A query that needs no files does not need the folder either.
#[test]
fn a_temporary_folder_is_not_needed() {
    let folder = Folder::new();
    let log = folder.write("a.jsonl", LOG);
    let temporary = folder.0.join("temporary");
    fs::create_dir(&temporary).unwrap();
    for temporary in [&temporary, &folder.0.join("none")] {
        let output = Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
            .args(["--csv", "SELECT count(*) AS n FROM lines"])
            .arg(&log)
            .env("TMPDIR", temporary)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout.starts_with(b"n\n"), "{output:?}");
    }
    assert_eq!(count(&temporary), 0);
}
