//! Output for someone who waits for it: before an input is waited for, all
//! that was written is passed on.

use std::{
    cell::RefCell,
    io::{self, BufWriter, Read, Write},
};

use crate::{
    files::Files,
    input::{Input, Source},
    outcome::Outcome,
    output::{Output, Prints},
};

/// How much is written at a time.
const BUFFER: usize = 64 << 10;

/// Where to write.
pub(crate) struct Live {
    out: RefCell<BufWriter<Box<dyn Write>>>,
    /// Why nothing could be passed on.
    error: RefCell<Option<io::Error>>,
}

impl Live {
    /// Returns what to read and where to write, or `None` if there is nothing
    /// to write to. A person has been told why, then.
    pub fn open(
        files: &Files,
        output: &Output,
        prints: Prints,
        outcome: &mut Outcome,
    ) -> Option<(Vec<Input>, Live)> {
        let inputs = files.inputs(prints, outcome);
        let out = output.open(&inputs)?;
        let out = RefCell::new(BufWriter::with_capacity(BUFFER, out));
        Some((inputs, Live { out, error: RefCell::new(None) }))
    }

    /// The same source, but what was written is passed on before it is read.
    /// If that fails there is nothing left to read for, and so it ends.
    pub fn feed(&self, source: Source) -> Fed<'_> {
        Fed { source, live: self }
    }

    /// Passes on the rest.
    ///
    /// # Errors
    ///
    /// When something could not be passed on, now or before.
    pub fn finish(self) -> io::Result<()> {
        match self.error.into_inner() {
            Some(error) => Err(error),
            None => self.out.into_inner().flush(),
        }
    }
}

impl Write for &Live {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.borrow_mut().flush()
    }
}

/// See [`Live::feed`].
pub(crate) struct Fed<'l> {
    source: Source,
    live: &'l Live,
}

impl Read for Fed<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let passed_on = self.live.out.borrow_mut().flush();
        match passed_on {
            Ok(()) => self.source.read(buf),
            Err(error) => {
                *self.live.error.borrow_mut() = Some(error);
                Ok(0)
            }
        }
    }
}
