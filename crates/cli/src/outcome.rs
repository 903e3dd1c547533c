//! How a run ended, and who is told why.

use std::{
    fmt,
    io::{self, Write},
};

use linetape::{Error, Escaped};

use crate::progress;

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
    /// Tells a person about a bad line, or about an input that could not be
    /// read to its end.
    pub fn report_error(&mut self, input: &dyn fmt::Display, error: &Error) {
        let outcome = match error.is_recoverable() {
            true => Outcome::Findings,
            false => Outcome::CouldNotRun,
        };
        self.report(input, error, outcome);
    }

    /// Tells a person what is wrong with something.
    pub fn report(
        &mut self,
        place: &dyn fmt::Display,
        what: &dyn fmt::Display,
        outcome: Outcome,
    ) {
        print_message(&format!("{place}: {what}"));
        *self = outcome.max(*self);
    }
}

/// Tells a person what went wrong.
pub fn print_message(what: &str) {
    // If even this cannot be written, there is nobody left to tell.
    // In one piece, so that it does not mix with what others say.
    let text = format!("linetape: {}\n", Escaped::new(&what));
    _ = progress::pause(|| io::stderr().write_all(text.as_bytes()));
}
