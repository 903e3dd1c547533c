use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
};

use crate::{
    chunks::Chunks,
    error::{Error, Position},
    framer::Settings,
    level::Level,
    limits::Limits,
    lines::LineRange,
    reader::Reader,
    scan::{Kernel, Scanner},
    slice::Lines,
};
#[cfg(doc)]
use crate::{line::Line, lines::Stats, record::Record};

/// Configures and builds a [`Reader`], [`Lines`] or [`Chunks`].
///
/// All three have the same settings, except that
/// [`buffer_capacity`](ReaderBuilder::buffer_capacity) applies to a
/// [`Reader`] only. The settings cannot be changed after building. A builder
/// can be used several times.
///
/// # Example
///
/// This shows how to build all three with the same settings.
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
    /// Creates a builder with the default settings.
    pub fn new() -> ReaderBuilder {
        let settings = Settings::default();
        ReaderBuilder { settings, buffer_capacity: 128 << 10 }
    }

    /// Sets all [`Limits`].
    pub fn limits(mut self, limits: Limits) -> ReaderBuilder {
        self.settings.limits = limits;
        self
    }

    /// Sets [`Limits::max_line`], the maximum length of a line in bytes.
    pub fn max_line(mut self, bytes: usize) -> ReaderBuilder {
        self.settings.limits.max_line = bytes;
        self
    }

    /// Sets the initial size of a [`Reader`]'s buffer in bytes, 128 KiB by
    /// default.
    ///
    /// The buffer grows for a line that does not fit, and shrinks again
    /// afterwards.
    pub fn buffer_capacity(mut self, bytes: usize) -> ReaderBuilder {
        self.buffer_capacity = bytes;
        self
    }

    /// Sets [`Limits::max_depth`], the maximum depth of nesting.
    pub fn max_depth(mut self, levels: usize) -> ReaderBuilder {
        self.settings.limits.max_depth = levels;
        self
    }

    /// Sets [`Limits::max_nodes`], the maximum number of values and keys in a
    /// line.
    pub fn max_nodes(mut self, nodes: usize) -> ReaderBuilder {
        self.settings.limits.max_nodes = nodes;
        self
    }

    /// Skips bad lines and [counts](Stats::errors) them, instead of returning
    /// their errors. Off by default.
    ///
    /// With it, `?` in a loop does not stop at the first bad line. Two sorts
    /// of error are still returned: those that are not
    /// [recoverable](Error::is_recoverable), and `WouldBlock` or `TimedOut`
    /// from the source.
    ///
    /// | method | skips |
    /// |---|---|
    /// | `next_record`, `into_messages` | every line that cannot be decoded |
    /// | `next_line`, `next_where` | lines for which they would return an error: those that are too long or in UTF-16 |
    ///
    /// The methods in the first row check each line before they decode it,
    /// which takes about 40 % more time on transcripts and 50 % more on
    /// stream-json. The methods in the second row do not check lines, so
    /// [`Line::kind`] or [`Line::decode`] may still return an error. The stats
    /// count each bad line once.
    ///
    /// # Example
    ///
    /// This shows how to read all good records of a log, and count the rest.
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

    /// Skips lines whose first character after whitespace is not `{`, and
    /// [counts](Stats::noise) them. Off by default.
    ///
    /// Logs can contain such lines, for example warnings of a shell.
    pub fn skip_noise(mut self, skip: bool) -> ReaderBuilder {
        self.settings.skip_noise = skip;
        self
    }

    /// Skips the lines of a JSON document over several lines, except for the
    /// first one, which is an error, and those that are objects by themselves.
    /// [`Reader`] has the rules. Off by default, when only `next_record` and
    /// `into_messages` do so. Has no effect with
    /// [`salvage`](ReaderBuilder::salvage), which searches each line.
    ///
    /// A range that begins within a document returns the rest of its lines.
    ///
    /// # Example
    ///
    /// This shows that the records after a document are read.
    ///
    /// ```
    /// use linetape::Reader;
    ///
    /// let log = b"{\n  \"a\": [\n    1\n  ]\n}\n{\"type\":\"user\"}\n";
    /// let mut lines = Reader::builder().skip_documents(true).lines(log);
    /// let error = lines.next_line().unwrap()?.kind().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 1 (byte 1): invalid JSON: it does not end on its line; expected \
    ///      one object on each line"
    /// );
    /// let line = lines.next_line().unwrap()?;
    /// assert!(line.kind()?.is("user"));
    /// assert_eq!(line.number(), 6);
    /// assert_eq!(lines.stats().document_lines, 4);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn skip_documents(mut self, skip: bool) -> ReaderBuilder {
        self.settings.skip_documents = skip;
        self
    }

    /// Recovers the whole records of damaged lines. Off by default: a damaged
    /// line is returned unchanged, and cannot be decoded.
    ///
    /// Lines are damaged when two programs write to one file, or when a
    /// program is stopped while it writes. Such a line may contain several
    /// records, a torn record before a whole one, runs of NUL, or noise before
    /// a record. Each whole record is returned as a line, with the number of
    /// the line that contains it and its own offset. Records are slices of the
    /// line; no text is made up.
    ///
    /// Bytes of the line that are in no record are lost. For each line that
    /// loses bytes, one error is returned and [counted](Stats::errors), with
    /// the offset of the first lost byte. [`Stats::salvaged`] counts the
    /// recovered records, and [`Stats::lost`] the lost bytes.
    ///
    /// Every line is checked as by [`Line::check`], so every line that is
    /// returned can be decoded. A line that is too long is not searched. While
    /// the records of a line are returned, [`Reader::position`] is the start
    /// of the next line.
    ///
    /// After a torn record it can be unclear whether an object was part of it:
    /// in `{"a":{"b":1}`, the inner object may be a member or a record. These
    /// heuristics decide:
    ///
    /// - An object with a string `type` and a key that only records have, such
    ///   as `uuid` or `session_id`, is a record. The type does not have to be
    ///   a known one.
    /// - An object without `type` at the end of a torn record is a record if
    ///   both have the same first key.
    /// - Any other object is not a record if it appears to be a member or an
    ///   item, for example between `[` and `]`.
    ///
    /// # Example
    ///
    /// This shows a line with a torn record and two whole ones.
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

    /// Copies a line that cannot be decoded into the error, for
    /// [`Error::raw`]. Off by default, because it allocates.
    ///
    /// The bytes of a decoded line are always available as [`Record::raw`].
    pub fn keep_raw(mut self, keep: bool) -> ReaderBuilder {
        self.settings.keep_raw = keep;
        self
    }

    /// Refuses lines in which an object has the same key twice, with
    /// [`DuplicateKey`](crate::ErrorKind::DuplicateKey) at the second one. Off
    /// by default: then only `type` and `subtype` of the outermost object must
    /// be unique, and of other duplicates the last value counts.
    ///
    /// [`kind`](Line::kind), [`peek`](Line::peek) and
    /// [`projected`](Line::projected) look at the keys of the outermost object;
    /// [`check`](Line::check), [`checked`](Line::checked), `decode` and
    /// `deserialize` at those of all objects. [`skim`](Line::skim) and
    /// [`strings`](Line::strings) do not look at keys. Keys are compared
    /// unescaped.
    ///
    /// Takes another pass over the line, and O(n log n) for the n keys of an
    /// object, so that a check takes three to six times as long.
    ///
    /// # Example
    ///
    /// This shows which key is refused.
    ///
    /// ```
    /// use linetape::Reader;
    ///
    /// let log = b"{\"type\":\"user\",\"a\":{\"x\":1,\"\\u0078\":2}}\n";
    /// let mut lines = Reader::builder().reject_duplicate_keys(true).lines(log);
    /// let line = lines.next_line().unwrap()?;
    /// assert!(line.kind()?.is("user"));
    /// assert_eq!(
    ///     line.check().unwrap_err().to_string(),
    ///     "line 1 (byte 26): duplicate key, at `\\u0078`"
    /// );
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn reject_duplicate_keys(mut self, reject: bool) -> ReaderBuilder {
        self.settings.reject_duplicate_keys = reject;
        self
    }

    /// Sets what each line is prepared for while its end is found:
    /// [`Level::Line`], which is nothing, by default.
    ///
    /// This is a speed setting. It changes no result.
    pub fn level(mut self, level: Level) -> ReaderBuilder {
        self.settings.level = level;
        self
    }

    /// Treats the source as the tail of a larger stream that begins at
    /// `start`, the start of a line.
    ///
    /// Use `start` to resume at the [position](Reader::position) of an earlier
    /// reader. Line numbers and offsets are those of the larger stream.
    /// [`Reader::stats`] counts only what the new reader has read.
    ///
    /// This setting does not seek: pass a source that is already at `start`.
    /// [`open`](ReaderBuilder::open) and
    /// [`build_range`](ReaderBuilder::build_range) read from byte 0, so use
    /// [`build`](ReaderBuilder::build) instead.
    ///
    /// Calling `start` clears a [`range`](ReaderBuilder::range) that was set
    /// before. If you do not know where a line begins, use `range` instead.
    ///
    /// If the last line had [no newline](Line::is_terminated) yet, resume at
    /// the start of that line: its writer may not have finished it.
    ///
    /// # Example
    ///
    /// This shows how to read the new lines of a log.
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
        self.settings.range = LineRange::WHOLE;
        self
    }

    /// Reads the lines of a range of bytes.
    ///
    /// **A line belongs to the range that contains its first byte**, and is
    /// read to its end, which may be after the range. So if a log is divided
    /// into ranges, each line is read exactly once, wherever the ranges begin.
    /// A BOM counts as part of the first line. A range that is within one line
    /// has no lines.
    ///
    /// Offsets are those of the whole stream. [`Position::line`] is 0
    /// (unknown), unless the range begins at 0 or
    /// [`first_number`](ReaderBuilder::first_number) is set.
    /// [`Reader::stats`] counts the lines of the range, so the sum over all
    /// ranges is that of the whole.
    ///
    /// | method | what to pass |
    /// |---|---|
    /// | [`open`](ReaderBuilder::open), [`build_range`](ReaderBuilder::build_range), [`lines`](ReaderBuilder::lines) | the whole stream |
    /// | [`build`](ReaderBuilder::build), [`chunks`](ReaderBuilder::chunks) | the stream from byte `range.start - 1` (or 0) to its end. The extra byte shows whether a line starts exactly at the range. Do not cut the source at the end of the range: the last line may extend beyond it |
    ///
    /// A file may grow or shrink after it was divided. If the last line of a
    /// range has grown, all of it is read. Lines appended after the last range
    /// are not read, unless that range ends at `u64::MAX`. A range after the
    /// end of the file has no lines.
    ///
    /// A range and a [`start`](ReaderBuilder::start) cannot be combined: the
    /// later call replaces the earlier one.
    ///
    /// # Costs
    ///
    /// Finding the first line takes O(length of the range) at most, even in
    /// the middle of a very long line. A [`Reader`] reads at most 16 KiB more
    /// than the lines of the range.
    ///
    /// # Example
    ///
    /// This shows how to read a log in two ranges.
    ///
    /// ```
    /// use linetape::Reader;
    /// use std::io::Cursor;
    ///
    /// let log = b"{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
    /// let mut found = vec![];
    /// for range in [0..10, 10..24] {
    ///     let builder = Reader::builder().range(range);
    ///     let mut reader = builder.build_range(Cursor::new(log))?;
    ///     while let Some(line) = reader.next_line() {
    ///         found.push(line?.position().to_string());
    ///     }
    /// }
    /// let expected = ["line 1 (byte 0)", "line 2 (byte 8)", "byte 16"];
    /// assert_eq!(found, expected);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn range(mut self, range: Range<u64>) -> ReaderBuilder {
        self.settings.range = LineRange::new(range);
        self
    }

    /// Sets the number of the first line of a
    /// [range](ReaderBuilder::range). Has an effect only if the range does not
    /// begin at byte 0. By default, line numbers are unknown (0).
    ///
    /// With 1, line numbers count from the start of the range, and
    /// [`Position::moved_by`] corrects them once the number of lines before it
    /// is known.
    pub fn first_number(mut self, number: u64) -> ReaderBuilder {
        self.settings.first_number = number;
        self
    }

    /// Scans text with `kernel` instead of the best kernel that the CPU
    /// supports. All kernels return the same results.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Unsupported`] if the CPU does not support the
    /// kernel.
    ///
    /// [`ErrorKind::Unsupported`]: crate::ErrorKind::Unsupported
    #[doc(hidden)]
    pub fn kernel(mut self, kernel: Kernel) -> Result<ReaderBuilder, Error> {
        match Scanner::new(kernel) {
            Some(scanner) => self.settings.scanner = Some(scanner),
            None => return Err(kernel.unsupported()),
        }
        Ok(self)
    }

    /// Creates a reader of `source`. If a [range](ReaderBuilder::range) is
    /// set, the source must begin one byte before the range, or at 0.
    pub fn build<R: Read>(&self, source: R) -> Reader<R> {
        Reader::with_settings(source, self.buffer_capacity, &self.settings)
    }

    /// Seeks `source` to one byte before the [range](ReaderBuilder::range), or
    /// to 0, and creates a reader of the range.
    ///
    /// Without a range, the source is read from byte 0, even if a
    /// [start](ReaderBuilder::start) is set.
    ///
    /// # Errors
    ///
    /// Returns an error if the source cannot seek.
    pub fn build_range<R: Read + Seek>(
        &self,
        mut source: R,
    ) -> Result<Reader<R>, Error> {
        let first = self.settings.range.first_byte();
        match source.seek(SeekFrom::Start(first)) {
            Ok(_) => Ok(self.build(source)),
            Err(error) => Err(Error::io(error, Position::new(0, first))),
        }
    }

    /// Opens the file at `path`, and creates a reader of the whole file, or of
    /// the [range](ReaderBuilder::range) if one is set.
    ///
    /// This does not seek to a [start](ReaderBuilder::start): to resume there,
    /// open the file, seek, and call [`build`](ReaderBuilder::build).
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened, or cannot seek to the
    /// range.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Reader<File>, Error> {
        let path = path.as_ref();
        match File::open(path) {
            // A pipe cannot seek, and is read as a whole.
            Ok(file) if self.settings.range == LineRange::WHOLE => {
                Ok(self.build(file))
            }
            Ok(file) => self.build_range(file),
            Err(error) => Err(Error::open(path, error)),
        }
    }

    /// Creates a reader of a byte slice. It does not copy the lines. If a
    /// [range](ReaderBuilder::range) is set, the slice is the whole stream.
    pub fn lines<'d>(&self, bytes: &'d [u8]) -> Lines<'d> {
        Lines::with_settings(bytes, &self.settings)
    }

    /// Creates a [`Chunks`], to which the caller pushes bytes. If a
    /// [range](ReaderBuilder::range) is set, they must begin one byte before
    /// the range, or at 0.
    pub fn chunks(&self) -> Chunks {
        Chunks::with_settings(&self.settings)
    }
}
