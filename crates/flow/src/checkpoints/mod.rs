mod digest;
mod format;
mod gone;
mod read;
mod replace;

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    io, mem,
    path::{Path, PathBuf},
};

use linetape::Error;

use crate::{
    checkpoints::{
        read::{expect_checkpoints, read},
        replace::{beside, expect_regular, replace, resolved},
    },
    follow::{Checkpoint, Follow},
};

/// Stores checkpoints, together with a state of the caller, in one file.
///
/// The state is any bytes, such as totals of all lines before the checkpoints.
/// Checkpoints and state are saved in one atomic write. A program that is
/// killed at any moment can resume from the last save, and its state then
/// includes each line exactly once.
///
/// - If the results go elsewhere, make them durable before you save the
///   checkpoints. Then each line is processed at least once.
/// - If the results are the state, each line is processed exactly once.
///
/// [`save`](Checkpoints::save) writes a new file with the suffix `.tmp`, waits
/// until it is on the disk, and renames it. The new file has the permissions of
/// the old one. A file with the suffix `.tmp` that linetape has not written
/// stays as it is, and `save` fails. Another file, with the suffix `.lock`, is
/// locked as long as this value lives, so that no other process can open the
/// same checkpoints. The lock file is not removed.
///
/// The format is a line of JSON as a header, a line of JSON for each
/// [`Checkpoint`], and then the bytes of the state.
///
/// # Example
///
/// This shows how to count the lines of a folder, each exactly once, however
/// often the program is started or killed. A bad line is reported once, too: an
/// error must not leave the loop before the checkpoints are saved.
///
/// ```
/// use linetape_flow::{Checkpoints, Event, Follow};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir()
/// #     .join(format!("linetape-checkpoints-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let state_file = folder.join("count.state");
/// # let log = format!("{{}}\n{}\n{{}}\n", "x".repeat(99));
/// # std::fs::write(folder.join("a.jsonl"), log)?;
/// # let builder = linetape::Reader::builder().max_line(64);
/// # for run in 0..2 {
/// let mut checkpoints = Checkpoints::open(&state_file)?;
/// let mut count = match checkpoints.state().try_into() {
///     Ok(bytes) => u64::from_le_bytes(bytes),
///     Err(_) => 0,
/// };
/// let mut logs = checkpoints.resume(Follow::folder(&folder));
/// # let new = Follow::folder_with_builder(&folder, builder.clone());
/// # let mut logs = checkpoints.resume(new);
/// # let mut errors = 0;
/// loop {
///     match logs.next_event() {
///         Ok(Event::Line(_)) => count += 1,
///         Ok(Event::CaughtUp) => break,
///         Ok(_) => {}
///         Err(error) => {
///             eprintln!("{}: {error}", logs.path().display());
/// #           errors += 1;
///         }
///     }
/// }
/// checkpoints.update(&mut logs);
/// checkpoints.set_state(count.to_le_bytes());
/// checkpoints.save()?;
/// # assert_eq!((count, errors), (2, 1 - run));
/// # }
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Checkpoints {
    path: PathBuf,
    /// Locked as long as the value lives.
    lock: File,
    by_path: BTreeMap<PathBuf, Checkpoint>,
    state: Vec<u8>,
}

impl Checkpoints {
    /// Opens the file at `path`, and locks it. If the file does not exist,
    /// there are no checkpoints, and the state is empty.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`ErrorKind::Io`](linetape::ErrorKind::Io)
    /// if the file cannot be read or locked. If another process has locked the
    /// file, the [I/O error](Error::io_error) has the kind
    /// [`WouldBlock`](io::ErrorKind::WouldBlock).
    ///
    /// Returns an error of the kind
    /// [`ErrorKind::InvalidInput`](linetape::ErrorKind::InvalidInput) if the
    /// file is damaged, has another version, or is not a file of checkpoints.
    /// Use [`create`](Checkpoints::create) to replace it.
    ///
    /// # Costs
    ///
    /// Reads the whole file into memory.
    pub fn open(path: impl AsRef<Path>) -> Result<Checkpoints, Error> {
        expect_checkpoints(path.as_ref())?;
        let mut opened = Checkpoints::create(path)?;
        let found = read(&opened.path);
        let found =
            found.map_err(|e| Error::from(e).with_path(&opened.path))?;
        let Some((lines, state)) = found else { return Ok(opened) };
        let decoded = format::decode(&lines, &state);
        opened.by_path = decoded.map_err(crate::error::invalid)?;
        opened.state = state;
        Ok(opened)
    }

    /// Starts without checkpoints and with an empty state, and locks the file
    /// at `path`. An existing file is not read; the first
    /// [`save`](Checkpoints::save) replaces it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be locked: see
    /// [`open`](Checkpoints::open).
    pub fn create(path: impl AsRef<Path>) -> Result<Checkpoints, Error> {
        let path = resolved(path.as_ref());
        let lock = lock(&path).map_err(|e| Error::from(e).with_path(&path))?;
        let (by_path, state) = (BTreeMap::new(), vec![]);
        Ok(Checkpoints { path, lock, by_path, state })
    }

    /// Returns the paths of all files that are written for the file at `path`:
    /// that file, the lock, and the temporary file. A program must not write
    /// anything else to them.
    pub fn files(path: impl AsRef<Path>) -> impl Iterator<Item = PathBuf> {
        let path = resolved(path.as_ref());
        let ends = ["", ".lock", ".tmp"];
        ends.into_iter().map(move |end| beside(&path, end))
    }

    /// Returns the checkpoint of the log at `path`. The path must be written as
    /// in the checkpoint: paths are compared and not resolved.
    pub fn get(&self, path: impl AsRef<Path>) -> Option<&Checkpoint> {
        self.by_path.get(path.as_ref())
    }

    /// Returns all checkpoints, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = &Checkpoint> {
        self.by_path.values()
    }

    /// Replaces the checkpoint of a log.
    pub fn set(&mut self, checkpoint: Checkpoint) {
        self.by_path.insert(checkpoint.path().to_path_buf(), checkpoint);
    }

    /// Removes the checkpoint of a log. Returns whether there was one.
    pub fn remove(&mut self, path: impl AsRef<Path>) -> bool {
        self.by_path.remove(path.as_ref()).is_some()
    }

    /// Returns the state.
    pub fn state(&self) -> &[u8] {
        &self.state
    }

    /// Returns the state without copying it, and leaves an empty state.
    pub fn take_state(&mut self) -> Vec<u8> {
        mem::take(&mut self.state)
    }

    /// Replaces the state.
    pub fn set_state(&mut self, state: impl Into<Vec<u8>>) {
        self.state = state.into();
    }

    /// Passes these checkpoints to a new [`Follow`], so that it resumes there.
    #[must_use]
    pub fn resume(&self, follow: Follow) -> Follow {
        if follow.is_folder() {
            return self.iter().cloned().fold(follow, Follow::resume);
        }
        match self.get(follow.path()) {
            Some(checkpoint) => follow.resume(checkpoint.clone()),
            None => follow,
        }
    }

    /// Copies the checkpoints of `follow` that have changed since the last
    /// call. Call it only after you have processed all lines that were
    /// returned.
    ///
    /// If a file was moved, the checkpoint of its old path is removed. If a
    /// file is gone, its checkpoint stays, since the file may come back (for
    /// example with a network folder): see
    /// [`forget_gone`](Checkpoints::forget_gone).
    pub fn update(&mut self, follow: &mut Follow) {
        let (changed, left) = follow.changes();
        for path in left {
            self.remove(path);
        }
        for checkpoint in changed {
            self.set(checkpoint);
        }
    }

    /// Saves the checkpoints and the state in one atomic write: if the process
    /// is killed, the file has either the old content or the new one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    ///
    /// # Costs
    ///
    /// Writes the whole file, and waits until it is on the disk.
    pub fn save(&mut self) -> Result<(), Error> {
        let lines = format::encode(self.iter(), self.state())?;
        let parts = [&lines[..], self.state()];
        replace(&self.path, &parts, format::START.as_bytes())
            .map_err(|e| Error::from(e).with_path(&self.path))
    }
}

/// Locks the file at a path, by the file beside it with the suffix `.lock`.
fn lock(path: &Path) -> io::Result<File> {
    expect_regular(path)?;
    let lock = beside(path, ".lock");
    if expect_regular(&lock).is_err() {
        let why = "the file beside it with the suffix `.lock` is not a \
                   regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let mut options = OpenOptions::new();
    let options = options.create(true).truncate(false).write(true);
    let lock = options.open(lock)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            let why = "another process uses this file";
            Err(io::Error::new(io::ErrorKind::WouldBlock, why))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

impl Drop for Checkpoints {
    /// Unlocks the file. Closing it is not enough: a child process that another
    /// thread is just starting may have inherited it.
    fn drop(&mut self) {
        _ = self.lock.unlock();
    }
}
