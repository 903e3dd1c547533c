//! `linetape stats`: the summary of all inputs.

mod errors;
mod kinds;
mod links;
mod report;
mod span;
mod text;

use std::io::{self, Write};

use crate::{
    blocks::{self, BlockReader, Part},
    complaints::Complaints,
    document,
    files::Files,
    input::Input,
    outcome::Outcome,
    output::Prints,
    paint::page,
};

use report::Report;

/// Prints one report on all inputs. With `peek`, lines are not decoded.
pub fn run(files: &Files, peek: bool, json: bool) -> io::Result<Outcome> {
    let mut report = Report::default();
    let mut outcome = Outcome::Fine;
    let mut complaints = Complaints::default();
    let inputs = files.inputs(Prints::AtTheEnd, &mut outcome);
    let mut has_failed = false;
    let read = |input: &Input, reader: &mut BlockReader| {
        Report::read(input, reader, peek)
    };
    blocks::for_each(files, &inputs, read, |input, part| match part {
        Part::Block { made: (mut part, end), lines_before } => {
            part.errors.move_by(lines_before);
            complaints.foreign(input, part.foreign);
            let is_bad = part.errors.has_line(1);
            if lines_before == 0 && is_bad && input.is_document() {
                complaints.document(input);
            }
            report.append(part);
            if let Err(error) = end {
                outcome.report_error(input, &error.moved_by(lines_before, 0));
                has_failed = true;
            }
        }
        Part::End => {
            report.files += u64::from(!has_failed);
            has_failed = false;
            complaints.end(input);
            report.links.add_description(input);
        }
        Part::Unopened(error) => {
            outcome.report(input, &error, Outcome::CouldNotRun);
            report.errors.add_unopened(input, &error);
        }
    });
    if json {
        document::print(&report.to_json())?;
        return Ok(outcome);
    }
    let mut page = page();
    if inputs.iter().any(|input| matches!(input, Input::Sample)) {
        writeln!(page, "The sample session. Name files to read those.\n")?;
    }
    write!(page, "{report}")?;
    page.flush()?;
    Ok(outcome)
}
