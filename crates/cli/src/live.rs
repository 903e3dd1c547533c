//! Buffered output that is flushed before each read, so that lines from a
//! live pipe are not held back.

use std::{
    cell::RefCell,
    fs::File,
    io::{self, BufWriter, Read, Write},
};

use crate::{
    files::Files,
    input::{Input, Source},
    outcome::Outcome,
    output::{Output, Prints},
};

/// The size of the write buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// An output that a [`Fed`] source flushes.
pub(crate) struct Live {
    out: RefCell<BufWriter<Box<dyn Write>>>,
    /// The file to wait for.
    file: Option<File>,
    /// Why a flush failed.
    error: RefCell<Option<io::Error>>,
}

impl Live {
    /// Opens the inputs and the output. If it `appends` to the output,
    /// [`finish`](Live::finish) waits until that is on the disk. If the output
    /// cannot be opened, reports the error and returns `None`.
    pub fn open(
        files: &Files,
        output: &Output,
        prints: Prints,
        appends: bool,
        outcome: &mut Outcome,
    ) -> Option<(Vec<Input>, Live)> {
        let inputs = files.inputs(prints, outcome);
        let (out, file) = output.open(&inputs, appends)?;
        let out = RefCell::new(BufWriter::with_capacity(BUFFER, out));
        Some((inputs, Live { out, file, error: RefCell::new(None) }))
    }

    /// Wraps a source so that each read flushes the output first. If the flush
    /// fails, so does the read, since nothing can be written any more. Call
    /// [`check`](Live::check) before an error of the source is reported.
    pub fn feed(&self, source: Source) -> Fed<'_> {
        Fed { source, live: self }
    }

    /// Returns the error of a flush that failed, if there is one.
    ///
    /// # Errors
    ///
    /// When a flush failed: then the source has no error of its own.
    pub fn check(&self) -> io::Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Flushes the rest.
    ///
    /// # Errors
    ///
    /// When this flush or an earlier one failed.
    pub fn finish(self) -> io::Result<()> {
        self.check()?;
        self.out.into_inner().flush()?;
        self.file.map_or(Ok(()), |file| file.sync_data())
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

/// A source that flushes the output before each read: see [`Live::feed`].
pub(crate) struct Fed<'l> {
    source: Source,
    live: &'l Live,
}

impl Read for Fed<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let flushed = self.live.out.borrow_mut().flush();
        match flushed {
            Ok(()) => self.source.read(buf),
            Err(error) => {
                let kind = error.kind();
                self.live.error.replace(Some(error));
                Err(kind.into())
            }
        }
    }
}
