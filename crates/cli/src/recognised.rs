//! Whether the inputs are logs of an agent that linetape knows.

use linetape::Message;
use linetape_session::Foreign;

use crate::{
    input::Input,
    outcome::{Outcome, print_message},
    table::grouped,
};

/// Counts of the records of some inputs, or of a part of one.
#[derive(Clone, Copy, Default)]
pub struct Recognised {
    records: u64,
    /// The records with a type that linetape knows.
    known: u64,
    /// The records of other programs, and one of these programs.
    foreign: u64,
    program: Option<Foreign>,
}

impl Recognised {
    /// Counts a record.
    pub fn add(&mut self, message: Message<'_>) {
        self.records += 1;
        self.known += u64::from(!matches!(message, Message::Unknown(_)));
        if let Some(program) = Foreign::of(message) {
            self.foreign += 1;
            self.program.get_or_insert(program);
        }
    }

    /// Adds the counts of another part of the same input.
    pub fn append(&mut self, other: Recognised) {
        self.records += other.records;
        self.known += other.known;
        self.foreign += other.foreign;
        self.program = self.program.or(other.program);
    }

    /// Returns whether the records are those of a known agent. Other programs
    /// have a few types with the same names.
    fn is_known(&self) -> bool {
        self.known > 0 && self.known >= self.foreign
    }
}

/// All inputs with records.
#[derive(Default)]
pub struct Recognition {
    inputs: u64,
    /// The first input.
    name: String,
    records: u64,
    /// Inputs with records of other programs, which are reported at the end.
    foreign: Vec<(String, Foreign)>,
    is_known: bool,
}

impl Recognition {
    /// Adds the counts of an input that was read to its end.
    pub fn add(&mut self, input: &Input, counts: Recognised) {
        if counts.records == 0 {
            return;
        }
        if self.inputs == 0 {
            self.name = input.to_string();
        }
        self.inputs += 1;
        self.records += counts.records;
        self.is_known |= counts.is_known();
        let program =
            counts.program.map(|program| (input.to_string(), program));
        self.foreign.extend(program);
    }

    /// Adds other inputs.
    pub fn append(&mut self, other: Recognition) {
        if self.inputs == 0 {
            self.name = other.name;
        }
        self.inputs += other.inputs;
        self.records += other.records;
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
        let program = match self.foreign.first() {
            Some((_, program)) => format!(" (looks like {program})"),
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
            print_message(&format!(
                "{input}: has lines of {program}, whose contents linetape does \
                 not know"
            ));
        }
    }
}
