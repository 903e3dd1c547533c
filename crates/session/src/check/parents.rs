/*!
Checking the links between messages: parents, cycles, sidechains.
*/

use crate::{
    Role,
    check::{
        Dialect, Level, Rule,
        ancestry::Ancestry,
        finding::{Findings, Quoted},
        line::{LineFacts, Side},
        links::Links,
    },
    ids::{NameId, Names},
};

impl Links {
    /// Checks that parents exist, come first, and form no cycle.
    pub(crate) fn check(
        &self,
        ancestry: &Ancestry,
        names: &Names,
        findings: &mut Findings,
    ) {
        let quoted =
            |uuid: NameId| Quoted(names.name(uuid).unwrap_or_default());
        for (node, facts) in self.all() {
            let level = facts.profile().out_of_order;
            match self.parent(facts) {
                None => self.check_missing(facts, names, findings),
                Some(up) if up > node && !ancestry.is_in_cycle(node) => {
                    let parent = self.facts(up);
                    let at = parent.map_or(0, |up| up.position.line());
                    findings.add(
                        Rule::Order,
                        level,
                        facts.position,
                        format_args!("the parent comes later, on line {at}"),
                    );
                }
                Some(_) => {}
            }
            if let Some(uuid) = facts.uuid
                && ancestry.closes_cycle(node)
            {
                let uuid = quoted(uuid);
                findings.add(
                    Rule::ParentCycle,
                    Level::Error,
                    facts.position,
                    format_args!("{uuid} is its own ancestor"),
                );
            }
        }
    }

    /// Reports the parent of a message if it is not in the message's session.
    /// Without a parent, reports the logical parent if it is not in the log.
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
                format_args!("the parent {uuid} {what}"),
            );
        };
        let Some(parent) = facts.parent else {
            let logical = facts.logical.filter(|logical| !self.has(*logical));
            if let Some(logical) = logical {
                let what = "precedes a compaction, and is not in the log";
                add(logical, Level::Note, what);
            }
            return;
        };
        if self.has(parent) {
            add(parent, Level::Note, "is in another session");
        } else if !self.has_beginning(facts) {
            add(parent, Level::Note, "precedes the log");
        } else if facts.is_forked {
            let what = "is in the session that this one was forked from";
            add(parent, Level::Note, what);
        } else if self.is_compacted(parent) {
            add(parent, Level::Note, "was lost in a compaction");
        } else if facts.role == Role::Other {
            add(parent, facts.profile().loose_end, "is not in the log");
        } else {
            add(parent, Level::Error, "is not in the log");
        }
    }

    /// Checks that a message is in a sidechain if and only if its parent is. A
    /// sidechain may begin with a prompt, and in some dialects the main
    /// conversation may continue from its end.
    pub(crate) fn check_sides(
        &self,
        ancestry: &Ancestry,
        findings: &mut Findings,
    ) {
        for (_, facts) in self.all() {
            let Some(up) = self.parent(facts) else { continue };
            let Some(parent) = self.facts(up) else { continue };
            if facts.dialect == Dialect::Stream {
                continue;
            }
            let (from, to) = (ancestry.side(up), facts.side);
            let what = match (from, to) {
                (Side::Main, Side::Sub) if facts.role != Role::User => {
                    "the sidechain does not begin with a prompt"
                }
                (Side::Sub, Side::Main) => {
                    let is_return = facts.role == Role::Assistant
                        && parent.role != Role::User;
                    if facts.profile().returns && is_return {
                        continue;
                    }
                    "not marked as a sidechain, but the parent is"
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
                format_args!("{what} (parent: line {at})"),
            );
        }
    }
}
