/*!
Reads lines from any [`Read`]: the [`Reader`] and its builder.
*/

mod builder;
#[cfg(feature = "owned")]
mod messages;
mod rolling;

use std::{fs::File, io::Read, path::Path};

use crate::{
    error::{Error, Position},
    framer::{Framer, Settings},
    line::Line,
    lines::Stats,
    reader::rolling::{Rolling, Span},
    record::Record,
};

pub use crate::lines::{ErrorCounts, ErrorCountsIter};
pub use builder::ReaderBuilder;
#[cfg(feature = "owned")]
pub use messages::Messages;

/// Reads lines from anything that implements [`Read`].
///
/// A reader has its own buffer, so do not wrap the source in a `BufReader`.
/// It returns each line as soon as its newline has been read, and so works
/// with live pipes. A line borrows from the buffer, and must be dropped before
/// the next one is read. The buffer never takes more than twice
/// [`Limits::max_line`](crate::Limits::max_line) plus a constant.
///
/// # JSON over several lines
///
/// An indented JSON document is not newline-delimited JSON. Its first line,
/// which is `{` or `[`, is an error that says so. To
/// [`next_record`](Reader::next_record) and `into_messages`, it is the only
/// one: they skip the lines after it that belong to the document, and
/// [count](Stats::document_lines) them. A line belongs to it if its brackets,
/// strings, numbers and literals can follow those before; the first other line
/// ends the document. A line that is an object by itself, and is not indented, is
/// never skipped, so no record is lost.
///
/// [`next_line`](Reader::next_line) returns every line, so that a copy of them
/// is complete, and does not depend on the [range](ReaderBuilder::range) that
/// is read, unless [`skip_documents`](ReaderBuilder::skip_documents) is set.
///
/// # Example
///
/// This shows how to count the lines that begin with the key `tool`.
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
    source: Rolling<R>,
    framer: Framer<Span>,
}

impl Reader<File> {
    /// Creates a builder, to set limits and how bad lines are handled.
    pub fn builder() -> ReaderBuilder {
        ReaderBuilder::new()
    }

    /// Opens a file, and creates a reader of it with the default settings.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Reader<File>, Error> {
        ReaderBuilder::new().open(path)
    }
}

impl<R: Read> Reader<R> {
    /// Creates a reader of `source` with the default settings.
    pub fn new(source: R) -> Reader<R> {
        ReaderBuilder::new().build(source)
    }

    /// Returns the next line that is not blank, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is too long or in UTF-16, if [`salvage`]
    /// finds it damaged, or if the source fails. After a [recoverable] error,
    /// the next call continues with the next line, or tries the source again.
    /// After any other error, every call returns `None`.
    ///
    /// [recoverable]: Error::is_recoverable
    /// [`salvage`]: ReaderBuilder::salvage
    #[inline(always)]
    pub fn next_line(&mut self) -> Option<Result<Line<'_>, Error>> {
        self.framer.next_line(&mut self.source)
    }

    /// Decodes the next line that is not blank, or returns `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`next_line`](Reader::next_line), and an
    /// error if the line is not exactly one JSON object within the limits. The
    /// [`stats`](Reader::stats) count them.
    ///
    /// # Example
    ///
    /// This shows how to add up the costs of several runs.
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
        self.framer.next_record(&mut self.source)
    }

    /// Returns the next line for which `wanted` returns true.
    ///
    /// A function of your own that loops over
    /// [`next_line`](Reader::next_line) and returns one of the lines does not
    /// compile: the borrow checker considers the reader borrowed by the lines
    /// that were skipped.
    ///
    /// # Errors
    ///
    /// Returns the same errors as `next_line`. Lines with errors are not
    /// skipped.
    ///
    /// # Example
    ///
    /// This shows how to skip to the first line with more than two bytes.
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
        wanted: impl FnMut(&Line<'_>) -> bool,
    ) -> Option<Result<Line<'_>, Error>> {
        self.framer.next_where(&mut self.source, wanted)
    }
}

impl<R> Reader<R> {
    pub(crate) fn with_settings(
        read: R,
        capacity: usize,
        settings: &Settings,
    ) -> Reader<R> {
        let max_line = settings.limits.line_cap();
        let end = settings.range.end();
        let source = Rolling::new(read, capacity, max_line, end);
        Reader { source, framer: Framer::new(settings) }
    }

    /// Returns the position of the next line, which may be blank.
    pub fn position(&self) -> Position {
        self.framer.position()
    }

    /// Returns the counts of lines, bytes and errors up to
    /// [`position`](Reader::position).
    ///
    /// A bad line counts as one error, whether the reader or a method of its
    /// [`Line`] returned the error.
    pub fn stats(&self) -> Stats {
        self.framer.stats()
    }

    /// Returns the bytes that have been read from the source but not returned
    /// in a line: all from [`position`](Reader::position) on.
    ///
    /// If the line in progress is over the limit, its discarded bytes are
    /// missing.
    pub fn buffer(&self) -> &[u8] {
        let pending = self.framer.pending();
        let kept = pending <= self.framer.limits().line_cap() as u64;
        self.source.rest(if kept { pending as usize } else { 0 })
    }

    /// Returns a reference to the source.
    pub fn get_ref(&self) -> &R {
        &self.source.read
    }

    /// Returns a mutable reference to the source. Bytes that the caller reads
    /// from it are missing from the lines.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.source.read
    }

    /// Returns the source, and drops the bytes in the buffer. To keep them,
    /// use [`into_parts`](Reader::into_parts).
    pub fn into_inner(self) -> R {
        self.source.read
    }

    /// Returns the source and a copy of the [`buffer`](Reader::buffer): the
    /// bytes that have been read but not returned in a line.
    ///
    /// # Example
    ///
    /// This shows how to read a header line, and then the body without this
    /// crate.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let source = &b"{\"version\":1}\nthe body"[..];
    /// let mut reader = linetape::Reader::new(source);
    /// reader.next_record().unwrap()?;
    /// let (source, unread) = reader.into_parts();
    /// let mut body = String::new();
    /// (&unread[..]).chain(source).read_to_string(&mut body)?;
    /// assert_eq!(body, "the body");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_parts(self) -> (R, Vec<u8>) {
        let unread = self.buffer().to_vec();
        (self.source.read, unread)
    }
}

#[cfg(feature = "owned")]
impl<R: Read> Reader<R> {
    /// Returns an iterator over owned messages, for `for` loops and iterator
    /// adapters.
    ///
    /// An owned message takes two to four times as long to make as a
    /// [record](Reader::next_record).
    ///
    /// # Example
    ///
    /// This shows how to collect the messages of all good lines.
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
    use crate::{
        json::{Found, Known, Verdict},
        level::Level,
    };

    /// A source of one line with `left` bytes, read `piece` bytes at a time.
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
        const LINE: u64 = 1 << 20;
        for piece in [1, 64 << 10] {
            let source = OneLine { left: LINE as usize, piece };
            let mut reader = Reader::new(source);
            let line = reader.next_line().unwrap().unwrap();
            assert_eq!(line.as_bytes().len() as u64, LINE);
            assert!(reader.next_line().is_none());
            assert_eq!(reader.framer.searched(), LINE, "in {piece}s");
            let moved = reader.source.moved();
            assert!(moved <= 2 * LINE, "{moved} in pieces of {piece}");
        }
    }

    #[test]
    fn short_lines_in_one_stream_are_searched_and_moved_once() {
        let bytes = b"{\"n\":12345678}\n".repeat(10_000);
        let levels = [Level::Line, Level::Kind, Level::Check];
        for (capacity, level) in [1, 16, 100, 64 << 10]
            .into_iter()
            .flat_map(|capacity| levels.map(|level| (capacity, level)))
        {
            let mut reader = ReaderBuilder::new()
                .buffer_capacity(capacity)
                .level(level)
                .build(&bytes[..]);
            while reader.next_line().is_some() {}
            let total = bytes.len() as u64;
            assert_eq!(reader.framer.searched(), total);
            let moved = reader.source.moved();
            assert!(moved <= 2 * total, "{moved} of {total}, {capacity}");
        }
    }

    /// A line is prepared in the same pass as its end is found, unless only a
    /// part of the line is in the buffer.
    #[test]
    fn lines_are_prepared_along_with_their_ends() {
        let padding = "x".repeat(80);
        let line = format!("{{\"type\":\"user\",\"p\":\"{padding}\"}}\n");
        let bytes = line.repeat(10_000).into_bytes();
        for (level, expected) in [
            (Level::Line, 0..=0),
            (Level::Kind, 9_970..=10_000),
            (Level::Peek, 9_970..=10_000),
            (Level::Check, 9_970..=10_000),
            (Level::Checked, 9_970..=10_000),
        ] {
            let mut reader = ReaderBuilder::new()
                .buffer_capacity(64 << 10)
                .level(level)
                .build(&bytes[..]);
            let mut found = 0;
            while let Some(line) = reader.next_line() {
                let Known { found: in_it, verdict, .. } =
                    line.unwrap().source().state.known();
                let is_prepared = !matches!(in_it, Found::Nothing)
                    || verdict == Verdict::Good;
                found += usize::from(is_prepared);
            }
            assert!(expected.contains(&found), "{level:?}: {found}");
        }
    }
}
