//! The tests of linetape-session, one module for each part of it.

mod check;
mod check_reference;
mod deltas;
mod facts;
#[cfg(feature = "serde")]
mod serde;
mod stream;
mod tree;
mod turns;
mod turns_reference;
mod usage;

#[path = "../../../../tests/support/logs.rs"]
mod logs;
#[path = "../../../../tests/support/mod.rs"]
mod sources;
#[path = "../../../../tests/support/stack.rs"]
mod stack;
#[path = "../../../../tests/support/texts.rs"]
mod texts;
