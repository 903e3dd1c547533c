use std::{fs::File, io::Read, path::Path};

use crate::{
    error::{Error, Position},
    limits::Limits,
    lines::{Buffer, Gate, Splitter},
    reader::{Reader, State},
    record::Decoder,
    salvage::Salvage,
    scan::Kernel,
};
#[cfg(doc)]
use crate::{line::Line, lines::Stats, record::Record};

/// Sets up a [`Reader`].
///
/// What is set here is fixed once the reader is built.
///
/// # Example
///
/// This shows how to read with a limit on the length of lines.
///
/// ```
/// use linetape::Reader;
///
/// let source = &b"{}\n"[..];
/// let mut reader = Reader::builder().max_line(1 << 20).build(source);
/// assert!(reader.next_line().unwrap().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct ReaderBuilder {
    limits: Limits,
    buffer_capacity: usize,
    skip_noise: bool,
    salvage: bool,
    keep_raw: bool,
    route: bool,
    start: Position,
    kernel: Option<Kernel>,
}

impl Default for ReaderBuilder {
    fn default() -> ReaderBuilder {
        ReaderBuilder::new()
    }
}

impl ReaderBuilder {
    /// The default settings.
    pub fn new() -> ReaderBuilder {
        ReaderBuilder {
            limits: Limits::default(),
            buffer_capacity: 128 << 10,
            skip_noise: false,
            salvage: false,
            keep_raw: false,
            route: false,
            start: Position::START,
            kernel: None,
        }
    }

    /// Sets all limits at once.
    pub fn limits(&mut self, limits: Limits) -> &mut ReaderBuilder {
        self.limits = limits;
        self
    }

    /// Sets [`Limits::max_line`], the longest line that is handed out.
    pub fn max_line(&mut self, bytes: usize) -> &mut ReaderBuilder {
        self.limits.max_line = bytes;
        self
    }

    /// Sets how much is read at a time. 128 KiB by default.
    ///
    /// The buffer grows when a line does not fit, and shrinks again
    /// afterwards.
    pub fn buffer_capacity(&mut self, bytes: usize) -> &mut ReaderBuilder {
        self.buffer_capacity = bytes;
        self
    }

    /// Sets [`Limits::max_depth`], how deep a line may be nested.
    pub fn max_depth(&mut self, levels: usize) -> &mut ReaderBuilder {
        self.limits.max_depth = levels;
        self
    }

    /// Sets [`Limits::max_nodes`], how many values a line may have.
    pub fn max_nodes(&mut self, nodes: usize) -> &mut ReaderBuilder {
        self.limits.max_nodes = nodes;
        self
    }

    /// Skips lines that do not begin with a brace, and
    /// [counts](Stats::noise) them. Off by default: such a line is handed
    /// out, and cannot be decoded.
    ///
    /// Agents print notes for people between their records now and then.
    pub fn skip_noise(&mut self, skip: bool) -> &mut ReaderBuilder {
        self.skip_noise = skip;
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
    /// Where a record was torn, it may not be clear whether an object behind
    /// is a record, or was in it: `{"a":{"b":1}` can be either. Then it is
    /// taken for a record if it is of a type that agents write, or if it has
    /// no type and begins with the same key as the torn one. An object that
    /// has something of a record before and behind it is taken for a part of
    /// that, unless it is of a type that agents write.
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
    pub fn salvage(&mut self, salvage: bool) -> &mut ReaderBuilder {
        self.salvage = salvage;
        self
    }

    /// Keeps the bytes of a line that cannot be decoded, for
    /// [`Error::raw`]. Off by default, because it allocates.
    ///
    /// The bytes of a line that can be decoded are always at hand, as
    /// [`Record::raw`].
    pub fn keep_raw(&mut self, keep: bool) -> &mut ReaderBuilder {
        self.keep_raw = keep;
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
    pub fn route(&mut self, route: bool) -> &mut ReaderBuilder {
        self.route = route;
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
    pub fn start(&mut self, start: Position) -> &mut ReaderBuilder {
        self.start = start;
        self
    }

    /// Scans text with the given kernel, and not with the best one that the
    /// CPU has. No answer depends on it.
    ///
    /// # Errors
    ///
    /// When the CPU lacks what the kernel needs.
    pub fn kernel(
        &mut self,
        kernel: Kernel,
    ) -> Result<&mut ReaderBuilder, Error> {
        if !kernel.is_available() {
            return Err(Error::unsupported(kernel));
        }
        self.kernel = Some(kernel);
        Ok(self)
    }

    /// A reader of `source`.
    pub fn build<R: Read>(&self, source: R) -> Reader<R> {
        let capacity = self.buffer_capacity;
        let mut decoder =
            Decoder::with_limits(self.limits).keeping_raw(self.keep_raw);
        if let Some(kernel) = self.kernel {
            // It was available before, and still is.
            let _ = decoder.set_kernel(kernel);
        }
        Reader {
            source,
            state: State::Open,
            buffer: Buffer::new(capacity, self.limits.line_cap()),
            splitter: Splitter::with_limits(self.limits)
                .starting_at(self.start),
            gate: Gate::new(self.limits)
                .starting_at(self.start)
                .skipping_noise(self.skip_noise && !self.salvage),
            decoder,
            routing: self.route,
            salvage: self.salvage.then(|| Salvage::new(self.skip_noise)),
            damaged: None,
        }
    }

    /// A reader of the file at `path`.
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
}
