//! `--state`: goes on where the last run ended.
//!
//! The file is a `Checkpoints` of linetape-flow. Its state is that of the
//! command, which has three parts: bytes of the command, a JSON document, and
//! the length of the document in eight bytes.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use clap::Args;
use linetape::{Error, Position};
use linetape_flow::{Checkpoint, Checkpoints, Format};
use serde_json::{Value, json};

use crate::{
    input::Input,
    outcome::{Outcome, print_message},
    rest::{Lines, Rest, end_of_lines},
};

/// The version of the document.
const VERSION: u64 = 1;

/// The file of the state.
#[derive(Args)]
pub struct StateFile {
    /// Read only what was appended since the last run with this file
    ///
    /// The first run creates the file, and later runs update it. It stores how
    /// far each input was read, and the data for the report. A last line
    /// without a newline is left to the next run. An input that was truncated
    /// or replaced is read from its start.
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
    planned: Vec<Planned>,
    /// The old and the new paths of files that were moved.
    moved: Vec<(PathBuf, PathBuf)>,
    /// Whether there is anything to save.
    is_changed: bool,
}

/// A file that is read now.
struct Planned {
    /// The place after the last line. Its line number is not known yet.
    checkpoint: Checkpoint,
    first_line: u64,
    lines: Lines,
}

impl StateFile {
    /// Returns whether there is one.
    pub fn is_given(&self) -> bool {
        self.state.is_some()
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
        let mut checkpoints = match Checkpoints::open(path) {
            Ok(checkpoints) => checkpoints,
            Err(error) => return Err(refuse(&reason(&error))),
        };
        let mut state = checkpoints.take_state();
        let mut saved = None;
        if !state.is_empty() {
            let Some((before, document, length)) = read(&state) else {
                let why = "not a state of this version of the command";
                return Err(refuse(why));
            };
            if before != arguments {
                let before = before.join(" ");
                return Err(refuse(&format!(
                    "the file belongs to `linetape {before}`; remove it, or \
                     use another one"
                )));
            }
            state.truncate(length);
            saved = Some((document, state));
        }
        Ok(Some(State {
            path: path.clone(),
            checkpoints,
            arguments,
            is_changed: saved.is_none(),
            saved,
            planned: vec![],
            moved: vec![],
        }))
    }
}

/// Returns the text of an error that is about no line.
fn reason(error: &Error) -> String {
    match error.io_error() {
        Some(error) => error.to_string(),
        None => error.to_string(),
    }
}

/// Reads the arguments and the document of a state, and the number of its
/// bytes.
fn read(state: &[u8]) -> Option<(Vec<String>, Value, usize)> {
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
    Some((arguments.collect::<Option<_>>()?, document["of"].take(), at))
}

impl State {
    /// Returns what the command has saved, if this is not the first run.
    pub fn take_saved(&mut self) -> Option<(Value, Vec<u8>)> {
        self.saved.take()
    }

    /// Reports that what the command has saved cannot be used.
    pub fn refuse(&self, why: &dyn std::fmt::Display) -> Outcome {
        print_message(&format!("--state {}: {why}", self.path.display()));
        Outcome::CouldNotRun
    }

    /// Returns the number of files that have been read.
    pub fn files(&self) -> u64 {
        let planned = self.planned.iter().map(|p| p.checkpoint.path());
        let new = planned.filter(|path| self.checkpoints.get(path).is_none());
        (self.checkpoints.iter().count() + new.count()) as u64
    }

    /// Returns the new parts of the inputs. Inputs without news are left out.
    pub fn plan(
        &mut self,
        inputs: Vec<Input>,
        outcome: &mut Outcome,
    ) -> Vec<Input> {
        let mut news = vec![];
        for input in inputs {
            let planned = match &input {
                Input::File(path) => self.plan_file(path),
                _ => {
                    let why = "--state needs files, which can be read again";
                    Err(io::Error::other(why))
                }
            };
            match planned {
                Ok(rest) => news.extend(rest.map(Input::Rest)),
                Err(error) => {
                    outcome.report(&input, &error, Outcome::CouldNotRun);
                }
            }
        }
        news
    }

    fn plan_file(&mut self, path: &Path) -> io::Result<Option<Rest>> {
        let facts = fs::metadata(path)?;
        if !facts.is_file() {
            let why = "not a regular file; --state needs those";
            return Err(io::Error::other(why));
        }
        if fs::canonicalize(path).ok() == fs::canonicalize(&self.path).ok() {
            return Err(io::Error::other("the file of the state"));
        }
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut start = Position::START;
        if let Some(known) = self.known(path)? {
            if known.is_of(path)? {
                start = Position::new(known.line(), known.offset());
            } else {
                // Saved even if the file has no complete line now.
                self.is_changed |= self.checkpoints.remove(path);
                print_message(&format!(
                    "{}: truncated or replaced since the last run; reading it \
                     from its start",
                    path.display()
                ));
            }
        }
        let mut first = [0; 4];
        let length = file.read(&mut first)?;
        let first = first.get(..length).unwrap_or_default();
        let end = match Format::of(first) {
            Format::Plain => end_of_lines(&mut file, start.byte(), size)?,
            // It cannot be read from the middle. If it is not the same any
            // more, it is read again.
            _ if start.byte() == size => size,
            _ => {
                start = Position::START;
                size
            }
        };
        if end == start.byte() {
            return Ok(None);
        }
        self.is_changed = true;
        let rest = Rest::new(path.to_path_buf(), start, end);
        self.planned.push(Planned {
            checkpoint: Checkpoint::of_file(path, end)?,
            first_line: start.line(),
            lines: rest.lines(),
        });
        Ok(Some(rest))
    }

    /// Returns the checkpoint of a file: that of its path, or that of a file
    /// that has been moved to it.
    fn known(&mut self, path: &Path) -> io::Result<Option<Checkpoint>> {
        if let Some(known) = self.checkpoints.get(path) {
            return Ok(Some(known.clone()));
        }
        let moved = self.checkpoints.iter().find(|known| {
            known.offset() > 0
                && known.path().file_name() == path.file_name()
                && !known.path().exists()
                && known.is_of(path).unwrap_or(false)
        });
        let Some(moved) = moved.cloned() else { return Ok(None) };
        let known = Checkpoint::of_file(path, moved.offset())?;
        let known = known.with_line(moved.line());
        self.checkpoints.remove(moved.path());
        self.checkpoints.set(known.clone());
        self.moved.push((moved.path().to_path_buf(), path.to_path_buf()));
        self.is_changed = true;
        Ok(Some(known))
    }

    /// Returns the old and the new paths of files that were moved.
    pub fn moved(&self) -> &[(PathBuf, PathBuf)] {
        &self.moved
    }

    /// Saves what the command needs for the next run: a document and bytes.
    /// All planned inputs must have been read. Without news, the file is as
    /// it should be.
    pub fn save(
        mut self,
        saved: impl FnOnce() -> (Value, Vec<u8>),
        outcome: &mut Outcome,
    ) {
        if !self.is_changed {
            return;
        }
        let (document, mut bytes) = saved();
        for Planned { checkpoint, first_line, lines } in self.planned {
            let line = first_line.saturating_add(lines.count());
            self.checkpoints.set(checkpoint.with_line(line));
        }
        let document = json!({
            "version": VERSION, "arguments": self.arguments, "of": document,
        });
        let document = document.to_string();
        bytes.extend(document.as_bytes());
        bytes.extend((document.len() as u64).to_le_bytes());
        self.checkpoints.set_state(bytes);
        if let Err(error) = self.checkpoints.save() {
            let path = format!("--state {}", self.path.display());
            outcome.report(&path, &reason(&error), Outcome::CouldNotRun);
        }
    }
}
