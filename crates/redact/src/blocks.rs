/*!
The streamed blocks that are not complete, by session and thread.
*/

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    mem,
    ops::RangeInclusive,
};

use linetape::Value;

/// The key of a block. Ids are hashed, since they can be as long as a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    session: u128,
    thread: u128,
    /// Whether this is the text of a turn of an agent server.
    is_turn: bool,
    index: u64,
}

impl Key {
    /// Returns the key of a block of the session and thread that an object
    /// states.
    pub(crate) fn of(origin: Value<'_>, is_turn: bool, index: u64) -> Key {
        let [session, other, thread] =
            origin.get_many(["session_id", "sessionId", "parent_tool_use_id"]);
        let session = session.filter(|id| !id.is_null()).or(other);
        Key { session: hash(session), thread: hash(thread), is_turn, index }
    }

    /// Returns the keys of all blocks of the session.
    pub(crate) fn of_session(self) -> RangeInclusive<Key> {
        let first = Key { thread: 0, ..self };
        let last = Key { thread: u128::MAX, ..self };
        *first.of_thread().start()..=*last.of_thread().end()
    }

    /// Returns the keys of all blocks of the thread.
    pub(crate) fn of_thread(self) -> RangeInclusive<Key> {
        let first = Key { is_turn: false, index: 0, ..self };
        let last = Key { is_turn: true, index: u64::MAX, ..self };
        first..=last
    }
}

/// Returns a hash of an id. Texts and numbers with the same digits differ.
fn hash(id: Option<Value<'_>>) -> u128 {
    let text = id.and_then(|id| id.as_str());
    let number = id.and_then(|id| id.as_i64());
    let half = |n: u8| {
        let mut hasher = DefaultHasher::new();
        (n, text, number).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// A block that is not complete.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The text of all pieces.
    pub(crate) text: String,
    /// The number of each line with a piece, and where its piece begins in
    /// the text.
    pub(crate) pieces: Vec<(u64, usize)>,
    /// The number of the line with the last piece.
    pub(crate) last: u64,
    /// Whether lines do not wait for the block any more: its further pieces
    /// go as a whole.
    pub(crate) is_over: bool,
}

/// The blocks that are not complete.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    blocks: BTreeMap<Key, Block>,
    /// Whether there was no room for a block. Until all blocks have ended,
    /// nothing is known about the beginning of those that are missing.
    is_full: bool,
}

impl Blocks {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && !self.is_full
    }

    pub(crate) fn has(&self, key: Key) -> bool {
        self.blocks.contains_key(&key)
    }

    pub(crate) fn get(&mut self, key: Key) -> Option<&mut Block> {
        self.blocks.get_mut(&key)
    }

    /// Returns a block, which is created if there are fewer than `most`.
    pub(crate) fn begin(
        &mut self,
        key: Key,
        most: usize,
    ) -> Option<&mut Block> {
        if !self.has(key) {
            self.is_full |= self.blocks.len() >= most;
            if self.is_full {
                return None;
            }
        }
        Some(self.blocks.entry(key).or_default())
    }

    pub(crate) fn remove(&mut self, key: Key) -> Option<Block> {
        self.blocks.remove(&key)
    }

    /// Removes blocks, in the order in which they began.
    pub(crate) fn remove_all(
        &mut self,
        keys: RangeInclusive<Key>,
    ) -> Vec<Block> {
        let keys: Vec<Key> =
            self.blocks.range(keys).map(|(key, _)| *key).collect();
        let removed = keys.into_iter().filter_map(|key| self.remove(key));
        in_order(removed.collect())
    }

    /// Removes all blocks, in the order in which they began.
    pub(crate) fn clear(&mut self) -> Vec<Block> {
        self.is_full = false;
        in_order(mem::take(&mut self.blocks).into_values().collect())
    }
}

fn in_order(mut blocks: Vec<Block>) -> Vec<Block> {
    blocks.sort_by_key(|block| block.pieces.first().copied());
    blocks
}
