//! Translation: the documented examples, tables of positive and negative
//! examples for the heuristics, reference implementations on random and real
//! logs, and round trips.

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
