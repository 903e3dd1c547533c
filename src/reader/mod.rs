mod builder;
#[cfg(feature = "owned")]
mod messages;

use std::{fs::File, io::Read, path::Path};

use crate::{
    error::{Error, Position},
    line::Line,
    lines::{Buffer, Gate, RawLine, Route, Splitter, Stats, Step, Verdict},
    record::{Decoder, Record},
    salvage::{Found, Salvage},
};

pub use builder::ReaderBuilder;
#[cfg(feature = "owned")]
pub use messages::Messages;

/// Reads lines from anything that implements [`Read`].
///
/// A reader has a buffer of its own, so the source needs none. It hands out
/// each line as soon as the newline has been read, which makes a live pipe as
/// good a source as a file. A line borrows the buffer, and must be let go
/// before the next one is read. Memory stays within twice the longest line
/// that is allowed, plus a constant, whatever the source sends.
///
/// # Example
///
/// This shows how to count the lines that mention a tool.
///
/// ```
/// use linetape::Reader;
///
/// let log = &b"{\"tool\":\"Bash\"}\n{\"text\":\"hello\"}\n"[..];
/// let mut reader = Reader::new(log);
/// let mut found = 0;
/// while let Some(line) = reader.next_line() {
///     if line?.as_bytes().starts_with(b"{\"tool\"") {
///         found += 1;
///     }
/// }
/// assert_eq!(found, 1);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    state: State,
    buffer: Buffer,
    splitter: Splitter,
    gate: Gate,
    decoder: Decoder,
    /// Whether the type of a line is found along with its end.
    routing: bool,
    /// If whole records of damaged lines are wanted.
    salvage: Option<Salvage>,
    /// The damaged line that is being searched for records.
    damaged: Option<Span>,
}

/// What can still be had from the source.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// There may be more to read.
    Open,
    /// Everything has been read. The source is not asked again.
    Ended,
    /// The source has failed. What had been read of a line is not handed out.
    Failed,
}

/// Where in the buffer a line stands. Unlike a [`Line`], it borrows nothing.
#[derive(Clone, Copy, Debug)]
struct Span {
    end: usize,
    length: usize,
    terminated: bool,
    position: Position,
    route: Option<Route>,
}

impl Span {
    /// The line, which is still in the buffer.
    #[inline]
    fn of<'b>(&self, buffer: &'b Buffer) -> RawLine<'b> {
        RawLine {
            bytes: buffer.before(self.end, self.length),
            position: self.position,
            terminated: self.terminated,
            route: self.route,
        }
    }
}

impl Reader<File> {
    /// A builder, to set limits before reading.
    pub fn builder() -> ReaderBuilder {
        ReaderBuilder::new()
    }

    /// Opens a file, and reads it with the default settings.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Reader<File>, Error> {
        ReaderBuilder::new().open(path)
    }
}

impl<R: Read> Reader<R> {
    /// Reads `source` with the default settings.
    pub fn new(source: R) -> Reader<R> {
        ReaderBuilder::new().build(source)
    }

    /// The next line that is not blank, or `None` at the end.
    ///
    /// # Errors
    ///
    /// An error is about one line or one attempt to read: the next call goes
    /// on behind it, unless it is not [recoverable]. After the end, and after
    /// an error that is not recoverable, every call returns `None`.
    ///
    /// [recoverable]: Error::is_recoverable
    #[inline]
    pub fn next_line(&mut self) -> Option<Result<Line<'_>, Error>> {
        Some(match self.next_span()? {
            Ok(span) => Ok(self.line(&span)),
            Err(error) => Err(error),
        })
    }

    /// The next record: the next line that is not blank, decoded.
    ///
    /// # Errors
    ///
    /// As for [`next_line`](Reader::next_line), and when the line is anything
    /// but one JSON object. Such an error is counted in the
    /// [`stats`](Reader::stats).
    ///
    /// # Example
    ///
    /// This shows how to add up what some runs have cost.
    ///
    /// ```
    /// use linetape::{Message, Reader};
    ///
    /// let log = &b"{\"type\":\"result\",\"total_cost_usd\":0.25}\n\
    ///     not JSON\n\
    ///     {\"type\":\"result\",\"total_cost_usd\":0.5}\n"[..];
    /// let mut reader = Reader::new(log);
    /// let mut cost = 0.0;
    /// while let Some(record) = reader.next_record() {
    ///     let Ok(record) = record else { continue };
    ///     if let Message::Result(result) = record.message() {
    ///         cost += result.total_cost_usd().unwrap_or(0.0);
    ///     }
    /// }
    /// assert_eq!(cost, 0.75);
    /// assert_eq!(reader.stats().errors.total(), 1);
    /// ```
    ///
    /// A record does not outlive the next read:
    ///
    /// ```compile_fail,E0499
    /// let mut reader = linetape::Reader::new(&b"{}\n{}\n"[..]);
    /// let first = reader.next_record().unwrap().unwrap();
    /// let second = reader.next_record().unwrap().unwrap();
    /// println!("{} {}", first.kind(), second.kind());
    /// ```
    pub fn next_record(&mut self) -> Option<Result<Record<'_>, Error>> {
        let span = match self.next_span()? {
            Ok(span) => span,
            Err(error) => return Some(Err(error)),
        };
        let Reader { buffer, decoder, gate, .. } = self;
        let record = decoder.decode_raw(span.of(buffer));
        Some(record.map_err(|error| gate.count(error)))
    }

    /// The next line for which `wanted` returns true.
    ///
    /// A filter over borrowed lines cannot be written with
    /// [`next_line`](Reader::next_line) in a loop of one's own: the compiler
    /// would hold the reader borrowed by a line that was passed over.
    ///
    /// # Errors
    ///
    /// As for `next_line`: an error is not passed over.
    ///
    /// # Example
    ///
    /// This shows how to skip to a line of some length.
    ///
    /// ```
    /// let mut reader = linetape::Reader::new(&b"{}\n{\"n\":1}\n"[..]);
    /// let line = reader.next_where(|line| line.as_bytes().len() > 2);
    /// assert_eq!(line.unwrap()?.number(), 2);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    #[inline]
    pub fn next_where(
        &mut self,
        mut wanted: impl FnMut(&Line<'_>) -> bool,
    ) -> Option<Result<Line<'_>, Error>> {
        loop {
            match self.next_span()? {
                Ok(span) if !wanted(&self.line(&span)) => continue,
                Ok(span) => return Some(Ok(self.line(&span))),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    #[inline]
    fn next_span(&mut self) -> Option<Result<Span, Error>> {
        loop {
            if self.damaged.is_some()
                && let Some(found) = self.next_salvaged()
            {
                return Some(found);
            }
            let (step, route) = self.next_step();
            self.buffer.advance(step.consumed());
            match step {
                Step::Line { length, terminator, position, .. } => {
                    let end = self.buffer.seen() - terminator;
                    let bytes = self.buffer.before(end, length);
                    let terminated = terminator > 0;
                    let span =
                        Span { end, length, terminated, position, route };
                    match self.gate.admit(bytes, position) {
                        Verdict::Skip => continue,
                        Verdict::Refuse(error) => {
                            let (_, decoding) = self.decoder.split(length);
                            let error = decoding.keep(error, bytes);
                            if let Some(salvage) = &mut self.salvage {
                                salvage.begin(true);
                                self.damaged = Some(span);
                            }
                            return Some(Err(error));
                        }
                        Verdict::Deliver => {}
                    }
                    if self.salvage.is_some() && self.is_damaged(&span) {
                        continue;
                    }
                    return Some(Ok(span));
                }
                Step::TooLong { length, position, .. } => {
                    return Some(Err(self.gate.too_long(length, position)));
                }
                Step::NeedMore { .. } if self.state == State::Failed => {
                    return None;
                }
                Step::NeedMore { pending, .. } => {
                    if let Err(error) = self.refill(pending) {
                        return Some(Err(error));
                    }
                }
                Step::End { .. } => return None,
            }
        }
    }

    /// Whether a line is not one whole record, so that it is to be searched.
    fn is_damaged(&mut self, span: &Span) -> bool {
        self.decoder.recycle(span.length);
        let line = span.of(&self.buffer);
        if self.decoder.peeker().check(line).is_ok() {
            return false;
        }
        self.damaged = Some(*span);
        self.salvage.iter_mut().for_each(|salvage| salvage.begin(false));
        true
    }

    /// What else there is on the damaged line.
    #[cold]
    fn next_salvaged(&mut self) -> Option<Result<Span, Error>> {
        let span = self.damaged.take()?;
        let line = span.of(&self.buffer);
        let found =
            self.salvage.as_mut()?.next(line, self.decoder.peeker_mut())?;
        match found {
            Found::Record(part) => {
                self.damaged = Some(span);
                let RawLine { position, terminated, .. } =
                    line.part(part.clone());
                let end = span.end - (span.length - part.end);
                let length = part.len();
                let route = None;
                let span = Span { end, length, terminated, position, route };
                Some(Ok(span))
            }
            Found::Lost(error) => {
                self.damaged = Some(span);
                let (_, decoding) = self.decoder.split(span.length);
                let error = decoding.keep(error, line.bytes);
                Some(Err(self.gate.count(error)))
            }
            Found::Noise => {
                self.gate.count_noise();
                None
            }
        }
    }

    /// The next step, and the line's type if that is to be found as well.
    #[inline]
    fn next_step(&mut self) -> (Step, Option<Route>) {
        let unseen = self.buffer.unseen();
        let eof = self.state == State::Ended;
        match self.routing {
            true => {
                let peeker = self.decoder.peeker();
                peeker.step(&mut self.splitter, unseen, eof)
            }
            false => (self.splitter.step(unseen, eof), None),
        }
    }

    #[inline]
    fn line(&mut self, span: &Span) -> Line<'_> {
        Line::new(span.of(&self.buffer), &mut self.decoder)
    }

    /// Reads on, behind the `pending` last bytes of the buffer.
    fn refill(&mut self, pending: usize) -> Result<(), Error> {
        let at = self.position();
        let read = at.byte().saturating_add(self.splitter.pending());
        match self.buffer.refill(&mut self.source, pending, at.line()) {
            Ok(0) => self.state = State::Ended,
            Ok(_) => {}
            Err(error) => {
                let error = Error::io(error, Position::new(at.line(), read));
                if error.is_recoverable() {
                    return Err(error);
                }
                self.state = State::Failed;
                return Err(self.gate.count(error));
            }
        }
        Ok(())
    }
}

impl<R> Reader<R> {
    /// Where the next line begins, be it blank or not.
    pub fn position(&self) -> Position {
        self.splitter.position()
    }

    /// What has been read so far, up to [`position`](Reader::position).
    pub fn stats(&self) -> Stats {
        let mut stats = self.gate.stats(self.position());
        if let Some(salvage) = &self.salvage {
            stats.salvaged = salvage.records;
            stats.lost = salvage.lost;
        }
        stats
    }

    /// The bytes that have been read from the source, but not looked at yet.
    ///
    /// Together with [`into_inner`](Reader::into_inner) they let someone else
    /// go on where the last line ended, if that line had a newline.
    pub fn buffer(&self) -> &[u8] {
        self.buffer.unseen()
    }

    /// The source.
    pub fn get_ref(&self) -> &R {
        &self.source
    }

    /// The source, taken back. What the reader has buffered is lost.
    pub fn into_inner(self) -> R {
        self.source
    }
}

#[cfg(feature = "owned")]
impl<R: Read> Reader<R> {
    /// An iterator over owned messages, for a `for` loop and for everything
    /// else that iterators can do.
    ///
    /// A message that owns what it holds costs several times as much as a
    /// [record](Reader::next_record) that is only looked at.
    ///
    /// # Example
    ///
    /// This shows how to collect the messages that tell of no error.
    ///
    /// ```
    /// use linetape::{Reader, owned::Message};
    ///
    /// let log = &b"{\"type\":\"user\"}\nnoise\n{\"type\":\"result\"}\n"[..];
    /// let messages: Vec<Message> =
    ///     Reader::new(log).into_messages().filter_map(Result::ok).collect();
    /// assert_eq!(messages.len(), 2);
    /// ```
    pub fn into_messages(self) -> Messages<R> {
        Messages(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out `left` bytes of one endless line, `piece` at a time.
    struct OneLine {
        left: usize,
        piece: usize,
    }

    impl Read for OneLine {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            let count = self.left.min(self.piece).min(buf.len());
            buf[..count].fill(b'x');
            self.left -= count;
            Ok(count)
        }
    }

    #[test]
    fn a_long_line_is_searched_once_and_moved_at_most_twice() {
        const LINE: u64 = 16 << 20;
        for piece in [1, 64 << 10] {
            let source = OneLine { left: LINE as usize, piece };
            let mut reader = Reader::new(source);
            let line = reader.next_line().unwrap().unwrap();
            assert_eq!(line.as_bytes().len() as u64, LINE);
            assert!(reader.next_line().is_none());
            assert_eq!(reader.splitter.searched, LINE, "in {piece}s");
            let moved = reader.buffer.moved;
            assert!(moved <= 2 * LINE, "{moved} in pieces of {piece}");
        }
    }

    #[test]
    fn short_lines_in_one_stream_are_searched_and_moved_once() {
        let bytes = b"{\"n\":12345678}\n".repeat(100_000);
        for (capacity, route) in [1, 16, 100, 64 << 10]
            .into_iter()
            .flat_map(|capacity| [(capacity, false), (capacity, true)])
        {
            let mut reader = ReaderBuilder::new()
                .buffer_capacity(capacity)
                .route(route)
                .build(&bytes[..]);
            while reader.next_line().is_some() {}
            let total = bytes.len() as u64;
            assert_eq!(reader.splitter.searched, total);
            let moved = reader.buffer.moved;
            assert!(moved <= 2 * total, "{moved} of {total}, {capacity}");
        }
    }

    /// A reader that routes finds the type along with the end of each line,
    /// but for one that the buffer has only a part of.
    #[test]
    fn types_are_found_along_with_the_ends_of_lines() {
        let bytes = b"{\"type\":\"user\"}\n".repeat(10_000);
        for (route, expected) in [(true, 9_990..=10_000), (false, 0..=0)] {
            let mut reader = ReaderBuilder::new()
                .buffer_capacity(64 << 10)
                .route(route)
                .build(&bytes[..]);
            let mut found = 0;
            while let Some(span) = reader.next_span() {
                found += usize::from(span.unwrap().route.is_some());
            }
            assert!(expected.contains(&found), "{found}");
        }
    }
}
