use std::{fmt, iter};

use linetape::{Position, message::Kind};

use crate::tree::{
    Entry, NodeId, Tree,
    slots::{NONE, Slot},
};

/// A message in a [`Tree`], and its links.
///
/// # Example
///
/// This shows what a sub-agent hangs from in a stream, where only the tool
/// call is named.
///
/// ```
/// use linetape::lines;
/// use linetape_session::Tree;
///
/// let log = br#"{"type":"assistant","uuid":"a","message":{"content":[{"type":"tool_use","id":"t1","name":"Task"}]}}
/// {"type":"user","uuid":"b","parent_tool_use_id":"t1"}
/// {"type":"assistant","uuid":"c","parent_tool_use_id":"t1"}
/// "#;
/// let mut tree = Tree::new();
/// let mut lines = lines(log);
/// while let Some(record) = lines.next_record() {
///     let record = record?;
///     tree.add(record.message(), record.position());
/// }
/// let node = tree.find("c").unwrap();
/// assert!(node.is_sidechain());
/// assert_eq!(node.call(), Some("t1"));
/// assert_eq!(node.position().line(), 3);
///
/// let parent = node.parent().unwrap();
/// assert_eq!(parent.uuid(), "a");
/// assert_eq!(parent.kind().to_string(), "assistant");
/// assert_eq!(parent.children().count(), 2);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Node<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) entry: &'t Entry,
    pub(crate) slot: &'t Slot,
    pub(crate) id: NodeId,
}

impl<'t> Node<'t> {
    /// Which message it is, to be kept while the tree grows.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The message's own identifier, which is empty if it has none.
    pub fn uuid(self) -> &'t str {
        &self.slot.text
    }

    /// The type and subtype. Without a type, there is neither.
    pub fn kind(self) -> Kind<'t> {
        let word = |at| self.tree.words.name(at);
        match word(self.entry.name) {
            Some(name) => Kind::new(Some(name), word(self.entry.subtype)),
            None => Kind::default(),
        }
    }

    /// Where the message stands: the position that it was added with.
    pub fn position(self) -> Position {
        self.entry.position
    }

    /// What it hangs from, by the rules of [`Tree`].
    pub fn parent(self) -> Option<Node<'t>> {
        // Sees through an agent and a call at most.
        let ups = iter::successors(Some(self.slot.up), |up| {
            self.tree.slots.get(*up).map(|slot| slot.up)
        });
        ups.take_while(|up| *up != NONE).find_map(|up| self.tree.node_at(up))
    }

    /// What it hangs from, and so on up to a root.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'t>> {
        iter::successors(self.parent(), |node| node.parent())
    }

    /// What hangs from it: first what the sub-agents say that it called, call
    /// by call, and then what names it as its parent. Each is in order of
    /// appearance.
    pub fn children(self) -> impl Iterator<Item = Node<'t>> {
        let walk = Walk::new(self.tree, self.entry.slot, false);
        walk.map(|(_, node)| node)
    }

    /// The message that it follows in meaning, where a compaction cut the
    /// chain.
    pub fn logical_parent(self) -> Option<Node<'t>> {
        self.tree.node_at(self.entry.logical)
    }

    /// The `parentUuid` that it names, be it there or not.
    pub fn parent_uuid(self) -> Option<&'t str> {
        self.text(self.entry.parent)
    }

    /// The `logicalParentUuid` that it names, be it there or not.
    pub fn logical_parent_uuid(self) -> Option<&'t str> {
        self.text(self.entry.logical)
    }

    /// The tool call whose sub-agent says this: the `parent_tool_use_id` that
    /// it names.
    pub fn call(self) -> Option<&'t str> {
        self.text(self.entry.call)
    }

    /// Whether it is part of a sub-agent's conversation.
    pub fn is_sidechain(self) -> bool {
        self.entry.is_sidechain
    }

    /// Whether it says that what went before was compacted.
    pub fn is_boundary(self) -> bool {
        self.entry.is_boundary
    }

    fn text(self, slot: u32) -> Option<&'t str> {
        self.tree.slots.get(slot).map(|slot| &*slot.text)
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("id", &self.id.0)
            .field("uuid", &self.uuid())
            .field("kind", &self.kind().to_string())
            .finish_non_exhaustive()
    }
}

/// What stands below a slot: all of it, or only the nearest messages.
///
/// It needs no stack. The way back is in the slots.
pub(crate) struct Walk<'t> {
    tree: &'t Tree,
    top: u32,
    at: u32,
    depth: usize,
    all: bool,
}

impl<'t> Walk<'t> {
    pub(crate) fn new(tree: &'t Tree, top: u32, all: bool) -> Walk<'t> {
        Walk { tree, top, at: top, depth: 0, all }
    }
}

impl<'t> Iterator for Walk<'t> {
    type Item = (usize, Node<'t>);

    fn next(&mut self) -> Option<(usize, Node<'t>)> {
        loop {
            let mut here = self.tree.slots.get(self.at)?;
            let is_through = here.entry == NONE;
            let goes_down = self.all || is_through || self.at == self.top;
            if goes_down && here.first != NONE {
                self.depth += usize::from(!is_through);
                self.at = here.first;
            } else {
                while self.at != self.top && here.next == NONE {
                    self.at = here.up;
                    here = self.tree.slots.get(self.at)?;
                    self.depth -= usize::from(here.entry != NONE);
                }
                // Behind the top stands what is not below it.
                let is_over = self.at == self.top;
                self.at = if is_over { NONE } else { here.next };
            }
            if let Some(node) = self.tree.node_at(self.at) {
                return Some((self.depth, node));
            }
        }
    }
}
