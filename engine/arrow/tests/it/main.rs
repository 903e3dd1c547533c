//! The tests of linetape-arrow.

mod cuts;
mod errors;
mod logs;
mod parquet_files;
mod rows;
mod skips;
mod usage_parts;
