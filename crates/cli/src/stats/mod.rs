//! `linetape stats`: the summary of all inputs.

mod errors;
mod kinds;
mod level;
mod links;
mod report;
mod saved;
mod span;
mod text;

use std::io::{self, Write};

use crate::{
    blocks::{self, BlockReader, Part},
    document,
    files::Files,
    input::Input,
    outcome::{Outcome, print_message},
    output::Prints,
    paint::page,
    recognised::report_foreign,
    state::{State, StateFile, is_final},
};

use errors::Errors;
pub use level::Level;
use report::Report;

/// Prints one report on all inputs. With a state, only new lines are read.
pub fn run(
    files: &Files,
    level: Level,
    json: bool,
    state: &StateFile,
) -> io::Result<Outcome> {
    let option = match level {
        Level::Skim => Some("--skim"),
        Level::Peek => Some("--peek"),
        Level::Decode => None,
    };
    let arguments = ["stats"].into_iter().chain(option);
    let arguments = arguments.map(str::to_string).chain(files.arguments());
    let Ok(mut state) = state.open(arguments.collect()) else {
        return Ok(Outcome::CouldNotRun);
    };
    let mut report = match state.as_mut().map(load).transpose() {
        Ok(report) => report.unwrap_or_default(),
        Err(outcome) => return Ok(outcome),
    };
    let mut outcome = Outcome::Fine;
    let mut inputs = files.inputs(Prints::AtTheEnd, &mut outcome);
    if let Some(state) = &mut state {
        let is_anew;
        (inputs, is_anew) = state.plan_totals(inputs, &mut outcome);
        if is_anew {
            report = Report::default();
        }
        let waiting = &mut report.links.waiting;
        let renamed = state.renamed(|key| waiting.remove(key));
        waiting.extend(renamed);
    }
    report.has_only_kinds = level == Level::Skim;
    // Otherwise, nothing is saved: the next run reads the same lines again.
    let mut is_read = true;
    // The next run tries to open these again.
    let mut unopened = Errors::default();
    let (mut has_failed, mut has_document, mut foreign) = (false, false, None);
    let read = |input: &Input, reader: &mut BlockReader| {
        Report::read(input, reader, level)
    };
    blocks::for_each(files, &inputs, level.prepared(), read, |input, part| {
        match part {
            Part::Block { made: (mut part, end), lines_before } => {
                part.errors.move_by(lines_before, 0);
                if let (Some(program), None) = (part.foreign, foreign) {
                    report_foreign(input, program);
                    foreign = Some(program);
                }
                if part.stats.document_lines > 0 && !has_document {
                    print_message(&format!(
                        "{input}: a JSON document over several lines; \
                         expected one JSON object on each line"
                    ));
                    has_document = true;
                }
                report.append(part, &input.key());
                if let Err(error) = end {
                    let error = error.moved_by(lines_before, 0);
                    outcome.report_error(input, &error);
                    has_failed = true;
                    is_read &= is_final(&error);
                }
            }
            Part::End => {
                let is_whole = !std::mem::take(&mut has_failed);
                report.files += u64::from(is_whole && input.is_new());
                (foreign, has_document) = (None, false);
                if level != Level::Skim {
                    report.links.add_description(input);
                }
            }
            Part::Unopened(error) => {
                outcome.report(input, &error, Outcome::CouldNotRun);
                unopened.add_unopened(input, &error);
                if let Some(state) = &mut state {
                    state.fail(input);
                }
            }
        }
    });
    if let Some(state) = state.as_mut().filter(|_| is_read) {
        state.save(|| report.save(), &mut outcome);
    }
    report.errors.append(unopened);
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

/// Returns the report of all runs so far.
fn load(state: &mut State) -> Result<Report, Outcome> {
    match state.take_saved() {
        None => Ok(Report::default()),
        Some((document, bytes)) => {
            Report::load(&document, bytes).map_err(|e| state.refuse(&e))
        }
    }
}
