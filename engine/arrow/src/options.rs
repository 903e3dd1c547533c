use std::str::FromStr;

use linetape::{Error, ErrorKind, Level, ReaderBuilder};

use crate::{columns::Depth, table::Table, wanted::Wanted};

/// What becomes of a line that cannot be read.
///
/// # Example
///
/// This shows the names of the settings.
///
/// ```
/// use linetape_arrow::OnError;
///
/// assert_eq!("skip".parse::<OnError>()?, OnError::Skip);
/// assert!("ignore".parse::<OnError>().is_err());
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnError {
    /// It is a row of `lines` with `error` set, and all columns that are read
    /// from the line are NULL. The other tables have no row for it.
    #[default]
    Row,
    /// It is skipped, and counted: see [`Batches::bad_lines`].
    ///
    /// [`Batches::bad_lines`]: crate::Batches::bad_lines
    Skip,
    /// Reading ends with its error.
    Fail,
}

impl OnError {
    /// Returns the name of the setting.
    pub fn as_str(self) -> &'static str {
        match self {
            OnError::Row => "row",
            OnError::Skip => "skip",
            OnError::Fail => "fail",
        }
    }
}

impl FromStr for OnError {
    type Err = Error;

    /// Parses `row`, `skip` or `fail`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`](linetape::ErrorKind::InvalidInput) for any
    /// other text.
    fn from_str(name: &str) -> Result<OnError, Error> {
        let mut all = [OnError::Row, OnError::Skip, OnError::Fail].into_iter();
        all.find(|on_error| on_error.as_str() == name).ok_or_else(|| {
            let why = format!("on_error is row, skip or fail, not `{name}`");
            Error::new(ErrorKind::InvalidInput, why)
        })
    }
}

/// How logs become batches.
///
/// # Example
///
/// This shows how to get small batches.
///
/// ```
/// use linetape_arrow::{OnError, Options};
///
/// let options = Options {
///     batch_rows: 100,
///     on_error: OnError::Fail,
///     ..Options::default()
/// };
/// assert_eq!(options.batch_bytes, 4 << 20);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// What becomes of a line that cannot be read.
    pub on_error: OnError,
    /// The maximum number of rows of a batch.
    pub batch_rows: usize,
    /// The number of bytes of text after which a batch ends. A row is never
    /// divided, so a batch can be larger by one row.
    pub batch_bytes: usize,
    /// How lines are found, and their limits.
    pub reader: ReaderBuilder,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            on_error: OnError::Row,
            batch_rows: 8192,
            batch_bytes: 4 << 20,
            reader: ReaderBuilder::new(),
        }
    }
}

impl Options {
    /// Returns how lines are found for some columns of a table, as indexes in
    /// its schema: what is needed of most lines is done in the same pass, see
    /// [`Level`].
    ///
    /// # Example
    ///
    /// This shows how to count the lines of a log by type.
    ///
    /// ```
    /// use linetape_arrow::{Batches, Options, Table, Wanted};
    ///
    /// let (table, wanted) = (Table::Lines, Wanted::default());
    /// let columns = [table.schema().index_of("type")?];
    /// let options = Options::default();
    /// let reader = options.reader_for(table, &columns, &wanted);
    /// let log = &b"{\"type\":\"user\"}\n"[..];
    /// let batches =
    ///     Batches::new(reader.build(log), "memory", table, &options);
    /// assert_eq!(batches.columns(&columns)?.count(), 1);
    /// # Ok::<(), arrow_schema::ArrowError>(())
    /// ```
    pub fn reader_for(
        &self,
        table: Table,
        columns: &[usize],
        wanted: &Wanted,
    ) -> ReaderBuilder {
        let all = table.columns();
        let is_narrow = columns.iter().all(|index| {
            all.get(*index).is_some_and(|column| column.depth < Depth::Message)
        });
        match wanted.has_kinds() || is_narrow {
            true => self.reader.clone().level(Level::Kind),
            false => self.reader_of(table),
        }
    }

    /// Returns how the lines of a table are found. Most lines have no rows in
    /// the narrow tables, so their kind is found first.
    pub(crate) fn reader_of(&self, table: Table) -> ReaderBuilder {
        match table {
            Table::Lines => self.reader.clone().level(Level::Checked),
            _ => self.reader.clone().level(Level::Kind),
        }
    }
}
