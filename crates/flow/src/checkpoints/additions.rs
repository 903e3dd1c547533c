use std::path::Path;

use linetape::Error;

use crate::{
    checkpoints::{
        format::{self, Decoded},
        read::read,
        replace::{beside, is_left, replace},
    },
    follow::Checkpoint,
};

/// How many additions there are at most.
const MOST: usize = 64;

/// Additions have at most 1/SHARE of the size of the state, so that writing
/// them costs less than writing the state.
const SHARE: u64 = 16;

/// Additions to a state that is in another file, which is named by its hash.
/// They are in the file with the suffix `.more`, in the same format as the
/// state: the hash, and the length and the bytes of each addition.
#[derive(Debug)]
pub(crate) struct Additions {
    /// The hash of the file with the state, and the size of the state.
    base: (u64, u64),
    all: Vec<Vec<u8>>,
}

impl Additions {
    /// Returns additions to a file with this hash, whose state has `size`
    /// bytes.
    pub(crate) fn new(hash: u64, size: u64) -> Additions {
        Additions { base: (hash, size), all: vec![] }
    }

    /// Reads the additions to the file at `path`, and returns the checkpoints
    /// that belong to them. `None` if there are none.
    ///
    /// # Errors
    ///
    /// Returns an error if they are damaged, or cannot be read.
    pub(crate) fn load(
        &mut self,
        path: &Path,
    ) -> Result<Option<Decoded>, Error> {
        let path = beside(path, END);
        let found = read(&path).map_err(|e| Error::file(&path, e))?;
        let Some((lines, state)) = found else { return Ok(None) };
        let decoded = format::decode(&lines, &state);
        let damaged = || Error::invalid_state(DAMAGED);
        let decoded = decoded.map_err(|_| damaged())?;
        let (hash, mut rest) = number(&state).ok_or_else(damaged)?;
        // Otherwise they are in the state already: the process was killed
        // before it could remove them.
        if hash != self.base.0 {
            return Ok(None);
        }
        while !rest.is_empty() {
            let (length, more) = number(rest).ok_or_else(damaged)?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let parts = more.split_at_checked(length);
            let (addition, more) = parts.ok_or_else(damaged)?;
            self.all.push(addition.to_vec());
            rest = more;
        }
        Ok(Some(decoded))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.all.iter().map(|addition| &addition[..])
    }

    /// Returns whether there is room for this many more bytes.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        let sum: usize = self.all.iter().map(Vec::len).sum();
        self.all.len() < MOST && sum as u64 + bytes <= self.base.1 / SHARE
    }

    /// Saves one more, with checkpoints for all.
    pub(crate) fn save<'c>(
        &mut self,
        path: &Path,
        checkpoints: impl Iterator<Item = &'c Checkpoint>,
        addition: &[u8],
    ) -> Result<(), Error> {
        let mut state = self.base.0.to_le_bytes().to_vec();
        for addition in self.iter().chain([addition]) {
            state.extend((addition.len() as u64).to_le_bytes());
            state.extend(addition);
        }
        let (lines, _) = format::encode(checkpoints, &state)?;
        let start = format::START.as_bytes();
        let path = beside(path, END);
        replace(&path, &[&lines, &state], start)
            .map_err(|e| Error::file(&path, e))?;
        self.all.push(addition.to_vec());
        Ok(())
    }

    /// Removes the file, when the additions are in the state.
    pub(crate) fn remove(path: &Path) {
        let path = beside(path, END);
        if is_left(&path, format::START.as_bytes()).unwrap_or(false) {
            // If it stays, it does not count: the state has another hash.
            _ = std::fs::remove_file(path);
        }
    }
}

/// The error is reported with the name of the state.
const DAMAGED: &str = "the file beside it with the suffix `.more` is damaged; \
                       remove it, and its lines are read again";

/// The suffix of the file.
const END: &str = ".more";

/// Reads a number, and returns the bytes after it.
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*number), rest))
}
