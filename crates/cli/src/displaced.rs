//! Checkpoints of files that are not at their paths any more, because another
//! file is there. They are stored under paths that no file can have: those have
//! a NUL.

use std::path::{Path, PathBuf};

use linetape_flow::{Checkpoint, Checkpoints};

/// How many files that were at one path are remembered.
const SLOTS: usize = 8;

/// Returns a path for the checkpoint of a file that was at `path`: one that is
/// free, or else the last one.
pub fn path(path: &Path, checkpoints: &Checkpoints) -> PathBuf {
    let slot = |number: usize| {
        let mut path = path.as_os_str().to_os_string();
        path.push(format!("\0{number}"));
        PathBuf::from(path)
    };
    let mut slots = (1..=SLOTS).map(slot);
    let free = slots.find(|slot| checkpoints.get(slot).is_none());
    free.unwrap_or_else(|| slot(SLOTS))
}

/// Returns whether a checkpoint is of a file that is not at its path any more.
pub fn is_displaced(checkpoint: &Checkpoint) -> bool {
    checkpoint.path().as_os_str().as_encoded_bytes().contains(&0)
}
