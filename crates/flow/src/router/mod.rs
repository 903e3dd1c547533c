mod file;
mod lock;
mod name;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::{Path, PathBuf},
};

use linetape::{Error, Line};

use crate::{
    disk::{is_out_of_files, sync_folder},
    router::{
        file::{Keep, Target},
        lock::Lock,
        name::{NONE, file_name},
    },
};

/// Splits a stream of lines into the files of a folder.
///
/// Each line is appended, byte for byte and with its terminator, to the file of
/// its key: its kind, its session, or what a closure returns.
///
/// - The file name is the key and `.jsonl`. It consists of `A-Z`, `a-z`,
///   `0-9`, `.`, `_` and `-`; other bytes are written as `%` and two
///   hexadecimal digits, and so is a first `.` or `_`, and the first letter of
///   a name that Windows reserves. Names have at most 120 bytes: a longer name
///   is cut, and a hash is appended. So every file is in the folder, even for a
///   key such as `../../x`, and different keys have different names. On a file
///   system that ignores case, keys that differ only in case share a file.
/// - Lines without a key go to `_none.jsonl`.
/// - A line that ends with CR and LF keeps both. A last line without a newline
///   gets one.
/// - Only whole lines are appended. If the disk is full, an incomplete line is
///   removed again. If the process is killed, the last line of a file may be
///   incomplete; the next router that writes to the file removes that part
///   first.
/// - Other files in the folder stay as they are. On Unix, the folder is locked
///   as long as the router lives, so that no other router can write to it.
///
/// To process a log and store its [checkpoints](crate::Checkpoints), call
/// [`sync`](Router::sync) before they are saved: if the process is killed, some
/// lines are written twice, but none is lost.
///
/// # Costs
///
/// Each open file needs a buffer of up to 64 KiB and one line. The names of all
/// files that were written to are kept in memory.
///
/// # Example
///
/// This shows how to write one file for each session.
///
/// ```
/// use linetape_flow::Router;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir()
/// #     .join(format!("linetape-router-{}", std::process::id()));
/// let log = br#"{"type":"user","session_id":"a"}
/// {"type":"user","session_id":"../b"}
/// {"type":"assistant","session_id":"a"}
/// "#;
/// let mut router = Router::by_session(&folder)?;
/// let mut lines = linetape::lines(log);
/// while let Some(line) = lines.next_line() {
///     router.route(&line?)?;
/// }
/// router.flush()?;
/// let text = std::fs::read_to_string(folder.join("a.jsonl"))?;
/// assert_eq!(text.lines().count(), 2);
/// assert!(folder.join("%2E.%2Fb.jsonl").exists());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
pub struct Router {
    folder: PathBuf,
    key: Box<Key>,
    open_files: usize,
    /// Unlocked when the router is dropped.
    _lock: Lock,
    /// What is kept of a file before the first line is written to it.
    keep: Keep,
    /// The files that were written to.
    written: BTreeSet<String>,
    /// The open files, and when each was last used.
    open: BTreeMap<String, (u64, Target)>,
    by_use: BTreeMap<u64, String>,
    uses: u64,
    /// Files that were written to since they were last on the disk, and are
    /// closed.
    unsynced: BTreeSet<String>,
    /// Whether files may have been created since the folder was last on the
    /// disk.
    has_new_files: bool,
    /// The files that bytes were removed from, and how many.
    removed: Vec<(PathBuf, u64)>,
}

/// Returns the key of a line.
type Key = dyn FnMut(&Line<'_>) -> Result<Option<String>, Error> + Send;

impl Router {
    /// Creates a router whose keys are returned by a closure: the key of a
    /// line, or `None` if the line has no key. Creates the folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be created. If another
    /// router writes to the folder, the [I/O error](Error::io_error) has the
    /// kind [`WouldBlock`](io::ErrorKind::WouldBlock).
    pub fn by(
        folder: impl Into<PathBuf>,
        key: impl FnMut(&Line<'_>) -> Result<Option<String>, Error>
        + Send
        + 'static,
    ) -> Result<Router, Error> {
        let folder = folder.into();
        let made = fs::create_dir_all(&folder);
        let locked = made.and_then(|()| Lock::new(&folder));
        let lock = locked.map_err(|e| Error::from(e).with_path(&folder))?;
        Ok(Router {
            folder,
            key: Box::new(key),
            open_files: 64,
            _lock: lock,
            keep: Keep::Lines,
            written: BTreeSet::new(),
            open: BTreeMap::new(),
            by_use: BTreeMap::new(),
            uses: 0,
            unsynced: BTreeSet::new(),
            has_new_files: true,
            removed: vec![],
        })
    }

    /// Creates a router that splits by [kind](linetape::Kind): the file of
    /// `system/init` is `system%2Finit.jsonl`. Creates the folder.
    ///
    /// # Errors
    ///
    /// See [`by`](Router::by).
    pub fn by_kind(folder: impl Into<PathBuf>) -> Result<Router, Error> {
        Router::by(folder, |line| {
            let kind = line.kind()?;
            Ok(kind.name().map(|_| kind.to_string()))
        })
    }

    /// Creates a router that splits by session id. Creates the folder.
    ///
    /// # Errors
    ///
    /// See [`by`](Router::by).
    pub fn by_session(folder: impl Into<PathBuf>) -> Result<Router, Error> {
        Router::by(folder, |line| {
            Ok(line.peek()?.session_id().map(|id| id.to_string()))
        })
    }

    /// Sets how many files are open at a time. The default is 64. To open
    /// another file, the least recently used one is closed.
    #[must_use]
    pub fn open_files(mut self, count: usize) -> Router {
        self.open_files = count;
        self
    }

    /// Replaces existing files: a file is emptied before its first line is
    /// written. By default, lines are appended. Files to which no line is
    /// written stay as they are.
    #[must_use]
    pub fn replacing(mut self) -> Router {
        self.keep = Keep::Nothing;
        self
    }

    /// Returns the path of the file for a key.
    pub fn path(&self, key: &str) -> PathBuf {
        self.folder.join(file_name(key))
    }

    /// Returns the paths of the files that bytes were removed from so far, and
    /// how many bytes: incomplete lines, and what was
    /// [replaced](Router::replacing).
    pub fn removed(&self) -> &[(PathBuf, u64)] {
        &self.removed
    }

    /// Appends a line to the file of its key. The line may stay in a buffer
    /// until [`flush`](Router::flush) is called.
    ///
    /// # Errors
    ///
    /// Returns an error if the key of the line cannot be read, or if a file
    /// cannot be written. After the former, you can continue with the next
    /// line.
    pub fn route(&mut self, line: &Line<'_>) -> Result<(), Error> {
        let name = match (self.key)(line)? {
            Some(key) => file_name(&key),
            None => NONE.to_string(),
        };
        let has_cr = line.terminator() == b"\r\n";
        Ok(self.append(name, line.as_bytes(), has_cr)?)
    }

    /// Appends a line to the file of a key, with a newline.
    ///
    /// # Errors
    ///
    /// Returns an error if there is a newline in the line, or if a file cannot
    /// be written.
    pub fn write(&mut self, key: &str, line: &[u8]) -> Result<(), Error> {
        if line.contains(&b'\n') {
            let why = "a newline within a line";
            let kind = io::ErrorKind::InvalidInput;
            return Err(io::Error::new(kind, why).into());
        }
        Ok(self.append(file_name(key), line, false)?)
    }

    fn append(
        &mut self,
        name: String,
        line: &[u8],
        has_cr: bool,
    ) -> io::Result<()> {
        self.uses += 1;
        if let Some((used, target)) = self.open.get_mut(&name) {
            self.by_use.remove(used);
            *used = self.uses;
            let added = target.add(line, has_cr);
            let added = added.map_err(|e| about(&self.folder.join(&name), &e));
            self.by_use.insert(self.uses, name);
            return added;
        }
        while self.open.len() >= self.open_files.max(1) {
            if !self.close_oldest()? {
                break;
            }
        }
        // Another program may have written to it since it was closed.
        let keep = match self.written.contains(&name) {
            true => Keep::All,
            false => self.keep,
        };
        let path = self.folder.join(&name);
        let (mut target, removed) = loop {
            match Target::open(&path, keep) {
                Err(e) if is_out_of_files(&e) && !self.open.is_empty() => {
                    self.spare()?;
                }
                opened => break opened.map_err(|e| about(&path, &e))?,
            }
        };
        if removed > 0 {
            self.removed.push((path.clone(), removed));
        }
        self.has_new_files |= self.written.insert(name.clone());
        let added = target.add(line, has_cr);
        self.by_use.insert(self.uses, name.clone());
        self.open.insert(name, (self.uses, target));
        added.map_err(|e| about(&path, &e))
    }

    /// Closes some files, and keeps fewer open from now on, since the process
    /// can open no more.
    fn spare(&mut self) -> io::Result<()> {
        self.open_files = self.open.len().saturating_sub(SPARE).max(1);
        while self.open.len() >= self.open_files && self.close_oldest()? {}
        Ok(())
    }

    /// Closes the file that was not used for longest.
    fn close_oldest(&mut self) -> io::Result<bool> {
        let Some((used, name)) = self.by_use.first_key_value() else {
            return Ok(false);
        };
        let (used, name) = (*used, name.clone());
        if let Some((_, target)) = self.open.get_mut(&name) {
            let flushed = target.flush();
            flushed.map_err(|e| about(&self.folder.join(&name), &e))?;
        }
        self.open.remove(&name);
        self.by_use.remove(&used);
        self.unsynced.insert(name);
        Ok(true)
    }

    /// Writes all lines to their files.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written. The file then has only
    /// whole lines, and the next call tries to write the others again.
    pub fn flush(&mut self) -> Result<(), Error> {
        let mut result = Ok(());
        for (name, (_, target)) in &mut self.open {
            // One file that fails does not keep the others waiting.
            let flushed = target.flush();
            let about = |e| about(&self.folder.join(name), &e);
            result = result.and(flushed.map_err(about));
        }
        Ok(result?)
    }

    /// Waits until all lines are on the disk.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written.
    pub fn sync(&mut self) -> Result<(), Error> {
        for (name, (_, target)) in &mut self.open {
            let about = |e| about(&self.folder.join(name), &e);
            target.sync().map_err(about)?;
        }
        while let Some(name) = self.unsynced.first().cloned() {
            if !self.open.contains_key(&name) {
                fs::File::open(self.folder.join(&name))?.sync_data()?;
            }
            // Only now: if it fails, the next call tries again.
            self.unsynced.remove(&name);
        }
        if self.has_new_files {
            sync_folder(&self.folder)?;
            self.has_new_files = false;
        }
        Ok(())
    }
}

/// How many files are closed at once when the process can open no more.
const SPARE: usize = 8;

/// Returns an error with the path of its file.
fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl Drop for Router {
    /// Writes the buffered lines. Call [`flush`](Router::flush) before to see
    /// errors.
    fn drop(&mut self) {
        _ = self.flush();
    }
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router")
            .field("folder", &self.folder)
            .field("open", &self.open.len())
            .finish_non_exhaustive()
    }
}
