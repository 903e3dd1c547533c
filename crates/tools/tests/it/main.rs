//! The tests of the crate. They compare views with owned types, so they need
//! the feature `owned`.
#![cfg(feature = "owned")]

mod corpus;
mod coverage;
mod find;
mod fixture;
mod hook_answers;
mod hook_inputs;
mod hostile;
mod shown;
mod tool_inputs;
mod tool_results;

// Shared by the tests of all crates. This crate uses a part of it.
#[allow(dead_code)]
#[path = "../../../../tests/support/logs.rs"]
mod logs;
