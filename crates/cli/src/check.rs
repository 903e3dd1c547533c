//! `linetape check`: bad lines, and messages that break a rule.

use std::{
    io::{self, BufWriter, Read, Write},
    sync::Arc,
};

use linetape::{Error, Level, Reader};

use linetape_session::{
    Foreign,
    check::{self, Checker},
};

use crate::{
    document, fault::Fault, files::Files, outcome::Outcome, output::Prints,
    progress, recognised::report_foreign,
};

/// Prints every bad line and every broken rule, file by file. With
/// `notes`, prints notes as well.
///
/// The faults of a file are kept in memory until its end, since some of them
/// are only known then.
///
/// If standard output is a closed pipe, stops and returns the outcome so far.
pub fn run(files: &Files, notes: bool, json: bool) -> io::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    match print_faults(files, notes, json, &mut outcome) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(outcome),
        printed => printed.map(|()| outcome),
    }
}

fn print_faults(
    files: &Files,
    notes: bool,
    json: bool,
    outcome: &mut Outcome,
) -> io::Result<()> {
    let mut list = List { json, is_begun: false };
    for input in files.inputs(Prints::AtTheEnd, outcome) {
        let name = input.name();
        let source = match input.open() {
            Ok(source) => source,
            Err(error) => {
                outcome.report(&input, &error, Outcome::CouldNotRun);
                if json {
                    list.print(&[Fault::of_input(&name, &error)])?;
                }
                continue;
            }
        };
        let mut foreign = None;
        let reader = files.reader(Level::Checked).build(source);
        let (mut faults, end) = read(&name, reader, &mut foreign);
        if let Some(program) = foreign {
            report_foreign(&input, program);
        }
        if let Err(error) = end {
            outcome.report_error(&input, &error);
        }
        faults.retain(|fault| notes || fault.level == check::Level::Error);
        if faults.iter().any(|fault| fault.level == check::Level::Error) {
            *outcome = Outcome::Findings.max(*outcome);
        }
        list.print(&faults)?;
    }
    list.end()
}

/// The printed list of faults: lines, or one JSON array.
struct List {
    json: bool,
    /// Whether a fault has been printed.
    is_begun: bool,
}

impl List {
    /// Prints the faults of one input.
    fn print(&mut self, faults: &[Fault]) -> io::Result<()> {
        progress::pause(|| {
            let mut out = BufWriter::new(anstream::stdout().lock());
            for fault in faults {
                match (self.json, self.is_begun) {
                    (false, _) => writeln!(out, "{}", fault.to_line())?,
                    (true, false) => out.write_all(b"[")?,
                    (true, true) => out.write_all(b",")?,
                }
                if self.json {
                    out.write_all(&document::written(&fault.to_json())?)?;
                }
                self.is_begun = true;
            }
            out.flush()
        })
    }

    fn end(self) -> io::Result<()> {
        match (self.json, self.is_begun) {
            (false, _) => Ok(()),
            (true, false) => writeln!(io::stdout(), "[]"),
            (true, true) => writeln!(io::stdout(), "]"),
        }
    }
}

/// Returns the faults of a log, in the order of its lines, and the error that
/// ended it early. Sets the program that wrote it, if linetape does not know
/// its format.
fn read(
    name: &Arc<str>,
    mut reader: Reader<impl Read>,
    foreign: &mut Option<Foreign>,
) -> (Vec<Fault>, Result<(), Error>) {
    let mut checker = Checker::new();
    let mut faults = vec![];
    let mut end = Ok(());
    while let Some(line) = reader.next_line() {
        let added = line.and_then(|line| {
            let message = line.checked()?;
            checker.add(message, line.position());
            *foreign = foreign.or_else(|| Foreign::of(message));
            Ok(())
        });
        match added {
            Ok(()) => {}
            Err(error) if error.is_recoverable() => {
                faults.push(Fault::of_line(name, &error));
            }
            Err(error) => end = Err(error),
        }
    }
    let findings = checker.finish().into_iter();
    faults.extend(findings.map(|f| Fault::of_session(name, f)));
    faults.sort_by_key(|fault| fault.position.byte());
    (faults, end)
}
