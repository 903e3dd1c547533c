mod checkpoint;
mod event;
mod file;
mod folder;
mod held;
mod history;
mod identity;
mod leaving;
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
/// `Follow` polls: [`next_event`](Follow::next_event) never waits, and returns
/// [`Event::CaughtUp`] if there is nothing new. The caller then sleeps, for
/// example for 50 to 250 ms. Polling works on every file system.
///
/// - A last line without a newline is not returned until its newline arrives,
///   or until the file is removed or replaced. [`idle`](Follow::idle) changes
///   this.
/// - If the file has become shorter, or if the last bytes that were read have
///   changed, the file is read again from its start. An incomplete last line
///   that was not returned is dropped.
/// - If another file is at the path, the old file is read to its end first, and
///   then the new file from its start. A program may still write to the old
///   file: see [`rotate_wait`](Follow::rotate_wait).
/// - A missing file is not an error: `Follow` waits until it appears.
/// - An error about the file, and not about a line, is returned once. The file
///   is tried again at each poll, until it can be read.
///
/// Modification times are only used to decide when to compare the content
/// again, and by [`skip_before`](Follow::skip_before).
///
/// A JSON array is not taken apart, since it has no lines that are appended.
///
/// # Folders
///
/// [`Follow::folder`] follows the files that [`logs`](crate::logs) returns,
/// except for those with a compressed name (`.gz`, `.zst`): a log that is
/// compressed later is not read twice. [`path`](Follow::path) returns the
/// file that the last event is about.
///
/// - A file that is renamed, or moved between the folders, is not read again:
///   reading continues where it was. On Unix, the file is recognised by its
///   device and inode, and elsewhere by its creation time; if it was not open,
///   its content must also match. A second link to the same file is ignored (on
///   Unix).
/// - A large file does not block the others: after 1 MiB, and the rest of a
///   line, the next file is read.
/// - The files with the most recent changes stay open: see
///   [`open_files`](Follow::open_files). Open files are checked at every poll.
///   The others are checked when the folders are searched: see
///   [`rescan`](Follow::rescan).
/// - An error about one file or folder is returned once. The file or folder is
///   tried again until it can be read, and the others are followed meanwhile.
///
/// # Guarantees
///
/// Lines are delivered at least once. Delivery is effectively exactly once if
/// you store the [`Checkpoint`] and the results of the lines before it in one
/// atomic write, as [`Checkpoints`](crate::Checkpoints) does.
///
/// Lines are lost in these cases:
///
/// - A file was not open when it was removed, replaced or moved out of the
///   followed folders, and had lines that were not read yet. This concerns the
///   files of a folder above [`open_files`](Follow::open_files), and a file that
///   appears and disappears between two polls: if a single file is rotated
///   twice between two polls, the file in the middle is never seen.
/// - A file was truncated or rewritten before all its lines were read.
/// - A program writes to a file that was removed, replaced or moved out of the
///   followed folders, after [`rotate_wait`](Follow::rotate_wait) has ended,
///   while the process is not running, or while 16 later ones are read on.
///
/// # Costs
///
/// The file that is being read needs 64 KiB, and up to twice
/// [`Limits::max_line`](linetape::Limits::max_line). Only one file of a folder
/// is read at a time. Each other open file needs up to 16 KiB. The incomplete
/// last lines of all files need at most [`held_bytes`](Follow::held_bytes), and
/// up to 64 KiB more for each open file. A file that is not open needs its path
/// and about 300 bytes.
///
/// A poll without changes takes two metadata calls for each open file. If a
/// file has changed, up to 4 KiB are read again, to check that it is still the
/// same file. A search takes one metadata call for each file.
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
///         // The next call continues after a bad line.
///         Err(error) => eprintln!("{error}"),
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

    /// Follows another folder, too. A log that is moved from one folder to the
    /// other is not read again. Ignored if this follows a file.
    #[must_use]
    pub fn and_folder(mut self, folder: impl Into<PathBuf>) -> Follow {
        if let Source::Folders(folders) = &mut self.source {
            folders.add(folder.into());
        }
        self
    }

    /// Returns only lines that begin after the end of the file, as it is when
    /// the file is first opened. Their numbers are unknown. A file that appears
    /// later is read from its start.
    #[must_use]
    pub fn from_end(mut self) -> Follow {
        match &mut self.source {
            Source::File(file) => file.begin_at_end(),
            Source::Folders(folders) => folders.begin_at_end(),
        }
        self
    }

    /// Skips the existing lines of files in a folder that were last modified
    /// before `time`. Has no effect on a single file.
    #[must_use]
    pub fn skip_before(mut self, time: SystemTime) -> Follow {
        if let Source::Folders(folders) = &mut self.source {
            folders.skip_before(time);
        }
        self
    }

    /// Resumes at a checkpoint. If the file no longer matches the checkpoint,
    /// the first event is [`Event::Replaced`], and the file is read from its
    /// start. Store a new checkpoint soon afterwards.
    ///
    /// For a folder, call it with the checkpoint of each file. A file that was
    /// moved since then is found by its device and inode, or by its name, if
    /// its content matches. Its first event is [`Event::Moved`].
    #[must_use]
    pub fn resume(mut self, checkpoint: Checkpoint) -> Follow {
        match &mut self.source {
            Source::File(file) => file.resume(&checkpoint),
            Source::Folders(folders) => folders.resume(checkpoint),
        }
        self
    }

    /// Returns a last line without a newline too, if it is a complete JSON
    /// object and nothing was appended to it for `time`. By default, such a
    /// line is returned only when its newline arrives.
    ///
    /// A checkpoint stays before such a line until its newline has been read.
    /// The line is not returned again when its newline arrives. If other bytes
    /// arrive first, the longer line is returned.
    #[must_use]
    pub fn idle(mut self, time: Duration) -> Follow {
        self.settings.idle = Some(time);
        self
    }

    /// Sets the time after which folders are searched again. The default is one
    /// second. A search finds new files, and changes of files that are not
    /// open.
    #[must_use]
    pub fn rescan(mut self, time: Duration) -> Follow {
        self.settings.rescan = time;
        self
    }

    /// Sets how long a file is read on after it was removed, replaced or moved
    /// out of the followed folders. The default is 5 seconds. The time begins
    /// again with new data.
    ///
    /// A program that has opened the file before can still write to it, for
    /// example while logs are rotated. Such lines are returned at the start of
    /// the next poll, before those of the new file, and after the event
    /// [`Replaced`](Event::Replaced) or [`Gone`](Event::Gone). Their numbers and
    /// offsets are those in the old file. A last line without a newline is
    /// returned before that event. If other bytes than its newline arrive
    /// later, the longer line is returned, too.
    ///
    /// At most 16 such files are open. With [`Duration::ZERO`], there are none.
    ///
    /// # Example
    ///
    /// This shows a line that is written after a log was rotated.
    ///
    /// ```
    /// use linetape_flow::{Event, Follow};
    /// use std::{fs, io::Write, time::Duration};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir()
    /// #     .join(format!("linetape-rotate-{}", std::process::id()));
    /// # fs::create_dir_all(&folder)?;
    /// let path = folder.join("log.jsonl");
    /// let mut writer = fs::File::create(&path)?;
    /// let mut log =
    ///     Follow::new(&path).rotate_wait(Duration::from_secs(60));
    /// assert_eq!(log.next_event()?, Event::CaughtUp);
    /// fs::rename(&path, folder.join("log.old"))?;
    /// fs::write(&path, "{\"new\":1}\n")?;
    /// writer.write_all(b"{\"late\":1}\n")?;
    /// let mut lines = vec![];
    /// loop {
    ///     match log.next_event()? {
    ///         Event::Line(line) => lines.push(line.as_bytes().to_vec()),
    ///         Event::CaughtUp if lines.len() == 2 => break,
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(lines, [&b"{\"late\":1}"[..], b"{\"new\":1}"]);
    /// # fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn rotate_wait(mut self, time: Duration) -> Follow {
        self.settings.rotate_wait = time;
        self
    }

    /// Sets how many files of a folder are open at a time. The default is 128.
    /// To open another file, the one that has been unchanged for longest is
    /// closed.
    #[must_use]
    pub fn open_files(mut self, count: usize) -> Follow {
        self.settings.open_files = count;
        self
    }

    /// Sets how many bytes of incomplete lines are kept in memory, over all
    /// files. The default is 64 MiB.
    ///
    /// If there are more, the bytes of files that have been unchanged for
    /// longest are released. When the newline of such a line arrives, or when
    /// its file is removed or replaced, the line is read again from the file.
    /// So nothing is lost. Each byte is read at most twice, unless the file is
    /// closed meanwhile ([`open_files`](Follow::open_files)), or incomplete
    /// lines are returned ([`idle`](Follow::idle)).
    ///
    /// # Example
    ///
    /// This shows a line that is not kept in memory before it is complete.
    ///
    /// ```
    /// use linetape_flow::{Event, Follow};
    /// use std::{fs, io::Write};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::env::temp_dir()
    /// #     .join(format!("linetape-held-{}", std::process::id()));
    /// let mut writer = fs::File::create(&path)?;
    /// let mut log = Follow::new(&path).held_bytes(0);
    /// writer.write_all(b"{\"first\":1,")?;
    /// assert_eq!(log.next_event()?, Event::CaughtUp);
    /// writer.write_all(b"\"second\":2}\n")?;
    /// let Event::Line(line) = log.next_event()? else { panic!() };
    /// assert_eq!(line.as_bytes(), b"{\"first\":1,\"second\":2}");
    /// # fs::remove_file(&path)?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn held_bytes(mut self, bytes: u64) -> Follow {
        self.settings.held_bytes = bytes;
        self
    }

    /// Returns the path of the file that the last event or error is about. For
    /// a single file, this is always its path.
    pub fn path(&self) -> &Path {
        match &self.source {
            Source::File(file) => file.path(),
            Source::Folders(folders) => folders.path(),
        }
    }

    /// Returns a checkpoint of the file at [`path`](Follow::path), after the
    /// last line that was returned. Store it only after you have processed
    /// those lines.
    ///
    /// Returns `None` if no file has been opened, if the file was removed or
    /// replaced and its last lines are being returned, or if
    /// [`from_end`](Follow::from_end) began in the middle of a line and no line
    /// has been returned since. With `salvage`, the checkpoint moves past a
    /// damaged line when all its records have been returned.
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
    /// Returns an error if a line is bad, or if a file cannot be opened or
    /// read. The next call continues with the next line, or tries again. So do
    /// not leave the loop with `?` before checkpoints are saved: the next run
    /// would meet the same bad line. An error about a file is returned once;
    /// while the file still cannot be read, the others are read, and the event
    /// is [`Event::CaughtUp`] then.
    pub fn next_event(&mut self) -> Result<Event, Error> {
        match &mut self.source {
            Source::File(file) => file.next_event(&self.settings),
            Source::Folders(folders) => folders.next_event(&self.settings),
        }
    }
}
