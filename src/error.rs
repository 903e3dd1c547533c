use std::{error, fmt, io, path::Path};

use crate::{escape::Escaped, scan::Kernel};

/// Where something stands in a stream: its line and its byte.
///
/// # Example
///
/// This shows how to find out where a reader is.
///
/// ```
/// let mut lines = linetape::lines(b"{}\n{}\n");
/// lines.next_line();
/// assert_eq!(lines.position().line(), 2);
/// assert_eq!(lines.position().byte(), 3);
/// assert_eq!(lines.position().to_string(), "line 2 (byte 3)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    byte: u64,
    line: u64,
}

impl Position {
    pub(crate) const START: Position = Position { byte: 0, line: 1 };

    /// The place that is `bytes` further on in the same line.
    pub(crate) fn plus(self, bytes: usize) -> Position {
        let byte = self.byte.saturating_add(bytes as u64);
        Position { byte, line: self.line }
    }

    /// The place `byte` bytes into a stream, in the line `line`, which counts
    /// from 1. For a reader that [starts] there.
    ///
    /// [starts]: crate::ReaderBuilder::start
    #[inline]
    pub fn new(line: u64, byte: u64) -> Position {
        Position { byte, line }
    }

    /// The place at the same byte, with so many lines more before it. See
    /// [`Error::moved_by`].
    pub fn moved_by(self, lines: u64) -> Position {
        Position { line: self.line.saturating_add(lines), ..self }
    }

    /// The number of the line, counted from 1. Blank and discarded lines
    /// count.
    #[inline]
    pub fn line(self) -> u64 {
        self.line
    }

    /// How many bytes of the stream stand before this place.
    #[inline]
    pub fn byte(self) -> u64 {
        self.byte
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} (byte {})", self.line, self.byte)
    }
}

/// What kind of rule a line, or the source of the bytes, has broken.
///
/// # Example
///
/// This shows the name that a kind has in JSON reports.
///
/// ```
/// use linetape::ErrorKind;
///
/// assert_eq!(ErrorKind::LineTooLong.as_str(), "line_too_long");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source of the bytes failed.
    Io,
    /// The line is longer than [`Limits::max_line`](crate::Limits::max_line).
    LineTooLong,
    /// The stream begins with the byte order mark of UTF-16.
    Encoding,
    /// The line is not UTF-8.
    Utf8,
    /// The line is not JSON.
    Syntax,
    /// The line's values are nested too deeply.
    Depth,
    /// The line has too many values.
    TooManyNodes,
    /// The line is something other than a JSON object.
    NotAnObject,
    /// A key that decides what the line means occurs twice.
    DuplicateKey,
    /// Something follows the object on the same line.
    TrailingData,
    /// The last line of the stream breaks off.
    Truncated,
}

impl ErrorKind {
    pub(crate) const ALL: [ErrorKind; 11] = [
        ErrorKind::Io,
        ErrorKind::LineTooLong,
        ErrorKind::Encoding,
        ErrorKind::Utf8,
        ErrorKind::Syntax,
        ErrorKind::Depth,
        ErrorKind::TooManyNodes,
        ErrorKind::NotAnObject,
        ErrorKind::DuplicateKey,
        ErrorKind::TrailingData,
        ErrorKind::Truncated,
    ];

    /// The kind's name in JSON reports.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::Io => "io",
            ErrorKind::LineTooLong => "line_too_long",
            ErrorKind::Encoding => "encoding",
            ErrorKind::Utf8 => "utf8",
            ErrorKind::Syntax => "syntax",
            ErrorKind::Depth => "depth",
            ErrorKind::TooManyNodes => "too_many_nodes",
            ErrorKind::NotAnObject => "not_an_object",
            ErrorKind::DuplicateKey => "duplicate_key",
            ErrorKind::TrailingData => "trailing_data",
            ErrorKind::Truncated => "truncated",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What went wrong, and where.
///
/// An error is about one line. Unless [`is_recoverable`] says otherwise, the
/// next call to the reader goes on with the line after it. Making an error
/// does not allocate, so that a log full of bad lines is read as fast as a
/// good one.
///
/// [`is_recoverable`]: Error::is_recoverable
///
/// # Example
///
/// This shows what an error tells.
///
/// ```
/// use linetape::{ErrorKind, Reader};
///
/// let log = &b"{}\n{\"note\":\"much too long\"}\n{}\n"[..];
/// let mut reader = Reader::builder().max_line(16).build(log);
/// reader.next_line();
/// let error = reader.next_line().unwrap().unwrap_err();
///
/// assert_eq!(error.kind(), ErrorKind::LineTooLong);
/// assert_eq!(error.position().line(), 2);
/// assert!(error.is_recoverable());
/// assert_eq!(
///     error.to_string(),
///     "line 2 (byte 3): the line has 24 bytes, 16 are allowed"
/// );
/// assert!(reader.next_line().unwrap().is_ok());
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    position: Position,
    cause: Cause,
    snippet: Snippet,
    /// The whole line, if it was to be kept.
    raw: Option<Box<[u8]>>,
}

/// What stands behind an error, beyond its kind.
#[derive(Debug)]
enum Cause {
    /// The kind says it all.
    Plain,
    /// A limit, and the number that broke it.
    Limit { limit: u64, found: u64 },
    /// What the grammar wanted.
    Reason(&'static str),
    /// How long the line is that breaks off.
    Length(u64),
    /// The source failed.
    Io(io::Error),
    /// Nothing was read: the file could not be opened, or the CPU lacks what
    /// was asked for.
    Open(io::Error),
    /// The sink failed, or was not to have such a record.
    #[cfg_attr(not(feature = "owned"), expect(dead_code))]
    Write(io::Error),
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, position: Position) -> Error {
        let (cause, snippet) = (Cause::Plain, Snippet::default());
        Error { kind, position, cause, snippet, raw: None }
    }

    pub(crate) fn io(error: io::Error, position: Position) -> Error {
        let cause = Cause::Io(error);
        Error { cause, ..Error::new(ErrorKind::Io, position) }
    }

    pub(crate) fn open(path: &Path, error: &io::Error) -> Error {
        let text = format!("cannot open {}: {error}", path.display());
        let cause = Cause::Open(io::Error::new(error.kind(), text));
        Error { cause, ..Error::new(ErrorKind::Io, Position::START) }
    }

    pub(crate) fn unsupported(kernel: Kernel) -> Error {
        let text = format!("this CPU has no {kernel}");
        let error = io::Error::new(io::ErrorKind::Unsupported, text);
        let cause = Cause::Open(error);
        Error { cause, ..Error::new(ErrorKind::Io, Position::START) }
    }

    #[cfg(feature = "owned")]
    pub(crate) fn write(error: io::Error, position: Position) -> Error {
        let cause = Cause::Write(error);
        Error { cause, ..Error::new(ErrorKind::Io, position) }
    }

    pub(crate) fn over_limit(
        kind: ErrorKind,
        position: Position,
        limit: u64,
        found: u64,
    ) -> Error {
        let cause = Cause::Limit { limit, found };
        Error { cause, ..Error::new(kind, position) }
    }

    pub(crate) fn syntax(position: Position, reason: &'static str) -> Error {
        let cause = Cause::Reason(reason);
        Error { cause, ..Error::new(ErrorKind::Syntax, position) }
    }

    pub(crate) fn truncated(position: Position, length: u64) -> Error {
        let cause = Cause::Length(length);
        Error { cause, ..Error::new(ErrorKind::Truncated, position) }
    }

    pub(crate) fn moved_to(self, position: Position) -> Error {
        Error { position, ..self }
    }

    /// The same error, so many lines further on.
    ///
    /// Someone who reads a part of a log may know only afterwards how many
    /// lines stand before it.
    ///
    /// # Example
    ///
    /// This shows an error in a part that begins with line 11.
    ///
    /// ```
    /// let mut part = linetape::lines(b"{}\noops\n");
    /// part.next_record();
    /// let error = part.next_record().unwrap().unwrap_err();
    /// assert_eq!(error.moved_by(10).position().line(), 12);
    /// ```
    pub fn moved_by(self, lines: u64) -> Error {
        let position = self.position.moved_by(lines);
        self.moved_to(position)
    }

    /// Adds the beginning of `text` for [`Error::snippet`].
    pub(crate) fn with_snippet(self, text: &[u8]) -> Error {
        Error { snippet: Snippet::of(text), ..self }
    }

    pub(crate) fn with_raw(self, line: &[u8]) -> Error {
        Error { raw: Some(line.into()), ..self }
    }

    /// The bytes of the whole line, if the reader was told to
    /// [keep](crate::ReaderBuilder::keep_raw) them.
    pub fn raw(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }

    /// The kind of rule that was broken.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where it was broken.
    ///
    /// For a line that is too long or breaks off, this is where the line
    /// begins; for a source that failed, how far it had been read; for any
    /// other error, the first byte that is wrong.
    pub fn position(&self) -> Position {
        self.position
    }

    /// What is wrong, in words, without the position.
    ///
    /// # Example
    ///
    /// This shows how to put the position somewhere else.
    ///
    /// ```
    /// let mut lines = linetape::lines(b"oops\n");
    /// let error = lines.next_record().unwrap().unwrap_err();
    /// let (at, reason) = (error.position(), error.reason());
    /// assert_eq!(
    ///     format!("log:{}:{} {reason}", at.line(), at.byte()),
    ///     "log:1:0 not a JSON object, at `oops`"
    /// );
    /// ```
    pub fn reason(&self) -> impl fmt::Display {
        Reason(self)
    }

    /// Whether the next call to the reader can go on.
    ///
    /// This is so for every error in a line, and for a source that had
    /// nothing to read yet (`WouldBlock`, `TimedOut`); any other failure of
    /// the source ends the stream.
    pub fn is_recoverable(&self) -> bool {
        use io::ErrorKind::{TimedOut, WouldBlock};
        match &self.cause {
            Cause::Io(e) => matches!(e.kind(), WouldBlock | TimedOut),
            Cause::Open(_) => false,
            Cause::Write(e) => e.kind() == io::ErrorKind::InvalidInput,
            _ => true,
        }
    }

    /// The text at the place of the error, cut short, and escaped as
    /// [`Escaped`] does it; `None` when it could not be kept.
    pub fn snippet(&self) -> Option<&str> {
        Some(self.snippet.as_str()).filter(|text| !text.is_empty())
    }

    /// The limit that was broken, for the kinds that have one.
    pub fn limit(&self) -> Option<u64> {
        match self.cause {
            Cause::Limit { limit, .. } => Some(limit),
            _ => None,
        }
    }

    /// The number that broke the [limit](Error::limit), or the length of a
    /// last line that breaks off.
    pub fn found(&self) -> Option<u64> {
        match self.cause {
            Cause::Limit { found, .. } | Cause::Length(found) => Some(found),
            _ => None,
        }
    }

    /// What the source said when it failed.
    pub fn io_error(&self) -> Option<&io::Error> {
        match &self.cause {
            Cause::Io(error) | Cause::Open(error) | Cause::Write(error) => {
                Some(error)
            }
            _ => None,
        }
    }

    fn explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.cause, self.kind) {
            (Cause::Io(error), _) => {
                let text = error.to_string();
                write!(f, "reading failed: {}", Escaped(text.as_bytes()))
            }
            (Cause::Write(error), _) => {
                let text = error.to_string();
                write!(f, "writing failed: {}", Escaped(text.as_bytes()))
            }
            (Cause::Open(error), _) => {
                write!(f, "{}", Escaped(error.to_string().as_bytes()))
            }
            (Cause::Limit { limit, found }, ErrorKind::Depth) => {
                write!(f, "nested {found} deep, {limit} are allowed")
            }
            (Cause::Limit { limit, found }, ErrorKind::TooManyNodes) => {
                write!(f, "{found} values or more, {limit} are allowed")
            }
            (Cause::Limit { limit, found }, _) => {
                write!(f, "the line has {found} bytes, {limit} are allowed")
            }
            (Cause::Reason(why), _) => write!(f, "invalid JSON: {why}"),
            (Cause::Length(length), _) => {
                write!(f, "the last line breaks off after {length} bytes")
            }
            (Cause::Plain, kind) => f.write_str(match kind {
                ErrorKind::Io => "reading failed",
                ErrorKind::LineTooLong => "the line is too long",
                ErrorKind::Encoding => "this is UTF-16, not UTF-8",
                ErrorKind::Utf8 => "invalid UTF-8",
                ErrorKind::Syntax => "invalid JSON",
                ErrorKind::Depth => "nested too deeply",
                ErrorKind::TooManyNodes => "too many values",
                ErrorKind::NotAnObject => "not a JSON object",
                ErrorKind::DuplicateKey => "a deciding key occurs twice",
                ErrorKind::TrailingData => "more follows the object",
                ErrorKind::Truncated => "the last line breaks off",
            }),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(self.cause, Cause::Open(_)) {
            write!(f, "{}: ", self.position)?;
        }
        fmt::Display::fmt(&self.reason(), f)
    }
}

/// See [`Error::reason`].
struct Reason<'e>(&'e Error);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reason(error) = self;
        error.explain(f)?;
        error.snippet().map_or(Ok(()), |text| write!(f, ", at `{text}`"))
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.io_error().map(|error| error as _)
    }
}

/// An I/O error stays what it was; any other is `InvalidData`.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        match error.cause {
            Cause::Io(error) | Cause::Open(error) | Cause::Write(error) => {
                error
            }
            _ => io::Error::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// A few characters of escaped text, kept in place so that making an error
/// does not allocate.
#[derive(Clone, Copy, Default)]
struct Snippet {
    /// How much of `text` is used; always a character boundary.
    len: u8,
    text: [u8; Snippet::MAX],
}

impl Snippet {
    const MAX: usize = 31;

    fn of(bytes: &[u8]) -> Snippet {
        let mut snippet = Snippet::default();
        // Twice what fits: a character that this cuts in two is not shown.
        let head = bytes.get(..2 * Self::MAX).unwrap_or(bytes);
        // A full snippet is what ends the writing, so its error is no error.
        let _ = fmt::write(&mut snippet, format_args!("{}", Escaped(head)));
        snippet
    }

    fn as_str(&self) -> &str {
        let used = self.text.get(..self.len.into()).unwrap_or_default();
        std::str::from_utf8(used).unwrap_or_default()
    }
}

impl fmt::Write for Snippet {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        for c in piece.chars() {
            let free = self.text.get_mut(self.len.into()..);
            let free = free.unwrap_or_default();
            let slot = free.get_mut(..c.len_utf8()).ok_or(fmt::Error)?;
            c.encode_utf8(slot);
            self.len += c.len_utf8() as u8;
        }
        Ok(())
    }
}

impl fmt::Debug for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_kinds_is_in_the_order_of_the_enum() {
        for (i, kind) in ErrorKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, i, "{kind}");
        }
        // The last variant is the last of the list: nothing was left out.
        assert_eq!(ErrorKind::Truncated as usize + 1, ErrorKind::ALL.len());
    }

    #[test]
    fn a_snippet_is_cut_between_characters() {
        for pad in 0..40 {
            let text = format!("{}é\u{1b}é", "x".repeat(pad));
            let whole = Escaped(text.as_bytes()).to_string();
            let snippet = Snippet::of(text.as_bytes());
            let shown = snippet.as_str();
            assert!(whole.starts_with(shown), "{shown} of {whole}");
            let room = Snippet::MAX - shown.len();
            let next = whole[shown.len()..].chars().next();
            assert!(next.is_none_or(|c| c.len_utf8() > room), "{shown}");
        }
    }

    #[test]
    fn an_error_stays_small() {
        // It travels in every `Result` that a reader returns.
        assert!(size_of::<Error>() <= 96, "{}", size_of::<Error>());
    }
}
