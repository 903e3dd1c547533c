use std::{
    cell::{Cell, OnceCell},
    fmt,
};

use crate::{
    error::{Error, Position},
    escape::Escaped,
    json::{Projected, Projection, Route, Text, Value},
    limits::Limits,
    lines::RawLine,
    message::{Kind, Message},
    peek::Peeker,
    record::{Decoder, Decoding, Record},
};

/// One physical line of a stream, borrowed from whatever reads it.
///
/// A line never holds its terminator, and is never blank. Its bytes are
/// exactly those of the stream: nothing has been checked or changed.
///
/// To know what they say there are two ways. [`decode`](Line::decode) reads
/// and checks everything. [`kind`](Line::kind), [`peek`](Line::peek) and
/// [`project`](Line::project) read only what is asked for, which takes less
/// time the less that is.
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
    raw: RawLine<'a>,
    /// Where its type is, if that has been found along with its end.
    route: Option<Route>,
    peeker: &'a Peeker,
    /// The line with its index, once it has been peeked at.
    text: OnceCell<&'a Text<'a>>,
    /// Whether the line has passed the full check.
    checked: Cell<bool>,
    decoding: Decoding<'a>,
}

impl<'a> Line<'a> {
    #[inline]
    pub(crate) fn new(
        raw: RawLine<'a>,
        route: Option<Route>,
        decoder: &'a mut Decoder,
    ) -> Line<'a> {
        let (peeker, decoding) = decoder.split(raw.bytes.len());
        let (text, checked) = (OnceCell::new(), Cell::new(false));
        Line { raw, route, peeker, text, checked, decoding }
    }

    /// What the line was made of, and the limits of its reader.
    pub(crate) fn found(&self) -> (RawLine<'a>, Option<Route>, Limits) {
        (self.raw, self.route, self.peeker.limits())
    }

    /// The line with its index, which is made when it is first asked for.
    fn text(&self) -> Result<&'a Text<'a>, Error> {
        match self.text.get() {
            Some(text) => Ok(text),
            None => {
                let text = self.peeker.text(self.raw)?;
                if self.checked.get() {
                    text.set_checked();
                }
                Ok(self.text.get_or_init(|| text))
            }
        }
    }

    /// The line as a message that is read from its text.
    fn message(&self) -> Result<Message<'a>, Error> {
        let text = self.text().map_err(|error| self.keep(error))?;
        Ok(Message::new(Value::of_line(text)))
    }

    #[cold]
    fn keep(&self, error: Error) -> Error {
        self.decoding.report(error, self.raw)
    }

    /// The line's number, counted from 1. Blank and discarded lines count.
    #[inline]
    pub fn number(&self) -> u64 {
        self.raw.position.line()
    }

    /// How many bytes of the stream stand before the line.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.raw.position.byte()
    }

    /// The line's number and offset together.
    #[inline]
    pub fn position(&self) -> Position {
        self.raw.position
    }

    /// The line's bytes, verbatim, without the terminator.
    #[inline]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.raw.bytes
    }

    /// Whether a newline ends the line.
    ///
    /// Only the last line of a stream can lack one. It may be whole all the
    /// same, or its writer may have been cut off.
    #[inline]
    pub fn is_terminated(&self) -> bool {
        self.raw.terminated
    }

    /// The line's type and subtype.
    ///
    /// Only the outermost object is asked, wherever in it the type stands.
    /// Nothing is decoded, and what is inside of other values is passed over:
    /// see [`peek`](Line::peek) for what is checked.
    ///
    /// # Errors
    ///
    /// As for [`peek`](Line::peek).
    ///
    /// # Example
    ///
    /// This shows how to pick the lines of one type, and pass them on as they
    /// are.
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
        if let Some(kind) = self.peeker.stated_kind(self.raw, self.route) {
            return Ok(kind);
        }
        Ok(self.peek()?.kind())
    }

    /// The line as a typed message that is read where it stands.
    ///
    /// It is the same [`Message`] that [`decode`](Line::decode) gives, and
    /// for a line that can be decoded it gives the same answers. But nothing
    /// is read before it is asked for. Strings without escapes are borrowed
    /// from the line. Others are unescaped each time they are asked for, so
    /// keep the `&str`: the memory for them is let go with the line, and not
    /// before.
    ///
    /// Peek to route, decode to trust. This checks that the line is UTF-8,
    /// that its strings and brackets are closed, no deeper than the limit,
    /// and that the outermost object follows the grammar: its keys, numbers
    /// and words, and what is between them, and that `type` and `subtype` can
    /// be read and occur once. What is in its other strings, objects and
    /// arrays is checked where it is read, and only there: what is not JSON
    /// answers with `None`, or ends a list early, and [`Value::check`] says
    /// why.
    /// [`check`](Line::check) checks everything; after that, no answer can be
    /// wrong.
    ///
    /// # Errors
    ///
    /// When one of those checks fails. The error is the one that `decode`
    /// would give.
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
    /// Use it for a message that is to be owned, serialised or written: what
    /// is known to be checked is not checked again then. It costs as much as
    /// [`check`](Line::check) and `peek` together.
    ///
    /// # Errors
    ///
    /// The error that [`decode`](Line::decode) would return.
    ///
    /// # Example
    ///
    /// This shows how to keep the messages of one type.
    ///
    /// ```
    /// # #[cfg(feature = "owned")] {
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
        self.check()?;
        self.message()
    }

    /// Reads some paths, which are JSON Pointers, together, as
    /// [`peek`](Line::peek) would. [`Projection`] has an example.
    ///
    /// The value of the first path goes to the first place of `values`, and
    /// so on; what is not there is `None`. Places without a path are set to
    /// `None`, paths without a place are not read.
    ///
    /// # Errors
    ///
    /// As for `peek`.
    pub fn project(
        &self,
        projection: &Projection,
        values: &mut [Option<Value<'a>>],
    ) -> Result<(), Error> {
        let text = self.text().map_err(|error| self.keep(error))?;
        projection.read(text, values);
        Ok(())
    }

    /// Reads some paths together, as [`project`](Line::project) does, into
    /// values that can be asked for by path.
    ///
    /// The values are kept in memory that the reader uses again for the next
    /// line, so the caller needs no array for them.
    ///
    /// # Errors
    ///
    /// As for [`peek`](Line::peek).
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
        let text = self.text().map_err(|error| self.keep(error))?;
        Ok(projection.read_all(text))
    }

    /// Checks the whole line, and makes nothing of it.
    ///
    /// This accepts the lines that [`decode`](Line::decode) accepts, and no
    /// others, in less time. After it, a message that is
    /// [peeked](Line::peek) at can be trusted as one that is decoded.
    ///
    /// # Errors
    ///
    /// The error that `decode` would give.
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
    pub fn check(&self) -> Result<(), Error> {
        if self.checked.get() {
            return Ok(());
        }
        match self.peeker.check(self.raw) {
            Ok(()) => {
                self.checked.set(true);
                if let Some(text) = self.text.get() {
                    text.set_checked();
                }
                Ok(())
            }
            Err(error) => Err(self.keep(error)),
        }
    }

    /// Checks the whole line, and reads it into a type of the caller's, which
    /// may borrow strings from it.
    ///
    /// This gives what [`Record::deserialize`] gives for the decoded line,
    /// without decoding it. [`Value`] says how types are read.
    ///
    /// # Errors
    ///
    /// The error that [`decode`](Line::decode) would give, or else
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) when the line does not fit
    /// the type. That error has the [path](Error::path) of the value that
    /// does not fit, and the byte where it begins.
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
    #[cfg(feature = "owned")]
    pub fn deserialize<T: serde::Deserialize<'a>>(&self) -> Result<T, Error> {
        self.check()?;
        let text = self.text().map_err(|error| self.keep(error))?;
        let made = Value::of_line(text).deserialize_checked();
        made.map_err(|misfit| self.keep(misfit.into()))
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
        self.decoding.decode(self.raw)
    }
}

impl Decoder {
    /// A line that is not part of a stream, to be looked at or decoded. It
    /// counts as line 1.
    ///
    /// # Example
    ///
    /// This shows how to look at a line before it is decoded.
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
        Line::new(RawLine::alone(line), None, self)
    }
}

impl fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Escaped::new(self.raw.bytes);
        write!(f, "Line({}: `{text}`)", self.raw.position)
    }
}
