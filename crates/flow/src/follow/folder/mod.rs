/*!
Follows all logs of some folders.

```text
  search (each second) ─► entries ─► queue ─► turn of one file ─► events
        new, moved, gone    │  ▲                 │
        changed             │  └── not done ─────┘
                            └─ open files: looked at in every round
```

Only files that had new data lately are open. They are looked at in every round,
and the others when the folders are searched. A turn is bounded, so that a busy file
does not keep the others waiting.
*/

mod entry;
mod gone;
mod key;
mod leave;
mod lost;
mod room;
mod scan;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs, io,
    path::{Path, PathBuf},
    time::{Instant, SystemTime},
};

use linetape::{Error, Position};

use crate::{
    disk::is_out_of_files,
    follow::{
        checkpoint::Checkpoint,
        event::Event,
        file::News,
        identity::Identity,
        leaving::Leaving,
        settings::{LONG, Settings},
    },
};

use entry::{Entry, State};
use gone::Gone;
use key::Key;

/// After how many bytes of a file it is the turn of the next one.
const TURN: u64 = 1 << 20;

/// The maximum number of removed files to remember.
const GONE: usize = 1 << 16;

/// How often the folders are searched before the caller is told that there is
/// nothing new. A file that is renamed again and again must not keep the caller
/// waiting.
const SEARCHES: u32 = 8;

/// What [`Folders::next_event`] returns, and the file that it is about.
type Ready = (Key, Result<Event, Error>);

/// Follows all logs of some folders.
#[derive(Debug)]
pub(crate) struct Folders {
    roots: Vec<PathBuf>,
    from_end: bool,
    /// Files that were last modified before this time are read from their end.
    begin: Option<SystemTime>,
    /// Checkpoints of files that have not been found yet.
    resumed: BTreeMap<PathBuf, Checkpoint>,
    files: BTreeMap<Key, Entry>,
    /// The last positions in removed files, which may reappear.
    gone: Gone,
    /// Files that were removed or replaced, and are still open.
    leaving: Leaving<Key>,
    /// The open files, beginning with the one that had no new data for the
    /// longest time.
    open: BTreeMap<u64, Key>,
    /// How many files the process can open.
    limit: usize,
    /// How many bytes of incomplete lines are in memory, except for those of
    /// the file whose turn it is.
    held_bytes: u64,
    stamp: u64,
    /// Files whose turn comes in this round, and in the next.
    queue: VecDeque<Key>,
    next: VecDeque<Key>,
    turn: Option<Turn>,
    ready: VecDeque<Ready>,
    /// The file of the last event.
    path: Key,
    /// When the folders were last searched. `None` if they must be.
    searched: Option<Instant>,
    was_searched: bool,
    /// How often they were searched since the caller was told that there is
    /// nothing new.
    searches: u32,
    /// Whether the caller has been told that there is nothing new.
    is_caught_up: bool,
    /// The paths of files that have been replaced.
    replaced: BTreeSet<Key>,
    /// Folders and files that could not be looked at.
    faults: BTreeMap<PathBuf, io::ErrorKind>,
    /// Old paths of files that were moved, for the caller's checkpoints.
    left: Vec<PathBuf>,
}

/// The turn of a file.
#[derive(Debug)]
struct Turn {
    path: Key,
    read: u64,
    is_active: bool,
    /// The position after the last line before the turn.
    done: Option<Position>,
}

impl Folders {
    pub(crate) fn new(root: PathBuf) -> Folders {
        Folders {
            path: root.as_path().into(),
            roots: vec![root],
            from_end: false,
            begin: None,
            resumed: BTreeMap::new(),
            files: BTreeMap::new(),
            gone: Gone::new(GONE),
            leaving: Leaving::new(),
            open: BTreeMap::new(),
            limit: usize::MAX,
            held_bytes: 0,
            stamp: 0,
            queue: VecDeque::new(),
            next: VecDeque::new(),
            turn: None,
            ready: VecDeque::new(),
            searched: None,
            was_searched: false,
            searches: 0,
            is_caught_up: true,
            replaced: BTreeSet::new(),
            faults: BTreeMap::new(),
            left: vec![],
        }
    }

    pub(crate) fn add(&mut self, root: PathBuf) {
        self.roots.push(root);
    }

    pub(crate) fn begin_at_end(&mut self) {
        self.from_end = true;
    }

    pub(crate) fn skip_before(&mut self, time: SystemTime) {
        self.begin = Some(time);
    }

    pub(crate) fn resume(&mut self, checkpoint: Checkpoint) {
        self.resumed.insert(checkpoint.path.clone(), checkpoint);
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn checkpoint(&self) -> Option<Checkpoint> {
        self.files.get(&self.path)?.checkpoint(&self.path)
    }

    /// Returns the checkpoints that have changed since the last call, and the
    /// paths that files have left.
    pub(crate) fn changes(&mut self) -> (Vec<Checkpoint>, Vec<PathBuf>) {
        let mut changed = vec![];
        for (path, entry) in &mut self.files {
            if entry.is_changed
                && let Some(checkpoint) = entry.checkpoint(path)
            {
                entry.is_changed = false;
                changed.push(checkpoint);
            }
        }
        (changed, std::mem::take(&mut self.left))
    }

    pub(crate) fn next_event(
        &mut self,
        settings: &Settings,
    ) -> Result<Event, Error> {
        if std::mem::take(&mut self.is_caught_up) {
            self.leaving.begin();
            self.begin_round(settings);
        }
        loop {
            let ready = self.ready.pop_front();
            if let Some((path, event)) =
                ready.or_else(|| self.leaving.next(settings))
            {
                self.path = path;
                return event;
            }
            if let Some(turn) = self.turn.take() {
                let path = turn.path.clone();
                self.go_on(turn, settings);
                if self.turn.is_none() {
                    self.hold(&path, settings);
                }
            } else if let Some(path) = self.queue.pop_front() {
                self.begin_turn(path, settings);
            } else if self.next.is_empty()
                && (self.searched.is_some() || self.searches >= SEARCHES)
            {
                self.is_caught_up = true;
                self.searches = 0;
                return Ok(Event::CaughtUp);
            } else {
                self.queue = std::mem::take(&mut self.next);
                self.begin_round(settings);
            }
        }
    }

    /// Queues all files that have to be looked at.
    fn begin_round(&mut self, settings: &Settings) {
        let is_due = |at: Instant| at.elapsed() >= settings.rescan;
        if self.searched.is_none_or(is_due) {
            self.searches += 1;
            self.search(settings);
        } else {
            let open: Vec<Key> = self.open.values().cloned().collect();
            for path in open {
                self.enqueue(&path);
            }
        }
    }

    fn enqueue(&mut self, path: &Key) {
        if let Some(entry) = self.files.get_mut(path)
            && !std::mem::replace(&mut entry.is_queued, true)
        {
            self.queue.push_back(path.clone());
        }
    }

    /// Opens the file whose turn it is.
    fn begin_turn(&mut self, path: Key, settings: &Settings) {
        let Some(entry) = self.files.get_mut(&path) else { return };
        entry.is_queued = false;
        if !entry.is_open() {
            if entry.ending.is_some() {
                self.end(&path);
                return;
            }
            self.make_room(settings.open_files);
            let opened = loop {
                let Some(entry) = self.files.get_mut(&path) else { return };
                match entry.open(&path, &settings.builder) {
                    Err(e) if is_out_of_files(&e) && self.spare(settings) => {}
                    opened => break opened,
                }
            };
            match opened {
                Ok(Some(events)) => {
                    let events = events.into_iter().map(Ok);
                    let ready = events.map(|event| (path.clone(), event));
                    self.ready.extend(ready);
                }
                Ok(None) => {
                    self.searched = None;
                    return;
                }
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    self.searched = None;
                    return;
                }
                Err(error) => return self.fail(&path, error),
            }
            self.note_activity(&path);
        }
        let Some(entry) = self.files.get(&path) else { return };
        let State::Open(opened) = &entry.state else { return };
        let done = opened.done();
        self.turn = Some(Turn { path, read: 0, is_active: false, done });
    }

    /// Notes that an open file has new data now.
    fn note_activity(&mut self, path: &Key) {
        let Some(entry) = self.files.get_mut(path) else { return };
        self.open.remove(&entry.stamp);
        self.stamp += 1;
        entry.stamp = self.stamp;
        self.open.insert(self.stamp, path.clone());
    }

    /// Reads on in the file whose turn it is, up to the next event.
    fn go_on(&mut self, mut turn: Turn, settings: &Settings) {
        let path = turn.path.clone();
        let Some(entry) = self.files.get_mut(&path) else { return };
        let State::Open(opened) = &mut entry.state else { return };
        let builder = &settings.builder;
        if let Some(line) = opened.next_line() {
            entry.is_changed = true;
            self.ready.push_back((path, line.map(Event::Line)));
            self.turn = Some(turn);
            return;
        }
        // A file that is closed loses the line that it has not read to its
        // end. So a turn ends after a line, unless the line is very long.
        let has_line = opened.done() != turn.done;
        // A line that is read again is in memory, so no other turn may begin.
        if turn.read >= LONG && opened.is_reading_again() {
            turn.read = 0;
            self.ready.push_back((path, Ok(Event::Pending)));
            self.turn = Some(turn);
            return;
        }
        if turn.read >= LONG
            || (turn.read >= TURN && has_line && !opened.is_reading_again())
        {
            entry.is_queued = true;
            self.next.push_back(path.clone());
            if !has_line {
                self.ready.push_back((path.clone(), Ok(Event::Pending)));
            }
            return self.note_activity(&path);
        }
        let event = match opened.look() {
            Ok(News::Bytes(count)) => {
                turn.read += count;
                turn.is_active = true;
                self.turn = Some(turn);
                return;
            }
            Ok(News::Shorter) => Event::Truncated,
            Ok(News::Other) => Event::Replaced,
            Ok(News::Nothing) if entry.ending.is_some() => {
                return self.leave(&path, settings);
            }
            Ok(News::Nothing) => return self.catch_up(turn, settings),
            Err(error) => return self.fail(&path, error),
        };
        opened.restart(builder);
        entry.is_changed = true;
        turn.done = opened.done();
        turn.is_active = true;
        self.ready.push_back((path, Ok(event)));
        self.turn = Some(turn);
    }

    /// Ends the turn of a file that has nothing new.
    fn catch_up(&mut self, turn: Turn, settings: &Settings) {
        let path = turn.path;
        let Some(entry) = self.files.get_mut(&path) else { return };
        let State::Open(opened) = &mut entry.state else { return };
        let held = match settings.idle {
            Some(idle) => opened.idle_line(idle, &settings.builder),
            None => Ok(None),
        };
        opened.rest();
        match held {
            Ok(line) => {
                let line = line.map(|line| Ok(Event::Line(line)));
                self.ready.extend(line.map(|line| (path.clone(), line)));
            }
            Err(error) => return self.fail(&path, error),
        }
        match fs::metadata(&*path) {
            Ok(facts) if Identity::of(&facts) == entry.identity => {
                entry.fault = None;
            }
            Ok(_) => self.searched = None,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                self.searched = None;
            }
            Err(error) => return self.fail(&path, error),
        }
        if turn.is_active {
            self.note_activity(&path);
        }
    }

    /// Reports an error of a file, once. Its next turn tries again.
    fn fail(&mut self, path: &Key, error: io::Error) {
        let Some(entry) = self.files.get_mut(path) else { return };
        let kind = error.kind();
        if entry.fault.replace(kind) != Some(kind) {
            self.ready.push_back((path.clone(), Err(error.into())));
        }
    }
}
