//! The tests of linetape-flow.

mod support;

mod async_lines;
mod compressed;
mod files;
mod follow;
mod parallel;
mod programs;
