use std::collections::HashSet;

use linetape::{Error, Line, Message, Stats};

use linetape_session::{Facts, ToolTotals, Totals, UsageTotals};
use serde_json::{Map, Value, json};

use crate::{
    blocks::BlockReader,
    fault::Fault,
    input::Input,
    stats::{
        errors::Errors,
        kinds::{KindCount, Kinds},
        span::{Moment, Span},
    },
    usage::{total_cost, with_tokens},
};

/// What there is in some logs, or in a part of one.
#[derive(Default)]
pub struct Report {
    /// How many inputs were read to their end.
    pub files: u64,
    /// What readers count. But errors are counted by `errors`, which knows of
    /// more.
    pub stats: Stats,
    pub errors: Errors,
    pub kinds: Kinds,
    pub sessions: HashSet<Box<str>>,
    pub span: Span,
    pub usage: UsageTotals,
    /// The session of the last line. Mostly, it is that of the next as well.
    last_session: String,
}

impl Report {
    /// What a reader has to give. It is an error if it cannot be read to its
    /// end.
    pub fn read(
        input: &Input,
        reader: &mut BlockReader,
        peek: bool,
    ) -> (Report, Result<(), Error>) {
        let mut report = Report::default();
        let mut end = Ok(());
        let mut salvaged = 0;
        while let Some(line) = reader.next_line() {
            let counted = line.and_then(|line| {
                let end_of_line = line.offset() + line.as_bytes().len() as u64;
                Ok((report.count(line, peek)?, end_of_line))
            });
            match counted {
                Ok((count, end_of_line)) => {
                    // A record's bytes are those of its line, terminator
                    // included. But what stands behind a record on a damaged
                    // line is not the record's.
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

    /// Counts a line, and gives the count of its kind.
    ///
    /// # Errors
    ///
    /// When the line is no record.
    fn count(
        &mut self,
        line: Line<'_>,
        peek: bool,
    ) -> Result<&mut KindCount, Error> {
        let length = line.as_bytes().len() as u64;
        let count = if peek {
            self.count_message(line.peek()?)
        } else {
            self.count_message(line.decode()?.message())
        };
        count.records += 1;
        count.bytes += length;
        Ok(count)
    }

    fn count_message(&mut self, message: Message<'_>) -> &mut KindCount {
        let facts = Facts::of(message);
        self.usage.add_facts(&facts);
        self.add_session(&facts);
        if let Some(timestamp) = facts.timestamp() {
            self.span.add(timestamp);
        }
        let kind = facts.kind();
        self.kinds.count(kind.name(), kind.subtype())
    }

    fn add_session(&mut self, facts: &Facts<'_>) {
        let Some(id) = facts.session_name() else { return };
        // Mostly, it is the one of the line before.
        if self.sessions.is_empty() || id != self.last_session {
            self.last_session = id.to_string();
            self.sessions.insert(id.into());
        }
    }

    /// Adds the report on a part that comes later.
    pub fn append(&mut self, later: Report) {
        self.stats += later.stats;
        self.errors.append(later.errors);
        self.kinds.append(&later.kinds);
        self.sessions.extend(later.sessions);
        self.span.append(&later.span);
        self.usage.append(later.usage);
    }

    /// The report with stable names, for programs.
    pub fn to_json(&self) -> Value {
        let Stats { lines, bytes, blank, longest_line, .. } = self.stats;
        let by_kind = self.errors.0.iter();
        let by_kind: Map<String, Value> = by_kind
            .map(|(kind, noted)| (kind.to_string(), noted.count.into()))
            .collect();
        let first = self.errors.0.values().flat_map(|noted| &noted.first);
        let kind = |kind: &KindCount| {
            json!({
                "type": kind.name,
                "subtype": kind.subtype,
                "records": kind.records,
                "bytes": kind.bytes,
            })
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
        json!({
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
            "models": usage.by_model().iter().map(model).collect::<Vec<_>>(),
            "tools": usage.by_tool().iter().map(tool).collect::<Vec<_>>(),
            "usage": with_tokens(json!({}), usage.total().tokens),
            "cost_usd": total_cost(usage),
            "first_timestamp": text(&self.span.first),
            "last_timestamp": text(&self.span.last),
            "longest_line": longest_line,
        })
    }
}
