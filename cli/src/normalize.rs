//! Every record once more, in one canonical form.

use std::io::{self, BufWriter};

use linetape::Writer;

use crate::{
    input::{Files, Prints},
    outcome::Outcome,
};

/// Sends each record through an owned message to standard output. A line that
/// is no record is named on standard error.
pub fn run(files: &Files) -> io::Result<Outcome> {
    let mut writer = Writer::new(BufWriter::new(io::stdout().lock()));
    let mut outcome = Outcome::Fine;
    for input in files.inputs(Prints::AsItGoes, &mut outcome) {
        let Some(source) = outcome.open(&input) else { continue };
        let mut reader = files.reader().build(source);
        while let Some(record) = reader.next_record() {
            match record {
                Ok(record) => writer.write(&record.into_owned())?,
                Err(error) => outcome.blame(&input, &error),
            }
        }
    }
    writer.flush()?;
    Ok(outcome)
}
