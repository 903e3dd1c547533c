//! Redacts the content of files.

use std::{
    fs,
    io::{self, Write},
};

use linetape::{Error, ErrorKind, ReaderBuilder};
use linetape_redact::Redactor;

use crate::{
    input::Input,
    outcome::Outcome,
    redact::{
        around::{Spaced, Window},
        places::{Kind, Place},
        report::Report,
        told::{Told, told},
    },
};

/// Redacts files, and counts what is found.
pub struct Content {
    pub reader: ReaderBuilder,
    /// The maximum length of a line in bytes.
    pub max_line: usize,
    /// Whether damaged lines are dropped without a message.
    pub drops_bad: bool,
    pub redactor: Redactor,
    pub report: Report,
    pub outcome: Outcome,
}

/// How many lines of a file could be read, and how many not.
#[derive(Clone, Copy)]
pub struct Lines {
    pub valid: u64,
    pub bad: u64,
}

/// Where the lines of an input go.
pub struct To<'w> {
    pub out: &'w mut dyn Write,
    /// Whether what is around the lines goes there, too.
    pub is_spaced: bool,
}

impl Content {
    /// Returns the name of a file as it is printed: without a secret.
    pub fn shown(&mut self, name: &str) -> String {
        let name = self.redactor.text(name).to_string();
        self.redactor.clear_findings();
        name
    }

    pub fn report(&mut self, name: &str, error: &io::Error) {
        self.outcome.report(&name, error, Outcome::CouldNotRun);
    }

    /// Redacts the lines of an input. Returns the error of an input that could
    /// not be read to its end, so that nothing is replaced by a part of it.
    pub fn lines(
        &mut self,
        input: &Input,
        name: &str,
        source: impl io::Read,
        to: To<'_>,
    ) -> io::Result<Result<Lines, Error>> {
        let done = self.read(input, name, source, to);
        if done.is_err() {
            // The output failed. Lines that are held must not get into the
            // next file.
            _ = self.redactor.finish(&mut io::sink());
        }
        done
    }

    fn read(
        &mut self,
        input: &Input,
        name: &str,
        source: impl io::Read,
        to: To<'_>,
    ) -> io::Result<Result<Lines, Error>> {
        let Content { redactor, report, outcome, .. } = self;
        let window = to.is_spaced.then(|| Window::new(self.max_line));
        let source = Window::watch(window.as_ref(), source);
        let mut reader = self.reader.build(source);
        let mut to = Spaced::new(to.out, window);
        let mut told = Told::default();
        let mut lines = Lines { valid: 0, bad: 0 };
        let mut end = Ok(());
        while let Some(line) = reader.next_line() {
            let error = match line {
                Ok(line) => {
                    to.expect(&line);
                    let done = redactor.line(&line, &mut to);
                    done.inspect_err(|_| to.forget()).err()
                }
                Err(error) if is_of_line(&error) => Some(error),
                Err(error) => {
                    end = Err(error);
                    break;
                }
            };
            report.take(name, redactor)?;
            let Some(error) = error else {
                lines.valid += 1;
                continue;
            };
            if !is_of_line(&error) {
                return Err(error.into());
            }
            lines.bad += 1;
            report.bad_line();
            if !self.drops_bad {
                told.bad_line(input, name, &error, outcome);
            }
        }
        redactor.finish(&mut to).map_err(io::Error::from)?;
        to.end()?;
        report.take(name, redactor)?;
        told.end(name);
        Ok(end.map(|()| lines))
    }

    /// Redacts the content of a file. Returns `None` if it is not text, which
    /// is reported.
    pub fn file(
        &mut self,
        place: &Place,
        name: &str,
        to: To<'_>,
    ) -> io::Result<Option<Lines>> {
        let input = match place.kind {
            Kind::Log => Some(Input::File(place.path.clone())),
            Kind::Sample => Some(Input::Sample),
            Kind::Document | Kind::Text => None,
        };
        if let Some(input) = input {
            let source = input.open()?;
            let lines = self.lines(&input, name, source, to)?;
            return lines.map(Some).map_err(|e| io::Error::other(told(&e)));
        }
        let content = fs::read(&place.path)?;
        let Ok(text) = String::from_utf8(content) else {
            let why =
                "not UTF-8 text, so it cannot be redacted and is skipped";
            self.outcome.report(&name, &why, Outcome::Findings);
            return Ok(None);
        };
        let redactor = &mut self.redactor;
        if place.kind == Kind::Document {
            let clean = redactor.document(text.as_bytes());
            let clean = clean.map_err(|e| io::Error::other(told(&e)))?;
            to.out.write_all(&clean)?;
        } else {
            to.out.write_all(redactor.text(&text).as_bytes())?;
        }
        self.report.take(name, redactor)?;
        Ok(Some(Lines { valid: 1, bad: 0 }))
    }
}

/// Returns whether an error is about one line, and not about the input or the
/// output.
fn is_of_line(error: &Error) -> bool {
    error.is_recoverable() || error.kind() == ErrorKind::InvalidInput
}
