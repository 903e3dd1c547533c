//! Exit codes, and messages on standard error.

use std::{
    fmt,
    io::{self, Write},
};

use linetape::{Error, Escaped};

use crate::progress;

/// The result of a run, as an exit code. The worst one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Fine = 0,
    /// There were bad lines or broken rules.
    Findings = 1,
    /// An input or output failed, or the arguments are wrong.
    CouldNotRun = 2,
    /// SIGINT ended the command: 128 and the number of the signal.
    Interrupted = 130,
    /// SIGTERM did.
    Terminated = 143,
}

impl Outcome {
    /// Reports a bad line, or an input that could not be read to its
    /// end.
    pub fn report_error(&mut self, input: &dyn fmt::Display, error: &Error) {
        let outcome = match error.is_recoverable() {
            true => Outcome::Findings,
            false => Outcome::CouldNotRun,
        };
        self.report(input, error, outcome);
    }

    /// Reports an error of `subject`, which ends the run with `outcome` or
    /// worse.
    pub fn report(
        &mut self,
        subject: &dyn fmt::Display,
        error: &dyn fmt::Display,
        outcome: Outcome,
    ) {
        print_message(&format!("{subject}: {error}"));
        *self = outcome.max(*self);
    }
}

/// Returns the text of an error that is about no line.
pub fn reason(error: &Error) -> String {
    match error.io_error() {
        Some(error) => error.to_string(),
        None => error.reason().to_string(),
    }
}

/// Prints a message to standard error, escaped and with `linetape: ` before
/// it.
pub fn print_message(message: &str) {
    // One write, so that it does not mix with the output of other processes.
    // There is nowhere to report an error of this write.
    let text = format!("linetape: {}\n", Escaped::new(&message));
    _ = progress::pause(|| io::stderr().write_all(text.as_bytes()));
}
