/*!
The nodes of a [`Tree`], and traversal.
*/

use std::{fmt, iter};

use linetape::{Position, message::Kind};

use crate::{
    ids::NameId,
    tree::{
        NodeEntry, Tree,
        id::NodeId,
        slots::{Slot, SlotId},
    },
};

/// A message in a [`Tree`], and its links.
///
/// # Example
///
/// This shows the parent of a sub-agent's messages in a stream, where they
/// refer only to the tool call.
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
    pub(crate) entry: &'t NodeEntry,
    pub(crate) slot: &'t Slot,
    pub(crate) id: NodeId,
}

impl<'t> Node<'t> {
    /// Returns the id of the node, which stays valid while the tree grows.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Returns the message's uuid, or an empty string if it has none.
    pub fn uuid(self) -> &'t str {
        self.name(self.slot.name).unwrap_or_default()
    }

    /// Returns the type and subtype of the message. A message without a type
    /// has no subtype either.
    pub fn kind(self) -> Kind<'t> {
        match self.name(self.entry.kind) {
            Some(kind) => Kind::new(Some(kind), self.name(self.entry.subtype)),
            None => Kind::default(),
        }
    }

    /// Returns the position that the message was added with.
    pub fn position(self) -> Position {
        self.entry.position
    }

    /// Returns the parent, by the rules in the documentation of [`Tree`].
    pub fn parent(self) -> Option<Node<'t>> {
        // Skips at most two slots: an agent and a call.
        let mut ancestors = iter::successors(self.slot.parent, |slot| {
            self.tree.slots.get(*slot)?.parent
        });
        ancestors.find_map(|slot| self.tree.node_at(slot))
    }

    /// Returns the ancestors, from the parent up to a root.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'t>> {
        iter::successors(self.parent(), |node| node.parent())
    }

    /// Returns the children: first the messages of the sub-agents that this
    /// message called, call by call, and then the messages whose parent it is.
    /// Each group is in order of appearance.
    pub fn children(self) -> impl Iterator<Item = Node<'t>> {
        let walk = Walk::new(self.tree, self.entry.slot, false);
        walk.map(|(_, node)| node)
    }

    /// Returns the logical parent: the last message before a compaction.
    pub fn logical_parent(self) -> Option<Node<'t>> {
        self.tree.node_at(self.entry.logical?)
    }

    /// Returns the `parentUuid` of the message. There may be no message with
    /// that uuid.
    pub fn parent_uuid(self) -> Option<&'t str> {
        self.slot_name(self.entry.parent)
    }

    /// Returns the `logicalParentUuid` of the message. There may be no
    /// message with that uuid.
    pub fn logical_parent_uuid(self) -> Option<&'t str> {
        self.slot_name(self.entry.logical)
    }

    /// Returns the `parent_tool_use_id` of the message: the tool call whose
    /// sub-agent wrote it.
    pub fn call(self) -> Option<&'t str> {
        self.slot_name(self.entry.call)
    }

    /// Returns whether the message belongs to a sub-agent.
    pub fn is_sidechain(self) -> bool {
        self.entry.is_sidechain
    }

    /// Returns whether the message is a compaction boundary.
    pub fn is_boundary(self) -> bool {
        self.entry.is_boundary
    }

    fn slot_name(self, slot: Option<SlotId>) -> Option<&'t str> {
        self.name(self.tree.slots.get(slot?)?.name)
    }

    fn name(self, id: Option<NameId>) -> Option<&'t str> {
        self.tree.names.name(id?)
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("id", &self.id.index())
            .field("uuid", &self.uuid())
            .field("kind", &self.kind().to_string())
            .finish_non_exhaustive()
    }
}

/// A depth-first pre-order traversal of the descendants of a slot: all of
/// them, or only the nearest messages.
///
/// It needs no stack, since slots have links to their parents and siblings.
pub(crate) struct Walk<'t> {
    tree: &'t Tree,
    top: SlotId,
    /// `None` after the last descendant.
    at: Option<SlotId>,
    depth: usize,
    is_deep: bool,
}

impl<'t> Walk<'t> {
    pub(crate) fn new(tree: &'t Tree, top: SlotId, is_deep: bool) -> Walk<'t> {
        Walk { tree, top, at: Some(top), depth: 0, is_deep }
    }
}

impl<'t> Iterator for Walk<'t> {
    type Item = (usize, Node<'t>);

    fn next(&mut self) -> Option<(usize, Node<'t>)> {
        loop {
            let mut at = self.at?;
            let mut here = self.tree.slots.get(at)?;
            let is_message = here.node.is_some();
            let goes_down = self.is_deep || !is_message || at == self.top;
            self.at = match here.first_child.filter(|_| goes_down) {
                Some(child) => {
                    self.depth += usize::from(is_message);
                    Some(child)
                }
                None => {
                    while at != self.top && here.next_sibling.is_none() {
                        at = here.parent?;
                        here = self.tree.slots.get(at)?;
                        self.depth -= usize::from(here.node.is_some());
                    }
                    // The siblings of the top are not its descendants.
                    here.next_sibling.filter(|_| at != self.top)
                }
            };
            if let Some(node) = self.tree.node_at(self.at?) {
                return Some((self.depth, node));
            }
        }
    }
}
