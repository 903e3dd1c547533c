//! The tests of linetape-flow.

mod support;

// The fuzz targets share it.
#[path = "../oracle/mod.rs"]
mod oracle;

mod array;
mod async_lines;
mod cases;
mod checkpoints;
mod compressed;
mod files;
mod folder;
mod follow;
mod fuzz_seeds;
mod gzip_zstd_programs;
mod incomplete_lines;
mod parallel;
mod readme;
mod router;
mod table;
