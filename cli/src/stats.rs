//! The report on what some files hold.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Write},
};

use linetape::{ErrorKind, Escaped, Kind, Reader, Stats};
use serde_json::{Map, Value, json};

use crate::{Outcome, complain, input::Input};

/// Prints the report on all inputs together.
pub fn run(inputs: &[Input<'_>], json: bool) -> io::Result<Outcome> {
    let mut report = Report::default();
    let mut outcome = Outcome::Fine;
    for input in inputs {
        if let Err(error) = report.read(input) {
            complain(&format!("{input}: {error}"));
            outcome = Outcome::CouldNotRun;
        }
    }
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", report.to_json())?;
    } else {
        write!(out, "{report}")?;
    }
    out.flush()?;
    Ok(outcome)
}

#[derive(Default)]
struct Report {
    /// How many inputs were read to their end.
    files: u64,
    stats: Stats,
    /// How many inputs could not even be opened: I/O errors too.
    unopened: u64,
    kinds: Kinds,
    sample: bool,
}

impl Report {
    /// Adds what `input` holds.
    ///
    /// # Errors
    ///
    /// When it cannot be read to its end. What could be read is counted.
    fn read(&mut self, input: &Input<'_>) -> Result<(), String> {
        let source = input.open().map_err(|error| {
            self.unopened += 1;
            error.to_string()
        })?;
        self.sample |= matches!(input, Input::Sample);
        let mut reader = Reader::new(source);
        let mut failure = None;
        loop {
            let counted = match reader.next_record() {
                None => break,
                Some(Ok(record)) => {
                    let count = self.kinds.entry(record.kind());
                    count.records += 1;
                    Some((count, record.position().byte()))
                }
                Some(Err(error)) if input.wait_if_not_ready(&error) => None,
                Some(Err(error)) if error.is_recoverable() => None,
                Some(Err(error)) => {
                    failure = Some(error);
                    None
                }
            };
            // The record's bytes are those of its line and the terminator.
            if let Some((count, start)) = counted {
                count.bytes += reader.position().byte() - start;
            }
        }
        self.stats += reader.stats();
        match failure {
            Some(error) => Err(error.to_string()),
            None => {
                self.files += 1;
                Ok(())
            }
        }
    }

    /// The errors by kind, and how many there are in all.
    fn errors(&self) -> (Vec<(ErrorKind, u64)>, u64) {
        let mut by_kind: BTreeMap<_, _> = self.stats.errors.iter().collect();
        if self.unopened > 0 {
            *by_kind.entry(ErrorKind::Io).or_default() += self.unopened;
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
        json!({
            "files": self.files,
            "bytes": bytes,
            "lines": lines,
            "blank": blank,
            "records": kinds.iter().map(|k| k.1.records).sum::<u64>(),
            "kinds": kinds.iter().map(kind).collect::<Vec<_>>(),
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
        Ok(())
    }
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_grouped_in_threes() {
        let shown = [0, 999, 1_000, 123_456, u64::MAX].map(grouped);
        let expected =
            ["0", "999", "1,000", "123,456", "18,446,744,073,709,551,615"];
        assert_eq!(shown, expected);
    }
}
