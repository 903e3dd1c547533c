//! All good records, for what takes them one after the other.

use std::io;

use linetape::Line;

use crate::{
    input::{Files, Prints},
    outcome::Outcome,
};

/// Goes through all lines that are good records. The others are named on
/// standard error.
pub fn for_each(
    files: &Files,
    prints: Prints,
    mut each: impl FnMut(&Line<'_>) -> io::Result<()>,
) -> io::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    for input in files.inputs(prints, &mut outcome) {
        let Some(source) = outcome.open(&input) else { continue };
        let mut reader = files.reader().build(source);
        while let Some(line) = reader.next_line() {
            match line.and_then(|line| line.check().map(|()| line)) {
                Ok(line) => each(&line)?,
                Err(error) => outcome.blame(&input, &error),
            }
        }
    }
    Ok(outcome)
}
