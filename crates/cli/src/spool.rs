//! Temporary files, for input that is read twice but cannot be.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
    process,
    sync::Arc,
};

use crate::unused;

/// A source that can be read again.
pub trait Again: Read + Seek {}

impl<T: Read + Seek> Again for T {}

/// One temporary file for the copies of many inputs: a process may not open
/// any number of files.
#[derive(Default)]
pub struct Spool {
    file: Option<Arc<File>>,
    end: u64,
}

impl Spool {
    /// Adds a copy, which `copy` writes. Returns it at its start.
    ///
    /// # Errors
    ///
    /// If the file cannot be created or written, or `copy` fails.
    pub fn add(
        &mut self,
        copy: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Part> {
        let file = match &self.file {
            Some(file) => file.clone(),
            None => Arc::new(temporary()?),
        };
        self.file = Some(file.clone());
        let start = self.end;
        (&*file).seek(SeekFrom::Start(start))?;
        let mut out = BufWriter::new(&*file);
        copy(&mut out)?;
        out.flush()?;
        drop(out);
        self.end = (&*file).stream_position()?;
        Ok(Part { file, start, length: self.end - start, at: 0 })
    }
}

/// The copy of one input.
#[derive(Clone)]
pub struct Part {
    file: Arc<File>,
    start: u64,
    length: u64,
    at: u64,
}

impl Part {
    /// Returns the length of the copy in bytes.
    pub fn len(&self) -> u64 {
        self.length
    }
}

impl Read for Part {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.length.saturating_sub(self.at);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        // The other parts have moved the file's own position.
        (&*self.file).seek(SeekFrom::Start(self.start + self.at))?;
        let read =
            (&*self.file).read(buf.get_mut(..most).unwrap_or_default())?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Part {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(to) => Some(to),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = to.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// Creates an empty temporary file that only the user can read, and that has
/// no name any more where the system allows it.
///
/// # Errors
///
/// If it cannot be created.
fn temporary() -> io::Result<File> {
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
    let name = |number| format!("linetape-{}-{number}.tmp", process::id());
    let path = |number| env::temp_dir().join(name(number));
    let (path, file) = unused::create(path, |path| options.open(path))?;
    // On Windows, an open file cannot be removed; it is removed when closed.
    if cfg!(unix) {
        fs::remove_file(&path)?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, SeekFrom};

    use super::Spool;

    #[test]
    fn copies_in_one_file_are_apart() {
        let mut spool = Spool::default();
        let mut parts = ["one", "", "three"].map(|text| {
            spool.add(|out| out.write_all(text.as_bytes())).unwrap()
        });
        let mut byte = [0];
        for part in &mut parts {
            _ = part.read(&mut byte).unwrap();
        }
        for (part, expected) in parts.iter_mut().zip(["one", "", "three"]) {
            assert_eq!(
                part.seek(SeekFrom::End(0)).unwrap(),
                expected.len() as u64
            );
            part.rewind().unwrap();
            let mut text = String::new();
            part.read_to_string(&mut text).unwrap();
            assert_eq!(text, expected);
        }
        // A copy that failed leaves no trace.
        let failed = spool.add(|out| {
            out.write_all(b"half")?;
            Err(std::io::ErrorKind::Other.into())
        });
        assert!(failed.is_err());
        let mut last = spool.add(|out| out.write_all(b"last")).unwrap();
        let mut text = String::new();
        last.read_to_string(&mut text).unwrap();
        assert_eq!(text, "last");
    }
}
