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
    pub work: fn(&Data, &mut Tally),
}

impl Engine {
    pub const fn ours(
        name: &'static str,
        job: Job,
        work: fn(&Data, &mut Tally),
    ) -> Engine {
        Engine { name, job, ours: true, work }
    }

    pub const fn peer(
        name: &'static str,
        job: Job,
        work: fn(&Data, &mut Tally),
    ) -> Engine {
        Engine { name, job, ours: false, work }
    }
}
