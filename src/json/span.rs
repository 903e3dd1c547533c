/*!
A value as it is written in its line: its text, and the byte range of that.
*/

use std::ops::Range;

use crate::json::{Repr, Source, Value};

impl<'a> Value<'a> {
    /// Returns the byte range of the value in
    /// [`Line::as_bytes`](crate::Line::as_bytes), including the quotes of a
    /// string.
    ///
    /// Returns `None` if the line was decoded, or made an
    /// [`OwnedLine`](crate::OwnedLine), since that changes the text. Takes
    /// O(1), except for numbers and literals, which are read.
    ///
    /// # Example
    ///
    /// This shows how to read a value as it is written.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"cost": 1.50, "name":"\u0061"}"#);
    /// let value = line.peek()?.value();
    /// let span = value.get("cost").and_then(|cost| cost.span()).unwrap();
    /// assert_eq!(&line.as_bytes()[span], b"1.50");
    /// let span = value.get("name").and_then(|name| name.span()).unwrap();
    /// assert_eq!(&line.as_bytes()[span], br#""\u0061""#);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn span(self) -> Option<Range<usize>> {
        match self.0 {
            Repr::Tape(_) => None,
            Repr::Text(value) => {
                let start = value.offset()?;
                Some(start..start + value.raw().len())
            }
        }
    }

    /// Returns the text of the value as it is written in its line, including
    /// the quotes of a string.
    ///
    /// Returns `None` if the line was decoded, or made an
    /// [`OwnedLine`](crate::OwnedLine), since that changes the text. Takes
    /// O(1), except for numbers and literals, which are read. The text is not
    /// checked otherwise: that of a value deep in a peeked line may not be
    /// JSON, and then it ends before the next comma or closing bracket.
    ///
    /// # Example
    ///
    /// This shows that nothing is normalised.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"cost": 1.50, "name":"\u0061"}"#);
    /// let value = line.peek()?.value();
    /// assert_eq!(value.get("cost").and_then(|cost| cost.raw()), Some("1.50"));
    /// let name = value.get("name").unwrap();
    /// assert_eq!((name.as_str(), name.raw()), (Some("a"), Some(r#""\u0061""#)));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn raw(self) -> Option<&'a str> {
        match self.0 {
            Repr::Text(value) if value.source().is_some() => Some(value.raw()),
            Repr::Tape(_) | Repr::Text(_) => None,
        }
    }

    /// Returns the line that the value is in, which may not have been checked.
    /// `None` if it was decoded, or made an `OwnedLine`.
    #[inline(always)]
    pub(crate) fn source(self) -> Option<Source<'a>> {
        match self.0 {
            Repr::Tape(_) => None,
            Repr::Text(value) => value.source(),
        }
    }
}
