/*!
Which message follows which: what is needed to find abandoned branches.

A [`Tree`](crate::Tree) answers the same and much more, but a conversation
keeps one of these for each log, and most of a tree's memory are texts of ids
and links that it never asks for. Here, an id is a hash of 64 bits, and a link
is one number. The rules for parents are those of the tree, and a test holds
both to the same branches.

`forest` links the vertices, and `branches` finds the abandoned ones.
*/

mod branches;
mod forest;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
};

use linetape::message::{Message, system::System};

pub(crate) use branches::{Shown, Vertices};

use crate::{
    Facts, Role,
    blocks::Blocks,
    facts::Part,
    ids::{Index, NameId, Names},
    sets::Sets,
    table::Table,
};

/// The messages of a log and their parents.
#[derive(Clone, Default)]
pub(crate) struct Lineage {
    /// For each vertex, the hash of its uuid; 0 if it has none.
    uuids: Table<8>,
    pub(super) vertices: Blocks<Vertex>,
    /// The number of messages.
    messages: usize,
    /// The vertices of tool calls and sub-agents that a message names as its
    /// origin.
    calls: HashMap<NameId, Index>,
    agents: HashMap<NameId, Index>,
    /// By the id of a tool call: the first message that has it.
    owners: Vec<Option<Index>>,
    /// By the id of a tool call: the last line of the API message that has it;
    /// [`Index::OUT_OF_REACH`] if several messages have it. Only tools that
    /// the agent runs.
    pub(super) last_owners: Vec<Option<Index>>,
    /// The messages with the results of tool calls, in order of appearance.
    pub(super) answered: Vec<(Index, NameId)>,
    /// The hashes of the ids of the API's messages.
    said: Table<8>,
    /// The numbers of the sub-agents that wrote messages, from 1 on.
    writers: HashMap<NameId, u32>,
    /// The messages that tool results name as their source, if that is not
    /// their parent.
    pub(super) sources: HashMap<Index, Index>,
    /// The parents that messages name, but are not linked to: the link would
    /// close a cycle.
    refused: HashMap<Index, Index>,
    /// Hashes of the contents of messages that have the uuid of an earlier
    /// message, by its vertex.
    others: HashSet<(Index, u32)>,
    pub(super) preserved: Vec<Preserved>,
    /// The trees: the vertices that are linked to each other.
    sets: Sets,
    hasher: RandomState,
}

/// A vertex of the forest: a message, a tool call or a sub-agent.
///
/// A message gets its vertex when its uuid first occurs, which may be in a
/// child of it.
#[derive(Clone, Copy)]
pub(super) struct Vertex {
    pub(super) parent: Option<Index>,
    /// The number of messages before it. `None` until it is added.
    pub(super) order: Option<Index>,
    /// The API message that a line of the model is a part of.
    pub(super) message: Option<Index>,
    /// A hash of its content.
    print: u32,
    /// The bits below, and from the eighth on the number of the sub-agent that
    /// wrote it.
    about: u32,
}

impl Vertex {
    const USER: u32 = 1;
    const SIDECHAIN: u32 = 2;
    /// It names its parent by `parentUuid`.
    const NAMES_PARENT: u32 = 4;
    /// It has a child, and it has several, that the user or the model wrote
    /// outside of sidechains.
    const CONTINUED: u32 = 8;
    const BRANCHED: u32 = 16;
    const AGENT: u32 = 8;

    fn has(&self, bit: u32) -> bool {
        self.about & bit != 0
    }

    pub(super) fn is_user(&self) -> bool {
        self.has(Vertex::USER)
    }

    pub(super) fn is_sidechain(&self) -> bool {
        self.has(Vertex::SIDECHAIN)
    }

    pub(super) fn is_branched(&self) -> bool {
        self.has(Vertex::BRANCHED)
    }

    /// Returns whether the same agent wrote two messages.
    pub(super) fn has_writer_of(&self, other: &Vertex) -> bool {
        self.is_sidechain() == other.is_sidechain()
            && self.about >> Vertex::AGENT == other.about >> Vertex::AGENT
    }
}

/// The messages that one compaction preserved, as its boundary states them.
#[derive(Clone)]
pub(super) struct Preserved {
    pub(super) anchor: Index,
    /// In their order. Of a segment, the first and the last one.
    pub(super) messages: Vec<Index>,
    pub(super) is_segment: bool,
}

/// The part that a message has in the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speech {
    /// None: the agent program wrote it.
    None,
    /// A tool result.
    Result,
    /// The model or the user speaks.
    Turn,
}

impl Lineage {
    /// Adds a message, without those that are nested in it. Returns its
    /// vertex, or `None` if it has no place in the conversation. A message
    /// with the uuid of an earlier one has the same vertex, and changes
    /// nothing.
    pub(crate) fn add(
        &mut self,
        facts: &Facts<'_>,
        names: &mut Names,
    ) -> Option<Index> {
        let at = match facts.uuid() {
            Some(uuid) => self.named(uuid)?,
            None if facts.role() != Role::Other => self.push(0)?,
            None => return None,
        };
        if self.get(at)?.order.is_some() {
            return Some(at);
        }
        let is_sidechain = facts.is_sidechain();
        let parent = facts.parent_uuid();
        let logical = facts.logical_parent_uuid();
        let agent = facts.agent_id().map(|agent| names.intern(agent));
        let mut up = parent.or(logical).and_then(|uuid| self.named(uuid));
        if up.is_none()
            && let Some(call) = facts.parent_tool_use_id()
        {
            up = self.call(names.intern(call));
        }
        if up.is_none()
            && let Some(agent) = agent.filter(|_| is_sidechain)
        {
            up = self.agent(agent);
        }
        let message = match facts.role() {
            Role::Assistant => facts.message_id(),
            _ => None,
        };
        let message = message.and_then(|id| self.note_said(id));
        let writer = agent.map_or(0, |agent| self.writer(agent));
        let order = Index::new(self.messages)?;
        self.messages += 1;
        let vertex = self.get_mut(at)?;
        vertex.order = Some(order);
        vertex.message = message;
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        vertex.about |= writer << Vertex::AGENT
            | bit(facts.role() == Role::User, Vertex::USER)
            | bit(is_sidechain, Vertex::SIDECHAIN)
            | bit(parent.is_some(), Vertex::NAMES_PARENT);
        if let Some(up) = up
            && !self.link(at, up)
            && parent.is_some()
        {
            self.refused.insert(at, up);
        }
        if let Message::User(user) = facts.message()
            && let Some(source) = user.source_tool_assistant_uuid()
            && facts.parent_uuid() != Some(source)
            && let Some(source) = self.named(source)
        {
            self.sources.insert(at, source);
        }
        let speech = self.link_tools(facts, at, names);
        self.note_preserved(facts);
        if !is_sidechain {
            let up = self.get(at).and_then(|vertex| vertex.parent);
            if let Some(up) = up.and_then(|up| self.get_mut(up))
                && speech == Speech::Turn
            {
                up.about |= match up.has(Vertex::CONTINUED) {
                    true => Vertex::BRANCHED,
                    false => Vertex::CONTINUED,
                };
            }
        }
        Some(at)
    }

    /// Notes the content of a message with a uuid, as a hash. Returns whether
    /// it is new: another message with the same uuid may have had it.
    pub(crate) fn is_new(&mut self, at: Index, content: u64) -> bool {
        // Half of it is enough to tell messages with one uuid apart.
        let print = (content as u32).max(1);
        let Some(vertex) = self.get_mut(at) else { return true };
        match vertex.print {
            0 => {
                vertex.print = print;
                true
            }
            first => first != print && self.others.insert((at, print)),
        }
    }

    /// Notes the id of a message of the model, and returns its number.
    pub(crate) fn note_said(&mut self, id: &str) -> Option<Index> {
        let hash = self.hash(id);
        let known = self.said.find(hash);
        let index = known.unwrap_or_else(|| self.said.push(&row(hash)));
        Index::new(index)
    }

    /// Returns whether the id of a message of the model was noted.
    pub(crate) fn has_said(&self, id: &str) -> bool {
        self.said.find(self.hash(id)).is_some()
    }

    /// Returns the number of a sub-agent. Beyond 2^24 of them, they share one.
    fn writer(&mut self, agent: NameId) -> u32 {
        let next = u32::try_from(self.writers.len() + 1).unwrap_or(u32::MAX);
        let most = u32::MAX >> Vertex::AGENT;
        *self.writers.entry(agent).or_insert(next.min(most))
    }

    /// Returns a hash of an id, which is never 0.
    pub(crate) fn hash(&self, id: &str) -> u64 {
        self.hasher.hash_one(id).max(1)
    }

    /// Returns whether a message was added after another one.
    pub(crate) fn is_after(&self, at: Index, other: Index) -> bool {
        let order = |at| self.get(at).and_then(|vertex| vertex.order);
        order(at) > order(other)
    }

    /// Returns the number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Returns whether a message names a parent that is not in the log.
    pub(crate) fn misses_parent(&self, at: Index) -> bool {
        let parent = self.named_parent(at);
        let parent = parent.and_then(|parent| self.get(parent));
        parent.is_some_and(|parent| parent.order.is_none())
    }

    pub(super) fn get(&self, at: Index) -> Option<&Vertex> {
        self.vertices.get(at.get())
    }

    fn get_mut(&mut self, at: Index) -> Option<&mut Vertex> {
        self.vertices.get_mut(at.get())
    }

    /// Returns the message that a message names as its parent, even if they
    /// are not linked.
    pub(super) fn named_parent(&self, at: Index) -> Option<Index> {
        let vertex = self.get(at).filter(|v| v.has(Vertex::NAMES_PARENT))?;
        vertex.parent.or_else(|| self.refused.get(&at).copied())
    }

    /// Notes the tool calls and results of a message, and links the sub-agent
    /// of a result to its call. Only tools that the agent runs can start a
    /// sub-agent.
    fn link_tools(
        &mut self,
        facts: &Facts<'_>,
        at: Index,
        names: &mut Names,
    ) -> Speech {
        if facts.role() == Role::Other {
            return Speech::None;
        }
        let mut speech = Speech::Turn;
        let mut first = None;
        for part in facts.parts() {
            match part {
                Part::Call(call) if !call.is_remote() => {
                    let Some(id) = call.id() else { continue };
                    let id = names.intern(id);
                    self.own_last(id, at);
                    match self.calls.get(&id).copied() {
                        Some(call) => _ = self.link_free(call, at),
                        None => self.own(id, at),
                    }
                }
                Part::Answer(answer) if !answer.is_remote => {
                    speech = Speech::Result;
                    let Some(id) = answer.call else { continue };
                    let id = names.intern(id);
                    first = first.or(Some(id));
                    self.answered.push((at, id));
                }
                _ => {}
            }
        }
        let Message::User(user) = facts.message() else { return speech };
        let result = user.tool_use_result();
        let agent = result.and_then(|result| result.get("agentId")?.as_str());
        if let (Some(call), Some(agent)) = (first, agent)
            && let Some(call) = self.call(call)
            && let Some(agent) = self.agent(names.intern(agent))
        {
            self.link_free(agent, call);
        }
        speech
    }

    /// Notes the messages that a compaction preserved. A list replaces a
    /// segment.
    fn note_preserved(&mut self, facts: &Facts<'_>) {
        let Message::System(System::CompactBoundary(boundary)) =
            facts.message()
        else {
            return;
        };
        let Some(metadata) = boundary.compact_metadata() else { return };
        let list = metadata.preserved_messages();
        let (anchor, uuids) = match list {
            Some(list) => {
                let uuids = list.uuids().into_iter().flatten();
                (list.anchor_uuid(), uuids.collect::<Vec<&str>>())
            }
            None => {
                let Some(segment) = metadata.preserved_segment() else {
                    return;
                };
                let ends = (segment.head_uuid(), segment.tail_uuid());
                let (Some(head), Some(tail)) = ends else { return };
                (segment.anchor_uuid(), vec![head, tail])
            }
        };
        let anchor = anchor.and_then(|uuid| self.named(uuid));
        let messages = uuids.into_iter().map(|uuid| self.named(uuid));
        let messages: Option<Vec<Index>> = messages.collect();
        if let (Some(anchor), Some(messages)) = (anchor, messages) {
            let is_segment = list.is_none();
            self.preserved.push(Preserved { anchor, messages, is_segment });
        }
    }
}

fn row(hash: u64) -> [u8; 8] {
    hash.to_le_bytes()
}
