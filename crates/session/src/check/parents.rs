/*!
Checking the links between messages: parents, cycles, sidechains.
*/

use crate::{
    Role,
    check::{
        Dialect, Level, Rule,
        finding::{Findings, Quoted},
        line::{LineFacts, Side},
        links::Links,
        ways::Ways,
    },
    ids::{NameId, Names},
};

impl Links {
    /// Checks that parents exist, come first, and form no cycle.
    pub(crate) fn check(
        &self,
        ways: &Ways,
        names: &Names,
        findings: &mut Findings,
    ) {
        let quoted =
            |uuid: NameId| Quoted(names.name(uuid).unwrap_or_default());
        for (place, facts) in self.all() {
            let level = facts.profile().out_of_order;
            match self.parent(facts) {
                None => self.check_missing(facts, names, findings),
                Some(up) if up > place && !ways.is_in_cycle(place) => {
                    let parent = self.facts(up);
                    let at = parent.map_or(0, |up| up.position.line());
                    findings.add(
                        Rule::Order,
                        level,
                        facts.position,
                        format_args!("the parent comes later, in line {at}"),
                    );
                }
                Some(_) => {}
            }
            if let Some(uuid) = facts.uuid
                && ways.closes_cycle(place)
            {
                let uuid = quoted(uuid);
                findings.add(
                    Rule::ParentCycle,
                    Level::Error,
                    facts.position,
                    format_args!("{uuid} follows itself"),
                );
            }
        }
    }

    /// Reports a parent that is not in the message's session, if the message
    /// names one.
    fn check_missing(
        &self,
        facts: &LineFacts,
        names: &Names,
        findings: &mut Findings,
    ) {
        let mut add = |uuid: NameId, level, what| {
            let uuid = Quoted(names.name(uuid).unwrap_or_default());
            findings.add(
                Rule::MissingParent,
                level,
                facts.position,
                format_args!("{uuid} {what}"),
            );
        };
        let Some(parent) = facts.parent else {
            let logical = facts.logical.filter(|logical| !self.has(*logical));
            if let Some(logical) = logical {
                let what = "was compacted, and is not in the log";
                add(logical, Level::Note, what);
            }
            return;
        };
        if self.has(parent) {
            add(parent, Level::Note, "is in another session");
        } else if !self.has_beginning(facts) {
            add(parent, Level::Note, "is from before the log");
        } else if facts.is_forked {
            let what = "is of the session that this is forked from";
            add(parent, Level::Note, what);
        } else if self.is_compacted(parent) {
            add(parent, Level::Note, "was lost in a compaction");
        } else if facts.role == Role::Other {
            add(parent, facts.profile().loose_end, "is not in the log");
        } else {
            add(parent, Level::Error, "is not in the log");
        }
    }

    /// Checks that a message is in a sidechain exactly if its parent is, but
    /// for the first and the last message of a sidechain.
    pub(crate) fn check_sides(&self, ways: &Ways, findings: &mut Findings) {
        for (_, facts) in self.all() {
            let Some(up) = self.parent(facts) else { continue };
            let Some(parent) = self.facts(up) else { continue };
            if facts.dialect == Dialect::Stream {
                continue;
            }
            let (from, to) = (ways.side(up), facts.side);
            let what = match (from, to) {
                (Side::Main, Side::Sub) if facts.role != Role::User => {
                    "a sidechain begins here, but not with a prompt"
                }
                (Side::Sub, Side::Main) => {
                    let is_return = facts.role == Role::Assistant
                        && parent.role != Role::User;
                    if facts.profile().returns && is_return {
                        continue;
                    }
                    "this is not marked, but follows a sidechain"
                }
                _ => continue,
            };
            let level = match facts.role {
                Role::Other => Level::Note,
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
