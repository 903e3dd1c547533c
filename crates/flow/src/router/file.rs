use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// After how many bytes lines are written.
const BUFFER: usize = 64 << 10;

/// How much of a file to keep when it is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keep {
    /// Its whole lines. A last line without a newline is what a router that
    /// was killed has left, and is removed.
    Lines,
    /// Everything. A last line without a newline is of another program, and
    /// gets one.
    All,
    Nothing,
}

/// A file to which whole lines are appended.
#[derive(Debug)]
pub(crate) struct Target {
    file: File,
    /// The size of the file. It ends with a newline.
    size: u64,
    /// Lines that are not written yet.
    waiting: Vec<u8>,
    /// Whether there are lines that may not be on the disk yet.
    is_unsynced: bool,
}

impl Target {
    /// Opens a file, or creates it. Removes what is not to be kept, and also
    /// returns the number of these bytes.
    pub(crate) fn open(path: &Path, keep: Keep) -> io::Result<(Target, u64)> {
        // A link could lead to another folder, and a pipe would block.
        if let Ok(facts) = fs::symlink_metadata(path)
            && !facts.is_file()
        {
            let why = "not a regular file";
            return Err(io::Error::new(ErrorKind::InvalidInput, why));
        }
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create(true);
        let mut file = options.open(path)?;
        let length = file.metadata()?.len();
        let mut size = match keep {
            Keep::Lines => end_of_lines(&mut file, length)?,
            Keep::All => length,
            Keep::Nothing => 0,
        };
        let removed = length - size;
        if removed > 0 {
            file.set_len(size)?;
        }
        if end_of_lines(&mut file, size)? < size {
            file.write_all(b"\n")?;
            size += 1;
        }
        let target = Target { file, size, waiting: vec![], is_unsynced: true };
        Ok((target, removed))
    }

    /// Adds a line, with a CR before its newline if it had one.
    pub(crate) fn add(&mut self, line: &[u8], has_cr: bool) -> io::Result<()> {
        self.waiting.extend_from_slice(line);
        if has_cr {
            self.waiting.push(b'\r');
        }
        self.waiting.push(b'\n');
        if self.waiting.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Writes all lines. If that fails, the file has only whole lines, and the
    /// others can be written later.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let mut written = 0;
        while let Some(rest) = self.waiting.get(written..)
            && !rest.is_empty()
        {
            self.is_unsynced = true;
            match self.file.write(rest) {
                Ok(0) => {
                    return self.cut(written, ErrorKind::WriteZero.into());
                }
                Ok(count) => written += count,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(error) => return self.cut(written, error),
            }
        }
        self.size += written as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Cuts a line of which only a part could be written.
    fn cut(&mut self, written: usize, error: io::Error) -> io::Result<()> {
        let part = self.waiting.get(..written).unwrap_or_default();
        let whole = part.iter().rposition(|byte| *byte == b'\n');
        let whole = whole.map_or(0, |last| last + 1);
        self.size += whole as u64;
        self.waiting.drain(..whole);
        // If this fails, too, the next run cuts it.
        _ = self.file.set_len(self.size);
        Err(error)
    }

    /// Waits until all lines are on the disk.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        if self.is_unsynced {
            self.file.sync_data()?;
            self.is_unsynced = false;
        }
        Ok(())
    }
}

/// Returns the end of the last line in the first `length` bytes.
pub(crate) fn end_of_lines(file: &mut File, length: u64) -> io::Result<u64> {
    let mut end = length;
    let mut piece = vec![];
    while end > 0 {
        let start = end.saturating_sub(4096);
        file.seek(SeekFrom::Start(start))?;
        piece.clear();
        file.take(end - start).read_to_end(&mut piece)?;
        if let Some(last) = piece.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + last as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
