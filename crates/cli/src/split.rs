//! `linetape split`: one file for each session, type or day.

use std::{
    io,
    path::{MAIN_SEPARATOR, Path, PathBuf},
};

use clap::{Args, ValueEnum};
use linetape::{Error, ErrorKind, Line};
use linetape_flow::Router;
use serde_json::{Value, json};

use crate::{
    complaints::Complaints,
    files::Files,
    input::Input,
    outcome::{Outcome, print_message},
    output::{Prints, input_in},
    real_path::stored_path,
    state::{State, StateFile},
    time::instant,
    unfinished::{Again, report_removed},
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
    /// killed, the next run removes what was appended to its files since that
    /// run began, and writes its own lines again. Lines of other programs are
    /// removed too, because they cannot be told apart. A message says how many
    /// bytes were removed. If an input of the killed run is missing or has
    /// changed, only incomplete last lines are removed, and the files can have
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
/// With a state, only new lines are read, and lines that an interrupted run has
/// written are removed first.
pub fn run(split: &Split) -> io::Result<Outcome> {
    let Split { output, files, .. } = split;
    let mut outcome = Outcome::Fine;
    if !split.state.is_apart_from_folder(output) {
        return Ok(Outcome::CouldNotRun);
    }
    let Ok(mut state) = open_state(split) else {
        return Ok(Outcome::CouldNotRun);
    };
    let inputs = files.inputs(Prints::AtTheEnd, &mut outcome);
    if let Some(input) = input_in(&inputs, output) {
        print_message(&format!("{input}: input file is in the output folder"));
        return Ok(Outcome::CouldNotRun);
    }
    let (mut router, is_repaired) =
        match router(split, state.as_mut(), &inputs) {
            Ok(router) => router,
            Err(error) => return Ok(failed(output, &error, outcome)),
        };
    // At once, since this run can be killed, too.
    let told = report_removed_from(&router, 0, split.replace);
    let state = state.as_mut();
    let outcome =
        write(split, inputs, &mut router, state, is_repaired, outcome);
    report_removed_from(&router, told, split.replace);
    Ok(outcome)
}

/// Appends each line to its file, and saves the state.
fn write(
    split: &Split,
    mut inputs: Vec<Input>,
    router: &mut Router,
    mut state: Option<&mut State>,
    is_repaired: bool,
    mut outcome: Outcome,
) -> Outcome {
    let Split { output, files, .. } = split;
    if let Some(state) = &mut state {
        inputs = state.plan(inputs, &mut outcome);
        // If this run is interrupted, the next one knows what was in the files
        // before.
        if is_repaired || !inputs.is_empty() {
            let sizes = match router.save() {
                Ok(sizes) => sizes,
                Err(error) => return failed(output, &error, outcome),
            };
            if !state.begin(|| (Value::Null, sizes), &mut outcome) {
                return outcome;
            }
        }
    }
    let mut unread = vec![];
    let mut complaints = Complaints::default();
    for input in &inputs {
        let Some(source) = input.open_or_report(&mut outcome) else {
            unread.push(input);
            continue;
        };
        let reader = files.reader().route(true).start(input.start());
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
            is_read &= error.is_recoverable();
            complaints.error(input, &error, &mut outcome);
        }
        complaints.end(input);
        let is_kept =
            is_read || state.as_mut().is_some_and(|state| state.stop(input));
        if !is_kept {
            unread.push(input);
        }
    }
    let done = match &mut state {
        Some(state) => {
            unread.iter().for_each(|input| state.fail(input));
            save(router, state, &mut outcome)
        }
        None => router.flush(),
    };
    match done {
        Ok(()) => outcome,
        Err(error) => failed(output, &error, outcome),
    }
}

/// Reports the files that bytes were removed from, without the first `told`
/// ones. With `--replace`, nothing is reported. Returns the number of files so
/// far.
fn report_removed_from(
    router: &Router,
    told: usize,
    is_asked_for: bool,
) -> usize {
    let removed = router.removed();
    if !is_asked_for {
        let new = removed.get(told..).unwrap_or_default();
        let (first, others) = new.split_at(new.len().min(MOST_TOLD));
        for (path, bytes) in first {
            report_removed(path, *bytes);
        }
        if !others.is_empty() {
            let bytes: u64 = others.iter().map(|(_, bytes)| bytes).sum();
            print_message(&format!(
                "{bytes} bytes removed from the ends of {} more files",
                others.len()
            ));
        }
    }
    removed.len()
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

/// Returns the router, and whether it has repaired the files of a run that was
/// interrupted.
fn router(
    split: &Split,
    state: Option<&mut State>,
    inputs: &[Input],
) -> Result<(Router, bool), Error> {
    let by = split.by;
    let router = Router::by(&split.output, move |line| by.key(line))?;
    let saved = state.and_then(|state| {
        Some((state.take_saved()?, state.take_unfinished()))
    });
    let Some(((run, sizes), unfinished)) = saved else {
        let router = if split.replace { router.replacing() } else { router };
        return Ok((router, false));
    };
    if run["finished"] == true {
        return Ok((router.reopen(&sizes)?, false));
    }
    let again = unfinished.map_or(Again::Unknown, |run| run.again(inputs));
    Ok(match again {
        Again::All => (router.resume(&sizes)?, true),
        Again::Some | Again::Unknown => (router.repair(&sizes)?, true),
    })
}

/// Saves how far the inputs were read, when all lines are on the disk, and that
/// this run has finished.
fn save(
    router: &mut Router,
    state: &mut State,
    outcome: &mut Outcome,
) -> Result<(), Error> {
    let sizes = router.save()?;
    state.save(|| (json!({"finished": true}), sizes), outcome);
    Ok(())
}

/// Reports that a file of the folder cannot be written.
fn failed(output: &Path, error: &Error, mut outcome: Outcome) -> Outcome {
    let folder = format!("{}{}", output.display(), MAIN_SEPARATOR);
    let reason = match error.io_error() {
        Some(error) => error.to_string(),
        None => error.reason().to_string(),
    };
    // The error has the path of the file.
    let reason = reason.strip_prefix(&folder).unwrap_or(&reason);
    outcome.report(&output.display(), &reason, Outcome::CouldNotRun);
    outcome
}
