//! `--state`: resumes where the last run ended.
//!
//! The file is a `Checkpoints` of linetape-flow: how far each input was read.
//! Its state is that of the command, which has three parts: bytes of the
//! command, a JSON document, and the length of the document in eight bytes.
//!
//! The file is saved after the results are written, so that each line is
//! written at least once. A checkpoint of a compressed file is one of its
//! compressed bytes: if they have changed, the file is read again.

mod plan;
mod refused;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use clap::Args;
use linetape::{Error, ErrorKind};
use linetape_flow::{Checkpoint, Checkpoints, Follow};
use serde_json::{Value, json};

use crate::{
    outcome::{Outcome, print_message, reason},
    output::Output,
    rest::Lines,
    state::refused::{
        can_be_split, difference, overlap, with_remedy, written_to,
    },
};

/// The version of the document.
const VERSION: u64 = 2;

/// How long a file must have been gone before it is forgotten.
const GONE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The file of the state.
#[derive(Args)]
pub struct StateFile {
    /// Read only what was appended since the last run, whose state is in this
    /// file
    ///
    /// The first run creates the file, and later runs update it. It stores how
    /// far each input was read, and the results so far. A last line without a
    /// newline is left to the next run. An input that was renamed is recognised
    /// if at least 64 bytes of it were read.
    ///
    /// If an input was truncated, replaced or removed, `usage` and `stats` read
    /// all inputs again, so that their results are those of a run without
    /// --state. `select` and `split` read that input again from its start, so
    /// that lines can be written twice. The same applies to an input that was
    /// copied or compressed, and to a compressed one that has grown.
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
    /// The old and new paths of files. `None` if the old content is gone.
    moved: Vec<(PathBuf, Option<PathBuf>)>,
    /// Whether there is anything to save.
    is_changed: bool,
    /// Inputs that could not be opened. What is in them may come back.
    failed: Vec<PathBuf>,
}

/// A file that is read now.
struct Planned {
    /// After its last line, whose number is not known yet.
    end: Checkpoint,
    first_line: u64,
    lines: Lines,
}

impl StateFile {
    /// Returns whether the file is not one of the inputs, and would not be one
    /// in the next run. Otherwise reports it.
    pub fn is_apart_from(&self, inputs: &[PathBuf]) -> bool {
        self.is_apart(|path| overlap(path, inputs))
    }

    /// Returns whether an output is neither the file, nor one that is written
    /// beside it. Otherwise reports it.
    pub fn is_apart_from_output(&self, output: &Output) -> bool {
        let why = "the output is the file of the state";
        self.is_apart(|path| Some((written_to(path, output)?, why)))
    }

    /// Returns whether the file is not one that is written to a folder.
    /// Otherwise reports it.
    pub fn is_apart_from_folder(&self, folder: &Path) -> bool {
        let why = "the file of the state would be an output";
        let is_in = |path: &Path| can_be_split(path, folder);
        self.is_apart(|path| is_in(path).then(|| (path.into(), why)))
            && self.is_apart_from_output(&Output::to(folder.into()))
    }

    /// Reports the path and the reason that `find` returns for the file.
    fn is_apart(
        &self,
        find: impl FnOnce(&Path) -> Option<(PathBuf, &'static str)>,
    ) -> bool {
        let found = self.state.as_deref().and_then(find);
        if let Some((path, why)) = &found {
            print_message(&format!("{}: {why}", path.display()));
        }
        found.is_none()
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
        let mut saved = None;
        if !state.is_empty() {
            let Some((before, document, length)) = read(&state) else {
                let why = "not a state of this version of the command";
                return Err(refuse(&with_remedy(&why)));
            };
            if before != arguments {
                let differs = difference(&before, &arguments);
                let before = before.join(" ");
                return Err(refuse(&format!(
                    "the file belongs to `linetape {before}`, and {differs}; \
                     remove it, or use another one"
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
            failed: vec![],
        }))
    }
}

/// Returns whether an input counts as read in spite of an error. If so, the
/// error is reported once. Of an archive, what is after a fault stays lost
/// until the archive changes.
pub fn is_final(error: &Error) -> bool {
    error.is_recoverable() || error.kind() == ErrorKind::Decompress
}

/// Returns what is after the bytes of the command in a state: the arguments and
/// the document of the command, and the number of the bytes before them.
fn read(state: &[u8]) -> Option<(Vec<String>, Value, usize)> {
    let (rest, length) = state.split_last_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let at = rest.len().checked_sub(length)?;
    let document = rest.get(at..)?;
    let mut document: Value = serde_json::from_slice(document).ok()?;
    if document["version"] != VERSION {
        return None;
    }
    let arguments = document["arguments"].take();
    let arguments = serde_json::from_value(arguments).ok()?;
    Some((arguments, document["of"].take(), at))
}

impl State {
    /// Returns what the command has saved, if this is not the first run.
    pub fn take_saved(&mut self) -> Option<(Value, Vec<u8>)> {
        self.saved.take()
    }

    /// Reports that what the command has saved cannot be used.
    pub fn refuse(&self, why: &dyn std::fmt::Display) -> Outcome {
        let (path, why) = (self.path.display(), with_remedy(why));
        print_message(&format!("--state {path}: {why}"));
        Outcome::CouldNotRun
    }

    /// Returns the paths of all files that have been read, or are read by this
    /// run, as they are printed.
    pub fn paths(&self) -> BTreeSet<String> {
        let planned = self.planned.iter().map(|planned| &planned.end);
        let known = self.checkpoints.iter().chain(planned);
        known.map(|file| file.path().display().to_string()).collect()
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

    /// Takes a value by the old path of each file that was moved, or whose old
    /// content is gone. Returns the values of the former by the new paths.
    pub fn renamed<T>(
        &self,
        mut take: impl FnMut(&str) -> Option<T>,
    ) -> Vec<(String, T)> {
        let renamed = self.moved.iter().filter_map(|(old, new)| {
            let value = take(&old.display().to_string())?;
            Some((new.as_ref()?.display().to_string(), value))
        });
        // All old paths first: one of them can be the new path of another file.
        renamed.collect()
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
        for Planned { end, first_line, lines } in self.planned.drain(..) {
            let line = first_line.saturating_add(lines.count());
            self.checkpoints.set(end.with_line(line));
        }
        let now = SystemTime::now();
        self.checkpoints.note_gone(now);
        if self.failed.is_empty()
            && let Some(time) = now.checked_sub(GONE)
        {
            self.checkpoints.forget_gone(time);
        }
        let (document, mut bytes) = saved();
        let document = json!({
            "version": VERSION, "arguments": self.arguments, "of": document,
        });
        let document = document.to_string();
        bytes.extend(document.as_bytes());
        bytes.extend((document.len() as u64).to_le_bytes());
        self.checkpoints.set_state(bytes);
        let done = self.checkpoints.save();
        self.is_changed = done.is_err();
        if let Err(error) = done {
            let path = format!("--state {}", self.path.display());
            outcome.report(&path, &reason(&error), Outcome::CouldNotRun);
        }
        !self.is_changed
    }

    /// Removes all checkpoints, so that all inputs are read again.
    fn forget_all(&mut self) {
        let paths = self.checkpoints.iter().map(|known| known.path().into());
        let paths: Vec<PathBuf> = paths.collect();
        paths.iter().for_each(|path| _ = self.checkpoints.remove(path));
        self.is_changed = true;
    }
}
