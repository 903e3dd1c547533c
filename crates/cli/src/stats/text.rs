//! The report of `linetape stats` as text.

use std::fmt;

use linetape::Escaped;

use crate::{
    owner::label,
    paint::{BAD, HEAD, painted},
    stats::report::Report,
    table::{Cell, Table, grouped},
    usage,
};

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts = vec![
            ("files", self.files),
            ("bytes", self.stats.bytes),
            ("lines", self.stats.lines),
            ("blank lines", self.stats.blank),
            ("longest line", self.stats.longest_line),
            ("records", self.kinds.records()),
            ("sessions", self.sessions.len() as u64),
            ("errors", self.errors.total()),
        ];
        // These are only printed if they are not zero.
        counts.extend(
            [
                ("noise lines", self.stats.noise),
                ("salvaged", self.stats.salvaged),
                ("bytes lost", self.stats.lost),
            ]
            .into_iter()
            .filter(|(_, count)| *count > 0),
        );
        if self.has_only_kinds {
            counts.retain(|(name, _)| *name != "sessions");
        }
        for (name, count) in counts {
            let count = format!("{:>15}", grouped(count));
            let is_bad = name == "errors" && self.errors.total() > 0;
            let style = if is_bad { BAD } else { HEAD };
            writeln!(f, "{name:<13} {}", painted(style, &count))?;
        }
        if let (Some(first), Some(last)) = (&self.span.first, &self.span.last)
        {
            for (name, moment) in [("from", first), ("to", last)] {
                let text = Escaped::new(&moment.text).to_string();
                writeln!(f, "{name:<13} {}", painted(HEAD, &text))?;
            }
        }
        let links = self.links.to_lines();
        if !links.is_empty() {
            writeln!(f)?;
        }
        for link in links {
            writeln!(f, "{}", Escaped::new(&link))?;
        }
        self.write_errors(f)?;
        self.write_kinds(f)?;
        let by_model = usage::table_by_model(&self.usage);
        let tables = [by_model, usage::reported_table(&self.usage)];
        for table in tables.into_iter().flatten() {
            write!(f, "\n{table}")?;
        }
        let warnings = [
            usage::beside(&self.usage),
            usage::placeholder_warning(&self.usage, true),
            usage::unknown_cost_warning(&self.usage),
        ];
        for warning in warnings.into_iter().flatten() {
            writeln!(f, "{warning}")?;
        }
        self.write_tools(f)
    }
}

impl Report {
    fn write_errors(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, noted) in &self.errors.0 {
            let count = grouped(noted.count);
            let head = format!("{kind}: {count}");
            writeln!(f, "\n{}", painted(BAD, &head))?;
            for fault in &noted.first {
                writeln!(f, "  {}", fault.to_line())?;
            }
            let more = noted.count - noted.first.len() as u64;
            if more > 0 {
                writeln!(f, "  and {} more", grouped(more))?;
            }
        }
        Ok(())
    }

    fn write_kinds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(&["type", "records", "bytes"]);
        let kinds = self.kinds.by_size();
        if kinds.is_empty() {
            return Ok(());
        }
        for kind in kinds {
            let [name, subtype, of] =
                [&kind.name, &kind.subtype, &kind.of].map(Option::as_deref);
            let name = label(name, subtype, of);
            let (records, bytes) = (kind.records.into(), kind.bytes.into());
            table.row([Cell::Text(name), records, bytes]);
        }
        write!(f, "\n{table}")
    }

    /// Writes the tools. Their token usage is in `linetape usage --by tool`.
    fn write_tools(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(&["tool", "calls", "failed"]);
        let tools = self.usage.by_tool();
        if tools.is_empty() {
            return Ok(());
        }
        for tool in tools {
            let name = Escaped::new(tool.name.unwrap_or("none"));
            let (calls, failed) = (tool.calls.into(), tool.errors.into());
            table.row([Cell::Text(name.to_string()), calls, failed]);
        }
        write!(f, "\n{table}")
    }
}
