//! `--state`: goes on where the last run ended.
//!
//! The file is a `Checkpoints` of linetape-flow. Its state is that of the
//! command, which has three parts: bytes of the command, a JSON document, and
//! the length of the document in eight bytes.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use clap::Args;
use linetape::{Error, Position};
use linetape_flow::{Checkpoint, Checkpoints, Follow};
use serde_json::{Value, json};

use crate::{
    input::Input,
    known::{self, Candidate, Known},
    outcome::{Outcome, print_message},
    rest::{Lines, Rest, Text, end_of_lines},
};

/// The version of the document.
const VERSION: u64 = 1;

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
    /// is recognised, and read on from where the last run stopped. An input
    /// that cannot be read to its end is read again by the next run.
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
    /// The old and the new paths of files that were moved.
    moved: Vec<(PathBuf, PathBuf)>,
    /// Whether there is anything to save.
    is_changed: bool,
}

/// A file that is read now.
struct Planned {
    /// Its absolute path.
    key: PathBuf,
    place: Place,
    first_line: u64,
    lines: Lines,
}

/// The place after the last line. Its line number is not known yet.
enum Place {
    Plain(Checkpoint),
    /// The text of a compressed file of this size is read first.
    Compressed(Text, u64),
}

impl StateFile {
    /// Returns the path of the file.
    pub fn path(&self) -> Option<&Path> {
        self.state.as_deref()
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
            is_large,
            planned: vec![],
            moved: vec![],
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
        print_message(&format!("--state {}: {why}", self.path.display()));
        Outcome::CouldNotRun
    }

    /// Returns the number of files that have been read.
    pub fn files(&self) -> u64 {
        let planned = self.planned.iter().map(|planned| &planned.key);
        let new = planned.filter(|path| self.checkpoints.get(path).is_none());
        (self.checkpoints.iter().count() + new.count()) as u64
    }

    /// Returns the new parts of the inputs. Inputs without news are left out.
    pub fn plan(
        &mut self,
        inputs: Vec<Input>,
        outcome: &mut Outcome,
    ) -> Vec<Input> {
        let mut files = vec![];
        for input in inputs {
            match self.candidate(&input) {
                Ok(file) => files.push(file),
                Err(error) => {
                    outcome.report(&input, &error, Outcome::CouldNotRun);
                }
            }
        }
        for (path, error) in known::find(&self.checkpoints, &mut files) {
            outcome.report(&path.display(), &error, Outcome::CouldNotRun);
        }
        // All old paths first: one of them can be the new path of another file.
        for file in &files {
            if let Known::Moved(old) = &file.known {
                self.checkpoints.remove(old.path());
            }
        }
        let mut news = vec![];
        for file in files {
            let input = Input::File(file.path.clone());
            match self.plan_file(file) {
                Ok(rest) => news.extend(rest.map(Input::Rest)),
                Err(error) => {
                    outcome.report(&input, &error, Outcome::CouldNotRun);
                }
            }
        }
        news
    }

    fn candidate(&self, input: &Input) -> io::Result<Candidate> {
        let Input::File(path) = input else {
            let why = "--state needs files, which can be read again";
            return Err(io::Error::other(why));
        };
        let file = Candidate::new(path)?;
        if fs::canonicalize(path).ok() == fs::canonicalize(&self.path).ok() {
            return Err(io::Error::other("the file of the state"));
        }
        Ok(file)
    }

    fn plan_file(&mut self, file: Candidate) -> io::Result<Option<Rest>> {
        let Candidate { path, key, facts, is_compressed, known } = file;
        let size = facts.len();
        let mut start = Position::START;
        match known {
            Known::New => {}
            Known::All(known) => {
                self.renumber(known, &facts);
                return Ok(None);
            }
            Known::Until(known) => {
                start = Position::new(known.line(), known.offset());
                self.renumber(known, &facts);
            }
            Known::Moved(old) => {
                start = Position::new(old.line(), old.offset());
                if !is_compressed {
                    let new = Checkpoint::of_file(&key, old.offset())?;
                    self.checkpoints.set(new.with_line(old.line()));
                }
                self.moved.push((old.path().to_path_buf(), key.clone()));
                self.is_changed = true;
            }
            Known::Replaced => {
                // Saved even if the file has no complete line now.
                self.is_changed |= self.checkpoints.remove(&key);
                print_message(&format!(
                    "{}: truncated or replaced since the last run; reading it \
                     from its start",
                    path.display()
                ));
            }
        }
        let (place, rest) = if is_compressed {
            let rest = Rest::compressed(path, key.clone(), start, size);
            let text = rest.text().unwrap_or_default();
            (Place::Compressed(text, size), rest)
        } else {
            let mut file = File::open(&path)?;
            let end = end_of_lines(&mut file, start.byte(), size)?;
            if end == start.byte() {
                return Ok(None);
            }
            let place = Place::Plain(Checkpoint::of_file(&key, end)?);
            (place, Rest::new(path, key.clone(), start, end))
        };
        self.is_changed = true;
        let (first_line, lines) = (start.line(), rest.lines());
        self.planned.push(Planned { key, place, first_line, lines });
        Ok(Some(rest))
    }

    /// Notes the numbers of a file that was restored or copied. If it is moved
    /// later, it is found by them.
    fn renumber(&mut self, known: Checkpoint, facts: &fs::Metadata) {
        if !known.has_identity(facts) {
            self.checkpoints.set(known.with_identity(facts));
            self.is_changed = true;
        }
    }

    /// Notes that an input could not be read to its end. The next run reads
    /// it again.
    pub fn fail(&mut self, input: &Input) {
        if let Input::Rest(rest) = input {
            self.planned.retain(|planned| planned.key != rest.key());
        }
        print_message(&format!(
            "{input}: not saved in the state; the next run reads it again"
        ));
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

    /// Returns the old and the new paths of files that were moved.
    pub fn moved(&self) -> &[(PathBuf, PathBuf)] {
        &self.moved
    }

    /// Saves what the command needs for the next run: a document and bytes.
    /// All planned inputs must have been read. Without news, the file is as
    /// it should be. Returns whether it is; if not, that is reported.
    pub fn save(
        &mut self,
        saved: impl FnOnce() -> (Value, Vec<u8>),
        outcome: &mut Outcome,
    ) -> bool {
        if !self.is_changed {
            return true;
        }
        self.take_planned(outcome);
        let (document, mut bytes) = saved();
        let document = json!({
            "version": VERSION, "arguments": self.arguments, "of": document,
        });
        let document = document.to_string();
        bytes.extend(document.as_bytes());
        bytes.extend((document.len() as u64).to_le_bytes());
        self.checkpoints.set_state(bytes);
        let done = self.checkpoints.save();
        self.note(done, outcome)
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
                Place::Compressed(text, size) => text.checkpoint(&key, size),
            };
            match checkpoint {
                Ok(checkpoint) => {
                    self.checkpoints.set(checkpoint.with_line(line));
                }
                // It was removed while it was read.
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
