use std::{fs::File, io::Write, sync::Arc};

use arrow_array::{
    ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader,
    new_null_array,
};
use arrow_schema::{ArrowError, SchemaRef};
use linetape::{Error, ErrorKind};
use parquet::{
    arrow::{
        ArrowWriter,
        arrow_reader::{
            ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
        },
    },
    basic::{Compression, ZstdLevel},
    file::{metadata::KeyValue, properties::WriterProperties},
};

use crate::table::Table;

/// The version of the schemas. It grows if a column is added, or if values get
/// another meaning: from 3 on, `level` of `usage_lines` is from 0 to 4, not 2, and
/// from 4 on, 3 is a mirrored line, and 2 one without a request id. From 5 on,
/// `usage_lines` has rows for lines without usage.
pub const SCHEMA_VERSION: u32 = 5;

const SCHEMA: &str = "linetape.schema";
const TABLE: &str = "linetape.table";
const VERSION: &str = "linetape.version";

/// The size of a row group in bytes, before compression. `raw` is heavy, so
/// rows say little about memory.
const ROW_GROUP: usize = 64 << 20;

/// Writes batches as a Parquet file: with zstd, and with the version of the
/// schema in its metadata. Returns the number of rows.
///
/// # Errors
///
/// Returns the first error of reading or writing.
///
/// # Costs
///
/// Memory is about one row group: 64 MiB.
///
/// # Example
///
/// This shows how to convert a folder.
///
/// ```no_run
/// use linetape_arrow::{LogReader, Options, Table, write_parquet};
///
/// let logs = LogReader::open(&["logs"], Table::Lines, &Options::default())?;
/// let file = std::fs::File::create("lines.parquet")?;
/// let rows = write_parquet(logs, Some(Table::Lines), file)?;
/// println!("{rows} rows");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_parquet(
    batches: impl RecordBatchReader,
    table: Option<Table>,
    to: impl Write + Send,
) -> Result<u64, ArrowError> {
    let schema = batches.schema();
    let mut writer = ParquetWriter::new(schema, table, to)?;
    for batch in batches {
        writer.write(&batch?)?;
    }
    writer.finish()
}

/// Writes a Parquet file batch by batch: see [`write_parquet`].
///
/// # Example
///
/// This shows how to write a file in memory.
///
/// ```
/// use arrow_array::RecordBatch;
/// use linetape_arrow::{ParquetWriter, Table};
///
/// let mut file = vec![];
/// let schema = Table::Lines.schema();
/// let mut writer =
///     ParquetWriter::new(schema.clone(), Some(Table::Lines), &mut file)?;
/// writer.write(&RecordBatch::new_empty(schema))?;
/// assert_eq!(writer.finish()?, 0);
/// assert!(file.starts_with(b"PAR1"));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
pub struct ParquetWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    rows: u64,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Creates a writer of batches with a schema. `table` is the table that
    /// the rows are from, if they have its columns.
    ///
    /// # Errors
    ///
    /// Returns an error if Parquet has no type for a column.
    pub fn new(
        schema: SchemaRef,
        table: Option<Table>,
        to: W,
    ) -> Result<ParquetWriter<W>, ArrowError> {
        let pair =
            |key: &str, value: String| KeyValue::new(key.to_string(), value);
        let version = env!("CARGO_PKG_VERSION").to_string();
        let mut facts = vec![pair(VERSION, version)];
        if let Some(table) = table {
            facts.push(pair(SCHEMA, SCHEMA_VERSION.to_string()));
            facts.push(pair(TABLE, table.name().to_string()));
        }
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_bytes(Some(ROW_GROUP))
            .set_key_value_metadata(Some(facts))
            .build();
        let writer = ArrowWriter::try_new(to, schema, Some(properties))?;
        Ok(ParquetWriter { writer, rows: 0 })
    }

    /// Writes a batch.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.writer.write(batch)?;
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    /// Writes the end of the file, and returns the number of rows.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails. The file is not complete then.
    pub fn finish(self) -> Result<u64, ArrowError> {
        self.writer.close()?;
        Ok(self.rows)
    }
}

impl<W: Write + Send> std::fmt::Debug for ParquetWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ParquetWriter {{ rows: {} }}", self.rows)
    }
}

/// Reads a Parquet file that [`write_parquet`] has written, also an older one:
/// the batches have the schema of this version, and columns that the file does
/// not have are NULL. Values are as they were written: see
/// [`schema_version`](ParquetTable::schema_version).
///
/// # Example
///
/// This shows how to read a table.
///
/// ```no_run
/// use linetape_arrow::ParquetTable;
///
/// let file = std::fs::File::open("lines.parquet")?;
/// for batch in ParquetTable::open(file)? {
///     println!("{} rows", batch?.num_rows());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ParquetTable {
    table: Table,
    version: u32,
    schema: SchemaRef,
    batches: ParquetRecordBatchReader,
}

impl ParquetTable {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a Parquet file, if it does not say
    /// which table it has, or if a newer version of linetape has written it.
    pub fn open(file: File) -> Result<ParquetTable, ArrowError> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
        let facts = builder.metadata().file_metadata().key_value_metadata();
        let fact = |key: &str| {
            let mut facts = facts.into_iter().flatten();
            facts.find(|fact| fact.key == key)?.value.as_deref()
        };
        let refuse = |why: String| {
            ArrowError::ExternalError(Box::new(Error::new(
                ErrorKind::InvalidInput,
                why,
            )))
        };
        let (Some(table), Some(version)) = (fact(TABLE), fact(SCHEMA)) else {
            let why = "the file does not say which table of linetape it has";
            return Err(refuse(why.to_string()));
        };
        let table: Table =
            table.parse().map_err(|error: Error| refuse(error.to_string()))?;
        let known = 1..=SCHEMA_VERSION;
        let parsed = version.parse().ok().filter(|v| known.contains(v));
        let Some(version) = parsed else {
            return Err(refuse(format!(
                "the file has version {version} of the schema, and this \
                 linetape knows version {SCHEMA_VERSION}"
            )));
        };
        let schema = table.schema();
        let batches = builder.build()?;
        Ok(ParquetTable { table, version, schema, batches })
    }

    /// Returns the table that the file has.
    pub fn table(&self) -> Table {
        self.table
    }

    /// Returns the version of the schema that the file was written with. In an older
    /// one, some values have another meaning: see [`SCHEMA_VERSION`].
    pub fn schema_version(&self) -> u32 {
        self.version
    }

    fn fitted(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let rows = batch.num_rows();
        let fields = self.schema.fields().iter();
        let columns: Vec<ArrayRef> = fields
            .map(|field| match batch.column_by_name(field.name()) {
                Some(column) => Arc::clone(column),
                None => new_null_array(field.data_type(), rows),
            })
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::clone(&self.schema);
        RecordBatch::try_new_with_options(schema, columns, &options)
    }
}

impl Iterator for ParquetTable {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let batch = self.batches.next()?;
        Some(batch.and_then(|batch| self.fitted(&batch)))
    }
}

impl RecordBatchReader for ParquetTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl std::fmt::Debug for ParquetTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ParquetTable {{ table: {} }}", self.table)
    }
}
