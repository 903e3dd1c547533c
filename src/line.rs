use std::{cell::Cell, fmt};

use crate::{
    error::{Error, LineError, Position},
    escape::Escaped,
    json::{
        Extent, Found, Kept, Projected, Projection, Route, Rule, Source, Span,
        State, StringValues, Text, TopFault, Value, route,
    },
    lines::RawLine,
    message::{Kind, Message},
    record::{Decoder, Record},
    scan::{Either, EitherRef},
    skim::Skim,
};

/// A line that has not been decoded, borrowed from its reader.
///
/// Its bytes are those of the stream, without the line terminator.
///
/// | method | reads | checks |
/// |---|---|---|
/// | [`skim`](Line::skim) | type, or values at paths | what it reads up to them |
/// | [`kind`](Line::kind) | type and subtype | UTF-8, strings, brackets, the outermost object |
/// | [`peek`](Line::peek), [`projected`](Line::projected) | fields on demand | as `kind`, and nested values as they are read |
/// | [`strings`](Line::strings) | all string values | UTF-8, and the strings |
/// | [`check`](Line::check) | no fields | everything |
/// | [`checked`](Line::checked) | fields on demand | everything |
/// | [`decode`](Line::decode) | everything | everything |
///
/// # Example
///
/// This shows a line's bytes and position.
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
    /// The rest: the state of the reader, or, once there is an index, the line
    /// with that index, which has the state.
    rest: Cell<EitherRef<'a, State, Text<'a>>>,
}

impl<'a> Line<'a> {
    #[inline(always)]
    pub(crate) fn new(bytes: &'a [u8], state: &'a State) -> Line<'a> {
        Line { bytes, rest: Cell::new(EitherRef::first(state)) }
    }

    /// Creates a line that has been indexed, and is UTF-8.
    #[inline(always)]
    pub(crate) fn indexed(utf8: &'a str, state: &'a State) -> Line<'a> {
        let line = Line::new(utf8.as_bytes(), state);
        if let Ok(text) = line.source().indexed(utf8) {
            line.rest.set(EitherRef::second(text));
        }
        line
    }

    #[inline(always)]
    fn state(&self) -> &'a State {
        match self.rest.get().get() {
            Either::First(state) => state,
            Either::Second(text) => text.source.state,
        }
    }

    /// Returns the line for what reads its text.
    #[inline(always)]
    pub(crate) fn source(&self) -> Source<'a> {
        Source::new(self.bytes, self.state())
    }

    /// Returns the line with its index, which the first call creates, after the
    /// checks of `peek`.
    fn text(&self) -> Result<&'a Text<'a>, LineError> {
        let text = match self.rest.get().get() {
            Either::First(_) => self.source().text()?,
            Either::Second(text) => text,
        };
        self.rest.set(EitherRef::second(text));
        text.source.check_top(text)?;
        Ok(text)
    }

    /// Checks the whole line, and returns it with its index. If neither has
    /// been done before, both are done in one pass.
    fn checked_text(&self) -> Result<&'a Text<'a>, LineError> {
        match self.rest.get().get() {
            Either::First(_) => {
                let text = self.source().checked_text()?;
                self.rest.set(EitherRef::second(text));
            }
            Either::Second(text) => text.source.check()?,
        }
        self.text()
    }

    /// Counts an error about the line.
    #[cold]
    fn report(&self, error: LineError) -> Error {
        self.source().report(error)
    }

    /// Returns the type and subtype that the line states without escapes.
    /// `None` if they have to be looked for.
    #[inline]
    fn stated_kind(&self) -> Option<Kind<'a>> {
        let source = self.source();
        let State { scanner, depth, .. } = *source.state;
        let mut own = Route::default();
        let route = match source.state.found() {
            Found::Kind => &source.state.route,
            Found::Index => return None,
            Found::Nothing if source.state.unique_keys => return None,
            Found::Nothing => {
                let line = Extent::whole(source.bytes);
                let end = route(scanner, line, depth, &mut own)?;
                source.state.is_short(end).then_some(&own)?
            }
        };
        let name = source.part(route.name?)?;
        let subtype = match route.subtype {
            Some(span) => Some(source.part(span)?),
            None => None,
        };
        Some(Kind::new(Some(name), subtype))
    }

    /// Checks the line, and copies it with its index.
    pub(crate) fn kept(&self) -> Result<Kept, Error> {
        let text = self.checked_text().map_err(|error| self.report(error))?;
        Kept::new(text).ok_or_else(|| {
            debug_assert!(false, "the index is that of the line");
            self.report(text.source.explain(TopFault::Grammar))
        })
    }

    /// Returns the line as a message that reads its fields from the text.
    fn message(&self) -> Result<Message<'a>, Error> {
        let text = self.text().map_err(|error| self.report(error))?;
        Ok(Message::new(Value::of_line(text)))
    }

    /// Returns the line number, counted from 1, or 0 if it is unknown: see
    /// [`ReaderBuilder::range`](crate::ReaderBuilder::range). Blank and
    /// discarded lines count.
    #[inline]
    pub fn number(&self) -> u64 {
        self.state().position.line()
    }

    /// Returns the offset of the line's first byte in the stream.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.state().position.byte()
    }

    /// Returns the line's number and offset.
    #[inline]
    pub fn position(&self) -> Position {
        self.state().position
    }

    /// Returns the line's bytes, without the terminator.
    #[inline]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns whether a newline ends the line.
    ///
    /// Only the last line of a stream can lack one. It may be complete, or
    /// its writer may have stopped in the middle of it. Of the records that
    /// were [salvaged](crate::ReaderBuilder::salvage) from one line, the one at
    /// the end of the line has its terminator; the others count as terminated.
    #[inline]
    pub fn is_terminated(&self) -> bool {
        self.state().terminator.is_newline()
    }

    /// Returns the line's terminator: LF, CR and LF, or nothing if the stream
    /// ends without a newline. The terminator of a record that was
    /// [salvaged](crate::ReaderBuilder::salvage) before the end of a damaged
    /// line is LF.
    ///
    /// # Example
    ///
    /// This shows how to copy lines byte for byte.
    ///
    /// ```
    /// let log = b"{\"n\":1}\r\n{\"n\":2}\n{\"n\":3}";
    /// let mut copy = vec![];
    /// let mut lines = linetape::lines(log);
    /// while let Some(line) = lines.next_line() {
    ///     let line = line?;
    ///     copy.extend_from_slice(line.as_bytes());
    ///     copy.extend_from_slice(line.terminator());
    /// }
    /// assert_eq!(copy, log);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    #[inline]
    pub fn terminator(&self) -> &'static [u8] {
        self.state().terminator.as_bytes()
    }

    /// Returns the line's type and subtype.
    ///
    /// They are members of the outermost object, at any position in it. This
    /// takes one pass over the line, without decoding it, or O(1) if the
    /// reader has prepared it: see [`Level::Kind`](crate::Level::Kind).
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`peek`](Line::peek), which lists what is
    /// checked.
    ///
    /// # Example
    ///
    /// This shows how to copy the lines of one type unchanged.
    ///
    /// ```
    /// let log = br#"{"message":{"type":"message"},"type":"assistant"}
    /// {"type":"user"}
    /// "#;
    /// let mut lines = linetape::lines(log);
    /// let mut out = vec![];
    /// while let Some(line) = lines.next_line() {
    ///     let line = line?;
    ///     if line.kind()?.is("assistant") {
    ///         out.extend_from_slice(line.as_bytes());
    ///         out.push(b'\n');
    ///     }
    /// }
    /// assert_eq!(out, log[..50]);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    #[inline]
    pub fn kind(&self) -> Result<Kind<'a>, Error> {
        match self.stated_kind() {
            Some(kind) => Ok(kind),
            None => Ok(self.message()?.kind()),
        }
    }

    /// Returns a view that reads only as much of the line as a request needs,
    /// and checks nothing after that.
    ///
    /// [`Skim`] says when this is right, and has an example.
    #[inline]
    pub fn skim(&self) -> Skim<'a> {
        Skim::new(self.source())
    }

    /// Returns the line as a typed message that reads its fields from the
    /// text, on demand.
    ///
    /// For a line that can be decoded, this [`Message`] has the same values
    /// as the one from [`decode`](Line::decode). The first call indexes the
    /// line in one pass, unless the reader has done so; a field is read when
    /// its method is called. A string without escapes is borrowed from the
    /// line. A string with escapes is unescaped again on each access. Keep the
    /// `&str` if you need it twice; it lives as long as the line.
    ///
    /// This checks that
    ///
    /// - the line is UTF-8,
    /// - all strings and brackets are closed, within the depth limit,
    /// - the outermost object follows the grammar: keys, numbers, literals
    ///   and punctuation,
    /// - `type` and `subtype` are readable and occur at most once.
    ///
    /// Nested strings, objects and arrays are checked only when they are read:
    /// an invalid value reads as `None` or ends a list early, and
    /// [`Value::check`] returns the error. A string with a lone surrogate reads
    /// as `None`, too, but [`Value::as_str_lossy`] returns it. To check everything first, use
    /// [`checked`](Line::checked).
    ///
    /// # Errors
    ///
    /// Returns the error that `decode` would return if one of those checks
    /// fails.
    ///
    /// # Example
    ///
    /// This shows how to add up tokens.
    ///
    /// ```
    /// let log = br#"{"type":"assistant","message":{"usage":
    /// {"input_tokens":3}}}"#.map(|byte| if byte == b'\n' { b' ' } else { byte });
    /// let mut lines = linetape::lines(&log);
    /// let line = lines.next_line().unwrap()?;
    /// let usage = line.peek()?.usage();
    /// assert_eq!(usage.and_then(|usage| usage.input_tokens()), Some(3));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn peek(&self) -> Result<Message<'a>, Error> {
        self.message()
    }

    /// Checks the whole line, and returns the message that
    /// [`peek`](Line::peek) returns.
    ///
    /// Use it for messages that you convert to owned messages, serialise or
    /// write: `into_owned`, `Serialize` and `Writer` then do not check the line
    /// again. The line is checked and indexed in one pass.
    ///
    /// # Errors
    ///
    /// Returns the error that [`decode`](Line::decode) would return if the
    /// line is invalid.
    ///
    /// # Example
    ///
    /// This shows how to keep the messages of one type.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// let log = br#"{"type":"user","message":{"content":"Hi"}}
    /// {"type":"user","message":{"content":[1,,2]}}
    /// "#;
    /// let mut lines = linetape::lines(log);
    /// let (mut kept, mut bad) = (vec![], 0);
    /// while let Some(line) = lines.next_line() {
    ///     match line?.checked() {
    ///         Ok(message) => kept.push(message.into_owned()),
    ///         Err(_) => bad += 1,
    ///     }
    /// }
    /// assert_eq!((kept.len(), bad), (1, 1));
    /// # }
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn checked(&self) -> Result<Message<'a>, Error> {
        let text = self.checked_text().map_err(|error| self.report(error))?;
        Ok(Message::new(Value::of_line(text)))
    }

    /// Reads the values at several JSON Pointers in one pass over the text.
    ///
    /// The values are stored in memory of the reader, which is reused for the
    /// next line. Strings, numbers and literals are checked when they are read.
    /// If an object that a path leads through has a fault, such as a missing
    /// comma, its values, and those of objects in it, may be found or not. Call
    /// [`check`](Line::check) first where that matters.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`peek`](Line::peek).
    ///
    /// # Example
    ///
    /// This shows how to read two paths of every line.
    ///
    /// ```
    /// use linetape::{Projection, lines};
    ///
    /// let paths = Projection::new(["/type", "/n"]);
    /// let mut lines = lines(b"{\"type\":\"a\",\"n\":1}\n{\"type\":\"b\"}\n");
    /// let mut sum = 0;
    /// while let Some(line) = lines.next_line() {
    ///     let values = line?.projected(&paths)?;
    ///     sum += values.get("/n").and_then(|n| n.as_u64()).unwrap_or(0);
    /// }
    /// assert_eq!(sum, 1);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn projected<'p>(
        &self,
        projection: &'p Projection,
    ) -> Result<Projected<'a, 'p>, Error> {
        // Without the kind, building an index is cheaper than finding the kind
        // and then walking.
        if let Found::Kind = self.state().found() {
            let message = self.state().route.message.map(Span::range);
            let (source, rule) = (self.source(), Rule::Last);
            if let Some(values) = projection.sweep(source, rule, message) {
                return Ok(values);
            }
        }
        let text = self.text().map_err(|error| self.report(error))?;
        Ok(projection.read(text))
    }

    /// Returns an iterator over the line's string values, unescaped and in the
    /// order of the text. Keys are skipped.
    ///
    /// Use it to search, redact or count the text of a line: it takes one pass
    /// over the text, and makes no index. A string without escapes is borrowed
    /// from the line; the others are unescaped into memory of the reader, which
    /// is reused for the next line.
    ///
    /// On a valid line, these are all string values. An invalid line is not
    /// rejected unless one of the errors below applies: the iteration ends at
    /// an invalid string, and may return strings where the grammar allows
    /// none. A lone surrogate is returned as U+FFFD. Call [`check`](Line::check) first where that matters.
    ///
    /// # Errors
    ///
    /// Returns the error that `decode` would return if the line is not UTF-8,
    /// does not begin with `{` or exceeds the limits of its length or number
    /// of values.
    ///
    /// # Example
    ///
    /// This shows how to count the bytes of text in a log.
    ///
    /// ```
    /// let log = br#"{"type":"user","message":{"content":"Hi\n"}}"#;
    /// let mut lines = linetape::lines(log);
    /// let mut bytes = 0;
    /// while let Some(line) = lines.next_line() {
    ///     bytes += line?.strings()?.map(str::len).sum::<usize>();
    /// }
    /// assert_eq!(bytes, 7);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn strings(&self) -> Result<StringValues<'a>, Error> {
        let source = self.source();
        let line = source.utf8().map_err(|error| source.report(error))?;
        Ok(StringValues::new(source, line))
    }

    /// Checks the whole line against the grammar and the limits.
    ///
    /// This accepts exactly the lines that [`decode`](Line::decode) accepts,
    /// and takes about half the time. The result is remembered, unless it is a
    /// duplicate key: a second call is free, and a message from
    /// [`peek`](Line::peek) of a checked line has no invalid values.
    ///
    /// # Errors
    ///
    /// Returns the error that `decode` would return if the line is invalid.
    ///
    /// # Example
    ///
    /// This shows how to count the bad lines of a log.
    ///
    /// ```
    /// let mut lines = linetape::lines(b"{\"a\":[1,2]}\n{\"a\":[1,,2]}\n");
    /// let mut bad = 0;
    /// while let Some(line) = lines.next_line() {
    ///     bad += usize::from(line?.check().is_err());
    /// }
    /// assert_eq!(bad, 1);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    #[inline]
    pub fn check(&self) -> Result<(), Error> {
        self.source().ensure_checked()
    }

    /// Checks the whole line, and deserialises it into `T`, which may borrow
    /// strings from the line.
    ///
    /// This returns the same result as [`Record::deserialize`] of the decoded
    /// line, without decoding it. [`Value`] describes the serde mapping.
    ///
    /// # Errors
    ///
    /// Returns the error that [`decode`](Line::decode) would return if the
    /// line is invalid, and [`ErrorKind::Data`](crate::ErrorKind::Data) if the
    /// line does not match `T`. The latter has the [path](Error::path) of the
    /// value that does not match, and the offset of its first byte.
    ///
    /// # Example
    ///
    /// This shows how to read two fields.
    ///
    /// ```
    /// # mod serde { pub use ::serde::*; }
    /// #[derive(serde::Deserialize)]
    /// struct Mine<'a> {
    ///     #[serde(rename = "type")]
    ///     kind: &'a str,
    ///     cost: f64,
    /// }
    ///
    /// let log = br#"{"type":"result","cost":0.5}"#;
    /// let mut lines = linetape::lines(log);
    /// let line = lines.next_line().unwrap()?;
    /// let mine: Mine = line.deserialize()?;
    /// assert_eq!((mine.kind, mine.cost), ("result", 0.5));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    #[cfg(feature = "serde")]
    pub fn deserialize<T: serde::Deserialize<'a>>(&self) -> Result<T, Error> {
        let text = self.checked_text().map_err(|error| self.report(error))?;
        // The line is valid, so a mismatch with `T` is not counted as a bad
        // line.
        match Value::deserialize_line(text) {
            Ok(made) => Ok(made),
            Err(misfit) => {
                let Source { state, .. } = text.source;
                Err(state.tally.attach(misfit.into(), text.source.raw()))
            }
        }
    }

    /// Decodes the line: checks all of it and unescapes every string.
    ///
    /// This takes O(line length), and copies the line once.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not exactly one JSON object within the
    /// limits. The error has the reason and the position of the first wrong
    /// byte.
    ///
    /// # Example
    ///
    /// This shows how to decode short lines only, and the error of a bad one.
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
        Record::decode(self.source())
    }
}

impl Decoder {
    /// Returns bytes that are not part of a stream as a [`Line`], with the
    /// line number 1 and the offset 0.
    ///
    /// # Example
    ///
    /// This shows how to decode a line if it has the right type.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"type":"user","uuid":"u1"}"#);
    /// if line.kind()?.is("user") {
    ///     let record = line.decode()?;
    ///     assert_eq!(record.message().uuid(), Some("u1"));
    /// }
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn line<'a>(&'a mut self, line: &'a [u8]) -> Line<'a> {
        let raw = RawLine::alone(line);
        self.state.unique_keys = false;
        self.state.begin_new(raw);
        Line::new(line, &self.state)
    }
}

impl fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Escaped::new(self.as_bytes());
        write!(f, "Line({}: `{text}`)", self.position())
    }
}
