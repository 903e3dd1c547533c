//! Incomplete lines whose bytes were released from memory.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    time::Duration,
};

use linetape::{ErrorKind, Reader};
use linetape_flow::{Event, Follow};

use crate::support::{Folder, Random, split};

/// The maximum length of a line, with its CR.
const MAX_LINE: usize = 150_000;

/// What the files contain, by their first characters, and what was read.
#[derive(Default)]
struct Twin {
    written: BTreeMap<String, Vec<u8>>,
    read: BTreeMap<String, Vec<Vec<u8>>>,
    too_long: usize,
}

impl Twin {
    fn append(&mut self, path: &Path, name: &str, bytes: &[u8]) {
        let mut options = OpenOptions::new();
        let options = options.append(true).create(true);
        options.open(path).unwrap().write_all(bytes).unwrap();
        let written = self.written.entry(name.to_string()).or_default();
        written.extend_from_slice(bytes);
    }

    fn poll(&mut self, follow: &mut Follow) {
        loop {
            match follow.next_event() {
                Ok(Event::Line(line)) => {
                    let bytes = line.as_bytes().to_vec();
                    let name = String::from_utf8(bytes[..4].to_vec());
                    let read = self.read.entry(name.unwrap()).or_default();
                    read.push(bytes);
                }
                Ok(Event::CaughtUp) => return,
                Ok(_) => {}
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::LineTooLong);
                    self.too_long += 1;
                }
            }
        }
    }

    /// Compares what was read with the complete lines, and with the last lines
    /// of files that are gone.
    fn compare(&self, is_gone: impl Fn(&str) -> bool, about: &str) {
        let mut too_long = 0;
        for (name, bytes) in &self.written {
            let mut lines = split(bytes);
            if !bytes.ends_with(b"\n") && !is_gone(name) {
                lines.pop();
            }
            lines.retain(|(_, line)| line.len() <= MAX_LINE);
            let terminated = bytes.iter().filter(|b| **b == b'\n').count();
            let rest = !bytes.ends_with(b"\n") && is_gone(name);
            too_long += terminated + usize::from(rest) - lines.len();
            let count = lines.len();
            let expected = lines.into_iter().map(|(offset, mut line)| {
                let is_last = offset as usize + line.len() == bytes.len();
                if line.ends_with(b"\r") && !is_last {
                    line.pop();
                }
                line
            });
            let nothing = vec![];
            let read = self.read.get(name).unwrap_or(&nothing);
            assert_eq!(read.len(), count, "{about}: {name}");
            assert!(expected.eq(read.iter().cloned()), "{about}: {name}");
        }
        assert_eq!(self.too_long, too_long, "{about}");
    }
}

/// Returns bytes to append to a file whose lines begin with its name.
fn piece(random: &mut Random, name: &str) -> Vec<u8> {
    match random.below(9) {
        0..=2 => format!("\n{name}").into_bytes(),
        3 => format!("\r\n{name}").into_bytes(),
        4 => format!("1\n{name}2\n{name}").into_bytes(),
        5 => vec![b'x'; random.below(200)],
        6 => vec![b'y'; random.below(20_000)],
        7 => vec![b'w'; random.below(2) * MAX_LINE],
        _ => vec![b'z'; random.below(100_000)],
    }
}

/// Whatever is in memory, every line is returned once. The reference
/// implementation splits what was written.
#[test]
fn lines_that_are_not_in_memory_are_returned_once() {
    for (held, open) in [
        (0, 128),
        (1000, 128),
        (30_000, 128),
        (100_000, 3),
        (0, 1),
        (u64::MAX, 128),
    ] {
        let mut random = Random(4242 + held % 1000 + open as u64);
        let folder = Folder::new();
        let builder = Reader::builder().max_line(MAX_LINE);
        let mut follow = Follow::folder_with_builder(&folder.0, builder)
            .rescan(Duration::ZERO)
            .rotate_wait(Duration::ZERO)
            .open_files(open)
            .held_bytes(held);
        let mut twin = Twin::default();
        // The names of the lines, and of the files.
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for step in 0..600 {
            let name = format!("{:04}", random.below(6) + step / 150 * 10);
            let is_known = twin.written.contains_key(&name);
            match random.below(20) {
                // A file that is not open may be gone before it is read.
                0 if open == 128 && files.contains_key(&name) => {
                    twin.poll(&mut follow);
                    let file = files.remove(&name).unwrap();
                    fs::remove_file(folder.0.join(file)).unwrap();
                    twin.poll(&mut follow);
                }
                1 if files.contains_key(&name) => {
                    twin.poll(&mut follow);
                    let new = format!("{name}-{step}.jsonl");
                    let old = files.insert(name, new.clone()).unwrap();
                    let (old, new) = (folder.0.join(old), folder.0.join(new));
                    fs::rename(old, new).unwrap();
                }
                2..=5 => twin.poll(&mut follow),
                _ if is_known && !files.contains_key(&name) => {}
                _ => {
                    let mut bytes = piece(&mut random, &name);
                    if !is_known {
                        bytes.splice(0..0, name.bytes());
                    }
                    let file = format!("{name}.jsonl");
                    let file = files.entry(name.clone()).or_insert(file);
                    twin.append(&folder.0.join(file), &name, &bytes);
                }
            }
        }
        twin.poll(&mut follow);
        let is_gone = |name: &str| !files.contains_key(name);
        twin.compare(is_gone, &format!("{held} in {open}"));
        assert!(twin.too_long > 0, "{held}");
    }
}

/// The same for a single file.
#[test]
fn a_single_file_need_not_be_in_memory() {
    for held in [0, 1, 50_000, u64::MAX] {
        let mut random = Random(99 + held % 1000);
        let folder = Folder::new();
        let path = folder.0.join("a.jsonl");
        let builder = Reader::builder().max_line(MAX_LINE);
        let mut follow = Follow::with_builder(&path, builder).held_bytes(held);
        let mut twin = Twin::default();
        twin.append(&path, "0000", b"0000");
        for _ in 0..300 {
            twin.append(&path, "0000", &piece(&mut random, "0000"));
            if random.below(3) == 0 {
                twin.poll(&mut follow);
            }
            if random.below(50) == 0 {
                // It resumes at the start of the incomplete line.
                let checkpoint = follow.checkpoint();
                let builder = Reader::builder().max_line(MAX_LINE);
                follow = Follow::with_builder(&path, builder).held_bytes(held);
                follow = checkpoint.into_iter().fold(follow, Follow::resume);
            }
        }
        twin.poll(&mut follow);
        twin.compare(|_| false, &format!("{held}"));
        fs::remove_file(&path).unwrap();
        twin.poll(&mut follow);
        twin.compare(|_| true, &format!("{held}, gone"));
    }
}

/// A line that is not in memory is dropped when its file becomes shorter, and
/// is returned when it is idle.
#[test]
fn a_line_that_is_not_in_memory_can_change() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", "{\"n\":1}\n{\"half\":");
    let mut follow = Follow::new(&path).held_bytes(0).idle(Duration::ZERO);
    let next = |follow: &mut Follow| match follow.next_event().unwrap() {
        Event::Line(line) => {
            String::from_utf8(line.as_bytes().to_vec()).unwrap()
        }
        event => format!("{event:?}"),
    };
    assert_eq!(next(&mut follow), "{\"n\":1}");
    assert_eq!(next(&mut follow), "CaughtUp");
    fs::write(&path, "{\"n\":2}").unwrap();
    assert_eq!(next(&mut follow), "Truncated");
    assert_eq!(next(&mut follow), "{\"n\":2}");
    assert_eq!(next(&mut follow), "CaughtUp");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"\n{\"n\":3}\n").unwrap();
    assert_eq!(next(&mut follow), "{\"n\":3}");
    assert_eq!(next(&mut follow), "CaughtUp");
}
