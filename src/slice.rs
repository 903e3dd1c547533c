use std::fmt;

use crate::{
    error::{Error, Position},
    limits::Limits,
    line::Line,
    lines::{Gate, RawLine, Route, Splitter, Stats, Step, Verdict},
    record::{Decoder, Record},
    scan::Kernel,
};

/// The lines of bytes that are in memory already, and that nobody may write
/// to.
///
/// The rules are those of a [`Reader`](crate::Reader), with the default
/// [`Limits`]; nothing is copied.
///
/// # Example
///
/// This shows how to find the longest line.
///
/// ```
/// let mut lines = linetape::lines(b"{}\n{\"a\":1}\n\n{}");
/// let mut longest = 0;
/// while let Some(line) = lines.next_line() {
///     longest = longest.max(line?.as_bytes().len());
/// }
/// assert_eq!(longest, 7);
/// # Ok::<(), linetape::Error>(())
/// ```
pub fn lines(bytes: &[u8]) -> Lines<'_> {
    Lines::with_limits(bytes, Limits::default())
}

/// What [`lines()`] returns.
///
/// It lends its lines one at a time, as a reader does. That is why it is not
/// an iterator.
///
/// # Example
///
/// This shows how to set limits of your own.
///
/// ```
/// use linetape::{Limits, Lines};
///
/// let limits = Limits { max_line: 100, ..Limits::default() };
/// let mut lines = Lines::with_limits(b"{}\n", limits);
/// assert_eq!(lines.next_line().unwrap()?.as_bytes(), b"{}");
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct Lines<'d> {
    /// What no step has consumed yet.
    rest: &'d [u8],
    splitter: Splitter,
    gate: Gate,
    decoder: Decoder,
    /// Whether the type of a line is found along with its end.
    routing: bool,
}

impl fmt::Debug for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines")
            .field("position", &self.position())
            .field("rest", &self.rest.len())
            .finish_non_exhaustive()
    }
}

impl<'d> Lines<'d> {
    /// The lines of `bytes`, with limits of your own.
    pub fn with_limits(bytes: &'d [u8], limits: Limits) -> Lines<'d> {
        Lines {
            rest: bytes,
            splitter: Splitter::with_limits(limits),
            gate: Gate::new(limits),
            decoder: Decoder::with_limits(limits),
            routing: false,
        }
    }

    /// Finds the type of each line along with its end, so that
    /// [`Line::kind`] is a look-up. As for [`ReaderBuilder::route`].
    ///
    /// [`ReaderBuilder::route`]: crate::ReaderBuilder::route
    pub fn route(self, route: bool) -> Lines<'d> {
        Lines { routing: route, ..self }
    }

    /// Scans with the given kernel. As for [`ReaderBuilder::kernel`].
    ///
    /// # Errors
    ///
    /// When the CPU lacks what the kernel needs.
    ///
    /// [`ReaderBuilder::kernel`]: crate::ReaderBuilder::kernel
    pub fn kernel(mut self, kernel: Kernel) -> Result<Lines<'d>, Error> {
        self.decoder.set_kernel(kernel)?;
        Ok(self)
    }

    /// The next line that is not blank, or `None` at the end.
    ///
    /// # Errors
    ///
    /// An error is about one line. The next call goes on behind it.
    #[inline]
    pub fn next_line(&mut self) -> Option<Result<Line<'_>, Error>> {
        Some(match self.next_raw()? {
            Ok(raw) => Ok(Line::new(raw, &mut self.decoder)),
            Err(error) => Err(error),
        })
    }

    /// The next record: the next line that is not blank, decoded.
    ///
    /// # Errors
    ///
    /// As for `next_line`, and when the line is anything but one JSON object.
    pub fn next_record(&mut self) -> Option<Result<Record<'_>, Error>> {
        let raw = match self.next_raw()? {
            Ok(raw) => raw,
            Err(error) => return Some(Err(error)),
        };
        let Lines { decoder, gate, .. } = self;
        let record = decoder.decode_raw(raw);
        Some(record.map_err(|error| gate.count(error)))
    }

    /// The next line for which `wanted` returns true.
    ///
    /// # Errors
    ///
    /// As for `next_line`: an error is not passed over.
    #[inline]
    pub fn next_where(
        &mut self,
        mut wanted: impl FnMut(&Line<'_>) -> bool,
    ) -> Option<Result<Line<'_>, Error>> {
        loop {
            match self.next_raw()? {
                Ok(raw) if !wanted(&Line::new(raw, &mut self.decoder)) => {}
                Ok(raw) => {
                    return Some(Ok(Line::new(raw, &mut self.decoder)));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Where the next line begins, be it blank or not.
    pub fn position(&self) -> Position {
        self.splitter.position()
    }

    /// What has been read so far, up to [`position`](Lines::position).
    pub fn stats(&self) -> Stats {
        self.gate.stats(self.position())
    }

    #[inline]
    fn next_raw(&mut self) -> Option<Result<RawLine<'d>, Error>> {
        loop {
            let (step, route) = self.next_step();
            let (used, rest) = self.rest.split_at_checked(step.consumed())?;
            self.rest = rest;
            match step {
                Step::Line { length, terminator, position, .. } => {
                    let end = used.len() - terminator;
                    let bytes = used.get(end - length..end)?;
                    match self.gate.admit(bytes, position) {
                        Verdict::Skip => continue,
                        Verdict::Refuse(error) => return Some(Err(error)),
                        Verdict::Deliver => {}
                    }
                    let terminated = terminator > 0;
                    return Some(Ok(RawLine {
                        bytes,
                        position,
                        terminated,
                        route,
                    }));
                }
                Step::TooLong { length, position, .. } => {
                    return Some(Err(self.gate.too_long(length, position)));
                }
                Step::NeedMore { .. } | Step::End { .. } => return None,
            }
        }
    }

    /// The next step, and the line's type if that is to be found as well.
    #[inline]
    fn next_step(&mut self) -> (Step, Option<Route>) {
        match self.routing {
            true => {
                let peeker = self.decoder.peeker();
                peeker.step(&mut self.splitter, self.rest, true)
            }
            false => (self.splitter.step(self.rest, true), None),
        }
    }
}
