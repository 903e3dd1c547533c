//! The tests of the crate. They compare views with owned types, so they need
//! the feature `owned`.
#![cfg(feature = "owned")]

mod corpus;
mod coverage;
mod find;
mod golden;
mod hostile;

// Shared by the tests of all crates. This crate uses a part of it.
#[path = "../../../../tests/support/diff.rs"]
mod diff;
#[path = "../../../../tests/support/golden.rs"]
mod golden_files;
#[allow(dead_code)]
#[path = "../../../../tests/support/logs.rs"]
mod logs;
#[allow(dead_code)]
#[path = "../../../../tests/support/shown.rs"]
mod shown;
