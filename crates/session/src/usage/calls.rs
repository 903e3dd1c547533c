use std::collections::{HashMap, HashSet, hash_map::Entry};

/// The calls of tools, and which of them failed.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    by_id: HashMap<Box<str>, Call>,
    nameless: Vec<Call>,
    /// Calls that failed, and have not come yet.
    early_failures: HashSet<Box<str>>,
}

/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) tool: Option<u32>,
    /// The number of the message that makes it.
    pub(crate) spent: Option<usize>,
    pub(crate) failed: bool,
}

impl Calls {
    /// A call that is on several lines is one, and the first of them tells
    /// what it is.
    pub(crate) fn add(&mut self, id: Option<&str>, call: Call) {
        match id {
            None => self.nameless.push(call),
            Some(id) if self.by_id.contains_key(id) => {}
            Some(id) => {
                let failed = self.early_failures.remove(id);
                self.by_id.insert(id.into(), Call { failed, ..call });
            }
        }
    }

    /// Notes that a call has failed, be it there or not.
    pub(crate) fn fail(&mut self, id: &str) {
        match self.by_id.get_mut(id) {
            Some(call) => call.failed = true,
            None => _ = self.early_failures.insert(id.into()),
        }
    }

    /// Adds calls that came later, with their numbers changed as told.
    pub(crate) fn append(
        &mut self,
        later: Calls,
        mut renumber: impl FnMut(Call) -> Call,
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
                    new.insert(Call { failed, ..call });
                }
            }
        }
        self.nameless.extend(later.nameless.into_iter().map(renumber));
        later.early_failures.iter().for_each(|id| self.fail(id));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Call> {
        self.by_id.values().chain(&self.nameless)
    }
}
