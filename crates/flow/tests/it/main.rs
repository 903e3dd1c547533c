//! The tests of linetape-flow.

mod support;

#[cfg(all(feature = "gzip", feature = "zstd"))]
mod compressed;
mod files;
mod parallel;
#[cfg(all(feature = "gzip", feature = "zstd"))]
mod programs;
