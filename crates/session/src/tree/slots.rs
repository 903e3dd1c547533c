/*!
The forest of a [`Tree`](crate::Tree).

The children of a slot are a linked list through the slots, so that adding a
link takes constant time and traversal needs no stack.

Cycles are detected with union-find: a link between two slots of one set would
close a cycle, and is refused.
*/

use crate::{
    ids::{Index, NameId, Names},
    sets::Sets,
    tree::id::NodeId,
};

/// The index of a [`Slot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlotId(Index);

/// A vertex of the forest: a message, a tool call or a sub-agent.
///
/// A message gets its slot when its uuid first occurs, so that children can be
/// linked to a parent that comes later. Calls and agents are vertices between
/// messages, and [`Node`](crate::Node) skips them.
#[derive(Clone)]
pub(crate) struct Slot {
    /// The uuid or id. `None` for a message without a uuid.
    pub(crate) name: Option<NameId>,
    pub(crate) space: Space,
    /// The message. `None` until it is added.
    pub(crate) node: Option<NodeId>,
    pub(crate) parent: Option<SlotId>,
    pub(crate) next_sibling: Option<SlotId>,
    /// The ends of the list of children. Calls and agents come first, up to
    /// `last_inner`, so that the messages of sub-agents come before the other
    /// children.
    pub(crate) first_child: Option<SlotId>,
    pub(crate) last_child: Option<SlotId>,
    pub(crate) last_inner: Option<SlotId>,
    /// The number of children that the user or the model wrote outside of
    /// sidechains.
    pub(crate) turns: u32,
}

/// The namespace of a slot's name. The same name in two namespaces is two
/// slots.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Uuid,
    Call,
    Agent,
}

/// All slots. Invariant: they form a forest. Each slot has at most one parent,
/// and there are no cycles.
#[derive(Clone, Default)]
pub(crate) struct Slots {
    slots: Vec<Slot>,
    /// For each [`Space`], the slots by the ids of their names.
    by_name: [Vec<Option<SlotId>>; 3],
    /// The trees: the slots that are linked to each other.
    sets: Sets,
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

    /// Returns the slot of a name, and adds the slot if it is new. `None` once
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
        // An interner that is full returns an id without a name.
        names.name(name)?;
        let slot = self.push(Some(name), space)?;
        let slots = self.by_name.get_mut(space as usize)?;
        if slots.len() <= name.get() {
            slots.resize(name.get() + 1, None);
        }
        *slots.get_mut(name.get())? = Some(slot);
        Some(slot)
    }

    /// Adds a slot for a message without a uuid. `None` once `u32` ids are
    /// exhausted.
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
        });
        Some(slot)
    }

    /// Returns whether a slot has no parent yet. A call or an agent may occur
    /// several times; its first link is kept.
    pub(crate) fn is_free(&self, slot: SlotId) -> bool {
        self.get(slot).is_some_and(|slot| slot.parent.is_none())
    }

    /// Makes a slot without a parent the last child of another. Returns
    /// `false`, and changes nothing, if that would close a cycle.
    pub(crate) fn link(&mut self, child: SlotId, parent: SlotId) -> bool {
        debug_assert!(self.is_free(child));
        if !self.sets.unite(child.0, parent.0) {
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
        // Both groups of children are in one list: calls and agents first,
        // then messages.
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
}
