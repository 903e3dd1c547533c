use std::{collections::BTreeMap, fs, io, path::Path};

use crate::router::file::{Keep, end_of_lines};

/// The sizes of the files in the folder of a router.
#[derive(Debug)]
pub(crate) struct Sizes {
    /// Files that this router, or the one that it resumes, has written to.
    written: BTreeMap<String, u64>,
    /// Files that were there before, and have not been written to. A line may
    /// be written to them after the state was saved, so their sizes are in the
    /// state, too.
    seen: BTreeMap<String, u64>,
    origin: Origin,
}

/// Where the sizes in `seen` are from. It decides what becomes of a file that
/// has not been written to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    /// The folder. An incomplete last line is removed.
    Folder,
    /// Like `Folder`, but the sizes no longer include incomplete last lines.
    Lines,
    /// The folder, where the last router has left only whole lines.
    Reopened,
    /// A saved state, or no sizes at all. Bytes beyond the size are removed:
    /// they were written after the save, or are to be replaced.
    State,
}

const FIRST_LINE: &str = "linetape-router 1\n";

/// Precedes the size of a file that has not been written to.
const SEEN: char = '~';

impl Sizes {
    /// Returns the sizes of the files in a folder that can be written to.
    pub(crate) fn of(folder: &Path) -> io::Result<Sizes> {
        let mut seen = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if let Some(name) = name.to_str()
                && is_name(name)
                && let Ok(facts) = entry.metadata()
                && facts.is_file()
            {
                seen.insert(name.to_string(), facts.len());
            }
        }
        Ok(Sizes { seen, origin: Origin::Folder, ..Sizes::none() })
    }

    /// Leaves incomplete last lines out of the sizes, before they are saved.
    /// Such a line is removed before lines are written to its file: what is at
    /// its place then is of this router.
    pub(crate) fn round(&mut self, folder: &Path) {
        if self.origin == Origin::Folder {
            for (name, size) in &mut self.seen {
                // A file that cannot be read cannot be written to either.
                if let Ok(mut file) = fs::File::open(folder.join(name))
                    && let Ok(end) = end_of_lines(&mut file, *size)
                {
                    *size = end;
                }
            }
            self.origin = Origin::Lines;
        }
    }

    /// Returns sizes by which every file is emptied.
    pub(crate) fn none() -> Sizes {
        let (written, seen) = (BTreeMap::new(), BTreeMap::new());
        Sizes { written, seen, origin: Origin::State }
    }

    /// Returns how much of a file to keep when it is opened.
    pub(crate) fn kept(&self, name: &str) -> Keep {
        if self.written.contains_key(name) {
            // Another program may have written to it since then.
            return Keep::ALL;
        }
        match self.origin {
            Origin::Folder | Origin::Lines => Keep::Lines,
            Origin::Reopened => Keep::ALL,
            Origin::State => {
                Keep::Bytes(self.seen.get(name).copied().unwrap_or(0))
            }
        }
    }

    /// Removes a file that is opened. Returns whether it was known.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let was_written = self.written.remove(name).is_some();
        self.seen.remove(name).is_some() || was_written
    }

    /// Adds a file that has been written to.
    pub(crate) fn insert(&mut self, name: String, size: u64) {
        self.written.insert(name, size);
    }

    /// Notes files that an earlier router has written to, and has left in
    /// order.
    pub(crate) fn adopt(&mut self, earlier: &Sizes) {
        self.origin = Origin::Reopened;
        for name in earlier.written.keys() {
            if let Some(size) = self.seen.remove(name) {
                self.insert(name.clone(), size);
            }
        }
    }

    /// Returns the files that have grown since an earlier time, or are new.
    pub(crate) fn grown(&self, earlier: &Sizes) -> Vec<String> {
        let before = |name: &String| {
            let written = earlier.written.get(name);
            written.or_else(|| earlier.seen.get(name)).copied()
        };
        let seen = self.seen.iter();
        let grown = seen.filter(|(name, size)| before(name) < Some(**size));
        grown.map(|(name, _)| name.clone()).collect()
    }

    /// Returns the files that have been written to.
    pub(crate) fn written(&self) -> impl Iterator<Item = (&str, u64)> {
        self.written.iter().map(|(name, size)| (name.as_str(), *size))
    }

    /// Returns the state, also with the files that are open.
    pub(crate) fn save<'n>(
        &self,
        open: impl Iterator<Item = (&'n String, u64)>,
    ) -> Vec<u8> {
        let mut state = String::from(FIRST_LINE);
        for (name, size) in open {
            state += &format!("{size} {name}\n");
        }
        for (name, size) in &self.written {
            state += &format!("{size} {name}\n");
        }
        for (name, size) in &self.seen {
            state += &format!("{SEEN}{size} {name}\n");
        }
        state.into_bytes()
    }

    pub(crate) fn load(state: &[u8]) -> Option<Sizes> {
        let text = str::from_utf8(state).ok()?.strip_prefix(FIRST_LINE)?;
        let mut sizes = Sizes::none();
        for line in text.lines() {
            let (size, name) = line.split_once(' ')?;
            if !is_name(name) {
                return None;
            }
            let (files, size) = match size.strip_prefix(SEEN) {
                Some(size) => (&mut sizes.seen, size),
                None => (&mut sizes.written, size),
            };
            files.insert(name.to_string(), size.parse().ok()?);
        }
        Some(sizes)
    }
}

/// Returns whether a name can be that of a file of a router. Such a name does
/// not lead to another folder, and has no space in it.
fn is_name(name: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"._-%".contains(&byte);
    name.ends_with(".jsonl")
        && !name.starts_with('.')
        && name.bytes().all(is_plain)
}
