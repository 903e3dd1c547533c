//! Reads a file of this machine.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use datafusion::{arrow::array::RecordBatch, common::Result};

use crate::{
    ends,
    local::{self, State, changed},
    meter::{Meter, Opened},
    opener::{FIRST, Made, Part, may_be_compressed, plain},
};

/// How much of a file is read before others may use the thread, in bytes.
/// Lines are read at about one to two GB/s.
const STEP: u64 = 4 << 20;

/// A file, or a range of it, that is being read.
///
/// It is read in steps, by the thread that asks for the rows. A thread of its
/// own would have to hand over each batch: with 951 files in 1 GB, queries took up
/// to a fifth more CPU time.
pub(crate) struct LocalScan {
    part: Part,
    made: Made,
    /// To look at the file at the end.
    handle: File,
    state: State,
    tag: Option<String>,
    _open: Opened,
}

impl LocalScan {
    /// Opens a file. `state` and `tag` are those when it was listed. Returns
    /// `None` if the range has no rows of its own.
    pub(crate) fn open(
        part: Part,
        path: &Path,
        state: State,
        tag: Option<String>,
    ) -> Result<Option<LocalScan>> {
        let open = part.opener.meter().opened();
        let opened = || {
            let mut file = local::open(path, part.size, state)?;
            let handle = file.try_clone()?;
            ends::check(&mut file, part.size, tag.as_deref())?;
            let is_whole = may_be_compressed(&first(&mut file)?);
            // Lines that were appended since are not in the range. What was
            // appended to a compressed file has to be cut off.
            let (from, planned, end) = match is_whole {
                false => {
                    let from = part.range.start.saturating_sub(1);
                    (from, part.range.end - from, u64::MAX)
                }
                true => (0, part.size, part.size),
            };
            file.seek(SeekFrom::Start(from))?;
            let meter = part.opener.meter().clone();
            let source = Counted { meter, source: file.take(end), planned };
            Ok((part.batches(is_whole, source)?, handle))
        };
        let (made, handle) = opened().map_err(|error| part.place(error))?;
        Ok(made.map(|made| LocalScan {
            part,
            made,
            handle,
            state,
            tag,
            _open: open,
        }))
    }

    /// Reads on. Returns a batch if one is ready, and `None` at the end.
    pub(crate) fn step(&mut self) -> Option<Result<Option<RecordBatch>>> {
        let step = match self.made.read_some(STEP) {
            Some(step) => step.map_err(plain),
            None => match self.check_end() {
                Ok(()) => return None,
                Err(error) => Err(error),
            },
        };
        Some(step.map_err(|error| self.part.place(error)))
    }

    /// Returns an error if the file has changed since it was listed, other than
    /// by growing.
    fn check_end(&mut self) -> Result<()> {
        let size = self.part.size;
        // It has no more to read, so its position does not matter.
        ends::check(&mut self.handle, size, self.tag.as_deref())?;
        self.state.check_unchanged(&self.handle, size)
    }
}

impl Drop for LocalScan {
    /// Counts the problems, also if the query does not need the rest.
    fn drop(&mut self) {
        self.part.add_problems(&self.made);
    }
}

/// Counts what is read, and fails if that is less than the plan counts on.
struct Counted<R> {
    meter: Meter,
    source: R,
    /// How many bytes there are at least.
    planned: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(room)?;
        self.meter.add_read(count);
        if count == 0 && self.planned > 0 && !room.is_empty() {
            // It may be long again at the end, with other lines or the same.
            let why = changed("has become shorter");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
        }
        self.planned = self.planned.saturating_sub(count as u64);
        Ok(count)
    }
}

/// Returns the first bytes of a file.
fn first(file: &mut File) -> io::Result<Vec<u8>> {
    let mut first = vec![];
    file.seek(SeekFrom::Start(0))?;
    file.take(FIRST).read_to_end(&mut first)?;
    Ok(first)
}
