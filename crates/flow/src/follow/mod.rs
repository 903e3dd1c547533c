mod checkpoint;
mod file;
mod history;

use std::{
    collections::VecDeque,
    fs, io,
    path::{Path, PathBuf},
};

use linetape::{BytesLine, Error, ReaderBuilder};

use crate::follow::file::{Identity, Opened};

pub use checkpoint::Checkpoint;

/// Follows a log that grows while it is read.
///
/// It polls: [`next_event`](Follow::next_event) never waits, and returns
/// [`Event::CaughtUp`] when there is nothing new. The caller then sleeps for a
/// while, such as 50 to 250 ms. So it works on every file system.
///
/// The rules are:
///
/// - A last line without a newline is held back until its newline arrives, or
///   until the file is gone or replaced.
/// - If the file is shorter than what was read, or if the bytes before that
///   place have changed, it is read again from its start. The part of a line
///   that was held back is dropped.
/// - If there is another file at the path, the old one is read to its end
///   first, and then the new one from its start. What is written to the old
///   file later is not read.
/// - A file that is missing is waited for.
///
/// Times of files only tell when to look, and never decide anything.
///
/// # Guarantees
///
/// Lines are delivered at least once. With a [`Checkpoint`] that is stored
/// together with the result of the lines before it, exactly once.
///
/// # Costs
///
/// The memory is 64 KiB, and twice
/// [`Limits::max_line`](linetape::Limits::max_line). A poll that finds nothing
/// takes two calls for metadata; one that finds news also reads up to 4 KiB
/// again, to see whether the file is still the same.
///
/// # Example
///
/// This shows how to print new lines.
///
/// ```no_run
/// use linetape_flow::{Event, Follow};
/// use std::{thread::sleep, time::Duration};
///
/// let mut log = Follow::new("session.jsonl");
/// loop {
///     match log.next_event() {
///         Ok(Event::Line(line)) => println!("{line:?}"),
///         Ok(Event::CaughtUp) => sleep(Duration::from_millis(100)),
///         Ok(other) => println!("the file is now {other:?}"),
///         Err(error) => {
///             eprintln!("{error}");
///             sleep(Duration::from_millis(100));
///         }
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    builder: ReaderBuilder,
    start: Start,
    current: Option<Opened>,
    /// Events to return before anything else is done.
    events: VecDeque<Event>,
    /// The event after the last line of the current file, which is not at the
    /// path any more.
    ending: Option<Event>,
    /// Whether the file was missing when it was looked for.
    was_missing: bool,
}

/// Where the first file at the path is read from.
#[derive(Debug)]
enum Start {
    Beginning,
    End,
    At(Box<Checkpoint>),
}

/// What has happened to a log. See [`Follow`].
///
/// # Example
///
/// This shows which events say that lines before are no longer in the file.
///
/// ```
/// use linetape_flow::Event;
///
/// fn is_restart(event: &Event) -> bool {
///     matches!(event, Event::Truncated | Event::Replaced)
/// }
/// assert!(!is_restart(&Event::CaughtUp));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The next line that is not blank.
    Line(BytesLine),
    /// The file has appeared. It is read from its start.
    New,
    /// The file has become shorter. It is read from its start again.
    Truncated,
    /// Another file is at the path, or the content has changed. It is read
    /// from its start.
    Replaced,
    /// The file has been removed.
    Gone,
    /// There is nothing new.
    CaughtUp,
}

impl Follow {
    /// Follows the file at `path`, from its start. Nothing is opened yet.
    pub fn new(path: impl Into<PathBuf>) -> Follow {
        Follow::with_builder(path, ReaderBuilder::new())
    }

    /// Follows a file with other settings, such as limits, `skip_noise` or
    /// `salvage`. A range or a start position is ignored.
    pub fn with_builder(
        path: impl Into<PathBuf>,
        builder: ReaderBuilder,
    ) -> Follow {
        Follow {
            path: path.into(),
            builder,
            start: Start::Beginning,
            current: None,
            events: VecDeque::new(),
            ending: None,
            was_missing: false,
        }
    }

    /// Returns only lines that begin after the current end of the file. Their
    /// numbers are unknown. A file that appears later is read from its start.
    #[must_use]
    pub fn from_end(self) -> Follow {
        Follow { start: Start::End, ..self }
    }

    /// Goes on where a checkpoint was made. If the file is not the same any
    /// more, the first event is [`Event::Replaced`], and it is read from its
    /// start: the caller should store the next checkpoint soon.
    #[must_use]
    pub fn resume(self, checkpoint: Checkpoint) -> Follow {
        Follow { start: Start::At(Box::new(checkpoint)), ..self }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a checkpoint after the last line that was returned. `None` if
    /// there is no file.
    ///
    /// It says that the caller has finished with all lines before it. With
    /// `salvage`, the records of one damaged line are finished together.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        self.current.as_ref()?.checkpoint(&self.path)
    }

    /// Returns the next event. It does not wait.
    ///
    /// # Errors
    ///
    /// If a line is bad, or if the file cannot be opened or read. The next call
    /// continues with the next line, or tries again.
    pub fn next_event(&mut self) -> Result<Event, Error> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            let Some(current) = &mut self.current else {
                if self.open()? {
                    continue;
                }
                return Ok(Event::CaughtUp);
            };
            if let Some(line) = current.next_line() {
                return line.map(Event::Line);
            }
            if current.is_finished() {
                self.current = None;
                self.start = Start::Beginning;
                self.was_missing = self.ending == Some(Event::Gone);
                self.events.extend(self.ending.take());
                continue;
            }
            match current.look()? {
                file::News::Bytes => continue,
                file::News::Shorter => {
                    current.restart(&self.builder);
                    return Ok(Event::Truncated);
                }
                file::News::Other => {
                    current.restart(&self.builder);
                    return Ok(Event::Replaced);
                }
                file::News::Nothing => {
                    if !self.compare()? {
                        return Ok(Event::CaughtUp);
                    }
                }
            }
        }
    }

    /// Compares the file at the path with the one that is open, which has no
    /// news. Returns whether something has changed.
    fn compare(&mut self) -> Result<bool, Error> {
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
            Err(error) => return Err(error.into()),
        };
        // The last bytes may have been written before the file was moved, and
        // after it was looked at.
        if !current.leave() {
            return Ok(true);
        }
        current.finish();
        self.ending = Some(event);
        Ok(true)
    }

    /// Opens the file. Returns whether it is there.
    fn open(&mut self) -> Result<bool, Error> {
        let facts = match fs::metadata(&self.path) {
            Ok(facts) => facts,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.was_missing = true;
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        };
        if !facts.is_file() {
            // Opening a pipe would wait for its writer.
            let why = "not a regular file, so it cannot be followed";
            return Err(
                io::Error::new(io::ErrorKind::InvalidInput, why).into()
            );
        }
        let mut opened = Opened::open(&self.path, &self.builder)?;
        match std::mem::replace(&mut self.start, Start::Beginning) {
            Start::At(checkpoint) => {
                if !opened.resume(&checkpoint, &self.builder)? {
                    self.events.push_back(Event::Replaced);
                }
            }
            Start::End if !self.was_missing => {
                opened.move_to_end(&self.builder)?;
            }
            Start::Beginning | Start::End => {
                if self.was_missing {
                    self.events.push_back(Event::New);
                }
            }
        }
        self.was_missing = false;
        self.current = Some(opened);
        Ok(true)
    }
}
