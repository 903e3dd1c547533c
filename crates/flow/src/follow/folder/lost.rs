//! Finds the checkpoint of a file that was renamed, moved or restored.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use crate::follow::{
    checkpoint::{Checkpoint, Fingerprint, WINDOW},
    folder::{
        entry::{Entry, Start},
        scan::Found,
    },
    identity::Identity,
    settings::Settings,
};

/// The checkpoints of files that are not at their path, or whose path has
/// another file now.
pub(crate) struct Lost {
    /// By device and inode. An inode is reused after its file has been
    /// removed, so several checkpoints can have it.
    by_id: BTreeMap<(u64, u64), Vec<Checkpoint>>,
    /// Several folders can have files with the same name.
    by_name: BTreeMap<OsString, Vec<Checkpoint>>,
}

impl Lost {
    pub(crate) fn new(
        resumed: &BTreeMap<PathBuf, Checkpoint>,
        found: &Found,
    ) -> Lost {
        let mut by_id: BTreeMap<(u64, u64), Vec<Checkpoint>> = BTreeMap::new();
        let mut by_name: BTreeMap<OsString, Vec<Checkpoint>> = BTreeMap::new();
        for (path, checkpoint) in resumed {
            let here = found.get(&path.as_path().into());
            let is_here = here
                .is_some_and(|(id, _)| id.device_and_inode() == checkpoint.id);
            // Another file can begin with the same few bytes.
            if is_here || !checkpoint.progress.is_proof() {
                continue;
            }
            by_id.entry(checkpoint.id).or_default().push(checkpoint.clone());
            if here.is_none()
                && let Some(name) = path.file_name()
            {
                let same_name = by_name.entry(name.to_os_string());
                same_name.or_default().push(checkpoint.clone());
            }
        }
        Lost { by_id, by_name }
    }

    /// Returns the first checkpoint with the identity of a file whose content
    /// is the same.
    pub(crate) fn by_id(
        &self,
        path: &Path,
        id: Identity,
        settings: &Settings,
    ) -> Option<&Checkpoint> {
        let mut same_id = self.by_id.get(&id.device_and_inode())?.iter();
        same_id.find(|known| is_of(known, path, id, settings))
    }

    /// Returns a checkpoint with the name of a file for which `is_left` is
    /// true, if its content is the same.
    pub(crate) fn by_name(
        &self,
        path: &Path,
        id: Identity,
        settings: &Settings,
        is_left: impl Fn(&Checkpoint) -> bool,
    ) -> Option<&Checkpoint> {
        let same_name = self.by_name.get(path.file_name()?)?;
        // The start of the file is read once, for any number of checkpoints.
        let mut first = vec![];
        let file = File::open(path).ok()?;
        file.take(WINDOW as u64).read_to_end(&mut first).ok()?;
        let mut last = Fingerprint::of(&[]);
        same_name.iter().filter(|known| is_left(known)).find(|known| {
            let head = known.progress.head;
            let length = usize::try_from(head.length).unwrap_or(usize::MAX);
            if last.length != head.length {
                last = Fingerprint::of(first.get(..length).unwrap_or(&first));
            }
            // A file that is still at its path was copied, not moved. It is
            // not among those that were found if its folder is not followed.
            last == head
                && !known.path.exists()
                && is_of(known, path, id, settings)
        })
    }
}

fn is_of(
    checkpoint: &Checkpoint,
    path: &Path,
    id: Identity,
    settings: &Settings,
) -> bool {
    let entry = Entry::new(id, Start::At(checkpoint.progress, checkpoint.id));
    entry.is_at(path, &settings.builder).unwrap_or(false)
}
