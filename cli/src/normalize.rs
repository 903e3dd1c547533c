//! Every record once more, in one canonical form.

use std::io::{self, BufWriter};

use linetape::{Reader, Writer};

use crate::{Outcome, complain, input::Input};

/// Sends each record through an owned message to standard output. A line that
/// is no record is named on standard error.
pub fn run(inputs: &[Input<'_>]) -> io::Result<Outcome> {
    let mut writer = Writer::new(BufWriter::new(io::stdout().lock()));
    let mut outcome = Outcome::Fine;
    for input in inputs {
        let source = match input.open() {
            Ok(source) => source,
            Err(error) => {
                complain(&format!("{input}: {error}"));
                outcome = Outcome::CouldNotRun;
                continue;
            }
        };
        let mut reader = Reader::new(source);
        while let Some(record) = reader.next_record() {
            match record {
                Ok(record) => writer.write(&record.into_owned())?,
                Err(error) if input.wait_if_not_ready(&error) => {}
                Err(error) => {
                    complain(&format!("{input}: {error}"));
                    let bad_line = error.is_recoverable();
                    outcome = outcome.max(match bad_line {
                        true => Outcome::Findings,
                        false => Outcome::CouldNotRun,
                    });
                }
            }
        }
    }
    writer.flush()?;
    Ok(outcome)
}
