/*!
Which messages have the same id in one session, and so may be copies.

A message has a hash for each session that it has lines in, and it shares the
hash with other messages. The hash of the session in its row is not stored: the
rows of its group have the same id. [`Copies`](super::copies::Copies) has the
other ones.
*/

use crate::{
    ids::{NameId, Names},
    usage::{
        key::{Key, KeySort},
        rows::Rows,
    },
};

/// A message that has a hash.
#[derive(Clone, Copy)]
struct Member {
    index: usize,
    /// Whether others find it among the rows of its group.
    is_in_row: bool,
    /// Whether the hash is noted again when the message is appended to those
    /// of an earlier part.
    is_told: bool,
}

impl Rows {
    /// Notes that a message with a key by id reports usage on a line of a
    /// session.
    pub(crate) fn join(
        &mut self,
        index: usize,
        session: Option<NameId>,
        names: &Names,
    ) {
        let key = self.key(index).uncrowded();
        if key.sort() != KeySort::ById {
            return;
        }
        let in_session = |at| self.session(at) == Some(session);
        let is_told = in_session(index);
        let is_in_row = self.is_in_group(index) && is_told;
        let others = self.group(key).filter(|at| *at != index);
        let others: Vec<usize> = others.filter(|at| in_session(*at)).collect();
        if is_in_row && others.is_empty() && self.copies.is_empty() {
            // The common case.
            return;
        }
        let name = session.and_then(|session| names.name(session));
        let member = Member { index, is_in_row, is_told };
        self.meet(key.within(name), member, &others);
    }

    /// Notes that a message with a key by counts reports usage.
    pub(crate) fn join_by_counts(&mut self, index: usize) {
        let key = self.key(index);
        if key.sort() == KeySort::ByCounts && !self.copies.is_empty() {
            let member = Member { index, is_in_row: true, is_told: true };
            self.meet(key.hash(), member, &[]);
        }
    }

    /// Notes that a message with a plain key has a hash of its id and session,
    /// or of the counts as well.
    pub(crate) fn note(&mut self, hash: u64, index: usize) {
        if hash == 0 {
            return;
        }
        let by_counts = self.find(Key::by_counts(hash), 0).ok();
        let other = by_counts.filter(|at| self.session(*at).is_some());
        // It is not told, but a gateway may repeat one id on all messages.
        let member = Member { index, is_in_row: false, is_told: true };
        self.meet(hash, member, other.as_slice());
    }

    /// Notes what a later part of the log has noted of a message.
    pub(crate) fn note_again(
        &mut self,
        hash: u64,
        index: usize,
        names: &Names,
    ) {
        let key = self.key(index).uncrowded();
        match key.sort() {
            KeySort::Plain => return self.note(hash, index),
            KeySort::ByCounts => return self.join_by_counts(index),
            KeySort::ById | KeySort::Crowded => {}
        }
        let has_hash = |at| {
            let Some(session) = self.session(at) else { return false };
            let name = session.and_then(|session| names.name(session));
            key.within(name) == hash
        };
        let is_told = has_hash(index);
        let is_in_row = self.is_in_group(index) && is_told;
        let others = self.group(key).filter(|at| *at != index);
        let others: Vec<usize> = others.filter(|at| has_hash(*at)).collect();
        self.meet(hash, Member { index, is_in_row, is_told }, &others);
    }

    /// Returns whether a message is among those of its [group](Rows::group).
    fn is_in_group(&self, index: usize) -> bool {
        self.key(index).sort() == KeySort::ById
    }

    /// Returns the messages whose rows say that they have the same id.
    pub(super) fn group(&self, key: Key) -> impl Iterator<Item = usize> {
        let all = self.table.all(key.group);
        all.filter(|at| self.is_in_group(*at))
    }

    /// Notes that a message shares a hash with others, and with those that are
    /// noted.
    ///
    /// If neither of two messages can be a copy, only the first one matters: it
    /// is the one that others are copies of. Which one that is can change when
    /// the messages are appended to those of an earlier part.
    fn meet(&mut self, hash: u64, member: Member, others: &[usize]) {
        self.change();
        let Member { index, is_in_row, is_told } = member;
        let noted = self.copies.first(hash).filter(|first| *first != index);
        for &other in others.iter().chain(&noted) {
            let are_original =
                self.is_original(index) && self.is_original(other);
            if !are_original || index < other || !is_told {
                self.copies.share(hash, index);
                self.copies.share(hash, other);
            }
        }
        if !is_in_row {
            self.copies.note(hash, index);
        }
    }
}
