use std::{
    cmp::Ordering,
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The path of a file, as a key. It is compared by its bytes: to compare
/// paths component by component takes most of the time of a search.
#[derive(Clone, Debug)]
pub(crate) struct Key(Arc<Path>);

impl From<&Path> for Key {
    fn from(path: &Path) -> Key {
        Key(path.into())
    }
}

impl From<PathBuf> for Key {
    fn from(path: PathBuf) -> Key {
        Key(path.into())
    }
}

impl Deref for Key {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.0.as_os_str().cmp(other.0.as_os_str())
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}
