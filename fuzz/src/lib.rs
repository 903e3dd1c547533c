//! The oracles, which stand beside the tests: they call them too.

#[path = "../../tests/oracle/mod.rs"]
pub mod oracle;

/// Those of linetape-flow.
#[path = "../../crates/flow/tests/oracle/mod.rs"]
pub mod flow;

/// Those of linetape-redact.
#[path = "../../crates/redact/tests/oracle/mod.rs"]
pub mod redaction;

// Without `texts` and what else needs a crate that only tests have.
#[allow(dead_code)] // the targets use a part of this
#[path = "../../tests/support"]
mod support {
    pub mod differences;
    pub mod fields;
    pub mod framing;
    pub mod json;
    pub mod logs;
}
