/*!
The texts of steps, read again from the logs.
*/

use std::io::{self, Read, Seek};

use linetape::Decoder;
use linetape_session::{
    Conversation, Facts,
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

/// Lines of a log, and those that the conversation has put together.
pub struct Sources<'c, 'r, R> {
    pub conversation: &'c Conversation,
    pub recall: &'r mut Recall<R>,
}

impl<R: Read + Seek> Lines for Sources<'_, '_, R> {
    fn read(
        &mut self,
        step: Step<'_>,
        read: &mut dyn FnMut(&Facts<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let place = step.place();
        if let Some(line) = self.conversation.assembled(place) {
            let mut decoder = Decoder::new();
            return match decoder.decode(line.as_bytes()) {
                Ok(record) => read(&Facts::of(record.message())),
                Err(_) => Ok(()),
            };
        }
        self.recall.with(place, read)?.unwrap_or(Ok(()))
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
