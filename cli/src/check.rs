//! What is wrong with some logs: lines that are no records, and messages that
//! do not hold together.

use std::io::{self, BufWriter, Read, Write};

use linetape::{
    Error, Escaped, Position, Reader,
    session::check::{Checker, Finding, Level},
};
use serde_json::{Value, json};

use crate::{
    input::{Files, Input},
    outcome::Outcome,
};

/// Prints every bad line and every broken rule, file by file. With `notes`,
/// what is odd but not wrong as well.
pub fn run(files: &Files, notes: bool, json: bool) -> io::Result<Outcome> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut outcome = Outcome::Fine;
    let mut documents = vec![];
    for input in files.inputs() {
        let Some(source) = outcome.open(&input) else { continue };
        let (mut faults, end) = read(files.reader().build(source));
        if let Err(error) = end {
            outcome.blame(&input, &error);
        }
        faults.retain(|fault| notes || fault.level == Level::Error);
        if faults.iter().any(|fault| fault.level == Level::Error) {
            outcome = outcome.max(Outcome::Findings);
        }
        for fault in faults {
            match json {
                true => documents.push(fault.to_json(&input)),
                false => writeln!(out, "{}", fault.to_line(&input))?,
            }
        }
    }
    if json {
        writeln!(out, "{}", Value::Array(documents))?;
    }
    out.flush()?;
    Ok(outcome)
}

/// What is wrong with a log, in its order, and whether it could be read to its
/// end.
fn read(mut reader: Reader<impl Read>) -> (Vec<Fault>, Result<(), Error>) {
    let mut checker = Checker::new();
    let mut faults = vec![];
    let mut end = Ok(());
    while let Some(line) = reader.next_line() {
        let added = line.and_then(|line| {
            line.check()?;
            checker.add(line.peek()?, line.position());
            Ok(())
        });
        match added {
            Ok(()) => {}
            Err(error) if error.is_recoverable() => faults.push(error.into()),
            Err(error) => end = Err(error),
        }
    }
    faults.extend(checker.finish().into_iter().map(Fault::from));
    faults.sort_by_key(|fault| fault.position.byte());
    (faults, end)
}

/// A bad line, or a broken rule.
struct Fault {
    position: Position,
    level: Level,
    rule: String,
    message: String,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        let position = error.position();
        let text = error.to_string();
        let place = format!("{position}: ");
        Fault {
            position,
            level: Level::Error,
            rule: error.kind().to_string(),
            message: text.strip_prefix(&place).unwrap_or(&text).to_string(),
        }
    }
}

impl From<Finding> for Fault {
    fn from(finding: Finding) -> Fault {
        let mut message = finding.message;
        if finding.and_more > 0 {
            message += &format!(" (and {} more)", finding.and_more);
        }
        Fault {
            position: finding.position,
            level: finding.level,
            rule: finding.rule.to_string(),
            message,
        }
    }
}

impl Fault {
    fn to_json(&self, input: &Input<'_>) -> Value {
        json!({
            "file": input.to_string(),
            "line": self.position.line(),
            "byte": self.position.byte(),
            "rule": self.rule,
            "level": self.level.name(),
            "message": self.message,
        })
    }

    fn to_line(&self, input: &Input<'_>) -> String {
        let Fault { position, rule, message, .. } = self;
        let (line, byte) = (position.line(), position.byte());
        let note = match self.level {
            Level::Note => "note: ",
            _ => "",
        };
        let text = format!("{input}:{line}:{byte} {rule} {note}{message}");
        // The name of a file is as little to be trusted as a log.
        Escaped(text.as_bytes()).to_string()
    }
}
