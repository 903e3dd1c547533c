//! How a run ended, and who is told why.

use std::{
    fmt,
    io::{self, Write},
};

use linetape::{Error, Escaped};

use crate::{
    input::{Input, Source},
    progress,
};

/// How a run ended. The worst thing that happened counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Everything went well.
    Fine = 0,
    /// There were bad lines, for a command that wants none.
    Findings = 1,
    /// Something could not be read or written.
    CouldNotRun = 2,
}

impl Outcome {
    /// Opens an input. If that fails, a person is told.
    pub fn open(&mut self, input: &Input) -> Option<Source> {
        let source = input.open();
        source.map_err(|e| self.name(input, &e, Outcome::CouldNotRun)).ok()
    }

    /// Tells a person about a bad line, or about an input that could not be
    /// read to its end.
    pub fn blame(&mut self, input: &Input, error: &Error) {
        let outcome = match error.is_recoverable() {
            true => Outcome::Findings,
            false => Outcome::CouldNotRun,
        };
        self.name(input, error, outcome);
    }

    /// Tells a person what is wrong with something.
    pub fn name(
        &mut self,
        place: &dyn fmt::Display,
        what: &dyn fmt::Display,
        outcome: Outcome,
    ) {
        complain(&format!("{place}: {what}"));
        *self = outcome.max(*self);
    }
}

/// Tells a person what went wrong.
pub fn complain(what: &str) {
    // If even this cannot be written, there is nobody left to tell.
    // In one piece, so that it does not mix with what others say.
    let text = format!("linetape: {}\n", Escaped::new(&what));
    _ = progress::pause(|| io::stderr().write_all(text.as_bytes()));
}
