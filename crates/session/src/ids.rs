/*!
Ids of strings and of list entries, four bytes each.

`Option<Index>` and `Option<NameId>` take four bytes as well, so no sentinel
value is needed.
*/

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    num::NonZeroU32,
};

use linetape::{Error, message::SessionId};

use crate::state::codec::{
    Cursor, Saved, inconsistent, load_text, save_text, saved_newtype,
};

/// An index into a list with fewer than `u32::MAX` entries.
///
/// Stored as `index + 1`, so that zero is free for `None`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Index(NonZeroU32);

impl Index {
    /// An index that no list reaches: looking it up returns `None`. Callers
    /// that cannot fail use it once `u32` indexes are exhausted.
    pub(crate) const OUT_OF_REACH: Index = Index(NonZeroU32::MAX);

    /// Returns `None` once `u32` indexes are exhausted.
    pub(crate) fn new(index: usize) -> Option<Index> {
        let stored = u32::try_from(index).ok()?.checked_add(1)?;
        NonZeroU32::new(stored)
            .map(Index)
            .filter(|i| *i != Index::OUT_OF_REACH)
    }

    /// Returns the index that the next entry of a list will have.
    pub(crate) fn next<T>(list: &[T]) -> Index {
        Index::new(list.len()).unwrap_or(Index::OUT_OF_REACH)
    }

    #[inline]
    pub(crate) fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), f)
    }
}

/// The id of a string that a [`Names`] holds.
///
/// It takes four bytes, and so does an `Option` of it.
///
/// # Example
///
/// See [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(Index);

impl NameId {
    /// Returns the position of the string among those of its [`Names`],
    /// counted from 0.
    pub fn get(self) -> usize {
        self.0.get()
    }
}

/// A string interner: stores each string once and identifies it by a
/// [`NameId`].
///
/// Ids are assigned in order of appearance. Strings are never removed.
///
/// # Costs
///
/// All strings are in one buffer: a string takes its length, and about 16
/// bytes more.
///
/// # Example
///
/// This shows both directions.
///
/// ```
/// use linetape_session::Names;
///
/// let mut names = Names::new();
/// let first = names.intern("s-a");
/// let second = names.intern("s-b");
/// assert_eq!(names.intern("s-a"), first);
/// assert_eq!((first.get(), second.get()), (0, 1));
/// assert_eq!(names.find("s-b"), Some(second));
/// assert_eq!(names.name(second), Some("s-b"));
/// assert_eq!(names.nth(2), None);
/// ```
#[derive(Clone, Default)]
pub struct Names {
    /// All strings, one after the other.
    text: String,
    /// Where each string ends in the text.
    ends: Vec<usize>,
    /// A hash table with linear probing, whose size is a power of two.
    slots: Vec<Option<NameId>>,
    hasher: RandomState,
    /// The last string of each length, modulo the number of entries. A log
    /// repeats its session, model and day on every line: comparing takes less
    /// time than hashing.
    recent: [Option<NameId>; 8],
}

impl Names {
    /// Creates an interner without strings.
    pub fn new() -> Names {
        Names::default()
    }

    /// Returns the id of a string, and adds the string if it is new.
    ///
    /// Once `u32` ids are exhausted, all new strings get the same id, for
    /// which [`name`](Names::name) returns `None`.
    pub fn intern(&mut self, name: &str) -> NameId {
        let at = name.len() % self.recent.len();
        if let Some(Some(id)) = self.recent.get(at).copied()
            && self.name(id) == Some(name)
        {
            return id;
        }
        let id = self.intern_hashed(name);
        if let Some(recent) = self.recent.get_mut(at) {
            *recent = Some(id);
        }
        id
    }

    fn intern_hashed(&mut self, name: &str) -> NameId {
        let hash = self.hasher.hash_one(name);
        if let Some(id) = self.find_hashed(name, hash) {
            return id;
        }
        let id = NameId(Index::next(&self.ends));
        if id.0 != Index::OUT_OF_REACH {
            self.text.push_str(name);
            self.ends.push(self.text.len());
            // At most three quarters are taken, so that probing ends soon.
            if self.ends.len() > self.slots.len() / 4 * 3 {
                self.grow();
            } else {
                self.put(id, hash);
            }
        }
        id
    }

    /// Returns the id of a session. A session number is interned as its
    /// decimal digits.
    pub(crate) fn intern_session(&mut self, session: SessionId<'_>) -> NameId {
        match session {
            SessionId::Str(id) => self.intern(id),
            SessionId::Int(id) => self.intern(&id.to_string()),
        }
    }

    /// Returns the id of a string, or `None` if it was never interned.
    pub fn find(&self, name: &str) -> Option<NameId> {
        self.find_hashed(name, self.hasher.hash_one(name))
    }

    fn find_hashed(&self, name: &str, hash: u64) -> Option<NameId> {
        let mut at = self.first(hash);
        // An empty table has no slots, and a full one does not exist.
        loop {
            let id = (*self.slots.get(at)?)?;
            if self.name(id) == Some(name) {
                return Some(id);
            }
            at = self.after(at);
        }
    }

    /// Returns where the search for a hash begins.
    fn first(&self, hash: u64) -> usize {
        hash as usize & self.slots.len().wrapping_sub(1)
    }

    fn after(&self, at: usize) -> usize {
        (at + 1) & self.slots.len().wrapping_sub(1)
    }

    /// Takes a free slot for a string that is not in the table.
    fn put(&mut self, id: NameId, hash: u64) {
        let mut at = self.first(hash);
        while self.slots.get(at).is_some_and(|slot| slot.is_some()) {
            at = self.after(at);
        }
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = Some(id);
        }
    }

    /// Doubles the table, and puts all strings into it.
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(8);
        // The old one is not needed: all strings are hashed again.
        self.slots = Vec::new();
        self.slots.resize(size, None);
        for index in 0..self.ends.len() {
            let hash = self.nth(index).map(|name| self.hasher.hash_one(name));
            if let (Some(index), Some(hash)) = (Index::new(index), hash) {
                self.put(NameId(index), hash);
            }
        }
    }

    /// Returns the string with the given id.
    pub fn name(&self, id: NameId) -> Option<&str> {
        self.nth(id.get())
    }

    /// Returns the string at a position, in order of appearance.
    pub fn nth(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..end)
    }

    /// Returns the strings, in order of appearance.
    fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).filter_map(|index| self.nth(index))
    }

    /// Interns all strings of `other`. Returns the mapping from ids of
    /// `other` to ids of `self`.
    pub(crate) fn append(&mut self, other: &Names) -> Renaming {
        Renaming(other.iter().map(|name| self.intern(name)).collect())
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Saved for Index {
    fn save(&self, to: &mut Vec<u8>) {
        self.0.get().save(to);
    }

    fn load(from: &mut Cursor<'_>) -> Result<Index, Error> {
        let stored = NonZeroU32::new(u32::load(from)?);
        stored.map(Index).ok_or_else(inconsistent)
    }
}

saved_newtype!(NameId);

impl Saved for Names {
    fn save(&self, to: &mut Vec<u8>) {
        self.ends.len().save(to);
        self.iter().for_each(|name| save_text(name, to));
    }

    fn load(from: &mut Cursor<'_>) -> Result<Names, Error> {
        let count = usize::load(from)?;
        let mut names = Names::default();
        for _ in 0..count {
            names.intern(load_text(from)?);
        }
        // With a name that occurs twice, all later ids would be wrong.
        let is_good = names.ends.len() == count;
        is_good.then_some(names).ok_or_else(inconsistent)
    }
}

/// Maps the ids of one [`Names`] to those of another.
#[derive(Debug)]
pub(crate) struct Renaming(Vec<NameId>);

impl Renaming {
    pub(crate) fn get(&self, id: Option<NameId>) -> Option<NameId> {
        self.0.get(id?.get()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_optional_id_takes_four_bytes() {
        assert_eq!(size_of::<Option<Index>>(), 4);
        assert_eq!(size_of::<Option<NameId>>(), 4);
    }

    #[test]
    fn indexes_end_before_the_one_that_is_out_of_reach() {
        let last = u32::MAX as usize - 2;
        assert_eq!(Index::new(last).map(Index::get), Some(last));
        assert_eq!(Index::new(last + 1), None);
        assert_eq!(Index::OUT_OF_REACH.get(), last + 1);
    }

    /// The table grows many times, and strings without text count as well.
    #[test]
    fn many_strings_are_found_again() {
        let mut names = Names::default();
        assert_eq!((names.find(""), names.nth(0)), (None, None));
        let all: Vec<String> =
            (0..5000).map(|n| "é".repeat(n % 7) + &n.to_string()).collect();
        assert_eq!(names.intern("").get(), 0);
        for (at, name) in all.iter().enumerate() {
            assert_eq!(names.find(name), None);
            assert_eq!(names.intern(name).get(), at + 1);
        }
        for (at, name) in all.iter().enumerate() {
            assert_eq!(names.intern(name).get(), at + 1);
            assert_eq!(names.find(name).map(NameId::get), Some(at + 1));
            assert_eq!(names.nth(at + 1), Some(name.as_str()));
        }
        assert_eq!(names.nth(0), Some(""));
        assert_eq!(format!("{:?}", Names::default()), "[]");
    }

    #[test]
    fn a_string_is_kept_once_and_appended_names_are_mapped() {
        let mut names = Names::default();
        let a = names.intern("a");
        let b = names.intern("b");
        assert_eq!((names.intern("a"), a == b), (a, false));
        assert_eq!((names.name(b), names.find("c")), (Some("b"), None));

        let mut other = Names::default();
        let seven = other.intern_session(SessionId::Int(7));
        let other_b = other.intern("b");
        let renaming = names.append(&other);
        assert_eq!(renaming.get(Some(other_b)), Some(b));
        assert_eq!(renaming.get(Some(seven)), names.find("7"));
        assert_eq!(renaming.get(None), None);
    }
}
