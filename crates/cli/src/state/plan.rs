//! Which parts of the inputs are new.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    path::Path,
    time::SystemTime,
};

use linetape::Position;
use linetape_flow::Checkpoint;

use crate::{
    displaced,
    input::Input,
    known::{self, Candidate, Known},
    outcome::{Outcome, print_message},
    rest::{Rest, end_of_lines, replaced},
    state::{Place, Planned, State},
};

impl State {
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
        let missing = known::find(self.checkpoints.iter(), &mut files);
        for (path, error) in missing.files {
            outcome.report(&path.display(), &error, Outcome::CouldNotRun);
        }
        let facts: BTreeMap<&Path, &fs::Metadata> =
            files.iter().map(|file| (&*file.key, &file.facts)).collect();
        let missing = missing.checkpoints.into_iter();
        let displaced = missing.filter_map(|old| {
            let is_same_file = old.has_identity(facts.get(old.path())?);
            Some((old.clone(), is_same_file))
        });
        let displaced: Vec<_> = displaced.collect();
        // All old paths first: one of them can be the new path of another file.
        for file in &files {
            if let Known::Moved(old) = &file.known {
                self.checkpoints.remove(old.path());
            }
        }
        for (old, is_same_file) in displaced {
            self.displace(old, is_same_file);
        }
        self.is_changed |= self.checkpoints.note_gone(SystemTime::now());
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
        let mut before = None;
        match known {
            Known::New => {}
            Known::All(known) => {
                self.renumber(known, &facts);
                return Ok(None);
            }
            Known::Until(known) => {
                start = Position::new(known.line(), known.offset());
                before = Some(known.clone());
                self.renumber(known, &facts);
            }
            Known::Moved(old) => {
                start = Position::new(old.line(), old.offset());
                before = Some(old.clone());
                let new = old.clone().with_path(&key);
                self.checkpoints.set(new.with_identity(&facts));
                let old = old.path().to_path_buf();
                self.moved.push((old, Some(key.clone())));
                self.is_changed = true;
            }
            Known::Replaced => {
                // Otherwise two files were compared, of which one is gone.
                let now = fs::metadata(&path)?;
                if Checkpoint::identity_of(&now)
                    != Checkpoint::identity_of(&facts)
                {
                    return Err(replaced());
                }
                print_message(&format!(
                    "{}: truncated or replaced since the last run; reading it \
                     from its start; lines that were only in the old file are \
                     not read",
                    path.display()
                ));
            }
        }
        let (place, rest) = if is_compressed {
            let (rest, text) =
                Rest::compressed(path, key.clone(), start, &facts);
            (Place::Compressed(text), rest)
        } else {
            let mut file = File::open(&path)?;
            let end = end_of_lines(&mut file, start.byte(), size)?;
            if end == start.byte() {
                return Ok(None);
            }
            let end = Checkpoint::of_file(&key, end)?;
            // The file may have been replaced, or truncated in place and
            // filled again, since it was compared with what was read before.
            let is_as_before = match before {
                Some(before) => before.is_of_open(&mut file)?,
                None => true,
            };
            if !end.has_identity(&facts) || !is_as_before {
                return Err(replaced());
            }
            (Place::Plain(end.clone()), Rest::new(path, start, end))
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

    /// Removes a checkpoint from its path, because the content there is
    /// different now. If the file was truncated, the checkpoint is removed. If
    /// another file is at the path, the checkpoint is kept under a reserved
    /// path: the old file may reappear, and is then found by its identity, or
    /// by its content if it was compressed.
    fn displace(&mut self, old: Checkpoint, is_same_file: bool) {
        self.is_changed = true;
        if is_same_file {
            self.checkpoints.remove(old.path());
            self.moved.push((old.path().to_path_buf(), None));
        } else {
            let moved = displaced::displace(&mut self.checkpoints, old);
            self.moved.extend(moved);
        }
    }

    /// Notes that an input could not be read to its end, when all lines before
    /// that have been written. If it is a broken archive, they are not written
    /// again: the next run skips them. Returns whether that is so.
    pub fn stop(&mut self, input: &Input) -> bool {
        let Input::Rest(rest) = input else { return false };
        let known = self.checkpoints.get(rest.key());
        let start = known.map_or(0, Checkpoint::offset);
        let of = |planned: &&Planned| planned.key == rest.key();
        let has_stopped = match self.planned.iter().find(of) {
            Some(Planned { place: Place::Compressed(text), .. }) => {
                text.stop(start)
            }
            _ => false,
        };
        if has_stopped {
            print_message(&format!(
                "{input}: the lines before the error are saved in the state; \
                 the next run tries to go on there"
            ));
        }
        has_stopped
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{real_path::stored_path, state::StateFile};

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
            let input = Input::File(log.clone());
            let mut files = vec![state.candidate(&input).unwrap()];
            known::find(state.checkpoints.iter(), &mut files);
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
