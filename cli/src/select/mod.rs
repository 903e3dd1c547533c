//! The lines that someone wants, as they stand.

mod contains;
mod filter;
mod role;
mod tool;

use std::{
    cell::RefCell,
    io::{self, BufWriter, Read, Write},
};

use crate::{
    input::{Files, Prints, Source},
    outcome::Outcome,
    output::Output,
};

pub use filter::Filter;

/// How much is written at a time.
const BUFFER: usize = 64 << 10;

type Out = BufWriter<Box<dyn Write>>;

/// Copies the lines that match, or with `count` prints how many there are. A
/// line that cannot be read is named on standard error.
pub fn run(
    files: &Files,
    filter: &Filter,
    count: bool,
    output: &Output,
) -> io::Result<Outcome> {
    let prints = match count || output.is_file() {
        true => Prints::AtTheEnd,
        false => Prints::AsItGoes,
    };
    let mut outcome = Outcome::Fine;
    let inputs = files.inputs(prints, &mut outcome);
    let Some(out) = output.open(&inputs) else {
        return Ok(Outcome::CouldNotRun);
    };
    let out = RefCell::new(BufWriter::with_capacity(BUFFER, out));
    let mut matches = 0u64;
    for input in &inputs {
        let Some(source) = outcome.open(input) else { continue };
        let source = Live { source, out: &out };
        let mut reader = files.reader().route(true).build(source);
        let mut matcher = filter.matcher();
        while let Some(line) = reader.next_line() {
            let wanted =
                line.and_then(|line| Ok((matcher.wants(&line)?, line)));
            match wanted {
                Ok((true, _)) if count => matches += 1,
                Ok((true, line)) => {
                    let mut out = out.borrow_mut();
                    out.write_all(line.as_bytes())?;
                    out.write_all(b"\n")?;
                }
                Ok((false, _)) => {}
                Err(error) => outcome.blame(input, &error),
            }
        }
    }
    let mut out = out.into_inner();
    if count {
        writeln!(out, "{matches}")?;
    }
    out.flush()?;
    Ok(outcome)
}

/// An input that may be long in coming: before it is waited for, all that has
/// been selected is written.
struct Live<'o> {
    source: Source,
    out: &'o RefCell<Out>,
}

impl Read for Live<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        // What cannot be written is kept, and fails again outside, where it
        // is no fault of the input.
        let _ = self.out.borrow_mut().flush();
        self.source.read(buf)
    }
}
