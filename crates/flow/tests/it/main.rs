//! The tests of linetape-flow.

mod support;

#[cfg(feature = "tokio")]
mod async_lines;
#[cfg(all(feature = "gzip", feature = "zstd"))]
mod compressed;
mod files;
mod follow;
mod parallel;
#[cfg(all(feature = "gzip", feature = "zstd"))]
mod programs;
