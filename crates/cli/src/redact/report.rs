//! The report of what was found: rules and positions, but never the secrets
//! themselves.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use linetape::{Escaped, Position};
use linetape_redact::Redactor;
use serde_json::json;

use crate::{document, progress};

/// Counts findings, and prints or keeps them.
#[derive(Default)]
pub struct Report {
    /// Whether each finding is printed.
    is_printed: bool,
    /// Whether each finding is kept for a document.
    is_kept: bool,
    found: u64,
    by_rule: BTreeMap<String, u64>,
    /// The findings as the items of a JSON array, because values would take
    /// twenty times the memory.
    kept: Vec<u8>,
    files: u64,
    changed_files: u64,
    bad_lines: u64,
}

impl Report {
    pub fn new(is_printed: bool, is_kept: bool) -> Report {
        Report { is_printed, is_kept, ..Report::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.found == 0
    }

    pub fn bad_line(&mut self) {
        self.bad_lines += 1;
    }

    /// Adds the findings of a redactor, in a file, and clears them.
    pub fn take(
        &mut self,
        file: &str,
        redactor: &mut Redactor,
    ) -> io::Result<()> {
        self.take_at(file, redactor, |position| position)
    }

    /// Adds the findings in the name of a file. Their position is line 0.
    pub fn take_name(
        &mut self,
        file: &str,
        redactor: &mut Redactor,
    ) -> io::Result<()> {
        self.take_at(file, redactor, |_| Position::new(0, 0))
    }

    fn take_at(
        &mut self,
        file: &str,
        redactor: &mut Redactor,
        at: impl Fn(Position) -> Position,
    ) -> io::Result<()> {
        for finding in redactor.findings() {
            self.found += 1;
            match self.by_rule.get_mut(finding.rule) {
                Some(count) => *count += 1,
                None => {
                    self.by_rule.insert(finding.rule.to_string(), 1);
                }
            }
            let position = at(finding.position);
            let (line, byte) = (position.line(), position.byte());
            if self.is_printed {
                let (file, rule) = (Escaped::new(file), finding.rule);
                let rule = Escaped::new(rule);
                writeln!(io::stdout(), "{file}:{line}:{byte} {rule}")?;
            }
            if self.is_kept {
                let finding = json!({
                    "file": file,
                    "line": line,
                    "byte": byte,
                    "rule": finding.rule,
                });
                if !self.kept.is_empty() {
                    self.kept.push(b',');
                }
                self.kept.extend(document::written(&finding)?);
            }
        }
        redactor.clear_findings();
        Ok(())
    }

    /// Ends a file. `before` is the number of findings before the file.
    pub fn end_file(&mut self, before: u64) {
        self.files += 1;
        self.changed_files += u64::from(self.found > before);
    }

    pub fn count(&self) -> u64 {
        self.found
    }

    /// Prints all as one JSON document.
    pub fn print(&self) -> io::Result<()> {
        let document = json!({
            "files": self.files,
            "changed_files": self.changed_files,
            "bad_lines": self.bad_lines,
            "found": self.found,
            "by_rule": self.by_rule,
        });
        if !self.is_kept {
            return document::print(&document);
        }
        let mut head = document::written(&document)?;
        head.pop();
        progress::end();
        let mut out = io::stdout().lock();
        out.write_all(&head)?;
        out.write_all(b",\"findings\":[")?;
        out.write_all(&self.kept)?;
        out.write_all(b"]}\n")?;
        out.flush()
    }
}
