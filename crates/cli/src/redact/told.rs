//! Error messages about bad lines, which are not written. They never quote
//! the line, because it could contain a secret.

use linetape::{Error, ErrorKind};

use crate::{
    input::Input,
    outcome::{Outcome, print_message},
};

/// The number of bad lines of an input that have a message of their own.
/// The others are counted in one message at the end.
const DESCRIBED: u64 = 10;

/// Returns the message of an error without the quoted part of the line.
pub fn told(error: &Error) -> String {
    let text = error.to_string();
    let Some(snippet) = error.snippet() else { return text };
    match text.strip_suffix(&format!(", at `{snippet}`")) {
        Some(text) => text.to_string(),
        None => format!("{}: {}", error.position(), error.kind()),
    }
}

/// The messages about the current input.
#[derive(Default)]
pub struct Told {
    /// The number of bad lines.
    errors: u64,
    /// Whether the input is known to be JSON over several lines.
    is_document: bool,
}

impl Told {
    /// Reports a bad line of the input, which is called `name`.
    pub fn bad_line(
        &mut self,
        input: &Input,
        name: &str,
        error: &Error,
        outcome: &mut Outcome,
    ) {
        self.errors += 1;
        *outcome = Outcome::Findings.max(*outcome);
        // A long line that is over a limit is not a document.
        let is_torn =
            matches!(error.kind(), ErrorKind::Syntax | ErrorKind::Truncated);
        if self.errors == 1
            && is_torn
            && let Some(indented) = input.indented()
        {
            self.is_document = true;
            print_message(&format!("{name}: {indented}"));
        }
        if self.errors <= DESCRIBED && !self.is_document {
            print_message(&format!("{name}: {}", told(error)));
        }
    }

    /// Ends an input: prints the number of bad lines without a message.
    pub fn end(&mut self, name: &str) {
        let more = self.errors.saturating_sub(DESCRIBED);
        if more > 0 && !self.is_document {
            let lines = if more == 1 { "line" } else { "lines" };
            print_message(&format!("{name}: {more} more invalid {lines}"));
        }
        *self = Told::default();
    }
}
