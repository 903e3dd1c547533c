/*!
The forest of a [`Lineage`]: vertices, and links that never close a cycle.

Cycles are detected with union-find: a link between two vertices of one set would
close a cycle, and is refused.
*/

use crate::{
    conversation::lineage::{Lineage, Vertex, row},
    ids::{Index, NameId},
};

impl Lineage {
    /// Returns the vertex of a uuid. `None` once `u32` ids are exhausted.
    pub(super) fn named(&mut self, uuid: &str) -> Option<Index> {
        let hash = self.hash(uuid);
        match self.uuids.find(hash) {
            Some(index) => Index::new(index),
            None => self.push(hash),
        }
    }

    pub(super) fn push(&mut self, hash: u64) -> Option<Index> {
        let at = Index::new(self.vertices.len())?;
        self.uuids.push(&row(hash));
        self.vertices.push(Vertex {
            parent: None,
            order: None,
            message: None,
            print: 0,
            about: 0,
        });
        Some(at)
    }

    /// Returns the vertex of a tool call. It is below the first message with
    /// the call, if that was added.
    pub(super) fn call(&mut self, name: NameId) -> Option<Index> {
        if let Some(at) = self.calls.get(&name) {
            return Some(*at);
        }
        let at = self.push(0)?;
        self.calls.insert(name, at);
        if let Some(owner) = self.owners.get(name.get()).copied().flatten() {
            self.link(at, owner);
        }
        Some(at)
    }

    pub(super) fn agent(&mut self, name: NameId) -> Option<Index> {
        if let Some(at) = self.agents.get(&name) {
            return Some(*at);
        }
        let at = self.push(0)?;
        self.agents.insert(name, at);
        Some(at)
    }

    /// Notes the first message with a tool call.
    pub(super) fn own(&mut self, call: NameId, at: Index) {
        if self.owners.len() <= call.get() {
            self.owners.resize(call.get() + 1, None);
        }
        if let Some(owner) = self.owners.get_mut(call.get()) {
            *owner = owner.or(Some(at));
        }
    }

    /// Notes the last line of the API message with a tool call.
    pub(super) fn own_last(&mut self, call: NameId, at: Index) {
        let message = |at: Index| self.get(at)?.message;
        let Some(own) = message(at) else { return };
        let before = self.last_owners.get(call.get()).copied().flatten();
        let is_other = before.is_some_and(|at| message(at) != Some(own));
        if self.last_owners.len() <= call.get() {
            self.last_owners.resize(call.get() + 1, None);
        }
        if let Some(owner) = self.last_owners.get_mut(call.get()) {
            // Once it is out of reach, it has no message, and stays there.
            *owner = Some(if is_other { Index::OUT_OF_REACH } else { at });
        }
    }

    /// Links a call or an agent, unless it has a parent.
    pub(super) fn link_free(&mut self, child: Index, parent: Index) -> bool {
        let is_free = self.get(child).is_some_and(|v| v.parent.is_none());
        is_free && self.link(child, parent)
    }

    /// Makes a vertex without a parent a child of another. Returns `false`,
    /// and changes nothing, if that would close a cycle.
    pub(super) fn link(&mut self, child: Index, parent: Index) -> bool {
        if !self.sets.unite(child, parent) {
            return false;
        }
        if let Some(child) = self.get_mut(child) {
            child.parent = Some(parent);
        }
        true
    }
}
