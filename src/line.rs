use std::fmt;

use crate::{
    error::{Error, Position},
    escape::Escaped,
    record::{Decoder, Record},
};

/// One physical line of a stream, borrowed from whatever reads it.
///
/// A line never holds its terminator, and is never blank. Its bytes are
/// exactly those of the stream: nothing has been checked or changed. To know
/// what they say, [`decode`](Line::decode) it.
///
/// # Example
///
/// This shows what a line knows about itself.
///
/// ```
/// let mut lines = linetape::lines(b"\n{\"type\":\"user\"}");
/// let line = lines.next_line().unwrap()?;
/// assert_eq!(line.as_bytes(), b"{\"type\":\"user\"}");
/// assert_eq!(line.number(), 2);
/// assert_eq!(line.offset(), 1);
/// assert!(!line.is_terminated());
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct Line<'a> {
    bytes: &'a [u8],
    position: Position,
    terminated: bool,
    decoder: &'a mut Decoder,
}

impl<'a> Line<'a> {
    #[inline]
    pub(crate) fn new(
        bytes: &'a [u8],
        position: Position,
        terminated: bool,
        decoder: &'a mut Decoder,
    ) -> Line<'a> {
        Line { bytes, position, terminated, decoder }
    }

    /// The line's number, counted from 1. Blank and discarded lines count.
    #[inline]
    pub fn number(&self) -> u64 {
        self.position.line()
    }

    /// How many bytes of the stream stand before the line.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.position.byte()
    }

    /// The line's number and offset together.
    #[inline]
    pub fn position(&self) -> Position {
        self.position
    }

    /// The line's bytes, verbatim, without the terminator.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes
    }

    /// Whether a newline ends the line.
    ///
    /// Only the last line of a stream can lack one. It may be whole all the
    /// same, or its writer may have been cut off.
    #[inline]
    pub fn is_terminated(&self) -> bool {
        self.terminated
    }

    /// Decodes the line.
    ///
    /// # Errors
    ///
    /// When the line is anything but one JSON object. What is wrong with it
    /// stands in the error with its place in the stream.
    ///
    /// # Example
    ///
    /// This shows how to look at a line before it is decoded.
    ///
    /// ```
    /// let mut lines = linetape::lines(b"{\"type\":\"user\"}\n{oops}\n");
    /// let line = lines.next_line().unwrap()?;
    /// if line.as_bytes().len() < 1000 {
    ///     assert!(line.decode()?.kind().is("user"));
    /// }
    /// let error = lines.next_line().unwrap()?.decode().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 2 (byte 17): invalid JSON: expected a key, at `oops}`"
    /// );
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn decode(self) -> Result<Record<'a>, Error> {
        self.decoder.decode_at(self.bytes, self.position, self.terminated)
    }
}

impl fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Escaped(self.bytes);
        write!(f, "Line({}: `{text}`)", self.position)
    }
}
