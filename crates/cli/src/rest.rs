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
use linetape_flow::Checkpoint;

use crate::plain::plain;

/// The complete lines of a file from a position on, or a whole file that is compressed
/// or a JSON array.
pub struct Rest {
    /// The path as the user has written it.
    path: PathBuf,
    start: Position,
    /// After the last line, or at the end of the file.
    end: Checkpoint,
    is_plain: bool,
    is_new: bool,
    lines: Lines,
}

/// The number of lines that have been read so far. It is only right for a file
/// of plain lines.
#[derive(Clone, Default)]
pub struct Lines(Arc<AtomicU64>);

impl Lines {
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, bytes: &[u8]) {
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.0.fetch_add(lines, Ordering::Relaxed);
    }
}

impl Rest {
    /// Creates the rest of a file, from `start` to a checkpoint.
    pub fn new(
        path: PathBuf,
        start: Position,
        end: Checkpoint,
        is_plain: bool,
        is_new: bool,
    ) -> Rest {
        let lines = Lines::default();
        Rest { path, start, end, is_plain, is_new, lines }
    }

    /// Returns whether no earlier run has read the file, even if it was empty.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the absolute path.
    pub fn key(&self) -> &Path {
        self.end.path()
    }

    pub fn start(&self) -> Position {
        self.start
    }

    /// Returns the number of bytes to read.
    pub fn size(&self) -> u64 {
        self.end.offset().saturating_sub(self.start.byte())
    }

    /// Returns the number of lines, which is known after reading.
    pub fn lines(&self) -> Lines {
        self.lines.clone()
    }

    /// Opens the decompressed text.
    ///
    /// # Errors
    ///
    /// Fails if another file is at the path now: nobody has compared it with
    /// what was read before.
    pub fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let mut file = File::open(&self.path)?;
        if !self.end.has_identity(&file.metadata()?)
            || !self.end.is_of_open(&mut file)?
        {
            return Err(replaced());
        }
        file.seek(SeekFrom::Start(self.start.byte()))?;
        let source = file.take(self.size());
        let source = Counted { source, lines: self.lines() };
        Ok(match self.is_plain {
            true => Box::new(source),
            false => Box::new(plain(source)),
        })
    }
}

/// Returns the error of a file that is another one than before.
pub fn replaced() -> io::Error {
    let why = "replaced or truncated since this run began; the next run reads \
               what is there";
    io::Error::other(why)
}

/// A source that counts lines.
struct Counted {
    source: Take<File>,
    lines: Lines,
}

impl Read for Counted {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(room)?;
        if length == 0 && !room.is_empty() && self.source.limit() > 0 {
            return Err(replaced());
        }
        self.lines.add(room.get(..length).unwrap_or_default());
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
