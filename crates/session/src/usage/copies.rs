/*!
Messages that have the same message id in one session, but not the same
request id: a sub-agent repeats the messages of its parent with request ids of
its own, and a transcript or a mirror has request ids that the stream lacks.

The row of a message says its id and its session, so that most of these messages
are found among the rows. The table has what the rows do not say: a message
with lines in a second session, and one whose id may not be unique.

| bytes | content |
|---|---|
| 0..8 | the hash of the message's id and session |
| 8..12 | the index of the first message with it |

Few ids have more than one message in a session: these are in a set. What
is a copy is decided when totals are reported, from all of these messages. So
it does not matter in which order they were read, or in which part of a log.
*/

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashSet},
};

use bytes::BytesMut;
use linetape::Error;

use crate::{
    state::codec::{Cursor, Saved},
    table::Table,
    usage::spent::Spent,
};

const ROW: usize = 12;

/// The messages by message id and session, as far as rows do not say it.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    table: Table<ROW>,
    /// Messages that share a hash, whether that is in the table or not.
    shared: HashSet<(u64, u32)>,
}

/// How much a message counts among those of one id and session: any tokens
/// before none, then by its level, among messages of sub-agents by its tokens,
/// and then the first one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    has_tokens: bool,
    level: u8,
    tokens: u128,
    index: Reverse<u32>,
}

/// The copies among the messages.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Each message that is a copy, with a message that it is a copy of,
    /// sorted.
    pub(crate) copies: Vec<(usize, usize)>,
    /// Each message that counts in place of a message of a higher level that
    /// has no tokens, and that message. Sorted by message; the one of the
    /// highest level is the last.
    pub(crate) named: Vec<(usize, usize)>,
}

impl Copies {
    /// Returns whether rows say everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.table.len() == 0
    }

    /// Returns the first message with a hash that is in the table.
    pub(crate) fn first(&self, hash: u64) -> Option<usize> {
        let row = self.table.row(self.table.find(hash)?)?;
        Some(first_of(row) as usize)
    }

    /// Notes that a message has a hash. If it is the first one, replaces
    /// another one that is noted.
    pub(crate) fn note(&mut self, hash: u64, message: usize) {
        // Beyond `u32` indexes, copies are not found.
        let Ok(message) = u32::try_from(message) else { return };
        let Some(at) = self.table.find(hash) else {
            self.table.push(&pack(hash, message));
            return;
        };
        if let Some(row) = self.table.row_mut(at)
            && message < first_of(row)
        {
            *row = pack(hash, message);
        }
    }

    /// Notes that a message shares a hash with another one, and that one of
    /// them may be a copy.
    pub(crate) fn share(&mut self, hash: u64, message: usize) {
        self.shared.extend(u32::try_from(message).map(|at| (hash, at)));
    }

    /// Returns each message with its hashes, as far as they are noted.
    pub(crate) fn noted(&self) -> impl Iterator<Item = (u64, usize)> {
        let firsts = self.table.rows();
        let firsts = firsts.map(|row| (hash_of(row), first_of(row)));
        let all = firsts.chain(self.shared.iter().copied());
        all.map(|(hash, message)| (hash, message as usize))
    }

    /// Returns the messages that are copies.
    pub(crate) fn found(
        &self,
        message: impl Fn(usize) -> Option<Spent>,
    ) -> Found {
        let mut shared: Vec<(u64, u32)> =
            self.shared.iter().copied().collect();
        shared.sort_unstable();
        let mut best: BTreeMap<u32, Weight> = BTreeMap::new();
        let mut named: BTreeSet<(u32, Weight)> = BTreeSet::new();
        for same in shared.chunk_by(|a, b| a.0 == b.0) {
            let weighed = same.iter().filter_map(|&(_, index)| {
                let spent = message(index as usize)?;
                spent.has_usage.then(|| Weight::of(index, &spent))
            });
            let weighed: Vec<Weight> = weighed.collect();
            let Some(most) = weighed.iter().max().copied() else { continue };
            // All messages that count have the level of `most`.
            let is_higher = |weight: &&Weight| weight.level > most.level;
            let mut higher: Vec<Weight> =
                weighed.iter().filter(is_higher).copied().collect();
            higher.sort_unstable();
            let enough = naming(&higher, &message);
            for weight in &weighed {
                let Reverse(index) = weight.index;
                if weight.is_copy(&most) {
                    let known = best.entry(index).or_insert(most);
                    *known = most.max(*known);
                } else if weight.has_tokens {
                    // The costs of all of them are those of one message.
                    let by = match *weight == most {
                        true => &higher,
                        false => &enough,
                    };
                    named.extend(by.iter().map(|higher| (index, *higher)));
                }
            }
        }
        let pair = |(index, weight): (u32, Weight)| {
            let Reverse(of) = weight.index;
            (index as usize, of as usize)
        };
        named.retain(|(index, _)| !best.contains_key(index));
        Found {
            copies: best.into_iter().map(pair).collect(),
            named: named.into_iter().map(pair).collect(),
        }
    }

    /// Returns the number of bytes that [`save_table`](Copies::save_table)
    /// appends.
    pub(crate) fn table_len(&self) -> usize {
        self.table.saved_len()
    }

    /// Appends the table to a state.
    pub(crate) fn save_table(&self, to: &mut Vec<u8>) {
        self.table.save(to);
    }

    /// Appends everything but the table to a state.
    pub(crate) fn save_rest(&self, to: &mut Vec<u8>) {
        self.shared.save(to);
    }

    /// Takes a table, and reads everything else.
    pub(crate) fn load(
        table: BytesMut,
        rest: &mut Cursor<'_>,
    ) -> Result<Copies, Error> {
        let table = Table::load(table)?;
        Ok(Copies { table, shared: HashSet::load(rest)? })
    }
}

/// Returns those of the messages whose names are used, given in ascending
/// order: for each field, the last one that has it. There are at most five,
/// however many messages have the same id.
fn naming(
    sorted: &[Weight],
    message: impl Fn(usize) -> Option<Spent>,
) -> Vec<Weight> {
    let mut known = [false; 5];
    let mut naming = vec![];
    for weight in sorted.iter().rev() {
        let Reverse(index) = weight.index;
        let Some(spent) = message(index as usize) else { continue };
        let said = [
            true, // its rank
            spent.session.is_some(),
            spent.model.is_some(),
            spent.day.is_some(),
            spent.time.is_some(),
        ];
        let mut is_new = false;
        for (known, said) in known.iter_mut().zip(said) {
            is_new |= said && !*known;
            *known |= said;
        }
        naming.extend(is_new.then_some(*weight));
        if known == [true; 5] {
            break;
        }
    }
    naming
}

impl Weight {
    fn of(index: u32, spent: &Spent) -> Weight {
        let level = spent.rank.level();
        Weight {
            has_tokens: !spent.figures.are_zero(),
            level,
            tokens: match level {
                0 => spent.tokens().sum(),
                _ => 0,
            },
            index: Reverse(index),
        }
    }

    /// Returns whether a message is a copy of the one with the most weight.
    /// Two messages of one level are not copies of each other, unless they are
    /// sub-agents'. A message without tokens is one beside a message with
    /// tokens of any other level.
    fn is_copy(&self, most: &Weight) -> bool {
        match self.level {
            0 => self < most,
            level => level != most.level,
        }
    }
}

fn pack(hash: u64, message: u32) -> [u8; ROW] {
    let mut row = [0; ROW];
    let (id, index) = row.split_at_mut(8);
    id.copy_from_slice(&hash.to_le_bytes());
    index.copy_from_slice(&message.to_le_bytes());
    row
}

fn hash_of(row: &[u8; ROW]) -> u64 {
    row.first_chunk().map_or(0, |hash| u64::from_le_bytes(*hash))
}

fn first_of(row: &[u8; ROW]) -> u32 {
    row.last_chunk().map_or(0, |index| u32::from_le_bytes(*index))
}
