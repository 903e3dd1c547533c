//! Following all logs of a folder: numbers are those of the list of cases.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use linetape::ErrorKind;
use linetape_flow::{Checkpoint, Event, Follow};

use crate::support::{Folder, Random};

/// A folder of logs, and what was seen of it.
struct World {
    folder: Folder,
    follow: Follow,
    /// The lines, with the name of their file.
    lines: Vec<(String, String)>,
    events: Vec<(String, Event)>,
    errors: Vec<(String, ErrorKind)>,
}

/// Every poll searches the folder.
fn every_time(follow: Follow) -> Follow {
    follow.rescan(Duration::ZERO)
}

impl World {
    fn new() -> World {
        World::with(|follow| follow)
    }

    fn with(settings: impl FnOnce(Follow) -> Follow) -> World {
        let folder = Folder::new();
        let follow = settings(every_time(Follow::folder(folder.0.join("l"))));
        fs::create_dir(folder.0.join("l")).unwrap();
        let (lines, events, errors) = (vec![], vec![], vec![]);
        World { folder, follow, lines, events, errors }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.0.join("l").join(name)
    }

    fn name(&self, path: &Path) -> String {
        let root = self.folder.0.join("l");
        path.strip_prefix(root).unwrap().to_str().unwrap().to_string()
    }

    fn append(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut options = OpenOptions::new();
        let options = options.append(true).create(true);
        let mut file = options.open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn rename(&self, old: &str, new: &str) {
        let new = self.path(new);
        fs::create_dir_all(new.parent().unwrap()).unwrap();
        fs::rename(self.path(old), new).unwrap();
    }

    /// Takes one event. Returns whether there was one.
    fn step(&mut self) -> bool {
        let event = self.follow.next_event();
        if matches!(event, Ok(Event::CaughtUp)) {
            return false;
        }
        let name = self.name(self.follow.path());
        match event {
            Ok(Event::Line(line)) => {
                let text = String::from_utf8(line.as_bytes().to_vec());
                self.lines.push((name, text.unwrap()));
            }
            Ok(event) => self.events.push((name, event)),
            Err(error) => self.errors.push((name, error.kind())),
        }
        true
    }

    /// Polls until nothing is new.
    fn poll(&mut self) {
        for _ in 0..1_000_000 {
            if !self.step() {
                return;
            }
        }
        panic!("it never catches up");
    }

    fn clear(&mut self) {
        self.lines.clear();
        self.events.clear();
    }

    /// Polls, and compares what is new: `name line`, and `name event`.
    #[track_caller]
    fn sees(&mut self, lines: &[&str], events: &[(&str, Event)]) {
        self.poll();
        let lines_seen: Vec<String> = std::mem::take(&mut self.lines)
            .into_iter()
            .map(|(name, line)| format!("{name} {line}"))
            .collect();
        let events_seen = std::mem::take(&mut self.events);
        let events: Vec<(String, Event)> = events
            .iter()
            .map(|(name, event)| (name.to_string(), event.clone()))
            .collect();
        assert_eq!(lines_seen, lines);
        assert_eq!(events_seen, events);
    }

    fn moved_from(&self, name: &str) -> Event {
        Event::Moved(self.path(name))
    }
}

#[test]
fn all_logs_of_a_folder_are_followed() {
    let mut world = World::new();
    world.append("b/x.jsonl", "{\"b\":1}\n");
    world.append("a.ndjson", "{\"a\":1}\n{\"half\"");
    world.append("notes.txt", "{\"no\":1}\n");
    world.append("c.jsonl.tmp", "{\"no\":1}\n");
    world.sees(&["a.ndjson {\"a\":1}", "b/x.jsonl {\"b\":1}"], &[]);
    world.sees(&[], &[]);
    world.append("a.ndjson", ":1}\n");
    world.append("d.jsonl", "{\"d\":1}\n");
    let lines = ["a.ndjson {\"half\":1}", "d.jsonl {\"d\":1}"];
    world.sees(&lines, &[("d.jsonl", Event::New)]);
    fs::write(world.path("a.ndjson"), "").unwrap();
    fs::remove_file(world.path("d.jsonl")).unwrap();
    let truncated = ("a.ndjson", Event::Truncated);
    world.sees(&[], &[truncated, ("d.jsonl", Event::Gone)]);
    assert!(world.errors.is_empty());
}

/// The files between two searches are looked at if they are open.
#[test]
fn open_files_are_looked_at_without_a_search() {
    let mut world = World::with(|follow| {
        follow.rescan(Duration::from_secs(3600)).open_files(2)
    });
    for name in ["a.jsonl", "b.jsonl", "c.jsonl"] {
        world.append(name, "{}\n");
    }
    world.poll();
    world.clear();
    world.append("a.jsonl", "{\"a\":1}\n");
    world.append("c.jsonl", "{\"c\":1}\n");
    world.append("new.jsonl", "{\"d\":1}\n");
    world.sees(&["c.jsonl {\"c\":1}"], &[]);
}

/// Case 13: an unfinished line is returned after a while, once.
#[test]
fn an_idle_line_is_returned_once() {
    for open in [128, 1] {
        let mut world =
            World::with(|follow| follow.idle(Duration::ZERO).open_files(open));
        world.append("a.jsonl", "{\"a\":1}\n{\"a\":2}");
        world.append("b.jsonl", "{\"b\":1}");
        world.append("c.jsonl", "{\"c\":");
        let lines =
            ["a.jsonl {\"a\":1}", "a.jsonl {\"a\":2}", "b.jsonl {\"b\":1}"];
        world.sees(&lines, &[]);
        world.sees(&[], &[]);
        // The newline alone, or more on the same line.
        world.append("a.jsonl", "\r\n{\"a\":3}\n");
        world.append("b.jsonl", " {}\n");
        world.append("c.jsonl", "1}");
        let lines =
            ["a.jsonl {\"a\":3}", "b.jsonl {\"b\":1} {}", "c.jsonl {\"c\":1}"];
        world.sees(&lines, &[]);
        // It is not returned again when its file is gone.
        fs::remove_file(world.path("c.jsonl")).unwrap();
        world.sees(&[], &[("c.jsonl", Event::Gone)]);
    }
}

/// Case 13: the time has to pass, and a checkpoint stays before the line.
#[test]
fn a_checkpoint_stays_before_an_idle_line() {
    let folder = Folder::new();
    let path = folder.write("log.jsonl", "{\"a\":1}\n{\"a\":2}");
    let mut patient = Follow::new(&path).idle(Duration::from_secs(3600));
    let mut hasty = Follow::new(&path).idle(Duration::ZERO);
    let offsets = |follow: &mut Follow| {
        let mut offsets = vec![];
        while let Event::Line(line) = follow.next_event().unwrap() {
            let checkpoint = follow.checkpoint().unwrap();
            offsets.push((line.offset(), checkpoint.offset()));
        }
        offsets
    };
    assert_eq!(offsets(&mut patient), [(0, 8)]);
    assert_eq!(offsets(&mut hasty), [(0, 8), (8, 8)]);
    let checkpoint = hasty.checkpoint().unwrap();
    // Another process returns the line again: at least once.
    let again = Follow::new(&path).idle(Duration::ZERO).resume(checkpoint);
    assert_eq!(offsets(&mut { again }), [(8, 8)]);
    fs::write(&path, "{\"a\":1}\n{\"a\":2}\n{}\n").unwrap();
    assert_eq!(offsets(&mut hasty), [(16, 19)]);
}

/// Case 16: a folder that does not exist yet.
#[test]
fn a_folder_may_be_missing_at_first() {
    let mut world = World::new();
    fs::remove_dir(world.folder.0.join("l")).unwrap();
    assert_eq!(world.follow.next_event().unwrap(), Event::CaughtUp);
    world.append("deep/er/a.jsonl", "{}\n");
    let new = ("deep/er/a.jsonl", Event::New);
    world.sees(&["deep/er/a.jsonl {}"], &[new]);
}

/// Case 18: permission denied, and granted later. Others are not kept waiting,
/// and the error is returned once.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_tried_again() {
    use std::os::unix::fs::PermissionsExt;

    let mut world = World::new();
    world.append("a.jsonl", "{\"a\":1}\n");
    world.append("b.jsonl", "{\"b\":1}\n");
    let path = world.path("a.jsonl");
    let allow = |mode: u32| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(&path, mode).unwrap();
    };
    allow(0o000);
    if fs::read(world.path("a.jsonl")).is_ok() {
        // The administrator may read everything, but nobody can follow a
        // socket.
        fs::remove_file(world.path("a.jsonl")).unwrap();
        let _socket =
            std::os::unix::net::UnixListener::bind(world.path("a.jsonl"));
        world.sees(&["b.jsonl {\"b\":1}"], &[]);
        world.sees(&[], &[]);
        fs::remove_file(world.path("a.jsonl")).unwrap();
        world.append("a.jsonl", "{\"a\":1}\n");
        world.sees(&["a.jsonl {\"a\":1}"], &[("a.jsonl", Event::New)]);
    } else {
        world.sees(&["b.jsonl {\"b\":1}"], &[]);
        world.sees(&[], &[]);
        allow(0o644);
        world.sees(&["a.jsonl {\"a\":1}"], &[]);
    }
    assert_eq!(world.errors, [("a.jsonl".to_string(), ErrorKind::Io)]);
}

/// Case 27: renamed and created twice between two polls. All three files are
/// in the folder, so nothing is lost and nothing is read twice.
#[test]
fn a_file_that_is_rotated_twice_is_read_on() {
    for open in [128, 1] {
        let mut world = World::with(|follow| follow.open_files(open));
        world.append("0.jsonl", "{}\n");
        world.append("log.jsonl", "{\"a\":1}\n");
        world.append("z.jsonl", "{}\n");
        world.poll();
        world.clear();
        world.append("log.jsonl", "{\"a\":2}\n");
        world.rename("log.jsonl", "log.1.jsonl");
        world.append("log.jsonl", "{\"b\":1}\n");
        world.rename("log.1.jsonl", "log.2.jsonl");
        world.rename("log.jsonl", "log.1.jsonl");
        world.append("log.jsonl", "{\"c\":1}\n");
        world.poll();
        world.lines.sort();
        let lines = [
            "log.1.jsonl {\"b\":1}",
            "log.2.jsonl {\"a\":2}",
            "log.jsonl {\"c\":1}",
        ];
        let events = [
            ("log.2.jsonl", world.moved_from("log.jsonl")),
            ("log.1.jsonl", Event::New),
            ("log.jsonl", Event::New),
        ];
        world.sees(&lines, &events);
    }
}

/// Case 28: the writer goes on in the file that was renamed.
#[test]
fn a_renamed_file_is_followed() {
    for open in [128, 1] {
        let mut world = World::with(|follow| follow.open_files(open));
        world.append("a.jsonl", "{\"a\":1}\n{\"half\"");
        world.append("z.jsonl", "{}\n");
        world.poll();
        world.clear();
        world.rename("a.jsonl", "b.jsonl");
        world.append("b.jsonl", ":2}\n");
        world.append("a.jsonl", "{\"new\":1}\n");
        world.poll();
        world.lines.sort();
        let moved = ("b.jsonl", world.moved_from("a.jsonl"));
        let lines = ["a.jsonl {\"new\":1}", "b.jsonl {\"half\":2}"];
        world.sees(&lines, &[moved, ("a.jsonl", Event::New)]);
        world.append("b.jsonl", "{\"a\":3}\n");
        world.sees(&["b.jsonl {\"a\":3}"], &[]);
        // Two files change their names.
        world.rename("a.jsonl", "c");
        world.rename("b.jsonl", "a.jsonl");
        world.rename("c", "b.jsonl");
        world.append("a.jsonl", "{\"a\":4}\n");
        let events = [
            ("a.jsonl", world.moved_from("b.jsonl")),
            ("b.jsonl", world.moved_from("a.jsonl")),
        ];
        world.sees(&["a.jsonl {\"a\":4}"], &events);
    }
}

/// A file is renamed over another one, whose rest is read first.
#[test]
fn a_file_that_is_overwritten_by_another_is_read_to_its_end() {
    let mut world = World::new();
    world.append("a.jsonl", "{\"a\":1}\n");
    world.append("b.jsonl", "{\"b\":1}\n");
    world.poll();
    world.clear();
    world.append("a.jsonl", "{\"a\":2}\n{\"last\":1}");
    world.append("b.jsonl", "{\"b\":2}\n");
    world.rename("b.jsonl", "a.jsonl");
    world.poll();
    let of_a = ["{\"a\":2}", "{\"last\":1}"];
    let lines: Vec<&str> =
        world.lines.iter().map(|(_, line)| &**line).collect();
    let of_a_seen: Vec<&str> =
        lines.iter().copied().filter(|line| !line.contains('b')).collect();
    assert_eq!(of_a_seen, of_a);
    assert!(lines.contains(&"{\"b\":2}") && lines.len() == 3, "{lines:?}");
    let events = [
        ("a.jsonl".to_string(), Event::Replaced),
        ("a.jsonl".to_string(), world.moved_from("b.jsonl")),
    ];
    assert_eq!(world.events, events);
    world.clear();
    world.append("a.jsonl", "{\"b\":3}\n");
    world.sees(&["a.jsonl {\"b\":3}"], &[]);
}

/// Case 29: a log that is compressed is not read again.
#[test]
fn a_compressed_copy_is_not_read_again() {
    let mut world = World::new();
    world.append("a.jsonl", "{\"a\":1}\n");
    world.append("old.jsonl.gz", "{\"not\":\"followed\"}\n");
    world.sees(&["a.jsonl {\"a\":1}"], &[]);
    fs::copy(world.path("a.jsonl"), world.path("a.jsonl.gz")).unwrap();
    world.sees(&[], &[]);
    fs::remove_file(world.path("a.jsonl")).unwrap();
    world.sees(&[], &[("a.jsonl", Event::Gone)]);
    // Or renamed, and then compressed.
    world.append("b.jsonl", "{\"b\":1}\n");
    world.poll();
    world.clear();
    world.rename("b.jsonl", "b.jsonl.gz");
    world.sees(&[], &[("b.jsonl", Event::Gone)]);
}

/// Case 30: a second name of the same file.
#[cfg(unix)]
#[test]
fn a_second_name_is_ignored() {
    let mut world = World::new();
    world.append("b.jsonl", "{\"b\":1}\n");
    world.poll();
    world.clear();
    fs::hard_link(world.path("b.jsonl"), world.path("a.jsonl")).unwrap();
    world.append("a.jsonl", "{\"b\":2}\n");
    world.sees(&["b.jsonl {\"b\":2}"], &[]);
    // The first name is removed: this is how some programs rename.
    fs::remove_file(world.path("b.jsonl")).unwrap();
    world.append("a.jsonl", "{\"b\":3}\n");
    let moved = ("a.jsonl", world.moved_from("b.jsonl"));
    world.sees(&["a.jsonl {\"b\":3}"], &[moved]);
}

/// Cases 31 and 32, of files that are not open: another file with the same
/// number is another file.
#[test]
fn a_closed_file_that_is_created_again_is_another_one() {
    let mut world = World::with(|follow| follow.open_files(1));
    world.append("a.jsonl", "{\"n\":0}\n");
    world.append("z.jsonl", "{}\n");
    world.poll();
    world.clear();
    for n in 1..30 {
        fs::remove_file(world.path("a.jsonl")).unwrap();
        let text = format!("{{\"n\":{n}}}\n").repeat(n);
        world.append("a.jsonl", &text);
        world.poll();
        let line = ("a.jsonl".to_string(), format!("{{\"n\":{n}}}"));
        assert_eq!(world.lines, vec![line; n]);
        let replaced = ("a.jsonl".to_string(), Event::Replaced);
        assert_eq!(world.events, [replaced], "{n}");
        // The other file is open now.
        world.append("z.jsonl", "{}\n");
        world.poll();
        world.clear();
    }
    // Another name, and perhaps the same number: this is not a move.
    fs::remove_file(world.path("a.jsonl")).unwrap();
    world.append("b.jsonl", "{\"other\":1}\n{\"other\":2}\n");
    world.poll();
    world.events.sort_by(|a, b| a.0.cmp(&b.0));
    let lines = ["b.jsonl {\"other\":1}", "b.jsonl {\"other\":2}"];
    let events = [("a.jsonl", Event::Gone), ("b.jsonl", Event::New)];
    world.sees(&lines, &events);
}

/// Cases 34 and 35: moved to another folder, in the middle of a line.
#[test]
fn a_file_that_is_moved_to_an_archive_is_read_on() {
    for open in [128, 1] {
        let mut world = World::with(|follow| follow.open_files(open));
        world.append("sessions/2026/a.jsonl", "{\"a\":1}\n{\"ha");
        world.append("z.jsonl", "{}\n");
        world.poll();
        world.clear();
        world.rename("sessions/2026/a.jsonl", "archive/a.jsonl");
        world.append("archive/a.jsonl", "lf\":1}\n{\"a\":3}\n");
        let moved =
            ("archive/a.jsonl", world.moved_from("sessions/2026/a.jsonl"));
        let lines =
            ["archive/a.jsonl {\"half\":1}", "archive/a.jsonl {\"a\":3}"];
        world.sees(&lines, &[moved]);
    }
}

/// Case 34, between two runs: also if the file was copied.
#[test]
fn a_file_that_is_moved_between_two_runs_is_read_on() {
    for is_copied in [false, true] {
        let mut world = World::new();
        // 64 bytes show that a file is the same at another path.
        let pad = "x".repeat(64);
        let line = |name: &str| format!("{{\"{name}\":\"{pad}\"}}\n");
        world.append("sessions/a.jsonl", &line("a"));
        world.append("sessions/b.jsonl", &line("b"));
        let mut stored = BTreeMap::new();
        while world.step() {
            if let Some(checkpoint) = world.follow.checkpoint() {
                let text = checkpoint.to_json().unwrap();
                stored.insert(checkpoint.path().to_path_buf(), text);
            }
        }
        world.clear();
        if is_copied {
            let text = fs::read_to_string(world.path("sessions/a.jsonl"));
            world.append("archive/a.jsonl", &text.unwrap());
            fs::remove_file(world.path("sessions/a.jsonl")).unwrap();
        } else {
            world.rename("sessions/a.jsonl", "archive/a.jsonl");
        }
        world.append("archive/a.jsonl", "{\"a\":2}\n");
        // The same name with another content.
        world.append("archive/b.jsonl", "{\"other\":2}\n");
        world.append("sessions/b.jsonl", "{\"b\":2}\n");
        let root = world.folder.0.join("l");
        world.follow = every_time(Follow::folder(root));
        for text in stored.values() {
            let checkpoint = Checkpoint::parse(text.as_bytes()).unwrap();
            world.follow = world.follow.resume(checkpoint);
        }
        let lines = [
            "archive/a.jsonl {\"a\":2}",
            "archive/b.jsonl {\"other\":2}",
            "sessions/b.jsonl {\"b\":2}",
        ];
        let moved = ("archive/a.jsonl", world.moved_from("sessions/a.jsonl"));
        world.sees(&lines, &[moved]);
    }
}

/// Of several files with one name, only one was found again.
#[test]
fn files_with_one_name_that_are_copied_between_two_runs_are_read_on() {
    let mut world = World::new();
    let pad = "x".repeat(64);
    let line = |n: u32| format!("{{\"n\":{n},\"pad\":\"{pad}\"}}\n");
    for n in 0..3 {
        world.append(&format!("old{n}/e.jsonl"), &line(n));
        // The same content twice: each copy is one of them.
        world.append(&format!("old{n}/same.jsonl"), &line(7));
    }
    let mut stored = BTreeMap::new();
    while world.step() {
        if let Some(checkpoint) = world.follow.checkpoint() {
            stored.insert(checkpoint.path().to_path_buf(), checkpoint);
        }
    }
    assert_eq!((world.lines.len(), stored.len()), (6, 6));
    world.clear();
    for n in 0..3 {
        for name in ["e", "same"] {
            let old = format!("old{n}/{name}.jsonl");
            let text = fs::read_to_string(world.path(&old)).unwrap();
            let new = format!("new{}/{name}.jsonl", 2 - n);
            world.append(&new, &(text + &line(10 + n)));
        }
    }
    for n in 0..3 {
        fs::remove_dir_all(world.path(&format!("old{n}"))).unwrap();
    }
    let root = world.folder.0.join("l");
    world.follow = every_time(Follow::folder(root));
    for checkpoint in stored.into_values() {
        world.follow = world.follow.resume(checkpoint);
    }
    world.poll();
    world.lines.sort();
    let expected = (0..3).flat_map(|n| {
        ["e", "same"].map(|name| {
            let line = line(12 - n).trim_end().to_string();
            (format!("new{n}/{name}.jsonl"), line)
        })
    });
    assert_eq!(world.lines, expected.collect::<Vec<_>>());
}

/// Case 54: a folder with all its files is removed.
#[test]
fn a_folder_that_is_removed_is_no_error() {
    let mut world = World::with(|follow| follow.open_files(3));
    for n in 0..10 {
        world.append(&format!("a/b/c/{n}.jsonl"), "{}\n");
    }
    world.append("other.jsonl", "{}\n");
    world.poll();
    world.clear();
    fs::remove_dir_all(world.path("a")).unwrap();
    world.append("other.jsonl", "{\"n\":1}\n");
    world.poll();
    world.events.sort_by(|a, b| a.0.cmp(&b.0));
    let names: Vec<String> =
        (0..10).map(|n| format!("a/b/c/{n}.jsonl")).collect();
    let gone: Vec<(&str, Event)> =
        names.iter().map(|name| (&**name, Event::Gone)).collect();
    world.sees(&["other.jsonl {\"n\":1}"], &gone);
    assert!(world.errors.is_empty());
    // It comes back.
    world.append("a/b/c/0.jsonl", "{}\n");
    world.sees(&["a/b/c/0.jsonl {}"], &[("a/b/c/0.jsonl", Event::New)]);
}

/// Case 49: one of a thousand files is much larger than all others. They do
/// not wait for its end.
#[test]
fn a_busy_file_does_not_keep_others_waiting() {
    let mut world = World::new();
    let line = format!("{{\"t\":\"{}\"}}\n", "x".repeat(10_000));
    world.append("busy.jsonl", &line.repeat(500));
    for n in 0..1000 {
        world.append(&format!("n{n:03}.jsonl"), "{}\n");
    }
    // After each turn of the busy file come all others that have new data.
    let mut busy = 0;
    while world.lines.iter().filter(|(name, _)| name != "busy.jsonl").count()
        < 1000
    {
        assert!(world.step());
    }
    busy += world.lines.iter().filter(|l| l.0 == "busy.jsonl").count();
    assert!(busy <= 110, "{busy} lines of the busy file came first");
    world.poll();
    assert_eq!(world.lines.len(), 1500);
    // The busy file grows faster than it is read.
    world.clear();
    world.append("busy.jsonl", &line.repeat(300));
    world.append("n500.jsonl", "{\"n\":1}\n");
    while world.lines.iter().all(|(name, _)| name == "busy.jsonl") {
        world.append("busy.jsonl", &line);
        assert!(world.step());
        assert!(world.lines.len() < 1000, "the other file is never read");
    }
}

/// Case 50: no more files are open than allowed, and all are read.
#[test]
fn few_files_are_open_at_a_time() {
    let mut world = World::with(|follow| follow.open_files(5));
    for n in 0..60 {
        world.append(&format!("{n}.jsonl"), &format!("{{\"n\":{n}}}\n"));
    }
    let root = fs::canonicalize(world.folder.0.join("l")).unwrap();
    let open_files = || {
        let Ok(handles) = fs::read_dir("/proc/self/fd") else { return 0 };
        let paths = handles.filter_map(|handle| {
            let link = fs::read_link(handle.ok()?.path()).ok()?;
            link.starts_with(&root).then_some(())
        });
        paths.count()
    };
    let mut most = 0;
    for round in 0..3 {
        while world.step() {
            most = most.max(open_files());
        }
        assert_eq!(world.lines.len(), 60, "round {round}");
        world.clear();
        for n in 0..60 {
            world.append(&format!("{n}.jsonl"), "{}\n");
        }
    }
    if cfg!(target_os = "linux") {
        assert_eq!(most, 5);
    }
}

/// Case 51: a slow consumer. Only one piece of a file is read ahead.
#[test]
fn no_more_than_one_piece_is_read_ahead() {
    let mut world = World::new();
    let text = "{\"n\":1}\n".repeat(200_000);
    world.append("a.jsonl", &text);
    world.append("b.jsonl", &text);
    let ahead = |world: &World| {
        let checkpoint = world.follow.checkpoint()?;
        let text = checkpoint.to_json().unwrap();
        let size = text.split("\"size\":").nth(1)?;
        let size: u64 = size.split(',').next()?.parse().ok()?;
        Some(size - checkpoint.offset())
    };
    let (mut most, mut count) = (0, 0);
    while world.step() {
        count += 1;
        if count % 100 == 0 {
            most = most.max(ahead(&world).unwrap());
        }
    }
    assert_eq!(world.lines.len(), 400_000);
    assert!(most <= 64 << 10, "{most} bytes were read ahead");
    assert!(most > 32 << 10);
}

/// Case 52: a consumer that stops. Another one goes on where it was.
#[test]
fn a_consumer_that_stops_is_replaced() {
    let mut world = World::new();
    for n in 0..20 {
        let lines: String =
            (0..50).map(|i| format!("{{\"n\":{n},\"i\":{i}}}\n")).collect();
        world.append(&format!("{n:02}.jsonl"), &lines);
    }
    let mut stored = BTreeMap::new();
    let mut steps = 0;
    while world.lines.len() < 1000 {
        assert!(world.step());
        let checkpoint = world.follow.checkpoint().unwrap();
        stored.insert(checkpoint.path().to_path_buf(), checkpoint);
        steps += 1;
        if steps % 37 == 0 {
            let root = world.folder.0.join("l");
            let follow = every_time(Follow::folder(root));
            world.follow =
                stored.values().cloned().fold(follow, Follow::resume);
        }
    }
    world.poll();
    let mut expected = vec![];
    for n in 0..20 {
        for i in 0..50 {
            let line = format!("{{\"n\":{n},\"i\":{i}}}");
            expected.push((format!("{n:02}.jsonl"), line));
        }
    }
    assert_eq!(world.lines, expected);
    assert!(world.events.is_empty());
}

/// A random writer of several files, which appends, begins lines, renames,
/// removes and creates, with polls at random: every line that was written is
/// delivered once, in the order of its file.
#[test]
fn a_folder_that_is_changed_in_every_way_is_read() {
    const FILES: usize = 6;
    for seed in 1..40 {
        let mut random = Random(seed * 0x9E37_79B9);
        let open = [1, 2, 128][random.below(3)];
        let mut world = World::with(|follow| follow.open_files(open));
        // Which file has which name, and what it has begun.
        let mut files: Vec<Option<(usize, String)>> = vec![None; FILES];
        let mut written: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut count = 0;
        for step in 0..200 {
            let name = random.below(FILES);
            let path = format!("{}/{name}.jsonl", name % 2);
            match random.below(8) {
                0..=3 => {
                    let (id, begun) = files[name].get_or_insert_with(|| {
                        count += 1;
                        (count, String::new())
                    });
                    let mut text = format!("{{\"id\":{id},\"n\":{step}}}");
                    if !begun.is_empty() {
                        text = format!(" {step}");
                    }
                    *begun += &text;
                    if random.below(3) > 0 {
                        text.push('\n');
                        let lines = written.entry(*id).or_default();
                        lines.push(std::mem::take(begun));
                    }
                    world.append(&path, &text);
                }
                4 => {
                    let free = files.iter().position(Option::is_none);
                    if let (Some(free), true) = (free, files[name].is_some()) {
                        // A file with the same path for two polls.
                        let new = format!("{}/{free}.jsonl", free % 2);
                        world.rename(&path, &new);
                        files[free] = files[name].take();
                    }
                }
                5 => {
                    // What was written before is read first.
                    world.poll();
                    if let Some((id, begun)) = files[name].take() {
                        fs::remove_file(world.path(&path)).unwrap();
                        // A file that is not open cannot be finished.
                        let lines = written.entry(id).or_default();
                        if !begun.is_empty() {
                            lines.push(format!("?{begun}"));
                        }
                        world.poll();
                    }
                }
                _ => world.poll(),
            }
        }
        world.poll();
        let mut delivered: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (_, line) in &world.lines {
            let id = line.split("\"id\":").nth(1).unwrap();
            let id = id.split(',').next().unwrap().parse().unwrap();
            delivered.entry(id).or_default().push(line.clone());
        }
        for (id, lines) in &written {
            let seen = delivered.remove(id).unwrap_or_default();
            let mut sure: Vec<&str> = vec![];
            let mut last = None;
            for line in lines {
                match line.strip_prefix('?') {
                    Some(line) => last = Some(line),
                    None => sure.push(line),
                }
            }
            let seen: Vec<&str> = seen.iter().map(|line| &**line).collect();
            let mut with_last = sure.clone();
            with_last.extend(last);
            assert!(seen == sure || seen == with_last, "{seed} {seen:?}");
            if open == 128 {
                assert_eq!(seen, with_last, "seed {seed}");
            }
        }
        assert!(delivered.is_empty());
        assert!(world.errors.is_empty(), "{:?}", world.errors);
    }
}

/// A folder that was away for a moment was read again in full. So was a log
/// that was compressed and then decompressed, which has another inode.
#[test]
fn files_that_come_back_are_not_read_again() {
    let mut world = World::new();
    let first = format!("{{\"n\":\"{}\"}}\n", "x".repeat(64));
    world.append("a.jsonl", &first);
    world.append("b.jsonl", &first);
    world.poll();
    let away = world.folder.0.join("away");
    for name in ["a.jsonl", "b.jsonl"] {
        fs::create_dir_all(&away).unwrap();
        fs::copy(world.path(name), away.join(name)).unwrap();
        fs::remove_file(world.path(name)).unwrap();
    }
    world.poll();
    for name in ["a.jsonl", "b.jsonl"] {
        fs::rename(away.join(name), world.path(name)).unwrap();
    }
    world.append("a.jsonl", "{\"n\":2}\n");
    world.poll();
    let gone = |name: &str| (name.to_string(), Event::Gone);
    assert_eq!(world.events, [gone("a.jsonl"), gone("b.jsonl")]);
    assert_eq!(world.lines.len(), 3);
    // Another file is read.
    fs::remove_file(world.path("b.jsonl")).unwrap();
    world.poll();
    world.append("b.jsonl", "{\"n\":7}\n{\"n\":8}\n");
    world.poll();
    assert_eq!(world.lines.len(), 5);
}

/// A file without a newline kept all others waiting.
#[test]
fn a_file_without_a_newline_does_not_block_the_others() {
    for open in [1, 128] {
        let mut world = World::with(|follow| follow.open_files(open));
        let file = fs::File::create(world.path("a.jsonl")).unwrap();
        file.set_len(100 << 20).unwrap();
        world.append("b.jsonl", "{\"n\":1}\n");
        while world.lines.is_empty() {
            assert!(world.step());
        }
        let count = world.events.len();
        assert!((1..=2).contains(&count), "{:?}", world.events);
        world.append("a.jsonl", "\n{\"n\":2}\n");
        world.poll();
        assert_eq!(world.lines.len(), 2);
        // The long line was read once: otherwise, there are more of these.
        let count = world.events.len();
        assert!(count <= 16, "{count}");
    }
}

/// If the process could open fewer files than allowed, the others were never
/// read, and new files were not found.
#[cfg(target_os = "linux")]
#[test]
fn fewer_files_are_open_if_the_process_can_open_no_more() {
    let this = std::env::current_exe().unwrap();
    let status = std::process::Command::new("bash")
        .args(["-c", "ulimit -n 40 && exec \"$0\" \"$@\""])
        .arg(this)
        .args(["folder::few_files", "--exact", "--ignored"])
        .env("LINETAPE_FLOW_CHILD", "1")
        .status()
        .unwrap();
    assert!(status.success());
}

/// The child process of the test above.
#[test]
#[ignore = "the child process of another test"]
fn few_files() {
    if std::env::var_os("LINETAPE_FLOW_CHILD").is_none() {
        return;
    }
    let mut world = World::new();
    for n in 0..100 {
        world.append(&format!("{n}.jsonl"), "{}\n");
    }
    world.poll();
    assert_eq!((world.lines.len(), &world.errors[..]), (100, &[][..]));
    for n in 90..110 {
        world.append(&format!("{n}.jsonl"), "{}\n");
    }
    world.poll();
    assert_eq!((world.lines.len(), &world.errors[..]), (120, &[][..]));
}

/// Case 28: a program goes on writing to a log that was rotated out of the
/// folder, or to a name that is not that of a log. Its lines were lost.
#[test]
fn what_is_written_to_a_file_that_has_left_the_folder_is_read() {
    let mut world = World::new();
    world.append("a.jsonl", "{\"a\":1}\n");
    world.append("b.jsonl", "{\"b\":1}\n");
    world.poll();
    world.clear();
    let open = |world: &World, name: &str| {
        OpenOptions::new().append(true).open(world.path(name)).unwrap()
    };
    let (mut a, mut b) = (open(&world, "a.jsonl"), open(&world, "b.jsonl"));
    world.rename("a.jsonl", "a.jsonl.1");
    world.append("a.jsonl", "{\"new\":1}\n");
    fs::remove_file(world.path("b.jsonl")).unwrap();
    let events = [("a.jsonl", Event::Replaced), ("b.jsonl", Event::Gone)];
    world.sees(&["a.jsonl {\"new\":1}"], &events);
    a.write_all(b"{\"a\":2}\n").unwrap();
    b.write_all(b"{\"b\":2}\n").unwrap();
    world.append("a.jsonl", "{\"new\":2}\n");
    let lines =
        ["a.jsonl {\"a\":2}", "b.jsonl {\"b\":2}", "a.jsonl {\"new\":2}"];
    world.sees(&lines, &[]);
}

/// A file that is moved out of the folder and back, to another name, was read
/// again.
#[cfg(unix)]
#[test]
fn a_file_that_was_out_of_the_folder_is_read_on() {
    let mut world = World::new();
    world.append("a.jsonl", "{\"a\":1}\n");
    world.poll();
    world.clear();
    world.rename("a.jsonl", "../away");
    world.sees(&[], &[("a.jsonl", Event::Gone)]);
    world.append("../away", "{\"a\":2}\n");
    world.sees(&["a.jsonl {\"a\":2}"], &[]);
    world.rename("../away", "b.jsonl");
    world.append("b.jsonl", "{\"a\":3}\n");
    let moved = ("b.jsonl", world.moved_from("a.jsonl"));
    world.sees(&["b.jsonl {\"a\":3}"], &[moved]);
    // The same path: there is no event.
    world.rename("b.jsonl", "../away");
    world.sees(&[], &[("b.jsonl", Event::Gone)]);
    world.rename("../away", "b.jsonl");
    world.append("b.jsonl", "{\"a\":4}\n");
    world.sees(&["b.jsonl {\"a\":4}"], &[]);
}

/// Logs that give each other their paths are moved in an order that the caller
/// can follow one by one.
#[test]
fn the_last_file_of_a_rotation_is_moved_first() {
    let mut world = World::new();
    for n in 1..4 {
        world.append(&format!("log.{n}.jsonl"), &format!("{{\"n\":{n}}}\n"));
    }
    world.poll();
    world.clear();
    for n in [3, 2, 1] {
        let new = format!("log.{}.jsonl", n + 1);
        world.rename(&format!("log.{n}.jsonl"), &new);
    }
    let events = [
        ("log.4.jsonl", world.moved_from("log.3.jsonl")),
        ("log.3.jsonl", world.moved_from("log.2.jsonl")),
        ("log.2.jsonl", world.moved_from("log.1.jsonl")),
    ];
    world.sees(&[], &events);
}

/// If two checkpoints had the same inode, since it was used again, only one of
/// them was compared: a file that was renamed was read again.
#[cfg(unix)]
#[test]
fn a_renamed_file_is_found_among_checkpoints_with_the_same_inode() {
    let mut world = World::new();
    let pad = "x".repeat(64);
    world.append("a.jsonl", &format!("{{\"a\":\"{pad}\"}}\n"));
    world.append("other.jsonl", &format!("{{\"b\":\"{pad}\"}}\n"));
    let mut stored = BTreeMap::new();
    while world.step() {
        let checkpoint = world.follow.checkpoint().unwrap();
        let text = checkpoint.to_json().unwrap();
        stored.insert(world.name(checkpoint.path()), text);
    }
    world.clear();
    let inode = |text: &str| {
        let after = text.split("\"inode\":").nth(1).unwrap();
        format!("\"inode\":{},", after.split(',').next().unwrap())
    };
    let (a, other) = (&stored["a.jsonl"], &stored["other.jsonl"]);
    // Files that are gone, whose inode was used again.
    let stale = other.replace(&inode(other), &inode(a));
    let before = stale.replace("other.jsonl", "0.jsonl");
    let after = stale.replace("other.jsonl", "z.jsonl");
    fs::remove_file(world.path("other.jsonl")).unwrap();
    world.rename("a.jsonl", "b.jsonl");
    let root = world.folder.0.join("l");
    world.follow = every_time(Follow::folder(root));
    for text in [a, &before, &after] {
        let checkpoint = Checkpoint::parse(text.as_bytes()).unwrap();
        world.follow = world.follow.resume(checkpoint);
    }
    world.append("b.jsonl", "{\"n\":2}\n");
    let moved = ("b.jsonl", world.moved_from("a.jsonl"));
    world.sees(&["b.jsonl {\"n\":2}"], &[moved]);
}

/// The error about a path was returned again after each line that was read
/// through the open file.
#[cfg(unix)]
#[test]
fn an_error_about_a_path_is_returned_once_while_its_file_grows() {
    let mut world = World::new();
    world.append("a.jsonl", "{\"n\":0}\n");
    world.poll();
    // The path is a link to itself, so nothing can be said about the file.
    world.rename("a.jsonl", "../away");
    let path = world.path("a.jsonl");
    std::os::unix::fs::symlink(&path, &path).unwrap();
    world.poll();
    assert!(!world.errors.is_empty());
    world.errors.clear();
    world.clear();
    for n in 1..4 {
        let line = format!("{{\"n\":{n}}}");
        world.append("../away", &format!("{line}\n"));
        world.sees(&[&format!("a.jsonl {line}")], &[]);
    }
    assert_eq!(world.errors, []);
}
