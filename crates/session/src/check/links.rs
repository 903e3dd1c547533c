use std::collections::{HashMap, HashSet};

use crate::{
    check::{
        Level, Rule,
        facts::{Facts, NONE},
        finding::{Findings, Quoted},
    },
    names::Names,
};

/// The messages of a log, and which follows which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    entries: Vec<Entry>,
    /// By session and uuid.
    places: HashMap<(u32, u32), u32>,
    /// By session and sub-agent: the first message.
    firsts: HashMap<(u32, u32), u32>,
    /// The uuids that there are, whatever the session.
    uuids: HashSet<u32>,
    /// The uuids that compactions say they follow.
    compacted: HashSet<u32>,
}

/// A message with a uuid.
#[derive(Clone, Debug)]
struct Entry {
    facts: Facts,
    likeness: u64,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It has a place among the messages.
    At(u32),
    /// It has none: it has no uuid, or that of another message.
    Apart,
    /// It was there before.
    Again,
}

impl Links {
    pub(crate) fn add(
        &mut self,
        facts: &Facts,
        likeness: u64,
        names: &Names,
        findings: &mut Findings,
    ) -> Added {
        if facts.uuid == NONE {
            return Added::Apart;
        }
        let Ok(place) = u32::try_from(self.entries.len()) else {
            return Added::Apart;
        };
        let known =
            *self.places.entry((facts.session, facts.uuid)).or_insert(place);
        if let Some(first) = self.entries.get(known as usize) {
            let same = first.likeness == likeness;
            let level = match same {
                true => facts.profile().same_again,
                false => Level::Error,
            };
            let uuid = Quoted(names.name(facts.uuid).unwrap_or_default());
            let at = first.facts.position.line();
            let what = match same {
                true => "the same message is in",
                false => "another message has it, in",
            };
            findings.add(
                Rule::DuplicateUuid,
                level,
                facts.position,
                format_args!("{uuid}: {what} line {at}"),
            );
            return if same { Added::Again } else { Added::Apart };
        }
        self.uuids.insert(facts.uuid);
        if facts.logical != NONE {
            self.compacted.insert(facts.logical);
        }
        self.firsts.entry((facts.session, facts.agent)).or_insert(place);
        self.entries.push(Entry { facts: *facts, likeness });
        Added::At(place)
    }

    fn place(&self, session: u32, uuid: u32) -> Option<u32> {
        self.places.get(&(session, uuid)).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn facts(&self, place: u32) -> Option<&Facts> {
        self.entries.get(place as usize).map(|entry| &entry.facts)
    }

    /// The place of the message that this one follows, in its own session.
    pub(crate) fn above(&self, facts: &Facts) -> Option<u32> {
        self.place(facts.session, facts.parent)
    }

    /// The same for a message that has a place.
    pub(crate) fn up(&self, place: u32) -> Option<u32> {
        self.above(self.facts(place)?)
    }

    /// Whether the log has the beginning of what a session, or one of its
    /// sub-agents, said. If it has not, the first message follows one that is
    /// not there.
    pub(crate) fn has_beginning(&self, facts: &Facts) -> bool {
        let first = self.firsts.get(&(facts.session, facts.agent));
        let first = first.and_then(|place| self.facts(*place));
        first.is_none_or(|first| {
            first.parent == NONE || self.above(first).is_some()
        })
    }

    /// Whether there is a message with this uuid, in whatever session.
    pub(crate) fn has(&self, uuid: u32) -> bool {
        self.uuids.contains(&uuid)
    }

    /// Whether a compaction says that it follows this uuid.
    pub(crate) fn is_compacted(&self, uuid: u32) -> bool {
        self.compacted.contains(&uuid)
    }

    /// The messages that have a place, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, &Facts)> {
        (0..).zip(self.entries.iter().map(|entry| &entry.facts))
    }
}
