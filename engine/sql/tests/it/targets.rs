//! Where the command writes Parquet files.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

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
    // The file need not exist.
    let new = folder.0.join("far/new.parquet");
    let link = folder.0.join("dangling.parquet");
    symlink(&new, &link).unwrap();
    assert!(write_to(&link, &folder).status.success());
    assert!(link.is_symlink() && is_parquet(&new));
    let files = fs::read_dir(folder.0.join("far")).unwrap().count();
    assert_eq!(files, 3, "no temporary file is left");
    // A link to itself leads nowhere.
    let link = folder.0.join("loop.parquet");
    symlink("loop.parquet", &link).unwrap();
    let why = refused(&link, &folder);
    assert!(why.contains("loop.parquet"), "{why}");
    assert!(link.is_symlink());
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

/// It left `out.parquet.PID.tmp` behind.
#[cfg(unix)]
#[test]
fn a_signal_leaves_no_part_of_a_file() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let folder = Folder::new();
        let log = "{\"type\":\"user\",\"uuid\":\"u\"}\n".repeat(300_000);
        let log = folder.write("logs/a.jsonl", log);
        let file = folder.0.join("out/x.parquet");
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_linetape-sql"))
            .args(["--threads", "1", "--parquet"])
            .arg(&file)
            .arg("SELECT a.uuid FROM lines a, lines b")
            .arg(&log)
            .spawn()
            .unwrap();
        let names = || std::fs::read_dir(file.parent().unwrap()).unwrap();
        // It has begun to write.
        while names().next().is_none() {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let id = child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        let left: Vec<_> = names().map(|name| name.unwrap().path()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
