use std::{io, path::Path};

use linetape::ReaderBuilder;

use crate::follow::{
    checkpoint::{Checkpoint, Progress},
    event::Event,
    file::Opened,
    held::Held,
    identity::{Identity, Seen},
};

/// A file of a folder.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) identity: Identity,
    pub(crate) state: State,
    /// When it last had new data, among the open files.
    pub(crate) stamp: u64,
    /// How many bytes of it are counted as being in memory.
    pub(crate) held_bytes: u64,
    pub(crate) is_queued: bool,
    /// Whether its checkpoint has changed since it was last asked for.
    pub(crate) is_changed: bool,
    /// How many searches in a row have not found it.
    pub(crate) misses: u8,
    /// The event after its last line, if it has no path any more.
    pub(crate) ending: Option<Event>,
    /// The error that was reported last, until the file can be read again.
    pub(crate) fault: Option<io::ErrorKind>,
}

#[derive(Debug)]
pub(crate) enum State {
    Open(Box<Opened>),
    Closed(Closed),
}

/// A file that is not open.
#[derive(Debug)]
pub(crate) struct Closed {
    pub(crate) start: Start,
    /// What was seen of it before it was closed.
    pub(crate) seen: Option<Seen>,
    /// Its last line, if it has no newline.
    pub(crate) held: Option<Held>,
}

/// Where a file is read from when it is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    Beginning,
    /// The end. A line that is not complete there is skipped.
    End,
    /// The same, with the offset at which the end was.
    After(u64),
    /// Where it was closed.
    Back(Progress),
    /// A checkpoint of the caller, with the device and the inode of its file.
    At(Progress, (u64, u64)),
}

impl Entry {
    pub(crate) fn new(identity: Identity, start: Start) -> Entry {
        Entry {
            identity,
            state: State::Closed(Closed { start, seen: None, held: None }),
            stamp: 0,
            held_bytes: 0,
            is_queued: false,
            is_changed: false,
            misses: 0,
            ending: None,
            fault: None,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// Opens the file. Returns what has changed since it was closed; `None`
    /// if another file is at the path.
    pub(crate) fn open(
        &mut self,
        path: &Path,
        builder: &ReaderBuilder,
    ) -> io::Result<Option<Vec<Event>>> {
        let State::Closed(closed) = &self.state else {
            return Ok(Some(vec![]));
        };
        let mut opened = Opened::open(path, builder)?;
        if opened.identity() != self.identity {
            return Ok(None);
        }
        let mut events = vec![];
        let size = opened.size()?;
        match closed.start {
            Start::Beginning => {}
            Start::End => opened.skip_to(size, builder)?,
            Start::After(end) if size < end => events.push(Event::Truncated),
            Start::After(end) => opened.skip_to(end, builder)?,
            Start::Back(progress) => {
                let id = self.identity.device_and_inode();
                if !opened.resume(&progress, id, builder)? {
                    events.push(match size < progress.offset {
                        true => Event::Truncated,
                        false => Event::Replaced,
                    });
                }
            }
            Start::At(progress, id) => {
                match opened.resume(&progress, id, builder)? {
                    // A file that was restored has another inode. If it is
                    // moved later, it is found by it.
                    true => {
                        let now = self.identity.device_and_inode();
                        self.is_changed |= id != now;
                    }
                    false => events.push(Event::Replaced),
                }
            }
        }
        if events.is_empty()
            && let Some(held) = closed.held
        {
            opened.hold(held);
        }
        self.is_changed |= !events.is_empty();
        self.state = State::Open(Box::new(opened));
        Ok(Some(events))
    }

    /// Closes the file, and keeps what is needed to resume. Returns whether it
    /// is closed.
    pub(crate) fn close(&mut self) -> bool {
        let State::Open(opened) = &self.state else { return true };
        if self.ending.is_some() {
            // It has no path any more, so it could not be opened again.
            return false;
        }
        let start = match (opened.done(), opened.progress()) {
            (None, _) => Start::After(opened.began()),
            (_, Some(progress)) => Start::Back(progress),
            (_, None) => return false,
        };
        let (seen, held) = (opened.seen(), opened.held());
        self.state = State::Closed(Closed { start, seen, held });
        true
    }

    /// Returns whether this is the file at another path.
    pub(crate) fn is_at(
        &self,
        path: &Path,
        builder: &ReaderBuilder,
    ) -> io::Result<bool> {
        let State::Closed(closed) = &self.state else {
            // The inode of an open file is not reused.
            return Ok(true);
        };
        let (progress, id) = match closed.start {
            Start::Back(progress) => {
                (progress, self.identity.device_and_inode())
            }
            Start::At(progress, id) => (progress, id),
            _ => return Ok(true),
        };
        Opened::open(path, builder)?.resume(&progress, id, builder)
    }

    /// Returns how far the file was read.
    pub(crate) fn progress(&self) -> Option<Progress> {
        match &self.state {
            State::Open(opened) => opened.progress(),
            State::Closed(closed) => match closed.start {
                Start::Back(progress) | Start::At(progress, _) => {
                    Some(progress)
                }
                _ => None,
            },
        }
    }

    pub(crate) fn checkpoint(&self, path: &Path) -> Option<Checkpoint> {
        let id = self.identity.device_and_inode();
        let progress = self.progress()?;
        Some(Checkpoint { path: path.to_path_buf(), id, progress, gone: None })
    }
}
