use std::{
    fs, io,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::checkpoints::Checkpoints;

/// Checkpoints of files that are gone.
impl Checkpoints {
    /// Notes which files are gone: there is nothing at the path of their
    /// checkpoint. Call it after [`update`](Checkpoints::update), which gives
    /// the checkpoint of a file that was moved its new path. Returns whether
    /// anything has changed since the last call, in this process or an earlier
    /// one.
    ///
    /// If the clock was set back, the time begins again.
    ///
    /// # Costs
    ///
    /// Takes one metadata call for each checkpoint.
    pub fn note_gone(&mut self, now: SystemTime) -> bool {
        let now = seconds(now);
        let mut has_changed = false;
        for (path, checkpoint) in &mut self.by_path {
            let before = checkpoint.gone;
            checkpoint.gone = match is_gone(path) {
                Some(true) => Some(before.map_or(now, |gone| gone.min(now))),
                Some(false) => None,
                None => before,
            };
            has_changed |= before != checkpoint.gone;
        }
        has_changed
    }

    /// Removes the checkpoints of files that were already
    /// [gone](Checkpoints::note_gone) at a time. Returns how many there were.
    ///
    /// Without this, the checkpoints of removed logs stay for ever. A file that
    /// comes back later is read from its start, wherever it is.
    ///
    /// # Example
    ///
    /// This shows how to forget files that have been gone for 30 days.
    ///
    /// ```
    /// use linetape_flow::{Checkpoint, Checkpoints};
    /// use std::time::{Duration, SystemTime};
    ///
    /// # let folder = std::env::temp_dir()
    /// #     .join(format!("linetape-forget-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let log = folder.join("log.jsonl");
    /// std::fs::write(&log, "{}\n")?;
    /// let mut checkpoints = Checkpoints::open(folder.join("state"))?;
    /// checkpoints.set(Checkpoint::of_file(&log, 3)?);
    /// std::fs::remove_file(&log)?;
    ///
    /// let month = Duration::from_secs(30 * 24 * 60 * 60);
    /// let (today, later) = (SystemTime::now(), SystemTime::now() + month);
    /// checkpoints.note_gone(today);
    /// assert_eq!(checkpoints.forget_gone(today - month), 0);
    /// checkpoints.note_gone(later);
    /// assert_eq!(checkpoints.forget_gone(later - month), 1);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forget_gone(&mut self, by: SystemTime) -> usize {
        let (by, count) = (seconds(by), self.by_path.len());
        self.by_path.retain(|_, checkpoint| {
            checkpoint.gone.is_none_or(|gone| gone > by)
        });
        count - self.by_path.len()
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns whether there is nothing at a path. `None` if that cannot be told.
fn is_gone(path: &Path) -> Option<bool> {
    match fs::metadata(path) {
        Ok(_) => Some(false),
        Err(error) => match error.kind() {
            // The last one is a path with a NUL, which no file can have.
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidInput => Some(true),
            _ => None,
        },
    }
}
