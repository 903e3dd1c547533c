//! `linetape split`: one file for each session, type or day.

use std::{
    io,
    path::{MAIN_SEPARATOR, Path, PathBuf},
};

use clap::{Args, ValueEnum};
use linetape::{Error, ErrorKind, Level, Line};
use linetape_flow::Router;
use serde_json::Value;

use crate::{
    complaints::Complaints,
    files::Files,
    input::Input,
    outcome::{Outcome, print_message, reason},
    output::{Prints, input_in},
    real_path::stored_path,
    state::{State, StateFile, is_final},
    time::instant,
};

/// The arguments of `linetape split`.
#[derive(Args)]
pub struct Split {
    /// The key that decides to which file a line goes
    #[arg(long, value_enum)]
    by: By,
    /// The folder to write to; it is created if it does not exist
    ///
    /// Lines are appended to files that are there. With --state, if a run is
    /// killed, the next run writes its lines again, so that the files can have
    /// lines twice.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Empty a file before the first line is written to it
    #[arg(long, conflicts_with = "state")]
    replace: bool,
    #[command(flatten)]
    state: StateFile,
    #[command(flatten)]
    files: Files,
}

impl Split {
    pub fn files(&mut self) -> &mut Files {
        &mut self.files
    }

    pub fn state(&self) -> &StateFile {
        &self.state
    }
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

/// Appends each line to its file. Reports bad lines on standard error.
/// With a state, only new lines are read.
pub fn run(split: &Split) -> io::Result<Outcome> {
    let Split { output, files, .. } = split;
    let mut outcome = Outcome::Fine;
    if !split.state.is_apart_from_folder(output) {
        return Ok(Outcome::CouldNotRun);
    }
    let Ok(state) = open_state(split) else {
        return Ok(Outcome::CouldNotRun);
    };
    let inputs = files.inputs(Prints::AtTheEnd, &mut outcome);
    if let Some(input) = input_in(&inputs, output) {
        print_message(&format!("{input}: input file is in the output folder"));
        return Ok(Outcome::CouldNotRun);
    }
    let by = split.by;
    let mut router = match Router::by(output, move |line| by.key(line)) {
        Ok(router) if split.replace => router.replacing(),
        Ok(router) => router,
        Err(error) => return Ok(failed(output, &error, outcome)),
    };
    let outcome = write(split, inputs, &mut router, state, outcome);
    if !split.replace {
        report_removed(&router);
    }
    Ok(outcome)
}

/// Appends each line to its file, and saves the state.
fn write(
    split: &Split,
    mut inputs: Vec<Input>,
    router: &mut Router,
    mut state: Option<State>,
    mut outcome: Outcome,
) -> Outcome {
    let Split { output, files, .. } = split;
    if let Some(state) = &mut state {
        inputs = state.plan(inputs, &mut outcome);
    }
    let mut unread = vec![];
    let mut complaints = Complaints::default();
    for input in &inputs {
        let Some(source) = input.open_or_report(&mut outcome) else {
            unread.push(input);
            continue;
        };
        let reader = files.reader(Level::Kind).start(input.start());
        let mut reader = reader.build(source);
        let mut is_read = true;
        while let Some(line) = reader.next_line() {
            let error = match line {
                Ok(line) => match router.route(&line) {
                    Ok(()) => continue,
                    // The line is in memory, so this is about a file.
                    Err(e) if e.kind() == ErrorKind::Io => {
                        return failed(output, &e, outcome);
                    }
                    Err(error) => error,
                },
                Err(error) => error,
            };
            is_read &= is_final(&error);
            complaints.error(input, &error, &mut outcome);
        }
        complaints.end(input);
        if !is_read {
            unread.push(input);
        }
    }
    let done = match &state {
        Some(_) => router.sync(),
        None => router.flush(),
    };
    if let Err(error) = done {
        return failed(output, &error, outcome);
    }
    // After the lines are on the disk: a line can be written twice, but none is
    // lost.
    if let Some(state) = &mut state {
        unread.iter().for_each(|input| state.fail(input));
        state.save(|| (Value::Null, vec![]), &mut outcome);
    }
    outcome
}

/// Reports the files that an incomplete last line was removed from.
fn report_removed(router: &Router) {
    let removed = router.removed();
    let (first, others) = removed.split_at(removed.len().min(MOST_TOLD));
    for (path, bytes) in first {
        print_message(&format!(
            "{}: {bytes} bytes removed from its end: an incomplete line",
            path.display()
        ));
    }
    if !others.is_empty() {
        let bytes: u64 = others.iter().map(|(_, bytes)| bytes).sum();
        print_message(&format!(
            "{bytes} bytes removed from the ends of {} more files",
            others.len()
        ));
    }
}

/// The maximum number of files that are named in messages about removed bytes.
const MOST_TOLD: usize = 10;

fn open_state(split: &Split) -> Result<Option<State>, Outcome> {
    let Split { by, output, state, files, .. } = split;
    let by = by.to_possible_value();
    let by = by.as_ref().map_or("", |by| by.get_name());
    let output = stored_path(output);
    let (by, output) = (format!("--by {by}"), output.display());
    let mut arguments = vec!["split".into(), by, format!("-o {output}")];
    arguments.extend(files.arguments());
    state.open(arguments)
}

/// Reports that a file of the folder cannot be written.
fn failed(output: &Path, error: &Error, mut outcome: Outcome) -> Outcome {
    let folder = format!("{}{}", output.display(), MAIN_SEPARATOR);
    let reason = reason(error);
    // The error has the path of the file.
    let reason = reason.strip_prefix(&folder).unwrap_or(&reason);
    outcome.report(&output.display(), &reason, Outcome::CouldNotRun);
    outcome
}
