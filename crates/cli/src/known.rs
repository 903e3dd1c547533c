//! Which files have been read by earlier runs, even if they were renamed,
//! rotated or compressed since then.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs::{self, File, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
};

use linetape_flow::{Checkpoint, Decompressed, Format};

use crate::{plain::plain, real_path::stored_path, rest::last_bytes};

/// The most bytes of the start of a file that a checkpoint knows.
const WINDOW: u64 = 4096;

/// A file to read, and what is known about it.
pub struct Candidate {
    /// The path as the user has written it, and the path in the state.
    pub path: PathBuf,
    pub key: PathBuf,
    pub facts: Metadata,
    pub is_compressed: bool,
    pub known: Known,
}

/// What an earlier run has read of a file.
pub enum Known {
    /// Nothing.
    New,
    /// Everything, and it has not changed.
    All(Checkpoint),
    /// The part before a checkpoint.
    Until(Checkpoint),
    /// The same, when the file was at another path.
    Moved(Checkpoint),
    /// Another file was at this path, or another content.
    Replaced,
}

impl Candidate {
    /// Opens a file.
    pub fn new(path: &Path) -> io::Result<Candidate> {
        // A pipe is not opened, since that would wait for its writer.
        if !fs::metadata(path)?.is_file() {
            let why = "not a regular file; --state needs those";
            return Err(io::Error::other(why));
        }
        let mut file = File::open(path)?;
        let facts = file.metadata()?;
        let mut first = [0; 4];
        let length = file.read(&mut first)?;
        let first = first.get(..length).unwrap_or_default();
        Ok(Candidate {
            path: path.to_path_buf(),
            key: stored_path(path),
            facts,
            is_compressed: Format::of(first) != Format::Plain,
            known: Known::New,
        })
    }

    fn text(&self) -> io::Result<Decompressed<File>> {
        Ok(plain(File::open(&self.path)?))
    }

    /// Returns whether this is the file of a checkpoint.
    fn is_of(&self, checkpoint: &Checkpoint) -> io::Result<bool> {
        match self.is_compressed {
            true => checkpoint.is_of_text(self.text()?),
            false => checkpoint.is_of(&self.path),
        }
    }

    /// Returns whether a compressed file is the same as before. Its text is
    /// not read as a whole.
    fn is_unchanged(&self, checkpoint: &Checkpoint) -> io::Result<bool> {
        let size = self.facts.len();
        Ok(self.is_compressed
            && checkpoint.size() == size
            && checkpoint
                .ends_like(&last_bytes(&mut File::open(&self.path)?, size)?)
            && checkpoint.begins_like(self.text()?)?)
    }

    /// Returns a checkpoint after the first 4,096 bytes of the text, for a
    /// compressed file that has not been read yet: see
    /// [`is_surely`](Candidate::is_surely).
    pub fn checkpoint(&self) -> io::Result<Checkpoint> {
        let (mut first, facts) = (vec![], &self.facts);
        // If the file is damaged, the text before the damage is used.
        _ = self.text()?.take(WINDOW).read_to_end(&mut first);
        let last = last_bytes(&mut File::open(&self.path)?, facts.len())?;
        let offset = first.len() as u64;
        let checkpoint =
            Checkpoint::of_text(&self.key, facts, offset, &first, &first)?;
        Ok(checkpoint.with_end(&last))
    }

    /// Returns whether a file that begins like a
    /// [`checkpoint`](Candidate::checkpoint) is the same file: it has the same
    /// identity and is not shorter, or it has the same size and last bytes.
    pub fn is_surely(&self, known: &Checkpoint) -> bool {
        let has_grown = known.has_identity(&self.facts)
            && self.facts.len() >= known.size();
        has_grown || self.is_unchanged(known).unwrap_or(false)
    }

    /// Returns the first bytes of the text.
    fn first(&self) -> io::Result<Vec<u8>> {
        let mut first = vec![];
        self.text()?.take(WINDOW).read_to_end(&mut first)?;
        Ok(first)
    }

    fn is_new(&self) -> bool {
        matches!(self.known, Known::New)
    }
}

/// The checkpoints that no file has been found for.
type Left<'c> = BTreeMap<&'c Path, &'c Checkpoint>;

/// What [`find`] has not found.
pub struct Missing<'c> {
    /// The checkpoints that are of none of the files.
    pub checkpoints: Vec<&'c Checkpoint>,
    /// The files that cannot be read.
    pub files: Vec<(PathBuf, io::Error)>,
}

/// Finds what is known about all files, before any is read: if logs are
/// rotated, the path of each has another file now. So the identity counts more
/// than the path, and the path more than the name. A file counts as replaced if
/// no file continues the checkpoint of its path. If fewer than 64 bytes were
/// read, a file with another identity always counts as replaced.
///
/// Checkpoints are found in maps. To compare each of them with each file takes
/// too long if there are thousands.
pub fn find<'c>(
    checkpoints: impl Iterator<Item = &'c Checkpoint>,
    files: &mut Vec<Candidate>,
) -> Missing<'c> {
    let mut left: Left<'_> =
        checkpoints.map(|known| (known.path(), known)).collect();
    let mut errors = at_paths(files, &mut left, |known, file| {
        known.has_identity(&file.facts) && !is_replaced(known, file)
    });
    let by_id = group(files, &left, |known| Some(known.identity()));
    find_moved(files, &mut left, |file| {
        let id = Checkpoint::identity_of(&file.facts);
        by_id.get(&id).cloned().unwrap_or_default()
    });
    errors.extend(at_paths(files, &mut left, |known, file| {
        // Another file can begin with the same few bytes.
        known.is_proof() && !is_replaced(known, file)
    }));
    let by_name = group(files, &left, |known| plain_name(known.path()));
    find_moved(files, &mut left, |file| {
        let same = plain_name(&file.key).and_then(|name| by_name.get(name));
        same.cloned().unwrap_or_default()
    });
    find_copied(files, &mut left);
    for file in files.iter_mut().filter(|file| file.is_new()) {
        match left.get(&*file.key) {
            // Nothing was read of the old file.
            Some(old) if old.offset() == 0 => _ = left.remove(&*file.key),
            Some(_) => file.known = Known::Replaced,
            None => {}
        }
    }
    let checkpoints = left.into_values().collect();
    Missing { checkpoints, files: errors }
}

/// Finds files that were renamed and compressed, or copied before the old file
/// was truncated. A plain file is matched only if the path of the checkpoint is
/// one of the inputs and has another content now. Otherwise, the plain file may
/// be another log that begins with the same bytes.
fn find_copied(files: &mut [Candidate], left: &mut Left<'_>) {
    let by_head = group(files, left, |known| Some(known.head()));
    if by_head.is_empty() {
        return;
    }
    let keys: BTreeSet<PathBuf> =
        files.iter().map(|file| file.key.clone()).collect();
    let mut similar = by_head.values().flatten();
    let can_be_plain = similar.any(|known| keys.contains(known.path()));
    find_moved(files, left, |file| {
        let first = match file.is_compressed || can_be_plain {
            true => file.first().unwrap_or_default(),
            false => vec![],
        };
        let heads = Checkpoint::heads_of(&first);
        let similar = heads.filter_map(|head| by_head.get(&head)).flatten();
        let similar = similar
            .filter(|known| file.is_compressed || keys.contains(known.path()));
        similar.copied().collect()
    });
}

/// Finds files at their paths, if `is_wanted` says so. Removes those that
/// cannot be read.
fn at_paths(
    files: &mut Vec<Candidate>,
    left: &mut Left<'_>,
    is_wanted: fn(&Checkpoint, &Candidate) -> bool,
) -> Vec<(PathBuf, io::Error)> {
    let mut errors = vec![];
    let mut found = vec![];
    files.retain_mut(|file| {
        let known = left.get(&*file.key).copied();
        let known = known.filter(|known| is_wanted(known, file));
        let Some(known) = known.filter(|_| file.is_new()) else {
            return true;
        };
        match at_path(known, file) {
            Ok(known) => file.known = known,
            Err(error) => {
                errors.push((file.path.clone(), error));
                found.push(file.key.clone());
                return false;
            }
        }
        found.push(file.key.clone());
        true
    });
    // Afterwards, since a file can be named twice.
    found.iter().for_each(|key| _ = left.remove(&**key));
    errors
}

/// Returns what is known about a file by the checkpoint of its path.
fn at_path(known: &Checkpoint, file: &Candidate) -> io::Result<Known> {
    if file.is_unchanged(known)? {
        return Ok(Known::All(known.clone()));
    }
    Ok(match file.is_of(known)? {
        true => Known::Until(known.clone()),
        false => Known::Replaced,
    })
}

/// Returns whether a file surely has another content.
fn is_replaced(known: &Checkpoint, file: &Candidate) -> bool {
    !file.is_unchanged(known).unwrap_or(true)
        && !file.is_of(known).unwrap_or(true)
}

/// Returns the checkpoints that are left by a key. The map is empty if no file
/// is new. Checkpoints after fewer than 64 bytes are left out: another file can
/// begin with the same bytes.
fn group<'c, K: Ord>(
    files: &[Candidate],
    left: &Left<'c>,
    key: impl Fn(&'c Checkpoint) -> Option<K>,
) -> BTreeMap<K, Vec<&'c Checkpoint>> {
    let mut groups: BTreeMap<K, Vec<&Checkpoint>> = BTreeMap::new();
    if !files.iter().any(Candidate::is_new) {
        return groups;
    }
    for known in left.values().filter(|known| known.is_proof()) {
        if let Some(key) = key(known) {
            groups.entry(key).or_default().push(known);
        }
    }
    groups
}

/// Finds files that have been moved from another path. `similar` returns the
/// checkpoints that may be of a file.
fn find_moved<'c>(
    files: &mut [Candidate],
    left: &mut Left<'c>,
    similar: impl Fn(&Candidate) -> Vec<&'c Checkpoint>,
) {
    for file in files.iter_mut().filter(|file| file.is_new()) {
        // The largest offset first: a log can be a copy of another one, with
        // more lines.
        let mut similar = similar(file);
        similar.sort_by_key(|known| std::cmp::Reverse(known.offset()));
        let moved = similar.into_iter().find(|known| {
            left.contains_key(known.path())
                && known.path() != file.key
                && file.is_of(known).unwrap_or(false)
        });
        let Some(moved) = moved else { continue };
        left.remove(moved.path());
        file.known = Known::Moved(moved.clone());
    }
}

/// Returns the name of a file, without the end of a compressed file.
fn plain_name(path: &Path) -> Option<&OsStr> {
    match path.extension().and_then(OsStr::to_str) {
        Some("gz" | "zst") => path.file_stem(),
        _ => path.file_name(),
    }
}
