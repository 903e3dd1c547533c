//! The part of a file that was appended since the last run.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Take},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use linetape::Position;

/// The complete lines of a file from a position on.
pub struct Rest {
    path: PathBuf,
    start: Position,
    end: u64,
    lines: Lines,
}

/// The number of lines that have been read so far.
#[derive(Clone, Default)]
pub struct Lines(Arc<AtomicU64>);

impl Lines {
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Rest {
    /// The lines from `start` to the offset `end`.
    pub fn new(path: PathBuf, start: Position, end: u64) -> Rest {
        Rest { path, start, end, lines: Lines::default() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn start(&self) -> Position {
        self.start
    }

    /// Returns the number of bytes.
    pub fn size(&self) -> u64 {
        self.end.saturating_sub(self.start.byte())
    }

    /// Returns the number of lines, which is known after reading.
    pub fn lines(&self) -> Lines {
        self.lines.clone()
    }

    pub fn open(&self) -> io::Result<impl Read + Send + use<>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.start.byte()))?;
        Ok(Counted { source: file.take(self.size()), lines: self.lines() })
    }
}

/// A source that counts lines.
struct Counted {
    source: Take<File>,
    lines: Lines,
}

impl Read for Counted {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(room)?;
        let bytes = room.get(..length).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.lines.0.fetch_add(lines, Ordering::Relaxed);
        Ok(length)
    }
}

/// Returns the offset after the last newline of a file, or `start` if there is
/// none between `start` and `end`. Bytes after it are a line that is not
/// complete yet.
pub fn end_of_lines(file: &mut File, start: u64, end: u64) -> io::Result<u64> {
    const STEP: u64 = 64 << 10;
    let mut bytes = vec![];
    let mut before = end;
    while before > start {
        let from = before.saturating_sub(STEP).max(start);
        file.seek(SeekFrom::Start(from))?;
        bytes.clear();
        file.by_ref().take(before - from).read_to_end(&mut bytes)?;
        if let Some(at) = memchr::memrchr(b'\n', &bytes) {
            return Ok(from + at as u64 + 1);
        }
        before = from;
    }
    Ok(start)
}
