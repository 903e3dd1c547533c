/*!
The messages of a log and the links to their parents.
*/

use std::collections::{HashMap, HashSet};

use crate::{
    check::{
        Level, Rule,
        finding::{Findings, Quoted},
        line::{Agent, LineFacts},
    },
    ids::{Index, NameId, Names},
};

/// The messages that have a uuid: the nodes of the graph of parents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    messages: Vec<Linked>,
    /// Nodes by session and uuid.
    nodes: HashMap<(Option<NameId>, NameId), NodeIndex>,
    /// The first message of each agent, by session.
    firsts: HashMap<(Option<NameId>, Agent), NodeIndex>,
    /// The uuids of all messages of all sessions.
    uuids: HashSet<NameId>,
    /// The logical parents of compactions.
    compacted: HashSet<NameId>,
}

/// The index of a message in [`Links`], in order of appearance.
pub(crate) type NodeIndex = Index;

#[derive(Clone, Debug)]
struct Linked {
    facts: LineFacts,
    fingerprint: u64,
}

/// The result of adding a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// The message was added.
    New(NodeIndex),
    /// The message has no uuid, or the uuid of a different message, and was
    /// not added.
    Unlinked,
    /// The message is a copy of one that was added before.
    Repeated,
}

impl Links {
    pub(crate) fn add(
        &mut self,
        facts: &LineFacts,
        fingerprint: u64,
        names: &Names,
        findings: &mut Findings,
    ) -> Added {
        let Some(uuid) = facts.uuid else { return Added::Unlinked };
        let Some(node) = Index::new(self.messages.len()) else {
            return Added::Unlinked;
        };
        let known = *self.nodes.entry((facts.session, uuid)).or_insert(node);
        if let Some(first) = self.messages.get(known.get()) {
            // A stream has its messages in its own dialect, and mirrors them
            // as the lines of the transcript.
            if facts.is_mirrored || first.facts.is_mirrored {
                return Added::Repeated;
            }
            let same = first.fingerprint == fingerprint;
            let (level, what) = if same {
                (facts.profile().same_again, "is a copy of")
            } else {
                (Level::Error, "is also the uuid of a different message on")
            };
            let uuid = Quoted(names.name(uuid).unwrap_or_default());
            let at = first.facts.position.line();
            findings.add(
                Rule::DuplicateUuid,
                level,
                facts.position,
                format_args!("{uuid} {what} line {at}"),
            );
            return if same { Added::Repeated } else { Added::Unlinked };
        }
        self.uuids.insert(uuid);
        self.compacted.extend(facts.logical);
        self.firsts.entry((facts.session, facts.agent)).or_insert(node);
        self.messages.push(Linked { facts: *facts, fingerprint });
        Added::New(node)
    }

    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    pub(crate) fn facts(&self, node: NodeIndex) -> Option<&LineFacts> {
        self.messages.get(node.get()).map(|linked| &linked.facts)
    }

    /// Returns the parent of a message, if it is in the same session.
    pub(crate) fn parent(&self, facts: &LineFacts) -> Option<NodeIndex> {
        self.nodes.get(&(facts.session, facts.parent?)).copied()
    }

    /// Returns whether the log has the beginning of an agent's conversation:
    /// whether its first message has no parent, or a parent in the log. That
    /// is not known of messages nested in `progress` lines, which have no
    /// parents.
    pub(crate) fn has_beginning(&self, facts: &LineFacts) -> bool {
        if facts.is_partial {
            return false;
        }
        let first = self.firsts.get(&(facts.session, facts.agent));
        let first = first.and_then(|node| self.facts(*node));
        first.is_none_or(|first| {
            first.parent.is_none() || self.parent(first).is_some()
        })
    }

    /// Returns whether any session has a message with this uuid.
    pub(crate) fn has(&self, uuid: NameId) -> bool {
        self.uuids.contains(&uuid)
    }

    /// Returns whether this uuid is the logical parent of a compaction.
    pub(crate) fn is_compacted(&self, uuid: NameId) -> bool {
        self.compacted.contains(&uuid)
    }

    /// Returns the messages with their indexes, in order of appearance.
    pub(crate) fn all(&self) -> impl Iterator<Item = (NodeIndex, &LineFacts)> {
        let facts = self.messages.iter().map(|linked| &linked.facts);
        (0..).filter_map(Index::new).zip(facts)
    }
}
