//! Limits the number of open files, and the memory of incomplete lines.

use crate::follow::{
    folder::{
        Folders,
        entry::{Entry, State},
        key::Key,
    },
    settings::Settings,
};

/// How many files are closed at once when the process can open no more. Some
/// are needed to list folders.
const SPARE: usize = 8;

impl Folders {
    /// Closes files until another one can be opened. A file in the middle of a
    /// long line is kept if possible, since the line would be read again.
    pub(crate) fn make_room(&mut self, limit: usize) {
        let limit = limit.min(self.limit).max(1);
        self.close(limit, |entry| match &entry.state {
            State::Open(opened) => !opened.is_in_long_line(),
            State::Closed(_) => true,
        });
        // One such file may always stay. Otherwise, two of them would be read
        // again and again.
        self.close(limit.max(2), |_| true);
    }

    /// Closes files that may be closed, until fewer than `limit` are open.
    fn close(&mut self, limit: usize, may_close: impl Fn(&Entry) -> bool) {
        let excess = (self.open.len() + 1).saturating_sub(limit);
        let mut closed = vec![];
        for (stamp, path) in &self.open {
            if closed.len() == excess {
                break;
            }
            let close = |entry: &mut Entry| may_close(entry) && entry.close();
            if self.files.get_mut(path).is_none_or(close) {
                closed.push((*stamp, path.clone()));
            }
        }
        for (stamp, path) in closed {
            self.open.remove(&stamp);
            self.count_held(&path);
        }
    }

    /// Counts the bytes of an incomplete line that a file has in memory after
    /// its turn. If all files have too many, those that have been unchanged
    /// for longest release theirs.
    pub(crate) fn hold(&mut self, path: &Key, settings: &Settings) {
        self.count_held(path);
        if self.held_bytes <= settings.held_bytes {
            return;
        }
        // Then there is room for a while.
        let enough = settings.held_bytes / 2;
        for path in self.open.values() {
            if let Some(entry) = self.files.get_mut(path)
                && entry.held_bytes > 0
                && let State::Open(opened) = &mut entry.state
            {
                opened.release(&settings.builder);
                let left = opened.held_bytes();
                let before = std::mem::replace(&mut entry.held_bytes, left);
                self.held_bytes =
                    self.held_bytes.saturating_sub(before) + left;
            }
            if self.held_bytes <= enough {
                break;
            }
        }
    }

    fn count_held(&mut self, path: &Key) {
        let Some(entry) = self.files.get_mut(path) else { return };
        let count = match &entry.state {
            State::Open(opened) => opened.held_bytes(),
            State::Closed(_) => 0,
        };
        let before = std::mem::replace(&mut entry.held_bytes, count);
        self.held_bytes = self.held_bytes.saturating_sub(before) + count;
    }

    /// Closes some files, and keeps fewer open from now on, since the process
    /// can open no more. Returns whether there are fewer now.
    pub(crate) fn spare(&mut self, settings: &Settings) -> bool {
        if self.leaving.close(settings) {
            return true;
        }
        let count = self.open.len();
        self.limit = count.saturating_sub(SPARE).max(1);
        self.make_room(self.limit);
        self.open.len() < count
    }
}

#[cfg(test)]
mod tests {
    use std::{
        env,
        fs::{self, OpenOptions},
        io::Write,
        process,
        time::Duration,
    };

    use linetape::ReaderBuilder;

    use super::*;
    use crate::follow::event::Event;

    /// The incomplete lines of all files were in memory, however many there
    /// were.
    #[test]
    fn incomplete_lines_take_a_bounded_amount_of_memory() {
        const FILES: usize = 12;
        const BUDGET: u64 = 300_000;
        let root = env::temp_dir().join(format!("held-{}", process::id()));
        fs::create_dir_all(&root).unwrap();
        let append = |file: usize, bytes: &[u8]| {
            let path = root.join(format!("{file:02}.jsonl"));
            let mut options = OpenOptions::new();
            let options = options.append(true).create(true);
            options.open(path).unwrap().write_all(bytes).unwrap();
        };
        let mut settings = Settings::new(ReaderBuilder::new());
        settings.held_bytes = BUDGET;
        settings.rescan = Duration::ZERO;
        let mut folders = Folders::new(root.clone());
        let mut poll = || {
            let mut lines = vec![];
            loop {
                let event = folders.next_event(&settings).unwrap();
                let held = |entry: &Entry| match &entry.state {
                    State::Open(opened) => opened.held_bytes(),
                    State::Closed(_) => 0,
                };
                let sum: u64 = folders.files.values().map(held).sum();
                if folders.turn.is_none() {
                    assert!(sum <= BUDGET, "{sum}");
                    assert_eq!(sum, folders.held_bytes);
                }
                match event {
                    Event::Line(line) => lines.push(line.as_bytes().len()),
                    Event::CaughtUp => return lines,
                    _ => {}
                }
            }
        };
        for _ in 0..5 {
            (0..FILES).for_each(|file| append(file, &[b'x'; 100_000]));
            assert!(poll().is_empty());
        }
        (0..FILES).for_each(|file| append(file, b"\nrest"));
        assert_eq!(poll(), [500_000; FILES]);
        (0..FILES).for_each(|file| append(file, b"\n"));
        assert_eq!(poll(), [4; FILES]);
        fs::remove_dir_all(root).unwrap();
    }
}
