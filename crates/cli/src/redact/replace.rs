//! Writes a file beside its final place, and moves it there when it is
//! complete.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

use crate::redact::beside::Leftovers;

/// A file that is written beside another one. It is removed, unless it
/// replaces the other one.
pub struct Beside {
    path: PathBuf,
    beside: PathBuf,
    /// What is written beside.
    file: File,
    /// What the other one was like before it was read.
    before: Metadata,
    is_renamed: bool,
}

impl Beside {
    /// Creates the file beside the one at `path`. Nobody else can read it.
    pub fn create(
        path: &Path,
        leftovers: &mut Leftovers,
    ) -> io::Result<(Beside, File)> {
        // A link stays, and its file is replaced.
        let path = fs::canonicalize(path)?;
        // A leftover can be a link to the file, and it would count.
        leftovers.remove(&path)?;
        let before = fs::metadata(&path)?;
        let (beside, file) = Leftovers::create(&path, 0o600)?;
        let is_renamed = false;
        let made = Beside { path, beside, file, before, is_renamed };
        let file = made.file.try_clone()?;
        Ok((made, file))
    }

    /// Returns whether the two files have a different size.
    pub fn differs(&self) -> io::Result<bool> {
        Ok(self.file.metadata()?.len() != self.before.len())
    }

    /// Replaces the other file. Its mode and its owner stay.
    ///
    /// # Errors
    ///
    /// If the other file was changed since it was read, or has another name
    /// that would keep its content.
    pub fn rename(mut self) -> io::Result<()> {
        self.refuse_links()?;
        self.copy_owner()?;
        let now = fs::metadata(&self.path)?;
        if now.len() != self.before.len()
            || now.modified()? != self.before.modified()?
        {
            return Err(io::Error::other(
                "it was changed while it was read, so it is left as it is",
            ));
        }
        fs::rename(&self.beside, &self.path)?;
        self.is_renamed = true;
        Ok(())
    }

    #[cfg(unix)]
    fn refuse_links(&self) -> io::Result<()> {
        let names = std::os::unix::fs::MetadataExt::nlink(&self.before);
        match names {
            0 | 1 => Ok(()),
            _ => Err(io::Error::other(format!(
                "it has {names} hard links, and the others would keep what \
                 is found; it is left as it is"
            ))),
        }
    }

    #[cfg(not(unix))]
    fn refuse_links(&self) -> io::Result<()> {
        Ok(())
    }

    #[cfg(unix)]
    fn copy_owner(&self) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

        let Beside { file, before, .. } = self;
        let now = file.metadata()?;
        let mut mode = before.mode() & 0o7777;
        if (now.uid(), now.gid()) != (before.uid(), before.gid())
            && fchown(file, Some(before.uid()), Some(before.gid())).is_err()
        {
            // Only root can give a file away. Then the rights of a group
            // would be those of another one.
            mode &= 0o700;
        }
        file.set_permissions(fs::Permissions::from_mode(mode))
    }

    #[cfg(not(unix))]
    fn copy_owner(&self) -> io::Result<()> {
        self.file.set_permissions(self.before.permissions())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.is_renamed {
            // The first error is the one to report.
            _ = fs::remove_file(&self.beside);
        }
    }
}

/// A new file. It has another name until it is complete, so that a part of it
/// is never taken for all of it. It is removed, unless it gets its name.
pub struct New {
    target: PathBuf,
    beside: PathBuf,
    /// Other runs leave the file alone until this is closed.
    _lock: File,
    is_named: bool,
}

impl New {
    /// Creates a file that will be at `target`. It can be read by those who
    /// can read the file with the metadata `from`, at most.
    ///
    /// # Errors
    ///
    /// If there is a file at `target`.
    pub fn create(
        target: &Path,
        from: Option<&Metadata>,
        leftovers: &mut Leftovers,
    ) -> io::Result<(New, File)> {
        let target = target.to_path_buf();
        let named = |error: io::Error| {
            let target = target.display();
            io::Error::new(error.kind(), format!("{target}: {error}"))
        };
        leftovers.remove(&target).map_err(named)?;
        if fs::symlink_metadata(&target).is_ok() {
            let why = "exists already; remove it, or name another output";
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{} {why}", target.display()),
            ));
        }
        let made = Leftovers::create(&target, mode(from)).map_err(named)?;
        let (beside, file) = made;
        let lock = file.try_clone()?;
        Ok((New { target, beside, _lock: lock, is_named: false }, file))
    }

    /// Gives the file its name. Nothing is overwritten.
    pub fn name(mut self) -> io::Result<()> {
        // Unlike renaming, a link never replaces another file. Some file
        // systems have none.
        match fs::hard_link(&self.beside, &self.target) {
            Ok(()) => fs::remove_file(&self.beside)?,
            Err(_) if fs::symlink_metadata(&self.target).is_ok() => {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            Err(_) => fs::rename(&self.beside, &self.target)?,
        }
        self.is_named = true;
        Ok(())
    }
}

impl Drop for New {
    fn drop(&mut self) {
        if !self.is_named {
            // The first error is the one to report.
            _ = fs::remove_file(&self.beside);
        }
    }
}

/// Returns who may read and write the copy of a file.
#[cfg(unix)]
fn mode(from: Option<&Metadata>) -> u32 {
    use std::os::unix::fs::MetadataExt;
    from.map_or(0o666, |from| from.mode() & 0o666 | 0o200)
}

#[cfg(not(unix))]
fn mode(_: Option<&Metadata>) -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use std::{env, fs::OpenOptions, io::Write, process};

    use super::*;

    /// A program that appended to a log while it was redacted lost its lines,
    /// and the file beside was readable for everyone until it was complete.
    #[test]
    fn a_file_that_is_changed_meanwhile_stays() {
        let folder = format!("linetape-replace-{}", process::id());
        let folder = env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let log = folder.join("x.jsonl");
        fs::write(&log, "old\n").unwrap();
        let write = || {
            let (new, mut file) =
                Beside::create(&log, &mut Leftovers::default()).unwrap();
            file.write_all(b"new\n").unwrap();
            new
        };
        let new = write();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = new.file.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let mut writer = OpenOptions::new().append(true).open(&log).unwrap();
        writer.write_all(b"late\n").unwrap();
        let error = new.rename().unwrap_err();
        assert!(error.to_string().contains("was changed"), "{error}");
        assert_eq!(fs::read(&log).unwrap(), b"old\nlate\n");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        write().rename().unwrap();
        assert_eq!(fs::read(&log).unwrap(), b"new\n");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
