//! Translation: the examples of the source documents, tables of what counts
//! and what does not, reference implementations on random and on real logs,
//! and round trips.

#[allow(dead_code)]
#[path = "../../../../tests/support/logs.rs"]
mod logs;
#[allow(dead_code)]
#[path = "../../../../tests/support/framing.rs"]
mod sources;
#[allow(dead_code)]
#[path = "../../../../tests/support/texts.rs"]
mod texts;

mod mentions;
mod progress;
mod reference;
mod round_trip;
mod run;
mod to_ui;
mod trust;
mod words;
mod wrapper;
