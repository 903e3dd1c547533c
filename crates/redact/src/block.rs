/*!
Redacts several lines at once.

The literals of all lines are searched in one pass, and lines in which none is
found are written together, without a copy.
*/

use std::{io::Write, ops::Range};

use linetape::{Error, ErrorKind, Line, Position, ReaderBuilder};

use crate::{held::End, redactor::Redactor};

/// The byte order mark in UTF-8.
const BOM: &[u8] = b"\xEF\xBB\xBF";

impl Redactor {
    /// Redacts a block of a log, and writes it to `to`: whole lines, with the
    /// blank lines between them and the carriage returns before newlines.
    /// Returns the position of the next block.
    ///
    /// This is faster than [`line`](Redactor::line) for each line, and writes
    /// the same lines. The block begins at `start`. Only the last block of a log
    /// may end without a newline. `each` is called with the result of every
    /// line that the reader returns: an error, if the line is invalid. Such a
    /// line is not written. The reader must not have a
    /// [range](ReaderBuilder::range).
    ///
    /// # Costs
    ///
    /// Takes memory for each text in the block that may be part of a match, and
    /// for each `\u` escape: several times the block at worst. A large log should
    /// be passed in blocks of some hundred kilobytes.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    ///
    /// # Example
    ///
    /// This shows how to redact a log that is in memory.
    ///
    /// ```
    /// use linetape::{Position, ReaderBuilder};
    /// use linetape_redact::{Redactor, Replacement, Rules};
    ///
    /// let rules = Rules::builder().field("cwd").build()?;
    /// let mut redactor = Redactor::new(rules, Replacement::stars());
    /// let log = b"{\"n\":1}\r\n\n{\"cwd\":\"/srv\"}\n{\"n\":\n";
    /// let (mut out, mut bad) = (vec![], 0);
    /// let each = |line: Result<(), _>| bad += u64::from(line.is_err());
    /// let reader = ReaderBuilder::new();
    /// redactor.block(&reader, log, Position::START, &mut out, each)?;
    /// redactor.finish(&mut out)?;
    /// assert_eq!(out, b"{\"n\":1}\r\n\n{\"cwd\":\"***\"}\n");
    /// assert_eq!(bad, 1);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn block<W: Write + ?Sized>(
        &mut self,
        reader: &ReaderBuilder,
        block: &[u8],
        start: Position,
        to: &mut W,
        mut each: impl FnMut(Result<(), Error>),
    ) -> Result<Position, Error> {
        self.look_ahead(block);
        let lines = reader.clone().start(start);
        // What is skipped would be written as it is.
        let mut lines = lines.skip_documents(false).lines(block);
        let mut run = Run { block, range: 0..0 };
        // The end of the last line.
        let mut at = 0;
        while let Some(line) = lines.next_line() {
            let line = match line {
                Ok(line) => line,
                // What is left of its text is no blank line.
                Err(error) => {
                    each(Err(error));
                    continue;
                }
            };
            let text = place(&line, start);
            self.blank_lines(&mut run, at..text.start, start, to)?;
            let end = end_of(block, text.end);
            at = end;
            let done = match self.is_quiet(&text) {
                true => line.check().and_then(|()| {
                    run.keep(text.start..end, to)?;
                    match line.is_terminated() && end == text.end {
                        // A record that was found in a damaged line.
                        true => run.end_line(to),
                        false => Ok(()),
                    }
                }),
                false => {
                    run.write(to)?;
                    let after = block.get(text.end..end).unwrap_or_default();
                    let after = match after {
                        b"" if line.is_terminated() => End::Borrowed(b"\n"),
                        b"" => End::Borrowed(b""),
                        b"\n" => End::Borrowed(b"\n"),
                        other => End::Owned(other.to_vec()),
                    };
                    self.pass(&line, &after, to)
                }
            };
            match done {
                // An error about the output, and not about the line.
                Err(error)
                    if error.kind() == ErrorKind::Io
                        || !error.is_recoverable() =>
                {
                    return Err(error);
                }
                done => each(done),
            }
        }
        self.blank_lines(&mut run, at..block.len(), start, to)?;
        run.write(to)?;
        Ok(lines.position())
    }

    /// Writes the blank lines of a part of a block. Its other lines are invalid,
    /// and not written. A block that begins a log may begin with a byte order
    /// mark.
    fn blank_lines<W: Write + ?Sized>(
        &mut self,
        run: &mut Run<'_>,
        part: Range<usize>,
        start: Position,
        to: &mut W,
    ) -> Result<(), Error> {
        let Range { start: mut at, end } = part;
        if at >= end {
            return Ok(());
        }
        if start.byte() == 0 && at == 0 && run.block.starts_with(BOM) {
            run.keep(0..BOM.len(), to)?;
            at = BOM.len();
        }
        while at < end {
            let rest = run.block.get(at..end).unwrap_or_default();
            let newline = memchr::memchr(b'\n', rest);
            let length = newline.map_or(rest.len(), |newline| newline + 1);
            let line = rest.get(..length).unwrap_or_default();
            let place = at..at + length;
            at = place.end;
            // White space before a record is no line.
            let is_line = newline.is_some() || at == run.block.len();
            if !is_line || !line.iter().all(|b| b" \t\r\n".contains(b)) {
                continue;
            }
            match self.waits() {
                true => self.wait_blank(line, to)?,
                false => run.keep(place, to)?,
            }
        }
        Ok(())
    }
}

/// A part of a block that is passed on as it is, and is not written yet.
struct Run<'b> {
    block: &'b [u8],
    range: Range<usize>,
}

impl Run<'_> {
    /// Adds a part of the block.
    fn keep<W: Write + ?Sized>(
        &mut self,
        part: Range<usize>,
        to: &mut W,
    ) -> Result<(), Error> {
        if part.start != self.range.end {
            self.write(to)?;
            self.range.start = part.start;
        }
        self.range.end = part.end;
        Ok(())
    }

    /// Writes the part, and a newline.
    fn end_line<W: Write + ?Sized>(
        &mut self,
        to: &mut W,
    ) -> Result<(), Error> {
        self.write(to)?;
        Ok(to.write_all(b"\n")?)
    }

    /// Writes the part.
    fn write<W: Write + ?Sized>(&mut self, to: &mut W) -> Result<(), Error> {
        let part = self.block.get(self.range.clone()).unwrap_or_default();
        self.range.start = self.range.end;
        match part {
            b"" => Ok(()),
            part => Ok(to.write_all(part)?),
        }
    }
}

/// Returns where a line is in a block that begins at `start`.
fn place(line: &Line<'_>, start: Position) -> Range<usize> {
    let at = line.offset().saturating_sub(start.byte());
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    at..at.saturating_add(line.as_bytes().len())
}

/// Returns the end of the terminator of a line whose text ends at an offset.
fn end_of(block: &[u8], at: usize) -> usize {
    let rest = block.get(at..).unwrap_or_default();
    let blank = rest.iter().position(|byte| !b" \t\r".contains(byte));
    match blank {
        Some(blank) if rest.get(blank) == Some(&b'\n') => at + blank + 1,
        _ => at,
    }
}
