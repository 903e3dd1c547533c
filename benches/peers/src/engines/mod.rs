//! The engines: each a job, and a function that does it.

mod linetape_decode;
mod linetape_peek;
mod serde;
#[cfg(simdjson)]
mod simdjson;

use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub struct Engine {
    pub name: &'static str,
    pub job: Job,
    /// Whether this is linetape.
    pub ours: bool,
    pub run: fn(&Data, &mut Tally),
}

impl Engine {
    const fn ours(
        name: &'static str,
        job: Job,
        run: fn(&Data, &mut Tally),
    ) -> Engine {
        Engine { name, job, ours: true, run }
    }

    const fn peer(
        name: &'static str,
        job: Job,
        run: fn(&Data, &mut Tally),
    ) -> Engine {
        Engine { name, job, ours: false, run }
    }
}

/// The engines that can do `job`. The answer of the first is the one that
/// the others are compared with.
pub fn of(job: Job) -> Vec<&'static Engine> {
    let engines = [
        serde::ENGINES,
        simdjson_engines(),
        linetape_decode::ENGINES,
        linetape_peek::ENGINES,
    ];
    let engines = engines.into_iter().flatten();
    engines.filter(|engine| engine.job == job).collect()
}

#[cfg(simdjson)]
fn simdjson_engines() -> &'static [Engine] {
    simdjson::ENGINES
}

#[cfg(not(simdjson))]
fn simdjson_engines() -> &'static [Engine] {
    &[]
}

/// The version and kernel of simdjson, if it is here.
#[cfg(simdjson)]
pub fn simdjson_name() -> Option<String> {
    Some(simdjson::name())
}

#[cfg(not(simdjson))]
pub fn simdjson_name() -> Option<String> {
    None
}
