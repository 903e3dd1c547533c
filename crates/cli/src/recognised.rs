//! Whether the inputs are logs of an agent that linetape knows.

use std::fmt;

use linetape::{Line, Message};
use linetape_session::Foreign;
use serde::{Deserialize, Serialize};

use crate::{
    input::Input,
    outcome::{Outcome, print_message},
    table::grouped,
};

/// Types that other agents use, too.
const SHARED: [&str; 4] = ["result", "error", "tool_use", "tool_result"];

/// Reports that another program wrote lines of an input.
pub fn report_foreign(input: &dyn fmt::Display, program: Foreign) {
    print_message(&format!(
        "{input}: has lines of {program}, whose contents linetape does not know"
    ));
}

/// What the records of an input, or of a part of one, are.
#[derive(Clone, Copy, Default)]
pub struct Recognised {
    records: u64,
    /// Whether a record has a type that linetape knows, and that no other
    /// program uses.
    is_known: bool,
    /// Whether a record has a type that linetape knows.
    is_perhaps_known: bool,
    /// A program that wrote records, and whose format linetape does not know.
    program: Option<Foreign>,
}

impl Recognised {
    /// Adds a record.
    pub fn add(&mut self, message: Message<'_>) {
        self.records += 1;
        if let Message::Unknown(_) = message {
            self.program = self.program.or_else(|| Foreign::of(message));
            return;
        }
        self.is_perhaps_known = true;
        self.is_known = self.is_known
            || !SHARED.iter().any(|name| message.kind().is(name));
    }

    /// Adds the record of a line, if it is one.
    pub fn add_line(&mut self, line: &Line<'_>) {
        if let Ok(message) = line.peek() {
            self.add(message);
        }
    }

    /// Adds another part of the same input.
    pub fn append(&mut self, other: Recognised) {
        self.records += other.records;
        self.is_known |= other.is_known;
        self.is_perhaps_known |= other.is_perhaps_known;
        self.program = self.program.or(other.program);
    }

    /// Returns whether there are records of a known agent.
    fn is_known(&self) -> bool {
        self.is_known || self.is_perhaps_known && self.program.is_none()
    }
}

/// All inputs. The next run with a state has to know them.
#[derive(Default, Serialize, Deserialize)]
pub struct Recognition {
    inputs: u64,
    /// The first input with records.
    name: String,
    records: u64,
    /// What the first input of another program looks like.
    program: Option<String>,
    /// Inputs with records of other programs, which are reported at the end.
    #[serde(skip)]
    foreign: Vec<(String, Foreign)>,
    is_known: bool,
}

impl Recognition {
    /// Adds the counts of an input that was read to its end.
    pub fn add(&mut self, input: &Input, counts: Recognised) {
        self.inputs += u64::from(input.is_new());
        if counts.records == 0 {
            return;
        }
        if self.name.is_empty() {
            self.name = input.to_string();
        }
        self.records += counts.records;
        self.is_known |= counts.is_known();
        if let Some(program) = counts.program {
            self.foreign.push((input.to_string(), program));
            self.program.get_or_insert_with(|| program.to_string());
        }
    }

    /// Adds other inputs.
    pub fn append(&mut self, other: Recognition) {
        if self.name.is_empty() {
            self.name = other.name;
        }
        self.inputs += other.inputs;
        self.records += other.records;
        self.program = self.program.take().or(other.program);
        self.foreign.extend(other.foreign);
        self.is_known |= other.is_known;
    }

    /// Returns whether there are records, and none is of a known agent. Reports
    /// what they look like, or the inputs that have records of other programs.
    pub fn is_foreign(&self, outcome: &mut Outcome) -> bool {
        if self.records == 0 || self.is_known {
            self.tell();
            return false;
        }
        let inputs = match self.inputs {
            1 => self.name.clone(),
            count => format!("{} inputs", grouped(count)),
        };
        let records = match self.records {
            1 => "1 record, which is not".to_string(),
            count => format!("{} records, none", grouped(count)),
        };
        let program = match &self.program {
            Some(program) => format!(" (looks like {program})"),
            None => String::new(),
        };
        print_message(&format!(
            "{inputs}: {records} of a known agent{program}"
        ));
        *outcome = Outcome::CouldNotRun.max(*outcome);
        true
    }

    /// Reports the inputs that have records of other programs.
    pub fn tell(&self) {
        for (input, program) in &self.foreign {
            report_foreign(input, *program);
        }
    }
}
