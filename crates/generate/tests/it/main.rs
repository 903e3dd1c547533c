//! The tests of linetape-generate.

mod logs;
mod statistics;
