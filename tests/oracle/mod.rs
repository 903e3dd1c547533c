//! The oracles of the fuzz targets: for each target, a function that takes
//! bytes and panics if linetape violates an invariant.
//!
//! The targets in `fuzz/fuzz_targets` call them, and so does
//! `tests/it/robustness/fuzz_seeds.rs`, with every seed, every earlier finding
//! and random bytes. A crate that includes this module must also include
//! `support` at its root.

pub mod check;
pub mod peek;

#[cfg(feature = "owned")]
pub mod ahead;
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
pub mod model;
#[cfg(feature = "owned")]
mod owned_roundtrip;
#[cfg(feature = "owned")]
pub mod render;
#[cfg(feature = "owned")]
pub mod skim;
#[cfg(feature = "owned")]
mod targets;

#[cfg(feature = "owned")]
pub use targets::*;
