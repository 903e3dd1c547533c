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

/// The messages that have a uuid, each at its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    messages: Vec<Linked>,
    /// Places by session and uuid.
    places: HashMap<(Option<NameId>, NameId), Place>,
    /// The first message of each agent, by session.
    firsts: HashMap<(Option<NameId>, Agent), Place>,
    /// The uuids of all messages, whatever the session.
    uuids: HashSet<NameId>,
    /// The logical parents of compactions.
    compacted: HashSet<NameId>,
}

/// The place of a message in [`Links`]: its index in order of appearance.
pub(crate) type Place = Index;

#[derive(Clone, Debug)]
struct Linked {
    facts: LineFacts,
    likeness: u64,
}

/// The outcome of adding a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// The message was added at a place.
    At(Place),
    /// The message has no uuid, or the uuid of another message.
    Apart,
    /// The message was added before.
    Again,
}

impl Links {
    pub(crate) fn add(
        &mut self,
        facts: &LineFacts,
        likeness: u64,
        names: &Names,
        findings: &mut Findings,
    ) -> Added {
        let Some(uuid) = facts.uuid else { return Added::Apart };
        let Some(place) = Index::new(self.messages.len()) else {
            return Added::Apart;
        };
        let known = *self.places.entry((facts.session, uuid)).or_insert(place);
        if let Some(first) = self.messages.get(known.get()) {
            let same = first.likeness == likeness;
            let (level, what) = if same {
                (facts.profile().same_again, "the same message is in")
            } else {
                (Level::Error, "another message has it, in")
            };
            let uuid = Quoted(names.name(uuid).unwrap_or_default());
            let at = first.facts.position.line();
            findings.add(
                Rule::DuplicateUuid,
                level,
                facts.position,
                format_args!("{uuid}: {what} line {at}"),
            );
            return if same { Added::Again } else { Added::Apart };
        }
        self.uuids.insert(uuid);
        self.compacted.extend(facts.logical);
        self.firsts.entry((facts.session, facts.agent)).or_insert(place);
        self.messages.push(Linked { facts: *facts, likeness });
        Added::At(place)
    }

    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    pub(crate) fn facts(&self, place: Place) -> Option<&LineFacts> {
        self.messages.get(place.get()).map(|linked| &linked.facts)
    }

    /// Returns the place of a message's parent in the same session.
    pub(crate) fn parent(&self, facts: &LineFacts) -> Option<Place> {
        self.places.get(&(facts.session, facts.parent?)).copied()
    }

    /// Returns whether the log has the beginning of an agent's conversation:
    /// whether the first message has no parent, or one that is in the log.
    pub(crate) fn has_beginning(&self, facts: &LineFacts) -> bool {
        let first = self.firsts.get(&(facts.session, facts.agent));
        let first = first.and_then(|place| self.facts(*place));
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

    /// Returns the messages with their places, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Place, &LineFacts)> {
        let facts = self.messages.iter().map(|linked| &linked.facts);
        (0..).filter_map(Index::new).zip(facts)
    }
}
