//! Redacts the content of files.

use std::{
    fs,
    io::{self, Write},
};

use linetape::{Error, ErrorKind, Position, ReaderBuilder};
use linetape_redact::Redactor;

use crate::{
    complaints::Complaints,
    input::Input,
    outcome::Outcome,
    redact::{
        places::{Kind, Place},
        report::Report,
        source::{Blocks, Part},
        told::told,
    },
};

/// Redacts files, and counts what is found.
pub struct Content {
    pub reader: ReaderBuilder,
    /// The maximum length of a line in bytes.
    pub max_line: usize,
    /// Whether bad lines are dropped without a message.
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
        name: &str,
        source: impl io::Read,
        to: &mut dyn Write,
    ) -> io::Result<Result<Lines, Error>> {
        let done = self.read(name, source, to);
        if done.is_err() {
            // The output failed. Lines that are held must not get into the
            // next file.
            _ = self.redactor.finish(&mut io::sink());
        }
        done
    }

    fn read(
        &mut self,
        name: &str,
        source: impl io::Read,
        to: &mut dyn Write,
    ) -> io::Result<Result<Lines, Error>> {
        let Content { redactor, report, outcome, .. } = self;
        let drops_bad = self.drops_bad;
        let mut complaints = Complaints::default();
        let mut lines = Lines { valid: 0, bad: 0 };
        let mut each = |line: Result<(), Error>, report: &mut Report| {
            let Err(error) = line else {
                lines.valid += 1;
                return;
            };
            lines.bad += 1;
            report.bad_line();
            if !drops_bad {
                let text = told(&error);
                complaints.line(&name, &text, outcome);
            }
        };
        let mut blocks = Blocks::new(source, self.max_line);
        let mut at = Position::START;
        let mut end = Ok(());
        loop {
            match blocks.next() {
                Part::Lines(block) => {
                    let each = |line| each(line, report);
                    at = redactor.block(&self.reader, block, at, to, each)?;
                }
                // A reader knows what is wrong.
                Part::Bad => {
                    if at == Position::START {
                        to.write_all(blocks.byte_order_mark())?;
                    }
                    let reader = self.reader.clone().start(at);
                    let mut reader = reader.build(blocks.rest());
                    match reader.next_line() {
                        None => break,
                        Some(Err(error)) if is_of_stream(&error) => {
                            end = Err(error);
                            break;
                        }
                        Some(line) => {
                            match line
                                .and_then(|line| redactor.line(&line, to))
                            {
                                Err(error) if is_of_stream(&error) => {
                                    return Err(error.into());
                                }
                                done => each(done, report),
                            }
                        }
                    }
                    at = reader.position();
                    let (_, unread) = reader.into_parts();
                    blocks.put_back(unread);
                }
                Part::End => break,
            }
            report.take(name, redactor)?;
        }
        redactor.finish(to).map_err(io::Error::from)?;
        report.take(name, redactor)?;
        complaints.end(&name);
        Ok(end.map(|()| lines))
    }

    /// Redacts the content of a file. Returns `None` if it is not text, which
    /// is reported.
    pub fn file(
        &mut self,
        place: &Place,
        name: &str,
        to: &mut dyn Write,
    ) -> io::Result<Option<Lines>> {
        let input = match place.kind {
            Kind::Log => Some(Input::File(place.path.clone())),
            Kind::Sample => Some(Input::Sample),
            Kind::Document | Kind::Text => None,
        };
        if let Some(input) = input {
            let source = input.open()?;
            let lines = self.lines(name, source, to)?;
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
            to.write_all(&clean)?;
        } else {
            to.write_all(redactor.text(&text).as_bytes())?;
        }
        self.report.take(name, redactor)?;
        Ok(Some(Lines { valid: 1, bad: 0 }))
    }
}

/// Returns whether an error is about the input or the output, and not about one
/// line.
fn is_of_stream(error: &Error) -> bool {
    error.kind() == ErrorKind::Io || !error.is_recoverable()
}
