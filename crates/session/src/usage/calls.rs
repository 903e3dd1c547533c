/*!
Deduplicated tool calls, and which of them failed, as rows of 16 bytes.

| bytes | content |
|---|---|
| 0..8 | the hash of the call's id, or 0 if it has none |
| 8..12 | the id of the tool's name, plus 1; 0 if it has none |
| 12..16 | the index of the message that makes the call, plus 1, or 0; the highest bit is set if the call failed |
*/

use std::collections::HashSet;

use bytes::BytesMut;
use linetape::Error;

use crate::{
    ids::NameId,
    state::{
        codec::{Cursor, Saved},
        hash::Sip,
    },
    table::Table,
};

const ROW: usize = 16;

/// The bit of a row that is set if the call failed.
const FAILED: u32 = 1 << 31;

/// The tool calls of a log.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    table: Table<ROW>,
    /// The hashes of the ids of calls whose failed result came before the
    /// call.
    early_failures: HashSet<u64>,
}

/// A tool call in the totals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallTotals {
    pub(crate) tool: Option<NameId>,
    /// The index of the message that makes the call. `None` beyond 2^31
    /// messages.
    pub(crate) message: Option<usize>,
    pub(crate) failed: bool,
}

impl Calls {
    /// Adds a call. If a call is on several lines, only the first is used.
    pub(crate) fn add(&mut self, id: Option<&str>, call: CallTotals) {
        self.insert(id.map_or(0, hash_of), call);
    }

    /// Adds a call by the hash of its id.
    fn insert(&mut self, hash: u64, call: CallTotals) {
        match self.table.find(hash) {
            Some(index) if call.failed => self.fail_at(index),
            Some(_) => {}
            None => {
                let failed = self.early_failures.remove(&hash) || call.failed;
                let call = CallTotals { failed, ..call };
                self.table.push(&call.pack(hash));
            }
        }
    }

    /// Marks a call as failed, even if the call itself comes later.
    pub(crate) fn fail(&mut self, id: &str) {
        self.fail_hash(hash_of(id));
    }

    fn fail_hash(&mut self, hash: u64) {
        match self.table.find(hash) {
            Some(index) => self.fail_at(index),
            None => _ = self.early_failures.insert(hash),
        }
    }

    fn fail_at(&mut self, index: usize) {
        if let Some(row) = self.table.row_mut(index) {
            let (call, hash) = (CallTotals::unpack(row), hash_in(row));
            *row = CallTotals { failed: true, ..call }.pack(hash);
        }
    }

    /// Adds the calls of a later part of the log. `renumber` maps their ids
    /// and indexes to those of `self`.
    pub(crate) fn append(
        &mut self,
        later: Calls,
        mut renumber: impl FnMut(CallTotals) -> CallTotals,
    ) {
        for row in later.table.rows() {
            self.insert(hash_in(row), renumber(CallTotals::unpack(row)));
        }
        later.early_failures.iter().for_each(|hash| self.fail_hash(*hash));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = CallTotals> {
        self.table.rows().map(CallTotals::unpack)
    }

    /// Returns the number of bytes that [`save_table`](Calls::save_table)
    /// appends.
    pub(crate) fn table_len(&self) -> usize {
        self.table.saved_len()
    }

    /// Appends the table of calls to a state.
    pub(crate) fn save_table(&self, to: &mut Vec<u8>) {
        self.table.save(to);
    }

    /// Appends everything but the table to a state.
    pub(crate) fn save_rest(&self, to: &mut Vec<u8>) {
        self.early_failures.save(to);
    }

    /// Takes a table, and reads everything else.
    pub(crate) fn load(
        table: BytesMut,
        rest: &mut Cursor<'_>,
    ) -> Result<Calls, Error> {
        let table = Table::load(table)?;
        Ok(Calls { table, early_failures: HashSet::load(rest)? })
    }
}

impl CallTotals {
    fn pack(self, hash: u64) -> [u8; ROW] {
        let plus_one = |index: usize| u32::try_from(index + 1).ok();
        let tool = self.tool.map(NameId::get).and_then(plus_one);
        let message = self.message.and_then(plus_one);
        let message = message.filter(|index| index & FAILED == 0);
        let failed = if self.failed { FAILED } else { 0 };
        let words = [
            hash as u32,
            (hash >> 32) as u32,
            tool.unwrap_or(0),
            message.unwrap_or(0) | failed,
        ];
        let mut row = [0; ROW];
        let (places, _) = row.as_chunks_mut::<4>();
        for (place, word) in places.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        row
    }

    fn unpack(row: &[u8; ROW]) -> CallTotals {
        let [.., tool, message] = words_of(row);
        CallTotals {
            tool: NameId::from_stored(tool),
            message: ((message & !FAILED) as usize).checked_sub(1),
            failed: message & FAILED != 0,
        }
    }
}

fn words_of(row: &[u8; ROW]) -> [u32; 4] {
    let mut words = [0; 4];
    let (from, _) = row.as_chunks::<4>();
    for (word, bytes) in words.iter_mut().zip(from) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

fn hash_in(row: &[u8; ROW]) -> u64 {
    let [low, high, ..] = words_of(row);
    u64::from(high) << 32 | u64::from(low)
}

fn hash_of(id: &str) -> u64 {
    let mut hash = Sip::new();
    hash.text(Some(id));
    hash.finish().max(1)
}
