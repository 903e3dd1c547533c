//! Messages about the bad lines of an input.

use std::fmt;

use linetape::Error;

use crate::{
    input::Input,
    outcome::{Outcome, print_message},
    table::counted,
};

/// How many bad lines of an input are described. The others are counted.
const DESCRIBED: usize = 10;

/// What has been reported about the current input.
#[derive(Default)]
pub struct Complaints {
    /// The number of bad lines.
    errors: usize,
    /// Whether the input was read before, so that nothing is reported again.
    is_quiet: bool,
}

impl Complaints {
    /// Creates complaints of an input. If it was read before, nothing is
    /// reported.
    pub fn again(is_quiet: bool) -> Complaints {
        Complaints { is_quiet, ..Complaints::default() }
    }

    /// Reports a bad line, or an input that could not be read to its
    /// end.
    pub fn error(
        &mut self,
        input: &Input,
        error: &Error,
        outcome: &mut Outcome,
    ) {
        if self.is_quiet {
            return;
        }
        if !error.is_recoverable() {
            return outcome.report_error(input, error);
        }
        self.line(input, error, outcome);
    }

    /// Reports a bad line, with another name and text than those of the input
    /// and the error.
    pub fn line(
        &mut self,
        name: &dyn fmt::Display,
        text: &dyn fmt::Display,
        outcome: &mut Outcome,
    ) {
        self.errors += 1;
        *outcome = Outcome::Findings.max(*outcome);
        if self.errors <= DESCRIBED {
            print_message(&format!("{name}: {text}"));
        }
    }

    /// Reports how many lines were not described, at the end of an input.
    pub fn end(&mut self, name: &dyn fmt::Display) {
        let more = self.errors.saturating_sub(DESCRIBED);
        if more > 0 {
            let more = counted(more, "more bad line");
            print_message(&format!("{name}: {more}"));
        }
        *self = Complaints::default();
    }
}
