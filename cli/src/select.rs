//! The lines that someone wants, as they stand.

use std::io::{self, BufWriter, Write};

use clap::Args;
use linetape::{Error, Line, SessionId};

use crate::{
    input::{Files, Prints},
    outcome::Outcome,
};

/// How much is written at a time.
const BUFFER: usize = 64 << 10;

/// Which lines are wanted.
#[derive(Args)]
pub struct Filter {
    /// Only lines of this type, or of this type and subtype; given several
    /// times, of any of them
    #[arg(long = "type", value_name = "TYPE[/SUBTYPE]")]
    types: Vec<String>,
    /// Only lines of this session
    #[arg(long, value_name = "ID", allow_negative_numbers = true)]
    session: Option<String>,
    /// Only the readable lines that do not match
    #[arg(long)]
    invert: bool,
}

impl Filter {
    /// Whether a line is wanted.
    ///
    /// # Errors
    ///
    /// When the line cannot be read, so that nobody knows.
    fn wants(&self, line: &Line<'_>) -> Result<bool, Error> {
        // Even if no type is asked for: no filter wants a bad line.
        let kind = line.kind()?;
        let right_type = self.types.is_empty()
            || self.types.iter().any(|pattern| kind.matches(pattern));
        let matches = right_type
            && match &self.session {
                Some(session) => is_of(line, session)?,
                None => true,
            };
        Ok(matches != self.invert)
    }
}

/// Whether a line belongs to a session.
fn is_of(line: &Line<'_>, session: &str) -> Result<bool, Error> {
    Ok(match line.peek()?.session_id() {
        Some(SessionId::Str(id)) => id == session,
        Some(SessionId::Int(id)) => id.to_string() == session,
        None => false,
    })
}

/// Copies the lines that `filter` wants to standard output. A line that cannot
/// be read is named on standard error.
pub fn run(files: &Files, filter: &Filter) -> io::Result<Outcome> {
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    let mut outcome = Outcome::Fine;
    for input in files.inputs(Prints::AsItGoes, &mut outcome) {
        let Some(source) = outcome.open(&input) else { continue };
        let mut reader = files.reader().route(true).build(source);
        while let Some(line) = reader.next_line() {
            let wanted =
                line.and_then(|line| Ok((filter.wants(&line)?, line)));
            match wanted {
                Ok((true, line)) => {
                    out.write_all(line.as_bytes())?;
                    out.write_all(b"\n")?;
                    // The next line may be long in coming.
                    if !reader.buffer().contains(&b'\n') {
                        out.flush()?;
                    }
                }
                Ok((false, _)) => {}
                Err(error) => outcome.blame(&input, &error),
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}
