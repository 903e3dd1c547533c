//! Which parts of the inputs are new.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, Metadata},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use linetape::Position;
use linetape_flow::{Checkpoint, Format};

use crate::{
    input::Input,
    outcome::{Outcome, print_message},
    plain::format,
    real_path::stored_path,
    rest::{Rest, end_of_lines, replaced},
    state::{Planned, State},
};

/// A file to read, and what is known about it.
struct Candidate {
    /// The path as the user has written it, and the path in the state.
    path: PathBuf,
    key: PathBuf,
    facts: Metadata,
    /// Whether it has lines, and so can be read from a line on.
    is_plain: bool,
    known: Known,
}

/// What earlier runs have read of a file.
enum Known {
    /// Nothing.
    New,
    /// The part before a checkpoint, which can have another path.
    Until(Checkpoint),
    /// Another content was at its path.
    Changed,
}

/// How a file is recognised.
#[derive(Clone, Copy)]
enum Step {
    Here,
    Moved,
    Restored,
}

impl Candidate {
    fn new(path: &Path) -> io::Result<Candidate> {
        // A pipe is not opened, since that would wait for its writer.
        if !fs::metadata(path)?.is_file() {
            let why = "not a regular file; --state needs those";
            return Err(io::Error::other(why));
        }
        let file = File::open(path)?;
        Ok(Candidate {
            path: path.to_path_buf(),
            key: stored_path(path),
            facts: file.metadata()?,
            is_plain: format(&file)? == Format::Plain,
            known: Known::New,
        })
    }

    /// Returns whether this is the file of a checkpoint. A compressed file
    /// or a JSON array that has grown is not: only its whole text can be read.
    fn is_of(&self, checkpoint: &Checkpoint) -> bool {
        let is_whole = checkpoint.offset() == self.facts.len();
        (is_whole || self.is_plain)
            && checkpoint.is_of(&self.path).unwrap_or(false)
    }

    fn is_new(&self) -> bool {
        matches!(self.known, Known::New)
    }
}

impl State {
    /// Returns the new parts of the inputs. Inputs without news are left out. A
    /// file that is not recognised is read from its start.
    pub fn plan(
        &mut self,
        inputs: Vec<Input>,
        outcome: &mut Outcome,
    ) -> Vec<Input> {
        let files = self.recognised(inputs, outcome);
        for file in &files {
            if let Known::Changed = file.known {
                print_message(&format!(
                    "{}: truncated or replaced since the last run; reading it \
                     from its start; lines that were only in the old file are \
                     not read",
                    file.path.display()
                ));
            }
        }
        self.news(files, outcome)
    }

    /// Like [`plan`](State::plan), for totals: they must not have what is gone,
    /// or anything twice. So if any file that was read has changed or is gone,
    /// all are read again. Returns whether that is so. A file that cannot be
    /// opened, or whose folder cannot, is not gone: it may come back.
    pub fn plan_totals(
        &mut self,
        inputs: Vec<Input>,
        outcome: &mut Outcome,
    ) -> (Vec<Input>, bool) {
        let mut files = self.recognised(inputs, outcome);
        let lost = self.lost(&files);
        let is_anew = lost.is_some();
        if let Some((path, what)) = lost {
            print_message(&format!(
                "{}: {what} since the last run; reading all inputs again",
                path.display()
            ));
            self.forget_all();
            files.iter_mut().for_each(|file| file.known = Known::New);
        }
        (self.news(files, outcome), is_anew)
    }

    /// Returns the first file whose results must not count any more, and why.
    fn lost(&self, files: &[Candidate]) -> Option<(PathBuf, &'static str)> {
        let is_changed =
            |file: &&Candidate| matches!(file.known, Known::Changed);
        if let Some(file) = files.iter().find(is_changed) {
            return Some((file.path.clone(), "truncated or replaced"));
        }
        let here = files.iter().map(|file| match &file.known {
            Known::Until(known) => known.path(),
            Known::New | Known::Changed => &file.key,
        });
        let here: BTreeSet<&Path> = here.collect();
        let mut known = self.checkpoints.iter().map(Checkpoint::path);
        let gone = known.find(|path| {
            !here.contains(path)
                && !self.failed.iter().any(|input| path.starts_with(input))
                && !fs::metadata(path)
                    .is_err_and(|e| e.kind() == ErrorKind::PermissionDenied)
        })?;
        Some((gone.to_path_buf(), "renamed or removed"))
    }

    /// Returns the files, each with what is known about it: by its path and its
    /// identity, by its identity alone if it was moved, or by its path alone if
    /// it was restored or copied back.
    fn recognised(
        &mut self,
        inputs: Vec<Input>,
        outcome: &mut Outcome,
    ) -> Vec<Candidate> {
        let mut files = vec![];
        for input in inputs {
            match self.candidate(&input) {
                Ok(file) => files.push(file),
                Err(error) => {
                    outcome.report(&input, &error, Outcome::CouldNotRun);
                    self.failed.extend(input.path().map(stored_path));
                }
            }
        }
        let mut left: BTreeMap<&Path, &Checkpoint> =
            self.checkpoints.iter().map(|old| (old.path(), old)).collect();
        // An inode is used again once its file is removed, and another file can
        // begin with the same few bytes.
        let sure = self.checkpoints.iter().filter(|old| old.is_proof());
        let by_id: BTreeMap<_, _> =
            sure.map(|old| (old.identity(), old)).collect();
        for step in [Step::Here, Step::Moved, Step::Restored] {
            let mut found = vec![];
            for file in files.iter_mut().filter(|file| file.is_new()) {
                let id = Checkpoint::identity_of(&file.facts);
                let known = match step {
                    Step::Moved => by_id.get(&id).copied(),
                    Step::Here | Step::Restored => {
                        left.get(&*file.key).copied()
                    }
                };
                let is_it = |known: &&Checkpoint| match step {
                    Step::Here => known.identity() == id,
                    Step::Moved => {
                        let path = known.path();
                        left.contains_key(path) && !found.contains(&path)
                    }
                    Step::Restored => known.is_proof(),
                };
                if let Some(known) = known.filter(is_it)
                    && file.is_of(known)
                {
                    file.known = Known::Until(known.clone());
                    found.push(known.path());
                }
            }
            // Only now, since a file can be named twice.
            found.iter().for_each(|path| _ = left.remove(path));
        }
        for file in files.iter_mut().filter(|file| file.is_new()) {
            // If nothing was read of the old file, nothing has changed.
            if left.get(&*file.key).is_some_and(|old| old.offset() > 0) {
                file.known = Known::Changed;
            }
        }
        files
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

    fn news(
        &mut self,
        files: Vec<Candidate>,
        outcome: &mut Outcome,
    ) -> Vec<Input> {
        // All old paths first: one of them can be the new path of another file.
        for file in &files {
            let (old, new) = match &file.known {
                Known::Until(old) if old.path() != file.key => {
                    (old.path(), Some(file.key.clone()))
                }
                Known::Changed => (&*file.key, None),
                Known::New | Known::Until(_) => continue,
            };
            self.checkpoints.remove(old);
            self.moved.push((old.to_path_buf(), new));
            self.is_changed = true;
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

    fn plan_file(&mut self, file: Candidate) -> io::Result<Option<Rest>> {
        let Candidate { path, key, facts, is_plain, known } = file;
        let known = match known {
            Known::Until(known) => Some(known),
            Known::New | Known::Changed => None,
        };
        let start = known.as_ref().map_or(Position::START, |known| {
            Position::new(known.line(), known.offset())
        });
        if let Some(known) = &known
            && (known.path() != key || !known.has_identity(&facts))
        {
            let here = known.clone().with_path(&key);
            self.checkpoints.set(here.with_identity(&facts));
            self.is_changed = true;
        }
        let mut file = File::open(&path)?;
        let before = known.as_ref().map_or(0, Checkpoint::offset);
        let end = match is_plain {
            true => end_of_lines(&mut file, before, facts.len())?,
            false => facts.len(),
        };
        if known.is_some() && end == before {
            return Ok(None);
        }
        let end = Checkpoint::of_file(&key, end)?;
        // The file may have been replaced, or truncated in place and filled
        // again, since it was compared with what was read before.
        let is_as_before = match known {
            Some(known) => known.is_of_open(&mut file)?,
            None => true,
        };
        if !end.has_identity(&facts) || !is_as_before {
            return Err(replaced());
        }
        self.is_changed = true;
        // An empty file that was replaced has a checkpoint and is not known.
        let is_new = self.checkpoints.get(&key).is_none();
        let rest = Rest::new(path, start, end.clone(), is_plain, is_new);
        let (first_line, lines) = (rest.start().line(), rest.lines());
        self.planned.push(Planned { end, first_line, lines });
        Ok(Some(rest))
    }

    /// Notes that an input could not be read to its end. The next run reads
    /// it again.
    pub fn fail(&mut self, input: &Input) {
        if let Input::Rest(rest) = input {
            self.planned.retain(|planned| planned.end.path() != rest.key());
        }
        print_message(&format!(
            "{input}: not saved in the state; the next run reads it again"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::StateFile;

    /// A log that was truncated and filled again, after it was compared with
    /// what was read before, was read from the old place on: its first lines
    /// were lost.
    #[test]
    fn a_log_that_is_filled_again_meanwhile_is_not_continued() {
        let folder = std::env::temp_dir()
            .join(format!("linetape-plan-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let log = stored_path(&folder).join("log.jsonl");
        let file = StateFile { state: Some(folder.join("state")) };
        let mut state = file.open(vec![]).ok().flatten().unwrap();
        for (now, is_continued) in
            [("{\"old\":1}\n{}\n", true), ("{\"new\":1}\n{}\n", false)]
        {
            fs::write(&log, "{\"old\":1}\n").unwrap();
            state.checkpoints.set(Checkpoint::of_file(&log, 10).unwrap());
            let inputs = vec![Input::File(log.clone())];
            let mut files = state.recognised(inputs, &mut Outcome::Fine);
            // The file grows before its lines are planned.
            fs::write(&log, now).unwrap();
            let mut file = files.pop().unwrap();
            assert!(matches!(file.known, Known::Until(_)));
            file.facts = fs::metadata(&log).unwrap();
            assert_eq!(state.plan_file(file).is_ok(), is_continued, "{now}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
