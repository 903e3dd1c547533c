/*!
What is known about the line that a [`Value`] is from: whether it has been
checked, and what is wrong with it.
*/

#[cfg(feature = "owned")]
use crate::error::Misfit;
use crate::{
    error::Error,
    json::{Origin, Repr, Value, find_value_fault},
};

impl<'a> Value<'a> {
    /// Says why the value cannot be read.
    ///
    /// A value of a record that has been decoded is always good. One of a
    /// line that has been [peeked](crate::Line::peek) at has not been looked
    /// at before it is asked for something: if its text is not JSON, it
    /// answers with `None`, and this says why. It reads all of the value, and
    /// what stands directly behind it; to ask every value of a tree is to read
    /// each as often as it is deep. [`Line::check`](crate::Line::check) reads
    /// all of a line once.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place in the stream.
    ///
    /// # Example
    ///
    /// This shows how to tell a missing number from a bad one.
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
        match self.0 {
            Repr::Tape(_) => Ok(()),
            Repr::Text(value) => {
                let (text, at) = value.context();
                let line = text.line.as_bytes();
                let Origin { position, limits, .. } = text.origin;
                let depth = limits.depth_cap();
                match find_value_fault(line, at, depth) {
                    None => Ok(()),
                    Some(fault) => {
                        Err(fault.into_error(line, position, true, limits))
                    }
                }
            }
        }
    }

    /// Says in an error where this value is, unless the error knows a place.
    #[cfg(feature = "owned")]
    #[cold]
    pub(crate) fn place(self, misfit: Misfit) -> Misfit {
        match self.0 {
            Repr::Tape(nodes) => misfit.or_at_node(nodes.address()),
            Repr::Text(value) => {
                let (text, at) = value.context();
                misfit.or_at(text.origin.position.plus(at))
            }
        }
    }

    /// Checks the whole line that the value is from, unless that has been
    /// done. Whatever owns, writes or deserialises a value calls this first:
    /// a value of a line that is bad elsewhere reads as if it were shorter.
    ///
    /// # Errors
    ///
    /// The error that decoding the line would return.
    #[inline]
    pub(crate) fn ensure_checked(self) -> Result<(), Error> {
        match self.0 {
            Repr::Tape(_) => Ok(()),
            Repr::Text(value) => value.context().0.ensure_checked(),
        }
    }

    /// Notes that this value is not JSON.
    #[cfg(feature = "owned")]
    #[cold]
    pub(crate) fn note_fault(self) {
        match self.0 {
            Repr::Tape(_) => debug_assert!(false, "decoded values are good"),
            Repr::Text(value) => value.context().0.note_fault(),
        }
    }

    /// Whether the line that the value is from is known to be good.
    #[cfg(feature = "owned")]
    pub(crate) fn is_known_good(self) -> bool {
        match self.0 {
            Repr::Tape(_) => true,
            Repr::Text(value) => value.context().0.is_known_good(),
        }
    }

    /// Ends a walk that has read every value of the line.
    ///
    /// # Errors
    ///
    /// The error that decoding the line would return, if the walk, or one
    /// before it, met something that is not JSON.
    #[cfg(feature = "owned")]
    pub(crate) fn end_walk(self) -> Result<(), Error> {
        match self.0 {
            Repr::Tape(_) => Ok(()),
            Repr::Text(value) => value.context().0.end_walk(),
        }
    }

    /// The text of the value, if it is from a line that has failed the full
    /// check.
    pub(crate) fn untrusted_text(self) -> Option<&'a str> {
        match self.0 {
            Repr::Tape(_) => None,
            Repr::Text(value) => {
                let is_good = value.context().0.is_good();
                (!is_good).then(|| value.raw())
            }
        }
    }
}
