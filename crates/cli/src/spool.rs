//! Temporary files, for input that is read twice but cannot be.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    path::PathBuf,
    process,
};

/// Copies a source to a temporary file that only the user can read, and that
/// has no name any more where the system allows it. Returns it at its start.
///
/// # Errors
///
/// If the source cannot be read, or the file cannot be written.
pub fn spool(mut source: impl Read) -> io::Result<File> {
    let mut file = temporary()?;
    io::copy(&mut source, &mut file)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// Creates an empty temporary file, as [`spool`] does.
///
/// # Errors
///
/// If it cannot be created.
pub fn temporary() -> io::Result<File> {
    let (file, path) = create()?;
    // On Windows, an open file cannot be removed; it is removed when closed.
    if cfg!(unix) {
        fs::remove_file(&path)?;
    }
    Ok(file)
}

/// Creates a file with a new name.
fn create() -> io::Result<(File, PathBuf)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(windows)]
    {
        /// The system removes the file when it is closed.
        const DELETE_ON_CLOSE: u32 = 0x0400_0000;
        std::os::windows::fs::OpenOptionsExt::custom_flags(
            &mut options,
            DELETE_ON_CLOSE,
        );
    }
    for number in 0.. {
        let name = format!("linetape-{}-{number}.tmp", process::id());
        let path = env::temp_dir().join(name);
        match options.open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((file?, path)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::spool;

    #[test]
    fn a_source_can_be_read_again() {
        let mut file = spool(&b"one\ntwo"[..]).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo");
    }
}
