//! `linetape schema`: every path of every kind of record.

mod contents;
mod counts;
mod known;
mod path;
mod report;
mod tree;

use std::io::{self, Write};

use crate::{
    document, files::Files, outcome::Outcome, output::Prints, paint::page,
    records::for_each,
};

use contents::Contents;
use known::Known;
use report::Report;

/// Prints the paths of all records in all inputs.
pub fn run(files: &Files, json: bool) -> io::Result<Outcome> {
    let mut contents = Contents::default();
    let outcome = for_each(files, Prints::AtTheEnd, |line| {
        contents.add(line.checked()?);
        Ok(())
    })?;
    let report = Report::new(&contents);
    if json {
        document::print(&report.to_json())?;
        return Ok(outcome);
    }
    let mut page = page();
    write!(page, "{report}")?;
    page.flush()?;
    Ok(outcome)
}

/// Prints the names that linetape knows.
pub fn print_known(json: bool) -> io::Result<Outcome> {
    let known = Known::new();
    if json {
        document::print(&known.to_json())?;
        return Ok(Outcome::Fine);
    }
    let mut page = page();
    write!(page, "{known}")?;
    page.flush()?;
    Ok(Outcome::Fine)
}
