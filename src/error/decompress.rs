use crate::error::{Cause, Error, ErrorKind, Position};

impl Error {
    /// Creates the error of a decompressor for data that are truncated or
    /// invalid: [`ErrorKind::Decompress`].
    ///
    /// `offset` is the number of compressed bytes before the fault. A source
    /// that decompresses returns this error from `read`, as an
    /// [`io::Error`](std::io::Error).
    /// A [`Reader`](crate::Reader) then returns it after all complete lines,
    /// with the position in the decompressed data.
    ///
    /// # Example
    ///
    /// This shows a source that fails after its first line.
    ///
    /// ```
    /// use linetape::{Error, ErrorKind, Reader};
    /// use std::io::{self, Read};
    ///
    /// struct Broken;
    ///
    /// impl Read for Broken {
    ///     fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
    ///         Err(Error::decompress(17, "invalid block").into())
    ///     }
    /// }
    ///
    /// let mut reader = Reader::new((&b"{}\n{"[..]).chain(Broken));
    /// assert!(reader.next_line().unwrap().is_ok());
    /// let error = reader.next_line().unwrap().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Decompress);
    /// assert_eq!(error.compressed_offset(), Some(17));
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 2 (byte 4): decompression failed: invalid block, at \
    ///      compressed byte 17"
    /// );
    /// assert!(reader.next_line().is_none());
    /// ```
    pub fn decompress(offset: u64, reason: impl Into<String>) -> Error {
        let reason = reason.into().into_boxed_str();
        let error = Error::new(ErrorKind::Decompress, Position::START);
        let cause = Cause::Decompress(Box::new((offset, reason)));
        Error { cause, ..error }
    }

    /// Returns the number of compressed bytes before the fault, if the source
    /// could not be decompressed.
    pub fn compressed_offset(&self) -> Option<u64> {
        match &self.cause {
            Cause::Decompress(failure) => Some(failure.0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Only an error of a decompressor is taken out of an I/O error.
    #[test]
    fn an_error_of_the_source_stays_an_io_error() {
        let at = Position::new(2, 7);
        let syntax = Error::syntax(Position::START, "expected a value");
        let error = Error::io(syntax.into(), at);
        assert_eq!((error.kind(), error.position()), (ErrorKind::Io, at));
        let text = "line 2 (byte 7): reading failed: line 1 (byte 0): \
                    invalid JSON: expected a value";
        assert_eq!(error.to_string(), text);

        let broken = Error::decompress(5, "a\u{1b}b");
        assert!(!broken.is_recoverable());
        let error = Error::io(broken.into(), at);
        assert_eq!(error.kind(), ErrorKind::Decompress);
        assert_eq!(error.position(), at);
        let text = "decompression failed: a\\u{1b}b, at compressed byte 5";
        assert_eq!(error.reason().to_string(), text);
        let io = io::Error::from(error);
        assert_eq!(io.kind(), io::ErrorKind::InvalidData);
    }
}
