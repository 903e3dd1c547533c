//! The lines that someone wants, as they stand.

mod contains;
mod filter;
mod role;
mod tool;

use std::io::{self, IsTerminal, Write};

use linetape::Escaped;

use crate::{
    files::Files,
    live::Live,
    outcome::Outcome,
    output::{Output, Prints},
};

pub use filter::Filter;

/// Copies the lines that match, or with `count` prints how many there are. A
/// line that cannot be read is named on standard error.
pub fn run(
    files: &Files,
    filter: &Filter,
    count: bool,
    output: &Output,
) -> io::Result<Outcome> {
    let prints = if count { Prints::AtTheEnd } else { output.prints() };
    let mut outcome = Outcome::Fine;
    let Some((inputs, out)) = Live::open(files, output, prints, &mut outcome)
    else {
        return Ok(Outcome::CouldNotRun);
    };
    // A program wants the bytes. A person's terminal would obey them.
    let is_shown = !output.is_file() && io::stdout().is_terminal();
    let mut matches = 0u64;
    for input in &inputs {
        let Some(source) = input.open_or_report(&mut outcome) else {
            continue;
        };
        let mut reader = files.reader().route(true).build(out.feed(source));
        let mut matcher = filter.matcher();
        while let Some(line) = reader.next_line() {
            let wanted =
                line.and_then(|line| Ok((matcher.wants(&line)?, line)));
            match wanted {
                Ok((true, _)) if count => matches += 1,
                Ok((true, line)) if is_shown => {
                    writeln!(&out, "{}", Escaped::new(&line))?;
                }
                Ok((true, line)) => {
                    (&out).write_all(line.as_bytes())?;
                    (&out).write_all(b"\n")?;
                }
                Ok((false, _)) => {}
                Err(error) => outcome.report_error(input, &error),
            }
        }
    }
    if count {
        writeln!(&out, "{matches}")?;
    }
    out.finish()?;
    Ok(outcome)
}
