use std::{
    collections::VecDeque, fs::File, io::Read, ops::Range, path::Path,
    sync::Arc,
};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use linetape::{Error, ErrorKind, Reader};
use linetape_flow::Decompressed;

use crate::{
    builders::Builders,
    columns::Depth,
    fill::{Sink, depth_of},
    options::{OnError, Options},
    row::Place,
    table::Table,
    usage_part::UsagePart,
    wanted::{Needles, Wanted},
};

/// Reads a log as the batches of a table.
///
/// Lines are [checked](linetape::Line::checked) as a whole, and their values
/// are then read on demand: a column that is not asked for costs nothing. A
/// line that cannot be read is a row, is skipped, or ends the batches: see
/// [`OnError`]. An error of the source itself always ends them.
///
/// # Costs
///
/// The reader needs the memory of a [`Reader`]. A batch has at most
/// [`batch_rows`](Options::batch_rows) rows, and ends after
/// [`batch_bytes`](Options::batch_bytes) bytes of text. If a line has many
/// nested messages or content blocks, all of its batches exist at once. They may
/// have 32 MiB of text besides four times the length of the line; with more, the
/// line is one that cannot be read.
///
/// # Example
///
/// This shows how to count the tokens of a log in memory.
///
/// ```
/// use arrow_array::{cast::AsArray, types::Int64Type};
/// use linetape::Reader;
/// use linetape_arrow::{Batches, Options, Table};
///
/// let log = br#"{"type":"assistant","message":{"usage":{"output_tokens":5}}}
/// {"type":"user"}
/// "#;
/// let batches = Batches::new(
///     Reader::new(&log[..]),
///     "memory",
///     Table::Lines,
///     &Options::default(),
/// );
/// let column = Table::Lines.schema().index_of("output_tokens")?;
/// for batch in batches.columns(&[column])? {
///     let tokens = batch?.column(0).as_primitive::<Int64Type>().clone();
///     assert_eq!(tokens.iter().collect::<Vec<_>>(), [Some(5), None]);
/// }
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub struct Batches<R> {
    reader: Reader<R>,
    file: Arc<str>,
    table: Table,
    options: Options,
    wanted: Wanted,
    needles: Needles,
    depth: Depth,
    is_numbered: bool,
    builders: Builders,
    ready: VecDeque<RecordBatch>,
    usage: Option<(u64, UsagePart)>,
    bad_lines: u64,
    cut: Option<Error>,
    has_ended: bool,
}

impl Batches<Decompressed<File>> {
    /// Opens a file that may be compressed. The rows have the path as `file`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened.
    pub fn open(
        path: impl AsRef<Path>,
        table: Table,
        options: &Options,
    ) -> Result<Batches<Decompressed<File>>, Error> {
        let path = path.as_ref();
        let reader = linetape_flow::open(path, &options.reader_of(table))?;
        let file = path.to_string_lossy();
        Ok(Batches::new(reader, &file, table, options))
    }

    /// Opens the lines that begin in a range of a file: see
    /// [`linetape_flow::open_range`]. The column `line` is NULL unless the
    /// range begins with the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened or read.
    pub fn open_range(
        path: impl AsRef<Path>,
        range: Range<u64>,
        table: Table,
        options: &Options,
    ) -> Result<Batches<Decompressed<File>>, Error> {
        let path = path.as_ref();
        let start = range.start;
        let builder = options.reader_of(table);
        let reader = linetape_flow::open_range(path, range, &builder)?;
        let file = path.to_string_lossy();
        let batches = Batches::new(reader, &file, table, options);
        Ok(if start > 0 { batches.without_numbers() } else { batches })
    }
}

impl<R> Batches<R> {
    /// Creates batches of all columns. `file` is the value of that column.
    pub fn new(
        reader: Reader<R>,
        file: &str,
        table: Table,
        options: &Options,
    ) -> Batches<R> {
        let columns = table.columns();
        Batches {
            reader,
            file: file.into(),
            table,
            options: options.clone(),
            wanted: Wanted::default(),
            needles: Needles::of(&Wanted::default()),
            depth: Depth::Message,
            is_numbered: true,
            builders: Builders::new(table.schema(), columns.iter()),
            ready: VecDeque::new(),
            usage: None,
            bad_lines: 0,
            cut: None,
            has_ended: false,
        }
    }

    /// Sets the columns, as indexes in the schema of the table. Only these
    /// are built. There may be none: a batch still has its number of rows.
    ///
    /// # Errors
    ///
    /// Returns an error if the table has no column with one of the indexes.
    pub fn columns(self, indexes: &[usize]) -> Result<Batches<R>, ArrowError> {
        let schema = Arc::new(self.table.schema().project(indexes)?);
        let all = self.table.columns();
        let columns = indexes.iter().filter_map(|index| all.get(*index));
        Ok(Batches {
            depth: depth_of(self.table, columns.clone(), &self.options),
            builders: Builders::new(schema, columns),
            ..self
        })
    }

    /// Sets which rows are needed.
    #[must_use]
    pub fn wanted(self, wanted: Wanted) -> Batches<R> {
        let needles = Needles::of(&wanted);
        Batches { wanted, needles, ..self }
    }

    /// Sets the column `line` to NULL: in a part of a file, the number of a
    /// line is not known.
    #[must_use]
    pub fn without_numbers(self) -> Batches<R> {
        Batches { is_numbered: false, ..self }
    }

    /// Returns the number of lines so far that could not be read, or that have
    /// a count which is too large for its column. Lines that are skipped because
    /// they are not [wanted](Batches::wanted) are not counted.
    pub fn bad_lines(&self) -> u64 {
        self.bad_lines
    }

    /// Returns whether the log could not be read to its end, for example because
    /// it is compressed and was cut off. The place is counted as a bad line, and
    /// how many lines follow is not known.
    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// Returns the error that ended the log early, if any. If it is a wrong checksum,
    /// the rows before it may be wrong.
    pub fn cut(&self) -> Option<&Error> {
        self.cut.as_ref()
    }

    /// Returns the reader of the lines.
    pub fn reader(&self) -> &Reader<R> {
        &self.reader
    }
}

impl<R: Read> Batches<R> {
    /// Reads on until a batch is ready, or until about `bytes` bytes of lines have
    /// been read: then there is no batch yet. Returns `None` at the end of the log.
    ///
    /// If no line is [wanted](Batches::wanted), the iterator reads the whole log
    /// before it returns. This is for threads that have other things to do.
    ///
    /// # Example
    ///
    /// This shows that a log is read in steps.
    ///
    /// ```
    /// use linetape::Reader;
    /// use linetape_arrow::{Batches, Options, Table};
    ///
    /// let log = &b"{\"type\":\"user\"}\n{\"type\":\"user\"}\n"[..];
    /// let (reader, options) = (Reader::new(log), Options::default());
    /// let mut batches = Batches::new(reader, "memory", Table::Lines, &options);
    /// assert!(batches.read_some(10).unwrap()?.is_none());
    /// let batch = batches.read_some(100).unwrap()?.unwrap();
    /// assert_eq!(batch.num_rows(), 2);
    /// assert!(batches.read_some(100).is_none());
    /// # Ok::<(), arrow_schema::ArrowError>(())
    /// ```
    pub fn read_some(
        &mut self,
        bytes: u64,
    ) -> Option<Result<Option<RecordBatch>, ArrowError>> {
        if let Err(error) = self.fill(bytes) {
            self.has_ended = true;
            self.ready.clear();
            return Some(Err(error));
        }
        match self.ready.pop_front() {
            None if self.has_ended => None,
            batch => Some(Ok(batch)),
        }
    }

    /// Reads lines until a batch is ready, the log has ended, or the lines have
    /// `bytes` bytes.
    fn fill(&mut self, bytes: u64) -> Result<(), ArrowError> {
        let mut read = 0;
        while self.ready.is_empty() && !self.has_ended && read < bytes {
            let mut sink = Sink {
                builders: &mut self.builders,
                ready: &mut self.ready,
                usage: &mut self.usage,
                options: &self.options,
                line_bytes: 0,
                rows_before: 0,
                has_large_count: false,
                has_failed: false,
            };
            sink.rows_before = sink.builders.rows();
            let Some(line) = self.reader.next_line() else {
                self.has_ended = true;
                return sink.end(&self.file);
            };
            let mut place = Place { file: &self.file, ..Place::default() };
            let result = match line {
                Ok(line) => {
                    place.offset = line.offset();
                    place.raw = line.as_bytes();
                    place.length = place.raw.len() as u64;
                    read = place.length.saturating_add(read + 1);
                    place.number = self.is_numbered.then(|| line.number());
                    let wanted = (&self.wanted, &self.needles);
                    sink.line(self.table, self.depth, wanted, &line, place)
                        .map_err(|error| (error, place))
                }
                Err(error) => {
                    let position = error.position();
                    place.offset = position.byte();
                    place.length = error.found().unwrap_or(0);
                    read = place.length.saturating_add(read + 1);
                    place.number = self.is_numbered.then(|| position.line());
                    Err((error, place))
                }
            };
            let Err((error, place)) = result else {
                self.bad_lines += u64::from(sink.has_large_count);
                continue;
            };
            // These are not about a line, and do not count as one.
            let is_fatal = error.kind() == ErrorKind::Io || sink.has_failed;
            if is_fatal || self.options.on_error == OnError::Fail {
                return Err(ArrowError::ExternalError(Box::new(error)));
            }
            self.bad_lines += 1;
            // Nothing follows, for example if the rest is not compressed.
            self.has_ended = !error.is_recoverable();
            if self.options.on_error == OnError::Row {
                sink.error(self.table, place, &error)?;
            }
            if self.has_ended {
                sink.end(&self.file)?;
                self.cut = Some(error);
            }
        }
        Ok(())
    }
}

impl<R: Read> Iterator for Batches<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        loop {
            if let Some(batch) = self.read_some(u64::MAX)?.transpose() {
                return Some(batch);
            }
        }
    }
}

impl<R: Read> RecordBatchReader for Batches<R> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.builders.schema())
    }
}

impl<R> std::fmt::Debug for Batches<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batches")
            .field("file", &self.file)
            .field("table", &self.table)
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}
