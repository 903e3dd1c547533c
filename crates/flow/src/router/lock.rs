use std::{fs::File, io, path::Path};

/// A lock on a folder, which another router cannot have at the same time.
/// Where folders cannot be locked, there is none.
#[derive(Debug)]
pub(crate) struct Lock(Option<File>);

impl Lock {
    /// Locks a folder. The lock leaves no file in it.
    #[cfg(unix)]
    pub(crate) fn new(folder: &Path) -> io::Result<Lock> {
        use std::fs::TryLockError;

        let file = File::open(folder)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(Some(file))),
            Err(TryLockError::WouldBlock) => {
                let why = "another router writes to this folder";
                Err(io::Error::new(io::ErrorKind::WouldBlock, why))
            }
            // Some network file systems lock only files.
            Err(TryLockError::Error(_)) => Ok(Lock(None)),
        }
    }

    /// Folders cannot be opened.
    #[cfg(not(unix))]
    pub(crate) fn new(_: &Path) -> io::Result<Lock> {
        Ok(Lock(None))
    }
}

impl Drop for Lock {
    /// Unlocks the folder. Closing it is not enough: a child process that
    /// another thread is just starting may have inherited it.
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            _ = file.unlock();
        }
    }
}
