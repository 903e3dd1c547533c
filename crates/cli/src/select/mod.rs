//! `linetape select`: copies the lines that match.

mod contains;
mod filter;
mod role;
mod tool;

use std::io::{self, IsTerminal, Write};

use linetape::Escaped;

use crate::{
    complaints::Complaints,
    files::Files,
    live::Live,
    outcome::Outcome,
    output::{Output, Prints},
};

pub use filter::Filter;

/// Copies the lines that match, or with `count` prints their number. Reports
/// invalid lines on standard error.
pub fn run(
    files: &Files,
    filter: &Filter,
    count: bool,
    output: &Output,
) -> io::Result<Outcome> {
    let prints = if count { Prints::AtTheEnd } else { output.prints() };
    let mut outcome = Outcome::Fine;
    let mut complaints = Complaints::default();
    let Some((inputs, out)) = Live::open(files, output, prints, &mut outcome)
    else {
        return Ok(Outcome::CouldNotRun);
    };
    // Programs get the bytes. A terminal would interpret control characters.
    let is_escaped = !output.is_file() && io::stdout().is_terminal();
    let mut matches = 0u64;
    for input in &inputs {
        let Some(source) = input.open_or_report(&mut outcome) else {
            continue;
        };
        let mut reader = files.reader().route(true).build(out.feed(source));
        let mut matcher = filter.matcher();
        while let Some(line) = reader.next_line() {
            let matched =
                line.and_then(|line| Ok((matcher.matches(&line)?, line)));
            match matched {
                Ok((true, _)) if count => matches += 1,
                Ok((true, line)) if is_escaped => {
                    writeln!(&out, "{}", Escaped::new(&line))?;
                }
                Ok((true, line)) => {
                    (&out).write_all(line.as_bytes())?;
                    (&out).write_all(b"\n")?;
                }
                Ok((false, _)) => {}
                Err(error) => {
                    complaints.error(input, &error, &mut outcome);
                }
            }
        }
        complaints.end(input);
    }
    if count {
        writeln!(&out, "{matches}")?;
    }
    out.finish()?;
    Ok(outcome)
}
