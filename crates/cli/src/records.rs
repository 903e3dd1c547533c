//! Reads all valid records, one after the other.

use std::io;

use crate::{
    complaints::Complaints,
    files::Files,
    outcome::Outcome,
    output::Prints,
    recognised::{Recognised, Recognition},
};
use linetape::{Level, Line};

/// Calls `each` with every valid line. Reports the others on standard error.
pub fn for_each(
    files: &Files,
    prints: Prints,
    mut each: impl FnMut(&Line<'_>) -> io::Result<()>,
) -> io::Result<Outcome> {
    let (outcome, agents) = for_each_live(
        files,
        prints,
        &mut each,
        |each, line| each(line),
        |_| Ok(()),
    )?;
    agents.tell();
    Ok(outcome)
}

/// Like [`for_each`], for output that is shown as it arrives: calls `pause`
/// before a read that may block, and before an error is reported. Also returns
/// whose records these are.
pub fn for_each_live<S>(
    files: &Files,
    prints: Prints,
    state: &mut S,
    mut each: impl FnMut(&mut S, &Line<'_>) -> io::Result<()>,
    mut pause: impl FnMut(&mut S) -> io::Result<()>,
) -> io::Result<(Outcome, Recognition)> {
    let mut outcome = Outcome::Fine;
    let mut agents = Recognition::default();
    let mut complaints = Complaints::default();
    for input in files.inputs(prints, &mut outcome) {
        let Some(source) = input.open_or_report(&mut outcome) else {
            continue;
        };
        let mut reader = files.reader(Level::Checked).build(source);
        let mut recognised = Recognised::default();
        while let Some(line) = reader.next_line() {
            match line.and_then(|line| line.check().map(|()| line)) {
                Ok(line) => {
                    recognised.add_line(&line);
                    each(state, &line)?;
                }
                Err(error) => {
                    pause(state)?;
                    complaints.error(&input, &error, &mut outcome);
                }
            }
            if !reader.buffer().contains(&b'\n') {
                pause(state)?;
            }
        }
        complaints.end(&input);
        agents.add(&input, recognised);
    }
    Ok((outcome, agents))
}
