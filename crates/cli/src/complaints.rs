//! Messages about the bad lines of an input.

use std::fmt;

use linetape::Error;

use crate::{
    indented::Indented,
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
    /// Whether the input is known to be JSON over several lines.
    is_document: bool,
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
        self.line(input, input, true, error, outcome);
    }

    /// Reports a bad line, with another name and text than those of the input
    /// and the error. Unless `can_be_document`, no document has such a line.
    pub fn line(
        &mut self,
        input: &Input,
        name: &dyn fmt::Display,
        can_be_document: bool,
        text: &dyn fmt::Display,
        outcome: &mut Outcome,
    ) {
        self.errors += 1;
        *outcome = Outcome::Findings.max(*outcome);
        if self.errors == 1
            && can_be_document
            && let Some(indented) = input.indented()
        {
            self.indented(name, indented);
        }
        if self.errors <= DESCRIBED && !self.is_document {
            print_message(&format!("{name}: {text}"));
        }
    }

    /// Reports that the input is JSON over several lines.
    pub fn indented(&mut self, name: &dyn fmt::Display, indented: Indented) {
        self.is_document = true;
        print_message(&format!("{name}: {indented}"));
    }

    /// Reports how many lines were not described, at the end of an input.
    pub fn end(&mut self, name: &dyn fmt::Display) {
        let more = self.errors.saturating_sub(DESCRIBED);
        if more > 0 && !self.is_document {
            let more = counted(more, "more bad line");
            print_message(&format!("{name}: {more}"));
        }
        *self = Complaints::default();
    }
}
