//! Checkpoints of files that are not at their paths any more, because another
//! file is there. They are stored under the old path, a NUL and a number, which
//! no file can have as its path.

use std::path::{Path, PathBuf};

use linetape_flow::{Checkpoint, Checkpoints};

/// How many files that were at one path are remembered.
const SLOTS: usize = 8;

/// The old and the new path of a checkpoint. `None` if it was removed.
pub type Move = (PathBuf, Option<PathBuf>);

/// Stores a checkpoint under a path that no file can have. At most 8 are kept
/// for each path. If there are more, the oldest is removed. Returns what was
/// moved.
pub fn displace(checkpoints: &mut Checkpoints, old: Checkpoint) -> Vec<Move> {
    let path = old.path().to_path_buf();
    let slots = (1..=SLOTS).map(|number| slot(&path, number));
    let mut queue: Vec<Checkpoint> =
        slots.filter_map(|slot| checkpoints.get(&slot).cloned()).collect();
    queue.push(old);
    let forgotten = queue.len().saturating_sub(SLOTS);
    let mut moves = vec![];
    for (index, known) in queue.into_iter().enumerate() {
        let from = known.path().to_path_buf();
        checkpoints.remove(&from);
        // From 1 on, without those that are forgotten.
        let number = (index + 1).checked_sub(forgotten);
        let to = number.filter(|n| *n > 0).map(|n| slot(&path, n));
        if let Some(to) = &to {
            checkpoints.set(known.with_path(to));
        }
        if to.as_ref() != Some(&from) {
            moves.push((from, to));
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The lowest free slot was taken, so that the newest checkpoint was
    /// forgotten after the file of the first slot had come back.
    #[test]
    fn the_oldest_is_forgotten() {
        let folder = std::env::temp_dir()
            .join(format!("linetape-displaced-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let log = folder.join("log.jsonl");
        fs::write(&log, "\n".repeat(20)).unwrap();
        let mut checkpoints = Checkpoints::open(folder.join("state")).unwrap();
        // The offset tells which one it is.
        let mut displace = |offset: u64, back: Option<usize>| {
            let old = Checkpoint::of_file(&log, offset).unwrap();
            super::displace(&mut checkpoints, old);
            if let Some(number) = back {
                checkpoints.remove(slot(&log, number));
            }
            let known = (1..=SLOTS + 1).map(|number| slot(&log, number));
            let known = known.filter_map(|slot| checkpoints.get(&slot));
            known.map(Checkpoint::offset).collect::<Vec<_>>()
        };
        for offset in 1..8 {
            displace(offset, None);
        }
        assert_eq!(displace(8, Some(1)), [2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(displace(9, None), [2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(displace(10, None), [3, 4, 5, 6, 7, 8, 9, 10]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
