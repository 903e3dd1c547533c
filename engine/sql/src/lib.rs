/*!
SQL over agent logs, with Apache DataFusion.

- [`context`] creates a context of DataFusion that can read agent logs, and
  [`register`] adds logs to it as tables and views.
- [`LogTable`] is a table for any context of DataFusion.
- [`Meter`] counts what queries read, and what they could not read: [`Problems`].
- With the feature `cluster`, `cluster::connect` creates a context whose queries
  run on a cluster of linetape-cluster.

```text
paths ──► list ──► ranges of bytes ──► lines ──► batches ──► DataFusion
          anew     compressed files    skipped   only the
          each     whole               early     columns
          query                                  asked for
```

| name | rows |
|---|---|
| `lines` | lines, and messages nested in them |
| `blocks` | content blocks |
| `usage_lines` | lines that report token usage |
| `usage_parts` | parts of files, with their token usage: the source of `usage` |
| `usage` | messages of the model, each once, with their tokens |
| `tool_calls` | tool calls, with their results |
| `sessions` | sessions |

A file that is replaced, becomes shorter or is deleted before it has been read
is an error. Lines that are appended during a query are not read. A line that cannot
be read is a row of `lines` with `error` set, and is counted.
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

#[cfg(feature = "cluster")]
pub mod cluster;
mod context;
mod ends;
mod listing;
mod local;
mod local_scan;
mod location;
mod machine;
mod message;
mod meter;
mod metrics;
mod object;
mod opener;
mod pattern;
mod predicate;
mod source;
mod table;
mod usage;
mod views;

pub use context::{Settings, context, register};
pub use machine::obeys_hangup;
pub use message::message;
pub use meter::{Meter, Problems};
pub use source::LogSource;
pub use table::{AgentLogs, LogTable, LogTableFactory};
