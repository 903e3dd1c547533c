use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crate::{
    files::{is_compressed, logs},
    follow::{
        checkpoint::Checkpoint,
        event::Event,
        folder::{
            Folders,
            entry::{Entry, Start, State},
        },
        identity::{Identity, Seen, not_regular, seen},
        settings::Settings,
    },
};

/// After how many searches a file that was not found is gone. One search can
/// miss a file that is moved to a folder that was listed before.
const MISSES: u8 = 2;

/// The files that a search has found.
type Found = BTreeMap<Arc<Path>, (Identity, Seen)>;

impl Folders {
    /// Searches the folders, and queues all files that have to be looked at.
    pub(crate) fn search(&mut self, settings: &Settings) {
        self.searched = Some(Instant::now());
        let (found, unknown) = self.list();
        let (here, taken) = self.move_files(&found, settings);
        self.miss_files(&found, &here, &unknown);
        self.add_files(&found, &taken, settings);
        self.queue_files(&found, settings);
        self.was_searched = true;
    }

    /// Lists the folders. Also returns those that could not be listed.
    fn list(&mut self) -> (Found, Vec<PathBuf>) {
        let mut found = Found::new();
        let mut unknown = vec![];
        let mut faults = BTreeMap::new();
        for root in &self.roots {
            let logs = logs(root);
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
    ) -> (BTreeSet<Arc<Path>>, BTreeSet<Identity>) {
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
            let leaving: BTreeSet<Arc<Path>> =
                moves.iter().map(|(old, _)| old.clone()).collect();
            moves.retain(|(_, path)| {
                !self.files.contains_key(path) || leaving.contains(path)
            });
            if moves.len() == count {
                break;
            }
        }
        here.extend(moves.iter().map(|(_, path)| path.clone()));
        self.rename(moves);
        (here, taken)
    }

    fn rename(&mut self, moves: Vec<(Arc<Path>, Arc<Path>)>) {
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

    fn note_move(&mut self, old: &Path, path: &Arc<Path>) {
        let event = Event::Moved(old.to_path_buf());
        self.ready.push_back((path.clone(), Ok(event)));
        self.left.push(old.to_path_buf());
    }

    /// Ends files that have no path any more.
    fn miss_files(
        &mut self,
        found: &Found,
        here: &BTreeSet<Arc<Path>>,
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
        for (path, (id, seen)) in found {
            // Another name of the same file. Elsewhere than on Unix, the
            // identity is not precise enough to tell.
            let is_second = cfg!(unix) && taken.contains(id);
            if self.files.contains_key(path) || is_second {
                continue;
            }
            taken.insert(*id);
            let was_replaced = self.replaced.remove(path);
            let start = if let Some(known) = self.resumed.remove(&**path) {
                Start::At(known.place)
            } else if let Some(old) = lost.of(path, *id, settings) {
                self.note_move(&old.path, path);
                self.resumed.remove(&old.path);
                Start::At(old.place)
            } else if self.is_skipped(*seen) {
                Start::End
            } else {
                if self.was_searched && !was_replaced {
                    self.ready.push_back((path.clone(), Ok(Event::New)));
                }
                Start::Beginning
            };
            self.files.insert(path.clone(), Entry::new(*id, start));
        }
    }

    /// Returns whether a new file is read from its end.
    fn is_skipped(&self, (_, time): Seen) -> bool {
        let is_old = self.begin.zip(time).is_some_and(|(a, b)| b < a);
        !self.was_searched && (self.from_end || is_old)
    }

    /// Queues the open files, and those that have changed.
    fn queue_files(&mut self, found: &Found, settings: &Settings) {
        let mut queued = vec![];
        for (path, entry) in &mut self.files {
            let seen = found.get(path).map(|(_, seen)| *seen);
            let has_news = match &entry.state {
                State::Open(_) => true,
                State::Closed(closed) => {
                    let is_idle = settings
                        .idle
                        .zip(closed.held)
                        .is_some_and(|(idle, held)| held.is_due(idle));
                    closed.seen.is_none() || closed.seen != seen || is_idle
                }
            };
            if has_news || entry.ending.is_some() {
                queued.push(path.clone());
            }
        }
        for path in queued {
            self.enqueue(&path);
        }
    }
}

/// The checkpoints of files that are not at their path.
struct Lost {
    by_id: BTreeMap<(u64, u64), Checkpoint>,
    by_name: BTreeMap<OsString, Checkpoint>,
}

impl Lost {
    fn new(resumed: &BTreeMap<PathBuf, Checkpoint>, found: &Found) -> Lost {
        let (mut by_id, mut by_name) = (BTreeMap::new(), BTreeMap::new());
        for (path, checkpoint) in resumed {
            // Every file begins with nothing.
            if found.contains_key(&**path) || checkpoint.offset() == 0 {
                continue;
            }
            by_id.insert(checkpoint.id, checkpoint.clone());
            if let Some(name) = path.file_name() {
                by_name.insert(name.to_os_string(), checkpoint.clone());
            }
        }
        Lost { by_id, by_name }
    }

    /// Returns the checkpoint of a file that has been moved to a path: by its
    /// identity or its name, if its content is the same.
    fn of(
        &self,
        path: &Path,
        id: Identity,
        settings: &Settings,
    ) -> Option<&Checkpoint> {
        let by_name = path.file_name().and_then(|name| self.by_name.get(name));
        let candidates = self.by_id.get(&id.numbers()).into_iter();
        candidates.chain(by_name).find(|checkpoint| {
            let entry = Entry::new(id, Start::At(checkpoint.place));
            entry.is_at(path, &settings.builder).unwrap_or(false)
        })
    }
}
