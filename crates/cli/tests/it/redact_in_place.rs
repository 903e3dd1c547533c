//! `linetape redact --in-place`: which files are replaced, and by what.

use std::{fs, path::Path, process::Output};

use crate::support::{file, folder, linetape, text};

fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

fn run(flags: &[&str], path: &Path) -> Output {
    let path = path.to_str().unwrap();
    linetape(&[&["redact", "--in-place"], flags, &[path]].concat(), b"")
}

/// How many files are in the folder of a file.
fn count_beside(path: &Path) -> usize {
    fs::read_dir(path.parent().unwrap()).unwrap().count()
}

/// Every line of a file that is not a log is damaged, and damaged lines were
/// dropped: notes became an empty file.
#[test]
fn a_file_that_is_not_a_log_stays() {
    let notes = "my notes\nline two\n";
    let document = "{\n \"a\": [\n  {\"b\":1}\n ]\n}\n";
    for content in [notes, document] {
        for flags in [&[][..], &["--drop-bad"], &["--keep-bad"]] {
            let dir = folder("notes", &[("notes.md", content)]);
            let path = dir.join("notes.md");
            let output = run(flags, &path);
            assert_eq!(output.status.code(), Some(2), "{flags:?}");
            let left = fs::read_to_string(&path).unwrap();
            assert_eq!(left, content, "{flags:?}");
            assert!(text(&output.stderr).contains("left as it is"));
            assert_eq!(count_beside(&path), 1);
        }
    }
}

/// Damaged lines were dropped without being asked for.
#[test]
fn damaged_lines_are_only_dropped_if_asked_for() {
    let token = token();
    let log = format!("{{\"a\":\"{token}\"}}\n{{\"b\":\n{{\"c\":1}}\n");
    let clean = "{\"a\":\"***\"}\n{\"c\":1}\n";
    for (flags, code, expected) in [
        (&[][..], 2, &*log),
        (&["--drop-bad"], 0, clean),
        (&["--keep-bad"], 0, clean),
    ] {
        let dir = folder("damaged", &[("a.jsonl", &log), ("b.jsonl", &log)]);
        let output = run(flags, &dir);
        assert_eq!(output.status.code(), Some(code), "{flags:?}");
        for name in ["a.jsonl", "b.jsonl"] {
            let left = fs::read_to_string(dir.join(name)).unwrap();
            assert_eq!(left, expected, "{flags:?} {name}");
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
    }
}

/// With `--skip-noise`, a file in which only noise could hold secrets stayed
/// as it was.
#[test]
fn noise_that_is_skipped_goes() {
    let log = file("noise.jsonl", b"export KEY=x\n{\"a\":1}\n");
    let output = run(&["--skip-noise"], &log);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read(&log).unwrap(), b"{\"a\":1}\n");
}

/// A file of the user whose name is like that of the new file was taken for what
/// an interrupted run had left, and was deleted.
#[test]
fn no_other_file_is_touched() {
    let log = format!("{{\"a\":\"{}\"}}\n", token());
    let other = ".x.jsonl.redacted";
    let dir = folder("stale", &[("x.jsonl", &log), (other, "mine\n")]);
    let output = run(&[], &dir.join("x.jsonl"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let ours = fs::read_to_string(dir.join("x.jsonl")).unwrap();
    assert_eq!(ours, "{\"a\":\"***\"}\n");
    assert_eq!(fs::read_to_string(dir.join(other)).unwrap(), "mine\n");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
}

/// What a killed run had left stayed for ever. What a run is writing has to
/// stay, and what no run has written.
#[test]
fn the_files_of_killed_runs_are_removed() {
    let log = format!("{{\"a\":\"{}\"}}\n", token());
    let left = ".x.jsonl.4194000-0.redacted";
    let others = [
        ".x.jsonl.4194000-1.redacted",
        ".x.jsonl.notes-1.redacted",
        ".y.jsonl.4194000-0.redacted",
    ];
    let mut files = vec![("x.jsonl", &*log), (left, "{}\n")];
    files.extend(others.map(|name| (name, "{}\n")));
    let dir = folder("killed", &files);
    let running =
        fs::File::options().write(true).open(dir.join(others[0])).unwrap();
    running.lock().unwrap();
    let output = run(&[], &dir.join("x.jsonl"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let ours = fs::read_to_string(dir.join("x.jsonl")).unwrap();
    assert_eq!(ours, "{\"a\":\"***\"}\n");
    assert!(!dir.join(left).exists());
    for other in others {
        assert!(dir.join(other).exists(), "{other}");
    }
    drop(running);
    // The same with `--output`.
    let log = folder("killed-from", &[("x.jsonl", &log)]);
    let (from, to) = (log.to_str().unwrap(), dir.to_str().unwrap());
    fs::remove_file(dir.join("x.jsonl")).unwrap();
    let output = linetape(&["redact", from, "-o", to], b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(dir.join("x.jsonl").exists());
    assert!(!dir.join(others[0]).exists());
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 3);
}

/// A run that is killed between two steps leaves a second name of the complete
/// file. `--in-place` counted it and refused the file, and `--output` let it be.
#[cfg(unix)]
#[test]
fn a_second_name_of_a_file_that_a_killed_run_left_is_removed() {
    let log = format!("{{\"a\":\"{}\"}}\n", token());
    let dir = folder("linked", &[("x.jsonl", &log)]);
    let (path, left) =
        (dir.join("x.jsonl"), dir.join(".x.jsonl.4194000-0.redacted"));
    let from = folder("linked-from", &[("x.jsonl", &log)]);
    let args = [from.to_str().unwrap(), "-o", dir.to_str().unwrap()];
    fs::hard_link(&path, &left).unwrap();
    let output = linetape(&[&["redact"], &args[..]].concat(), b"");
    // The file itself is not overwritten.
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&path).unwrap(), log);
    assert!(!left.exists());
    fs::hard_link(&path, &left).unwrap();
    let output = run(&[], &path);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":\"***\"}\n");
    assert_eq!(count_beside(&path), 1);
}

/// The name of the new file was longer than file systems allow.
#[test]
fn a_name_may_be_as_long_as_file_systems_allow() {
    let log = format!("{{\"a\":\"{}\"}}\n", token());
    for name in ["x".repeat(249), "é".repeat(124), "x".repeat(201)] {
        let name = format!("{name}.jsonl");
        let dir = folder("long", &[(&name, &log)]);
        let path = dir.join(&name);
        let to = dir.join("to");
        let args = [path.to_str().unwrap(), "-o", to.to_str().unwrap()];
        let output = linetape(&[&["redact"], &args[..]].concat(), b"");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let output = run(&[], &path);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        for path in [&path, &to.join(&name)] {
            let ours = fs::read_to_string(path).unwrap();
            assert_eq!(ours, "{\"a\":\"***\"}\n");
        }
        assert_eq!(fs::read_dir(&to).unwrap().count(), 1);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
    }
}

/// A compressed log was known by its name alone, and replaced by plain text.
#[test]
fn a_compressed_log_is_known_by_its_first_bytes() {
    let gzip =
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let log = file("plain-name.jsonl", &gzip);
    let output = run(&[], &log);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("a compressed log is not replaced"), "{message}");
    assert_eq!(fs::read(&log).unwrap(), gzip);
}

/// A file is not renamed in place, so its name keeps the secret. Nothing said
/// so.
#[test]
fn a_name_with_a_secret_is_reported() {
    let name = format!("{}.jsonl", token());
    let dir = folder("named", &[(&name, "{}\n")]);
    let output = run(&[], &dir);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("***.jsonl: its name"), "{message}");
    assert!(dir.join(name).exists());
}

#[cfg(unix)]
mod unix {
    use std::{
        fs::{self, Permissions},
        os::unix::fs::{MetadataExt, PermissionsExt},
    };

    use super::{run, token};
    use crate::support::{folder, text};

    /// The owner was that of the process, so a file of another user was lost
    /// to them.
    #[test]
    fn the_mode_and_the_owner_stay() {
        let log = format!("{{\"a\":\"{}\"}}\n", token());
        for mode in [0o600, 0o640, 0o444] {
            let dir = folder("mode", &[("x.jsonl", &log)]);
            let path = dir.join("x.jsonl");
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            // Only root can do this.
            let given = std::os::unix::fs::chown(&path, Some(7), Some(8));
            let before = fs::metadata(&path).unwrap();
            let output = run(&[], &path);
            assert_eq!(output.status.code(), Some(0), "{mode:o}");
            let after = fs::metadata(&path).unwrap();
            assert_ne!(before.ino(), after.ino());
            assert_eq!(after.mode() & 0o7777, mode);
            assert_eq!(after.uid(), before.uid(), "{given:?}");
            assert_eq!(after.gid(), before.gid(), "{given:?}");
        }
    }

    /// Another name of the file kept the secret, and nothing said so.
    #[test]
    fn a_file_with_two_names_is_refused() {
        let log = format!("{{\"a\":\"{}\"}}\n", token());
        let dir = folder("links", &[("x.jsonl", &log), ("y.jsonl", "{}\n")]);
        for name in ["x", "y"] {
            let (from, to) = (format!("{name}.jsonl"), format!("{name}.copy"));
            fs::hard_link(dir.join(from), dir.join(to)).unwrap();
        }
        let output = run(&[], &dir.join("x.jsonl"));
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        assert!(message.contains("2 hard links"), "{message}");
        assert_eq!(fs::read_to_string(dir.join("x.jsonl")).unwrap(), log);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 4);
        // Nothing is found in this one.
        assert_eq!(run(&[], &dir.join("y.jsonl")).status.code(), Some(0));
    }
}
