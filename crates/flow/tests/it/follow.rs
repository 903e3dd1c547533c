//! Following a log that grows: numbers are those of the list of cases.

use std::{
    fs::{self, File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::PathBuf,
};

use linetape::{ErrorKind, Reader};
use linetape_flow::{Checkpoint, Event, Follow};

use crate::support::{Folder, Random, split};

/// A log, and what was seen of it.
struct World {
    folder: Folder,
    path: PathBuf,
    follow: Follow,
    lines: Vec<String>,
    events: Vec<Event>,
    errors: Vec<ErrorKind>,
}

impl World {
    fn new() -> World {
        World::with(|follow| follow)
    }

    fn with(settings: impl FnOnce(Follow) -> Follow) -> World {
        let folder = Folder::new();
        let path = folder.0.join("log.jsonl");
        let follow = settings(Follow::new(&path));
        let (lines, events, errors) = (vec![], vec![], vec![]);
        World { folder, path, follow, lines, events, errors }
    }

    /// A world with a file, which has been read.
    fn of(text: &str) -> World {
        let mut world = World::new();
        world.write(text);
        world.poll();
        world
    }

    fn write(&self, text: impl AsRef<[u8]>) {
        fs::write(&self.path, text).unwrap();
    }

    fn append(&self, text: impl AsRef<[u8]>) {
        let mut options = OpenOptions::new();
        let options = options.append(true).create(true);
        let mut file = options.open(&self.path).unwrap();
        file.write_all(text.as_ref()).unwrap();
    }

    /// Polls until nothing is new.
    fn poll(&mut self) {
        for _ in 0..100_000 {
            match self.follow.next_event() {
                Ok(Event::CaughtUp) => return,
                Ok(Event::Line(line)) => {
                    let text = line.as_bytes().to_vec();
                    self.lines.push(String::from_utf8(text).unwrap());
                }
                Ok(event) => self.events.push(event),
                Err(error) => self.errors.push(error.kind()),
            }
        }
        panic!("it never catches up");
    }

    /// Goes on as another process would, from the last checkpoint.
    fn restart(&mut self) {
        let checkpoint = self.follow.checkpoint().unwrap();
        let text = checkpoint.to_json().unwrap();
        let checkpoint = Checkpoint::parse(text.as_bytes()).unwrap();
        self.follow = Follow::new(&self.path).resume(checkpoint);
    }

    fn take(&mut self) -> (Vec<String>, Vec<Event>) {
        (std::mem::take(&mut self.lines), std::mem::take(&mut self.events))
    }
}

fn strings(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| line.to_string()).collect()
}

#[track_caller]
fn saw(world: &mut World, lines: &[&str], events: &[Event]) {
    world.poll();
    assert_eq!(world.take(), (strings(lines), events.to_vec()));
}

/// Cases 1 to 3, 6 to 9: any bytes, in any pieces, with polls between them.
#[test]
fn appended_bytes_are_lines_however_they_arrive() {
    let text = "\u{FEFF}{\"a\":1}\r\n\n{\"é\":\"ü\"}\n  \n{}\n{\"c\"";
    for size in 1..text.len() {
        let mut world = World::new();
        for piece in text.as_bytes().chunks(size) {
            world.append(piece);
            world.poll();
        }
        let lines = ["{\"a\":1}", "{\"é\":\"ü\"}", "{}"];
        assert_eq!(world.lines, lines, "pieces of {size}");
        assert!(world.errors.is_empty());
    }
}

/// Case 4: a line that is larger than what is read at once. Case 5: one that
/// is over the limit.
#[test]
fn long_lines_are_lines_or_errors() {
    let mut world = World::new();
    let long = format!("{{\"t\":\"{}\"}}", "x".repeat(300_000));
    world.append(format!("{{}}\n{long}"));
    saw(&mut world, &["{}"], &[]);
    world.append("\n{}\n");
    saw(&mut world, &[&long, "{}"], &[]);

    let builder = Reader::builder().max_line(1000);
    world.follow = Follow::with_builder(&world.path, builder);
    world.append(&long);
    saw(&mut world, &["{}", "{}"], &[]);
    world.append("\n{\"last\":1}\n");
    saw(&mut world, &["{\"last\":1}"], &[]);
    assert_eq!(world.errors, [ErrorKind::LineTooLong; 2]);
}

/// Cases 10 to 12: a last line without a newline.
#[test]
fn an_unfinished_line_is_held_until_its_file_is_gone() {
    let mut world = World::of("{}\n{\"half\":1}");
    saw(&mut world, &["{}"], &[]);
    saw(&mut world, &[], &[]);
    fs::remove_file(&world.path).unwrap();
    saw(&mut world, &["{\"half\":1}"], &[Event::Gone]);

    let mut world = World::of("{}\n{\"half\":1}");
    world.append("\n");
    saw(&mut world, &["{}", "{\"half\":1}"], &[]);
}

/// Cases 14 and 15: an empty file, and one that appears later.
#[test]
fn a_file_may_be_empty_or_missing_at_first() {
    let mut world = World::of("");
    saw(&mut world, &[], &[]);
    world.append("{}\n");
    saw(&mut world, &["{}"], &[]);

    let mut world = World::new();
    saw(&mut world, &[], &[]);
    assert!(world.follow.checkpoint().is_none());
    world.append("{}\n");
    saw(&mut world, &["{}"], &[Event::New]);
}

/// Case 17: from the end, in the middle of a line or not.
#[test]
fn from_the_end_begins_with_the_next_line() {
    for (before, first) in [
        ("{\"old\":1}\n", "{\"a\":1}\n"),
        ("{\"old\":1}\n{\"half\"", ":1}\n{\"a\":1}\n"),
        ("", "{\"a\":1}\n"),
    ] {
        let mut world = World::with(Follow::from_end);
        world.write(before);
        saw(&mut world, &[], &[]);
        world.append(first);
        saw(&mut world, &["{\"a\":1}"], &[]);
        world.restart();
        world.append("{\"b\":1}\n");
        saw(&mut world, &["{\"b\":1}"], &[]);
    }
    // A file that appears later is read from its start.
    let mut world = World::with(Follow::from_end);
    world.poll();
    world.append("{}\n");
    saw(&mut world, &["{}"], &[Event::New]);
}

/// Before the first line, there is no place to go on from within a line.
#[test]
fn from_the_end_of_a_half_line_there_is_no_checkpoint() {
    let mut world = World::with(Follow::from_end);
    world.write("{}\n{\"half\"");
    world.poll();
    assert!(world.follow.checkpoint().is_none());
    let mut world = World::with(Follow::from_end);
    world.write("{}\n{}\n");
    world.poll();
    world.append("{\"new\":1}\n");
    world.restart();
    saw(&mut world, &["{\"new\":1}"], &[]);
}

/// Case 19: something that is not a file is an error, and does not hang.
#[test]
fn only_regular_files_are_followed() {
    let mut world = World::new();
    fs::create_dir(&world.path).unwrap();
    world.poll();
    assert_eq!(world.errors, [ErrorKind::Io]);
    fs::remove_dir(&world.path).unwrap();
    world.append("{}\n");
    saw(&mut world, &["{}"], &[]);
}

/// Case 20: truncated, and then shorter than before.
#[test]
fn a_truncated_file_is_read_again() {
    let mut world = World::of("{\"a\":1}\n{\"a\":2}\n");
    world.take();
    world.write("");
    saw(&mut world, &[], &[Event::Truncated]);
    world.append("{\"b\":1}\n");
    saw(&mut world, &["{\"b\":1}"], &[]);
    world.write("{}\n");
    saw(&mut world, &["{}"], &[Event::Truncated]);
}

/// Cases 21 and 22: truncated and grown to the same size or more, between two
/// polls.
#[test]
fn a_file_that_has_grown_back_is_read_again() {
    for more in ["", "{\"b\":3}\n"] {
        let mut world = World::of("{\"a\":1}\n{\"a\":2}\n");
        world.take();
        let text = format!("{{\"a\":1}}\n{{\"b\":2}}\n{more}");
        // The time of a file changes in steps of some milliseconds.
        let time = fs::metadata(&world.path).unwrap().modified().unwrap();
        while fs::metadata(&world.path).unwrap().modified().unwrap() == time {
            world.write(&text);
        }
        let mut lines = vec!["{\"a\":1}", "{\"b\":2}"];
        lines.extend((!more.is_empty()).then_some("{\"b\":3}"));
        saw(&mut world, &lines, &[Event::Replaced]);
    }
}

/// Case 23: the part of a line that was held is dropped.
#[test]
fn a_part_of_a_line_is_dropped_with_its_file() {
    let mut world = World::of("{}\n{\"half\":");
    world.take();
    world.write("{}\n1}\n");
    saw(&mut world, &["{}", "1}"], &[Event::Truncated]);
}

/// Case 24: truncated, while its writer goes on at its old offset. The hole
/// is full of NUL.
#[test]
fn records_after_a_hole_are_salvaged() {
    let builder = Reader::builder().salvage(true);
    let mut world = World::new();
    world.follow = Follow::with_builder(&world.path, builder);
    let mut file = File::create(&world.path).unwrap();
    file.write_all(b"{\"a\":1}\n{\"a\":2}\n").unwrap();
    world.poll();
    world.take();
    file.set_len(0).unwrap();
    file.write_all(b"{\"a\":3}\n").unwrap();
    saw(&mut world, &["{\"a\":3}"], &[Event::Replaced]);
    assert!(!world.errors.is_empty());
}

/// Case 25: truncated to the end of an earlier line.
#[test]
fn a_file_that_was_rewound_is_read_again() {
    let mut world = World::of("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
    world.take();
    let file = OpenOptions::new().write(true).open(&world.path).unwrap();
    file.set_len(16).unwrap();
    world.append("{\"b\":3}");
    saw(&mut world, &["{\"a\":1}", "{\"a\":2}"], &[Event::Truncated]);
}

/// Cases 26 and 33: another file at the path. The rest of the old one is read
/// first.
#[test]
fn a_rotated_file_is_read_to_its_end() {
    let mut world = World::of("{\"a\":1}\n");
    world.take();
    world.append("{\"a\":2}\n{\"last\":3}");
    fs::rename(&world.path, world.folder.0.join("old")).unwrap();
    world.write("{\"b\":1}\n");
    let lines = ["{\"a\":2}", "{\"last\":3}", "{\"b\":1}"];
    saw(&mut world, &lines, &[Event::Replaced]);
    // An editor writes another file, and renames it over the old one.
    let other = world.folder.write("other", "{\"b\":1}\n{\"c\":1}\n");
    fs::rename(other, &world.path).unwrap();
    saw(&mut world, &["{\"b\":1}", "{\"c\":1}"], &[Event::Replaced]);
}

/// Case 30: a symbolic link that points to another file.
#[cfg(unix)]
#[test]
fn a_link_to_another_file_is_followed() {
    use std::os::unix::fs::symlink;

    let mut world = World::new();
    let first = world.folder.write("first", "{\"a\":1}\n");
    let second = world.folder.write("second", "{\"b\":1}\n");
    symlink(first, &world.path).unwrap();
    saw(&mut world, &["{\"a\":1}"], &[]);
    let link = world.folder.0.join("link");
    symlink(second, &link).unwrap();
    fs::rename(link, &world.path).unwrap();
    saw(&mut world, &["{\"b\":1}"], &[Event::Replaced]);
}

/// Cases 31 and 32: removed and created again, many times. File systems give
/// the new file the number of the old one.
#[test]
fn a_file_that_is_created_again_is_another_one() {
    let mut world = World::of("{\"n\":0}\n");
    world.take();
    for n in 1..50 {
        fs::remove_file(&world.path).unwrap();
        let text = format!("{{\"n\":{n}}}\n").repeat(n);
        world.write(text);
        world.poll();
        let (lines, events) = world.take();
        assert_eq!(lines, vec![format!("{{\"n\":{n}}}"); n]);
        assert_eq!(events, [Event::Replaced], "{n}");
    }
    fs::remove_file(&world.path).unwrap();
    saw(&mut world, &[], &[Event::Gone]);
    world.write("{}\n");
    saw(&mut world, &["{}"], &[Event::New]);
}

/// Cases 36 and 37: a new process goes on, also if the file has grown.
#[test]
fn a_checkpoint_goes_on_after_the_last_line() {
    let mut world = World::of("{\"a\":1}\n\n{\"a\":2}\n{\"half\"");
    world.take();
    world.restart();
    saw(&mut world, &[], &[]);
    world.append(":3}\n");
    world.restart();
    saw(&mut world, &["{\"half\":3}"], &[]);
    let checkpoint = world.follow.checkpoint().unwrap();
    assert_eq!((checkpoint.line(), checkpoint.offset()), (5, 28));
    assert_eq!(checkpoint.path(), world.path);
    world.append("{\"a\":4}\n");
    world.restart();
    let line = loop {
        match world.follow.next_event().unwrap() {
            Event::Line(line) => break line,
            event => assert_eq!(event, Event::CaughtUp),
        }
    };
    assert_eq!((line.number(), line.offset()), (5, 28));
}

/// Cases 38 to 42: a file that is not the one of the checkpoint is read from
/// its start.
#[test]
fn a_checkpoint_of_another_content_is_refused() {
    let long = format!("{{\"t\":\"{}\"}}\n", "x".repeat(5000));
    let first = format!("{long}{{\"a\":1}}\n{{\"a\":2}}\n");
    let text_of = |text: &str| -> Vec<String> {
        text.lines().map(str::to_string).collect()
    };
    for other in [
        // It shrank, to a line or not, or to nothing.
        long.clone(),
        first[..first.len() - 3].to_string(),
        String::new(),
        // It was rewritten: the same first bytes, the same last bytes, the
        // same size, or larger.
        format!("{long}{{\"b\":1}}\n{{\"a\":2}}\n"),
        format!("{long}{{\"b\":1}}\n{{\"a\":2}}\n{{\"a\":3}}\n"),
        first.replacen('x', "y", 1),
        format!("{}{{}}\n", first.replace('1', "7")),
    ] {
        let mut world = World::of(&first);
        world.take();
        world.write(&other);
        world.restart();
        world.poll();
        let (lines, events) = world.take();
        let whole = other.rfind('\n').map_or("", |end| &other[..=end]);
        assert_eq!(lines, text_of(whole));
        assert_eq!(events, [Event::Replaced]);
        // The new checkpoint is good again.
        world.restart();
        saw(&mut world, &[], &[]);
    }
}

/// Case 43: a checkpoint in the middle of a line is refused. Case 44: so is
/// one that is torn, or of another version.
#[test]
fn a_checkpoint_that_is_wrong_is_refused() {
    let mut world = World::of("{\"a\":1}\n{\"a\":2}\n");
    let checkpoint = world.follow.checkpoint().unwrap();
    let text = checkpoint.to_json().unwrap();
    for end in 0..text.len() {
        assert!(Checkpoint::parse(&text.as_bytes()[..end]).is_err(), "{end}");
    }
    for wrong in [
        text.replace("\"version\":1", "\"version\":2"),
        text.replace("\"offset\":16", "\"offset\":9"),
        text.replace("\"offset\":16", "\"offset\":\"16\""),
        text.replace("\"length\":16", "\"length\":99999"),
        text.replace("\"hash\":\"", "\"hash\":\"x"),
        text.replace("\"path\"", "\"file\""),
        "{}".to_string(),
    ] {
        assert_ne!(wrong, text);
        assert!(Checkpoint::parse(wrong.as_bytes()).is_err(), "{wrong}");
    }
    // A checkpoint that another program made, in the middle of a line.
    let mut half = World::of("{\"a\":1}\n{\"a\"\n");
    half.poll();
    let text = half.follow.checkpoint().unwrap().to_json().unwrap();
    let print = |bytes: &[u8]| {
        let hash =
            bytes.iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
            });
        format!("{hash:016x}")
    };
    let (whole, part) = ("{\"a\":1}\n{\"a\"\n", "{\"a\":1}\n{\"a\"");
    let text = text
        .replace(&print(whole.as_bytes()), &print(part.as_bytes()))
        .replace(":13", ":12");
    let checkpoint = Checkpoint::parse(text.as_bytes()).unwrap();
    assert_eq!(checkpoint.offset(), 12);
    world.take();
    world.follow = Follow::new(&world.path).resume(checkpoint);
    saw(&mut world, &["{\"a\":1}", "{\"a\":2}"], &[Event::Replaced]);
}

/// Case 47: the number of the file does not decide, if it has 64 bytes that are
/// the same.
#[test]
fn a_copy_with_the_same_content_is_the_same_file() {
    let first = format!("{{\"a\":\"{}\"}}\n", "x".repeat(64));
    let mut world = World::of(&first);
    world.take();
    let copy = world.folder.write("copy", first + "{\"a\":2}\n");
    fs::rename(copy, &world.path).unwrap();
    world.restart();
    saw(&mut world, &["{\"a\":2}"], &[]);
}

/// Case 47: a device has another number after it is mounted again. A short file
/// is still the same, if it has the same number.
#[test]
fn the_number_of_the_device_does_not_decide() {
    let mut world = World::of("{\"a\":1}\n");
    world.take();
    let text = world.follow.checkpoint().unwrap().to_json().unwrap();
    let (before, rest) = text.split_once("\"device\":").unwrap();
    let (_, after) = rest.split_once(',').unwrap();
    let text = format!("{before}\"device\":987654,{after}");
    let checkpoint = Checkpoint::parse(text.as_bytes()).unwrap();
    world.follow = Follow::new(&world.path).resume(checkpoint);
    world.append("{\"a\":2}\n");
    saw(&mut world, &["{\"a\":2}"], &[]);
}

/// A new log with the same few first bytes was taken for the old one, and its
/// first lines were lost.
#[cfg(unix)]
#[test]
fn another_file_with_the_same_short_start_is_read() {
    let mut world = World::of("{\"a\":1}\n");
    world.take();
    let other = world.folder.write("other", "{\"a\":1}\n{\"b\":1}\n");
    fs::rename(other, &world.path).unwrap();
    world.restart();
    let lines = ["{\"a\":1}", "{\"b\":1}"];
    saw(&mut world, &lines, &[Event::Replaced]);
}

/// Case 28: a program that has opened the log before it was rotated goes on
/// writing. Its lines were lost without a word.
#[test]
fn what_is_written_to_a_rotated_file_is_read_before_the_new_one() {
    for is_removed in [false, true] {
        let mut world = World::of("{\"a\":1}\n");
        world.take();
        let mut options = OpenOptions::new();
        let mut old = options.append(true).open(&world.path).unwrap();
        let event = match is_removed {
            true => {
                fs::remove_file(&world.path).unwrap();
                Event::Gone
            }
            false => {
                fs::rename(&world.path, world.folder.0.join("old")).unwrap();
                world.write("{\"b\":1}\n");
                Event::Replaced
            }
        };
        let lines = ["{\"b\":1}"];
        let lines = if is_removed { &[] } else { &lines[..] };
        saw(&mut world, lines, &[event]);
        old.write_all(b"{\"a\":2}\n{\"a\":").unwrap();
        if !is_removed {
            world.append("{\"b\":2}\n");
        }
        let lines = ["{\"a\":2}", "{\"b\":2}"];
        let lines = if is_removed { &lines[..1] } else { &lines };
        saw(&mut world, lines, &[]);
        old.write_all(b"3}\n").unwrap();
        saw(&mut world, &["{\"a\":3}"], &[]);
        // A checkpoint is that of the new file.
        let checkpoint = world.follow.checkpoint();
        let offset = checkpoint.map(|checkpoint| checkpoint.offset());
        assert_eq!(offset, (!is_removed).then_some(16));
    }
}

/// A last line without a newline is returned when its file has left the path.
/// If it goes on, the longer line is returned, too.
#[test]
fn the_last_line_of_a_rotated_file_can_go_on() {
    for (rest, lines) in [("\n", &[][..]), (" {}\n", &["{\"a\":2} {}"])] {
        let mut world = World::of("{\"a\":1}\n{\"a\":2}");
        let mut options = OpenOptions::new();
        let mut old = options.append(true).open(&world.path).unwrap();
        fs::rename(&world.path, world.folder.0.join("old")).unwrap();
        let first = ["{\"a\":1}", "{\"a\":2}"];
        saw(&mut world, &first, &[Event::Gone]);
        old.write_all(rest.as_bytes()).unwrap();
        saw(&mut world, lines, &[]);
        old.write_all(b"{\"a\":3}\n").unwrap();
        saw(&mut world, &["{\"a\":3}"], &[]);
    }
}

/// The time after which a rotated file is not read on, and the number of such
/// files, are bounded. What was begun is returned.
#[test]
fn rotated_files_are_not_read_on_without_end() {
    let mut world = World::with(|follow| {
        follow.rotate_wait(std::time::Duration::from_nanos(1))
    });
    let open = |world: &World| {
        OpenOptions::new().append(true).open(&world.path).unwrap()
    };
    world.write("{\"a\":1}\n");
    saw(&mut world, &["{\"a\":1}"], &[]);
    let mut late = open(&world);
    fs::remove_file(&world.path).unwrap();
    saw(&mut world, &[], &[Event::Gone]);
    late.write_all(b"{\"late\":1}\n").unwrap();
    saw(&mut world, &[], &[]);

    // None of these waits ends.
    let mut world = World::with(|follow| {
        follow.rotate_wait(std::time::Duration::from_secs(3600))
    });
    world.write("");
    world.poll();
    let root = fs::canonicalize(&world.folder.0).unwrap();
    let open_files = || {
        let Ok(handles) = fs::read_dir("/proc/self/fd") else { return 0 };
        let links = handles
            .filter_map(|handle| fs::read_link(handle.ok()?.path()).ok());
        links.filter(|link| link.starts_with(&root)).count()
    };
    let mut begun = vec![];
    for n in 0..40 {
        open(&world).write_all(b"{\"n\":1}\n").unwrap();
        world.poll();
        let mut old = open(&world);
        fs::remove_file(&world.path).unwrap();
        world.write("");
        world.poll();
        old.write_all(format!("{{\"begun\":{n}").as_bytes()).unwrap();
        world.poll();
        begun.push(format!("{{\"begun\":{n}"));
    }
    let (lines, events) = world.take();
    assert_eq!(events, vec![Event::Replaced; 40]);
    let ended: Vec<String> =
        lines.into_iter().filter(|line| line != "{\"n\":1}").collect();
    // The others are still open.
    assert_eq!(ended, begun[..24]);
    if cfg!(target_os = "linux") {
        assert_eq!(open_files(), 17);
    }
}

/// A file that comes back before it was closed is read on, also where it was
/// written to meanwhile.
#[test]
fn a_file_that_comes_back_at_once_is_read_on() {
    let mut world = World::of("{\"a\":1}\n");
    world.take();
    let away = world.folder.0.join("away");
    fs::rename(&world.path, &away).unwrap();
    saw(&mut world, &[], &[Event::Gone]);
    let mut options = OpenOptions::new();
    let mut file = options.append(true).open(&away).unwrap();
    file.write_all(b"{\"a\":2}\n").unwrap();
    saw(&mut world, &["{\"a\":2}"], &[]);
    file.write_all(b"{\"a\":3}\n").unwrap();
    fs::rename(&away, &world.path).unwrap();
    saw(&mut world, &["{\"a\":3}"], &[]);
    world.append("{\"a\":4}\n");
    saw(&mut world, &["{\"a\":4}"], &[]);
    assert_eq!(world.follow.checkpoint().unwrap().offset(), 32);
}

/// Case 48: a clock that was set back decides nothing.
#[test]
fn times_decide_nothing() {
    use std::time::{Duration, SystemTime};

    let mut world = World::of("{\"a\":1}\n");
    world.take();
    let file = OpenOptions::new().append(true).open(&world.path).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    file.set_modified(long_ago).unwrap();
    saw(&mut world, &[], &[]);
    world.append("{\"a\":2}\n");
    file.set_modified(long_ago).unwrap();
    saw(&mut world, &["{\"a\":2}"], &[]);
}

/// With salvage, a damaged line has several records, and a checkpoint between
/// them is before all of them.
#[test]
fn the_records_of_a_damaged_line_are_finished_together() {
    let builder = Reader::builder().salvage(true);
    let mut world = World::new();
    world.follow = Follow::with_builder(&world.path, builder.clone());
    world.append("{}\n{\"type\":\"a\"}{\"type\":\"b\"}\n{\"c\":1}\n");
    let mut offsets = vec![];
    while world.lines.len() < 4 {
        if let Event::Line(line) = world.follow.next_event().unwrap() {
            world.lines.push(String::from_utf8_lossy(line.as_ref()).into());
            offsets.push(world.follow.checkpoint().unwrap().offset());
        }
    }
    assert_eq!(offsets, [3, 3, 28, 36]);
}

/// Case 46: the process is killed at any step of a loop. All lines are
/// delivered, in order, and only those after the last checkpoint twice.
#[test]
fn nothing_is_lost_when_the_process_is_killed() {
    for seed in 1..60 {
        let mut random = Random(seed * 0x9E37_79B9);
        let mut world = World::new();
        world.write("");
        let mut written = vec![];
        // What a consumer stores with its checkpoint.
        let mut stored: (Option<String>, Vec<String>) = (None, vec![]);
        let mut lines: Vec<String> = vec![];
        for step in 0..200 {
            match random.below(6) {
                0 | 1 => {
                    let pieces = ["{\"n\":", "1}", "\n", "\r\n", "{}\n", " "];
                    let piece = pieces[random.below(pieces.len())];
                    world.append(piece);
                    written.extend_from_slice(piece.as_bytes());
                }
                2 | 3 => match world.follow.next_event().unwrap() {
                    Event::Line(line) => {
                        let text = String::from_utf8_lossy(line.as_ref());
                        lines.push(text.into());
                    }
                    event => assert_eq!(event, Event::CaughtUp, "{step}"),
                },
                4 => {
                    if let Some(checkpoint) = world.follow.checkpoint() {
                        let text = checkpoint.to_json().unwrap();
                        stored = (Some(text), lines.clone());
                    }
                }
                _ => {
                    // Killed: only what was stored is left.
                    lines.clone_from(&stored.1);
                    world.follow = Follow::new(&world.path);
                    if let Some(text) = &stored.0 {
                        let parsed = Checkpoint::parse(text.as_bytes());
                        let follow = Follow::new(&world.path);
                        world.follow = follow.resume(parsed.unwrap());
                    }
                }
            }
        }
        world.append("\n");
        written.push(b'\n');
        world.lines = lines;
        world.poll();
        let expected: Vec<String> = split(&written)
            .into_iter()
            .map(|(_, line)| String::from_utf8(line).unwrap())
            .map(|line| line.strip_suffix('\r').unwrap_or(&line).to_string())
            .filter(|line| !line.trim().is_empty())
            .collect();
        assert_eq!(world.lines, expected, "seed {seed}");
        assert!(world.events.is_empty(), "{:?}", world.events);
    }
}

/// A random writer that appends, truncates, rewrites and rotates, with a poll
/// after each step: every line is delivered once for each time that it was
/// written.
#[test]
fn a_file_that_is_changed_in_every_way_is_read() {
    for seed in 1..60 {
        let mut random = Random(seed * 0x2545_F491);
        let mut world = World::new();
        world.write("");
        world.poll();
        let mut expected: Vec<String> = vec![];
        // The line that was begun in the current file.
        let mut begun = String::new();
        for step in 0..120 {
            let text = format!("{{\"step\":{step}}}");
            match random.below(7) {
                0..=2 => {
                    world.append(format!("{text}\n"));
                    expected.push(std::mem::take(&mut begun) + &text);
                }
                3 => {
                    world.append(&text);
                    begun += &text;
                }
                4 => {
                    // Truncated: what was begun is lost.
                    world.write("");
                    begun.clear();
                }
                5 => {
                    fs::rename(&world.path, world.folder.0.join("old"))
                        .unwrap();
                    world.write(format!("{text}\n"));
                    let last = std::mem::take(&mut begun);
                    expected.extend((!last.is_empty()).then_some(last));
                    expected.push(text);
                }
                _ => {
                    fs::remove_file(&world.path).unwrap();
                    world.poll();
                    world.write("");
                    let last = std::mem::take(&mut begun);
                    expected.extend((!last.is_empty()).then_some(last));
                }
            }
            world.poll();
            assert_eq!(world.lines, expected, "seed {seed}, step {step}");
        }
    }
}

/// A writer that goes on at its own offset, after the file was read.
#[test]
fn a_write_before_the_end_is_seen_when_the_file_changes() {
    let mut world = World::of("{\"a\":1}\n{\"a\":2}\n");
    world.take();
    let mut file = OpenOptions::new().write(true).open(&world.path).unwrap();
    file.seek(SeekFrom::Start(13)).unwrap();
    file.write_all(b"9").unwrap();
    world.append("{\"a\":3}\n");
    let lines = ["{\"a\":1}", "{\"a\":9}", "{\"a\":3}"];
    saw(&mut world, &lines, &[Event::Replaced]);
}

/// A rewrite that set the modification time back, as `cp -p` and `touch -r` do,
/// was not noticed.
#[cfg(unix)]
#[test]
fn a_rewrite_with_the_same_size_and_time_is_noticed() {
    let mut world = World::of("{\"n\":1}\n");
    let time = fs::metadata(&world.path).unwrap().modified().unwrap();
    // The clock of the file system is coarse: waits until it goes on.
    let beside = world.path.with_extension("beside");
    let now = || {
        fs::write(&beside, "x").unwrap();
        fs::metadata(&beside).unwrap().modified().unwrap()
    };
    while now() <= time {}
    world.write("{\"n\":2}\n");
    let file = OpenOptions::new().append(true).open(&world.path).unwrap();
    file.set_modified(time).unwrap();
    world.poll();
    assert_eq!(world.events, [Event::Replaced]);
    assert_eq!(world.lines, ["{\"n\":1}", "{\"n\":2}"]);
}

/// Data without a newline kept the caller waiting until their end.
#[test]
fn the_caller_gets_control_within_a_long_line() {
    let mut world = World::new();
    // A hole of 100 MiB.
    let file = File::create(&world.path).unwrap();
    file.set_len(100 << 20).unwrap();
    for _ in 0..3 {
        assert_eq!(world.follow.next_event().unwrap(), Event::Pending);
    }
    world.append("\n{\"n\":1}\n");
    world.poll();
    assert_eq!(world.lines, ["{\"n\":1}"]);
    assert_eq!(world.errors, [ErrorKind::LineTooLong]);
}

/// A file that was away for a moment was read again in full.
#[test]
fn a_file_that_comes_back_is_not_read_again() {
    let first = format!("{{\"n\":\"{}\"}}", "x".repeat(64));
    let mut world = World::of(&format!("{first}\n"));
    let away = world.folder.0.join("away");
    fs::rename(&world.path, &away).unwrap();
    world.poll();
    fs::rename(&away, &world.path).unwrap();
    world.append("{\"n\":2}\n");
    world.poll();
    assert_eq!(world.events, [Event::Gone]);
    assert_eq!(world.lines, [&first, "{\"n\":2}"]);
    // Another file is read.
    fs::remove_file(&world.path).unwrap();
    world.poll();
    world.write("{\"n\":3}\n{\"n\":4}\n{\"n\":5}\n");
    world.poll();
    assert_eq!(world.events, [Event::Gone, Event::Gone, Event::New]);
    assert_eq!(world.lines.len(), 5);
}
