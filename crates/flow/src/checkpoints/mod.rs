mod digest;
mod format;
mod replace;

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use linetape::Error;

use crate::{
    checkpoints::replace::{beside, expect_regular, replace, resolved},
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
/// often the program is started or killed.
///
/// ```
/// use linetape_flow::{Checkpoints, Event, Follow};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir()
/// #     .join(format!("linetape-checkpoints-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let state_file = folder.join("count.state");
/// # std::fs::write(folder.join("a.jsonl"), "{}\n{}\n")?;
/// # for _ in 0..2 {
/// let mut checkpoints = Checkpoints::open(&state_file)?;
/// let mut count = match checkpoints.state().try_into() {
///     Ok(bytes) => u64::from_le_bytes(bytes),
///     Err(_) => 0,
/// };
/// let mut logs = checkpoints.resume(Follow::folder(&folder));
/// loop {
///     match logs.next_event()? {
///         Event::Line(_) => count += 1,
///         Event::CaughtUp => break,
///         _ => {}
///     }
/// }
/// checkpoints.update(&mut logs);
/// checkpoints.set_state(count.to_le_bytes());
/// checkpoints.save()?;
/// # assert_eq!(count, 2);
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
    /// Bytes that end with the state, and its offset in them. A state can be
    /// large, and is not copied.
    state: (Vec<u8>, usize),
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
        let mut opened = Checkpoints::create(path)?;
        expect_regular(&opened.path)?;
        let bytes = match fs::read(&opened.path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Ok(opened);
            }
            Err(error) => return Err(error.into()),
        };
        let (by_path, start) =
            format::decode(&bytes).map_err(Error::invalid_state)?;
        opened.by_path = by_path;
        opened.state = (bytes, start);
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
        let lock = beside(&path, ".lock");
        expect_regular(&lock)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(lock)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let why = "another process uses this file";
                let kind = io::ErrorKind::WouldBlock;
                return Err(io::Error::new(kind, why).into());
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let (by_path, state) = (BTreeMap::new(), (vec![], 0));
        Ok(Checkpoints { path, lock, by_path, state })
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
        let (bytes, start) = &self.state;
        bytes.get(*start..).unwrap_or_default()
    }

    /// Returns the state without allocating memory, and leaves an empty state.
    pub fn take_state(&mut self) -> Vec<u8> {
        let (mut bytes, start) = std::mem::take(&mut self.state);
        bytes.drain(..start.min(bytes.len()));
        bytes
    }

    /// Replaces the state.
    pub fn set_state(&mut self, state: impl Into<Vec<u8>>) {
        self.state = (state.into(), 0);
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
    /// example with a network folder): use [`remove`](Checkpoints::remove).
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
        Ok(replace(&self.path, &parts, format::START.as_bytes())?)
    }
}

impl Drop for Checkpoints {
    /// Unlocks the file. Closing it is not enough: a child process that another
    /// thread is just starting may have inherited it.
    fn drop(&mut self) {
        _ = self.lock.unlock();
    }
}
