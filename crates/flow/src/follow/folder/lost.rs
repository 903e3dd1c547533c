use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::follow::{
    checkpoint::Checkpoint,
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
    by_id: BTreeMap<(u64, u64), Checkpoint>,
    by_name: BTreeMap<OsString, Checkpoint>,
}

impl Lost {
    pub(crate) fn new(
        resumed: &BTreeMap<PathBuf, Checkpoint>,
        found: &Found,
    ) -> Lost {
        let (mut by_id, mut by_name) = (BTreeMap::new(), BTreeMap::new());
        for (path, checkpoint) in resumed {
            let here = found.get(&path.as_path().into());
            let is_here =
                here.is_some_and(|(id, _)| id.numbers() == checkpoint.id);
            // Every file begins with nothing.
            if is_here || checkpoint.offset() == 0 {
                continue;
            }
            by_id.insert(checkpoint.id, checkpoint.clone());
            if here.is_none()
                && let Some(name) = path.file_name()
            {
                by_name.insert(name.to_os_string(), checkpoint.clone());
            }
        }
        Lost { by_id, by_name }
    }

    /// Returns the checkpoint with the identity of a file, if its content is
    /// the same.
    pub(crate) fn by_id(
        &self,
        path: &Path,
        id: Identity,
        settings: &Settings,
    ) -> Option<&Checkpoint> {
        let checkpoint = self.by_id.get(&id.numbers())?;
        is_of(checkpoint, path, id, settings).then_some(checkpoint)
    }

    /// Returns the checkpoint with the name of a file, if its content is the
    /// same.
    pub(crate) fn by_name(
        &self,
        path: &Path,
        id: Identity,
        settings: &Settings,
    ) -> Option<&Checkpoint> {
        let checkpoint = self.by_name.get(path.file_name()?)?;
        is_of(checkpoint, path, id, settings).then_some(checkpoint)
    }
}

fn is_of(
    checkpoint: &Checkpoint,
    path: &Path,
    id: Identity,
    settings: &Settings,
) -> bool {
    let entry = Entry::new(id, Start::At(checkpoint.place));
    entry.is_at(path, &settings.builder).unwrap_or(false)
}
