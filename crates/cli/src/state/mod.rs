//! `--state`: resumes where the last run ended.
//!
//! The file is a `Checkpoints` of linetape-flow. Its state is that of the
//! command, which has three parts: bytes of the command, a JSON document, and
//! the length of the document in eight bytes.

mod output;
mod plan;
mod refused;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use clap::Args;
use linetape::Error;
use linetape_flow::{Checkpoint, Checkpoints, Follow};
use serde_json::{Value, json};

use crate::{
    displaced::{Move, is_displaced},
    outcome::{Outcome, print_message},
    output::Output,
    rest::{Lines, Text},
    state::refused::{
        can_be_split, difference, overlap, with_remedy, written_to,
    },
    unfinished::Unfinished,
};

/// The version of the document.
const VERSION: u64 = 1;

/// How long a file must have been gone before it is forgotten.
const GONE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The least bytes of a state that is large.
const LARGE: usize = 256 << 10;

/// The file of the state.
#[derive(Args)]
pub struct StateFile {
    /// Read only what was appended since the last run, whose state is in this
    /// file
    ///
    /// The first run creates the file, and later runs update it. It stores how
    /// far each input was read, and the results so far. A last line without a
    /// newline is left to the next run. An input that was truncated or replaced
    /// is read again from its start. One that was renamed, moved or compressed
    /// is recognised by what was read of it, if that is at least 64 bytes, and
    /// reading continues where the last run stopped. An
    /// input that cannot be read to its end is read again by the next run, but
    /// `select` and `split` write the lines of a broken archive only once. An
    /// input that is missing for 30 days is forgotten: its results are kept, and
    /// if it reappears, it is read from its start.
    ///
    /// All runs with one file must have the same paths and options, except for
    /// options that only change what is printed. A run fails if another run is
    /// using the file.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
}

/// The state of a command, and the inputs that it is about.
pub struct State {
    path: PathBuf,
    checkpoints: Checkpoints,
    /// The command and its options, which all runs must have in common.
    arguments: Vec<String>,
    /// What the command has saved: nothing before the first run.
    saved: Option<(Value, Vec<u8>)>,
    /// Whether that is too large to be written again for a few lines.
    is_large: bool,
    planned: Vec<Planned>,
    /// How many files have been read and are forgotten.
    forgotten: u64,
    /// The old and the new paths of files that were moved. The new path is
    /// `None` if the checkpoint was removed.
    moved: Vec<Move>,
    /// Whether there is anything to save.
    is_changed: bool,
    /// The output and the inputs of the last run, if that run did not end.
    unfinished: Option<Unfinished>,
    /// The output of this run, until it is finished.
    output: Option<PathBuf>,
}

/// A file that is read now.
struct Planned {
    /// Its path in the state.
    key: PathBuf,
    place: Place,
    first_line: u64,
    lines: Lines,
}

/// The place after the last line. Its line number is not known yet.
enum Place {
    Plain(Checkpoint),
    /// The text of a compressed file is read first.
    Compressed(Text),
}

impl StateFile {
    /// Returns whether the file is not one of the inputs, and would not be one
    /// in the next run. Otherwise reports it.
    pub fn is_apart_from(&self, inputs: &[PathBuf]) -> bool {
        let path = self.state.as_deref();
        let overlap = path.and_then(|path| overlap(path, inputs));
        if let Some((input, why)) = overlap {
            print_message(&format!("{}: {why}", input.display()));
        }
        overlap.is_none()
    }

    /// Returns whether an output is neither the file, nor one that is written
    /// beside it. Otherwise reports it.
    pub fn is_apart_from_output(&self, output: &Output) -> bool {
        let path = self.state.as_deref();
        let written = path.and_then(|path| written_to(path, output));
        if let Some(path) = &written {
            let path = path.display();
            print_message(&format!(
                "{path}: the output is the file of the state"
            ));
        }
        written.is_none()
    }

    /// Returns whether the file is not one that is written to a folder.
    /// Otherwise reports it.
    pub fn is_apart_from_folder(&self, folder: &Path) -> bool {
        let path = self.state.as_deref();
        let path = path.filter(|path| can_be_split(path, folder));
        if let Some(path) = path {
            print_message(&format!(
                "{}: the file of the state would be an output",
                path.display()
            ));
        }
        path.is_none() && self.is_apart_from_output(&Output::to(folder.into()))
    }

    /// Opens the file, if one was given, and locks it. Otherwise reports why
    /// that is impossible.
    pub fn open(
        &self,
        arguments: Vec<String>,
    ) -> Result<Option<State>, Outcome> {
        let Some(path) = &self.state else { return Ok(None) };
        let refuse = |why: &str| {
            print_message(&format!("--state {}: {why}", path.display()));
            Outcome::CouldNotRun
        };
        // An empty file, such as a new temporary file, has nothing to lose.
        let is_empty = fs::metadata(path)
            .is_ok_and(|facts| facts.is_file() && facts.len() == 0);
        let checkpoints = match is_empty {
            true => Checkpoints::create(path),
            false => Checkpoints::open(path),
        };
        let mut checkpoints = match checkpoints {
            Ok(checkpoints) => checkpoints,
            Err(error) => return Err(refuse(&reason(&error))),
        };
        let mut state = checkpoints.take_state();
        let is_large = state.len() >= LARGE;
        let (mut saved, mut unfinished, mut forgotten) = (None, None, 0);
        if !state.is_empty() {
            let Some(parts) = read(&state) else {
                let why = "not a state of this version of the command";
                return Err(refuse(&with_remedy(&why)));
            };
            let Read { arguments: before, of: document, .. } = parts;
            if before != arguments {
                let differs = difference(&before, &arguments);
                let before = before.join(" ");
                return Err(refuse(&format!(
                    "the file belongs to `linetape {before}`, and {differs}; \
                     remove it, or use another one"
                )));
            }
            state.truncate(parts.length);
            saved = Some((document, state));
            (unfinished, forgotten) = (parts.unfinished, parts.forgotten);
        }
        Ok(Some(State {
            path: path.clone(),
            checkpoints,
            arguments,
            is_changed: saved.is_none(),
            saved,
            is_large,
            planned: vec![],
            forgotten,
            moved: vec![],
            unfinished,
            output: None,
        }))
    }
}

/// Returns the text of an error that is about no line.
fn reason(error: &Error) -> String {
    match error.io_error() {
        Some(error) => error.to_string(),
        None => error.reason().to_string(),
    }
}

/// What is after the bytes of the command in a state.
struct Read {
    arguments: Vec<String>,
    /// The document of the command.
    of: Value,
    /// The number of the bytes of the command.
    length: usize,
    /// The output and the inputs of a run that did not end.
    unfinished: Option<Unfinished>,
    forgotten: u64,
}

fn read(state: &[u8]) -> Option<Read> {
    let (rest, length) = state.split_last_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let at = rest.len().checked_sub(length)?;
    let document = rest.get(at..)?;
    let mut document: Value = serde_json::from_slice(document).ok()?;
    if document["version"] != VERSION {
        return None;
    }
    let arguments = document["arguments"].as_array()?.iter();
    let arguments = arguments.map(|text| Some(text.as_str()?.to_string()));
    let unfinished = Unfinished::read(&document["unfinished"]);
    let arguments = arguments.collect::<Option<_>>()?;
    let forgotten = document["forgotten"].as_u64().unwrap_or(0);
    let (of, length) = (document["of"].take(), at);
    Some(Read { arguments, of, length, unfinished, forgotten })
}

impl State {
    /// Returns what the command has saved, if this is not the first run.
    pub fn take_saved(&mut self) -> Option<(Value, Vec<u8>)> {
        self.saved.take()
    }

    /// Returns what was added to what the command has saved.
    pub fn additions(&self) -> impl Iterator<Item = &[u8]> {
        self.checkpoints.additions()
    }

    /// Returns whether to [save](State::save_addition) only what is new.
    pub fn is_large(&self) -> bool {
        self.is_large
    }

    /// Reports that what the command has saved cannot be used.
    pub fn refuse(&self, why: &dyn std::fmt::Display) -> Outcome {
        let (path, why) = (self.path.display(), with_remedy(why));
        print_message(&format!("--state {path}: {why}"));
        Outcome::CouldNotRun
    }

    /// Returns a function that tells whether a path has a checkpoint, or is
    /// read by this run.
    pub fn knows(&self) -> impl Fn(&str) -> bool {
        let known = self.checkpoints.iter().map(Checkpoint::path);
        let planned = self.planned.iter().map(|planned| &*planned.key);
        let paths =
            known.chain(planned).map(|path| path.display().to_string());
        let paths: BTreeSet<String> = paths.collect();
        move |path| paths.contains(path)
    }

    /// Returns the number of files that have been read.
    pub fn files(&self) -> u64 {
        let planned = self.planned.iter().map(|planned| &planned.key);
        let new = planned.filter(|path| self.checkpoints.get(path).is_none());
        let known = self.checkpoints.iter().filter(|old| !is_displaced(old));
        (known.count() + new.count()) as u64 + self.forgotten
    }

    /// Lets logs that are followed continue where the last run ended.
    pub fn resume(&self, follow: Follow) -> Follow {
        self.checkpoints.resume(follow)
    }

    /// Copies how far logs that are followed have been read.
    pub fn update(&mut self, follow: &mut Follow) {
        self.checkpoints.update(follow);
        self.is_changed = true;
    }

    /// Returns the old and the new paths of files that were moved. The new path
    /// is `None` if the checkpoint was removed.
    pub fn moved(&self) -> &[Move] {
        &self.moved
    }

    /// Saves what the command needs for the next run: a document and bytes.
    /// All planned inputs must have been read. If nothing has changed, the file
    /// is not written. Returns whether the file is up to date; if not, that is
    /// reported.
    pub fn save(
        &mut self,
        saved: impl FnOnce() -> (Value, Vec<u8>),
        outcome: &mut Outcome,
    ) -> bool {
        if !self.is_changed {
            return true;
        }
        self.take_planned(outcome);
        self.write(saved, None, outcome)
    }

    fn write(
        &mut self,
        saved: impl FnOnce() -> (Value, Vec<u8>),
        inputs: Option<Vec<Checkpoint>>,
        outcome: &mut Outcome,
    ) -> bool {
        let (document, mut bytes) = saved();
        let mut document = json!({
            "version": VERSION, "arguments": self.arguments, "of": document,
        });
        self.forget_gone();
        if self.forgotten > 0 {
            document["forgotten"] = json!(self.forgotten);
        }
        // If the output cannot be read, it is not repaired.
        if (self.output.is_some() || inputs.is_some())
            && let Ok(unfinished) =
                Unfinished::new(self.output.as_deref(), inputs)
            && let Some(unfinished) = unfinished.to_json()
        {
            document["unfinished"] = unfinished;
        }
        let document = document.to_string();
        bytes.extend(document.as_bytes());
        bytes.extend((document.len() as u64).to_le_bytes());
        self.checkpoints.set_state(bytes);
        let done = self.checkpoints.save();
        self.note(done, outcome)
    }

    /// Forgets files that have been gone for long.
    fn forget_gone(&mut self) {
        let now = SystemTime::now();
        self.checkpoints.note_gone(now);
        if let Some(time) = now.checked_sub(GONE) {
            let before = self.files();
            self.checkpoints.forget_gone(time);
            self.forgotten += before.saturating_sub(self.files());
        }
    }

    /// Saves only bytes that the next run adds to what was saved before, if
    /// that costs less. Otherwise it is like [`save`](State::save).
    pub fn save_addition(
        &mut self,
        addition: &[u8],
        saved: impl FnOnce() -> (Value, Vec<u8>),
        outcome: &mut Outcome,
    ) -> bool {
        if !self.is_changed {
            return true;
        }
        self.take_planned(outcome);
        match self.checkpoints.save_addition(addition) {
            Ok(false) => self.save(saved, outcome),
            Ok(true) => self.note(Ok(()), outcome),
            Err(error) => self.note(Err(error), outcome),
        }
    }

    /// Sets the checkpoints of what was planned.
    fn take_planned(&mut self, outcome: &mut Outcome) {
        for planned in std::mem::take(&mut self.planned) {
            let Planned { key, place, first_line, lines } = planned;
            let line = first_line.saturating_add(lines.count());
            let checkpoint = match place {
                Place::Plain(checkpoint) => Ok(checkpoint),
                Place::Compressed(text) => text.checkpoint(&key),
            };
            match checkpoint {
                Ok(checkpoint) => {
                    self.checkpoints.set(checkpoint.with_line(line));
                }
                Err(error) => {
                    let file = key.display();
                    outcome.report(&file, &error, Outcome::CouldNotRun);
                }
            }
        }
    }

    /// Notes whether the state was saved, and returns it.
    fn note(&mut self, done: Result<(), Error>, to: &mut Outcome) -> bool {
        self.is_changed = done.is_err();
        if let Err(error) = done {
            let path = format!("--state {}", self.path.display());
            to.report(&path, &reason(&error), Outcome::CouldNotRun);
        }
        !self.is_changed
    }
}
