//! What is saved before a run writes lines, so that the next one can repair the
//! output if this one is interrupted.

use std::path::PathBuf;

use linetape_flow::Checkpoint;
use serde_json::Value;

use crate::{
    known::Candidate,
    outcome::Outcome,
    state::{Place, State},
    unfinished::Unfinished,
};

impl State {
    /// Saves, before anything is read, that this run has begun. Returns whether
    /// that is saved.
    pub fn begin(
        &mut self,
        saved: impl FnOnce() -> (Value, Vec<u8>),
        outcome: &mut Outcome,
    ) -> bool {
        let inputs = self.wanted();
        let is_saved = self.write(saved, inputs, outcome);
        self.is_changed = true;
        is_saved
    }

    /// Returns the inputs up to where this run wants to read. `None` if they
    /// are not known: logs that are followed may grow while they are read.
    fn wanted(&self) -> Option<Vec<Checkpoint>> {
        let wanted = self.planned.iter().filter_map(|planned| {
            match &planned.place {
                Place::Plain(checkpoint) => Some(checkpoint.clone()),
                // Its text is not read yet. If it cannot be opened, no line of
                // it is written.
                Place::Compressed(_) => {
                    Candidate::new(&planned.key).ok()?.checkpoint().ok()
                }
            }
        });
        (!self.planned.is_empty()).then(|| wanted.collect())
    }

    /// Returns the output and the inputs of the last run, if that run did not
    /// end. They are used for one repair, so the next state does not have them.
    pub fn take_unfinished(&mut self) -> Option<Unfinished> {
        self.is_changed |= self.unfinished.is_some();
        self.unfinished.take()
    }

    /// Saves, before anything is read, that an output is written to: if this
    /// run is killed, the next one repairs the output. Returns whether that is
    /// saved.
    pub fn begin_output(
        &mut self,
        output: Option<PathBuf>,
        saved: impl FnOnce() -> (Value, Vec<u8>),
        outcome: &mut Outcome,
    ) -> bool {
        if output.is_none() {
            return true;
        }
        self.output = output;
        self.begin(saved, outcome)
    }

    /// Notes that the output is finished. Returns whether there was one.
    pub fn end_output(&mut self) -> bool {
        self.output.take().is_some()
    }
}
