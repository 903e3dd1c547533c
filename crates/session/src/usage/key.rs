/*!
What the row of a message is found by.
*/

use crate::state::{
    codec::saved,
    hash::{ODD, Sip},
};

/// The key of a row: 80 bits, of which the last two say what it is made of.
///
/// | sort | group, 48 bits | rest, 30 bits |
/// |---|---|---|
/// | plain | a hash of all that identifies the message | more of that hash |
/// | by id | a hash of the message id | a hash of the message id and the request id |
/// | by counts | a hash of the message id, session and input counts | more of that hash |
/// | crowded | the group of a key by id, changed by the rest | the rest of that key |
///
/// Messages with the same id are in one group, so that the copies of a message
/// which have another request id are found by its own key. Few messages are in
/// one group, unless a log repeats one id with ever new request ids. So that
/// finding a message takes a few steps in such a log as well, a group has
/// at most [`Key::MOST`] rows, and the keys of further messages are crowded:
/// each of them is in a group of its own, and its hash of all ids is stored as
/// well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) group: u64,
    pub(crate) rest: u32,
}

saved! { Key { group, rest } }

/// What a key is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeySort {
    Plain,
    ById,
    ByCounts,
    Crowded,
}

const GROUP: u64 = (1 << 48) - 1;
const REST: u32 = (1 << 30) - 1;
const BY_ID: u32 = 1 << 30;
const BY_COUNTS: u32 = 2 << 30;
const CROWDED: u32 = 3 << 30;

impl Key {
    /// The largest number of keys by id in one group.
    pub(crate) const MOST: usize = 8;

    /// That of messages without ids, which are not found.
    pub(crate) const NONE: Key = Key { group: 0, rest: 0 };

    /// Returns the key of a message that has no regular copies, by the hash of
    /// all its ids.
    pub(crate) fn plain(exact: u64) -> Key {
        Key { group: group_of(exact), rest: exact as u32 & 0xFFFF }
    }

    /// Returns the key of a message with a unique id, by the hashes of the id
    /// and of all its ids.
    pub(crate) fn by_id(id: u64, exact: u64) -> Key {
        Key { group: group_of(id), rest: exact as u32 & REST | BY_ID }
    }

    /// Returns the key of a message that is identified by the counts of its
    /// input, by a hash of these and the session.
    pub(crate) fn by_counts(hash: u64) -> Key {
        let Key { group, rest } = Key::plain(hash);
        Key { group, rest: rest | BY_COUNTS }
    }

    pub(crate) fn sort(self) -> KeySort {
        match self.rest & CROWDED {
            BY_ID => KeySort::ById,
            BY_COUNTS => KeySort::ByCounts,
            CROWDED => KeySort::Crowded,
            _ => KeySort::Plain,
        }
    }

    /// Returns the crowded key for a key by id, and the other way round.
    fn crossed(self, sort: u32) -> Key {
        let rest = self.rest & REST;
        let place = u64::from(rest + 1).wrapping_mul(ODD) >> 16;
        Key { group: self.group ^ place, rest: rest | sort }
    }

    /// Returns the key that a message gets whose group is full.
    pub(crate) fn crowded(self) -> Key {
        self.crossed(CROWDED)
    }

    /// Returns the key by id that a crowded key is for. Other keys are
    /// returned as they are.
    pub(crate) fn uncrowded(self) -> Key {
        match self.sort() {
            KeySort::Crowded => self.crossed(BY_ID),
            _ => self,
        }
    }

    /// Returns the hash of the copies of a message in a session, for a key by
    /// id. 0 is none.
    pub(crate) fn within(self, session: Option<&str>) -> u64 {
        let mut hash = Sip::new();
        hash.number(self.group);
        hash.text(session);
        hash.finish().max(1)
    }

    /// Returns the hash that a key [by counts](Key::by_counts) was made of.
    pub(crate) fn hash(self) -> u64 {
        self.group << 16 | u64::from(self.rest & 0xFFFF)
    }
}

/// Returns the group of a hash. 0 is for messages without ids.
fn group_of(hash: u64) -> u64 {
    (hash >> 16 & GROUP).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowded_key_leads_back_to_the_key_by_id() {
        for exact in [0, 1, 0xFFFF, u64::MAX, 0x1234_5678_9abc_def0] {
            let key = Key::by_id(exact.rotate_left(7), exact);
            let crowded = key.crowded();
            assert_eq!(key.sort(), KeySort::ById);
            assert_eq!(crowded.sort(), KeySort::Crowded);
            assert_ne!(crowded.group, key.group);
            assert_eq!(crowded.uncrowded(), key);
            assert_eq!(key.uncrowded(), key);
        }
    }

    #[test]
    fn a_key_by_counts_keeps_its_hash() {
        for hash in [1 << 16, u64::MAX, 0x1234_5678_9abc_def0] {
            let key = Key::by_counts(hash);
            assert_eq!((key.sort(), key.hash()), (KeySort::ByCounts, hash));
            assert_eq!(Key::plain(hash).sort(), KeySort::Plain);
        }
    }
}
