use std::{fs::File, io::Read, path::Path};

use crate::{
    chunks::Chunks,
    error::{Error, Position},
    framer::Settings,
    limits::Limits,
    reader::Reader,
    scan::{Kernel, Scanner},
    slice::Lines,
};
#[cfg(doc)]
use crate::{line::Line, lines::Stats, record::Record};

/// Sets up a [`Reader`], or [`Lines`] or [`Chunks`], which have the same
/// settings.
///
/// What is set here is fixed once the reader is built. A builder can be used
/// again.
///
/// # Example
///
/// This shows how to read from three places with the same settings.
///
/// ```
/// use linetape::Reader;
///
/// let builder = Reader::builder().max_line(1 << 20).skip_noise(true);
///
/// let log = b"a note\n{}\n";
/// let mut reader = builder.build(&log[..]);
/// assert_eq!(reader.next_line().unwrap()?.number(), 2);
///
/// let mut lines = builder.lines(log);
/// assert_eq!(lines.next_line().unwrap()?.number(), 2);
///
/// let mut chunks = builder.chunks();
/// chunks.push(&log[..]);
/// assert_eq!(chunks.next_line().unwrap()?.number(), 2);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ReaderBuilder {
    settings: Settings,
    buffer_capacity: usize,
}

impl Default for ReaderBuilder {
    fn default() -> ReaderBuilder {
        ReaderBuilder::new()
    }
}

impl ReaderBuilder {
    /// Returns a builder with the default settings.
    pub fn new() -> ReaderBuilder {
        let settings = Settings::default();
        ReaderBuilder { settings, buffer_capacity: 128 << 10 }
    }

    /// Sets all limits at once.
    pub fn limits(mut self, limits: Limits) -> ReaderBuilder {
        self.settings.limits = limits;
        self
    }

    /// Sets [`Limits::max_line`], the longest line that is handed out.
    pub fn max_line(mut self, bytes: usize) -> ReaderBuilder {
        self.settings.limits.max_line = bytes;
        self
    }

    /// Sets how much a [`Reader`] reads at a time. 128 KiB by default.
    ///
    /// The buffer grows when a line does not fit, and shrinks again
    /// afterwards.
    pub fn buffer_capacity(mut self, bytes: usize) -> ReaderBuilder {
        self.buffer_capacity = bytes;
        self
    }

    /// Sets [`Limits::max_depth`], how deep a line may be nested.
    pub fn max_depth(mut self, levels: usize) -> ReaderBuilder {
        self.settings.limits.max_depth = levels;
        self
    }

    /// Sets [`Limits::max_nodes`], how many values a line may have.
    pub fn max_nodes(mut self, nodes: usize) -> ReaderBuilder {
        self.settings.limits.max_nodes = nodes;
        self
    }

    /// Skips lines about which there is an error, and
    /// [counts](Stats::errors) them. Off by default: such an error is
    /// returned.
    ///
    /// Only an error that is not [recoverable](Error::is_recoverable) is
    /// returned then, and one of a source that had nothing to read yet
    /// (`WouldBlock`, `TimedOut`): so `?` in a loop does not end it at the
    /// first bad line.
    ///
    /// `next_record`, `next_record_where` and `into_messages` then pass over
    /// every line that cannot be decoded. They check a line before they
    /// decode it, which adds about four tenths of the time. `next_line` and
    /// `next_where` pass over a line that they would return an error for, for
    /// being too long, say. What they hand out has not been checked, so that
    /// [`Line::kind`] or [`Line::decode`] may still return an error; the
    /// stats count it once.
    ///
    /// # Example
    ///
    /// This shows how to read all good records of a log, and what was bad.
    ///
    /// ```
    /// use linetape::{ErrorKind, Reader};
    ///
    /// let log = &b"{\"n\":1}\n{\"n\":oops}\n{\"n\":2}\n"[..];
    /// let mut reader = Reader::builder().skip_bad_lines(true).build(log);
    /// let mut sum = 0;
    /// while let Some(record) = reader.next_record() {
    ///     let n = record?.value().get("n").and_then(|n| n.as_u64());
    ///     sum += n.unwrap_or(0);
    /// }
    /// assert_eq!(sum, 3);
    /// assert_eq!(reader.stats().errors.get(ErrorKind::Syntax), 1);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn skip_bad_lines(mut self, skip: bool) -> ReaderBuilder {
        self.settings.skip_bad_lines = skip;
        self
    }

    /// Skips lines that do not begin with a brace, and
    /// [counts](Stats::noise) them. Off by default: such a line is handed
    /// out, and cannot be decoded.
    ///
    /// Agents print notes for people between their records now and then.
    pub fn skip_noise(mut self, skip: bool) -> ReaderBuilder {
        self.settings.skip_noise = skip;
        self
    }

    /// Hands out the whole records of damaged lines. Off by default: such a
    /// line is handed out as it is, and cannot be decoded.
    ///
    /// Lines are damaged when two programs write to one file, or when one is
    /// stopped while it writes: then a line may hold several records, a piece
    /// of one and another, runs of NUL, or noise before a record. Each record
    /// that is whole comes as a line of its own, with the number of its
    /// physical line and its true offset. What is in no record is lost, which
    /// is one [counted](Stats::errors) error for each physical line, placed
    /// where the first loss begins. See [`Stats::salvaged`] and
    /// [`Stats::lost`].
    ///
    /// Every line is checked for this, so that it takes longer to read, and
    /// every line that is handed out can be decoded. No record is made up: it
    /// stands in the line as it is handed out.
    ///
    /// Where a record was torn, it may not be clear whether an object after it
    /// is a record, or was in it: `{"a":{"b":1}` can be either. Then it is
    /// taken for a record if it has the structure of one: a string `type`
    /// together with a `uuid`, a `session_id` or the like. So it is if it has
    /// no type and begins with the same key as the torn one. An object that
    /// has something of a record before and after it is taken for a part of
    /// that, unless it has the structure of a record. Which types there are
    /// does not matter.
    ///
    /// A line over the limit is not searched. While the records of a line are
    /// handed out, [`Reader::position`] is where the next line begins.
    ///
    /// # Example
    ///
    /// This shows what is left of a record that was torn, and two on a line.
    ///
    /// ```
    /// let log = &b"{\"type\":\"user\",\"te{\"type\":\"result\"}{\"n\":1}\n"[..];
    /// let mut reader = linetape::Reader::builder().salvage(true).build(log);
    /// assert!(reader.next_line().unwrap().is_err());
    /// assert_eq!(reader.next_line().unwrap()?.offset(), 18);
    /// assert_eq!(reader.next_line().unwrap()?.as_bytes(), b"{\"n\":1}");
    /// assert!(reader.next_line().is_none());
    /// assert_eq!(reader.stats().salvaged, 2);
    /// assert_eq!(reader.stats().lost, 18);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn salvage(mut self, salvage: bool) -> ReaderBuilder {
        self.settings.salvage = salvage;
        self
    }

    /// Keeps the bytes of a line that cannot be decoded, for
    /// [`Error::raw`]. Off by default, because it allocates.
    ///
    /// The bytes of a line that can be decoded are always at hand, as
    /// [`Record::raw`].
    pub fn keep_raw(mut self, keep: bool) -> ReaderBuilder {
        self.settings.keep_raw = keep;
        self
    }

    /// Finds the type of each line along with its end, in one pass, so that
    /// [`Line::kind`] is a look-up. Off by default.
    ///
    /// Switch it on to ask most lines for their kind. It changes no answer.
    ///
    /// # Example
    ///
    /// This shows how to count lines by kind as fast as can be.
    ///
    /// ```
    /// let log = &b"{\"type\":\"user\"}\n{\"type\":\"result\"}\n"[..];
    /// let mut reader = linetape::Reader::builder().route(true).build(log);
    /// let mut users = 0;
    /// while let Some(line) = reader.next_line() {
    ///     users += usize::from(line?.kind()?.is("user"));
    /// }
    /// assert_eq!(users, 1);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn route(mut self, route: bool) -> ReaderBuilder {
        self.settings.route = route;
        self
    }

    /// Says that the source is only what a stream has from `start` on, where a
    /// line begins. Numbers and offsets of lines are those of the stream then,
    /// but [`Reader::stats`] tell of what is read.
    ///
    /// So someone can go on with a log where a reader had [come
    /// to](Reader::position), or read parts of it at the same time. But if the
    /// last line had [no newline](Line::is_terminated) yet, go on from where
    /// that line began: the rest of it is still to come.
    ///
    /// # Example
    ///
    /// This shows how to read what is new in a log.
    ///
    /// ```
    /// use linetape::Reader;
    ///
    /// let mut reader = Reader::new(&b"{\"n\":1}\n"[..]);
    /// while reader.next_line().is_some() {}
    /// let seen = reader.position();
    ///
    /// // Later, from a file that was opened and moved to `seen.byte()`:
    /// let new = &b"{\"n\":2}\n"[..];
    /// let mut reader = Reader::builder().start(seen).build(new);
    /// let line = reader.next_line().unwrap()?;
    /// assert_eq!((line.number(), line.offset()), (2, 8));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn start(mut self, start: Position) -> ReaderBuilder {
        self.settings.start = start;
        self
    }

    /// Scans text with the given kernel, and not with the best one that the
    /// CPU has. No answer depends on it.
    ///
    /// # Errors
    ///
    /// When the CPU lacks what the kernel needs.
    #[doc(hidden)]
    pub fn kernel(mut self, kernel: Kernel) -> Result<ReaderBuilder, Error> {
        match Scanner::new(kernel) {
            Some(scanner) => self.settings.scanner = Some(scanner),
            None => return Err(Error::unsupported(kernel)),
        }
        Ok(self)
    }

    /// Returns a reader of `source`.
    pub fn build<R: Read>(&self, source: R) -> Reader<R> {
        Reader::with_settings(source, self.buffer_capacity, &self.settings)
    }

    /// Returns a reader of the file at `path`.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Reader<File>, Error> {
        let path = path.as_ref();
        match File::open(path) {
            Ok(file) => Ok(self.build(file)),
            Err(error) => Err(Error::open(path, &error)),
        }
    }

    /// Returns the lines of bytes that are in memory already.
    pub fn lines<'d>(&self, bytes: &'d [u8]) -> Lines<'d> {
        Lines::with_settings(bytes, &self.settings)
    }

    /// Returns a push side, for bytes that somebody else reads.
    pub fn chunks(&self) -> Chunks {
        Chunks::with_settings(&self.settings)
    }
}
