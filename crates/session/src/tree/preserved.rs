/*!
Messages that a compaction preserved.

A compaction replaces the messages before it by a summary, and may preserve the
last ones. They are not written again: the boundary names them, and they follow
its anchor, which is the summary. What follows the anchor otherwise follows the
last of them.
*/

use std::collections::HashMap;

use linetape::message::{Message, system::System};

use crate::{
    Facts,
    ids::{NameId, Names},
    tree::{graph::Graph, id::NodeId},
};

/// The messages that one compaction preserved, as its boundary states them.
#[derive(Clone)]
pub(crate) struct Preserved {
    anchor: NameId,
    /// In their order. Of a segment, the first and the last one.
    uuids: Vec<NameId>,
    /// Whether only the ends are stated.
    is_segment: bool,
}

impl Preserved {
    /// Returns what a boundary states. A list replaces a segment.
    pub(crate) fn of(
        facts: &Facts<'_>,
        names: &mut Names,
    ) -> Option<Preserved> {
        let Message::System(System::CompactBoundary(boundary)) =
            facts.message()
        else {
            return None;
        };
        let metadata = boundary.compact_metadata()?;
        if let Some(list) = metadata.preserved_messages() {
            let anchor = names.intern(list.anchor_uuid()?);
            let uuids = list.uuids().into_iter().flatten();
            let uuids = uuids.map(|uuid| names.intern(uuid)).collect();
            return Some(Preserved { anchor, uuids, is_segment: false });
        }
        let segment = metadata.preserved_segment()?;
        let ends = [segment.head_uuid()?, segment.tail_uuid()?];
        Some(Preserved {
            anchor: names.intern(segment.anchor_uuid()?),
            uuids: ends.map(|uuid| names.intern(uuid)).into(),
            is_segment: true,
        })
    }
}

/// The places of preserved messages after their compactions.
pub(crate) struct Relinks {
    /// The new parents of preserved messages.
    parents: HashMap<NodeId, NodeId>,
    /// By anchor, the last message that follows it.
    tails: HashMap<NodeId, NodeId>,
}

impl Relinks {
    pub(crate) fn of(graph: &Graph) -> Relinks {
        let (parents, tails) = (HashMap::new(), HashMap::new());
        let mut relinks = Relinks { parents, tails };
        for preserved in &graph.preserved {
            let find = |uuid: &NameId| graph.find(*uuid);
            let ids: Option<Vec<NodeId>> =
                preserved.uuids.iter().map(find).collect();
            let (Some(ids), Some(anchor)) = (ids, find(&preserved.anchor))
            else {
                continue;
            };
            let Some(tail) = ids.last() else { continue };
            let count = if preserved.is_segment { 1 } else { ids.len() };
            let before = [anchor].into_iter().chain(ids.iter().copied());
            let pairs = ids.iter().copied().zip(before);
            relinks.parents.extend(pairs.take(count));
            relinks.tails.insert(anchor, *tail);
        }
        relinks
    }

    /// Returns the new parent of a message, if it has one.
    pub(crate) fn parent(
        &self,
        id: NodeId,
        parent: Option<NodeId>,
    ) -> Option<NodeId> {
        let preserved = self.parents.get(&id);
        preserved.copied().or_else(|| self.tail(parent?))
    }

    /// Returns the last preserved message that follows an anchor.
    pub(crate) fn tail(&self, anchor: NodeId) -> Option<NodeId> {
        self.tails.get(&anchor).copied()
    }
}
