use std::fmt;

use crate::{
    error::Error,
    escape::Escaped,
    json::{Projected, Projection, Rule, Source, Span, Text, Value, skim},
    message::{Kind, Message},
    scan::{as_plain, unescape},
};

/// A view of a line that stops reading at the requested type or value, from
/// [`Line::skim`](crate::Line::skim).
///
/// This checks the least, and is the fastest way to read a line:
///
/// | level | checks |
/// |---|---|
/// | `skim` | where strings and brackets end, up to the requested type or value, and the strings and numbers that are read |
/// | [`peek`](crate::Line::peek) | UTF-8, all strings and brackets, the outermost object, a second `type` |
/// | [`checked`](crate::Line::checked) | everything |
/// | [`decode`](crate::Line::decode) | everything |
///
/// On a valid line, all levels return the same values, with one exception:
/// a `subtype` after a `type` that has none in the tables of
/// [`message`](crate::message) is not seen. On other lines, skimming may
/// return a value where the other levels return an error. In particular,
/// the first `type` counts, and a second one is not seen. Outside of the
/// values that are returned, brackets are counted, whichever kind they are, and
/// the [`Limits`](crate::Limits) on nesting and values are not checked.
///
/// Use it for logs that your own agent wrote, or that
/// [`Line::check`](crate::Line::check) has passed before. Do not use it for
/// untrusted logs: if a line has two `type` keys, another parser may use the
/// other one.
///
/// # Example
///
/// This shows that the text after the type is not read.
///
/// ```
/// let mut decoder = linetape::Decoder::new();
/// let line = decoder.line(br#"{"type":"user","message":{"content":"#);
/// assert!(line.skim().kind()?.is("user"));
/// assert!(line.kind().is_err());
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Skim<'a> {
    line: Source<'a>,
}

impl<'a> Skim<'a> {
    pub(crate) fn new(line: Source<'a>) -> Skim<'a> {
        Skim { line }
    }

    /// Returns the line's type and subtype.
    ///
    /// The members of the outermost object are passed over until the `type`
    /// is found. If records of that type have a subtype, or if the type is
    /// unknown, the rest is read up to the `subtype`. If a line has no `type`,
    /// all of it is read, as by [`Line::kind`](crate::Line::kind).
    ///
    /// If only the type is needed, [`projected`](Skim::projected) with the path
    /// `/type` reads less.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Line::peek`](crate::Line::peek) if the line
    /// is not an object, if there is no type, or if a string or bracket is not
    /// closed before it. If a subtype is searched, such a fault after the type
    /// may be reported or not. Other faults, such as a missing comma, are not
    /// looked for.
    ///
    /// # Example
    ///
    /// This shows that the first of two types counts.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"type":"user","type":"assistant"}"#);
    /// assert!(line.skim().kind()?.is("user"));
    /// assert!(line.kind().is_err());
    /// # Ok::<(), linetape::Error>(())
    /// ```
    #[inline]
    pub fn kind(self) -> Result<Kind<'a>, Error> {
        match self.stated_kind() {
            Some(kind) => Ok(kind),
            None => Ok(Message::new(Value::of_line(self.text()?)).kind()),
        }
    }

    /// Returns the first type and its subtype, read up to the answer. `None` if
    /// they have to be looked for with checks.
    #[inline]
    fn stated_kind(self) -> Option<Kind<'a>> {
        let Source { bytes, state } = self.line;
        let skimmed = skim(state.scanner, bytes, Message::may_have_subtype)?;
        let name = self.unescaped(skimmed.name)?;
        let subtype = match skimmed.subtype {
            Some(span) => Some(self.unescaped(span)?),
            None => None,
        };
        Some(Kind::new(Some(name), subtype))
    }

    /// Returns a string of the line. `None` if it is not valid.
    #[inline]
    fn unescaped(self, span: Span) -> Option<&'a str> {
        let Source { bytes, state } = self.line;
        if let Some(text) = as_plain(bytes.get(span.range())?) {
            return Some(text);
        }
        let text = self.line.part(span)?;
        let is_plain = |&byte: &u8| byte >= 0x20 && byte != b'\\';
        if text.as_bytes().iter().all(is_plain) {
            return Some(text);
        }
        unescape(state.scanner, text, text.len(), state.arena())
    }

    /// Reads the values at several JSON Pointers in one pass over the text,
    /// as [`Line::projected`](crate::Line::projected) does, but without its
    /// checks.
    ///
    /// If only the type and the subtype of the line are asked for, the pass
    /// ends when they are found. Other values are read up to the end of the
    /// line, since the last of duplicate keys counts. If there is a value at
    /// every path, a fault after these values is not reported. Duplicate
    /// `type` or `subtype` keys are an error, or the first one counts.
    ///
    /// A string, number or literal is checked when it is read, and the whole
    /// line when the value is converted to an owned one, serialised or
    /// written.
    ///
    /// The line is indexed, as by [`Line::projected`](crate::Line::projected),
    /// if a path is empty, has more than 16 tokens or leads into an array, if a
    /// key has escapes or a space before or after its colon, or if the line has
    /// more bytes than [`Limits`](crate::Limits) allows values.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Line::peek`](crate::Line::peek) if the line
    /// is not an object, if a string or bracket is not closed before all values
    /// are found, or if one of the values is not UTF-8, not balanced, or nested
    /// too deep. Other faults, such as a missing comma, may be reported or not.
    ///
    /// # Example
    ///
    /// This shows how to add up tokens.
    ///
    /// ```
    /// use linetape::{Projection, lines};
    ///
    /// let paths = Projection::new(["/message/usage/output_tokens"]);
    /// let mut lines = lines(br#"{"message":{"usage":{"output_tokens":5}}}"#);
    /// let line = lines.next_line().unwrap()?;
    /// let found = line.skim().projected(&paths)?;
    /// assert_eq!(found.at(0).and_then(|n| n.as_u64()), Some(5));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn projected<'p>(
        self,
        projection: &'p Projection,
    ) -> Result<Projected<'a, 'p>, Error> {
        if self.line.state.is_short(self.line.bytes.len()) {
            let rule = Rule::FirstType;
            if let Some(values) = projection.sweep(self.line, rule, None) {
                return Ok(values);
            }
        }
        Ok(projection.read(self.text()?))
    }

    /// Returns the line with its index, after the checks of `peek`.
    #[cold]
    fn text(self) -> Result<&'a Text<'a>, Error> {
        let text = self.line.text().and_then(|text| {
            self.line.check_top(text)?;
            Ok(text)
        });
        text.map_err(|error| self.line.report(error))
    }
}

impl fmt::Debug for Skim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Escaped::new(self.line.bytes);
        write!(f, "Skim({}: `{text}`)", self.line.state.position)
    }
}
