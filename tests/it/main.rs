//! The tests of the library, by subject: see `tests/README.md`.

// Without owned messages, some tests are excluded, and the code that they
// share.
#[cfg_attr(not(feature = "messages"), allow(dead_code))]
#[path = "../oracle/mod.rs"]
mod oracle;
#[cfg_attr(not(feature = "messages"), allow(dead_code))]
#[path = "../support/mod.rs"]
mod support;

mod api;
mod layering;

mod framing {
    mod chunks;
    mod documents;
    mod levels;
    mod lines;
    mod live_pipe;
    mod methods;
    mod ranges;
    mod readers;
}
mod decode {
    mod differential;
    mod noise;
    mod numbers;
    mod other_types;
    mod raw_bytes;
    mod regressions;
    mod repeated_keys;
    mod texts;
    mod trailing_data;
    mod unique_keys;
    mod values;
}
#[cfg(feature = "messages")]
mod deserialize {
    mod against_serde_json;
    mod differences;
    mod types;
}
mod peek {
    mod differential;
    #[cfg(feature = "messages")]
    mod projections;
    mod regressions;
    #[cfg(feature = "messages")]
    mod skim;
}
mod check {
    mod differential;
    mod surrogates;
    mod values;
}
mod message {
    #[cfg(feature = "messages")]
    mod agent_server;
    mod coverage;
    #[cfg(feature = "messages")]
    mod golden;
    mod known;
    mod names_only;
    mod nested;
    mod tool_calls;
    mod views;
    mod visit;
    mod visit_differential;
}
#[cfg(feature = "messages")]
mod owned {
    mod lines;
    mod messages;
    mod trust;
}
mod write {
    mod writer;
}
mod edit {
    mod differential;
    mod splices;
}
mod limits {
    mod allocations;
    mod decode_memory;
    mod depth;
    mod nodes;
    mod peek_memory;
}
mod robustness {
    mod conformance;
    mod corpus;
    mod damage;
    mod fuzz_seeds;
    mod hostile_source;
    mod kernels;
    mod salvage;
}
