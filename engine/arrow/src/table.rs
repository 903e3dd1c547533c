use std::{fmt, str::FromStr, sync::Arc};

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use linetape::{Error, ErrorKind};

use crate::columns::{Column, Read, blocks, lines, usage};

/// A table of agent logs. Each has a fixed schema, so that a query never
/// depends on what the first lines of a log happen to contain.
///
/// # Example
///
/// This shows the columns of a table.
///
/// ```
/// use linetape_arrow::Table;
///
/// let schema = Table::Lines.schema();
/// assert_eq!(schema.field(0).name(), "file");
/// assert!(schema.field_with_name("output_tokens").is_ok());
/// assert_eq!("blocks".parse::<Table>()?, Table::Blocks);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// One row for each line, and one for each message that is
    /// [nested](linetape::Message::nested) in a line.
    Lines,
    /// One row for each content block of a message.
    Blocks,
    /// One row for each line that reports the token usage of a message, and
    /// one for each answer of an advisor in it. A message is on several lines,
    /// so these rows must not be summed: merge the rows of a `key` first, and
    /// leave out copies. A line of a message that does not report its usage is
    /// a row with its place and `key`, and without a `rank`: it may be the
    /// first one of the message. `key`, `rank`, `level`, `copy_key` and
    /// `other_copy_key` are those of
    /// [`MessageKeys`](linetape_session::MessageKeys), which has the rule.
    UsageLines,
    /// One row for each part of a file that is read, with its token usage: see
    /// [`UsagePart`](crate::UsagePart). How many rows there are depends on how
    /// the files are divided.
    UsageParts,
}

impl Table {
    /// The tables that have a row for each line, block or message.
    pub const ALL: [Table; 3] =
        [Table::Lines, Table::Blocks, Table::UsageLines];

    /// Returns the name of the table in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Table::Lines => "lines",
            Table::Blocks => "blocks",
            Table::UsageLines => "usage_lines",
            Table::UsageParts => "usage_parts",
        }
    }

    /// Returns the schema of the table. Only `file`, `offset` and `length`
    /// are never NULL.
    pub fn schema(self) -> SchemaRef {
        let fields = self.columns().iter().map(|column| {
            let kind = column.data_type();
            Field::new(column.name, kind, column.is_nullable)
        });
        Arc::new(Schema::new(fields.collect::<Vec<Field>>()))
    }

    /// Returns the table whose columns a schema has, with their types, and
    /// perhaps others. `None` if there is no such table.
    ///
    /// # Example
    ///
    /// This shows that a part of a table is not the table.
    ///
    /// ```
    /// use linetape_arrow::Table;
    ///
    /// let schema = Table::Blocks.schema();
    /// assert_eq!(Table::with_columns_of(&schema), Some(Table::Blocks));
    /// let part = schema.project(&[0, 1])?;
    /// assert_eq!(Table::with_columns_of(&part), None);
    /// # Ok::<(), arrow_schema::ArrowError>(())
    /// ```
    pub fn with_columns_of(schema: &Schema) -> Option<Table> {
        let has_all = |table: &Table| {
            table.schema().fields().iter().all(|field| {
                let found = schema.field_with_name(field.name());
                found.is_ok_and(|f| f.data_type() == field.data_type())
            })
        };
        Table::ALL.into_iter().find(has_all)
    }

    pub(crate) fn columns(self) -> &'static [Column] {
        match self {
            Table::Lines => lines::COLUMNS,
            Table::Blocks => blocks::COLUMNS,
            Table::UsageLines => usage::COLUMNS,
            Table::UsageParts => usage::PARTS,
        }
    }
}

impl Column {
    fn data_type(&self) -> DataType {
        match self.read {
            Read::Str(_) | Read::Text(_) => DataType::Utf8,
            Read::Bytes(_) => DataType::Binary,
            Read::Int(_) | Read::Count(_) => DataType::Int64,
            Read::Float(_) => DataType::Float64,
            Read::Bool(_) => DataType::Boolean,
            Read::Time(_) => {
                DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into()))
            }
        }
    }
}

/// The time zone of all timestamps.
pub(crate) const UTC: &str = "+00:00";

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Table {
    type Err = Error;

    /// Parses the name of a table.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`](linetape::ErrorKind::InvalidInput) for any
    /// other text.
    fn from_str(name: &str) -> Result<Table, Error> {
        let mut all = Table::ALL.into_iter().chain([Table::UsageParts]);
        let found = all.find(|table| table.name() == name);
        found.ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidInput,
                format!("there is no table `{name}`"),
            )
        })
    }
}
