//! What is wrong with some logs: lines that are no records, and messages that
//! do not hold together.

use std::io::{self, BufWriter, Read, Write};

use linetape::{
    Error, Escaped, Position, Reader,
    session::check::{Checker, Finding, Level},
};
use serde_json::{Value, json};

use crate::{
    document,
    input::{Files, Input, Prints},
    outcome::Outcome,
    paint::{BAD, ODD, painted},
    progress,
};

/// Prints every bad line and every broken rule, file by file. With `notes`,
/// what is odd but not wrong as well.
pub fn run(files: &Files, notes: bool, json: bool) -> io::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    let mut documents = vec![];
    for input in files.inputs(Prints::AtTheEnd, &mut outcome) {
        let Some(source) = outcome.open(&input) else { continue };
        let (mut faults, end) = read(files.reader().build(source));
        if let Err(error) = end {
            outcome.blame(&input, &error);
        }
        faults.retain(|fault| notes || fault.level == Level::Error);
        if faults.iter().any(|fault| fault.level == Level::Error) {
            outcome = outcome.max(Outcome::Findings);
        }
        if json {
            documents.extend(faults.iter().map(|f| f.to_json(&input)));
        } else {
            print(faults.iter().map(|fault| fault.to_line(&input)))?;
        }
    }
    if json {
        document::print(&Value::Array(documents))?;
    }
    Ok(outcome)
}

/// Prints some lines now, although there may be more to read.
fn print(lines: impl Iterator<Item = String>) -> io::Result<()> {
    progress::pause(|| {
        let mut out = BufWriter::new(anstream::stdout().lock());
        for line in lines {
            writeln!(out, "{line}")?;
        }
        out.flush()
    })
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
    fn to_json(&self, input: &Input) -> Value {
        json!({
            "file": input.to_string(),
            "line": self.position.line(),
            "byte": self.position.byte(),
            "rule": self.rule,
            "level": self.level.name(),
            "message": self.message,
        })
    }

    fn to_line(&self, input: &Input) -> String {
        let Fault { position, rule, message, .. } = self;
        let (line, byte) = (position.line(), position.byte());
        let (style, note) = match self.level {
            Level::Note => (ODD, "note: "),
            _ => (BAD, ""),
        };
        // The name of a file is as little to be trusted as a log.
        let file = input.to_string();
        let (file, message) =
            (Escaped(file.as_bytes()), Escaped(message.as_bytes()));
        let rule = painted(style, rule);
        format!("{file}:{line}:{byte} {rule} {note}{message}")
    }
}
