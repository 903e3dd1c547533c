//! Translation: golden files, reference implementations on random and real
//! logs, and round trips.

#[path = "../../../../tests/support/adversaries.rs"]
mod adversaries;
#[allow(dead_code)]
#[path = "../../../../tests/support/counting.rs"]
mod counting;
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
#[allow(dead_code)]
#[path = "../../../../tests/support/framing.rs"]
mod sources;
#[path = "../../../../tests/support/stack.rs"]
mod stack;
#[allow(dead_code)]
#[path = "../../../../tests/support/texts.rs"]
mod texts;

mod depth;
mod golden;
mod memory;
mod reference;
mod round_trip;
mod run;
mod to_ui;
mod trust;
mod wrapper;
