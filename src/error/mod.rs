#[cfg(feature = "serde")]
mod data;
mod decompress;
mod kernel;
mod kind;
mod position;
#[cfg(feature = "serde")]
mod serial;
mod state;

use std::{
    error, fmt, io,
    path::{Path, PathBuf},
};

#[cfg(feature = "serde")]
pub(crate) use data::Misfit;
pub use kind::ErrorKind;
pub use position::Position;

use crate::{escape::Escaped, scan::Kernel};

/// An error with its kind, its position and a reason.
///
/// Most errors are about one line. If an error [is recoverable], the next call
/// to the reader continues with the next line.
///
/// Errors about lines do not allocate, so that hostile input cannot make each
/// line cost an allocation. There are two exceptions: errors about values that
/// do not match the caller's type ([`ErrorKind::Data`]), and all errors about
/// lines if [`keep_raw`](crate::ReaderBuilder::keep_raw) is set.
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
pub struct Error {
    kind: ErrorKind,
    position: Position,
    cause: Cause,
    snippet: Snippet,
    /// The whole line, if the reader keeps bad lines.
    raw: Option<Box<[u8]>>,
}

/// Details of an error beyond its kind.
#[derive(Debug)]
enum Cause {
    /// No details.
    Plain,
    /// A limit, and the value that exceeds it.
    Limit { limit: u64, found: u64 },
    /// What the grammar expected.
    Reason(&'static str),
    /// The length of a truncated line.
    Length(u64),
    /// The source failed.
    Io(io::Error),
    /// The file could not be opened.
    Open(io::Error),
    /// A file or folder as a whole, and what failed. Boxed, because it is
    /// larger than the others.
    File(Box<(PathBuf, io::Error)>),
    /// A compressed source is invalid, at this offset in the compressed bytes.
    /// Boxed, because it is rare and larger than the others.
    Decompress(Box<(u64, Box<str>)>),
    /// The sink failed.
    #[cfg_attr(not(feature = "serde"), expect(dead_code))]
    Write(io::Error),
    /// The caller passed an invalid argument.
    Misuse(Misuse),
    /// A caller of a dependent crate passed an invalid argument.
    Argument(Box<str>),
    /// The CPU cannot run this kernel.
    Kernel(Kernel),
    /// A value does not match the caller's type.
    #[cfg(feature = "serde")]
    Misfit(Misfit),
}

/// An invalid argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Misuse {
    /// The line contains a newline, at this offset.
    #[cfg_attr(not(feature = "serde"), expect(dead_code))]
    Newline(usize),
    /// The line is blank.
    #[cfg_attr(not(any(feature = "serde", test)), expect(dead_code))]
    Blank,
    /// An unknown name of the given sort of item, such as "kernel".
    UnknownName(&'static str),
    /// Bytes that are not a saved state, for this reason.
    State(&'static str),
    /// An edit of a line that cannot be made, and the reason.
    Edit(&'static str),
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, position: Position) -> Error {
        let (cause, snippet) = (Cause::Plain, Snippet::default());
        Error { kind, position, cause, snippet, raw: None }
    }

    /// Creates the error for a source that fails, unless the source has
    /// created it itself: see [`Error::decompress`].
    pub(crate) fn io(error: io::Error, position: Position) -> Error {
        let error = match error.downcast::<Error>() {
            Ok(error) if error.kind == ErrorKind::Decompress => {
                return error.moved_to(position);
            }
            Ok(error) => io::Error::from(error),
            Err(error) => error,
        };
        let cause = Cause::Io(error);
        Error { cause, ..Error::new(ErrorKind::Io, position) }
    }

    pub(crate) fn open(path: &Path, error: &io::Error) -> Error {
        let text = format!("cannot open {}: {error}", path.display());
        let cause = Cause::Open(io::Error::new(error.kind(), text));
        Error { cause, ..Error::new(ErrorKind::Io, Position::START) }
    }

    pub(crate) fn unsupported(kernel: Kernel) -> Error {
        let error = Error::new(ErrorKind::Unsupported, Position::START);
        Error { cause: Cause::Kernel(kernel), ..error }
    }

    pub(crate) fn misuse(misuse: Misuse, position: Position) -> Error {
        let error = Error::new(ErrorKind::InvalidInput, position);
        Error { cause: Cause::Misuse(misuse), ..error }
    }

    /// Creates the error for an edit at a pointer with a duplicate key, whose
    /// second occurrence is at `position`.
    pub(crate) fn duplicate_in_edit(key: &str, position: Position) -> Error {
        let cause = Cause::Misuse(Misuse::Edit("duplicate key"));
        let error = Error::new(ErrorKind::DuplicateKey, position);
        Error { cause, ..error }.with_snippet(key.as_bytes())
    }

    /// Creates an error about an invalid argument, with the kind
    /// [`ErrorKind::InvalidInput`] and without a position. For crates that are
    /// built on this one.
    ///
    /// # Example
    ///
    /// This shows the text of the error.
    ///
    /// ```
    /// let error = linetape::Error::invalid_input("unknown rule `x`");
    /// assert_eq!(error.to_string(), "unknown rule `x`");
    /// assert!(error.io_error().is_none());
    /// ```
    pub fn invalid_input(reason: impl Into<String>) -> Error {
        let cause = Cause::Argument(reason.into().into_boxed_str());
        Error { cause, ..Error::new(ErrorKind::InvalidInput, Position::START) }
    }

    /// Creates an error about a file or a folder as a whole, with the kind
    /// [`ErrorKind::Io`], the path and no position. For crates that are built
    /// on this one.
    ///
    /// # Example
    ///
    /// This shows the text of the error, and its parts.
    ///
    /// ```
    /// use std::{io, path::Path};
    ///
    /// let failed = io::Error::other("another process uses this file");
    /// let error = linetape::Error::file("logs.state", failed);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "logs.state: another process uses this file"
    /// );
    /// assert_eq!(error.file_path(), Some(Path::new("logs.state")));
    /// assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::Other);
    /// ```
    pub fn file(path: impl Into<PathBuf>, error: io::Error) -> Error {
        let cause = Cause::File(Box::new((path.into(), error)));
        Error { cause, ..Error::new(ErrorKind::Io, Position::START) }
    }

    /// Creates the error for an unknown name. `what` is the sort of item, such
    /// as "kernel".
    pub(crate) fn unknown_name(what: &'static str, name: &str) -> Error {
        let misuse = Misuse::UnknownName(what);
        let error = Error::misuse(misuse, Position::START);
        error.with_snippet(name.as_bytes())
    }

    #[cfg(feature = "serde")]
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

    /// Returns the same error with its position moved by `lines` and `bytes`.
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
    pub fn moved_by(self, lines: u64, bytes: u64) -> Error {
        let position = self.position.moved_by(lines, bytes);
        self.moved_to(position)
    }

    /// Adds the beginning of `text` for [`Error::snippet`].
    pub(crate) fn with_snippet(self, text: &[u8]) -> Error {
        Error { snippet: Snippet::of(text), ..self }
    }

    pub(crate) fn with_raw(self, line: &[u8]) -> Error {
        Error { raw: Some(line.into()), ..self }
    }

    /// Returns the bytes of the whole line, if the reader
    /// [keeps](crate::ReaderBuilder::keep_raw) them.
    pub fn raw(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the position of the error.
    ///
    /// | error | position |
    /// |---|---|
    /// | line too long or truncated | the start of the line |
    /// | the source failed, or cannot be decompressed | the end of the bytes read so far |
    /// | a value does not match the caller's type | the start of the value |
    /// | any other error in a line | the first wrong byte |
    /// | not about a line | [`Position::START`] |
    ///
    /// A value of a decoded record does not know its line, so an error of
    /// `Value::deserialize` for it has [`Position::START`]. Use
    /// `Record::deserialize` instead.
    pub fn position(&self) -> Position {
        self.position
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
    /// other failure of the source, a file that cannot be opened, an error about
    /// [a file](Error::file) as a whole, any failure of the sink, and
    /// [`ErrorKind::Unsupported`].
    pub fn is_recoverable(&self) -> bool {
        use io::ErrorKind::{TimedOut, WouldBlock};
        match &self.cause {
            Cause::Io(e) => matches!(e.kind(), WouldBlock | TimedOut),
            Cause::Open(_) | Cause::Write(_) | Cause::Kernel(_) => false,
            Cause::Decompress(_) | Cause::File(_) => false,
            _ => true,
        }
    }

    /// Returns up to 31 bytes of the text at the position of the error,
    /// escaped by [`Escaped`]. Returns `None` if the error has no snippet.
    pub fn snippet(&self) -> Option<&str> {
        Some(self.snippet.as_str()).filter(|text| !text.is_empty())
    }

    /// Returns the limit that was exceeded, if the error is about a limit.
    pub fn limit(&self) -> Option<u64> {
        match self.cause {
            Cause::Limit { limit, .. } => Some(limit),
            _ => None,
        }
    }

    /// Returns the value that exceeds the [limit](Error::limit), or the
    /// length of a truncated last line.
    pub fn found(&self) -> Option<u64> {
        match self.cause {
            Cause::Limit { found, .. } | Cause::Length(found) => Some(found),
            _ => None,
        }
    }

    /// Returns the I/O error, if opening, reading or writing failed.
    pub fn io_error(&self) -> Option<&io::Error> {
        match &self.cause {
            Cause::Io(error) | Cause::Open(error) | Cause::Write(error) => {
                Some(error)
            }
            Cause::File(about) => Some(&about.1),
            _ => None,
        }
    }

    /// Returns the path, if the error is about [a file](Error::file) or a
    /// folder as a whole. An error about a line does not know its file.
    pub fn file_path(&self) -> Option<&Path> {
        match &self.cause {
            Cause::File(about) => Some(&about.0),
            _ => None,
        }
    }

    /// Returns whether the error is about a position in a stream.
    fn has_position(&self) -> bool {
        match &self.cause {
            Cause::Open(_) | Cause::Argument(_) | Cause::Kernel(_) => false,
            Cause::File(_) => false,
            Cause::Misuse(Misuse::UnknownName(_) | Misuse::State(_)) => false,
            #[cfg(feature = "serde")]
            Cause::Misfit(misfit) => misfit.has_position(),
            _ => true,
        }
    }

    fn explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.cause, self.kind) {
            (Cause::Io(error), _) => {
                let text = error.to_string();
                write!(f, "reading failed: {}", Escaped::new(&text))
            }
            (Cause::Write(error), _) => {
                let text = error.to_string();
                write!(f, "writing failed: {}", Escaped::new(&text))
            }
            (Cause::Open(error), _) => {
                write!(f, "{}", Escaped::new(&error.to_string()))
            }
            (Cause::File(about), _) => {
                let (path, error) = &**about;
                let text = format!("{}: {error}", path.display());
                write!(f, "{}", Escaped::new(&text))
            }
            (Cause::Argument(reason), _) => {
                write!(f, "{}", Escaped::new(&**reason))
            }
            (Cause::Limit { limit, found }, ErrorKind::Depth) => {
                write!(f, "nesting too deep: {found} levels, limit {limit}")
            }
            (Cause::Limit { limit, found }, ErrorKind::TooManyNodes) => {
                write!(f, "too many values: {found} or more, limit {limit}")
            }
            (Cause::Limit { limit, found }, _) => {
                write!(f, "line too long: {found} bytes, limit {limit}")
            }
            (Cause::Reason(why), _) => write!(f, "invalid JSON: {why}"),
            (Cause::Length(length), _) => {
                write!(
                    f,
                    "unexpected end of input: last line is truncated after \
                     {length} bytes"
                )
            }
            (Cause::Decompress(failure), _) => {
                let (offset, reason) = &**failure;
                let reason = Escaped::new(&**reason);
                write!(
                    f,
                    "decompression failed: {reason}, at compressed byte \
                     {offset}"
                )
            }
            (Cause::Misuse(misuse), _) => misuse.explain(f),
            (Cause::Kernel(kernel), _) => {
                write!(f, "kernel {kernel} not supported by this CPU")
            }
            #[cfg(feature = "serde")]
            (Cause::Misfit(misfit), _) => misfit.explain(f),
            (Cause::Plain, kind) => f.write_str(match kind {
                ErrorKind::Io => "reading failed",
                ErrorKind::LineTooLong => "line too long",
                ErrorKind::Encoding => "UTF-16 input; expected UTF-8",
                ErrorKind::Utf8 => "invalid UTF-8",
                ErrorKind::Syntax => "invalid JSON",
                ErrorKind::Depth => "nesting too deep",
                ErrorKind::TooManyNodes => "too many values",
                ErrorKind::NotAnObject => "not a JSON object",
                ErrorKind::DuplicateKey => "duplicate `type` or `subtype` key",
                ErrorKind::TrailingData => {
                    "trailing data after the JSON object"
                }
                ErrorKind::Truncated => {
                    "unexpected end of input: last line is truncated"
                }
                ErrorKind::InvalidInput => "invalid input",
                ErrorKind::Unsupported => "unsupported by this CPU",
                ErrorKind::Data => "invalid data",
                ErrorKind::Decompress => "decompression failed",
            }),
        }
    }
}

impl Misuse {
    fn explain(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misuse::Newline(at) => {
                write!(f, "newline in a record, at byte {at}")
            }
            Misuse::Blank => f.write_str("blank line instead of a record"),
            Misuse::UnknownName(what) => write!(f, "unknown {what}"),
            Misuse::State(why) => write!(f, "invalid saved state: {why}"),
            Misuse::Edit(why) => write!(f, "edit refused: {why}"),
        }
    }
}

/// Shows the kind, the position and the message. A program whose `main`
/// returns this error prints this text.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind)
            .field("position", &self.position)
            .field("message", &format_args!("{self}"))
            .finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_position() {
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
        let Some(text) = error.snippet() else { return Ok(()) };
        match error.cause {
            // The text is the name itself.
            Cause::Misuse(Misuse::UnknownName(_)) => write!(f, " `{text}`"),
            _ => write!(f, ", at `{text}`"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.io_error().map(|error| error as _)
    }
}

/// Creates an error of the kind [`ErrorKind::Io`] at [`Position::START`], or
/// returns the error of a [decompressor](Error::decompress).
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::io(error, Position::START)
    }
}

/// Returns the original I/O error, without the position in the stream. That of
/// [a file](Error::file) gets the path into its text.
///
/// Of the other errors, [`ErrorKind::InvalidInput`] and
/// [`ErrorKind::Unsupported`] keep their kind, and all others become
/// `InvalidData`.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        match error.cause {
            Cause::Io(error) | Cause::Open(error) | Cause::Write(error) => {
                error
            }
            Cause::File(about) => {
                let (path, error) = *about;
                let text = format!("{}: {error}", path.display());
                io::Error::new(error.kind(), text)
            }
            _ => {
                let kind = match error.kind {
                    ErrorKind::InvalidInput => io::ErrorKind::InvalidInput,
                    ErrorKind::Unsupported => io::ErrorKind::Unsupported,
                    _ => io::ErrorKind::InvalidData,
                };
                io::Error::new(kind, error)
            }
        }
    }
}

/// A few characters of escaped text, stored inline so that an error does not
/// allocate.
#[derive(Clone, Copy, Default)]
struct Snippet {
    /// The used length of `text`, always a character boundary.
    len: u8,
    text: [u8; Snippet::MAX],
}

impl Snippet {
    const MAX: usize = 31;

    fn of(bytes: &[u8]) -> Snippet {
        let mut snippet = Snippet::default();
        // Reads more bytes than fit, so that a character that is cut in two
        // here is never shown.
        let head = bytes.get(..2 * Self::MAX).unwrap_or(bytes);
        // A full snippet ends the write with an error that can be ignored.
        let _ =
            fmt::write(&mut snippet, format_args!("{}", Escaped::new(head)));
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
    fn a_snippet_is_cut_between_characters() {
        for pad in 0..40 {
            let text = format!("{}é\u{1b}é", "x".repeat(pad));
            let whole = Escaped::new(&text).to_string();
            let snippet = Snippet::of(text.as_bytes());
            let shown = snippet.as_str();
            assert!(whole.starts_with(shown), "{shown} of {whole}");
            let room = Snippet::MAX - shown.len();
            let next = whole[shown.len()..].chars().next();
            assert!(next.is_none_or(|c| c.len_utf8() > room), "{shown}");
        }
    }

    #[test]
    fn a_kernel_that_is_missing_ends_everything() {
        let error = Error::unsupported(Kernel::Avx512);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(!error.is_recoverable());
        let text = "kernel avx512 not supported by this CPU";
        assert_eq!(error.to_string(), text);
        let kind = io::Error::from(error).kind();
        assert_eq!(kind, io::ErrorKind::Unsupported);
    }

    #[test]
    fn a_call_that_was_refused_can_be_made_again() {
        let error = Error::misuse(Misuse::Blank, Position::new(3, 7));
        assert!(error.is_recoverable());
        let text = "line 3 (byte 7): blank line instead of a record";
        assert_eq!(error.to_string(), text);
        let kind = io::Error::from(error).kind();
        assert_eq!(kind, io::ErrorKind::InvalidInput);
    }

    #[test]
    fn an_error_about_a_file_has_its_path_and_no_position() {
        let kind = io::ErrorKind::PermissionDenied;
        let failed = io::Error::new(kind, "no\u{1b} access");
        let error = Error::file("a/b", failed);
        assert_eq!(error.kind(), ErrorKind::Io);
        assert_eq!(error.file_path(), Some(Path::new("a/b")));
        assert!(!error.is_recoverable());
        let text = r"a/b: no\u{1b} access";
        assert_eq!(error.to_string(), text);
        assert_eq!(error.reason().to_string(), text);
        assert_eq!(error.io_error().map(io::Error::kind), Some(kind));
        let error = io::Error::from(error);
        assert_eq!(error.kind(), kind);
        assert_eq!(error.to_string(), "a/b: no\u{1b} access");
    }

    #[test]
    fn an_error_stays_small() {
        // It travels in every `Result` that a reader returns.
        assert!(size_of::<Error>() <= 96, "{}", size_of::<Error>());
    }
}
