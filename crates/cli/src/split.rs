//! `linetape split`: one file for each session, type or day.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use linetape::{Error, ErrorKind, Line};
use linetape_flow::Router;

use crate::{
    complaints::Complaints,
    files::Files,
    outcome::{Outcome, print_message},
    output::{Prints, input_in},
    time::instant,
};

/// The arguments of `linetape split`.
#[derive(Args)]
pub struct Split {
    /// What the lines of a file have in common
    #[arg(long, value_enum)]
    by: By,
    /// The folder to write to; it is created if it does not exist
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    files: Files,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// The session id
    Session,
    /// The type, without the subtype
    Type,
    /// The date in the timestamp
    Day,
}

impl By {
    fn key(self, line: &Line<'_>) -> Result<Option<String>, Error> {
        Ok(match self {
            By::Session => line.peek()?.session_id().map(|id| id.to_string()),
            By::Type => line.kind()?.name().map(str::to_string),
            By::Day => {
                let message = line.peek()?;
                let time = message.timestamp();
                let time = time.filter(|time| instant(time).is_some());
                time.and_then(|time| time.get(..10)).map(str::to_string)
            }
        })
    }
}

/// Writes each line to its file. Reports invalid lines on standard error.
pub fn run(split: &Split) -> io::Result<Outcome> {
    let Split { by, output, files } = split;
    let by = *by;
    let mut outcome = Outcome::Fine;
    let inputs = files.inputs(Prints::AtTheEnd, &mut outcome);
    if let Some(input) = input_in(&inputs, output) {
        print_message(&format!("{input}: input file is in the output folder"));
        return Ok(Outcome::CouldNotRun);
    }
    let router = Router::by(output, move |line| by.key(line));
    let mut router = match router {
        Ok(router) => router.replacing(),
        Err(error) => {
            let output = output.display();
            outcome.report(&output, &error.reason(), Outcome::CouldNotRun);
            return Ok(outcome);
        }
    };
    let mut complaints = Complaints::default();
    for input in &inputs {
        let Some(source) = input.open_or_report(&mut outcome) else {
            continue;
        };
        let mut reader = files.reader().route(true).build(source);
        while let Some(line) = reader.next_line() {
            let error = match line {
                Ok(line) => match router.route(&line) {
                    Ok(()) => continue,
                    // The line is in memory, so this is about a file.
                    Err(e) if e.kind() == ErrorKind::Io => {
                        return Ok(failed(output, &e, outcome));
                    }
                    Err(error) => error,
                },
                Err(error) => error,
            };
            complaints.error(input, &error, &mut outcome);
        }
        complaints.end(input);
    }
    match router.flush() {
        Ok(()) => Ok(outcome),
        Err(error) => Ok(failed(output, &error, outcome)),
    }
}

/// Reports that a file of the folder cannot be written.
fn failed(output: &Path, error: &Error, mut outcome: Outcome) -> Outcome {
    let output = output.display();
    outcome.report(&output, &error.reason(), Outcome::CouldNotRun);
    outcome
}
