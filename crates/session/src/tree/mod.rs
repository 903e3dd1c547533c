/*!
The tree of a log's messages.

[`Tree`] has a [`Node`] for each message. `slots` stores the links: a forest of
messages, tool calls and sub-agents, with union-find to detect cycles. `add`
adds a message.
*/

mod add;
mod graph;
mod id;
mod node;
mod parallel;
mod preserved;
mod slots;

use std::{collections::HashSet, fmt, iter};

use linetape::{Position, message::Message};

use crate::{
    Facts,
    ids::Index,
    tree::{
        graph::Graph,
        node::Walk,
        parallel::with_parallel_calls,
        preserved::Relinks,
        slots::{SlotId, Space},
    },
};

pub use id::NodeId;
pub use node::Node;

/// The messages of a log, linked to their parents.
///
/// Add messages in log order, decoded or peeked, and query the tree at any
/// time. A message with a `uuid` becomes a [`Node`], and so does a message of
/// the user or the model without one. Other messages are not in the tree. The
/// first of these fields that a message has determines its parent:
///
/// 1. `parentUuid`: the previous message.
/// 2. `logicalParentUuid`: the last message before a compaction. So a branch
///    continues across compactions.
/// 3. `parent_tool_use_id`: the tool call that started a sub-agent. The parent
///    is the message with the call. Streams use this.
/// 4. `agentId`, in a sidechain: the sub-agent. The parent is the message with
///    the call whose result names the same agent in `toolUseResult`.
///    Transcripts with a file for each sub-agent use this: add all files.
///
/// In a stream only the messages of sub-agents have a parent. All others are
/// roots, in order of appearance.
///
/// # Irregular logs
///
/// - A child may come before its parent. The links are the same.
/// - A parent may be missing. Then its children are roots, and
///   [`missing`](Tree::missing) lists its uuid.
/// - A message may be repeated, as in a session that was resumed. The first
///   copy is used; the others are only [counted](Tree::duplicates).
/// - A link that would close a cycle is dropped. [`cycles`](Tree::cycles)
///   lists the messages with such a link.
///
/// # Costs
///
/// Adding a message takes time in proportion to its text, whatever the shape
/// of the tree: cycles are detected with union-find. Traversing the tree takes
/// time in proportion to the number of messages. Memory is about 220 bytes for
/// each message with its uuid, and 160 for each tool call, sub-agent and
/// missing parent. Ids are interned; no other text is kept. Nothing is
/// recursive, so the depth of the tree is limited only by memory.
///
/// # Example
///
/// This shows an edited prompt, which starts a second branch.
///
/// ```
/// use linetape::lines;
/// use linetape_session::Tree;
///
/// let log = br#"{"type":"user","uuid":"a","parentUuid":null}
/// {"type":"assistant","uuid":"b","parentUuid":"a"}
/// {"type":"user","uuid":"c","parentUuid":"b"}
/// {"type":"assistant","uuid":"d","parentUuid":"c"}
/// {"type":"user","uuid":"c2","parentUuid":"b"}
/// {"type":"assistant","uuid":"d2","parentUuid":"c2"}
/// "#;
/// let mut tree = Tree::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     let line = line?;
///     tree.add(line.checked()?, line.position());
/// }
///
/// let mut shown = String::new();
/// for (depth, node) in tree.depth_first() {
///     shown += &format!("{}{}\n", " ".repeat(depth), node.uuid());
/// }
/// assert_eq!(shown, "a\n b\n  c\n   d\n  c2\n   d2\n");
///
/// let branch = tree.active_branch();
/// let branch: Vec<_> = branch.iter().map(|node| node.uuid()).collect();
/// assert_eq!(branch, ["a", "b", "c2", "d2"]);
///
/// let mut edits = tree.branch_points();
/// assert_eq!(edits.next().map(|node| node.uuid()), Some("b"));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Tree {
    graph: Graph,
    duplicates: u64,
    cycles: Vec<NodeId>,
    /// The last message of the main thread, of any type.
    newest: Option<NodeId>,
    /// The last message of the main thread that the user, a tool or the model
    /// wrote.
    newest_said: Option<NodeId>,
}

impl Tree {
    /// Creates an empty tree.
    pub fn new() -> Tree {
        Tree::default()
    }

    /// Adds a message and the position of its line.
    ///
    /// Returns the id of its node, or `None` if the message does not belong in
    /// a tree. If the tree already has a message with the same uuid, returns
    /// the id of that message and only counts the duplicate.
    pub fn add(
        &mut self,
        message: Message<'_>,
        position: Position,
    ) -> Option<NodeId> {
        self.add_facts(&Facts::of(message), position)
    }

    /// Adds a message by its facts. Otherwise the same as [`add`](Tree::add).
    ///
    /// Messages that are [nested](Message::nested) in it are added as well, as
    /// messages of a sub-agent that the tool call started.
    pub fn add_facts(
        &mut self,
        facts: &Facts<'_>,
        position: Position,
    ) -> Option<NodeId> {
        let id = self.add_node(facts, position);
        for nested in facts.nested() {
            self.add_facts(&nested, position);
        }
        id
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.graph.entries.len()
    }

    /// Returns whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.graph.entries.is_empty()
    }

    /// Returns the message with an id. `None` if the id is from a larger tree.
    pub fn get(&self, id: NodeId) -> Option<Node<'_>> {
        Node::get(&self.graph, id)
    }

    /// Returns the message with a uuid, or `None` if there is none.
    pub fn find(&self, uuid: &str) -> Option<Node<'_>> {
        let name = self.graph.names.find(uuid)?;
        self.node_at(self.graph.slots.find(Space::Uuid, name)?)
    }

    /// Returns the messages, in order of appearance.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        let ids =
            (0..self.graph.entries.len()).filter_map(Index::new).map(NodeId);
        ids.filter_map(|id| self.get(id))
    }

    /// Returns the messages without a parent, in order of appearance: they
    /// refer to no parent or to a missing one, or their link was dropped.
    pub fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes().filter(|node| node.parent().is_none())
    }

    /// Returns all messages with their depth, in pre-order. Roots have depth
    /// 0.
    pub fn depth_first(&self) -> impl Iterator<Item = (usize, Node<'_>)> {
        self.roots().flat_map(|root| {
            let below = Walk::new(&self.graph, root.entry.slot, true);
            iter::once((0, root)).chain(below)
        })
    }

    /// Returns the current branch of the conversation: the path from a root to
    /// the last message of the main thread.
    ///
    /// The path leads through the last message outside of sidechains that the
    /// user, a tool or the model wrote, and from there down through the last
    /// child of each message. If there is no such message, it leads through
    /// the last message of any type. A late `system` or `progress` line about
    /// an earlier message does not change the branch.
    ///
    /// For parallel tool calls, transcripts chain the calls, and make each
    /// result a child of its call, so the path contains one of the results.
    /// The other calls and results of the message are in the branch as well:
    /// after the last line of the message on the path.
    ///
    /// Messages that a compaction preserved come after its summary, and before
    /// the messages that follow the summary. If one of them is missing, all
    /// stay where they are. The Agent SDK does the same.
    pub fn active_branch(&self) -> Vec<Node<'_>> {
        let last = self.newest_said.or(self.newest);
        let Some(last) = last.and_then(|id| self.get(id)) else {
            return vec![];
        };
        let relinks = Relinks::of(&self.graph);
        // The messages that a compaction preserved come after its summary.
        let tail = relinks.tail(last.id()).and_then(|id| self.get(id));
        let last = tail.unwrap_or(last);
        let mut path = self.path_to(last, &relinks);
        let known: HashSet<NodeId> = path.iter().copied().collect();
        let below = iter::successors(Some(last), |node| {
            node.children().filter(|child| !child.is_sidechain()).last()
        });
        let below = below.skip(1).map(Node::id);
        // The compaction is a descendant of the messages that it preserved.
        path.extend(below.take_while(|id| !known.contains(id)));
        let branch = with_parallel_calls(&self.graph, path);
        branch.into_iter().filter_map(|id| self.get(id)).collect()
    }

    /// Returns the descendants of a message, in pre-order.
    #[cfg(test)]
    pub(crate) fn below(&self, id: NodeId) -> impl Iterator<Item = Node<'_>> {
        let node = self.get(id).into_iter();
        let walk = |n: Node<'_>| Walk::new(&self.graph, n.entry.slot, true);
        node.flat_map(walk).map(|(_, node)| node)
    }

    /// Returns the path from a root to a message.
    fn path_to(&self, last: Node<'_>, relinks: &Relinks) -> Vec<NodeId> {
        let mut path = vec![];
        let mut seen = HashSet::new();
        let mut at = Some(last);
        while let Some(node) = at {
            let parent = node.parent();
            // A preserved message is also a descendant of those before the
            // compaction. The second time, it is only passed.
            at = if seen.insert(node.id()) {
                path.push(node.id());
                let new = relinks.parent(node.id(), parent.map(Node::id));
                new.and_then(|id| self.get(id)).or(parent)
            } else {
                parent
            };
        }
        path.reverse();
        path
    }

    /// Returns the messages at which the conversation branches, in order of
    /// appearance. It branches when a prompt is edited or an answer is
    /// regenerated.
    ///
    /// They have more than one child that the user or the model wrote outside
    /// of sidechains. Tool results and progress lines do not count, since a
    /// message often has several of them.
    pub fn branch_points(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes().filter(|node| node.slot.turns > 1)
    }

    /// Returns the first message of each sidechain and its parent, in order
    /// of appearance.
    ///
    /// The other messages of a sidechain are descendants of the first one. If
    /// they refer only to the tool call, they are siblings of the first one,
    /// with the same [`call`](Node::call).
    pub fn sidechains(
        &self,
    ) -> impl Iterator<Item = (Node<'_>, Option<Node<'_>>)> {
        let sides = self.nodes().filter(|node| node.is_sidechain());
        sides.filter_map(|node| {
            let parent = node.parent();
            let up = node.slot.parent.and_then(|up| self.graph.slots.get(up));
            let starts = match up {
                // The first message of each call, and of each agent.
                Some(up) if up.space != Space::Uuid => {
                    let inner =
                        up.last_inner.and_then(|i| self.graph.slots.get(i));
                    let first =
                        inner.map_or(up.first_child, |slot| slot.next_sibling);
                    first == Some(node.entry.slot)
                }
                _ => parent.is_none_or(|parent| !parent.is_sidechain()),
            };
            starts.then_some((node, parent))
        })
    }

    /// Returns the compaction boundaries, in order of appearance:
    /// `system/compact_boundary`, and the `compact_system` line that reports
    /// that a compaction is complete.
    pub fn boundaries(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes().filter(|node| node.is_boundary())
    }

    /// Returns the uuids of parents and logical parents that are not in the
    /// tree, in order of appearance.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        let slots = self.graph.slots.iter();
        let missing = slots
            .filter(|slot| slot.space == Space::Uuid && slot.node.is_none());
        missing.filter_map(|slot| self.graph.names.name(slot.name?))
    }

    /// Returns the messages with a link that was dropped because it would have
    /// closed a cycle, in order of appearance.
    pub fn cycles(&self) -> impl Iterator<Item = Node<'_>> {
        self.cycles.iter().filter_map(|id| self.get(*id))
    }

    /// Returns the number of messages that were ignored because an earlier one
    /// has the same uuid.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Returns the message of a slot, if it was added.
    fn node_at(&self, slot: SlotId) -> Option<Node<'_>> {
        Node::at(&self.graph, slot)
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree")
            .field("messages", &self.len())
            .field("duplicates", &self.duplicates)
            .field("cycles", &self.cycles.len())
            .finish_non_exhaustive()
    }
}
