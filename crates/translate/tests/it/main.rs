//! Translation: the examples of the source documents, tables of what counts
//! and what does not, reference implementations on random and on real logs,
//! and round trips.

#[path = "../../../../tests/support/adversaries.rs"]
mod adversaries;
#[allow(dead_code)]
#[path = "../../../../tests/support/counting.rs"]
mod counting;
#[allow(dead_code)]
#[path = "../../../../tests/support/logs.rs"]
mod logs;
#[allow(dead_code)]
#[path = "../../../../tests/support/framing.rs"]
mod sources;
#[path = "../../../../tests/support/stack.rs"]
mod stack;
#[allow(dead_code)]
#[path = "../../../../tests/support/texts.rs"]
mod texts;

mod depth;
mod memory;
mod mentions;
mod progress;
mod reference;
mod round_trip;
mod run;
mod to_ui;
mod trust;
mod words;
mod wrapper;
