//! The part of a file that was appended since the last run.

use std::{
    fs::{File, Metadata},
    io::{self, Read, Seek, SeekFrom, Take},
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use linetape::Position;
use linetape_flow::{Checkpoint, Decompressed};

use crate::plain::plain;

/// How many bytes identify a text: see [`Checkpoint::of_text`].
const WINDOW: usize = 4096;

/// The complete lines of a file from a position on.
pub struct Rest {
    /// The path as the user has written it, and the absolute path.
    path: PathBuf,
    key: PathBuf,
    start: Position,
    size: u64,
    lines: Lines,
    kind: Kind,
}

/// What is known about the file.
enum Kind {
    /// It is the one of this checkpoint, which is after its last line.
    Plain(Box<Checkpoint>),
    /// Its device and inode, and what has been read of its text.
    Compressed((u64, u64), Text),
}

/// The number of lines that have been read so far.
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
    /// Creates the rest that has the lines from `start` to a checkpoint.
    pub fn new(path: PathBuf, start: Position, end: Checkpoint) -> Rest {
        let size = end.offset().saturating_sub(start.byte());
        let (key, lines) = (end.path().to_path_buf(), Lines::default());
        let kind = Kind::Plain(Box::new(end));
        Rest { path, key, start, size, lines, kind }
    }

    /// Creates the rest that has the lines of a compressed file from `start`
    /// to its end. Also returns what will have been read.
    pub fn compressed(
        path: PathBuf,
        key: PathBuf,
        start: Position,
        facts: &Metadata,
    ) -> (Rest, Text) {
        let (size, lines) = (facts.len(), Lines::default());
        let (text, id) = (Text::default(), Checkpoint::identity_of(facts));
        let kind = Kind::Compressed(id, text.clone());
        (Rest { path, key, start, size, lines, kind }, text)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the absolute path.
    pub fn key(&self) -> &Path {
        &self.key
    }

    pub fn start(&self) -> Position {
        self.start
    }

    /// Returns the number of bytes to read.
    pub fn size(&self) -> u64 {
        self.size
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
        let (mut file, lines) = (File::open(&self.path)?, self.lines());
        let facts = file.metadata()?;
        let text = match &self.kind {
            Kind::Plain(end) => {
                if !end.has_identity(&facts) || !end.is_of_open(&mut file)? {
                    return Err(replaced());
                }
                file.seek(SeekFrom::Start(self.start.byte()))?;
                let source = file.take(self.size);
                return Ok(Box::new(Counted { source, lines }));
            }
            Kind::Compressed(id, text) => {
                if *id != Checkpoint::identity_of(&facts)
                    || facts.len() < self.size
                {
                    return Err(replaced());
                }
                text.clone()
            }
        };
        text.open(&mut file, facts)?;
        Ok(Box::new(Skipped {
            source: plain(file),
            skip: self.start.byte(),
            text,
            lines,
            bytes: vec![],
            ready: 0..0,
        }))
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

/// The text of a compressed file without its first bytes, which have to be
/// read all the same, and without a last line that has no newline: the next
/// run reads it, when it is complete.
struct Skipped {
    source: Decompressed<File>,
    skip: u64,
    text: Text,
    lines: Lines,
    /// What was read and is not skipped.
    bytes: Vec<u8>,
    /// Which of it can be returned: complete lines.
    ready: Range<usize>,
}

/// A line with more bytes is returned in parts, complete or not: the reader
/// reports it. It is the same for all inputs of a run.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Sets how many bytes of a line are kept until its end is found.
pub fn limit_line(bytes: usize) {
    MOST.store(bytes, Ordering::Relaxed);
}

/// How many bytes are read at a time.
const PIECE: usize = 64 << 10;

impl Read for Skipped {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        while self.ready.is_empty() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let bytes = self.bytes.get(self.ready.clone()).unwrap_or_default();
        let length = bytes.len().min(room.len());
        if let (Some(room), Some(bytes)) =
            (room.get_mut(..length), bytes.get(..length))
        {
            room.copy_from_slice(bytes);
        }
        self.ready.start += length;
        Ok(length)
    }
}

impl Skipped {
    /// Reads more, when all that is ready has been returned. Returns whether
    /// there was more.
    fn fill(&mut self) -> io::Result<bool> {
        self.bytes.drain(..self.ready.end);
        self.ready = 0..0;
        let before = self.bytes.len();
        self.bytes.resize(before + PIECE, 0);
        let room = self.bytes.get_mut(before..).unwrap_or_default();
        let read = self.source.read(room);
        self.bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        let length = read?;
        self.text.add(self.bytes.get(before..).unwrap_or_default());
        let skipped = self.skip.min(length as u64);
        self.skip -= skipped;
        self.bytes.drain(before..before + skipped as usize);
        let new = self.bytes.get(before..).unwrap_or_default();
        self.lines.add(new);
        if let Some(last) = memchr::memrchr(b'\n', new) {
            self.ready = 0..before + last + 1;
        } else if self.bytes.len() > MOST.load(Ordering::Relaxed) {
            self.ready = 0..self.bytes.len();
        }
        Ok(length > 0)
    }
}

/// What identifies a text that has been read.
#[derive(Clone, Default)]
pub struct Text(Arc<Mutex<Progress>>);

#[derive(Default)]
struct Progress {
    /// The open file, and its last bytes.
    file: Option<(Metadata, Vec<u8>)>,
    head: Vec<u8>,
    /// The last bytes.
    recent: Vec<u8>,
    end: u64,
    /// The offset after the last newline, and the bytes before it.
    done: u64,
    tail: Vec<u8>,
    /// Whether the rest cannot be read.
    is_broken: bool,
}

impl Text {
    /// Notes which file is read. Its position is the start then.
    fn open(&self, file: &mut File, facts: Metadata) -> io::Result<()> {
        let last = last_bytes(file, facts.len())?;
        file.seek(SeekFrom::Start(0))?;
        self.progress().file = Some((facts, last));
        Ok(())
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, bytes: &[u8]) {
        let mut read = self.progress();
        let missing = WINDOW.saturating_sub(read.head.len());
        let first = bytes.get(..missing).unwrap_or(bytes);
        read.head.extend_from_slice(first);
        if let Some(last) = memchr::memrchr(b'\n', bytes) {
            let lines = bytes.get(..=last).unwrap_or_default();
            read.tail = last_of(&read.recent, lines);
            read.done = read.end + lines.len() as u64;
        }
        read.recent = last_of(&read.recent, bytes);
        read.end += bytes.len() as u64;
    }

    /// Notes that the rest of the text cannot be read. Returns false if it was
    /// not even read up to `start`.
    pub fn stop(&self, start: u64) -> bool {
        let mut read = self.progress();
        read.is_broken = true;
        read.file.is_some() && read.done >= start
    }

    /// Returns the checkpoint after the last complete line of the file, which
    /// was at this path when it was opened.
    pub fn checkpoint(&self, path: &Path) -> io::Result<Checkpoint> {
        let read = self.progress();
        let Some((facts, last)) = &read.file else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let length = usize::try_from(read.done).unwrap_or(usize::MAX);
        let head = read.head.get(..length).unwrap_or(&read.head);
        let checkpoint =
            Checkpoint::of_text(path, facts, read.done, head, &read.tail)?;
        // Without its end, the file is read by the next run even if it has not
        // changed, which reports the error again.
        Ok(match read.is_broken {
            true => checkpoint,
            false => checkpoint.with_end(last),
        })
    }
}

/// Returns the last bytes of a file that has `size` bytes, or had them.
pub fn last_bytes(file: &mut File, size: u64) -> io::Result<Vec<u8>> {
    let length = size.min(WINDOW as u64);
    file.seek(SeekFrom::Start(size - length))?;
    let mut last = vec![];
    file.take(length).read_to_end(&mut last)?;
    Ok(last)
}

/// Returns the last bytes of two slices.
fn last_of(first: &[u8], second: &[u8]) -> Vec<u8> {
    let from_second = second.len().min(WINDOW);
    let from_first = first.len().min(WINDOW - from_second);
    let end = |bytes: &[u8], count: usize| {
        bytes.get(bytes.len() - count..).unwrap_or_default().to_vec()
    };
    let mut last = end(first, from_first);
    last.extend(end(second, from_second));
    last
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to 64 MiB of a line were kept, whatever `--max-line` was.
    #[test]
    fn no_more_of_a_line_is_kept_than_its_limit() {
        let name = format!("linetape-rest-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, vec![b'x'; 20 * PIECE]).unwrap();
        let most_kept = || {
            let mut source = Skipped {
                source: plain(File::open(&path).unwrap()),
                skip: 0,
                text: Text::default(),
                lines: Lines::default(),
                bytes: vec![],
                ready: 0..0,
            };
            let (mut most, mut room) = (0, [0; 1000]);
            while source.read(&mut room).unwrap() > 0 {
                most = most.max(source.bytes.len());
            }
            most.max(source.bytes.len())
        };
        limit_line(usize::MAX);
        assert_eq!(most_kept(), 20 * PIECE);
        limit_line(1000);
        assert!(most_kept() <= 1000 + PIECE);
        std::fs::remove_file(&path).unwrap();
    }
}
