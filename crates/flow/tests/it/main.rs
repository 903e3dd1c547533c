//! The tests of linetape-flow.

mod support;

mod async_lines;
mod checkpoints;
mod compressed;
mod files;
mod folder;
mod follow;
mod parallel;
mod programs;
mod router;
