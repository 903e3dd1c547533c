//! The tests of redaction.

#[path = "../../../../tests/support/diff.rs"]
mod diff;
#[path = "../../../../tests/support/logs.rs"]
#[allow(dead_code)] // other packages use the rest
mod logs;
#[path = "../oracle/mod.rs"]
mod oracle;
mod planted;
mod support;
#[path = "../../../../tests/support/texts.rs"]
#[allow(dead_code)] // other packages use the rest
mod texts;

mod assigned;
mod blocks;
mod chunks;
mod commands;
mod context;
mod differential;
mod forms;
mod fuzz_seeds;
mod generated;
mod hostile;
mod lines;
mod prefilter;
mod readme;
mod recall;
mod rules;
mod streams;
