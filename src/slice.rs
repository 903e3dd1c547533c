use crate::{
    error::{Error, Position},
    limits::Limits,
    line::Line,
    lines::{Gate, Splitter, Stats, Step, Verdict},
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
/// let limits = Limits { max_line: 100 };
/// let mut lines = Lines::with_limits(b"{}\n", limits);
/// assert_eq!(lines.next_line().unwrap()?.as_bytes(), b"{}");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<'d> {
    /// What no step has consumed yet.
    rest: &'d [u8],
    splitter: Splitter,
    gate: Gate,
}

impl<'d> Lines<'d> {
    /// The lines of `bytes`, with limits of your own.
    pub fn with_limits(bytes: &'d [u8], limits: Limits) -> Lines<'d> {
        Lines {
            rest: bytes,
            splitter: Splitter::with_limits(limits),
            gate: Gate::new(limits),
        }
    }

    /// The next line that is not blank, or `None` at the end.
    ///
    /// # Errors
    ///
    /// An error is about one line. The next call goes on behind it.
    #[inline]
    pub fn next_line(&mut self) -> Option<Result<Line<'_>, Error>> {
        self.next_of_slice()
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
            match self.next_of_slice()? {
                Ok(line) if !wanted(&line) => continue,
                other => return Some(other),
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
    fn next_of_slice(&mut self) -> Option<Result<Line<'d>, Error>> {
        loop {
            let step = self.splitter.step(self.rest, true);
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
                    return Some(Ok(Line::new(bytes, position, terminated)));
                }
                Step::TooLong { length, position, .. } => {
                    return Some(Err(self.gate.too_long(length, position)));
                }
                Step::NeedMore { .. } | Step::End { .. } => return None,
            }
        }
    }
}
