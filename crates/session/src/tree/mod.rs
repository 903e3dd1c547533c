/*!
Who answers whom.

[`Tree`] makes a [`Node`] of each message. What they name, and how that hangs
together, is kept as `slots`.
*/

mod node;
mod slots;

use std::{fmt, iter};

use linetape::{
    Position,
    message::{Block, Message, transcript::CompactOperation},
};

use crate::{
    names::Names,
    tree::{
        node::Walk,
        slots::{NONE, Slots, Space},
    },
};

pub use node::Node;

/// The conversation as a tree: who answers whom.
///
/// Feed it with messages, from decoding or from peeking, and ask it at any
/// time. A message with a `uuid` becomes a [`Node`], and so does what the user
/// or the model says without one; any other has no place in the tree. What a
/// message hangs from is the first of these that it names:
///
/// 1. `parentUuid`: the message that it follows.
/// 2. `logicalParentUuid`: where a compaction cut the chain, the message that
///    it follows in meaning. So a branch goes on across compactions.
/// 3. `parent_tool_use_id`: the tool call that started a sub-agent. It hangs
///    from the message that holds the call. This is the way of streams.
/// 4. `agentId`, for a sidechain: the sub-agent. It hangs from the call whose
///    result, in `toolUseResult`, names the same agent. This is the way of
///    transcripts that have a file for each sub-agent: add them all.
///
/// The messages of a stream name no parent, apart from those of sub-agents.
/// Each is a root of its own then, in order of appearance.
///
/// # What is odd in a log
///
/// - A child may come before its parent. The links are the same.
/// - A parent may never come. Its children are roots, and
///   [`missing`](Tree::missing) tells.
/// - A message that comes again, as in a file that was resumed, is counted
///   and left out: the first one counts, and keeps its place.
/// - A link that would close a circle is left out. [`cycles`](Tree::cycles)
///   tells.
///
/// # What it costs
///
/// Adding a message takes time in proportion to its text, whatever the shape
/// of the tree; walking through the tree, in proportion to the messages.
/// Memory is about 220 bytes for each message with its uuid, and 160 for each
/// tool call, sub-agent and missing parent. Each identifier is kept once, and
/// nothing else of the text. Nothing is recursive: a chain may be as long as
/// memory allows.
///
/// # Example
///
/// This shows a prompt that was edited, and what became of it.
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
///     tree.add(line.peek()?, line.position());
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
    /// The messages, in order of appearance.
    entries: Vec<Entry>,
    /// Everything that a link can begin or end at.
    slots: Slots,
    /// Types and subtypes, each once.
    words: Names,
    duplicates: u64,
    cycles: Vec<NodeId>,
    /// The last message of the main thread, and the last that says something.
    newest: Option<NodeId>,
    newest_said: Option<NodeId>,
}

/// A message.
#[derive(Clone)]
pub(crate) struct Entry {
    position: Position,
    /// Its own slot.
    slot: u32,
    /// The slots that it names, whether a link came of it or not.
    parent: u32,
    logical: u32,
    call: u32,
    /// Its type and subtype, as words.
    name: u32,
    subtype: u32,
    is_sidechain: bool,
    is_boundary: bool,
}

/// Which message of a [`Tree`]. It stays good while the tree grows.
///
/// # Example
///
/// This shows that the numbers go by appearance.
///
/// ```
/// use linetape::lines;
/// use linetape_session::Tree;
///
/// let mut lines = lines(b"{\"uuid\":\"a\"}\n{\"uuid\":\"b\"}\n");
/// let mut tree = Tree::new();
/// while let Some(line) = lines.next_line() {
///     let line = line?;
///     tree.add(line.peek()?, line.position());
/// }
/// let b = tree.find("b").unwrap().id();
/// assert_eq!(b.index(), 1);
/// assert_eq!(tree.get(b).unwrap().uuid(), "b");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// How many messages of the tree came before it.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Tree {
    /// A tree without messages.
    pub fn new() -> Tree {
        Tree::default()
    }

    /// Adds a message that stands at a position.
    ///
    /// It is `None` for a message that has no place in the tree. For a uuid
    /// that was there before, it is the message that was there, and nothing
    /// else changes.
    pub fn add(
        &mut self,
        message: Message<'_>,
        position: Position,
    ) -> Option<NodeId> {
        let envelope = message.envelope();
        let slot = match (envelope.uuid(), message) {
            (Some(uuid), _) => self.slots.name(Space::Uuid, uuid)?,
            (None, Message::User(_) | Message::Assistant(_)) => {
                self.slots.nameless()?
            }
            (None, _) => return None,
        };
        let before = self.slots.get(slot)?.entry;
        if before != NONE {
            self.duplicates += 1;
            return Some(NodeId(before));
        }

        let is_sidechain = message.is_sidechain();
        let kind = message.kind();
        let named = |tree: &mut Tree, space, text: Option<&str>| {
            text.and_then(|text| tree.slots.name(space, text)).unwrap_or(NONE)
        };
        let entry = Entry {
            position,
            slot,
            parent: named(self, Space::Uuid, envelope.parent_uuid()),
            logical: named(self, Space::Uuid, envelope.logical_parent_uuid()),
            call: named(self, Space::Call, envelope.parent_tool_use_id()),
            name: self.word(kind.name()),
            subtype: self.word(kind.subtype()),
            is_sidechain,
            is_boundary: is_boundary(message),
        };
        let mut up = [entry.parent, entry.logical, entry.call]
            .into_iter()
            .find(|slot| *slot != NONE);
        if up.is_none() && is_sidechain {
            let agent = envelope.agent_id();
            up = agent.and_then(|agent| self.slots.name(Space::Agent, agent));
        }
        // There are more slots than entries, so this is not `NONE` either.
        let id = NodeId(u32::try_from(self.entries.len()).ok()?);
        self.slots.get_mut(slot)?.entry = id.0;
        self.entries.push(entry);

        let mut closes = up.is_some_and(|up| !self.slots.link(slot, up));
        let said = self.said(message, slot, &mut closes);
        if closes {
            self.cycles.push(id);
        }
        if !is_sidechain {
            self.newest = Some(id);
            if said != Said::Nothing {
                self.newest_said = Some(id);
            }
            let up = self.slots.get(slot).map_or(NONE, |slot| slot.up);
            if let Some(up) = self.slots.get_mut(up)
                && said == Said::Turn
            {
                up.turns += 1;
            }
        }
        Some(id)
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A message, unless the id is of another tree that has more of them.
    pub fn get(&self, id: NodeId) -> Option<Node<'_>> {
        let entry = self.entries.get(id.index())?;
        Some(Node { tree: self, slot: self.slots.get(entry.slot)?, entry, id })
    }

    /// The message with this uuid.
    pub fn find(&self, uuid: &str) -> Option<Node<'_>> {
        self.node_at(self.slots.of_uuid(uuid)?)
    }

    /// The messages, in order of appearance.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.entries.len() as u32).filter_map(|at| self.get(NodeId(at)))
    }

    /// The messages that hang from none, in order of appearance: they name
    /// no parent, or one that is missing, or one whose link was left out.
    pub fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes().filter(|node| node.parent().is_none())
    }

    /// Every message once, each with its depth and before what hangs from
    /// it. Roots have depth 0.
    pub fn depth_first(&self) -> impl Iterator<Item = (usize, Node<'_>)> {
        self.roots().flat_map(|root| {
            let below = Walk::new(self, root.entry.slot, true);
            iter::once((0, root)).chain(below)
        })
    }

    /// The conversation as it stands: from a root to the last message of the
    /// main thread.
    ///
    /// That is the last message that the user, a tool or the model wrote and
    /// that is not part of a sidechain (or if there is none, the last of
    /// another type), and from there on what came last below it. A late note
    /// about something earlier does not lead it astray.
    ///
    /// Of tools that were called at once, transcripts chain the calls, and
    /// hang each result from its call. The branch goes through one of them
    /// then; the others are [children](Node::children) of its nodes.
    pub fn active_branch(&self) -> Vec<Node<'_>> {
        let last = self.newest_said.or(self.newest);
        let Some(last) = last.and_then(|id| self.get(id)) else {
            return vec![];
        };
        let mut branch: Vec<_> =
            iter::successors(Some(last), |node| node.parent()).collect();
        branch.reverse();
        let below = iter::successors(Some(last), |node| {
            node.children().filter(|child| !child.is_sidechain()).last()
        });
        branch.extend(below.skip(1));
        branch
    }

    /// The messages behind which the conversation goes on in more than one
    /// way, because a prompt was edited or an answer asked for again, in
    /// order of appearance.
    ///
    /// They have more than one child that is a turn: the model or the user
    /// speaks, and not in a sidechain. Results of tools do not count, nor
    /// news of their progress. They often stand beside one another.
    pub fn branch_points(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes().filter(|node| node.slot.turns > 1)
    }

    /// The first message of each sidechain, and what it hangs from, in order
    /// of appearance.
    ///
    /// The others hang from the first one, or if only the tool call is named,
    /// they stand beside it and have the same [`call`](Node::call).
    pub fn sidechains(
        &self,
    ) -> impl Iterator<Item = (Node<'_>, Option<Node<'_>>)> {
        let sides = self.nodes().filter(|node| node.is_sidechain());
        sides.filter_map(|node| {
            let parent = node.parent();
            let up = self.slots.get(node.slot.up);
            let starts = match up {
                // One for each call, and for each agent.
                Some(up) if up.space != Space::Uuid => {
                    let through = self.slots.get(up.last_through);
                    let first = through.map_or(up.first, |slot| slot.next);
                    first == node.entry.slot
                }
                _ => parent.is_none_or(|parent| !parent.is_sidechain()),
            };
            starts.then_some((node, parent))
        })
    }

    /// The messages that say that what went before was compacted, in order
    /// of appearance: `system/compact_boundary`, and a `compact_system` that
    /// is done.
    pub fn boundaries(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes().filter(|node| node.is_boundary())
    }

    /// The uuids that are named as a parent, or a logical one, and that no
    /// message has, in order of appearance.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        let slots = self.slots.iter();
        let missing = slots
            .filter(|slot| slot.space == Space::Uuid && slot.entry == NONE);
        missing.map(|slot| &*slot.text)
    }

    /// The messages that would have closed a circle, in order of appearance.
    /// The link that would have done so was left out.
    pub fn cycles(&self) -> impl Iterator<Item = Node<'_>> {
        self.cycles.iter().filter_map(|id| self.get(*id))
    }

    /// How many messages were left out because their uuid was there before.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// The message of a slot, if it has come.
    fn node_at(&self, slot: u32) -> Option<Node<'_>> {
        self.get(NodeId(self.slots.get(slot)?.entry))
    }

    fn word(&mut self, text: Option<&str>) -> u32 {
        text.map_or(NONE, |text| self.words.number(text))
    }

    /// Looks at what a message says, and links what is called in it.
    fn said(
        &mut self,
        message: Message<'_>,
        slot: u32,
        closes: &mut bool,
    ) -> Said {
        let (Message::Assistant(_) | Message::User(_)) = message else {
            return Said::Nothing;
        };
        let mut said = Said::Turn;
        let mut answered = None;
        for block in message.content_blocks() {
            match block {
                Block::ToolUse(call) => {
                    let call = call.id();
                    let call =
                        call.and_then(|id| self.slots.name(Space::Call, id));
                    *closes |= call.is_some_and(|call| {
                        self.slots.is_free(call)
                            && !self.slots.link(call, slot)
                    });
                }
                Block::ToolResult(result) => {
                    said = Said::Result;
                    answered = answered.or(result.tool_use_id());
                }
                _ => {}
            }
        }
        let Message::User(user) = message else { return said };
        let result = user.tool_use_result();
        let agent = result.and_then(|result| result.get("agentId")?.as_str());
        if let (Some(call), Some(agent)) = (answered, agent)
            && let Some(call) = self.slots.name(Space::Call, call)
            && let Some(agent) = self.slots.name(Space::Agent, agent)
        {
            *closes |=
                self.slots.is_free(agent) && !self.slots.link(agent, call);
        }
        said
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

/// What a message says in the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    /// What a tool gave back.
    Result,
    /// The model or the user speaks.
    Turn,
}

fn is_boundary(message: Message<'_>) -> bool {
    match message {
        Message::System(_) => {
            message.kind().matches("system/compact_boundary")
        }
        Message::CompactSystem(step) => {
            matches!(step.message(), Some(CompactOperation::Compacted))
        }
        _ => false,
    }
}
