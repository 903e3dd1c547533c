use std::{
    collections::VecDeque,
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use linetape::{Error, ErrorKind};
use linetape_flow::Decompressed;

use crate::{batches::Batches, options::Options, table::Table};

/// Returns the logs that a path names: the file itself, or all logs in a
/// folder and below it, by the rule of [`linetape_flow::logs`].
///
/// # Errors
///
/// Returns an error if the path does not exist, if it is a pipe or a device, if
/// a folder cannot be listed, or if a folder has no logs: an empty answer would
/// look like an answer.
///
/// # Example
///
/// This shows that a missing folder is an error.
///
/// ```
/// assert!(linetape_arrow::log_files("no/such/folder").is_err());
/// ```
pub fn log_files(path: impl AsRef<Path>) -> Result<Vec<PathBuf>, Error> {
    let path = path.as_ref();
    let shown = path.display();
    let refuse = |why: String| Error::new(ErrorKind::InvalidInput, why);
    match path.metadata() {
        Err(error) => Err(refuse(format!("cannot read {shown}: {error}"))),
        Ok(facts) if facts.is_file() => Ok(vec![path.to_path_buf()]),
        // A pipe has no size, so that nothing of it would be read.
        Ok(facts) if !facts.is_dir() => {
            Err(refuse(format!("{shown}: not a regular file")))
        }
        Ok(_) => {
            let logs = linetape_flow::logs(path)
                .map_err(|error| refuse(format!("cannot read {error}")))?;
            if logs.is_empty() {
                let why = "no *.jsonl or *.ndjson files in this folder";
                return Err(refuse(format!("{shown}: {why}")));
            }
            Ok(logs)
        }
    }
}

/// Reads several logs, one after the other, as the batches of a table.
///
/// # Example
///
/// This shows how to count the rows of all logs in a folder.
///
/// ```no_run
/// use linetape_arrow::{LogReader, Options, Table};
///
/// let mut rows = 0;
/// for batch in LogReader::open(&["logs"], Table::Lines, &Options::default())? {
///     rows += batch?.num_rows();
/// }
/// println!("{rows}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LogReader {
    files: VecDeque<PathBuf>,
    table: Table,
    options: Options,
    columns: Vec<usize>,
    schema: SchemaRef,
    current: Option<Batches<Decompressed<File>>>,
    bad_lines: u64,
}

impl LogReader {
    /// Creates a reader of files and folders. Folders are listed now, and
    /// files are opened later.
    ///
    /// # Errors
    ///
    /// Returns the error of [`log_files`].
    pub fn open(
        paths: &[impl AsRef<Path>],
        table: Table,
        options: &Options,
    ) -> Result<LogReader, Error> {
        let mut files = VecDeque::new();
        for path in paths {
            files.extend(log_files(path)?);
        }
        let schema = table.schema();
        Ok(LogReader {
            files,
            table,
            options: options.clone(),
            columns: (0..schema.fields().len()).collect(),
            schema,
            current: None,
            bad_lines: 0,
        })
    }

    /// Sets the columns: see [`Batches::columns`].
    ///
    /// # Errors
    ///
    /// Returns an error if the table has no column with one of the indexes.
    pub fn columns(self, indexes: &[usize]) -> Result<LogReader, ArrowError> {
        let schema = Arc::new(self.table.schema().project(indexes)?);
        Ok(LogReader { schema, columns: indexes.to_vec(), ..self })
    }

    /// Returns the number of lines so far that could not be read.
    pub fn bad_lines(&self) -> u64 {
        let current = self.current.as_ref().map_or(0, Batches::bad_lines);
        self.bad_lines + current
    }

    fn next_file(&mut self, path: &Path) -> Result<(), ArrowError> {
        let batches = Batches::open(path, self.table, &self.options);
        let batches = batches
            .map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
        self.current = Some(batches.columns(&self.columns)?);
        Ok(())
    }
}

impl Iterator for LogReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        loop {
            match self.current.as_mut().and_then(Batches::next) {
                Some(Ok(batch)) => return Some(Ok(batch)),
                Some(Err(error)) => {
                    // The rest would be an answer with a gap in it.
                    self.files.clear();
                    return Some(Err(error));
                }
                None => {}
            }
            let done = self.current.take();
            self.bad_lines += done.map_or(0, |done| done.bad_lines());
            let path = self.files.pop_front()?;
            if let Err(error) = self.next_file(&path) {
                self.files.clear();
                return Some(Err(error));
            }
        }
    }
}

impl RecordBatchReader for LogReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
