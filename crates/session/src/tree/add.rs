/*!
Adds a message to a tree: its node, and the links to its parent, its tool calls
and its sub-agent.
*/

use linetape::{
    Position,
    message::{Message, transcript::CompactOperation},
};

use crate::{
    Facts, Role,
    facts::Part,
    ids::Index,
    tree::{
        NodeId, Tree,
        graph::NodeEntry,
        preserved::Preserved,
        slots::{SlotId, Space},
    },
};

impl Tree {
    /// Adds a message without those that are nested in it.
    pub(crate) fn add_node(
        &mut self,
        facts: &Facts<'_>,
        position: Position,
    ) -> Option<NodeId> {
        let slot = match facts.uuid() {
            Some(uuid) => self.slot(Space::Uuid, uuid)?,
            None if facts.role() != Role::Other => {
                self.graph.slots.unnamed()?
            }
            None => return None,
        };
        if let Some(first) = self.graph.slots.get(slot)?.node {
            self.duplicates = self.duplicates.saturating_add(1);
            return Some(first);
        }

        let kind = facts.kind();
        let is_sidechain = facts.is_sidechain();
        let mut named =
            |space, text: Option<&str>| text.and_then(|t| self.slot(space, t));
        let parent = named(Space::Uuid, facts.parent_uuid());
        let logical = named(Space::Uuid, facts.logical_parent_uuid());
        let call = named(Space::Call, facts.parent_tool_use_id());
        let source = match facts.message() {
            Message::User(user) => user.source_tool_assistant_uuid(),
            _ => None,
        };
        let mut up = parent.or(logical).or(call);
        let agent = facts.agent_id();
        if up.is_none() && is_sidechain {
            up = named(Space::Agent, agent);
        }
        let id = NodeId(Index::new(self.graph.entries.len())?);
        self.graph.slots.get_mut(slot)?.node = Some(id);
        self.graph.entries.push(NodeEntry {
            position,
            slot,
            parent,
            logical,
            call,
            kind: kind.name().map(|name| self.graph.names.intern(name)),
            subtype: kind.subtype().map(|name| self.graph.names.intern(name)),
            message: match facts.role() {
                Role::Assistant => facts
                    .message_id()
                    .map(|message| self.graph.names.intern(message)),
                _ => None,
            },
            source: source.map(|uuid| self.graph.names.intern(uuid)),
            agent: agent.map(|agent| self.graph.names.intern(agent)),
            time: facts.time(),
            is_user: facts.role() == Role::User,
            is_sidechain,
            is_boundary: is_boundary(facts),
        });

        let mut closes = up.is_some_and(|up| !self.graph.slots.link(slot, up));
        let speech = self.link_tools(facts, id, slot, &mut closes);
        if let Some(preserved) = Preserved::of(facts, &mut self.graph.names) {
            self.graph.preserved.push(preserved);
        }
        if closes {
            self.cycles.push(id);
        }
        if !is_sidechain {
            self.newest = Some(id);
            if speech != Speech::None {
                self.newest_said = Some(id);
            }
            let up = self.graph.slots.get(slot).and_then(|slot| slot.parent);
            if let Some(up) = up.and_then(|up| self.graph.slots.get_mut(up))
                && speech == Speech::Turn
            {
                up.turns = up.turns.saturating_add(1);
            }
        }
        Some(id)
    }

    fn slot(&mut self, space: Space, name: &str) -> Option<SlotId> {
        self.graph.slots.named(space, name, &mut self.graph.names)
    }

    /// Links the tool calls of a message to the message, and the sub-agent of
    /// a result to its call. Sets `closes` if a link would close a cycle. Only
    /// tools that the agent runs can start a sub-agent.
    fn link_tools(
        &mut self,
        facts: &Facts<'_>,
        id: NodeId,
        slot: SlotId,
        closes: &mut bool,
    ) -> Speech {
        if facts.role() == Role::Other {
            return Speech::None;
        }
        let mut speech = Speech::Turn;
        let mut answered = None;
        for part in facts.parts() {
            match part {
                Part::Call(call) if !call.is_remote() => {
                    let call =
                        call.id().and_then(|id| self.slot(Space::Call, id));
                    self.graph.calls.extend(call.map(|call| (id, call)));
                    *closes |= call.is_some_and(|call| {
                        self.graph.slots.is_free(call)
                            && !self.graph.slots.link(call, slot)
                    });
                }
                Part::Answer(answer) if !answer.is_remote => {
                    speech = Speech::Result;
                    answered = answered.or(answer.call);
                    let call =
                        answer.call.and_then(|id| self.slot(Space::Call, id));
                    self.graph.answers.extend(call.map(|call| (id, call)));
                }
                _ => {}
            }
        }
        let Message::User(user) = facts.message() else { return speech };
        let result = user.tool_use_result();
        let agent = result.and_then(|result| result.get("agentId")?.as_str());
        if let (Some(call), Some(agent)) = (answered, agent)
            && let Some(call) = self.slot(Space::Call, call)
            && let Some(agent) = self.slot(Space::Agent, agent)
        {
            *closes |= self.graph.slots.is_free(agent)
                && !self.graph.slots.link(agent, call);
        }
        speech
    }
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

fn is_boundary(facts: &Facts<'_>) -> bool {
    match facts.message() {
        Message::System(_) => facts.kind().matches("system/compact_boundary"),
        Message::CompactSystem(step) => {
            matches!(step.message(), Some(CompactOperation::Compacted))
        }
        _ => false,
    }
}
