use std::{mem, sync::Arc};

use arrow_array::{
    ArrayRef, RecordBatch, RecordBatchOptions,
    builder::{
        BinaryBuilder, BooleanBuilder, Float64Builder, Int64Builder,
        StringBuilder, TimestampMillisecondBuilder,
    },
};
use arrow_schema::{ArrowError, SchemaRef};

use crate::{
    columns::{Column, Read, int},
    row::Row,
    table::UTC,
};

/// Collects the rows of one batch, with only the columns that are asked for.
pub(crate) struct Builders {
    schema: SchemaRef,
    columns: Vec<Builder>,
    rows: usize,
}

enum Builder {
    Str(for<'r, 'l> fn(&Row<'r, 'l>) -> Option<&'l str>, StringBuilder),
    Text(fn(&Row<'_, '_>, &mut StringBuilder), StringBuilder),
    Bytes(for<'r> fn(&Row<'r, '_>) -> Option<&'r [u8]>, BinaryBuilder),
    Int(fn(&Row<'_, '_>) -> Option<i64>, Int64Builder),
    Count(fn(&Row<'_, '_>) -> Option<u64>, Int64Builder),
    Float(fn(&Row<'_, '_>) -> Option<f64>, Float64Builder),
    Bool(fn(&Row<'_, '_>) -> Option<bool>, BooleanBuilder),
    Time(fn(&Row<'_, '_>) -> Option<i64>, TimestampMillisecondBuilder),
}

impl Builder {
    fn new(column: &Column) -> Builder {
        match column.read {
            Read::Str(read) => Builder::Str(read, StringBuilder::new()),
            Read::Text(read) => Builder::Text(read, StringBuilder::new()),
            Read::Bytes(read) => Builder::Bytes(read, BinaryBuilder::new()),
            Read::Int(read) => Builder::Int(read, Int64Builder::new()),
            Read::Count(read) => Builder::Count(read, Int64Builder::new()),
            Read::Float(read) => Builder::Float(read, Float64Builder::new()),
            Read::Bool(read) => Builder::Bool(read, BooleanBuilder::new()),
            Read::Time(read) => Builder::Time(read, times()),
        }
    }

    /// Appends the value of a row. Returns whether the column can have it.
    fn push(&mut self, row: &Row<'_, '_>) -> bool {
        match self {
            Builder::Count(read, to) => {
                let (count, fits) = match read(row) {
                    None => (None, true),
                    Some(count) => (int(count), int(count).is_some()),
                };
                to.append_option(count);
                return fits;
            }
            Builder::Str(read, to) => to.append_option(read(row)),
            Builder::Text(read, to) => read(row, to),
            Builder::Bytes(read, to) => to.append_option(read(row)),
            Builder::Int(read, to) => to.append_option(read(row)),
            Builder::Float(read, to) => to.append_option(read(row)),
            Builder::Bool(read, to) => to.append_option(read(row)),
            Builder::Time(read, to) => to.append_option(read(row)),
        }
        true
    }

    fn text_bytes(&self) -> usize {
        match self {
            Builder::Str(_, text) | Builder::Text(_, text) => {
                text.values_slice().len()
            }
            _ => 0,
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Str(_, text) | Builder::Text(_, text) => {
                Arc::new(text.finish())
            }
            Builder::Bytes(_, bytes) => Arc::new(bytes.finish()),
            Builder::Int(_, numbers) => Arc::new(numbers.finish()),
            Builder::Count(_, numbers) => Arc::new(numbers.finish()),
            Builder::Float(_, numbers) => Arc::new(numbers.finish()),
            Builder::Bool(_, flags) => Arc::new(flags.finish()),
            Builder::Time(_, made) => {
                Arc::new(mem::replace(made, times()).finish())
            }
        }
    }
}

fn times() -> TimestampMillisecondBuilder {
    TimestampMillisecondBuilder::new().with_timezone(UTC)
}

impl Builders {
    pub(crate) fn new<'c>(
        schema: SchemaRef,
        columns: impl Iterator<Item = &'c Column>,
    ) -> Builders {
        let columns = columns.map(Builder::new).collect();
        Builders { schema, columns, rows: 0 }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of bytes of text so far. The other columns take a
    /// few bytes a row.
    pub(crate) fn text_bytes(&self) -> usize {
        self.columns.iter().map(Builder::text_bytes).sum()
    }

    /// Adds a row. Returns whether all of its counts fit into their columns:
    /// those that do not are NULL.
    pub(crate) fn push(&mut self, row: &Row<'_, '_>) -> bool {
        self.rows += 1;
        // Every column needs its value, whether an earlier one fits or not.
        let mut fits = true;
        for column in &mut self.columns {
            fits &= column.push(row);
        }
        fits
    }

    /// Returns the rows so far as a batch, and begins with the next one.
    pub(crate) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let arrays = self.columns.iter_mut().map(Builder::finish).collect();
        // Without columns, the number of rows is all that there is.
        let rows = mem::take(&mut self.rows);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::clone(&self.schema);
        RecordBatch::try_new_with_options(schema, arrays, &options)
    }
}
