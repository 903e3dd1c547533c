/*!
Provides sources and sinks of logs for [linetape].

- [`logs`] returns the log files of a folder, or the file that is named.
- [`open`] opens a file that may be compressed with gzip or zstd, and
  [`open_range`] a range of it. [`Decompressed`] decompresses any source.
- [`Parallel`] reads logs on several threads, by default one per core, up to 8.
- [`Follow`] reads a growing log, or all logs of a folder, and can resume from a
  [`Checkpoint`]. [`Checkpoints`] stores checkpoints in a file.
- [`Router`] splits a stream into the files of a folder, by session, kind or
  another key.
- `LineCodec` and `LineStream` split asynchronous sources into lines, with the
  feature `tokio`.

# Crate features

All are off by default. Each can be enabled alone.

- `gzip`: reads gzip, with zlib-rs, which is written in Rust.
- `zstd`: reads zstd.
- `tokio`: lines of asynchronous sources, for tokio-util's `FramedRead` and for
  any `Stream` of bytes.
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

mod array;
#[cfg(feature = "tokio")]
mod asynchronous;
mod checkpoints;
mod decompress;
mod disk;
mod error;
mod files;
mod follow;
mod open;
mod parallel;
mod read_at;
mod router;

#[cfg(feature = "tokio")]
pub use asynchronous::{LineCodec, LineStream};
pub use checkpoints::Checkpoints;
pub use decompress::{Decompressed, Format};
pub use files::{Logs, has_better_copy, is_log, logs};
pub use follow::{Checkpoint, Event, Follow};
pub use open::{open, open_range};
pub use parallel::{BlockReader, BlockSource, Input, Parallel, Part, Source};
pub use router::Router;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
