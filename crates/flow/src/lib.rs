/*!
Every source of logs for [linetape](linetape): folders, all cores, compressed
files.

- [`logs`] returns the log files of a folder.
- [`Decompressed`] reads the plain text of a stream that may be compressed.

# Crate features

All are off by default.

- `gzip`: reads gzip, with zlib-rs, which is written in Rust.
- `zstd`: reads zstd. This compiles a library in C.
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

mod decompress;
mod files;
mod open;
mod parallel;

pub use decompress::{Decompressed, Format};
pub use files::{Logs, is_log, logs};
pub use open::{open, open_range};
pub use parallel::{BlockReader, BlockSource, Input, Parallel, Part, Source};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
