use std::{
    collections::VecDeque,
    fs, io,
    path::{Path, PathBuf},
};

use linetape::{BytesLine, Error};

use crate::follow::{
    checkpoint::{Checkpoint, Progress},
    event::Event,
    file::{News, Opened},
    identity::{Identity, not_regular},
    leaving::Leaving,
    settings::{LONG, Settings},
};

/// Follows one file.
#[derive(Debug)]
pub(crate) struct Single {
    path: PathBuf,
    start: Start,
    current: Option<Opened>,
    /// Events to return before anything else is done.
    events: VecDeque<Result<Event, Error>>,
    /// Files that were at the path before.
    leaving: Leaving<()>,
    /// Whether the file was missing when it was looked for.
    was_missing: bool,
    /// How many bytes have been read since the last event.
    read: u64,
    /// The error that was returned since the file was last read. The file is
    /// tried again, and the same error is not returned again.
    fault: Option<io::ErrorKind>,
}

/// Where the first file at the path is read from.
#[derive(Clone, Copy, Debug)]
enum Start {
    Beginning,
    End,
    /// A checkpoint, with the device and the inode of its file.
    At(Progress, (u64, u64)),
    /// The last position in a file that was removed, in case it reappears.
    Back(Progress, (u64, u64)),
}

impl Single {
    pub(crate) fn new(path: PathBuf) -> Single {
        Single {
            path,
            start: Start::Beginning,
            current: None,
            events: VecDeque::new(),
            leaving: Leaving::new(),
            was_missing: false,
            read: 0,
            fault: None,
        }
    }

    pub(crate) fn begin_at_end(&mut self) {
        self.start = Start::End;
    }

    pub(crate) fn resume(&mut self, checkpoint: &Checkpoint) {
        self.start = Start::At(checkpoint.progress, checkpoint.id);
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn checkpoint(&self) -> Option<Checkpoint> {
        self.current.as_ref()?.checkpoint(&self.path)
    }

    pub(crate) fn next_event(
        &mut self,
        settings: &Settings,
    ) -> Result<Event, Error> {
        let event = self.next(settings);
        if matches!(event, Ok(Event::CaughtUp) | Err(_)) {
            self.leaving.begin();
        }
        event
    }

    fn next(&mut self, settings: &Settings) -> Result<Event, Error> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return event;
            }
            if let Some((_, event)) = self.leaving.next(settings) {
                return event;
            }
            match self.read_on(settings) {
                Ok(None) => {}
                Ok(Some(event)) => {
                    self.fault = None;
                    return event;
                }
                Err(error) => return self.fail(error),
            }
        }
    }

    /// Reports an error of the file, once. The next call tries again. So a
    /// caller who continues after errors catches up, whatever is at the path.
    fn fail(&mut self, error: io::Error) -> Result<Event, Error> {
        let kind = error.kind();
        if self.fault.replace(kind) == Some(kind) {
            return Ok(Event::CaughtUp);
        }
        Err(error.into())
    }

    /// Returns the next event or bad line of the file. Returns `None` if there
    /// may be more, and an error if the file cannot be read.
    fn read_on(
        &mut self,
        settings: &Settings,
    ) -> io::Result<Option<Result<Event, Error>>> {
        let builder = &settings.builder;
        let Some(current) = &mut self.current else {
            let is_open = self.open(settings)?;
            return Ok((!is_open).then_some(Ok(Event::CaughtUp)));
        };
        if let Some(line) = current.next_line() {
            self.read = 0;
            return Ok(Some(line.map(Event::Line)));
        }
        current.release_above(settings);
        let event = match current.look()? {
            News::Bytes(count) => {
                self.read += count;
                if self.read < LONG {
                    return Ok(None);
                }
                self.read = 0;
                Event::Pending
            }
            News::Shorter => {
                current.restart(builder);
                Event::Truncated
            }
            News::Other => {
                current.restart(builder);
                Event::Replaced
            }
            News::Nothing => {
                self.read = 0;
                if self.compare(settings)? {
                    return Ok(None);
                }
                let line = self.idle_line(settings)?;
                line.map_or(Event::CaughtUp, Event::Line)
            }
        };
        Ok(Some(Ok(event)))
    }

    fn idle_line(
        &mut self,
        settings: &Settings,
    ) -> io::Result<Option<BytesLine>> {
        let (Some(current), Some(idle)) = (&mut self.current, settings.idle)
        else {
            return Ok(None);
        };
        current.idle_line(idle, &settings.builder)
    }

    /// Compares the file at the path with the one that is open, which has no
    /// new data. Returns whether something has changed.
    fn compare(&mut self, settings: &Settings) -> io::Result<bool> {
        let Some(current) = &mut self.current else { return Ok(true) };
        let event = match fs::metadata(&self.path) {
            Ok(facts) if Identity::of(&facts) == current.identity() => {
                current.stay();
                return Ok(false);
            }
            Ok(_) => Event::Replaced,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Event::Gone
            }
            Err(error) => return Err(error),
        };
        // The last bytes may have been written before the file was moved, and
        // after it was looked at.
        if !current.leave() {
            return Ok(true);
        }
        let lines = current.last_lines(&settings.builder)?;
        let lines = lines.into_iter().map(|line| line.map(Event::Line));
        self.events.extend(lines);
        let is_gone = event == Event::Gone;
        self.events.push_back(Ok(event));
        self.was_missing = is_gone;
        let id = current.identity().device_and_inode();
        let progress = current.progress().filter(|p| is_gone && p.is_proof());
        self.start = progress
            .map_or(Start::Beginning, |progress| Start::Back(progress, id));
        if let Some(current) = self.current.take() {
            self.leaving.add((), current, is_gone, settings);
        }
        Ok(true)
    }

    /// Opens the file. Returns whether it is there.
    fn open(&mut self, settings: &Settings) -> io::Result<bool> {
        let builder = &settings.builder;
        let facts = match fs::metadata(&self.path) {
            Ok(facts) => facts,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.was_missing = true;
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        if !facts.is_file() {
            return Err(not_regular());
        }
        let mut opened = Opened::open(&self.path, builder)?;
        if let Some(((), mut back)) = self.leaving.take(opened.identity()) {
            back.stay();
            self.start = Start::Beginning;
            self.was_missing = false;
            self.current = Some(back);
            return Ok(true);
        }
        match self.start {
            Start::At(progress, id) => {
                if !opened.resume(&progress, id, builder)? {
                    self.events.push_back(Ok(Event::Replaced));
                }
            }
            Start::Back(progress, id) => {
                if !opened.resume(&progress, id, builder)? {
                    self.events.push_back(Ok(Event::New));
                }
            }
            Start::End if !self.was_missing => {
                opened.skip_to(opened.size()?, builder)?;
            }
            Start::Beginning | Start::End => {
                if self.was_missing {
                    self.events.push_back(Ok(Event::New));
                }
            }
        }
        self.start = Start::Beginning;
        self.was_missing = false;
        self.current = Some(opened);
        Ok(true)
    }
}
