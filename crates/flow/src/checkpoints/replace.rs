use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use crate::disk::sync_folder;

/// How many links lead to a file at most.
const LINKS: usize = 40;

/// Replaces a file in one atomic step. `start` is how all its versions begin.
pub(crate) fn replace(
    path: &Path,
    parts: &[&[u8]],
    start: &[u8],
) -> io::Result<()> {
    let new = beside(path, ".tmp");
    let file = create(&new, path, start)?;
    let saved = write(file, parts)
        .and_then(|()| fs::rename(&new, path))
        .and_then(|()| sync_folder(path.parent().unwrap_or(path)));
    if saved.is_err() {
        _ = fs::remove_file(&new);
    }
    saved
}

/// Creates a new file, with the permissions of the one that it will replace.
/// Never opens a file that is there: it may be a link, or of the user.
fn create(new: &Path, old: &Path, start: &[u8]) -> io::Result<File> {
    let old = fs::metadata(old).ok().map(|facts| facts.permissions());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(old) = &old {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(old.mode() & 0o777);
    }
    let file = match options.open(new) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            if !is_left(new, start)? {
                let why = format!(
                    "{} is in the way, and was not written by linetape",
                    new.display()
                );
                return Err(io::Error::new(e.kind(), why));
            }
            fs::remove_file(new)?;
            options.open(new)?
        }
        opened => opened?,
    };
    if let Some(old) = old {
        file.set_permissions(old)?;
    }
    Ok(file)
}

/// Returns whether a file is left from a process that was killed while it
/// wrote.
pub(crate) fn is_left(path: &Path, start: &[u8]) -> io::Result<bool> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut first = vec![];
    File::open(path)?.take(start.len() as u64).read_to_end(&mut first)?;
    Ok(start.starts_with(&first))
}

fn write(mut file: File, parts: &[&[u8]]) -> io::Result<()> {
    for part in parts {
        file.write_all(part)?;
    }
    file.sync_all()
}

/// Returns the path of a file beside another one.
pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(end);
    name.into()
}

/// Returns the path that links lead to, even if there is no file yet. So a
/// link stays a link when the file is replaced.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        if let Ok(found) = fs::canonicalize(&path) {
            return found;
        }
        let Ok(target) = fs::read_link(&path) else { break };
        path = match path.parent() {
            Some(folder) => folder.join(target),
            None => target,
        };
    }
    path
}

/// Returns an error if something else than a regular file is at a path.
/// Opening a pipe would wait for another process.
pub(crate) fn expect_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(facts) if !facts.is_file() => {
            let why = "not a regular file";
            Err(io::Error::new(io::ErrorKind::InvalidInput, why))
        }
        _ => Ok(()),
    }
}
