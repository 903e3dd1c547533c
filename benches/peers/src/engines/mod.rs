//! The engines of the comparison.

#[cfg(feature = "peers")]
mod claude_transcript;
#[cfg(feature = "peers")]
mod flexon;
#[cfg(feature = "peers")]
mod jiter;
mod lines;
mod linetape_decode;
mod linetape_peek;
mod serde;
#[cfg(feature = "peers")]
mod simd_json;
#[cfg(simdjson)]
mod simdjson;
#[cfg(feature = "sonic-rs")]
mod sonic;
mod split;
mod typed;

pub use linetape_peek::KERNEL;

use crate::{engine::Engine, jobs::Job};

/// Returns the engines of `job`. The results of the others are compared with
/// that of the first.
pub fn of(job: Job) -> Vec<&'static Engine> {
    let mut engines = vec![lines::ENGINES, serde::ENGINES];
    #[cfg(simdjson)]
    engines.push(simdjson::ENGINES);
    #[cfg(feature = "peers")]
    engines.extend([
        simd_json::ENGINES,
        jiter::ENGINES,
        flexon::ENGINES,
        claude_transcript::ENGINES,
    ]);
    #[cfg(feature = "sonic-rs")]
    engines.push(sonic::ENGINES);
    engines.extend([linetape_decode::ENGINES, linetape_peek::ENGINES]);
    let engines = engines.into_iter().flatten();
    engines.filter(|engine| engine.job == job).collect()
}

/// Returns the version and kernel of simdjson, if it is included.
#[cfg(simdjson)]
pub fn simdjson_name() -> Option<String> {
    Some(simdjson::name())
}

#[cfg(not(simdjson))]
pub fn simdjson_name() -> Option<String> {
    None
}
