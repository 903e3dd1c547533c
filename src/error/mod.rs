/*!
The one error type.

A [`LineError`] is about a line, and does not allocate: a line that is skipped
is only counted. [`Error`] is what a caller gets: a box, so that a `Result` with
it is small.
*/

#[cfg(feature = "serde")]
mod data;
mod kernel;
mod kind;
mod line_error;
mod position;
#[cfg(feature = "serde")]
mod serial;

use std::{
    error, fmt, io,
    path::{Path, PathBuf},
};

#[cfg(feature = "serde")]
pub(crate) use data::Misfit;
pub use kind::ErrorKind;
pub(crate) use line_error::{GOES_ON, LineError};
pub use position::Position;

use crate::{
    error::line_error::{Detail, Snippet},
    escape::Escaped,
};

/// An error with its kind, its position and a reason.
///
/// Most errors are about one line. If an error [is recoverable], the next call
/// to the reader continues with the next line.
///
/// An error is one allocation. A line that is skipped by
/// [`skip_bad_lines`](crate::ReaderBuilder::skip_bad_lines) is counted without
/// one.
///
/// [is recoverable]: Error::is_recoverable
///
/// # Example
///
/// This shows the kind, position and text of an error.
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
///     "line 2 (byte 3): line too long: 24 bytes, limit 16"
/// );
/// assert!(reader.next_line().unwrap().is_ok());
/// ```
pub struct Error(Box<Parts>);

struct Parts {
    kind: ErrorKind,
    /// `None` if the error is not about a position in a stream.
    position: Option<Position>,
    cause: Cause,
    snippet: Snippet,
    path: Option<PathBuf>,
    /// The whole line, if the reader keeps bad lines.
    raw: Option<Box<[u8]>>,
}

/// What has happened.
#[derive(Debug)]
enum Cause {
    /// A line is bad.
    Line(Detail),
    /// The system has reported an error.
    Io(io::Error, Doing),
    /// What the text says.
    Text(Box<str>),
    /// A value does not match the caller's type.
    #[cfg(feature = "serde")]
    Misfit(Misfit),
}

/// What the system has been asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Opening a file for a reader.
    Open,
    /// Reading a source.
    Read,
    /// Writing to a sink.
    #[cfg_attr(not(feature = "serde"), expect(dead_code))]
    Write,
    /// Anything else, with a file or a folder as a whole.
    Use,
}

impl Error {
    /// Creates an error that is not about a line. For crates that are built on
    /// this one.
    ///
    /// # Example
    ///
    /// This shows the text of the error.
    ///
    /// ```
    /// use linetape::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::InvalidInput, "unknown rule `x`");
    /// assert_eq!(error.to_string(), "unknown rule `x`");
    /// assert_eq!(error.kind(), ErrorKind::InvalidInput);
    /// assert!(error.io_error().is_none());
    /// ```
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        let text = text.into().into_boxed_str();
        Error::of(kind, Cause::Text(text))
    }

    fn of(kind: ErrorKind, cause: Cause) -> Error {
        Error(Box::new(Parts {
            kind,
            position: None,
            cause,
            snippet: Snippet::default(),
            path: None,
            raw: None,
        }))
    }

    /// Creates the error for a source that fails, unless the source has
    /// created it itself: a decompressor does.
    pub(crate) fn io(error: io::Error, position: Position) -> Error {
        Error::from(error).with_position(position)
    }

    pub(crate) fn open(path: &Path, error: io::Error) -> Error {
        let error = Error::of(ErrorKind::Io, Cause::Io(error, Doing::Open));
        error.with_path(path)
    }

    /// Creates the error for an unknown name. `what` is the sort of item, such
    /// as "kernel".
    pub(crate) fn unknown_name(what: &str, name: &str) -> Error {
        let text = format!("unknown {what} `{name}`");
        Error::new(ErrorKind::InvalidInput, text)
    }

    #[cfg(feature = "serde")]
    pub(crate) fn write(error: io::Error, position: Position) -> Error {
        let error = Error::of(ErrorKind::Io, Cause::Io(error, Doing::Write));
        error.with_position(position)
    }

    /// Adds the path of the file or folder that the error is about as a whole.
    ///
    /// # Example
    ///
    /// This shows the text of the error, and its parts.
    ///
    /// ```
    /// use std::{io, path::Path};
    ///
    /// let failed = io::Error::other("another process uses this file");
    /// let error = linetape::Error::from(failed).with_path("logs.state");
    /// assert_eq!(
    ///     error.to_string(),
    ///     "logs.state: another process uses this file"
    /// );
    /// assert_eq!(error.file_path(), Some(Path::new("logs.state")));
    /// assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::Other);
    /// ```
    pub fn with_path(mut self, path: impl Into<PathBuf>) -> Error {
        if let Cause::Io(_, doing @ Doing::Read) = &mut self.0.cause {
            *doing = Doing::Use;
        }
        self.0.path = Some(path.into());
        self
    }

    /// Sets the position in the stream that the error is about.
    pub fn with_position(mut self, position: Position) -> Error {
        self.0.position = Some(position);
        self
    }

    /// Returns the same error with its position, if it has one, moved by
    /// `lines` and `bytes`.
    ///
    /// Use it after reading a part of a log by itself, to turn positions in
    /// the part into positions in the whole.
    ///
    /// # Example
    ///
    /// This shows an error in a part that begins with line 11, at byte 700.
    ///
    /// ```
    /// let mut part = linetape::lines(b"{}\noops\n");
    /// part.next_record();
    /// let error = part.next_record().unwrap().unwrap_err();
    /// let error = error.moved_by(10, 700);
    /// assert_eq!(error.position().to_string(), "line 12 (byte 703)");
    /// ```
    pub fn moved_by(mut self, lines: u64, bytes: u64) -> Error {
        let position = self.0.position;
        self.0.position = position.map(|at| at.moved_by(lines, bytes));
        self
    }

    /// Adds the beginning of `text` for [`Error::snippet`].
    pub(crate) fn with_snippet(mut self, text: &[u8]) -> Error {
        self.0.snippet = Snippet::of(text);
        self
    }

    pub(crate) fn with_raw(mut self, line: &[u8]) -> Error {
        self.0.raw = Some(line.into());
        self
    }

    /// Returns the bytes of the whole line, if the reader
    /// [keeps](crate::ReaderBuilder::keep_raw) them.
    pub fn raw(&self) -> Option<&[u8]> {
        self.0.raw.as_deref()
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the position of the error.
    ///
    /// | error | position |
    /// |---|---|
    /// | line too long or truncated | the start of the line |
    /// | the source failed, or cannot be decompressed | the end of the bytes read so far |
    /// | a value does not match the caller's type | the start of the value |
    /// | any other error in a line | the first wrong byte |
    /// | not about a line | [`Position::START`], and its text names no line |
    ///
    /// A value of a decoded record does not know its line, so an error of
    /// `Value::deserialize` for it has no position. Use `Record::deserialize`
    /// instead.
    pub fn position(&self) -> Position {
        self.0.position.unwrap_or(Position::START)
    }

    /// Returns the text of the error without the position.
    ///
    /// # Example
    ///
    /// This shows how to write the position in another format.
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

    /// Returns whether the reader or writer can continue after this error.
    ///
    /// Errors about a line, a value or an argument are recoverable, and so are
    /// `WouldBlock` and `TimedOut` from the source. All others are not: any
    /// other failure of the source, a file that cannot be opened or used, any
    /// failure of the sink, and [`ErrorKind::Unsupported`].
    pub fn is_recoverable(&self) -> bool {
        use io::ErrorKind::{TimedOut, WouldBlock};
        match (&self.0.cause, self.0.kind) {
            (Cause::Io(e, Doing::Read), _) => {
                matches!(e.kind(), WouldBlock | TimedOut)
            }
            (Cause::Io(..), _) => false,
            (_, ErrorKind::Decompress | ErrorKind::Unsupported) => false,
            _ => true,
        }
    }

    /// Returns up to 31 bytes of the text at the position of the error, escaped
    /// as by [`Escaped`]. Characters that cannot be seen, such as U+FEFF and
    /// U+00A0, are escaped too. Returns `None` if the error has no snippet.
    pub fn snippet(&self) -> Option<&str> {
        Some(self.0.snippet.as_str()).filter(|text| !text.is_empty())
    }

    /// Returns the limit that was exceeded, if the error is about a limit.
    pub fn limit(&self) -> Option<u64> {
        match self.0.cause {
            Cause::Line(Detail::Limit { limit, .. }) => Some(limit),
            _ => None,
        }
    }

    /// Returns the value that exceeds the [limit](Error::limit), or the
    /// length of a truncated last line.
    pub fn found(&self) -> Option<u64> {
        match self.0.cause {
            Cause::Line(
                Detail::Limit { found, .. } | Detail::Length(found),
            ) => Some(found),
            _ => None,
        }
    }

    /// Returns the I/O error, if opening, reading or writing failed.
    pub fn io_error(&self) -> Option<&io::Error> {
        match &self.0.cause {
            Cause::Io(error, _) => Some(error),
            _ => None,
        }
    }

    /// Returns the path, if the error is about a file or a folder as a whole.
    /// An error about a line does not know its file.
    pub fn file_path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    fn explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.path.as_ref().map(|path| path.display());
        match &self.0.cause {
            Cause::Line(detail) => detail.explain(self.0.kind, f),
            Cause::Io(error, doing) => {
                let text = match (doing, path) {
                    (Doing::Open, Some(path)) => {
                        format!("cannot open {path}: {error}")
                    }
                    (_, Some(path)) => format!("{path}: {error}"),
                    (Doing::Write, None) => format!("writing failed: {error}"),
                    (_, None) => format!("reading failed: {error}"),
                };
                write!(f, "{}", Escaped::new(&text))
            }
            Cause::Text(text) => match path {
                Some(path) => {
                    let text = format!("{path}: {text}");
                    write!(f, "{}", Escaped::new(&text))
                }
                None => write!(f, "{}", Escaped::new(&**text)),
            },
            #[cfg(feature = "serde")]
            Cause::Misfit(misfit) => misfit.explain(f),
        }
    }
}

/// Shows the kind, the position and the message. A program whose `main`
/// returns this error prints this text.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("position", &self.position())
            .field("message", &format_args!("{self}"))
            .finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.0.position {
            write!(f, "{position}: ")?;
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
        match error.snippet() {
            Some(text) => write!(f, ", at `{text}`"),
            None => Ok(()),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.io_error().map(|error| error as _)
    }
}

impl From<LineError> for Error {
    #[cold]
    fn from(error: LineError) -> Error {
        let LineError { kind, position, detail, snippet } = error;
        let mut error = Error::of(kind, Cause::Line(detail));
        error.0.snippet = snippet;
        error.with_position(position)
    }
}

/// Creates an error of the kind [`ErrorKind::Io`] without a position, or
/// returns the error of the kind [`ErrorKind::Decompress`] that is in it.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        let error = match error.downcast::<Error>() {
            Ok(error) if error.kind() == ErrorKind::Decompress => {
                return error;
            }
            Ok(error) => io::Error::from(error),
            Err(error) => error,
        };
        Error::of(ErrorKind::Io, Cause::Io(error, Doing::Read))
    }
}

/// Returns the original I/O error, without the position in the stream. If the
/// error has a path, its text is that of the error, with the path.
///
/// Of the other errors, [`ErrorKind::InvalidInput`] and
/// [`ErrorKind::Unsupported`] keep their kind, and all others become
/// `InvalidData`.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        if error.0.path.is_some()
            && let Some(kind) = error.io_error().map(io::Error::kind)
        {
            return io::Error::new(kind, error.reason().to_string());
        }
        match error.0.cause {
            Cause::Io(error, _) => error,
            _ => {
                let kind = match error.0.kind {
                    ErrorKind::InvalidInput => io::ErrorKind::InvalidInput,
                    ErrorKind::Unsupported => io::ErrorKind::Unsupported,
                    _ => io::ErrorKind::InvalidData,
                };
                io::Error::new(kind, error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_is_missing_ends_everything() {
        let error = Error::new(ErrorKind::Unsupported, "no such kernel");
        assert!(!error.is_recoverable());
        assert_eq!(error.to_string(), "no such kernel");
        let kind = io::Error::from(error).kind();
        assert_eq!(kind, io::ErrorKind::Unsupported);
    }

    #[test]
    fn a_call_that_was_refused_can_be_made_again() {
        let error = Error::new(ErrorKind::InvalidInput, "blank line");
        let error = error.with_position(Position::new(3, 7));
        assert!(error.is_recoverable());
        assert_eq!(error.to_string(), "line 3 (byte 7): blank line");
        let kind = io::Error::from(error).kind();
        assert_eq!(kind, io::ErrorKind::InvalidInput);
    }

    #[test]
    fn an_error_about_a_file_has_its_path_and_no_position() {
        let kind = io::ErrorKind::PermissionDenied;
        let failed = io::Error::new(kind, "no\u{1b} access");
        let error = Error::from(failed).with_path("a/b");
        assert_eq!(error.kind(), ErrorKind::Io);
        assert_eq!(error.file_path(), Some(Path::new("a/b")));
        assert!(!error.is_recoverable());
        let text = r"a/b: no\u{1b} access";
        assert_eq!(error.to_string(), text);
        assert_eq!(error.reason().to_string(), text);
        assert_eq!(error.io_error().map(io::Error::kind), Some(kind));
        let error = io::Error::from(error);
        assert_eq!(error.kind(), kind);
        assert_eq!(error.to_string(), text);
    }

    /// It had "line 1 (byte 0)" before its text.
    #[test]
    fn an_error_of_the_system_has_no_position_by_itself() {
        let error = Error::from(io::Error::other("gone"));
        assert_eq!(error.to_string(), "reading failed: gone");
        let error = Error::io(io::Error::other("gone"), Position::new(2, 7));
        let text = "line 2 (byte 7): reading failed: gone";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn an_error_of_the_source_stays_an_io_error() {
        let at = Position::new(2, 7);
        let syntax = LineError::syntax(Position::START, "expected a value");
        let error = Error::io(Error::from(syntax).into(), at);
        assert_eq!((error.kind(), error.position()), (ErrorKind::Io, at));
        let text = "line 2 (byte 7): reading failed: line 1 (byte 0): \
                    invalid JSON: expected a value";
        assert_eq!(error.to_string(), text);

        let broken = Error::new(ErrorKind::Decompress, "a\u{1b}b");
        assert!(!broken.is_recoverable());
        let error = Error::io(broken.into(), at);
        assert_eq!(error.kind(), ErrorKind::Decompress);
        assert_eq!(error.position(), at);
        assert_eq!(error.reason().to_string(), "a\\u{1b}b");
        let io = io::Error::from(error);
        assert_eq!(io.kind(), io::ErrorKind::InvalidData);
    }
}
