//! One engine on one data set, which can be run repeatedly.

use std::{hint::black_box, time::Instant};

use crate::{data::Data, engine::Engine, jobs::Tally};

pub struct Run<'d> {
    pub name: &'static str,
    /// Whether this is linetape.
    pub ours: bool,
    call: Box<dyn Fn(&mut Tally) -> Outcome + 'd>,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub seconds: f64,
    pub answer: String,
}

impl<'d> Run<'d> {
    /// In this process.
    pub fn here(engine: &Engine, data: &'d Data) -> Run<'d> {
        let Engine { name, job, ours, work } = *engine;
        let call = move |tally: &mut Tally| {
            tally.reset();
            let start = Instant::now();
            work(black_box(data), tally);
            let seconds = start.elapsed().as_secs_f64();
            Outcome { seconds, answer: tally.answer(job) }
        };
        Run { name, ours, call: Box::new(call) }
    }

    /// In another process, which has its own tally.
    pub fn elsewhere(
        name: &'static str,
        call: impl Fn() -> Outcome + 'd,
    ) -> Run<'d> {
        Run { name, ours: false, call: Box::new(move |_| call()) }
    }

    pub fn run(&self, tally: &mut Tally) -> Outcome {
        (self.call)(tally)
    }
}
