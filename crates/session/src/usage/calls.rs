/*!
Deduplicated tool calls, and which of them failed, as rows of 13 bytes.

| bits | content |
|---|---|
| 0..64 | the hash of the call's id, or 0 if it has none |
| 64 | 1 if the call failed |
| 65..77 | the number of the tool, plus 1; 0 if it has none; the largest number if the call is [wide](Calls) |
| 77..104 | the index of the message that makes the call, plus 1, or 0 |
*/

use std::collections::{HashMap, HashSet};

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

const ROW: usize = 13;

/// What a wide call has in place of the number of a tool.
const WIDE: u64 = (1 << 12) - 1;

/// The number of messages that rows can have.
const MESSAGES: u64 = (1 << 27) - 1;

/// The tool calls of a log.
///
/// A call is wide if the log has more than 4,000 tools or 134 million
/// messages: its row has an index in `wide` in place of the message.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    table: Table<ROW>,
    tools: Vec<NameId>,
    numbers: HashMap<NameId, u64>,
    wide: Vec<(Option<NameId>, Option<usize>)>,
    /// The hashes of the ids of calls whose failed result came before the
    /// call.
    early_failures: HashSet<u64>,
}

/// A tool call in the totals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallTotals {
    pub(crate) tool: Option<NameId>,
    /// The index of the message that makes the call.
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
                let row = self.pack(hash, call);
                self.table.push(&row);
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
        let row = self.table.row_mut(index);
        if let Some([.., flags, _, _, _, _]) = row {
            *flags |= 1;
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
            self.insert(hash_in(row), renumber(later.unpack(row)));
        }
        later.early_failures.iter().for_each(|hash| self.fail_hash(*hash));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = CallTotals> {
        self.table.rows().map(|row| self.unpack(row))
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
        self.tools.save(to);
        self.wide.save(to);
        self.early_failures.save(to);
    }

    /// Takes a table, and reads everything else.
    pub(crate) fn load(
        table: BytesMut,
        rest: &mut Cursor<'_>,
    ) -> Result<Calls, Error> {
        let table = Table::load(table)?;
        let tools = Vec::<NameId>::load(rest)?;
        let numbers = tools.iter().copied().zip(1..).collect();
        let wide = Vec::load(rest)?;
        let early_failures = HashSet::load(rest)?;
        Ok(Calls { table, tools, numbers, wide, early_failures })
    }

    fn pack(&mut self, hash: u64, call: CallTotals) -> [u8; ROW] {
        let message = match call.message {
            Some(index) => index as u64 + 1,
            None => 0,
        };
        let tool = call.tool.map_or(Some(0), |tool| self.number(tool));
        let (tool, message) = match tool.filter(|_| message <= MESSAGES) {
            Some(tool) => (tool, message),
            None => {
                self.wide.push((call.tool, call.message));
                (WIDE, self.wide.len() as u64 - 1)
            }
        };
        let packed = u64::from(call.failed) | tool << 1 | message << 13;
        let bytes = hash.to_le_bytes().into_iter().chain(packed.to_le_bytes());
        let mut row = [0; ROW];
        row.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        row
    }

    /// Returns the number of a tool. `None` once the numbers are exhausted.
    fn number(&mut self, tool: NameId) -> Option<u64> {
        if let Some(number) = self.numbers.get(&tool) {
            return Some(*number);
        }
        let number = self.tools.len() as u64 + 1;
        if number == WIDE {
            return None;
        }
        self.tools.push(tool);
        self.numbers.insert(tool, number);
        Some(number)
    }

    fn unpack(&self, row: &[u8; ROW]) -> CallTotals {
        let packed =
            row.last_chunk().map_or(0, |last| u64::from_le_bytes(*last));
        // The last three bytes of the hash precede them.
        let packed = packed >> 24;
        let (number, at) = ((packed >> 1 & WIDE) as usize, packed >> 13);
        let failed = packed & 1 != 0;
        if number as u64 == WIDE {
            let wide = self.wide.get(at as usize).copied();
            let (tool, message) = wide.unwrap_or_default();
            return CallTotals { tool, message, failed };
        }
        let tool = number.checked_sub(1);
        CallTotals {
            tool: tool.and_then(|tool| self.tools.get(tool)).copied(),
            message: (at as usize).checked_sub(1),
            failed,
        }
    }
}

fn hash_in(row: &[u8; ROW]) -> u64 {
    row.first_chunk().map_or(0, |hash| u64::from_le_bytes(*hash))
}

fn hash_of(id: &str) -> u64 {
    let mut hash = Sip::new();
    hash.text(Some(id));
    hash.finish().max(1)
}
