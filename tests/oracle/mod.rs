//! The oracles of the fuzz targets: for each target a function that is given
//! bytes and panics if linetape does what it must not.
//!
//! The targets in `fuzz/fuzz_targets` call them, and so does
//! `tests/it/robustness/fuzz_seeds.rs`, with every seed and every input that
//! once was a finding, and with random ones. Whoever includes this must also
//! have `support`, which other tests use as well, at the root of the crate.

pub mod check;
pub mod peek;

#[cfg(feature = "owned")]
mod compose;
#[cfg(feature = "owned")]
mod damage;
#[cfg(feature = "owned")]
pub mod decode;
#[cfg(feature = "owned")]
mod framing;
#[cfg(feature = "owned")]
mod input;
#[cfg(feature = "owned")]
mod keep;
#[cfg(feature = "owned")]
pub mod model;
#[cfg(feature = "owned")]
pub mod render;
#[cfg(feature = "owned")]
mod targets;

#[cfg(feature = "owned")]
pub use targets::*;
