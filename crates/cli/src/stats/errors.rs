//! Errors by kind.

use std::{collections::BTreeMap, io};

use linetape::{Error, ErrorKind};
use serde_json::{Value, json};

use crate::{fault::Fault, input::Input};

/// How many errors of each kind are listed.
const FIRST: usize = 3;

/// The errors by kind.
#[derive(Default)]
pub struct Errors(pub BTreeMap<ErrorKind, Noted>);

/// The errors of one kind.
#[derive(Default)]
pub struct Noted {
    pub count: u64,
    /// The first few of them.
    pub first: Vec<Fault>,
}

impl Errors {
    pub fn add(&mut self, input: &Input, error: &Error) {
        self.note(error.kind(), || Fault::of_line(&input.name(), error));
    }

    pub fn add_unopened(&mut self, input: &Input, error: &io::Error) {
        self.note(ErrorKind::Io, || Fault::of_input(&input.name(), error));
    }

    fn note(&mut self, kind: ErrorKind, fault: impl FnOnce() -> Fault) {
        let noted = self.0.entry(kind).or_default();
        noted.count += 1;
        if noted.first.len() < FIRST {
            noted.first.push(fault());
        }
    }

    /// Adds to the line numbers and the offsets.
    pub fn move_by(&mut self, lines: u64, bytes: u64) {
        let faults = self.0.values_mut().flat_map(|noted| &mut noted.first);
        faults.for_each(|fault| fault.move_by(lines, bytes));
    }

    /// Returns the errors as JSON.
    pub fn save(&self) -> Value {
        let kinds = self.0.iter().map(|(kind, noted)| {
            let first = noted.first.iter().map(Fault::to_json);
            json!([kind.as_str(), noted.count, first.collect::<Vec<_>>()])
        });
        kinds.collect()
    }

    /// Reads what [`save`](Errors::save) returned.
    pub fn load(saved: &Value) -> Option<Errors> {
        let kinds = saved.as_array()?.iter().map(|kind| {
            let [kind, count, first] = kind.as_array()?.first_chunk()?;
            let first = first.as_array()?.iter().map(Fault::from_json);
            let count = count.as_u64()?;
            let noted = Noted { count, first: first.collect::<Option<_>>()? };
            Some((kind.as_str()?.parse().ok()?, noted))
        });
        kinds.collect::<Option<_>>().map(Errors)
    }

    pub fn append(&mut self, later: Errors) {
        for (kind, later) in later.0 {
            let noted = self.0.entry(kind).or_default();
            noted.count += later.count;
            noted.first.extend(later.first);
            noted.first.truncate(FIRST);
        }
    }

    pub fn total(&self) -> u64 {
        self.0.values().map(|noted| noted.count).sum()
    }
}
