/*!
Every source of logs for [linetape]: folders, all cores, compressed
files, asynchronous streams, logs that grow. And a way out again: files by
session or kind.

- [`logs`] returns the log files of a folder.
- [`open`] opens a file that may be compressed, and [`open_range`] a range of it.
  [`Decompressed`] does the same for any source.
- [`Parallel`] reads logs on several threads.
- [`Follow`] reads a log that grows, or all logs of a folder, and goes on after
  a [`Checkpoint`]. [`Checkpoints`] is a file of them.
- [`Router`] splits a stream into the files of a folder.
- `LineCodec` and `LineStream` split asynchronous sources into lines, with the
  feature `tokio`.

# Crate features

All are off by default, and each can be on by itself.

- `gzip`: reads gzip, with zlib-rs, which is written in Rust.
- `zstd`: reads zstd. This compiles a library in C.
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

#[cfg(feature = "tokio")]
mod asynchronous;
mod checkpoints;
mod decompress;
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
pub use files::{Logs, is_log, logs};
pub use follow::{Checkpoint, Event, Follow};
pub use open::{open, open_range};
pub use parallel::{BlockReader, BlockSource, Input, Parallel, Part, Source};
pub use router::Router;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
