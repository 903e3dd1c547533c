/*!
The data of a tree: messages, the links between them, and their names.
*/

use linetape::Position;

use crate::{
    ids::{NameId, Names},
    tree::slots::{SlotId, Slots},
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
    pub(crate) is_sidechain: bool,
    pub(crate) is_boundary: bool,
}
