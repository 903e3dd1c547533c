//! The report on what some files hold.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Write},
};

use linetape::{
    Error, ErrorKind, Escaped, Kind, Line, Reader, Stats,
    session::{ToolTotals, Totals, UsageTotals},
};
use serde_json::{Map, Value, json};

use crate::{
    document,
    input::{Files, Input, Prints, Source},
    outcome::Outcome,
    paint::page,
    table::grouped,
    usage::{self, By, total_cost, with_tokens},
};

/// Prints the report on all inputs together. To `peek` is to look at the types
/// of lines, and not to decode them.
pub fn run(files: &Files, peek: bool, json: bool) -> io::Result<Outcome> {
    let mut report = Report::default();
    let mut outcome = Outcome::Fine;
    for input in files.inputs(Prints::AtTheEnd, &mut outcome) {
        let Some(source) = outcome.open(&input) else {
            report.count_error(ErrorKind::Io);
            continue;
        };
        report.sample |= matches!(input, Input::Sample);
        let reader = files.reader().build(source);
        if let Err(error) = report.read(reader, peek) {
            outcome.blame(&input, &error);
        }
    }
    if json {
        document::print(&report.to_json())?;
    } else {
        let mut page = page();
        write!(page, "{report}")?;
        page.flush()?;
    }
    Ok(outcome)
}

#[derive(Default)]
struct Report {
    /// How many inputs were read to their end.
    files: u64,
    stats: Stats,
    /// The errors that readers do not know of: lines that they have handed
    /// out but that are no records, and inputs that could not be opened.
    errors: BTreeMap<ErrorKind, u64>,
    kinds: Kinds,
    usage: UsageTotals,
    sample: bool,
}

impl Report {
    /// Adds what there is to read.
    ///
    /// # Errors
    ///
    /// When it cannot be read to its end. What could be read is counted.
    fn read(
        &mut self,
        mut reader: Reader<Source>,
        peek: bool,
    ) -> Result<(), Error> {
        let mut end = Ok(());
        let mut salvaged = 0;
        loop {
            let (end_of_line, length, count) = match reader.next_line() {
                None => break,
                Some(Ok(line)) => {
                    let length = line.as_bytes().len() as u64;
                    (line.offset() + length, length, self.count(line, peek))
                }
                // The reader has counted it.
                Some(Err(error)) => {
                    if !error.is_recoverable() {
                        end = Err(error);
                    }
                    continue;
                }
            };
            match count {
                Ok(count) => {
                    count.records += 1;
                    count.bytes += length;
                    // A record's bytes are those of its line, terminator
                    // included. But what stands behind a record on a damaged
                    // line is not the record's.
                    let before = salvaged;
                    salvaged = reader.stats().salvaged;
                    if salvaged == before {
                        count.bytes += reader.position().byte() - end_of_line;
                    }
                }
                Err(error) => self.count_error(error.kind()),
            }
        }
        self.stats += reader.stats();
        self.files += u64::from(end.is_ok());
        end
    }

    /// Looks at a line, and finds the count that it belongs to.
    ///
    /// # Errors
    ///
    /// When the line is no record.
    fn count(
        &mut self,
        line: Line<'_>,
        peek: bool,
    ) -> Result<&mut Count, Error> {
        if peek {
            let message = line.peek()?;
            self.usage.add(message);
            return Ok(self.kinds.entry(message.kind()));
        }
        let record = line.decode()?;
        self.usage.add(record.message());
        Ok(self.kinds.entry(record.kind()))
    }

    fn count_error(&mut self, kind: ErrorKind) {
        *self.errors.entry(kind).or_default() += 1;
    }

    /// The errors by kind, and how many there are in all.
    fn errors(&self) -> (Vec<(ErrorKind, u64)>, u64) {
        let mut by_kind = self.errors.clone();
        for (kind, count) in self.stats.errors.iter() {
            *by_kind.entry(kind).or_default() += count;
        }
        let total = by_kind.values().sum();
        (by_kind.into_iter().collect(), total)
    }

    /// The report with stable names, for programs.
    fn to_json(&self) -> Value {
        let Stats { lines, bytes, blank, longest_line, .. } = self.stats;
        let (by_kind, total) = self.errors();
        let by_kind: Map<String, Value> = by_kind
            .into_iter()
            .map(|(kind, count)| (kind.to_string(), count.into()))
            .collect();
        let kinds = self.kinds.by_size();
        let kind = |(name, count): &(&Name, &Count)| {
            json!({
                "type": name.0,
                "subtype": name.1,
                "records": count.records,
                "bytes": count.bytes,
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
        json!({
            "files": self.files,
            "bytes": bytes,
            "lines": lines,
            "blank": blank,
            "records": kinds.iter().map(|k| k.1.records).sum::<u64>(),
            "kinds": kinds.iter().map(kind).collect::<Vec<_>>(),
            "models": self.usage.by_model().iter().map(model).collect::<Vec<_>>(),
            "tools": self.usage.by_tool().iter().map(tool).collect::<Vec<_>>(),
            "usage": with_tokens(json!({}), self.usage.total().tokens),
            "cost_usd": total_cost(&self.usage),
            "longest_line": longest_line,
            "errors": { "total": total, "by_kind": by_kind },
        })
    }
}

/// A type and a subtype, each of which may be missing.
type Name = (Option<String>, Option<String>);

#[derive(Default)]
struct Count {
    records: u64,
    bytes: u64,
}

/// Records and bytes by kind.
#[derive(Default)]
struct Kinds(BTreeMap<Name, Count>);

impl Kinds {
    /// The count that a kind belongs to.
    fn entry(&mut self, kind: Kind<'_>) -> &mut Count {
        let name = kind.name().map(str::to_string);
        let subtype = kind.subtype().map(str::to_string);
        self.0.entry((name, subtype)).or_default()
    }

    /// All kinds, the one with the most records first.
    fn by_size(&self) -> Vec<(&Name, &Count)> {
        let mut kinds: Vec<_> = self.0.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(count.records));
        kinds
    }
}

/// The report for a person.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sample {
            writeln!(f, "The sample session. Name files to read those.\n")?;
        }
        let (errors, total) = self.errors();
        let kinds = self.kinds.by_size();
        let records = kinds.iter().map(|kind| kind.1.records).sum();
        let mut rows = vec![
            ("files".to_string(), self.files),
            ("bytes".to_string(), self.stats.bytes),
            ("lines".to_string(), self.stats.lines),
            ("blank lines".to_string(), self.stats.blank),
            ("longest line".to_string(), self.stats.longest_line),
            ("errors".to_string(), total),
        ];
        rows.extend(errors.into_iter().map(|(k, n)| (format!("  {k}"), n)));
        rows.push(("records".to_string(), records));
        for (name, count) in rows {
            writeln!(f, "{name:<32}{:>16}", grouped(count))?;
        }
        for ((name, subtype), count) in kinds {
            let name = name.as_deref().unwrap_or("none");
            let name = match subtype {
                Some(subtype) => format!("  {name}/{subtype}"),
                None => format!("  {name}"),
            };
            // The log chose these names: they are shown with care.
            let name = Escaped(name.as_bytes()).to_string();
            let (records, bytes) =
                (grouped(count.records), grouped(count.bytes));
            writeln!(f, "{name:<32}{records:>16}{bytes:>16} bytes")?;
        }
        for by in [By::Model, By::Tool] {
            if let Some(table) = usage::table(&self.usage, by) {
                write!(f, "\n{table}")?;
            }
        }
        Ok(())
    }
}
