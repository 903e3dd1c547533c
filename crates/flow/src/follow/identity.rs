use std::{fs::Metadata, io, time::SystemTime};

/// What shows that a file may have changed. If anything differs, the content
/// is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) size: u64,
    pub(crate) modified: Option<SystemTime>,
    /// When the inode was changed, in seconds and nanoseconds. Unlike the
    /// modification time, a program cannot set it back.
    changed: (i64, i64),
}

/// Returns what is seen of a file.
pub(crate) fn seen(facts: &Metadata) -> Seen {
    #[cfg(unix)]
    let changed = {
        use std::os::unix::fs::MetadataExt;
        (facts.ctime(), facts.ctime_nsec())
    };
    #[cfg(not(unix))]
    let changed = (0, 0);
    Seen { size: facts.len(), modified: facts.modified().ok(), changed }
}

/// Identifies a file, as long as the file is open: an inode is reused once its
/// file has been removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    device: u64,
    file: u64,
}

impl Identity {
    /// Returns the device and the inode. Elsewhere than on Unix, they are 0 and
    /// the creation time.
    pub(crate) fn device_and_inode(self) -> (u64, u64) {
        (self.device, self.file)
    }

    #[cfg(unix)]
    pub(crate) fn of(facts: &Metadata) -> Identity {
        use std::os::unix::fs::MetadataExt;
        Identity { device: facts.dev(), file: facts.ino() }
    }

    /// Without an inode, the creation time identifies the file.
    #[cfg(not(unix))]
    pub(crate) fn of(facts: &Metadata) -> Identity {
        let created = facts.created().ok();
        let since = created
            .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let file = since.map_or(0, |since| since.as_nanos() as u64);
        Identity { device: 0, file }
    }
}

/// Returns the error about something that is not a regular file. It is not
/// opened: opening a pipe would wait for its writer.
pub(crate) fn not_regular() -> io::Error {
    let why = "not a regular file, so it cannot be followed";
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
