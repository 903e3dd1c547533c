//! How far removed files were read, in case that they reappear.

use std::collections::BTreeMap;

use crate::follow::{checkpoint::Progress, folder::key::Key};

/// How far a file was read, and its device and inode.
pub(crate) type Known = (Progress, (u64, u64));

/// How far files were read that are gone, and may come back. If there are too
/// many, those that were gone first are forgotten.
#[derive(Debug)]
pub(crate) struct Gone {
    most: usize,
    /// How many files have been added.
    count: u64,
    /// By path: when the file was added (the value of `count`), and how far it
    /// was read.
    by_path: BTreeMap<Key, (u64, Known)>,
    in_order: BTreeMap<u64, Key>,
}

impl Gone {
    /// Creates a list that remembers at most `most` files.
    pub(crate) fn new(most: usize) -> Gone {
        let (by_path, in_order) = (BTreeMap::new(), BTreeMap::new());
        Gone { most, count: 0, by_path, in_order }
    }

    pub(crate) fn add(&mut self, path: &Key, known: Known) {
        self.remove(path);
        self.count += 1;
        self.by_path.insert(path.clone(), (self.count, known));
        self.in_order.insert(self.count, path.clone());
        if self.in_order.len() > self.most
            && let Some((_, oldest)) = self.in_order.pop_first()
        {
            self.by_path.remove(&oldest);
        }
    }

    pub(crate) fn remove(&mut self, path: &Key) -> Option<Known> {
        let (number, known) = self.by_path.remove(path)?;
        self.in_order.remove(&number);
        Some(known)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::follow::checkpoint::Fingerprint;

    /// The first in the order of the alphabet was forgotten.
    #[test]
    fn the_file_that_was_gone_first_is_forgotten() {
        let fingerprint = Fingerprint::of(b"");
        let progress = |offset| Progress {
            offset,
            line: 1,
            size: 0,
            head: fingerprint,
            tail: fingerprint,
        };
        let key = |name: &str| Key::from(Path::new(name));
        let mut gone = Gone::new(2);
        for (n, name) in ["a", "c", "a", "b"].iter().enumerate() {
            gone.add(&key(name), (progress(n as u64), (0, 0)));
        }
        let found = |name: &str| {
            gone.remove(&key(name)).map(|(progress, _)| progress.offset)
        };
        let found = ["a", "b", "c"].map(found);
        assert_eq!(found, [Some(2), Some(3), None]);
        assert!(gone.in_order.is_empty() && gone.by_path.is_empty());
    }
}
