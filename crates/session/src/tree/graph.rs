/*!
The data of a tree: messages, the links between them, and their names.
*/

use linetape::Position;

use crate::{
    ids::{Index, NameId, Names},
    tree::{
        id::NodeId,
        preserved::Preserved,
        slots::{SlotId, Slots, Space},
    },
};

/// The messages of a tree and their links.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    /// The messages, in order of appearance.
    pub(crate) entries: Vec<NodeEntry>,
    /// The vertices and links of the forest.
    pub(crate) slots: Slots,
    /// Uuids, calls and agents, and the types and subtypes of messages.
    pub(crate) names: Names,
    /// The lines with each tool call, and the lines with its results. Only
    /// tools that the agent runs.
    pub(crate) calls: Vec<(NodeId, SlotId)>,
    pub(crate) answers: Vec<(NodeId, SlotId)>,
    /// The messages that each compaction preserved.
    pub(crate) preserved: Vec<Preserved>,
}

impl Graph {
    pub(crate) fn entry(&self, id: NodeId) -> Option<&NodeEntry> {
        self.entries.get(id.index())
    }

    /// Returns the message of a slot, if it was added.
    pub(crate) fn node(&self, slot: SlotId) -> Option<NodeId> {
        self.slots.get(slot)?.node
    }

    /// Returns the message with a uuid, if it was added.
    pub(crate) fn find(&self, uuid: NameId) -> Option<NodeId> {
        self.node(self.slots.find(Space::Uuid, uuid)?)
    }

    /// Returns all messages, in order of appearance.
    pub(crate) fn all(&self) -> impl Iterator<Item = (NodeId, &NodeEntry)> {
        let ids = (0..).map_while(Index::new).map(NodeId);
        ids.zip(&self.entries)
    }
}

/// A message of the tree.
#[derive(Clone)]
pub(crate) struct NodeEntry {
    pub(crate) position: Position,
    pub(crate) slot: SlotId,
    /// The slots that the message refers to, even if the link was dropped.
    pub(crate) parent: Option<SlotId>,
    pub(crate) logical: Option<SlotId>,
    pub(crate) call: Option<SlotId>,
    pub(crate) kind: Option<NameId>,
    pub(crate) subtype: Option<NameId>,
    /// The API message that a line of the model is a part of.
    pub(crate) message: Option<NameId>,
    /// The uuid of the line that a tool result names as its source.
    pub(crate) source: Option<NameId>,
    pub(crate) agent: Option<NameId>,
    /// In milliseconds since the Unix epoch.
    pub(crate) time: Option<i64>,
    pub(crate) is_user: bool,
    pub(crate) is_sidechain: bool,
    pub(crate) is_boundary: bool,
}
