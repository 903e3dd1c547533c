//! The oracles of the fuzz targets: for each target, a function that takes
//! bytes and panics if linetape violates an invariant.
//!
//! The targets in `fuzz/fuzz_targets` call them, and so does
//! `tests/it/robustness/fuzz_seeds.rs`, with every seed, every earlier finding
//! and random bytes. A crate that includes this module must also include
//! `support` at its root.

pub mod check;
pub mod peek;

#[cfg(feature = "messages")]
mod compose;
#[cfg(feature = "messages")]
mod damage;
#[cfg(feature = "messages")]
pub mod decode;
#[cfg(feature = "messages")]
mod framing;
#[cfg(feature = "messages")]
mod input;
#[cfg(feature = "messages")]
pub mod levels;
#[cfg(feature = "messages")]
pub mod model;
#[cfg(feature = "messages")]
mod owned_roundtrip;
#[cfg(feature = "messages")]
pub mod render;
#[cfg(feature = "messages")]
pub mod skim;
#[cfg(feature = "messages")]
mod targets;

#[cfg(feature = "messages")]
pub use targets::*;
