//! The oracles, which stand beside the tests: they call them too.

#[path = "../../tests/support/differences.rs"]
mod differences;
#[path = "../../tests/support/json.rs"]
mod json;
#[path = "../../tests/oracle/mod.rs"]
pub mod oracle;
#[path = "../../tests/support/mod.rs"]
mod support;
