//! Reference implementations of the rules about links and pairs: they search
//! all lines for each question.

use std::collections::{BTreeMap, BTreeSet};

use linetape_session::check::{Finding, Level, Rule};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

/// The parts of a message that link it to others.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    kind: &'static str,
    session: u8,
    uuid: Option<u8>,
    parent: Option<u8>,
    logical: Option<u8>,
    side: Option<bool>,
    agent: Option<u8>,
    /// The id of the API message.
    message: Option<u8>,
    is_forked: bool,
    /// Calls and results: the block's type and the call's id.
    blocks: Vec<(&'static str, u8)>,
}

pub fn note() -> impl Strategy<Value = Note> {
    let kinds = vec!["user", "assistant", "assistant", "progress"];
    let rare = |range| option::weighted(0.1, range);
    let side = prop_oneof![
        6 => Just(Some(false)), 3 => Just(Some(true)), 1 => Just(None)
    ];
    let who = (select(kinds), 0u8..2, option::weighted(0.95, 0u8..20), side);
    let links = (option::weighted(0.8, 0u8..22), rare(0u8..22));
    let more = (option::of(0u8..2), option::of(0u8..5), 0u8..20);
    let called = vec![("tool_use", 3), ("server_tool_use", 1)];
    let blocks = vec((select(called), 0u8..7), 0..3);
    (who, links, more, blocks).prop_map(|(who, links, more, blocks)| {
        let (kind, session, uuid, side) = who;
        let block = |((name, _), id): &((&'static str, u8), u8)| match kind {
            "user" => ("tool_result", *id),
            _ => (*name, *id),
        };
        let blocks = blocks.iter().filter(|_| kind != "progress");
        Note {
            kind,
            session: u8::from(session == 1 && more.2 > 12),
            uuid,
            parent: links.0,
            logical: links.1,
            side,
            agent: more.0,
            message: more.1.filter(|_| kind == "assistant"),
            is_forked: more.2 == 0,
            blocks: blocks.map(block).collect(),
        }
    })
}

fn blocks_of(note: &Note) -> Vec<Value> {
    let block = |(kind, id): &(&str, u8)| match *kind {
        "tool_result" => json!({"type": kind, "tool_use_id": id.to_string()}),
        _ => {
            json!({"type": kind, "id": id.to_string(), "name": "T", "input": {}})
        }
    };
    note.blocks.iter().map(block).collect()
}

impl Note {
    pub fn saved(&self) -> String {
        let text = |n: Option<u8>| n.map(|n| n.to_string());
        let mut line = json!({
            "type": self.kind,
            "sessionId": self.session.to_string(),
            "timestamp": "2026-01-01T00:00:00Z",
            "uuid": text(self.uuid),
            "parentUuid": text(self.parent),
            "logicalParentUuid": text(self.logical),
            "isSidechain": self.side,
            "agentId": text(self.agent),
            "data": {},
            "message": {"id": text(self.message), "content": blocks_of(self)},
        });
        if self.is_forked {
            line["forkedFrom"] = json!({"sessionId": "elsewhere"});
        }
        format!("{line}\n")
    }

    /// Returns the session and agent of the message.
    fn thread(&self) -> (u8, Option<Option<u8>>) {
        (self.session, (self.side == Some(true)).then_some(self.agent))
    }

    fn is_like(&self, other: &Note) -> bool {
        let facts = |note: &Note| {
            let Note { kind, parent, message, blocks, .. } = note.clone();
            (kind, parent, message, blocks)
        };
        facts(self) == facts(other)
    }
}

/// Findings, as line, rule and level.
pub type Found = Vec<(usize, Rule, Level)>;

/// The reference implementation for transcripts.
pub struct Reference<'n> {
    notes: &'n [Note],
    /// Lines with a unique uuid, and lines that are not copies.
    placed: Vec<usize>,
    counted: Vec<usize>,
    found: Found,
}

impl<'n> Reference<'n> {
    pub fn check(notes: &'n [Note]) -> Found {
        let found = vec![];
        let mut reference =
            Reference { notes, placed: vec![], counted: vec![], found };
        reference.uuids();
        for at in reference.placed.clone() {
            reference.parent(at);
            reference.side_of(at);
        }
        reference.pairs();
        reference.found.sort();
        reference.found
    }

    fn report(&mut self, at: usize, rule: Rule, is_error: bool) {
        let level = if is_error { Level::Error } else { Level::Note };
        self.found.push((at + 1, rule, level));
    }

    fn uuids(&mut self) {
        for (at, note) in self.notes.iter().enumerate() {
            let first = self.find(note.session, note.uuid);
            match first {
                Some(first) => {
                    let same = note.is_like(&self.notes[first]);
                    self.report(at, Rule::DuplicateUuid, !same);
                    if same {
                        continue;
                    }
                }
                None if note.uuid.is_some() => self.placed.push(at),
                None => {}
            }
            self.counted.push(at);
        }
    }

    fn find(&self, session: u8, uuid: Option<u8>) -> Option<usize> {
        let is = |at: &&usize| {
            let note = &self.notes[**at];
            note.session == session && note.uuid == uuid
        };
        self.placed.iter().find(is).copied().filter(|_| uuid.is_some())
    }

    fn up(&self, at: usize) -> Option<usize> {
        let note = &self.notes[at];
        self.find(note.session, note.parent)
    }

    /// Returns the ancestors of a line, each once if they form a cycle.
    fn above(&self, at: usize) -> Vec<usize> {
        let mut above = vec![];
        let mut up = self.up(at);
        while let Some(at) = up.filter(|up| !above.contains(up)) {
            above.push(at);
            up = self.up(at);
        }
        above
    }

    fn has_beginning(&self, note: &Note) -> bool {
        let mut placed = self.placed.iter();
        let first =
            placed.find(|at| self.notes[**at].thread() == note.thread());
        first.is_none_or(|first| {
            self.notes[*first].parent.is_none() || self.up(*first).is_some()
        })
    }

    fn parent(&mut self, at: usize) {
        let note = &self.notes[at];
        let placed = || self.placed.iter().map(|at| &self.notes[*at]);
        let is_anywhere = |uuid| placed().any(|note| note.uuid == uuid);
        match (self.up(at), note.parent, note.logical) {
            (Some(up), ..) => {
                let above = self.above(at);
                let is_ring = above.contains(&at);
                if is_ring && above.iter().all(|other| *other <= at) {
                    self.report(at, Rule::ParentCycle, true);
                } else if !is_ring && up > at {
                    self.report(at, Rule::Order, false);
                }
            }
            (None, Some(parent), _) => {
                let parent = Some(parent);
                let is_excused = is_anywhere(parent)
                    || !self.has_beginning(note)
                    || note.is_forked
                    || note.kind == "progress"
                    || placed().any(|note| note.logical == parent);
                self.report(at, Rule::MissingParent, !is_excused);
            }
            (None, None, Some(logical)) if !is_anywhere(Some(logical)) => {
                self.report(at, Rule::MissingParent, false);
            }
            _ => {}
        }
    }

    fn is_side(&self, at: usize) -> bool {
        self.side(at) == Some(true)
    }

    /// Returns whether a line is in a sidechain. `None` if it inherits that
    /// from a missing line.
    fn side(&self, at: usize) -> Option<bool> {
        let mut line = vec![at];
        line.extend(self.above(at));
        let said = line.iter().find_map(|at| self.notes[*at].side);
        let top = *line.last().unwrap();
        let is_lost =
            self.notes[top].parent.is_some() && self.up(top).is_none();
        said.or((!is_lost).then_some(false))
    }

    fn side_of(&mut self, at: usize) {
        let Some(up) = self.up(at) else { return };
        let kind = self.notes[at].kind;
        let wrong = match (self.side(up), self.notes[at].side) {
            (Some(false), Some(true)) => kind != "user",
            (Some(true), Some(false)) => true,
            _ => false,
        };
        if wrong {
            self.report(at, Rule::Sidechain, kind != "progress");
        }
    }

    /// Returns whether the model continued after a line, or after another
    /// line of the same message.
    fn is_passed(&self, at: usize) -> bool {
        let notes = self.notes;
        let same = |other: &usize| {
            let (one, other) = (&notes[at], &notes[*other]);
            one.message.is_some()
                && (one.message, one.session) == (other.message, other.session)
        };
        let own = |other: &&usize| **other == at || same(other);
        self.placed.iter().filter(own).any(|line| {
            !self.above(*line).contains(line)
                && self.placed.iter().any(|turn| {
                    notes[*turn].kind == "assistant"
                        && self.above(*turn).contains(line)
                        && self.is_side(*turn) == self.is_side(*line)
                        && !same(turn)
                })
        })
    }

    fn pairs(&mut self) {
        // For each call, the line, the order and the type of its blocks.
        type Seen = Vec<(usize, usize, &'static str)>;
        let mut all: BTreeMap<(u8, u8), (Seen, Seen)> = BTreeMap::new();
        for (order, at) in self.counted.iter().enumerate() {
            let note = &self.notes[*at];
            for (kind, id) in &note.blocks {
                let both = all.entry((note.session, *id)).or_default();
                let list = match *kind {
                    "tool_result" => &mut both.1,
                    _ => &mut both.0,
                };
                list.push((order, *at, kind));
            }
        }
        for (calls, results) in all.into_values() {
            let messages: Vec<_> =
                calls.iter().map(|call| self.notes[call.1].message).collect();
            for (call, message) in calls.iter().zip(&messages).skip(1) {
                match (messages[0], *message) {
                    (Some(one), Some(other)) if one == other => {}
                    (Some(_), Some(_)) => {
                        self.report(call.1, Rule::RepeatedCall, true);
                    }
                    _ => self.report(call.1, Rule::RepeatedCall, false),
                }
            }
            for result in results.iter().skip(1) {
                self.report(result.1, Rule::RepeatedResult, false);
            }
            match (calls.first(), results.first()) {
                (Some(call), Some(result)) if result.0 < call.0 => {
                    self.report(result.1, Rule::Order, false);
                }
                (Some(call), None) => {
                    let is_error =
                        call.2 == "tool_use" && self.is_passed(call.1);
                    self.report(call.1, Rule::UnansweredCall, is_error);
                }
                (None, Some(result)) => {
                    let note = &self.notes[result.1];
                    let is_error = self.has_beginning(note) && !note.is_forked;
                    self.report(result.1, Rule::UnaskedResult, is_error);
                }
                _ => {}
            }
        }
    }
}

/// Returns the findings of the rules that the references implement.
pub fn comparable(findings: &[Finding]) -> Found {
    let known = |found: &&Finding| {
        !matches!(
            found.rule,
            Rule::RequiredField | Rule::Structure | Rule::Timestamp
        )
    };
    let findings = findings.iter().filter(known);
    let mut found: Found = findings
        .map(|found| (found.position.line() as usize, found.rule, found.level))
        .collect();
    found.sort();
    found
}

/// The reference implementation for streams, where the order of lines replaces
/// links. `kind` may be `init` or `result`, and `agent` is the call that
/// started a sub-agent.
pub fn check_stream(notes: &[Note]) -> Found {
    let mut found: Found = vec![];
    let thread = |note: &Note| (note.session, note.agent);
    let run = |at: usize| {
        let ends = |other: &&Note| {
            other.session == notes[at].session
                && matches!(other.kind, "init" | "result")
        };
        notes[..=at].iter().filter(ends).count()
    };
    let is_known = |at: usize| {
        let of_session = |note: &&Note| {
            note.session == notes[at].session && note.kind != "progress"
        };
        let mut seen = notes[..=at].iter().filter(of_session);
        seen.clone().next().is_some_and(|first| first.kind == "init")
            || notes[at].agent.is_none()
                && seen.any(|note| matches!(note.kind, "init" | "result"))
    };
    let level = |is_error| if is_error { Level::Error } else { Level::Note };
    let places = |session, id, is_result| {
        notes.iter().enumerate().flat_map(move |(at, note)| {
            let wanted = move |block: &&(&str, u8)| {
                note.session == session
                    && block.1 == id
                    && (block.0 == "tool_result") == is_result
            };
            note.blocks.iter().filter(wanted).map(move |block| (at, block.0))
        })
    };
    for (session, id) in (0..2).flat_map(|s| (0..7).map(move |id| (s, id))) {
        let calls: Vec<_> = places(session, id, false).collect();
        let results: Vec<_> = places(session, id, true).collect();
        for (at, _) in results.iter().skip(1) {
            found.push((at + 1, Rule::RepeatedResult, Level::Note));
        }
        for (at, _) in calls.iter().skip(1) {
            let pair = (notes[calls[0].0].message, notes[*at].message);
            match pair {
                (Some(one), Some(two)) if one == two => {}
                (Some(_), Some(_)) => {
                    found.push((at + 1, Rule::RepeatedCall, Level::Error));
                }
                _ => found.push((at + 1, Rule::RepeatedCall, Level::Note)),
            }
        }
        match (calls.first(), results.first()) {
            (Some((call, _)), Some((result, _))) if result < call => {
                found.push((result + 1, Rule::Order, Level::Note));
            }
            (Some((at, kind)), None) => {
                let call = &notes[*at];
                let is_passed = (at + 1..notes.len()).any(|later| {
                    let turn = &notes[later];
                    let is_other =
                        turn.message.is_none() || turn.message != call.message;
                    thread(turn) == thread(call)
                        && match turn.kind {
                            "assistant" => run(later) == run(*at) && is_other,
                            // It ends the run of the call.
                            "result" => run(later) == run(*at) + 1,
                            _ => false,
                        }
                });
                let level = level(is_passed && *kind == "tool_use");
                found.push((at + 1, Rule::UnansweredCall, level));
            }
            (None, Some((at, _))) => {
                let level = level(is_known(*at));
                found.push((at + 1, Rule::UnaskedResult, level));
            }
            _ => {}
        }
        let of_agent = |note: &Note| thread(note) == (session, Some(id));
        if let Some(at) = notes.iter().position(of_agent)
            && calls.is_empty()
        {
            found.push((at + 1, Rule::Sidechain, level(is_known(at))));
        }
    }
    found.sort();
    found
}

impl Note {
    pub fn streamed(&self) -> String {
        let (kind, subtype) = match self.kind {
            "init" => ("system", json!("init")),
            "result" => ("result", json!("success")),
            "progress" => ("system", json!("status")),
            kind => (kind, Value::Null),
        };
        let text = |n: Option<u8>| n.map(|n| n.to_string());
        let line = json!({
            "type": kind,
            "subtype": subtype,
            "session_id": self.session.to_string(),
            "parent_tool_use_id": text(self.agent),
            "message": {"id": text(self.message), "content": blocks_of(self)},
        });
        format!("{line}\n")
    }
}

pub fn stream_note() -> impl Strategy<Value = Note> {
    let kinds = vec!["init", "result", "same", "same", "same", "same", "same"];
    (note(), select(kinds), option::weighted(0.2, 0u8..7)).prop_map(
        |(mut note, kind, agent)| {
            note.agent = agent;
            if kind != "same" {
                note.kind = kind;
                note.blocks = vec![];
            }
            note
        },
    )
}

/// The reference implementation for calls and results without ids: a result
/// belongs to its parent, or else to the first open call. Each step is a kind
/// and the index of its parent.
pub fn check_ordered(steps: &[(&'static str, Option<usize>)]) -> Found {
    let (mut taken, mut matched) = (BTreeSet::new(), BTreeSet::new());
    let mut found: Found = vec![];
    let is_call = |at: usize| steps[at].0 == "call";
    for (at, (kind, up)) in steps.iter().enumerate() {
        let call = up.filter(|up| is_call(*up) && *kind != "call");
        if call.is_some_and(|call| taken.insert(call)) {
            matched.insert(at);
        }
    }
    let results = (0..steps.len()).filter(|at| steps[*at].0 == "done");
    for at in results.filter(|at| !matched.contains(at)) {
        let open = |call: &usize| is_call(*call) && !taken.contains(call);
        match ((0..at).find(open), steps[at].1) {
            (Some(call), _) => _ = taken.insert(call),
            (None, Some(up)) if is_call(up) => {
                found.push((at + 1, Rule::RepeatedResult, Level::Error));
            }
            _ => found.push((at + 1, Rule::UnaskedResult, Level::Error)),
        }
    }
    let open = |at: &usize| is_call(*at) && !taken.contains(at);
    for call in (0..steps.len()).filter(open) {
        found.push((call + 1, Rule::UnansweredCall, Level::Note));
    }
    found.sort();
    found
}

/// Returns the lines of such steps.
pub fn ordered_log(steps: &[(&'static str, Option<usize>)]) -> String {
    let line = |(at, (kind, up)): (usize, &(&str, Option<usize>))| {
        let (kind, subtype) = match *kind {
            "call" => ("assistant", "tool_use"),
            "done" => ("system", "tool_result"),
            _ => ("system", "error"),
        };
        let line = json!({
            "type": kind, "subtype": subtype, "message": "Hm",
            "uuid": at.to_string(), "sessionId": "s",
            "parentUuid": up.map(|up| up.to_string()),
        });
        format!("{line}\n")
    };
    steps.iter().enumerate().map(line).collect()
}
