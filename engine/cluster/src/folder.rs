use std::{
    env, fs, io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use ballista_core::error::{BallistaError, Result};
use tempfile::{Builder, TempDir};

/// How often it is tried to remove a folder. A task that has not noticed the end may
/// write into it meanwhile.
const ATTEMPTS: u8 = 10;

/// How long to wait before that is tried again.
const PAUSE: Duration = Duration::from_millis(20);

/// The folder of one executor, which nobody else uses and only its owner can read. It is
/// removed at the end.
///
/// Ballista removes everything in the folder that it is given, so that must never be one
/// of the user.
#[derive(Debug)]
pub(crate) struct Folder(TempDir);

impl Folder {
    /// Creates the folder inside of the one that the user has named, or inside of the
    /// one for temporary files.
    ///
    /// # Errors
    ///
    /// Returns an error with the path if that is not possible.
    pub(crate) fn new(parent: Option<&Path>) -> Result<Folder> {
        let parent = parent.map_or_else(env::temp_dir, Path::to_path_buf);
        create(&parent).map(Folder).map_err(|error| {
            BallistaError::Configuration(format!(
                "cannot use the folder {}: {error}",
                parent.display()
            ))
        })
    }

    /// Returns the path of a folder inside of this one.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn create(parent: &Path) -> io::Result<TempDir> {
    if parent.exists() && !parent.is_dir() {
        return Err(io::Error::other("it is not a folder"));
    }
    fs::create_dir_all(parent)?;
    let mut builder = Builder::new();
    builder.prefix("linetape-executor-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        // Without it, they are those that the umask allows, which is often to read.
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder.tempdir_in(parent)
}

impl Drop for Folder {
    fn drop(&mut self) {
        for _ in 0..ATTEMPTS {
            match fs::remove_dir_all(self.0.path()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    thread::sleep(PAUSE);
                }
                _ => return,
            }
        }
        log::warn!("cannot remove {}", self.0.path().display());
    }
}
