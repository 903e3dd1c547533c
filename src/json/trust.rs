/*!
The trust methods of [`Value`]: whether its line has been checked, and the error
if the line is invalid.
*/

#[cfg(feature = "owned")]
use serde::de::Error as _;

#[cfg(feature = "owned")]
use crate::error::Misfit;
use crate::{
    error::Error,
    json::{Repr, Source, Value, find_value_fault},
};

impl<'a> Value<'a> {
    /// Checks the value, with all values nested in it.
    ///
    /// A value of a decoded record is always valid. A value of a
    /// [peeked](crate::Line::peek) line may be invalid, and then reads as
    /// `None`, as a missing value does. This returns the error.
    ///
    /// Takes one pass over the text of the value, up to the next token. To
    /// check a whole line, use [`Line::check`](crate::Line::check), which is
    /// faster.
    ///
    /// # Errors
    ///
    /// Returns the first grammar error, with its position in the stream.
    ///
    /// # Example
    ///
    /// This shows how to distinguish a missing number from an invalid one.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"a":{"n":01},"b":{}}"#);
    /// let value = line.peek()?.value();
    /// for key in ["a", "b"] {
    ///     assert!(value.get(key).unwrap().get("n").is_none());
    /// }
    /// assert!(value.get("a").unwrap().check().is_err());
    /// assert!(value.get("b").unwrap().check().is_ok());
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn check(self) -> Result<(), Error> {
        let Repr::Text(value) = self.0 else { return Ok(()) };
        let (Some(Source { bytes, state }), Some(at)) =
            (value.source(), value.offset())
        else {
            return Ok(());
        };
        let (position, limits) = (state.position, state.limits);
        match find_value_fault(bytes, at, limits.depth_cap()) {
            None => Ok(()),
            Some(fault) => {
                Err(fault.into_error(bytes, position, true, limits).into())
            }
        }
    }

    /// Checks the whole line of the value, unless that has been done. All
    /// code that owns, writes or deserialises a value calls this first,
    /// because lists of an invalid line may end early.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return.
    #[inline]
    pub(crate) fn ensure_checked(self) -> Result<(), Error> {
        self.source().map_or(Ok(()), Source::ensure_checked)
    }

    /// Records that this value is not JSON.
    #[cfg(feature = "owned")]
    #[cold]
    pub(crate) fn note_fault(self) {
        debug_assert!(self.source().is_some(), "decoded values are good");
        if let Some(source) = self.source() {
            source.note_fault();
        }
    }

    /// Returns whether the line of the value has passed the full check. Does
    /// not run it.
    #[cfg(feature = "owned")]
    pub(crate) fn is_known_good(self) -> bool {
        self.source().is_none_or(Source::is_known_good)
    }

    /// Returns whether this is the outermost value of its line.
    #[cfg(feature = "owned")]
    pub(crate) fn is_whole_line(self) -> bool {
        match self.0 {
            Repr::Tape(_) => true,
            Repr::Text(value) => value.is_top(),
        }
    }

    /// Returns the error for a value that should be an object.
    #[cfg(feature = "owned")]
    #[cold]
    pub(crate) fn not_an_object(self) -> Error {
        let text = format!("expected an object, found {}", self.json_type());
        let mut misfit = Misfit::custom(text);
        match self.0 {
            Repr::Tape(nodes) => misfit.or_at_node(nodes.address()),
            Repr::Text(value) => misfit.or_at(value.position()),
        }
        misfit.into()
    }

    /// Ends a walk that has read every value of the line.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return if the walk or
    /// an earlier access has found a fault.
    #[cfg(feature = "owned")]
    pub(crate) fn end_walk(self) -> Result<(), Error> {
        self.source().map_or(Ok(()), Source::end_walk)
    }

    /// Returns whether the line of the value passes the full check, which the
    /// first call runs.
    pub(crate) fn is_valid_line(self) -> bool {
        self.source().is_none_or(Source::is_good)
    }

    /// Returns the text of the value if its line fails the full check, which
    /// the first call runs.
    pub(crate) fn untrusted_text(self) -> Option<&'a str> {
        if self.is_valid_line() { None } else { self.raw() }
    }
}
