use std::{collections::HashMap, sync::Arc};

/// No slot, no entry, no word. No list gets so long.
pub(crate) const NONE: u32 = u32::MAX;

/// Something that is named: a message by its uuid, a tool call, a sub-agent.
///
/// A message has its slot from when it is first named, so that children can
/// be put below it before it comes. Calls and agents stand between messages,
/// and are seen through.
#[derive(Clone)]
pub(crate) struct Slot {
    pub(crate) text: Arc<str>,
    pub(crate) space: Space,
    /// The message, once it has come.
    pub(crate) entry: u32,
    /// What it hangs from.
    pub(crate) up: u32,
    /// The next below the same slot.
    pub(crate) next: u32,
    /// The first and last below this slot. Calls and agents come first, up to
    /// `last_through`: a sub-agent is done before the talk goes on.
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) last_through: u32,
    /// How many below it are turns of the main thread.
    pub(crate) turns: u32,
    /// Which tree it is part of: a slot nearer to the one that stands for the
    /// tree, or itself. With `size`, this finds circles in next to no time.
    set: u32,
    size: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Uuid,
    Call,
    Agent,
}

/// All slots. They are a forest: each has at most one above it, and no circle
/// is let in.
#[derive(Clone, Default)]
pub(crate) struct Slots {
    slots: Vec<Slot>,
    uuids: HashMap<Arc<str>, u32>,
    calls: HashMap<Arc<str>, u32>,
    agents: HashMap<Arc<str>, u32>,
}

impl Slots {
    pub(crate) fn get(&self, slot: u32) -> Option<&Slot> {
        self.slots.get(slot as usize)
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut Slot> {
        self.slots.get_mut(slot as usize)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter()
    }

    /// The slot of a message, if it has been named.
    pub(crate) fn of_uuid(&self, uuid: &str) -> Option<u32> {
        self.uuids.get(uuid).copied()
    }

    /// The slot of a name. It is none when there are four billion.
    pub(crate) fn name(&mut self, space: Space, text: &str) -> Option<u32> {
        let slots = match space {
            Space::Uuid => &mut self.uuids,
            Space::Call => &mut self.calls,
            Space::Agent => &mut self.agents,
        };
        if let Some(slot) = slots.get(text) {
            return Some(*slot);
        }
        let at = new_id(self.slots.len())?;
        let text: Arc<str> = text.into();
        slots.insert(text.clone(), at);
        self.push(text, space)
    }

    /// The slot of a message that has no name.
    pub(crate) fn nameless(&mut self) -> Option<u32> {
        self.push(Arc::default(), Space::Uuid)
    }

    fn push(&mut self, text: Arc<str>, space: Space) -> Option<u32> {
        let at = new_id(self.slots.len())?;
        self.slots.push(Slot {
            text,
            space,
            entry: NONE,
            up: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            last_through: NONE,
            turns: 0,
            set: at,
            size: 1,
        });
        Some(at)
    }

    /// Whether a slot hangs from none. The first link counts, for a call or
    /// an agent that comes up again.
    pub(crate) fn is_free(&self, slot: u32) -> bool {
        self.get(slot).is_some_and(|slot| slot.up == NONE)
    }

    /// Hangs a slot that is free from another, unless that closes a circle.
    pub(crate) fn link(&mut self, child: u32, parent: u32) -> bool {
        debug_assert!(self.is_free(child));
        if !self.unite(child, parent) {
            return false;
        }
        let Some(below) = self.get_mut(child) else {
            return false;
        };
        below.up = parent;
        let is_through = below.space != Space::Uuid;
        let Some(above) = self.get_mut(parent) else {
            return false;
        };
        // Each list is one chain, with what is seen through in front.
        let before = if is_through { above.last_through } else { above.last };
        if is_through {
            above.last_through = child;
        }
        if above.last == before {
            above.last = child;
        }
        let next = match self.get_mut(before) {
            Some(before) => std::mem::replace(&mut before.next, child),
            None => match self.get_mut(parent) {
                Some(above) => std::mem::replace(&mut above.first, child),
                None => NONE,
            },
        };
        if let Some(below) = self.get_mut(child) {
            below.next = next;
        }
        true
    }

    /// Makes one tree of two, unless they are the same.
    fn unite(&mut self, one: u32, other: u32) -> bool {
        let (one, other) = (self.set_of(one), self.set_of(other));
        if one == other {
            return false;
        }
        let size = |at| self.get(at).map_or(0, |slot| slot.size);
        let (large, small) = match size(one) < size(other) {
            true => (other, one),
            false => (one, other),
        };
        let total = size(one).saturating_add(size(other));
        if let Some(small) = self.get_mut(small) {
            small.set = large;
        }
        if let Some(large) = self.get_mut(large) {
            large.size = total;
        }
        true
    }

    /// The slot that stands for the tree that a slot is in.
    fn set_of(&mut self, mut at: u32) -> u32 {
        loop {
            let set = self.get(at).map_or(at, |slot| slot.set);
            if set == at {
                return at;
            }
            // Halves the way for whoever comes next.
            let further = self.get(set).map_or(set, |slot| slot.set);
            if let Some(slot) = self.get_mut(at) {
                slot.set = further;
            }
            at = further;
        }
    }
}

/// The number of the next item of a list.
fn new_id(len: usize) -> Option<u32> {
    u32::try_from(len).ok().filter(|id| *id != NONE)
}
