//! Messages about the bad lines of an input.

use linetape::Error;
use linetape_session::Foreign;

use crate::{
    indented::Indented,
    input::Input,
    outcome::{Outcome, print_message},
};

/// How many bad lines of an input are described. The others are counted.
const DESCRIBED: u64 = 10;

/// What has been reported about the current input.
#[derive(Default)]
pub struct Complaints {
    /// The number of bad lines.
    errors: u64,
    /// Whether the input is known to be JSON over several lines.
    is_document: bool,
    /// Whether a program that wrote lines of the input was named.
    is_foreign: bool,
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
        self.errors += 1;
        *outcome = Outcome::Findings.max(*outcome);
        if self.errors == 1
            && let Some(indented) = input.indented()
        {
            self.indented(input, indented);
        }
        if self.errors <= DESCRIBED && !self.is_document {
            outcome.report_error(input, error);
        }
    }

    /// Reports that the input is JSON over several lines.
    pub fn indented(&mut self, input: &Input, indented: Indented) {
        self.is_document = true;
        print_message(&format!("{input}: {indented}"));
    }

    /// Reports that another program wrote lines of the input, once.
    pub fn foreign(&mut self, input: &Input, program: Option<Foreign>) {
        if let Some(program) =
            program.filter(|_| !self.is_foreign && !self.is_quiet)
        {
            self.is_foreign = true;
            print_message(&format!(
                "{input}: has lines of {program}, whose contents linetape does \
                 not know"
            ));
        }
    }

    /// Reports how many lines were not described, at the end of an input.
    pub fn end(&mut self, input: &Input) {
        let more = self.errors.saturating_sub(DESCRIBED);
        if more > 0 && !self.is_document {
            let lines = if more == 1 { "line" } else { "lines" };
            print_message(&format!("{input}: {more} more bad {lines}"));
        }
        *self = Complaints::default();
    }
}
