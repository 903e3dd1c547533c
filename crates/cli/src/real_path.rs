//! Paths without `..` and links, so that a file has one path, whatever the
//! current folder is.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the canonical path of a file that need not exist yet. If the file
/// itself is a link, that is kept: it may lead to another file later.
pub fn future_path(path: &Path) -> Option<PathBuf> {
    let folder = match path.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

/// Returns the path that a file or a folder has in a state.
pub fn stored_path(path: &Path) -> PathBuf {
    let real = match path.is_dir() {
        true => fs::canonicalize(path).ok(),
        false => future_path(path),
    };
    real.or_else(|| std::path::absolute(path).ok())
        .unwrap_or_else(|| path.to_path_buf())
}
