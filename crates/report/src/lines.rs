/*!
The texts of steps, read again from the logs.
*/

use std::io::{self, Read, Seek};

use linetape_session::{
    Facts,
    conversation::{Recall, Step},
};

/// Reads the message of a step again. Pages are written through this, so that
/// they are compiled once for all kinds of sources.
pub trait Lines {
    /// Calls `read` with the message of a step, unless its line has changed.
    fn read(
        &mut self,
        step: Step<'_>,
        read: &mut dyn FnMut(&Facts<'_>) -> io::Result<()>,
    ) -> io::Result<()>;
}

/// The sources of a log.
pub struct Sources<'r, R> {
    pub recall: &'r mut Recall<R>,
}

impl<R: Read + Seek> Lines for Sources<'_, R> {
    fn read(
        &mut self,
        step: Step<'_>,
        read: &mut dyn FnMut(&Facts<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.recall.step(step, read)?.unwrap_or(Ok(()))
    }
}

/// Returns what a function makes of the message of a step.
pub fn found<T>(
    lines: &mut dyn Lines,
    step: Step<'_>,
    mut make: impl FnMut(&Facts<'_>) -> T,
) -> io::Result<Option<T>> {
    let mut made = None;
    lines.read(step, &mut |facts| {
        made = Some(make(facts));
        Ok(())
    })?;
    Ok(made)
}
