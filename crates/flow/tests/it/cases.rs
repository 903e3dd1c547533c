//! Cases of the list that need more than one way to go wrong: files that may
//! not be read, that are no files, and that look like others. All cases are in
//! `table.rs`.
//!
//! The reference implementation splits the bytes that were ever written.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};

use linetape::ErrorKind;
use linetape_flow::{Checkpoint, Checkpoints, Event, Follow};

use crate::support::{Folder, split};

/// What was seen of a file or a folder.
#[derive(Debug, Default)]
struct Seen {
    lines: Vec<String>,
    events: Vec<Event>,
    errors: Vec<ErrorKind>,
}

/// Polls until nothing is new.
fn poll(follow: &mut Follow) -> Seen {
    let mut seen = Seen::default();
    for _ in 0..100_000 {
        match follow.next_event() {
            Ok(Event::CaughtUp) => return seen,
            Ok(Event::Line(line)) => {
                let text = String::from_utf8_lossy(line.as_ref());
                seen.lines.push(text.into());
            }
            Ok(event) => seen.events.push(event),
            Err(error) => seen.errors.push(error.kind()),
        }
    }
    panic!("it never catches up: {seen:?}");
}

/// Returns the lines of what was written.
fn lines_of(written: &str) -> Vec<String> {
    let lines = split(written.as_bytes()).into_iter();
    lines.map(|(_, line)| String::from_utf8(line).unwrap()).collect()
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

fn append(path: &Path, text: &str) {
    let mut options = OpenOptions::new();
    let mut file = options.append(true).create(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Every poll searches the folder.
fn folder_of(path: &Path) -> Follow {
    Follow::folder(path).rescan(Duration::ZERO)
}

/// Case 18: permission denied, and granted later. The administrator may read
/// everything, so a child process of another user does it.
#[cfg(unix)]
#[test]
fn case_18_permission_is_granted_later() {
    use std::{
        os::unix::{fs::PermissionsExt, process::CommandExt},
        process::Command,
    };

    // A place where the other user can execute it.
    let folder = Folder::new();
    let program = folder.0.join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    for path in [&program, &folder.0] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let secret = folder.write("secret", "");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    let mut child = Command::new(&program);
    child.args(["cases::case_18_as_another_user", "--exact", "--ignored"]);
    child.env("LINETAPE_FLOW_CHILD", "1").current_dir("/");
    if fs::read(&secret).is_ok() {
        child.uid(65534).gid(65534);
    }
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

/// The child process of the test above.
#[cfg(unix)]
#[test]
#[ignore = "the child process of another test"]
fn case_18_as_another_user() {
    use std::os::unix::fs::PermissionsExt;

    if std::env::var_os("LINETAPE_FLOW_CHILD").is_none() {
        return;
    }
    let allow = |path: &Path, mode: u32| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(path, mode).unwrap();
    };
    // A single file.
    let folder = Folder::new();
    let path = folder.write("log.jsonl", "{\"a\":1}\n");
    allow(&path, 0o200);
    assert!(fs::read(&path).is_err(), "this user may read everything");
    let mut follow = Follow::new(&path);
    for count in [1, 0] {
        let seen = poll(&mut follow);
        // The error is returned once.
        let errors = vec![ErrorKind::Io; count];
        assert_eq!((seen.lines.len(), seen.errors), (0, errors));
        append(&path, "{\"a\":2}\n");
    }
    allow(&path, 0o600);
    let seen = poll(&mut follow);
    assert_eq!(seen.lines, lines_of("{\"a\":1}\n{\"a\":2}\n{\"a\":2}\n"));
    // A file that is open is read on.
    allow(&path, 0o200);
    append(&path, "{\"a\":3}\n");
    assert_eq!(poll(&mut follow).lines, ["{\"a\":3}"]);

    // A file of a folder. Others are not kept waiting, and the error is
    // returned once.
    let root = folder.0.join("logs");
    let a = folder.write("logs/a.jsonl", "{\"a\":1}\n");
    let b = folder.write("logs/b.jsonl", "{\"b\":1}\n");
    let inner = folder.write("logs/inner/c.jsonl", "{\"c\":1}\n");
    let closed = folder.0.join("logs/inner");
    allow(&a, 0o200);
    let mut follow = folder_of(&root);
    let seen = poll(&mut follow);
    assert_eq!(sorted(seen.lines), ["{\"b\":1}", "{\"c\":1}"]);
    assert_eq!((seen.events, &*seen.errors), (vec![], &[ErrorKind::Io][..]));
    append(&a, "{\"a\":2}\n");
    append(&b, "{\"b\":2}\n");
    let seen = poll(&mut follow);
    assert_eq!(
        (&*seen.lines, seen.errors),
        (&lines_of("{\"b\":2}\n")[..], vec![])
    );
    allow(&a, 0o600);
    let seen = poll(&mut follow);
    assert_eq!(seen.lines, lines_of("{\"a\":1}\n{\"a\":2}\n"));
    assert_eq!((seen.events, seen.errors), (vec![], vec![]));

    // A folder that may not be searched for a while: its files are not gone.
    append(&inner, "{\"c\":2}\n");
    allow(&closed, 0o000);
    let mut lines = vec![];
    let mut errors = 0;
    for _ in 0..4 {
        let seen = poll(&mut follow);
        assert_eq!(seen.events, []);
        lines.extend(seen.lines);
        errors += seen.errors.len();
    }
    assert!((1..=2).contains(&errors), "{errors} errors");
    allow(&closed, 0o700);
    append(&inner, "{\"c\":3}\n");
    let seen = poll(&mut follow);
    assert_eq!((seen.events, seen.errors), (vec![], vec![]));
    lines.extend(seen.lines);
    assert_eq!(lines, lines_of("{\"c\":2}\n{\"c\":3}\n"));
}

/// What a path can be instead of a file.
#[cfg(unix)]
const KINDS: [&str; 3] = ["directory", "pipe", "socket"];

#[cfg(unix)]
fn make(kind: &str, path: &Path) {
    match kind {
        "directory" => fs::create_dir(path).unwrap(),
        "pipe" => {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }
        _ => drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
    }
}

#[cfg(unix)]
fn remove(kind: &str, path: &Path) {
    match kind {
        "directory" => fs::remove_dir(path).unwrap(),
        _ => fs::remove_file(path).unwrap(),
    }
}

/// Fails if a function does not return: opening a pipe waits for its writer.
fn in_time<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(run()));
    receiver.recv_timeout(Duration::from_secs(60)).expect("it returns")
}

/// Case 19: a directory, a pipe or a socket by the name of the log, from the
/// start or later, is an error. A file in its place is read.
#[cfg(unix)]
#[test]
fn case_19_only_a_file_is_read() {
    for kind in KINDS {
        for is_later in [false, true] {
            let (lines, errors) = in_time(move || {
                let folder = Folder::new();
                let path = folder.0.join("log.jsonl");
                let mut follow = Follow::new(&path);
                let (mut lines, mut errors) = (vec![], vec![]);
                if is_later {
                    append(&path, "{\"first\":1}\n");
                    lines.extend(poll(&mut follow).lines);
                    fs::remove_file(&path).unwrap();
                }
                make(kind, &path);
                for _ in 0..2 {
                    let seen = poll(&mut follow);
                    lines.extend(seen.lines);
                    errors.extend(seen.errors);
                }
                remove(kind, &path);
                append(&path, "{\"a\":1}\n{\"a\":2}\n");
                lines.extend(poll(&mut follow).lines);
                (lines, errors)
            });
            let first = if is_later { "{\"first\":1}\n" } else { "" };
            let written = format!("{first}{{\"a\":1}}\n{{\"a\":2}}\n");
            assert_eq!(lines, lines_of(&written), "{kind} {is_later}");
            assert_eq!(errors, [ErrorKind::Io], "{kind} {is_later}");
        }
    }
}

/// Case 19, in a folder: the error is returned once, and the other logs are
/// read.
#[cfg(unix)]
#[test]
fn case_19_only_files_of_a_folder_are_read() {
    for kind in KINDS {
        for is_later in [false, true] {
            let (lines, errors) = in_time(move || {
                let folder = Folder::new();
                let path = folder.0.join("a.jsonl");
                let mut follow = folder_of(&folder.0);
                let (mut lines, mut errors) = (vec![], vec![]);
                if is_later {
                    append(&path, "{\"first\":1}\n");
                    lines.extend(poll(&mut follow).lines);
                    fs::remove_file(&path).unwrap();
                }
                make(kind, &path);
                for n in 0..3 {
                    let other = folder.0.join("b.jsonl");
                    append(&other, &format!("{{\"b\":{n}}}\n"));
                    let seen = poll(&mut follow);
                    lines.extend(seen.lines);
                    errors.extend(seen.errors);
                }
                remove(kind, &path);
                append(&path, "{\"a\":1}\n{\"a\":2}\n");
                lines.extend(poll(&mut follow).lines);
                (lines, errors)
            });
            let first = if is_later { "{\"first\":1}\n" } else { "" };
            let written = format!(
                "{first}{{\"b\":0}}\n{{\"b\":1}}\n{{\"b\":2}}\n\
                 {{\"a\":1}}\n{{\"a\":2}}\n"
            );
            assert_eq!(lines, lines_of(&written), "{kind} {is_later}");
            // A directory with the name of a log is searched, like any other.
            let count = usize::from(kind != "directory");
            assert_eq!(errors, vec![ErrorKind::Io; count], "{kind}");
        }
    }
}

/// Case 22: truncated, and grown past the offset before the next poll, with
/// the same first line or another one. All lines are delivered that were ever
/// written.
#[test]
fn case_22_a_file_that_has_outgrown_its_offset_is_read_again() {
    // More than the 4 KiB that a position remembers, or less.
    for size in [1, 3000, 9000] {
        let long = format!("{{\"t\":\"{}\"}}\n", "x".repeat(size));
        let old = format!("{long}{{\"a\":1}}\n{{\"a\":2}}\n");
        let other = long.replace('x', "y");
        for first in [&long, &other] {
            for last in ["", "{\"begun\":"] {
                let folder = Folder::new();
                let path = folder.write("log.jsonl", &old);
                let mut single = Follow::new(&path);
                let mut all = folder_of(&folder.0);
                let mut before = poll(&mut single).lines;
                assert_eq!(poll(&mut all).lines, before);
                // The same inode.
                append(&path, last);
                fs::write(&path, "").unwrap();
                let new = format!("{first}{{\"b\":1}}\n{{\"b\":2}}\n{long}");
                assert!(new.len() > old.len() + last.len());
                append(&path, &new);
                let seen = poll(&mut single);
                before.extend(seen.lines.clone());
                assert_eq!(before, lines_of(&format!("{old}{new}")));
                assert_eq!(seen.events, [Event::Replaced]);
                let of_folder = poll(&mut all);
                assert_eq!(of_folder.lines, seen.lines);
                assert_eq!(of_folder.events, [Event::Replaced]);
            }
        }
    }
}

/// Case 27, where the file in the middle cannot be found: exactly its lines are
/// lost, and those of the others are delivered once.
#[test]
fn case_27_a_file_that_was_never_seen_is_lost_alone() {
    // Its new name: of no log in the folder, out of the folder, or removed.
    for away in [Some("logs/log.jsonl.1"), Some("away.jsonl"), None] {
        for is_single in [true, false] {
            let folder = Folder::new();
            let path = folder.write("logs/log.jsonl", "{\"a\":1}\n");
            let mut follow = match is_single {
                true => Follow::new(&path),
                false => folder_of(&folder.0.join("logs")),
            };
            let mut seen = poll(&mut follow);
            append(&path, "{\"a\":2}\n{\"a\":3}");
            fs::rename(&path, folder.0.join("first")).unwrap();
            append(&path, "{\"lost\":1}\n{\"lost\":2}\n");
            match away {
                Some(name) => fs::rename(&path, folder.0.join(name)).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            append(&path, "{\"c\":1}\n");
            seen.lines.extend(poll(&mut follow).lines);
            append(&path, "{\"c\":2}\n");
            seen.lines.extend(poll(&mut follow).lines);
            let written = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"lost\":1}\n\
                           {\"lost\":2}\n{\"c\":1}\n{\"c\":2}\n";
            let mut expected = lines_of(written);
            expected.retain(|line| !line.contains("lost"));
            assert_eq!(seen.lines, expected, "{away:?} {is_single}");
        }
    }
}

/// Case 27, between two runs: all three files are in the folder, and none of
/// their lines is lost or delivered twice.
#[cfg(unix)]
#[test]
fn case_27_files_that_were_rotated_twice_between_two_runs_are_found() {
    let folder = Folder::new();
    let root = folder.0.join("logs");
    let pad = "x".repeat(64);
    let first = format!("{{\"a\":\"{pad}\"}}\n");
    let path = folder.write("logs/log.jsonl", &first);
    let mut saved = Checkpoints::open(folder.0.join("state")).unwrap();
    let mut follow = saved.resume(folder_of(&root));
    let mut lines = poll(&mut follow).lines;
    saved.update(&mut follow);
    append(&path, "{\"a\":2}\n");
    fs::rename(&path, root.join("log.2.jsonl")).unwrap();
    append(&path, "{\"b\":1}\n");
    fs::rename(&path, root.join("log.1.jsonl")).unwrap();
    append(&path, "{\"c\":1}\n");
    for _ in 0..2 {
        let mut follow = saved.resume(folder_of(&root));
        lines.extend(poll(&mut follow).lines);
        saved.update(&mut follow);
    }
    let written = format!("{first}{{\"a\":2}}\n{{\"b\":1}}\n{{\"c\":1}}\n");
    assert_eq!(sorted(lines), sorted(lines_of(&written)));
}

/// Case 41: two files with the same first lines and a different rest are two,
/// in one run and in the next one, also if they change their names.
#[test]
fn case_41_files_with_the_same_first_lines_are_two() {
    // A few bytes, the 4 KiB that a checkpoint compares, and more.
    for size in [0, 100, 5000] {
        // A few bytes do not show that a file is the same at another path.
        let changes = ["none", "removed", "swapped", "renamed"];
        let changes = if size == 0 { &changes[..2] } else { &changes };
        for change in changes {
            let folder = Folder::new();
            let root = folder.0.join("logs");
            let same = format!("{{\"t\":\"{}\"}}\n", "x".repeat(size));
            let mut written = String::new();
            let mut write = |path: &Path, text: &str| {
                append(path, text);
                written += text;
            };
            fs::create_dir(&root).unwrap();
            let [a, b, c] =
                ["a", "b", "c"].map(|name| root.join(format!("{name}.jsonl")));
            write(&a, &format!("{same}{{\"a\":1}}\n"));
            write(&b, &format!("{same}{{\"b\":1}}\n{{\"b\":2}}\n"));
            let mut stored: BTreeMap<PathBuf, String> = BTreeMap::new();
            let mut lines = vec![];
            for run in 0..3 {
                let mut follow = folder_of(&root);
                for text in stored.values() {
                    let checkpoint = Checkpoint::parse(text.as_bytes());
                    follow = follow.resume(checkpoint.unwrap());
                }
                loop {
                    match follow.next_event().unwrap() {
                        Event::CaughtUp => break,
                        Event::Line(line) => {
                            let text = String::from_utf8_lossy(line.as_ref());
                            lines.push(text.to_string());
                        }
                        Event::Moved(old) => _ = stored.remove(&old),
                        event => assert_eq!(*change, "removed", "{event:?}"),
                    }
                    if let Some(checkpoint) = follow.checkpoint() {
                        let text = checkpoint.to_json().unwrap();
                        stored.insert(checkpoint.path().into(), text);
                    }
                }
                if run == 0 {
                    match *change {
                        "swapped" => {
                            fs::rename(&a, &c).unwrap();
                            fs::rename(&b, &a).unwrap();
                            fs::rename(&c, &b).unwrap();
                        }
                        "renamed" => fs::rename(&a, &c).unwrap(),
                        "removed" => {
                            fs::remove_file(&a).unwrap();
                            write(&c, &format!("{same}{{\"c\":1}}\n"));
                        }
                        _ => {}
                    }
                    for path in [&a, &b, &c] {
                        if path.exists() {
                            write(path, &format!("{{\"new\":{path:?}}}\n"));
                        }
                    }
                }
            }
            let expected = sorted(lines_of(&written));
            assert_eq!(sorted(lines), expected, "{size} {change}");
        }
    }
}

/// Case 44: checkpoints of another path do not say where to begin, and are
/// kept. A copy of a log in another folder was taken for the log itself, though
/// that was still there, and its lines were lost.
#[test]
fn case_44_checkpoints_of_another_path_are_not_used() {
    let folder = Folder::new();
    let text = format!("{{\"t\":\"{}\"}}\n{{\"a\":1}}\n", "x".repeat(100));
    let a = folder.write("a/log.jsonl", &text);
    let b = folder.write("b/log.jsonl", &text);
    let mut saved = Checkpoints::open(folder.0.join("state")).unwrap();
    let mut follow = saved.resume(Follow::new(&a));
    assert_eq!(poll(&mut follow).lines, lines_of(&text));
    saved.update(&mut follow);
    for mut follow in [Follow::new(&b), folder_of(&folder.0.join("b"))] {
        follow = saved.resume(follow);
        let seen = poll(&mut follow);
        assert_eq!((seen.lines, seen.events), (lines_of(&text), vec![]));
    }
    assert_eq!(saved.get(&a).unwrap().offset(), text.len() as u64);
}
