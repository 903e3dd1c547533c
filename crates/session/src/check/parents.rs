use crate::{
    check::{
        Dialect, Level, Rule,
        facts::{Facts, NONE, Side, Who},
        finding::{Findings, Quoted},
        links::Links,
        ways::Ways,
    },
    names::Names,
};

impl Links {
    /// Checks that messages follow what there is.
    pub(crate) fn check(
        &self,
        ways: &Ways,
        names: &Names,
        findings: &mut Findings,
    ) {
        for (place, facts) in self.all() {
            let level = facts.profile().out_of_order;
            match self.above(facts) {
                None => self.check_missing(facts, names, findings),
                Some(up) if up > place && !ways.is_in_circle(place) => {
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
            if logical != NONE && !self.has(logical) {
                let what = "was compacted, and is not in the log";
                add(logical, Level::Note, what);
            }
        } else if self.has(parent) {
            add(parent, Level::Note, "is in another session");
        } else if !self.has_beginning(facts) {
            add(parent, Level::Note, "is from before the log");
        } else if facts.is_forked {
            let what = "is of the session that this is forked from";
            add(parent, Level::Note, what);
        } else if self.is_compacted(parent) {
            add(parent, Level::Note, "was lost in a compaction");
        } else if facts.who == Who::Other {
            add(parent, facts.profile().loose_end, "is not in the log");
        } else {
            add(parent, Level::Error, "is not in the log");
        }
    }

    /// Checks that sub-agents stay on their side.
    pub(crate) fn check_sides(&self, ways: &Ways, findings: &mut Findings) {
        for (_, facts) in self.all() {
            let Some(up) = self.above(facts) else { continue };
            let Some(parent) = self.facts(up) else { continue };
            if facts.dialect == Dialect::Stream {
                continue;
            }
            let (from, to) = (ways.side(up), facts.side);
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
