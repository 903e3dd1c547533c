mod checkpoint;
mod event;
mod file;
mod folder;
mod held;
mod history;
mod identity;
mod of_file;
mod settings;
mod single;

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use linetape::{Error, ReaderBuilder};

use crate::follow::{folder::Folders, settings::Settings, single::Single};

pub use checkpoint::Checkpoint;
pub use event::Event;

/// Follows a log that grows while it is read, or all logs of a folder.
///
/// It polls: [`next_event`](Follow::next_event) never waits, and returns
/// [`Event::CaughtUp`] when there is nothing new. The caller then sleeps for a
/// while, such as 50 to 250 ms. So it works on every file system.
///
/// The rules are:
///
/// - A last line without a newline is held back until its newline arrives, or
///   until the file is gone or replaced. See [`idle`](Follow::idle).
/// - If the file is shorter than what was read, or if the bytes before that
///   place have changed, it is read again from its start. The part of a line
///   that was held back is dropped.
/// - If there is another file at the path, the old one is read to its end
///   first, and then the new one from its start. What is written to the old
///   file later is not read, unless it is still in a folder that is followed.
/// - A file that is missing is waited for.
///
/// Times of files only tell when to look, and never decide anything.
///
/// # Folders
///
/// [`Follow::folder`] follows the plain files that [`logs`](crate::logs)
/// returns. Compressed files do not grow, so they are not followed: a log that
/// is compressed later is not read twice. [`path`](Follow::path) returns the
/// file that the last event is about.
///
/// - A file that gets another name, or is moved between the folders, is read
///   on where it was. It is recognised by its device and inode, and by its
///   content if it was not open. A second name of the same file (a link) is
///   ignored.
/// - No file keeps the others waiting: after 1 MiB, and the rest of a line, it
///   is the turn of the next one.
/// - The files that had news lately stay open: see
///   [`open_files`](Follow::open_files). They are looked at whenever events are
///   asked for, and the others when the folders are searched: see
///   [`rescan`](Follow::rescan).
/// - An error about one file or folder is returned once, and it is tried again
///   until it can be read. The others are followed meanwhile.
///
/// # Guarantees
///
/// Lines are delivered at least once. With a [`Checkpoint`] that is stored
/// together with the result of the lines before it, exactly once. See
/// [`Checkpoints`](crate::Checkpoints).
///
/// One case can lose lines: bytes that are appended to a file of a folder while
/// it is not open, if the file is then removed before the next search.
///
/// # Costs
///
/// The memory of a file that is being read is 64 KiB, and twice
/// [`Limits::max_line`](linetape::Limits::max_line). Of a folder, one file is
/// read at a time. Other open files have up to 16 KiB, and their last line if
/// it has no newline. A file that is not open has its path and about 300 bytes.
///
/// A poll that finds nothing takes two calls for metadata of each open file;
/// one that finds news also reads up to 4 KiB again, to see whether the file
/// is still the same. A search takes one call for the metadata of each file.
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
    source: Source,
    settings: Settings,
}

/// What is followed.
#[derive(Debug)]
enum Source {
    File(Box<Single>),
    Folders(Box<Folders>),
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
        let source = Source::File(Box::new(Single::new(path.into())));
        Follow { source, settings: Settings::new(builder) }
    }

    /// Follows all logs in a folder and all folders below it, each from its
    /// start. The folder may be missing at first.
    ///
    /// # Example
    ///
    /// This shows how to read all lines of a folder that are there now.
    ///
    /// ```
    /// use linetape_flow::{Event, Follow};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir()
    /// #     .join(format!("linetape-folder-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("a.jsonl"), "{\"n\":1}\n")?;
    /// std::fs::write(folder.join("b.jsonl"), "{\"n\":2}\n{\"half\"")?;
    /// let mut logs = Follow::folder(&folder);
    /// let mut names = vec![];
    /// loop {
    ///     match logs.next_event()? {
    ///         Event::Line(_) => names.push(logs.path().to_path_buf()),
    ///         Event::CaughtUp => break,
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(names, [folder.join("a.jsonl"), folder.join("b.jsonl")]);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn folder(folder: impl Into<PathBuf>) -> Follow {
        Follow::folder_with_builder(folder, ReaderBuilder::new())
    }

    /// Follows a folder with other settings of the reader: see
    /// [`with_builder`](Follow::with_builder).
    pub fn folder_with_builder(
        folder: impl Into<PathBuf>,
        builder: ReaderBuilder,
    ) -> Follow {
        let source = Source::Folders(Box::new(Folders::new(folder.into())));
        Follow { source, settings: Settings::new(builder) }
    }

    /// Follows another folder, too. A log can be moved from one to the other.
    /// Ignored if this follows a file.
    #[must_use]
    pub fn and_folder(mut self, folder: impl Into<PathBuf>) -> Follow {
        if let Source::Folders(folders) = &mut self.source {
            folders.add(folder.into());
        }
        self
    }

    /// Returns only lines that begin after the current end of the file. Their
    /// numbers are unknown. A file that appears later is read from its start.
    #[must_use]
    pub fn from_end(mut self) -> Follow {
        match &mut self.source {
            Source::File(file) => file.begin_at_end(),
            Source::Folders(folders) => folders.begin_at_end(),
        }
        self
    }

    /// Like [`from_end`](Follow::from_end), but only for the files of a folder
    /// that were last changed before `time`. Ignored if this follows a file.
    #[must_use]
    pub fn skip_before(mut self, time: SystemTime) -> Follow {
        if let Source::Folders(folders) = &mut self.source {
            folders.skip_before(time);
        }
        self
    }

    /// Goes on where a checkpoint was made. If the file is not the same any
    /// more, its first event is [`Event::Replaced`], and it is read from its
    /// start: the caller should store the next checkpoint soon.
    ///
    /// For a folder, call it with the checkpoint of each file. A file that has
    /// been moved since then is found by its device and inode or by its name,
    /// and if its content is the same; its first event is [`Event::Moved`].
    #[must_use]
    pub fn resume(mut self, checkpoint: Checkpoint) -> Follow {
        match &mut self.source {
            Source::File(file) => file.resume(&checkpoint),
            Source::Folders(folders) => folders.resume(checkpoint),
        }
        self
    }

    /// Returns a last line without a newline, too, if it is a whole JSON object
    /// and nothing was appended for this time. By default it is held back.
    ///
    /// A checkpoint stays before such a line. When its newline arrives, the
    /// line is not returned again; if other bytes arrive, the longer line is.
    #[must_use]
    pub fn idle(mut self, time: Duration) -> Follow {
        self.settings.idle = Some(time);
        self
    }

    /// Sets the time after which folders are searched again, one second by
    /// default. New files, and news of files that are not open, are found
    /// then.
    #[must_use]
    pub fn rescan(mut self, time: Duration) -> Follow {
        self.settings.rescan = time;
        self
    }

    /// Sets how many files of a folder are open at a time, 128 by default. The
    /// one that had no news for longest is closed.
    #[must_use]
    pub fn open_files(mut self, count: usize) -> Follow {
        self.settings.open_files = count;
        self
    }

    /// Returns the path of the file that the last event or error is about. If
    /// this follows one file, it is always that.
    pub fn path(&self) -> &Path {
        match &self.source {
            Source::File(file) => file.path(),
            Source::Folders(folders) => folders.path(),
        }
    }

    /// Returns a checkpoint of the file at [`path`](Follow::path), after the
    /// last line that was returned. `None` if there is no file.
    ///
    /// It says that the caller has finished with all lines before it. With
    /// `salvage`, the records of one damaged line are finished together.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        match &self.source {
            Source::File(file) => file.checkpoint(),
            Source::Folders(folders) => folders.checkpoint(),
        }
    }

    /// Returns whether this follows folders.
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self.source, Source::Folders(_))
    }

    /// Returns the checkpoints that have changed since the last call, and the
    /// paths that files have left for another one.
    pub(crate) fn changes(&mut self) -> (Vec<Checkpoint>, Vec<PathBuf>) {
        match &mut self.source {
            Source::File(file) => {
                (file.checkpoint().into_iter().collect(), vec![])
            }
            Source::Folders(folders) => folders.changes(),
        }
    }

    /// Returns the next event. It does not wait.
    ///
    /// # Errors
    ///
    /// If a line is bad, or if a file cannot be opened or read. The next call
    /// continues with the next line, or tries again.
    pub fn next_event(&mut self) -> Result<Event, Error> {
        match &mut self.source {
            Source::File(file) => file.next_event(&self.settings),
            Source::Folders(folders) => folders.next_event(&self.settings),
        }
    }
}
