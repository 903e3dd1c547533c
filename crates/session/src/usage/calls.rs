/*!
Deduplicated tool calls, and which of them failed.
*/

use std::collections::{HashMap, HashSet, hash_map::Entry};

use crate::ids::NameId;

/// The tool calls of a log.
///
/// Ids are not interned, since they occur only as map keys.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    by_id: HashMap<Box<str>, CallTotals>,
    /// Calls without an id.
    unnamed: Vec<CallTotals>,
    /// The ids of calls whose failed result came before the call.
    early_failures: HashSet<Box<str>>,
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
        match id {
            None => self.unnamed.push(call),
            Some(id) if self.by_id.contains_key(id) => {}
            Some(id) => {
                let failed = self.early_failures.remove(id);
                self.by_id.insert(id.into(), CallTotals { failed, ..call });
            }
        }
    }

    /// Marks a call as failed, even if the call itself comes later.
    pub(crate) fn fail(&mut self, id: &str) {
        match self.by_id.get_mut(id) {
            Some(call) => call.failed = true,
            None => _ = self.early_failures.insert(id.into()),
        }
    }

    /// Adds the calls of a later part of the log. `renumber` maps their ids
    /// and indexes to those of `self`.
    pub(crate) fn append(
        &mut self,
        later: Calls,
        mut renumber: impl FnMut(CallTotals) -> CallTotals,
    ) {
        for (id, call) in later.by_id {
            let call = renumber(call);
            match self.by_id.entry(id) {
                Entry::Occupied(mut known) => {
                    known.get_mut().failed |= call.failed;
                }
                Entry::Vacant(new) => {
                    let failed =
                        self.early_failures.remove(new.key()) || call.failed;
                    new.insert(CallTotals { failed, ..call });
                }
            }
        }
        self.unnamed.extend(later.unnamed.into_iter().map(renumber));
        later.early_failures.iter().for_each(|id| self.fail(id));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &CallTotals> {
        self.by_id.values().chain(&self.unnamed)
    }
}
