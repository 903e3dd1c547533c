//! An engine: a job, and a function that does it.

use crate::{
    data::Data,
    jobs::{Job, Tally},
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

/// An engine that is prepared for a data set.
pub type Prepared = Box<dyn Fn(&Data, &mut Tally)>;

impl Engine {
    pub const fn ours(
        name: &'static str,
        job: Job,
        run: fn(&Data, &mut Tally),
    ) -> Engine {
        Engine { name, job, ours: true, work: Work::Plain(run) }
    }

    pub const fn peer(
        name: &'static str,
        job: Job,
        run: fn(&Data, &mut Tally),
    ) -> Engine {
        Engine { name, job, ours: false, work: Work::Plain(run) }
    }

    /// Creates a peer with a preparation step for each data set, which is not
    /// timed.
    pub const fn prepared(
        name: &'static str,
        job: Job,
        prepare: fn(&Data) -> Prepared,
    ) -> Engine {
        Engine { name, job, ours: false, work: Work::Prepared(prepare) }
    }

    /// Returns this engine, prepared for `data`.
    pub fn prepare(&self, data: &Data) -> Prepared {
        match self.work {
            Work::Plain(run) => Box::new(run),
            Work::Prepared(prepare) => prepare(data),
        }
    }
}
