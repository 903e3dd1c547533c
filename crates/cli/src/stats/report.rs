//! The counts of `linetape stats`, and their JSON form.

use std::collections::HashSet;

use linetape::{Error, Line, Message, Stats};

use linetape_session::{
    Facts, Foreign, Role, ToolTotals, Totals, UsageTotals,
};
use serde_json::{Map, Value, json};

use crate::{
    blocks::BlockReader,
    fault::Fault,
    input::Input,
    owner::owner,
    stats::{
        errors::Errors,
        kinds::{KindCount, Kinds},
        level::Level,
        links::Links,
        span::{Moment, Span},
    },
    usage::{subagents, total_cost, unlogged, with_reported, with_tokens},
};

/// The members of the report if only kinds are counted.
const SKIMMED: [&str; 8] = [
    "files",
    "bytes",
    "lines",
    "blank",
    "records",
    "errors",
    "kinds",
    "longest_line",
];

/// The counts of some logs, or of a part of one.
#[derive(Default)]
pub struct Report {
    /// The number of inputs that were read to their end.
    pub files: u64,
    /// The counters of the readers, but not their errors: `errors` also has
    /// the inputs that could not be opened.
    pub stats: Stats,
    pub errors: Errors,
    pub kinds: Kinds,
    pub sessions: HashSet<Box<str>>,
    pub span: Span,
    pub usage: UsageTotals,
    /// The program that wrote the log, if linetape does not know its format.
    pub foreign: Option<Foreign>,
    pub links: Links,
    /// Whether only records and bytes by kind are counted.
    pub has_only_kinds: bool,
    /// The session of the last line, which is usually that of the next one.
    last_session: String,
    /// Whether the uuid of its first message is known.
    has_first: bool,
}

impl Report {
    /// Reads a block, and returns its counts and the error that ended it
    /// early.
    pub fn read(
        input: &Input,
        reader: &mut BlockReader,
        level: Level,
    ) -> (Report, Result<(), Error>) {
        let mut report = Report::default();
        let mut end = Ok(());
        let mut salvaged = 0;
        while let Some(line) = reader.next_line() {
            let counted = line.and_then(|line| {
                let end_of_line = line.offset() + line.as_bytes().len() as u64;
                Ok((report.count(line, level)?, end_of_line))
            });
            match counted {
                Ok((count, end_of_line)) => {
                    // A record's bytes include the line terminator. On a
                    // damaged line, they do not include what follows the
                    // record.
                    let before = salvaged;
                    salvaged = reader.stats().salvaged;
                    if salvaged == before {
                        count.bytes += reader.position().byte() - end_of_line;
                    }
                }
                Err(error) => {
                    report.errors.add(input, &error);
                    if !error.is_recoverable() {
                        end = Err(error);
                    }
                }
            }
        }
        report.stats = reader.stats();
        (report, end)
    }

    /// Counts a line, and returns the count of its kind.
    ///
    /// # Errors
    ///
    /// When the line is invalid.
    fn count(
        &mut self,
        line: Line<'_>,
        level: Level,
    ) -> Result<&mut KindCount, Error> {
        let length = line.as_bytes().len() as u64;
        let count = match level {
            Level::Skim => {
                let kind = line.skim().kind()?;
                self.kinds.count(kind.name(), kind.subtype(), None)
            }
            Level::Peek => self.count_message(line.peek()?),
            Level::Decode => self.count_message(line.decode()?.message()),
        };
        count.records += 1;
        count.bytes += length;
        Ok(count)
    }

    fn count_message(&mut self, message: Message<'_>) -> &mut KindCount {
        let facts = Facts::of(message);
        self.usage.add_facts(&facts);
        self.foreign = self.foreign.or_else(|| Foreign::of(message));
        self.add_context(&facts);
        self.span.add(&facts);
        let kind = facts.kind();
        self.kinds.count(kind.name(), kind.subtype(), owner(message))
    }

    /// Adds the session and the links of a message and of those that are
    /// nested in it, and the times of mirrored ones. The line around a mirror
    /// has no time.
    fn add_context(&mut self, facts: &Facts<'_>) {
        self.links.add(facts);
        self.add_session(facts);
        for nested in facts.nested() {
            if nested.is_mirrored() {
                self.span.add(&nested);
            }
            self.add_context(&nested);
        }
    }

    fn add_session(&mut self, facts: &Facts<'_>) {
        let Some(id) = facts.session_name() else { return };
        // Most lines skip the hash table.
        if self.sessions.is_empty() || id != self.last_session {
            self.last_session = id.to_string();
            self.sessions.insert(id.into());
            self.has_first = false;
        }
        if !self.has_first
            && facts.role() != Role::Other
            && !facts.is_sidechain()
            && let Some(uuid) = facts.uuid()
        {
            self.has_first = true;
            self.links.add_first(&self.last_session, uuid);
        }
        if facts.is_forked() {
            self.links.add_fork(facts);
        }
    }

    /// Adds the report on a later part, which is of the input with this key.
    pub fn append(&mut self, later: Report, key: &str) {
        self.stats += later.stats;
        self.errors.append(later.errors);
        self.kinds.append(later.kinds.all());
        self.sessions.extend(later.sessions);
        self.span.append(&later.span);
        self.usage.append(later.usage);
        self.links.append(later.links, key);
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> Value {
        let Stats { lines, bytes, blank, longest_line, .. } = self.stats;
        let by_kind = self.errors.0.iter();
        let by_kind: Map<String, Value> = by_kind
            .map(|(kind, noted)| (kind.to_string(), noted.count.into()))
            .collect();
        let first = self.errors.0.values().flat_map(|noted| &noted.first);
        let kind = |kind: &KindCount| {
            let mut object = json!({
                "type": kind.name,
                "subtype": kind.subtype,
                "records": kind.records,
                "bytes": kind.bytes,
            });
            if let Some(of) = &kind.of {
                object["of"] = of.as_str().into();
            }
            object
        };
        let model = |model: &Totals<'_>| {
            let head =
                json!({"model": model.name, "messages": model.messages});
            with_tokens(head, model.tokens)
        };
        let tool = |tool: &ToolTotals<'_>| {
            json!({
                "name": tool.name,
                "calls": tool.calls,
                "errors": tool.errors,
            })
        };
        let text = |moment: &Option<Moment>| {
            moment.as_ref().map(|moment| moment.text.clone())
        };
        let Report { kinds, usage, .. } = self;
        let by_model = usage.by_model();
        let unlogged = unlogged(usage).map(|row| {
            let head = json!({"model": row.name, "messages": row.messages});
            with_tokens(head, row.tokens)
        });
        let models = by_model.iter().map(model).chain(unlogged);
        let document = json!({
            "files": self.files,
            "bytes": bytes,
            "lines": lines,
            "blank": blank,
            "records": kinds.records(),
            "errors": {
                "total": self.errors.total(),
                "by_kind": by_kind,
                "first": first.map(Fault::to_json).collect::<Vec<_>>(),
            },
            "kinds": kinds.by_size().into_iter().map(kind).collect::<Vec<_>>(),
            "sessions": self.sessions.len(),
            "links": self.links.to_json(),
            "agents": self.links.agents_to_json(),
            "models": models.collect::<Vec<_>>(),
            "tools": usage.by_tool().iter().map(tool).collect::<Vec<_>>(),
            "usage": with_tokens(json!({}), usage.total().tokens),
            "subagents": subagents(usage),
            "placeholder_messages": usage.placeholders(),
            "cost_usd": total_cost(usage),
            "first_timestamp": text(&self.span.first),
            "last_timestamp": text(&self.span.last),
            "longest_line": longest_line,
        });
        let mut document = with_reported(document, usage);
        if let (true, Some(members)) =
            (self.has_only_kinds, document.as_object_mut())
        {
            members.retain(|key, _| SKIMMED.contains(&key.as_str()));
        }
        document
    }
}
