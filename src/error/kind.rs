use std::{fmt, str::FromStr};

use crate::error::Error;

/// The kind of an [`Error`].
///
/// A kind has a stable name for reports: [`as_str`](ErrorKind::as_str) and
/// `Display` return it, `FromStr` parses it. With the feature `owned`, it
/// serialises as that name.
///
/// # Example
///
/// This shows the name of a kind.
///
/// ```
/// use linetape::ErrorKind;
///
/// assert_eq!(ErrorKind::LineTooLong.as_str(), "line_too_long");
/// assert_eq!("line_too_long".parse::<ErrorKind>()?, ErrorKind::LineTooLong);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading from the source, or writing to the sink, failed.
    Io,
    /// The line is longer than [`Limits::max_line`](crate::Limits::max_line).
    LineTooLong,
    /// The stream begins with the byte order mark of UTF-16.
    Encoding,
    /// The line is not UTF-8.
    Utf8,
    /// The line is not valid JSON.
    Syntax,
    /// The line is nested deeper than
    /// [`Limits::max_depth`](crate::Limits::max_depth).
    Depth,
    /// The line has more values and keys than
    /// [`Limits::max_nodes`](crate::Limits::max_nodes).
    TooManyNodes,
    /// The line is not a JSON object: it does not begin with `{`.
    NotAnObject,
    /// The key `type` or `subtype` occurs twice in the outermost object, or a
    /// key of the JSON Pointer of an [`Edit`](crate::Edit) twice in its object.
    DuplicateKey,
    /// There is text after the JSON object, on the same line.
    TrailingData,
    /// The last line of the stream is incomplete.
    Truncated,
    /// An argument is invalid, such as a line that contains a newline.
    /// Nothing was read or written.
    InvalidInput,
    /// The CPU does not support the requested SIMD instruction set.
    Unsupported,
    /// A value does not match the caller's type. See
    /// [`Record::deserialize`](crate::Record).
    Data,
    /// A compressed source is truncated or invalid.
    Decompress,
}

impl ErrorKind {
    pub(crate) const ALL: [ErrorKind; 15] = [
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
        ErrorKind::InvalidInput,
        ErrorKind::Unsupported,
        ErrorKind::Data,
        ErrorKind::Decompress,
    ];

    /// Returns the kind's name in JSON reports.
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
            ErrorKind::InvalidInput => "invalid_input",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Data => "data",
            ErrorKind::Decompress => "decompress",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ErrorKind {
    type Err = Error;

    /// Parses a name that [`as_str`](ErrorKind::as_str) returns.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::InvalidInput`] for any other text.
    fn from_str(name: &str) -> Result<ErrorKind, Error> {
        let mut kinds = ErrorKind::ALL.into_iter();
        kinds
            .find(|kind| kind.as_str() == name)
            .ok_or_else(|| Error::unknown_name("error kind", name))
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
        // The last variant is the last of the list, so none is missing.
        assert_eq!(ErrorKind::Decompress as usize + 1, ErrorKind::ALL.len());
    }

    #[test]
    fn a_kind_is_read_from_its_name_and_from_no_other() {
        for kind in ErrorKind::ALL {
            assert_eq!(kind.as_str().parse::<ErrorKind>().unwrap(), kind);
        }
        let error = "Syntax".parse::<ErrorKind>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), "unknown error kind `Syntax`");
    }
}
