//! Checkpoints of files that are not at their paths any more, because another
//! file is there. They are stored under paths that no file can have: those have
//! a NUL.

use std::path::{Path, PathBuf};

use linetape_flow::{Checkpoint, Checkpoints};

/// How many files that were at one path are remembered.
const SLOTS: usize = 8;

/// The path of a file before, and now. `None` if it is forgotten.
pub type Move = (PathBuf, Option<PathBuf>);

/// Gives a checkpoint a path that no file can have. If too many files were at
/// its path, the first of them is forgotten. Returns what was moved.
pub fn displace(checkpoints: &mut Checkpoints, old: Checkpoint) -> Vec<Move> {
    let path = old.path().to_path_buf();
    checkpoints.remove(&path);
    let slots: Vec<PathBuf> =
        (1..=SLOTS).map(|number| slot(&path, number)).collect();
    let is_free = |slot: &&PathBuf| checkpoints.get(slot).is_none();
    let free = slots.iter().find(is_free).cloned();
    let mut moves = vec![];
    if free.is_none() {
        moves.extend(slots.first().map(|first| (first.clone(), None)));
        for pair in slots.windows(2) {
            if let [to, from] = pair
                && let Some(known) = checkpoints.get(from).cloned()
            {
                checkpoints.set(known.with_path(to));
                moves.push((from.clone(), Some(to.clone())));
            }
        }
    }
    let slot = free.unwrap_or_else(|| slot(&path, SLOTS));
    checkpoints.set(old.with_path(&slot));
    moves.push((path, Some(slot)));
    moves
}

fn slot(path: &Path, number: usize) -> PathBuf {
    let mut path = path.as_os_str().to_os_string();
    path.push(format!("\0{number}"));
    path.into()
}

/// Returns whether a checkpoint is of a file that is not at its path any more.
pub fn is_displaced(checkpoint: &Checkpoint) -> bool {
    checkpoint.path().as_os_str().as_encoded_bytes().contains(&0)
}
