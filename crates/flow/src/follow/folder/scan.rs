use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

use crate::{
    disk::is_out_of_files,
    files::{Logs, is_compressed},
    follow::{
        checkpoint::Checkpoint,
        event::Event,
        file::Opened,
        folder::{
            Folders,
            entry::{Entry, Start, State},
            key::Key,
            lost::Lost,
        },
        identity::{Identity, Seen, not_regular, seen},
        settings::Settings,
    },
};

/// After how many searches a file that was not found is gone. One search can
/// miss a file that is moved to a folder that was listed before.
const MISSES: u8 = 2;

/// The files that a search has found.
pub(crate) type Found = BTreeMap<Key, (Identity, Seen)>;

impl Folders {
    /// Searches the folders, and queues all files that have to be looked at.
    pub(crate) fn search(&mut self, settings: &Settings) {
        self.searched = Some(Instant::now());
        let (found, unknown) = self.list(settings);
        let (here, taken) = self.move_files(&found, settings);
        self.miss_files(&found, &here, &unknown);
        self.add_files(&found, &taken, settings);
        self.queue_files(&found, settings);
        self.was_searched = true;
    }

    /// Lists the folders. Also returns those that could not be listed.
    fn list(&mut self, settings: &Settings) -> (Found, Vec<PathBuf>) {
        let mut found = Found::new();
        let mut unknown = vec![];
        let mut faults = BTreeMap::new();
        for root in self.roots.clone() {
            let mut logs = Logs::below(&root);
            while logs.errors.iter().any(|(_, e)| is_out_of_files(e))
                && self.spare(settings)
            {
                logs = Logs::below(&root);
            }
            let paths = logs.files.into_iter();
            for path in paths.filter(|path| !is_compressed(path)) {
                match fs::metadata(&path) {
                    Ok(facts) if facts.is_file() => {
                        let id = Identity::of(&facts);
                        found.insert(path.into(), (id, seen(&facts)));
                    }
                    Ok(_) => {
                        faults.insert(path, not_regular());
                    }
                    Err(error) => {
                        faults.insert(path, error);
                    }
                }
            }
            faults.extend(logs.errors);
        }
        // What is removed in the meantime is not an error, and neither is a
        // folder that is waited for.
        faults.retain(|_, e| e.kind() != io::ErrorKind::NotFound);
        let kinds = faults.iter().map(|(path, e)| (path.clone(), e.kind()));
        let kinds = kinds.collect();
        let known = std::mem::replace(&mut self.faults, kinds);
        for (path, error) in faults {
            if known.get(&path) != Some(&error.kind()) {
                let about = path.as_path().into();
                self.ready.push_back((about, Err(error.into())));
            }
            unknown.push(path);
        }
        (found, unknown)
    }

    /// Gives files that were moved their new path. Returns the paths of all
    /// entries that were found, and their identities.
    fn move_files(
        &mut self,
        found: &Found,
        settings: &Settings,
    ) -> (BTreeSet<Key>, BTreeSet<Identity>) {
        let mut entries = BTreeMap::new();
        let mut here = BTreeSet::new();
        let mut taken = BTreeSet::new();
        for (path, entry) in &self.files {
            let is_here =
                found.get(path).is_some_and(|(id, _)| *id == entry.identity);
            if is_here {
                here.insert(path.clone());
                taken.insert(entry.identity);
            } else if entry.ending.is_none() {
                entries.insert(entry.identity, path.clone());
            }
        }
        let mut moves = vec![];
        for (path, (id, _)) in found {
            let Some(old) = entries.get(id).filter(|_| !taken.contains(id))
            else {
                continue;
            };
            let is_same = self.files.get(old).is_some_and(|entry| {
                entry.is_at(path, &settings.builder).unwrap_or(false)
            });
            if is_same {
                taken.insert(*id);
                here.insert(old.clone());
                moves.push((old.clone(), path.clone()));
            }
        }
        // A file at the new path has to be read to its end first, unless it
        // is moved, too.
        loop {
            let count = moves.len();
            let leaving: BTreeSet<Key> =
                moves.iter().map(|(old, _)| old.clone()).collect();
            moves.retain(|(_, path)| {
                !self.files.contains_key(path) || leaving.contains(path)
            });
            if moves.len() == count {
                break;
            }
        }
        here.extend(moves.iter().map(|(_, path)| path.clone()));
        self.rename(in_order(moves));
        (here, taken)
    }

    fn rename(&mut self, moves: Vec<(Key, Key)>) {
        let mut moved = vec![];
        for (old, path) in moves {
            if let Some(entry) = self.files.remove(&old) {
                moved.push((old, path, entry));
            }
        }
        let mut unread = vec![];
        for (old, path, mut entry) in moved {
            if entry.is_open() {
                self.open.insert(entry.stamp, path.clone());
            }
            if std::mem::take(&mut entry.is_queued) {
                self.queue.retain(|queued| *queued != old);
                unread.push(path.clone());
            }
            entry.is_changed = true;
            self.replaced.remove(&path);
            self.note_move(&old, &path);
            self.files.insert(path, entry);
        }
        for path in unread {
            self.enqueue(&path);
        }
    }

    fn note_move(&mut self, old: &Path, path: &Key) {
        let event = Event::Moved(old.to_path_buf());
        self.ready.push_back((path.clone(), Ok(event)));
        self.left.push(old.to_path_buf());
    }

    /// Ends files that have no path any more.
    fn miss_files(
        &mut self,
        found: &Found,
        here: &BTreeSet<Key>,
        unknown: &[PathBuf],
    ) {
        for (path, entry) in &mut self.files {
            let is_unknown =
                unknown.iter().any(|folder| path.starts_with(folder));
            if here.contains(path) || is_unknown {
                entry.misses = 0;
            } else if entry.ending.is_none() {
                entry.misses += 1;
                self.searched = None;
                if entry.misses >= MISSES {
                    entry.ending = Some(match found.contains_key(path) {
                        true => Event::Replaced,
                        false => Event::Gone,
                    });
                }
            }
        }
    }

    /// Adds files that have no entry yet.
    fn add_files(
        &mut self,
        found: &Found,
        taken: &BTreeSet<Identity>,
        settings: &Settings,
    ) {
        if found.keys().all(|path| self.files.contains_key(path)) {
            return;
        }
        let lost = Lost::new(&self.resumed, found);
        let mut taken = taken.clone();
        let mut new = vec![];
        for (path, (id, seen)) in found {
            // Another name of the same file. Elsewhere than on Unix, the
            // identity is not precise enough to tell.
            let is_second = cfg!(unix) && taken.contains(id);
            if self.files.contains_key(path) || is_second {
                continue;
            }
            taken.insert(*id);
            new.push((path, *id, *seen));
        }
        // First by identity: if logs are rotated, the path of each has another
        // file now.
        let mut moved = BTreeMap::new();
        for (path, id, _) in &new {
            if let Some(old) = lost.by_id(path, *id, settings) {
                self.resumed.remove(&old.path);
                moved.insert(*path, old);
            }
        }
        for (path, id, seen) in new {
            let was_replaced = self.replaced.remove(path);
            if let Some((old, opened)) = self.leaving.take(id) {
                self.take_back(&old, path, opened);
                continue;
            }
            let mut old = moved.remove(path);
            if old.is_none() && !self.resumed.contains_key(&**path) {
                let is_left =
                    |old: &Checkpoint| self.resumed.contains_key(&old.path);
                old = lost.by_name(path, id, settings, is_left);
            }
            if let Some(old) = old {
                self.resumed.remove(&old.path);
            }
            let start = if let Some(old) = old {
                self.note_move(&old.path, path);
                Start::At(old.progress, old.id)
            } else if let Some(known) = self.resumed.remove(&**path) {
                Start::At(known.progress, known.id)
            } else if let Some(start) = self.come_back(path, id, settings) {
                start
            } else if self.is_skipped(seen) {
                Start::End
            } else {
                if self.was_searched && !was_replaced {
                    self.ready.push_back((path.clone(), Ok(Event::New)));
                }
                Start::Beginning
            };
            let mut entry = Entry::new(id, start);
            // The checkpoint of its old path is removed.
            entry.is_changed = old.is_some();
            self.files.insert(path.clone(), entry);
        }
    }

    /// Reads on in a file that was gone, and has a path again before it was
    /// closed.
    fn take_back(&mut self, old: &Key, path: &Key, opened: Opened) {
        self.gone.remove(old);
        self.resumed.remove(&**path);
        let mut entry = Entry::new(opened.identity(), Start::Beginning);
        entry.state = State::Open(Box::new(opened));
        entry.is_changed = true;
        self.files.insert(path.clone(), entry);
        if old != path {
            self.note_move(old, path);
        }
        self.note_activity(path);
    }

    /// Returns where to read on, if a file was gone and is back.
    fn come_back(
        &mut self,
        path: &Key,
        id: Identity,
        settings: &Settings,
    ) -> Option<Start> {
        let (progress, known) = self.gone.remove(path)?;
        let start = Start::At(progress, known);
        let is_same = Entry::new(id, start).is_at(path, &settings.builder);
        is_same.unwrap_or(false).then_some(start)
    }

    /// Returns whether a new file is read from its end.
    fn is_skipped(&self, seen: Seen) -> bool {
        let is_old = self.begin.zip(seen.modified).is_some_and(|(a, b)| b < a);
        !self.was_searched && (self.from_end || is_old)
    }

    /// Queues the open files, and those that have changed.
    fn queue_files(&mut self, found: &Found, settings: &Settings) {
        let mut queued = vec![];
        for (path, entry) in &mut self.files {
            let seen = found.get(path).map(|(_, seen)| *seen);
            let is_due = match &entry.state {
                State::Open(_) => true,
                State::Closed(closed) => {
                    let is_idle = settings
                        .idle
                        .zip(closed.held)
                        .is_some_and(|(idle, held)| held.is_due(idle));
                    closed.seen.is_none() || closed.seen != seen || is_idle
                }
            };
            if is_due || entry.ending.is_some() {
                queued.push(path.clone());
            }
        }
        for path in queued {
            self.enqueue(&path);
        }
    }
}

/// Orders moves so that a file leaves its path before another one gets it. Then
/// the caller can follow them one by one. Of files that change places, one is
/// the first.
fn in_order(moves: Vec<(Key, Key)>) -> Vec<(Key, Key)> {
    let mut left: BTreeMap<Key, Key> = moves.iter().cloned().collect();
    let mut ordered = vec![];
    for (old, _) in moves {
        // This move, the one that has to come before it, and so on.
        let mut chain = vec![];
        let mut next = Some(old);
        while let Some(old) = &next
            && let Some((old, path)) = left.remove_entry(old)
        {
            next = Some(path.clone());
            chain.push((old, path));
        }
        if chain.first().map(|(old, _)| old) != next.as_ref() {
            chain.reverse();
        }
        ordered.extend(chain);
    }
    ordered
}
