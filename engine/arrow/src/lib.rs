/*!
Agent logs as Arrow tables and Parquet files.

- [`Table`] is one of three tables with a fixed schema: `lines`, `blocks` and
  `usage_lines`.
- [`Batches`] reads one log as a table, from a file, a range of a file, or any
  source of bytes. [`LogReader`] reads several logs and folders. Both are
  `RecordBatchReader`s.
- [`Wanted`] says which rows are needed, so that other lines are skipped early.
- [`write_parquet`] and [`ParquetWriter`] write Parquet files, and
  [`ParquetTable`] reads those of this and older versions.

```text
bytes ──► lines ──► Wanted: skip ──► check ──► columns ──► RecordBatch
                    by kind, session           only those
                    and time                   asked for
```

# Rows

`lines` has one row for each line that is not blank, in the order of the file.
A message that is nested in a line (of a sub-agent, in a `progress` line) is a
row of its own after it: `file` and `offset` are those of its line, and `nested`
is its number there. `nested` is NULL for lines themselves. A line that cannot
be read is a row with `error` set.

`blocks` has one row for each content block, and `usage_lines` one for each line
that reports the token usage of a message of the model. A line of such a message
that does not report it is a row there with only its place and `key`: see
[`Table::UsageLines`].

[`UsagePart`] has the token usage of messages that are on several lines, or copies
of each other: each counts once, by the rule of linetape-session.

The cost and the duration of a `cost-state` line are those of the whole session
so far. Without a total, the cost is that of all models.

A count of tokens or requests above 2^53 - 1 is NULL, and its line is counted as
one that could not be read: no program writes one, and a sum of columns could
overflow.
*/
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

mod batches;
mod builders;
mod columns;
mod files;
mod fill;
mod options;
mod parquet_file;
mod row;
mod table;
mod usage_part;
mod wanted;

pub use batches::Batches;
pub use columns::MAX_COUNT;
pub use files::{LogReader, log_files};
pub use options::{OnError, Options};
pub use parquet_file::{
    ParquetTable, ParquetWriter, SCHEMA_VERSION, write_parquet,
};
pub use table::Table;
pub use usage_part::{UsageMessage, UsagePart};
pub use wanted::Wanted;
