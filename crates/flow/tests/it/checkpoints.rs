//! Files of checkpoints: numbers are those of the list of cases.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use linetape::{Error, ErrorKind};
use linetape_flow::{Checkpoint, Checkpoints, Event, Follow};

use crate::support::{Folder, Random};

/// A folder with a log, which has been followed, and a file of checkpoints.
fn world() -> (Folder, PathBuf, Follow) {
    let folder = Folder::new();
    folder.write("logs/a.jsonl", "{\"a\":1}\n{\"a\":2}\n");
    folder.write("logs/b.jsonl", "{\"b\":1}\n");
    let state = folder.0.join("state");
    let mut follow = Follow::folder(folder.0.join("logs"));
    read(&mut follow);
    (folder, state, follow)
}

/// Reads all that is there.
fn read(follow: &mut Follow) -> Vec<String> {
    let mut lines = vec![];
    loop {
        match follow.next_event().unwrap() {
            Event::CaughtUp => return lines,
            Event::Line(line) => {
                lines.push(String::from_utf8_lossy(line.as_ref()).into());
            }
            _ => {}
        }
    }
}

/// Returns the path as an error shows it.
fn resolved(path: &Path) -> String {
    let folder = fs::canonicalize(path.parent().unwrap()).unwrap();
    folder.join(path.file_name().unwrap()).display().to_string()
}

fn kind(error: &Error) -> io::ErrorKind {
    error.io_error().unwrap().kind()
}

#[test]
fn checkpoints_and_their_state_are_saved_together() {
    let (folder, path, mut follow) = world();
    let mut saved = Checkpoints::open(&path).unwrap();
    assert_eq!((saved.iter().count(), saved.state()), (0, &b""[..]));
    saved.update(&mut follow);
    // The state may have newlines, and be no text.
    let state = b"\n\xFF{}\n\0 totals \n";
    saved.set_state(state);
    saved.save().unwrap();
    let before: Vec<Checkpoint> = saved.iter().cloned().collect();
    assert_eq!(before.len(), 2);
    drop(saved);

    let mut again = Checkpoints::open(&path).unwrap();
    assert_eq!(again.iter().cloned().collect::<Vec<_>>(), before);
    assert_eq!(again.state(), state);
    let log = folder.0.join("logs/a.jsonl");
    assert_eq!(again.get(&log).unwrap().offset(), 16);
    fs::write(&log, "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n").unwrap();
    let mut follow = again.resume(Follow::folder(folder.0.join("logs")));
    assert_eq!(read(&mut follow), ["{\"a\":3}"]);
    let mut one = again.resume(Follow::new(&log));
    assert_eq!(read(&mut one), ["{\"a\":3}"]);
    again.update(&mut one);
    assert_eq!(again.get(&log).unwrap().offset(), 24);
    assert!(again.remove(&log) && !again.remove(&log));
    again.save().unwrap();
    drop(again);
    let last = Checkpoints::open(&path).unwrap();
    assert!(last.get(&log).is_none());
    // An unchanged state is saved again with new checkpoints.
    assert_eq!((last.iter().count(), last.state()), (1, &state[..]));
}

/// A file that was moved has one checkpoint.
#[test]
fn the_checkpoint_of_a_moved_file_moves() {
    let (folder, path, mut follow) = world();
    let mut saved = Checkpoints::open(&path).unwrap();
    saved.update(&mut follow);
    let mut follow = saved
        .resume(Follow::folder(folder.0.join("logs")))
        .rescan(Duration::ZERO);
    let (old, new) =
        (folder.0.join("logs/a.jsonl"), folder.0.join("logs/c.jsonl"));
    read(&mut follow);
    fs::rename(&old, &new).unwrap();
    assert!(read(&mut follow).is_empty());
    saved.update(&mut follow);
    assert!(saved.get(&old).is_none());
    assert_eq!(saved.get(&new).unwrap().offset(), 16);
}

/// Case 44: a file that is torn, empty or of another program is an error that
/// says so, whatever is wrong with it.
#[test]
fn a_damaged_file_is_an_error() {
    let (_folder, path, mut follow) = world();
    let mut saved = Checkpoints::open(&path).unwrap();
    saved.update(&mut follow);
    saved.set_state("some state");
    saved.save().unwrap();
    drop(saved);
    let good = fs::read(&path).unwrap();
    let refuses = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = Checkpoints::open(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("checkpoints"), "{error}");
    };
    for end in 0..good.len() {
        refuses(&good[..end]);
    }
    for index in 0..good.len() {
        // The second one changes the case of a letter.
        for bit in [0x01, 0x20] {
            let mut bad = good.clone();
            bad[index] ^= bit;
            refuses(&bad);
        }
    }
    refuses(&[&good[..], b"x"].concat());
    refuses(b"{}\n");
    refuses(b"{\"type\":\"user\"}\n{\"type\":\"assistant\"}\n");
    let text = String::from_utf8(good.clone()).unwrap();
    refuses(text.replacen("\"version\":1", "\"version\":2", 1).as_bytes());
    refuses(
        text.replacen("\"checkpoints\":2", "\"checkpoints\":9", 1).as_bytes(),
    );
    // To begin anew is a decision of the caller.
    let mut anew = Checkpoints::create(&path).unwrap();
    assert_eq!((anew.iter().count(), anew.state()), (0, &b""[..]));
    anew.save().unwrap();
    drop(anew);
    assert_eq!(Checkpoints::open(&path).unwrap().iter().count(), 0);
}

/// Case 45: killed after the new file was written, and before it was renamed.
#[test]
fn a_file_that_was_not_renamed_does_not_count() {
    let (folder, path, mut follow) = world();
    let mut saved = Checkpoints::open(&path).unwrap();
    saved.update(&mut follow);
    saved.set_state("good");
    saved.save().unwrap();
    drop(saved);
    for rest in ["", "{\"format\":\"linetape-check"] {
        folder.write("state.tmp", rest);
        let mut again = Checkpoints::open(&path).unwrap();
        assert_eq!((again.iter().count(), again.state()), (2, &b"good"[..]));
        again.save().unwrap();
        assert!(!folder.0.join("state.tmp").exists());
    }
}

/// A disk that is full, or a folder that may not be written to: the old file
/// stays. The error named line 1.
#[test]
fn a_save_that_fails_changes_nothing() {
    let (folder, path, mut follow) = world();
    let mut saved = Checkpoints::open(&path).unwrap();
    saved.set_state("old");
    saved.save().unwrap();
    let before = fs::read(&path).unwrap();
    saved.update(&mut follow);
    saved.set_state("new");
    // A folder is where the new file would be.
    fs::create_dir(folder.0.join("state.tmp")).unwrap();
    let error = saved.save().unwrap_err();
    let path_of_state = resolved(&path);
    let why = "is in the way, and was not written by linetape";
    assert_eq!(
        error.to_string(),
        format!("{path_of_state}: {path_of_state}.tmp {why}")
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::remove_dir(folder.0.join("state.tmp")).unwrap();
    saved.save().unwrap();
    drop(saved);
    assert_eq!(Checkpoints::open(&path).unwrap().state(), b"new");
}

/// A path that is not UTF-8 has a checkpoint, too.
#[cfg(unix)]
#[test]
fn any_path_can_have_a_checkpoint() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let folder = Folder::new();
    let logs = folder.0.join("logs");
    fs::create_dir(&logs).unwrap();
    for name in [&b"\xFF\n\".jsonl"[..], "\u{1F600}\".jsonl".as_bytes()] {
        fs::write(logs.join(OsStr::from_bytes(name)), "{}\n").unwrap();
    }
    let path = folder.0.join("state");
    let mut saved = Checkpoints::open(&path).unwrap();
    for expected in [2, 0] {
        let mut follow = saved.resume(Follow::folder(&logs));
        assert_eq!(read(&mut follow).len(), expected);
        saved.update(&mut follow);
        saved.save().unwrap();
        drop(saved);
        saved = Checkpoints::open(&path).unwrap();
    }
}

/// Case 53: two processes, or two parts of one, with the same file. The error
/// named line 1 and not the file.
#[test]
fn two_with_the_same_file_exclude_each_other() {
    let (_folder, path, _) = world();
    let first = Checkpoints::open(&path).unwrap();
    for _ in 0..2 {
        let error = Checkpoints::open(&path).unwrap_err();
        assert_eq!(kind(&error), io::ErrorKind::WouldBlock);
        let why = "another process uses this file";
        assert_eq!(error.to_string(), format!("{}: {why}", resolved(&path)));
        assert!(Checkpoints::create(&path).is_err());
    }
    drop(first);
    // Also while it is saved, which replaces the file.
    let mut first = Checkpoints::open(&path).unwrap();
    first.save().unwrap();
    assert!(Checkpoints::open(&path).is_err());
    drop(first);
    Checkpoints::open(&path).unwrap();
}

/// The variable that tells a child process where to work.
const CHILD: &str = "LINETAPE_FLOW_CHILD";

/// The variable that tells it at which step to die.
const STEP: &str = "LINETAPE_FLOW_STEP";

/// After how many lines the child process saves.
const LINES_PER_SAVE: usize = 5;

/// Cases 46 and 53, with processes: a consumer is killed at random moments
/// (`kill -9`). It appends each line to its own file before it saves: at least
/// once. It also counts them in the state: exactly once.
#[test]
fn a_killed_process_loses_nothing() {
    let folder = Folder::new();
    let mut random = Random(0x1234_5678_9ABC);
    let append = |written: &mut Vec<String>, random: &mut Random| {
        use std::io::Write;

        for _ in 0..random.below(40) {
            let path = format!("logs/{}.jsonl", random.below(3));
            let path = folder.0.join(path);
            let mut options = fs::OpenOptions::new();
            let options = options.append(true).create(true);
            let mut file = options.open(path).unwrap();
            let line = format!("{{\"n\":{}}}", written.len());
            writeln!(file, "{line}").unwrap();
            written.push(line);
        }
    };
    fs::create_dir_all(folder.0.join("logs")).unwrap();
    let mut written: Vec<String> = vec![];
    let mut kills = 0;
    for _ in 0..25 {
        append(&mut written, &mut random);
        let mut child = spawn(&folder.0, 0);
        append(&mut written, &mut random);
        std::thread::sleep(Duration::from_millis(random.below(30) as u64));
        append(&mut written, &mut random);
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    // The last one ends by itself.
    fs::write(folder.0.join("stop"), "").unwrap();
    assert!(spawn(&folder.0, 0).wait().unwrap().success());
    assert_delivered(&folder.0, &written, kills);
}

/// Compares what was delivered with what was written. Only lines after the
/// last checkpoint before a kill may be there twice.
fn assert_delivered(folder: &Path, written: &[String], kills: usize) {
    let saved = Checkpoints::open(folder.join("state")).unwrap();
    let count: [u8; 8] = saved.state().try_into().unwrap();
    assert_eq!(u64::from_le_bytes(count), written.len() as u64);
    let delivered = fs::read_to_string(folder.join("delivered")).unwrap();
    let mut lines: Vec<&str> = delivered.lines().collect();
    let most = written.len() + kills * LINES_PER_SAVE;
    assert!(lines.len() <= most, "{} lines, {kills} kills", lines.len());
    lines.sort_unstable();
    lines.dedup();
    let mut expected: Vec<&str> = written.iter().map(|line| &**line).collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

/// Case 46, with processes: killed at every step of the loop, one after the
/// other.
#[test]
fn a_process_that_is_killed_at_any_step_loses_nothing() {
    let mut steps = 0;
    loop {
        steps += 1;
        let folder = Folder::new();
        let mut written = vec![];
        for (file, count) in [("logs/a.jsonl", 9), ("logs/b.jsonl", 3)] {
            let lines = (0..count).map(|n| format!("{{\"{file}\":{n}}}"));
            let lines: Vec<String> = lines.collect();
            folder.write(file, lines.join("\n") + "\n");
            written.extend(lines);
        }
        folder.write("stop", "");
        let first = spawn(&folder.0, steps).wait().unwrap();
        if first.success() {
            break;
        }
        assert!(spawn(&folder.0, 0).wait().unwrap().success());
        assert_delivered(&folder.0, &written, 1);
    }
    assert!(steps > 20, "{steps} steps");
}

/// Starts a consumer. It is killed at a step, unless that is 0.
fn spawn(folder: &Path, step: u32) -> Child {
    let this = env::current_exe().unwrap();
    let mut command = Command::new(this);
    command
        .args(["checkpoints::the_child", "--exact", "--ignored"])
        .env(CHILD, folder)
        .env(STEP, step.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The child process of the tests above.
#[test]
#[ignore = "the child process of another test"]
fn the_child() {
    use std::io::Write;

    let Some(folder) = env::var_os(CHILD) else { return };
    let folder = PathBuf::from(folder);
    let mut saved = Checkpoints::open(folder.join("state")).unwrap();
    let mut count =
        saved.state().try_into().map(u64::from_le_bytes).unwrap_or(0);
    let follow = Follow::folder(folder.join("logs")).rescan(Duration::ZERO);
    let mut follow = saved.resume(follow);
    let mut options = fs::OpenOptions::new();
    let options = options.append(true).create(true);
    let mut delivered = options.open(folder.join("delivered")).unwrap();
    let mut since_save = 0;
    let mut left = env::var(STEP).map_or(0i64, |step| step.parse().unwrap());
    let mut step = || {
        left -= 1;
        if left == 0 {
            // SIGABRT: nothing is cleaned up.
            process::abort();
        }
    };
    loop {
        step();
        let event = follow.next_event().unwrap();
        let is_caught_up = event == Event::CaughtUp;
        match event {
            Event::Line(line) => {
                let mut text = line.as_bytes().to_vec();
                text.push(b'\n');
                delivered.write_all(&text).unwrap();
                step();
                count += 1;
                since_save += 1;
            }
            Event::CaughtUp | Event::New => {}
            event => panic!("{event:?}"),
        }
        if since_save >= LINES_PER_SAVE || is_caught_up && since_save > 0 {
            saved.update(&mut follow);
            saved.set_state(count.to_le_bytes());
            step();
            saved.save().unwrap();
            step();
            since_save = 0;
        }
        if is_caught_up && folder.join("stop").exists() {
            return;
        }
    }
}

/// A checkpoint that is made of a file is the one that `Follow` makes after
/// reading as far.
#[test]
fn checkpoints_of_files_are_those_of_follow() {
    let folder = Folder::new();
    let path = folder.0.join("a.jsonl");
    for lines in [0, 1, 3, 2000] {
        let text = "{\"n\":1}\n".repeat(lines);
        fs::write(&path, &text).unwrap();
        let mut follow = Follow::new(&path);
        while follow.next_event().unwrap() != Event::CaughtUp {}
        let expected = follow.checkpoint().unwrap();
        let made = Checkpoint::of_file(&path, text.len() as u64).unwrap();
        let made = made.with_line(lines as u64 + 1);
        assert_eq!(made, expected, "{lines}");
        assert!(made.is_of(&path).unwrap());
        fs::write(&path, text.clone() + "{").unwrap();
        assert!(made.is_of(&path).unwrap());
        if lines > 0 {
            fs::write(&path, &text[1..]).unwrap();
            assert!(!made.is_of(&path).unwrap());
            fs::write(&path, text.replacen('1', "2", 1)).unwrap();
            assert!(!made.is_of(&path).unwrap());
        }
        let beyond = text.len() as u64 + 1;
        fs::write(&path, &text).unwrap();
        assert!(Checkpoint::of_file(&path, beyond).is_err());
    }
    assert!(Checkpoint::of_file(folder.0.join("none"), 0).is_err());
}

#[test]
fn a_state_is_taken_once() {
    let folder = Folder::new();
    let path = folder.0.join("a.state");
    let mut checkpoints = Checkpoints::open(&path).unwrap();
    assert_eq!(checkpoints.take_state(), b"");
    checkpoints.set_state("abc");
    checkpoints.save().unwrap();
    drop(checkpoints);
    let mut checkpoints = Checkpoints::open(&path).unwrap();
    assert_eq!(checkpoints.take_state(), b"abc");
    assert_eq!(checkpoints.state(), b"");
}

/// The lines before the state may be longer than what is read first.
#[test]
fn many_checkpoints_are_read() {
    let folder = Folder::new();
    let logs = folder.0.join("logs");
    fs::create_dir(&logs).unwrap();
    for n in 0..600 {
        fs::write(logs.join(format!("{n}.jsonl")), "{}\n").unwrap();
    }
    let path = folder.0.join("state");
    let mut saved = Checkpoints::open(&path).unwrap();
    let mut follow = Follow::folder(&logs);
    assert_eq!(read(&mut follow).len(), 600);
    saved.update(&mut follow);
    saved.set_state("a state");
    saved.save().unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 64 << 10);
    drop(saved);
    let saved = Checkpoints::open(&path).unwrap();
    assert_eq!((saved.iter().count(), saved.state()), (600, &b"a state"[..]));
}

/// The new file was created through a link at `state.tmp`, so that saving
/// destroyed the file that it led to, and also a file of the user by that name.
#[cfg(unix)]
#[test]
fn a_file_in_the_way_is_not_destroyed() {
    use std::os::unix::fs::symlink;

    let (folder, path, _) = world();
    let victim = folder.write("victim", "precious");
    let tmp = folder.0.join("state.tmp");
    for is_link in [true, false] {
        match is_link {
            true => symlink(&victim, &tmp).unwrap(),
            false => fs::write(&tmp, "precious").unwrap(),
        }
        let mut saved = Checkpoints::open(&path).unwrap();
        let error = saved.save().unwrap_err();
        assert!(error.to_string().contains("state.tmp"), "{error}");
        assert_eq!(fs::read_to_string(&tmp).unwrap(), "precious");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        fs::remove_file(&tmp).unwrap();
        saved.save().unwrap();
    }
}

/// A file that only its owner could read became readable for all.
#[cfg(unix)]
#[test]
fn permissions_are_kept() {
    use std::os::unix::fs::PermissionsExt;

    let (_folder, path, _) = world();
    let mut saved = Checkpoints::open(&path).unwrap();
    saved.save().unwrap();
    for mode in [0o600, 0o640, 0o666] {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(&path, permissions).unwrap();
        saved.save().unwrap();
        let facts = fs::metadata(&path).unwrap();
        assert_eq!(facts.permissions().mode() & 0o777, mode);
    }
}

/// A link to a file that did not exist yet was replaced by a file.
#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = Folder::new();
    let (link, real) = (folder.0.join("link"), folder.0.join("real"));
    std::os::unix::fs::symlink("real", &link).unwrap();
    for _ in 0..2 {
        Checkpoints::open(&link).unwrap().save().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::symlink_metadata(&real).unwrap().is_file());
    }
}

/// A pipe by the name of the file or its lock was opened, which waits for
/// another process.
#[cfg(unix)]
#[test]
fn a_pipe_is_an_error() {
    let folder = Folder::new();
    for (pipe, name) in [("pipe", "pipe"), ("other.lock", "other")] {
        let made = std::process::Command::new("mkfifo")
            .arg(folder.0.join(pipe))
            .status();
        assert!(made.unwrap().success());
        let error = Checkpoints::open(folder.0.join(name)).unwrap_err();
        assert_eq!(kind(&error), io::ErrorKind::InvalidInput);
    }
}

/// A checkpoint of another version was an I/O error.
#[test]
fn a_checkpoint_of_another_version_is_invalid_input() {
    let (_folder, _, follow) = world();
    let line = follow.checkpoint().unwrap().to_json().unwrap();
    let line = line.replace("\"version\":1", "\"version\":2");
    let error = Checkpoint::parse(line.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

/// Follows a folder from its saved checkpoints on, and saves them. Returns the
/// number of lines.
#[cfg(unix)]
fn resumed_run(state: &Path, logs: &Path) -> usize {
    let mut saved = Checkpoints::open(state).unwrap();
    let mut follow = saved.resume(Follow::folder(logs));
    let lines = read(&mut follow);
    saved.update(&mut follow);
    saved.save().unwrap();
    lines.len()
}

/// Logs were rotated while no process followed them: the old one was delivered
/// a second time, since its path has another file.
#[cfg(unix)]
#[test]
fn logs_that_were_rotated_meanwhile_are_not_read_again() {
    let folder = Folder::new();
    let logs = folder.0.join("logs");
    let path = |name: &str| logs.join(name);
    // 64 bytes show that a file is the same at another path.
    let pad = format!("{{\"pad\":\"{}\"}}\n", "x".repeat(64));
    folder.write("logs/a.jsonl", "{\"n\":1}\n".to_string() + &pad);
    folder.write("logs/b.1.jsonl", pad);
    let state = folder.0.join("state");
    let run = || resumed_run(&state, &logs);
    assert_eq!(run(), 3);
    // `b.1.jsonl` gives its path to `a.jsonl`.
    fs::rename(path("b.1.jsonl"), path("b.2.jsonl")).unwrap();
    fs::rename(path("a.jsonl"), path("b.1.jsonl")).unwrap();
    fs::write(path("a.jsonl"), "{\"n\":3}\n").unwrap();
    assert_eq!(run(), 1);
    // The checkpoints have the new paths.
    assert_eq!(run(), 0);
    fs::rename(path("b.2.jsonl"), path("c.jsonl")).unwrap();
    assert_eq!(run(), 0);
    assert_eq!(run(), 0);
}

/// A log that was restored has another inode, which was not saved: it was read
/// again when it was renamed later.
#[cfg(unix)]
#[test]
fn a_restored_log_is_found_when_it_is_renamed_later() {
    let folder = Folder::new();
    let logs = folder.0.join("logs");
    let pad = format!("{{\"pad\":\"{}\"}}\n", "x".repeat(64));
    let path = folder.write("logs/a.jsonl", pad);
    let state = folder.0.join("state");
    let run = || resumed_run(&state, &logs);
    assert_eq!(run(), 1);
    let copy = folder.0.join("copy");
    fs::copy(&path, &copy).unwrap();
    fs::rename(copy, &path).unwrap();
    assert_eq!(run(), 0);
    fs::rename(&path, logs.join("b.jsonl")).unwrap();
    assert_eq!(run(), 0);
}

/// The checkpoints of removed files were never dropped. The reference
/// implementation is a list of the days on which a file was missing.
#[test]
fn files_that_are_gone_for_long_are_forgotten() {
    const DAY: u64 = 24 * 60 * 60;
    let day = |n: u64| UNIX_EPOCH + Duration::from_secs((1000 + n) * DAY);
    let folder = Folder::new();
    let mut random = Random(31);
    let state = folder.0.join("state");
    let path = |n: usize| folder.0.join(format!("logs/{n}.jsonl"));
    let log = |n: usize| format!("{{\"n\":{n}}}\n").repeat(20);
    for n in 0..6 {
        folder.write(&format!("logs/{n}.jsonl"), log(n));
    }
    // Since when each is missing; `None` if it is forgotten.
    let mut missing: Vec<Option<Option<u64>>> = vec![Some(None); 6];
    let mut forgotten = 0;
    for today in 0..60 {
        // One that is forgotten would be read again.
        let n = random.below(6);
        match (path(n).exists(), missing[n]) {
            (true, _) => fs::remove_file(path(n)).unwrap(),
            (false, Some(_)) if random.below(3) == 0 => {
                fs::write(path(n), log(n)).unwrap();
            }
            _ => {}
        }
        let mut saved = Checkpoints::open(&state).unwrap();
        let mut follow = saved.resume(Follow::folder(folder.0.join("logs")));
        let lines = read(&mut follow);
        assert_eq!(lines.len(), if today == 0 { 100 } else { 0 }, "{today}");
        saved.update(&mut follow);
        if today == 0 {
            // The file that was removed before it was read.
            missing[n] = None;
        }
        saved.note_gone(day(today));
        assert!(!saved.note_gone(day(today)));
        let count =
            saved.forget_gone(day(today) - Duration::from_secs(7 * DAY));
        for (n, since) in missing.iter_mut().enumerate() {
            let Some(missed) = *since else { continue };
            let missed = (!path(n).exists()).then(|| missed.unwrap_or(today));
            let is_old = missed.is_some_and(|missed| missed + 7 <= today);
            *since = (!is_old).then_some(missed);
            forgotten += usize::from(is_old);
        }
        let known: Vec<bool> =
            (0..6).map(|n| saved.get(path(n)).is_some()).collect();
        let expected: Vec<bool> =
            missing.iter().map(Option::is_some).collect();
        assert_eq!(known, expected, "{today}");
        assert!(count <= forgotten);
        saved.save().unwrap();
    }
    assert!(forgotten > 1, "{forgotten}");
}

/// A file that was renamed is found until it is forgotten, and a time in the
/// future is no reason to forget a file.
#[test]
fn a_file_that_is_gone_can_come_back_elsewhere() {
    let folder = Folder::new();
    let log = "{\"n\":1}\n".repeat(20);
    let path = folder.write("logs/a.jsonl", &log);
    let state = folder.0.join("state");
    let now = SystemTime::now();
    let month = Duration::from_secs(30 * 24 * 60 * 60);
    let run = |at: SystemTime| {
        let mut saved = Checkpoints::open(&state).unwrap();
        let mut follow = saved.resume(Follow::folder(folder.0.join("logs")));
        let lines = read(&mut follow).len();
        saved.update(&mut follow);
        saved.note_gone(at);
        let forgotten = saved.forget_gone(at - month);
        saved.save().unwrap();
        (lines, forgotten, saved.iter().count())
    };
    assert_eq!(run(now), (20, 0, 1));
    fs::rename(&path, folder.0.join("elsewhere")).unwrap();
    assert_eq!(run(now), (0, 0, 1));
    assert_eq!(run(now + month - Duration::from_secs(2)), (0, 0, 1));
    // The clock is set back.
    assert_eq!(run(now - month), (0, 0, 1));
    fs::rename(folder.0.join("elsewhere"), folder.0.join("logs/b.jsonl"))
        .unwrap();
    assert_eq!(run(now + month + month), (0, 0, 1));
    fs::remove_file(folder.0.join("logs/b.jsonl")).unwrap();
    assert_eq!(run(now), (0, 0, 1));
    assert_eq!(run(now + month), (0, 1, 0));
}

/// A file or folder that was refused had a lock file beside it from then on.
#[test]
fn what_is_not_a_file_of_checkpoints_gets_no_lock() {
    let (folder, _, _) = world();
    for name in ["logs", "logs/a.jsonl"] {
        let path = folder.0.join(name);
        let error = Checkpoints::open(&path).unwrap_err();
        assert!(!error.to_string().is_empty(), "{name}");
        assert!(!folder.0.join(format!("{name}.lock")).exists(), "{name}");
    }
}
