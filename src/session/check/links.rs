use std::collections::{HashMap, HashSet};

use crate::session::{
    check::{
        Dialect, Level, Rule,
        facts::{Facts, NONE, Side, Who},
        finding::{Findings, Quoted},
        ways::Ways,
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

    /// Checks that messages follow what there is.
    pub(crate) fn check(
        &self,
        ways: &Ways,
        names: &Names,
        findings: &mut Findings,
    ) {
        for (place, entry) in self.entries.iter().enumerate() {
            let facts = &entry.facts;
            let level = facts.profile().out_of_order;
            match self.up(place as u32) {
                None => self.check_missing(facts, names, findings),
                Some(up)
                    if up as usize > place && !ways.is_in_circle(place) =>
                {
                    let at = self.line(up);
                    findings.add(
                        Rule::Order,
                        level,
                        facts.position,
                        format_args!("the parent comes later, in line {at}"),
                    );
                }
                Some(_) => {}
            }
            if ways.closes_circle(place) {
                let uuid = names.name(facts.uuid).unwrap_or_default();
                let uuid = Quoted(uuid);
                findings.add(
                    Rule::ParentCycle,
                    Level::Error,
                    facts.position,
                    format_args!("{uuid} follows itself"),
                );
            }
        }
    }

    fn line(&self, place: u32) -> u64 {
        self.facts(place).map_or(0, |facts| facts.position.line())
    }

    fn check_missing(
        &self,
        facts: &Facts,
        names: &Names,
        findings: &mut Findings,
    ) {
        let mut add = |uuid, level, what| {
            let uuid = Quoted(names.name(uuid).unwrap_or_default());
            findings.add(
                Rule::MissingParent,
                level,
                facts.position,
                format_args!("{uuid} {what}"),
            );
        };
        let (parent, logical) = (facts.parent, facts.logical);
        if parent == NONE {
            if logical != NONE && !self.uuids.contains(&logical) {
                let what = "was compacted, and is not in the log";
                add(logical, Level::Note, what);
            }
        } else if self.uuids.contains(&parent) {
            add(parent, Level::Note, "is in another session");
        } else if !self.has_beginning(facts) {
            add(parent, Level::Note, "is from before the log");
        } else if facts.is_forked {
            let what = "is of the session that this is forked from";
            add(parent, Level::Note, what);
        } else if self.compacted.contains(&parent) {
            add(parent, Level::Note, "was lost in a compaction");
        } else if facts.who == Who::Other {
            add(parent, facts.profile().loose_end, "is not in the log");
        } else {
            add(parent, Level::Error, "is not in the log");
        }
    }

    /// Checks that sub-agents stay on their side.
    pub(crate) fn check_sides(&self, ways: &Ways, findings: &mut Findings) {
        for (place, entry) in self.entries.iter().enumerate() {
            let facts = &entry.facts;
            let Some(up) = self.up(place as u32) else { continue };
            let Some(parent) = self.facts(up) else { continue };
            if facts.dialect == Dialect::Stream {
                continue;
            }
            let (from, to) = (ways.side(up as usize), facts.side);
            let what = match (from, to) {
                (Side::Main, Side::Sub) if facts.who != Who::User => {
                    "a sidechain begins here, but not with a prompt"
                }
                (Side::Sub, Side::Main) => {
                    let is_return =
                        facts.who == Who::Assistant && parent.who != Who::User;
                    if facts.profile().returns && is_return {
                        continue;
                    }
                    "this is not marked, but follows a sidechain"
                }
                _ => continue,
            };
            let level = match facts.who {
                Who::Other => Level::Note,
                _ => Level::Error,
            };
            let at = parent.position.line();
            findings.add(
                Rule::Sidechain,
                level,
                facts.position,
                format_args!("{what} (line {at})"),
            );
        }
    }
}
