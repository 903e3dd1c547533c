//! Files that were renamed or removed while they were open: a program may
//! still write to them.

use std::{
    collections::VecDeque,
    io,
    time::{Duration, Instant},
};

use linetape::Error;

use crate::follow::{
    event::Event,
    file::{News, Opened},
    identity::Identity,
    settings::{LONG, Settings},
};

/// How many files that have left their path are read on at most.
const MOST: usize = 16;

/// Files that have left their path. A program that has opened a log before it
/// was rotated can still write to it.
#[derive(Debug)]
pub(crate) struct Leaving<K> {
    /// The one that left first is the first.
    files: VecDeque<Left<K>>,
    /// The file that is looked at next in this poll.
    turn: usize,
    /// Last lines of files that are not read on any more.
    ready: VecDeque<(K, Result<Event, Error>)>,
}

#[derive(Debug)]
struct Left<K> {
    key: K,
    opened: Opened,
    /// Whether no other file was at the path.
    is_gone: bool,
    /// When the last data arrived.
    since: Instant,
    /// The offset up to which everything has been returned, also a last line
    /// without a newline.
    end: u64,
    /// How many bytes have been read since the last event.
    read: u64,
}

impl<K: Clone> Leaving<K> {
    pub(crate) fn new() -> Leaving<K> {
        let (files, ready) = (VecDeque::new(), VecDeque::new());
        Leaving { files, turn: 0, ready }
    }

    /// Adds a file from which everything has been returned.
    pub(crate) fn add(
        &mut self,
        key: K,
        mut opened: Opened,
        is_gone: bool,
        settings: &Settings,
    ) {
        if settings.rotate_wait == Duration::ZERO {
            return;
        }
        if self.files.len() >= MOST {
            self.end(0, settings);
        }
        opened.rest();
        // Its last line has been returned, so it is hardly needed again.
        opened.release(&settings.builder);
        let (since, end) = (Instant::now(), opened.end());
        let left = Left { key, opened, is_gone, since, end, read: 0 };
        self.files.push_back(left);
    }

    /// Removes a file that has a path again. It is returned only if it was
    /// gone: after another file was at its path, it is read from its start.
    pub(crate) fn take(&mut self, id: Identity) -> Option<(K, Opened)> {
        let is_it = |left: &Left<K>| left.opened.identity() == id;
        let index = self.files.iter().position(is_it)?;
        let left = self.remove(index)?;
        left.is_gone.then_some((left.key, left.opened))
    }

    /// Closes all files, since the process can open no more. Returns whether
    /// there were any.
    pub(crate) fn close(&mut self, settings: &Settings) -> bool {
        let had_files = !self.files.is_empty();
        while !self.files.is_empty() {
            self.end(0, settings);
        }
        had_files
    }

    /// Begins a poll.
    pub(crate) fn begin(&mut self) {
        self.turn = 0;
    }

    /// Returns the next event of this poll, and the file that it is about.
    pub(crate) fn next(
        &mut self,
        settings: &Settings,
    ) -> Option<(K, Result<Event, Error>)> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            let left = self.files.get_mut(self.turn)?;
            if let Some(line) = left.opened.next_line() {
                left.read = 0;
                return Some((left.key.clone(), line.map(Event::Line)));
            }
            match left.opened.look() {
                Ok(News::Bytes(count)) => {
                    left.since = Instant::now();
                    left.read += count;
                    if left.read >= LONG {
                        left.read = 0;
                        return Some((left.key.clone(), Ok(Event::Pending)));
                    }
                }
                // Without an event, which would be about the new file.
                Ok(News::Shorter | News::Other) => {
                    left.opened.restart(&settings.builder);
                    left.end = 0;
                }
                Ok(News::Nothing) => {
                    left.opened.rest();
                    left.opened.release(&settings.builder);
                    match left.since.elapsed() >= settings.rotate_wait {
                        true => self.end(self.turn, settings),
                        false => self.turn += 1,
                    }
                }
                Err(error) => {
                    let left = self.remove(self.turn)?;
                    // A network folder closes files that were removed.
                    let kind = io::ErrorKind::StaleNetworkFileHandle;
                    if error.kind() != kind {
                        return Some((left.key, Err(error.into())));
                    }
                }
            }
        }
    }

    /// Reads a file no more. What it has without a newline is its last line.
    fn end(&mut self, index: usize, settings: &Settings) {
        let Some(mut left) = self.remove(index) else { return };
        if left.opened.end() == left.end {
            return;
        }
        let key = left.key;
        match left.opened.last_lines(&settings.builder) {
            Ok(lines) => {
                let events = lines.into_iter().map(|l| l.map(Event::Line));
                self.ready.extend(events.map(|event| (key.clone(), event)));
            }
            Err(error) => self.ready.push_back((key, Err(error.into()))),
        }
    }

    fn remove(&mut self, index: usize) -> Option<Left<K>> {
        if index < self.turn {
            self.turn -= 1;
        }
        self.files.remove(index)
    }
}
