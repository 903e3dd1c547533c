//! What is wrong with some logs: lines that are no records, and messages that
//! do not hold together.

use std::io::{self, BufWriter, Read, Write};

use linetape::{
    Error, Reader,
    session::check::{Checker, Level},
};
use serde_json::Value;

use crate::{
    document,
    fault::Fault,
    input::{Files, Input, Prints},
    outcome::Outcome,
    progress,
};

/// Prints every bad line and every broken rule, file by file. With `notes`,
/// what is odd but not wrong as well.
pub fn run(files: &Files, notes: bool, json: bool) -> io::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    let mut documents = vec![];
    for input in files.inputs(Prints::AtTheEnd, &mut outcome) {
        let Some(source) = outcome.open(&input) else { continue };
        let (mut faults, end) = read(&input, files.reader().build(source));
        if let Err(error) = end {
            outcome.blame(&input, &error);
        }
        faults.retain(|fault| notes || fault.level == Level::Error);
        if faults.iter().any(|fault| fault.level == Level::Error) {
            outcome = outcome.max(Outcome::Findings);
        }
        if json {
            documents.extend(faults.iter().map(Fault::to_json));
        } else {
            print(faults.iter().map(Fault::to_line))?;
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
fn read(
    input: &Input,
    mut reader: Reader<impl Read>,
) -> (Vec<Fault>, Result<(), Error>) {
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
            Err(error) if error.is_recoverable() => {
                faults.push(Fault::of_line(input, &error))
            }
            Err(error) => end = Err(error),
        }
    }
    faults.extend(
        checker.finish().into_iter().map(|f| Fault::of_session(input, f)),
    );
    faults.sort_by_key(|fault| fault.position.byte());
    (faults, end)
}
