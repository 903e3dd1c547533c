//! Where the command writes Parquet files.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
#[cfg(unix)]
use std::{
    path::PathBuf,
    process::Child,
    thread,
    time::{Duration, Instant},
};

#[cfg(unix)]
use linetape_engine_testing::obeys_hangup;

use crate::support::{Folder, LOG};

fn write_to(target: &Path, folder: &Folder) -> Output {
    folder.write("logs/a.jsonl", LOG);
    Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
        .arg("--parquet")
        .arg(target)
        .arg("SELECT * FROM lines")
        .arg(folder.0.join("logs"))
        .output()
        .unwrap()
}

fn refused(target: &Path, folder: &Folder) -> String {
    let output = write_to(target, folder);
    assert_eq!(output.status.code(), Some(2), "{}", target.display());
    String::from_utf8(output.stderr).unwrap()
}

fn is_parquet(path: &Path) -> bool {
    fs::read(path).unwrap().starts_with(b"PAR1")
}

/// The link was replaced by a file.
#[cfg(unix)]
#[test]
fn a_link_stays_one() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    let old = folder.write("far/old.parquet", "old");
    let link = folder.0.join("link.parquet");
    // A relative link is one of its folder, and one may lead to another.
    symlink("far/second.parquet", &link).unwrap();
    symlink("old.parquet", folder.0.join("far/second.parquet")).unwrap();
    assert!(write_to(&link, &folder).status.success());
    assert!(link.is_symlink() && !old.is_symlink());
    assert!(is_parquet(&old));
    let files = fs::read_dir(folder.0.join("far")).unwrap().count();
    assert_eq!(files, 2, "no temporary file is left");
}

/// A pipe was replaced by a file, and nobody got the rows.
#[cfg(unix)]
#[test]
fn what_is_not_a_file_is_refused() {
    use std::os::unix::fs::{FileTypeExt, symlink};

    let folder = Folder::new();
    let pipe = folder.0.join("pipe.parquet");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let link = folder.0.join("link.parquet");
    symlink(&pipe, &link).unwrap();
    for target in [&pipe, &link, &folder.0] {
        let why = refused(target, &folder);
        assert!(why.contains("is not a regular file"), "{why}");
        assert!(why.contains(target.to_str().unwrap()), "{why}");
    }
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(link.is_symlink());
}

/// The error did not say which file.
#[test]
fn a_file_that_cannot_be_created_is_named() {
    let folder = Folder::new();
    let target = folder.0.join("none/out.parquet");
    let why = refused(&target, &folder);
    assert!(why.contains("cannot write"), "{why}");
    assert!(why.contains(target.to_str().unwrap()), "{why}");
    // The error must not show the name of the temporary file.
    assert!(!why.contains(".tmp"), "{why}");
}

/// A file that only its owner could read was replaced by one that all could.
#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let target = folder.0.join("out.parquet");
    fs::write(&target, "").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(write_to(&target, &folder).status.success());
    assert!(is_parquet(&target));
    let mode = target.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// It left `out.parquet.PID.tmp` behind. After Ctrl-C and SIGTERM no longer did, SIGHUP
/// still did.
#[cfg(unix)]
#[test]
fn a_signal_leaves_no_part_of_a_file() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129)] {
        if signal == "-HUP" && !obeys_hangup() {
            continue;
        }
        let folder = Folder::new();
        let mut child = Long::start(&folder, "exec \"$@\"");
        child.send(signal);
        let status = child.process.wait().unwrap();
        assert_eq!(status.code(), Some(code), "{signal}");
        assert_eq!(child.files(), Vec::<PathBuf>::new());
    }
}

/// What `nohup` has started goes on.
#[cfg(unix)]
#[test]
fn a_hangup_that_is_ignored_has_no_effect() {
    let folder = Folder::new();
    let mut child = Long::start(&folder, "trap '' HUP; exec \"$@\"");
    // It has begun, so the signals that it waits for are known. Only Linux tells them.
    let status = format!("/proc/{}/status", child.process.id());
    let status = fs::read_to_string(status).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.map(|mask| u64::from_str_radix(mask.trim(), 16));
    assert!(caught.is_none_or(|mask| mask.unwrap() & 1 == 0), "{status}");
    child.send("-HUP");
    child.send("-TERM");
    assert_eq!(child.process.wait().unwrap().code(), Some(143));
    assert_eq!(child.files(), Vec::<PathBuf>::new());
}

/// A command that writes a file for very long. It has begun.
#[cfg(unix)]
struct Long {
    process: Child,
    folder: PathBuf,
}

#[cfg(unix)]
impl Long {
    /// Starts it by a script of the shell.
    fn start(folder: &Folder, script: &str) -> Long {
        let log = "{\"type\":\"user\",\"uuid\":\"u\"}\n".repeat(300_000);
        let log = folder.write("logs/a.jsonl", log);
        let out = folder.0.join("out");
        fs::create_dir(&out).unwrap();
        let process = Command::new("sh")
            .args(["-c", script, "sh", env!("CARGO_BIN_EXE_linetape-sql")])
            .args(["--threads", "1", "--parquet"])
            .arg(out.join("x.parquet"))
            .arg("SELECT a.uuid FROM lines a, lines b")
            .arg(&log)
            .spawn()
            .unwrap();
        let mut child = Long { process, folder: out };
        let start = Instant::now();
        while child.files().is_empty() {
            assert_eq!(child.process.try_wait().unwrap(), None);
            assert!(start.elapsed() < Duration::from_secs(120), "no file");
            thread::sleep(Duration::from_millis(5));
        }
        child
    }

    fn files(&self) -> Vec<PathBuf> {
        let names = fs::read_dir(&self.folder).unwrap();
        names.map(|name| name.unwrap().path()).collect()
    }

    fn send(&self, signal: &str) {
        linetape_engine_testing::signal(&self.process, signal);
    }
}

#[cfg(unix)]
impl Drop for Long {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
