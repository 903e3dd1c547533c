//! The tests of redaction.

#[path = "../../../../tests/support/logs.rs"]
#[allow(dead_code)] // other packages use the rest
mod logs;
mod planted;
mod support;

mod differential;
mod lines;
mod readme;
mod rules;
mod streams;
