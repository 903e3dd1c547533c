mod last;
mod unheld;

use std::{fmt, fs::File, io, path::Path};

use linetape::{BytesLine, Chunks, Error, Position, ReaderBuilder};

use crate::{
    follow::{
        checkpoint::{Checkpoint, Fingerprint, Progress, WINDOW},
        file::unheld::Unheld,
        held::Held,
        history::History,
        identity::{Identity, Seen, seen},
    },
    read_at::read_at,
};

/// How many bytes are read at once.
const PIECE: u64 = 64 << 10;

/// A line or an error about one, and the position after it.
type Ahead = (Result<BytesLine, Error>, Position);

/// A file that is being followed.
pub(crate) struct Opened {
    file: File,
    identity: Identity,
    chunks: Chunks,
    history: History,
    /// The position after the last line that was returned. `None` if the file
    /// is read from the middle of a line on, and none was returned yet.
    done: Option<Position>,
    /// The next line. It shows whether the previous one was the last record
    /// of a damaged line.
    ahead: Option<Ahead>,
    /// The last line, if its bytes are not in `chunks`.
    unheld: Option<Unheld>,
    /// What was seen when the file was last looked at.
    seen: Option<Seen>,
    held: Held,
    /// The offset at which reading began, if it was the end of the file.
    began: u64,
    /// Whether another file, or none, is at the path.
    is_leaving: bool,
}

/// What is new about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    Nothing,
    /// So many bytes have been read.
    Bytes(u64),
    /// It has become shorter.
    Shorter,
    /// The bytes that were read have changed.
    Other,
}

impl Opened {
    /// Opens a file, to be read from its start.
    pub(crate) fn open(
        path: &Path,
        builder: &ReaderBuilder,
    ) -> io::Result<Opened> {
        let file = File::open(path)?;
        let identity = Identity::of(&file.metadata()?);
        let chunks = builder.clone().start(Position::START).chunks();
        Ok(Opened {
            file,
            identity,
            chunks,
            history: History::default(),
            done: Some(Position::START),
            ahead: None,
            unheld: None,
            seen: None,
            held: Held::new(),
            began: 0,
            is_leaving: false,
        })
    }

    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    /// Reads the file again from its start.
    pub(crate) fn restart(&mut self, builder: &ReaderBuilder) {
        let start = Position::START;
        self.begin(builder.clone().start(start), Some(start));
        self.history = History::default();
    }

    fn begin(&mut self, builder: ReaderBuilder, done: Option<Position>) {
        self.chunks = builder.chunks();
        self.done = done;
        self.ahead = None;
        self.unheld = None;
        self.seen = None;
        self.held = Held::new();
    }

    pub(crate) fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Moves to an offset, such as the end of the file. If it is within a
    /// line, that line is skipped.
    pub(crate) fn skip_to(
        &mut self,
        end: u64,
        builder: &ReaderBuilder,
    ) -> io::Result<()> {
        let first = end.saturating_sub(1);
        let head = self.bytes(0, WINDOW as u64)?;
        let from = first.saturating_sub(WINDOW as u64);
        let before = self.bytes(from, first - from)?;
        let is_start = end == 0 || self.bytes(first, 1)? == b"\n";
        let line = u64::from(end == 0);
        let done = is_start.then_some(Position::new(line, end));
        self.begin(builder.clone().range(end..u64::MAX), done);
        let length = usize::try_from(first).unwrap_or(usize::MAX);
        let head = head.get(..length).unwrap_or(&head).to_vec();
        self.history = History::at(first, head, before);
        self.began = end;
        Ok(())
    }

    /// Moves to the offset of a checkpoint. `id` is its device and inode.
    /// Returns whether this is the file of the checkpoint; if not, it is read
    /// from its start.
    pub(crate) fn resume(
        &mut self,
        progress: &Progress,
        id: (u64, u64),
        builder: &ReaderBuilder,
    ) -> io::Result<bool> {
        let Progress { offset, line, head, tail, .. } = *progress;
        if self.size()? < offset {
            return Ok(false);
        }
        // Another file can begin with the same few bytes. The device is not
        // compared: it can have another number when it is mounted again.
        let is_same_inode = id.1 == self.identity.device_and_inode().1;
        if offset > 0 && !is_same_inode && !progress.is_proof() {
            return Ok(false);
        }
        let first = self.bytes(0, head.length)?;
        let last =
            self.bytes(offset - tail.length.min(offset), tail.length)?;
        let is_same =
            Fingerprint::of(&first) == head && Fingerprint::of(&last) == tail;
        // Reading can only be resumed at the start of a line.
        let is_start = offset == 0 || last.ends_with(b"\n");
        if !is_same || !is_start {
            return Ok(false);
        }
        let position = match offset {
            0 => Position::START,
            _ => Position::new(line, offset),
        };
        self.begin(builder.clone().start(position), Some(position));
        self.history = History::at(offset, first, last);
        Ok(true)
    }

    /// Returns the next complete line.
    pub(crate) fn next_line(&mut self) -> Option<Result<BytesLine, Error>> {
        loop {
            let Some((line, after)) =
                self.ahead.take().or_else(|| self.take_line())
            else {
                self.pass_blank_lines();
                return None;
            };
            self.ahead = self.take_line();
            // The records of a damaged line have the same position after
            // them.
            let next = self.ahead.as_ref().map(|(_, after)| *after);
            if next != Some(after) {
                self.done = Some(after);
            }
            let was_returned =
                line.as_ref().is_ok_and(|line| self.held.has_handed(line));
            self.held.forget();
            if !was_returned {
                return Some(line);
            }
        }
    }

    /// Moves `done` past blank lines after the last line.
    fn pass_blank_lines(&mut self) {
        let position = self.chunks.position();
        if self.done.is_some_and(|done| done.line() < position.line()) {
            self.done = Some(position);
        }
    }

    fn take_line(&mut self) -> Option<Ahead> {
        let line = self.chunks.next_line()?;
        Some((line, self.chunks.position()))
    }

    /// Looks for new data, and reads once.
    pub(crate) fn look(&mut self) -> io::Result<News> {
        let facts = self.file.metadata()?;
        let now = seen(&facts);
        let size = now.size;
        let read = self.history.end();
        if size < read {
            return Ok(News::Shorter);
        }
        if self.seen != Some(now) && self.has_changed()? {
            return Ok(News::Other);
        }
        self.seen = Some(now);
        if self.is_reading_again() {
            return self.read_again();
        }
        let bytes = self.bytes(read, (size - read).min(PIECE))?;
        if bytes.is_empty() {
            return Ok(News::Nothing);
        }
        let count = bytes.len() as u64;
        self.push(bytes);
        Ok(News::Bytes(count))
    }

    /// Returns whether the last bytes that were read are different now.
    fn has_changed(&self) -> io::Result<bool> {
        let known = self.history.newest();
        let from = self.history.end() - known.len() as u64;
        Ok(self.bytes(from, known.len() as u64)? != known)
    }

    /// Reads bytes at an offset, as many as there are.
    fn bytes(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        let mut filled = 0;
        while let Some(room) = bytes.get_mut(filled..)
            && !room.is_empty()
        {
            match read_at(&self.file, room, offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// Notes that the file is at its path.
    pub(crate) fn stay(&mut self) {
        self.is_leaving = false;
    }

    /// Notes that the file is not at its path any more. Returns whether this
    /// was known before the file was last looked at.
    pub(crate) fn leave(&mut self) -> bool {
        std::mem::replace(&mut self.is_leaving, true)
    }

    /// Returns whether so many bytes of a line have been read that it should
    /// not be read again.
    pub(crate) fn is_in_long_line(&self) -> bool {
        let done = self.done.map_or(0, Position::byte);
        self.history.end().saturating_sub(done) > PIECE
    }

    /// Releases memory while there is nothing to read.
    pub(crate) fn rest(&mut self) {
        self.history.rest(self.done.map_or(0, Position::byte));
    }

    /// Returns the offset after the last byte that has been read.
    pub(crate) fn end(&self) -> u64 {
        self.history.end()
    }

    /// Returns the position after the last line that was returned.
    pub(crate) fn done(&self) -> Option<Position> {
        self.done
    }

    /// Returns what was seen when the file was last looked at.
    pub(crate) fn seen(&self) -> Option<Seen> {
        self.seen
    }

    /// Returns what is known about the last line, if it has no newline.
    pub(crate) fn held(&self) -> Option<Held> {
        let done = self.done.map_or(0, Position::byte);
        (done < self.history.end()).then_some(self.held)
    }

    /// Restores what was known about the last line before the file was closed.
    pub(crate) fn hold(&mut self, held: Held) {
        self.held = held;
    }

    /// Returns the offset at which reading began, if it was the end of the
    /// file.
    pub(crate) fn began(&self) -> u64 {
        self.began
    }

    /// Returns the offset after the last line that was returned, with what
    /// identifies the file.
    pub(crate) fn progress(&self) -> Option<Progress> {
        let done = self.done?;
        let (head, tail) = self.history.fingerprints(done.byte())?;
        let (offset, line) = (done.byte(), done.line());
        Some(Progress { offset, line, size: self.history.end(), head, tail })
    }

    pub(crate) fn checkpoint(&self, path: &Path) -> Option<Checkpoint> {
        let id = self.identity.device_and_inode();
        let (path, progress) = (path.to_path_buf(), self.progress()?);
        Some(Checkpoint { path, id, progress, gone: None })
    }
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("identity", &self.identity)
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}
