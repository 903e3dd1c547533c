//! The engines: each a job, and a function that does it.

#[cfg(feature = "peers")]
mod claude_codes;
#[cfg(feature = "peers")]
mod claude_transcript;
mod derived;
mod floor;
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
#[cfg(feature = "sonic-rs")]
mod sonic_unchecked;
mod split;
mod typed;

pub use linetape_peek::KERNEL;

use crate::{
    data::Data,
    jobs::{Job, Tally},
    run::Run,
};

pub struct Engine {
    pub name: &'static str,
    pub job: Job,
    /// Whether this is linetape.
    pub ours: bool,
    work: Work,
}

enum Work {
    Plain(fn(&Data, &mut Tally)),
    Prepared(fn(&Data) -> Prepared),
}

/// The work of an engine that has seen the data.
pub type Prepared = Box<dyn Fn(&Data, &mut Tally)>;

impl Engine {
    const fn ours(
        name: &'static str,
        job: Job,
        run: fn(&Data, &mut Tally),
    ) -> Engine {
        Engine { name, job, ours: true, work: Work::Plain(run) }
    }

    const fn peer(
        name: &'static str,
        job: Job,
        run: fn(&Data, &mut Tally),
    ) -> Engine {
        Engine { name, job, ours: false, work: Work::Plain(run) }
    }

    /// A peer that sees the data once before it runs, for which no time is
    /// counted.
    const fn prepared(
        name: &'static str,
        job: Job,
        prepare: fn(&Data) -> Prepared,
    ) -> Engine {
        Engine { name, job, ours: false, work: Work::Prepared(prepare) }
    }

    /// This engine, ready to run on `data`.
    pub fn on<'d>(&self, data: &'d Data) -> Run<'d> {
        let work = match self.work {
            Work::Plain(run) => Box::new(run),
            Work::Prepared(prepare) => prepare(data),
        };
        Run::here(self, data, work)
    }
}

/// The engines that can do `job`. The answer of the first is the one that
/// the others are compared with.
pub fn of(job: Job) -> Vec<&'static Engine> {
    let mut engines = vec![lines::ENGINES, serde::ENGINES, floor::ENGINES];
    #[cfg(simdjson)]
    engines.push(simdjson::ENGINES);
    #[cfg(feature = "peers")]
    engines.extend([
        simd_json::ENGINES,
        jiter::ENGINES,
        claude_codes::ENGINES,
        claude_transcript::ENGINES,
    ]);
    #[cfg(feature = "sonic-rs")]
    engines.extend([sonic::ENGINES, sonic_unchecked::ENGINES]);
    engines.extend([linetape_decode::ENGINES, linetape_peek::ENGINES]);
    let engines = engines.into_iter().flatten();
    engines.filter(|engine| engine.job == job).collect()
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
