//! The report on what some files hold.

use std::{collections::BTreeMap, fmt, thread, time::Duration};

use linetape::{Error, ErrorKind, Reader, Stats};
use serde_json::{Map, Value, json};

use crate::input::Input;

#[derive(Default)]
pub struct Report {
    /// How many inputs were read to their end.
    files: u64,
    stats: Stats,
    /// How many inputs could not even be opened: I/O errors too.
    unopened: u64,
    sample: bool,
}

impl Report {
    /// Adds what `input` holds.
    ///
    /// # Errors
    ///
    /// When it cannot be read to its end. What could be read is counted.
    pub fn read(&mut self, input: &Input<'_>) -> Result<(), String> {
        let source = input.open().map_err(|error| {
            self.unopened += 1;
            error.to_string()
        })?;
        self.sample |= matches!(input, Input::Sample);
        let mut reader = Reader::new(source);
        let mut failure = None;
        while let Some(line) = reader.next_line() {
            match line {
                Ok(_) => {}
                Err(error) if !error.is_recoverable() => failure = Some(error),
                Err(error) => wait_if_not_ready(&error),
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
    pub fn to_json(&self) -> Value {
        let Stats { lines, bytes, blank, longest_line, .. } = self.stats;
        let (by_kind, total) = self.errors();
        let by_kind: Map<String, Value> = by_kind
            .into_iter()
            .map(|(kind, count)| (kind.to_string(), count.into()))
            .collect();
        json!({
            "files": self.files,
            "bytes": bytes,
            "lines": lines,
            "blank": blank,
            "longest_line": longest_line,
            "errors": { "total": total, "by_kind": by_kind },
        })
    }
}

/// A source that has nothing to give yet is asked again a little later.
fn wait_if_not_ready(error: &Error) {
    if error.io_error().is_some() {
        thread::sleep(Duration::from_millis(5));
    }
}

/// The report for a person.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sample {
            writeln!(f, "The sample session. Name files to read those.\n")?;
        }
        let (errors, total) = self.errors();
        let mut rows = vec![
            ("files".to_string(), self.files),
            ("bytes".to_string(), self.stats.bytes),
            ("lines".to_string(), self.stats.lines),
            ("blank lines".to_string(), self.stats.blank),
            ("longest line".to_string(), self.stats.longest_line),
            ("errors".to_string(), total),
        ];
        rows.extend(
            errors.into_iter().map(|(kind, n)| (format!("  {kind}"), n)),
        );
        for (name, count) in rows {
            writeln!(f, "{name:<16}{:>16}", grouped(count))?;
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
