/*!
The forest that a [`Tree`](crate::Tree) is made of.

Children are linked lists through the slots, so that adding a link takes
constant time and walking needs no stack. Cycles are refused with the help of a
union-find structure.
*/

use crate::{
    ids::{Index, NameId, Names},
    tree::id::NodeId,
};

/// The index of a [`Slot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotId(Index);

/// A vertex of the forest: a message, a tool call or a sub-agent.
///
/// A message has its slot from when it is first named, so that children can be
/// linked to a parent that comes later. Calls and agents are vertices between
/// messages, and [`Node`](crate::Node) skips them.
#[derive(Clone)]
pub(crate) struct Slot {
    /// The uuid or id. `None` for a message without a uuid.
    pub(crate) name: Option<NameId>,
    pub(crate) space: Space,
    /// The message, once it was added.
    pub(crate) node: Option<NodeId>,
    pub(crate) parent: Option<SlotId>,
    pub(crate) next_sibling: Option<SlotId>,
    /// The ends of the list of children. Calls and agents come first, up to
    /// `last_inner`: what a sub-agent did precedes what follows its call.
    pub(crate) first_child: Option<SlotId>,
    pub(crate) last_child: Option<SlotId>,
    pub(crate) last_inner: Option<SlotId>,
    /// The number of children that are turns of the main thread.
    pub(crate) turns: u32,
    /// Union-find parent pointer: the root of a set points to itself.
    set: SlotId,
    /// Union-find size: the number of slots in the set, if this is its root.
    size: u32,
}

/// What a name is the name of. Equal names in two spaces are two slots.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Uuid,
    Call,
    Agent,
}

/// All slots. They form a forest: each slot has at most one parent, and links
/// that would close a cycle are refused.
#[derive(Clone, Default)]
pub(crate) struct Slots {
    slots: Vec<Slot>,
    /// For each space, the slots by the ids of their names.
    by_name: [Vec<Option<SlotId>>; 3],
}

impl Slots {
    pub(crate) fn get(&self, slot: SlotId) -> Option<&Slot> {
        self.slots.get(slot.0.get())
    }

    pub(crate) fn get_mut(&mut self, slot: SlotId) -> Option<&mut Slot> {
        self.slots.get_mut(slot.0.get())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter()
    }

    /// Returns the slot of a name, if there is one.
    pub(crate) fn find(&self, space: Space, name: NameId) -> Option<SlotId> {
        let slots = self.by_name.get(space as usize)?;
        slots.get(name.get()).copied().flatten()
    }

    /// Returns the slot of a name, which is added if it is new. `None` once
    /// `u32` ids are exhausted.
    pub(crate) fn named(
        &mut self,
        space: Space,
        text: &str,
        names: &mut Names,
    ) -> Option<SlotId> {
        let name = names.intern(text);
        if let Some(slot) = self.find(space, name) {
            return Some(slot);
        }
        // There is no slot for a name that the interner could not take.
        names.name(name)?;
        let slot = self.push(Some(name), space)?;
        let slots = self.by_name.get_mut(space as usize)?;
        if slots.len() <= name.get() {
            slots.resize(name.get() + 1, None);
        }
        *slots.get_mut(name.get())? = Some(slot);
        Some(slot)
    }

    /// Returns a new slot for a message without a uuid.
    pub(crate) fn unnamed(&mut self) -> Option<SlotId> {
        self.push(None, Space::Uuid)
    }

    fn push(&mut self, name: Option<NameId>, space: Space) -> Option<SlotId> {
        let slot = SlotId(Index::new(self.slots.len())?);
        self.slots.push(Slot {
            name,
            space,
            node: None,
            parent: None,
            next_sibling: None,
            first_child: None,
            last_child: None,
            last_inner: None,
            turns: 0,
            set: slot,
            size: 1,
        });
        Some(slot)
    }

    /// Returns whether a slot has no parent. A call or an agent may be named
    /// again, and its first link stays.
    pub(crate) fn is_free(&self, slot: SlotId) -> bool {
        self.get(slot).is_some_and(|slot| slot.parent.is_none())
    }

    /// Makes a free slot the last child of another. Returns `false`, and
    /// changes nothing, if that would close a cycle.
    pub(crate) fn link(&mut self, child: SlotId, parent: SlotId) -> bool {
        debug_assert!(self.is_free(child));
        if !self.unite(child, parent) {
            return false;
        }
        let Some(below) = self.get_mut(child) else {
            return false;
        };
        below.parent = Some(parent);
        let is_inner = below.space != Space::Uuid;
        let Some(above) = self.get_mut(parent) else {
            return false;
        };
        // One list holds both kinds of children: calls and agents, and after
        // them messages.
        let before =
            if is_inner { above.last_inner } else { above.last_child };
        if is_inner {
            above.last_inner = Some(child);
        }
        if above.last_child == before {
            above.last_child = Some(child);
        }
        let next = match before {
            None => above.first_child.replace(child),
            Some(before) => self
                .get_mut(before)
                .and_then(|before| before.next_sibling.replace(child)),
        };
        if let Some(below) = self.get_mut(child) {
            below.next_sibling = next;
        }
        true
    }

    /// Union by size. Returns `false` if both slots are in one set already.
    fn unite(&mut self, one: SlotId, other: SlotId) -> bool {
        let (one, other) = (self.find_set(one), self.find_set(other));
        if one == other {
            return false;
        }
        let size = |at| self.get(at).map_or(0, |slot| slot.size);
        let total = size(one).saturating_add(size(other));
        let (large, small) =
            if size(one) < size(other) { (other, one) } else { (one, other) };
        if let Some(small) = self.get_mut(small) {
            small.set = large;
        }
        if let Some(large) = self.get_mut(large) {
            large.size = total;
        }
        true
    }

    /// Returns the root of a slot's set, with path halving.
    fn find_set(&mut self, mut at: SlotId) -> SlotId {
        loop {
            let set = self.get(at).map_or(at, |slot| slot.set);
            if set == at {
                return at;
            }
            let further = self.get(set).map_or(set, |slot| slot.set);
            if let Some(slot) = self.get_mut(at) {
                slot.set = further;
            }
            at = further;
        }
    }
}
