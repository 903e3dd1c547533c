//! The tests of linetape-session, one module for each part of it.

mod attached;
mod check;
mod check_reference;
mod conversation;
mod conversation_reference;
mod deltas;
mod facts;
mod forks;
mod results;
mod reused_call_ids;
mod serde;
mod stream;
mod told;
mod tree;
mod turns;
mod turns_reference;
mod usage;

// Shared by the tests of all crates. Each crate uses a part of it.
#[allow(dead_code)]
#[path = "../../../../tests/support/logs.rs"]
mod logs;
#[allow(dead_code)]
#[path = "../../../../tests/support/framing.rs"]
mod sources;
#[allow(dead_code)]
#[path = "../../../../tests/support/stack.rs"]
mod stack;
#[allow(dead_code)]
#[path = "../../../../tests/support/texts.rs"]
mod texts;
#[allow(dead_code)]
#[path = "../../../../tests/support/usage.rs"]
mod usage_reference;
