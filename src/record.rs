use std::fmt;

use crate::{
    error::{Error, ErrorKind, Position},
    json::{
        Guard, InPlaceFault, InPlaceKind, PADDING, Parser, Value, duplicate,
        explain, precheck,
    },
    limits::Limits,
    lines::RawLine,
    message::{Kind, Message},
    peek::Peeker,
    scan::Kernel,
};

/// Decodes lines, and keeps the memory for the next.
///
/// A [`Reader`](crate::Reader) has one inside. Use a decoder for lines that
/// come from elsewhere.
///
/// # Example
///
/// This shows how to decode lines one after the other.
///
/// ```
/// use linetape::Decoder;
///
/// let mut decoder = Decoder::new();
/// for line in [r#"{"type":"user"}"#, r#"{"type":"result"}"#] {
///     let record = decoder.decode(line.as_bytes())?;
///     println!("{}", record.kind());
/// }
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    limits: Limits,
    /// Whether an error gets a copy of the line.
    keep_raw: bool,
    parser: Parser,
    peeker: Peeker,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}

impl Decoder {
    /// A decoder with the default [`Limits`].
    pub fn new() -> Decoder {
        Decoder::with_limits(Limits::default())
    }

    /// A decoder with limits of your own.
    pub fn with_limits(limits: Limits) -> Decoder {
        Decoder {
            limits,
            keep_raw: false,
            parser: Parser::new(limits),
            peeker: Peeker::new(limits),
        }
    }

    /// Scans text with the given kernel from now on, not with the best one
    /// that the CPU has.
    ///
    /// This is about what [`line`](Decoder::line) gives. Decoding has a
    /// choice of its own.
    ///
    /// # Errors
    ///
    /// When the CPU lacks what the kernel needs.
    pub fn set_kernel(&mut self, kernel: Kernel) -> Result<(), Error> {
        self.peeker.set_kernel(kernel)
    }

    pub(crate) fn peeker(&self) -> &Peeker {
        &self.peeker
    }

    pub(crate) fn peeker_mut(&mut self) -> &mut Peeker {
        &mut self.peeker
    }

    /// What looks at lines, ready for one of `length` bytes, and what decodes
    /// them.
    #[inline]
    pub(crate) fn split(&mut self, length: usize) -> (&Peeker, Decoding<'_>) {
        self.recycle(length);
        let Decoder { limits, keep_raw, parser, peeker } = self;
        let (limits, keep_raw) = (*limits, *keep_raw);
        (peeker, Decoding { limits, keep_raw, parser })
    }

    /// Forgets what was needed to look at the last line. The next has
    /// `length` bytes.
    #[inline]
    pub(crate) fn recycle(&mut self, length: usize) {
        self.peeker.recycle(length);
    }

    pub(crate) fn keeping_raw(self, keep_raw: bool) -> Decoder {
        Decoder { keep_raw, ..self }
    }

    /// Decodes one line. Its bytes are copied, and stay as they are.
    ///
    /// # Errors
    ///
    /// When the line is anything but one JSON object. The position in the
    /// error counts from the beginning of `line`.
    pub fn decode<'a>(
        &'a mut self,
        line: &'a [u8],
    ) -> Result<Record<'a>, Error> {
        self.decode_raw(RawLine::alone(line))
    }

    /// Decodes the first `len` bytes of `padded` where they stand, and leaves
    /// what follows them as it is.
    ///
    /// This saves a copy, and overwrites the line: strings with escapes are
    /// unescaped in place. At least 64 bytes must follow the line, of
    /// whatever content.
    ///
    /// # Errors
    ///
    /// As for [`decode`](Decoder::decode), and when fewer bytes than that
    /// follow the line. The text of a line that fails may be overwritten, so
    /// that its fault can no longer be looked for. The error's kind is `Utf8`,
    /// `Depth` or else `Syntax`, for trailing data too; it is placed at the
    /// value that could not be read, or at the beginning of the line if the
    /// fault is invalid UTF-8 or a string that does not end.
    ///
    /// # Example
    ///
    /// This shows how to decode a line in a buffer of one's own.
    ///
    /// ```
    /// use linetape::Decoder;
    ///
    /// let mut buffer = br#"{"text":"a\tb"}"#.to_vec();
    /// let len = buffer.len();
    /// buffer.resize(len + 64, 0);
    /// let mut decoder = Decoder::new();
    /// let record = decoder.decode_padded(&mut buffer, len)?;
    /// let text = record.value().get("text").and_then(|text| text.as_str());
    /// assert_eq!(text, Some("a\tb"));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn decode_padded<'a>(
        &'a mut self,
        padded: &'a mut [u8],
        len: usize,
    ) -> Result<Record<'a>, Error> {
        let start = Position::START;
        let room = padded.len().saturating_sub(len);
        if room < PADDING {
            let why = "fewer than 64 bytes follow the line";
            return Err(Error::syntax(start, why));
        }
        let line = padded.get(..len).unwrap_or_default();
        precheck(line, start, self.limits)?;
        let base = line.as_ptr().addr();
        let limits = self.limits;
        match self.parser.parse_padded(padded, len) {
            Ok(tape) => Record::new(tape, base, None, start),
            Err(fault) => Err(in_place_error(fault, start, limits)),
        }
    }

    /// What a batch needs, which has its own memory for lines.
    pub(crate) fn parts(&mut self) -> (Limits, &mut Parser) {
        (self.limits, &mut self.parser)
    }

    /// Decodes a line of a stream.
    pub(crate) fn decode_raw<'a>(
        &'a mut self,
        line: RawLine<'a>,
    ) -> Result<Record<'a>, Error> {
        let Decoder { limits, keep_raw, parser, .. } = self;
        let (limits, keep_raw) = (*limits, *keep_raw);
        Decoding { limits, keep_raw, parser }.decode(line)
    }
}

/// What of a decoder it takes to decode one line.
#[derive(Debug)]
pub(crate) struct Decoding<'a> {
    limits: Limits,
    keep_raw: bool,
    parser: &'a mut Parser,
}

impl<'a> Decoding<'a> {
    pub(crate) fn decode(
        self,
        line: RawLine<'a>,
    ) -> Result<Record<'a>, Error> {
        let keep_raw = self.keep_raw;
        let record = self.try_decode(line);
        record.map_err(|error| match keep_raw {
            true => error.with_raw(line.bytes),
            false => error,
        })
    }

    /// Adds the line to an error about it, if it is to be kept.
    #[cold]
    pub(crate) fn keep(&self, error: Error, line: &[u8]) -> Error {
        if self.keep_raw { error.with_raw(line) } else { error }
    }

    fn try_decode(self, line: RawLine<'a>) -> Result<Record<'a>, Error> {
        let RawLine { bytes, position, terminated, .. } = line;
        let Decoding { limits, parser, .. } = self;
        precheck(bytes, position, limits)?;
        let (tape, base) = match parser.parse(bytes) {
            Ok(parsed) => parsed,
            Err(fault) => {
                let error = explain(bytes, position, terminated, limits);
                // If the two disagree about the grammar, say what little the
                // parser said.
                let unplaced = || in_place_error(fault, position, limits);
                return Err(error.unwrap_or_else(unplaced));
            }
        };
        Record::new(tape, base, Some(bytes), position)
    }
}

#[cold]
pub(crate) fn in_place_error(
    fault: InPlaceFault,
    position: Position,
    limits: Limits,
) -> Error {
    let at = position.plus(fault.at);
    match fault.kind {
        InPlaceKind::Utf8 => Error::new(ErrorKind::Utf8, at),
        InPlaceKind::Syntax => Error::syntax(at, "this cannot be read"),
        InPlaceKind::Depth => {
            let limit = limits.depth_cap() as u64;
            Error::over_limit(ErrorKind::Depth, at, limit, limit + 1)
        }
    }
}

/// A line that has been decoded: a JSON object, checked whole.
///
/// A record borrows the decoder, or the reader, that it is from. It has to be
/// let go before the next line is read.
///
/// # Example
///
/// This shows what a record gives.
///
/// ```
/// use linetape::{Decoder, Message};
///
/// let line = br#"{"type":"result","subtype":"success","num_turns":3}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// assert_eq!(record.kind().to_string(), "result/success");
/// if let Message::Result(result) = record.message() {
///     assert_eq!(result.num_turns(), Some(3));
/// }
/// assert_eq!(record.value().as_object().unwrap().len(), 3);
/// assert_eq!(record.raw(), Some(&line[..]));
/// # Ok::<(), linetape::Error>(())
/// ```
///
/// A record does not outlive the next line:
///
/// ```compile_fail,E0499
/// let mut decoder = linetape::Decoder::new();
/// let first = decoder.decode(b"{}").unwrap();
/// let second = decoder.decode(b"{}").unwrap();
/// println!("{}", first.kind());
/// ```
///
/// And a view does not outlive its record:
///
/// ```compile_fail,E0505
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(b"{}").unwrap();
/// let message = record.message();
/// drop(record);
/// println!("{}", message.kind());
/// ```
pub struct Record<'a> {
    tape: Guard<'a>,
    raw: Option<&'a [u8]>,
    position: Position,
}

impl<'a> Record<'a> {
    fn new(
        tape: Guard<'a>,
        base: usize,
        raw: Option<&'a [u8]>,
        position: Position,
    ) -> Result<Record<'a>, Error> {
        let record = Record { tape, raw, position };
        match record.value().as_object().map(Kind::of) {
            Some(Err(key)) => {
                // An unescaped string begins where its escaped form began,
                // one byte behind the quote.
                let at = key.as_ptr().addr().wrapping_sub(base);
                Err(duplicate(key, at.saturating_sub(1), position))
            }
            _ => Ok(record),
        }
    }

    /// The number of the line, and the offset of its first byte.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The record as a typed message.
    pub fn message(&self) -> Message<'_> {
        Message::new(self.value())
    }

    /// The type and subtype.
    pub fn kind(&self) -> Kind<'_> {
        // Nearly every record states its type, and need not be told apart
        // from all others to say so.
        let stated = self.value().as_object().map(Kind::of);
        match stated {
            Some(Ok(kind)) if kind.name().is_some() => kind,
            _ => self.message().kind(),
        }
    }

    /// The record as JSON.
    pub fn value(&self) -> Value<'_> {
        Value::from_tape(self.tape.nodes())
    }

    /// The line's bytes, verbatim. `None` if it was decoded
    /// [in place](Decoder::decode_padded), which overwrites them.
    pub fn raw(&self) -> Option<&'a [u8]> {
        self.raw
    }
}

#[cfg(feature = "owned")]
impl Record<'_> {
    /// The record as a type of your own, which may borrow strings from it.
    ///
    /// # Errors
    ///
    /// When the record does not have the form of that type.
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
    /// let mut decoder = linetape::Decoder::new();
    /// let record = decoder.decode(br#"{"type":"result","cost":0.5}"#)?;
    /// let mine: Mine = record.deserialize()?;
    /// assert_eq!((mine.kind, mine.cost), ("result", 0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deserialize<'r, T: serde::Deserialize<'r>>(
        &'r self,
    ) -> Result<T, serde_json::Error> {
        T::deserialize(self.value())
    }

    /// The record as an owned message, from which it can be written again
    /// without loss.
    pub fn into_owned(self) -> crate::owned::Message {
        crate::owned::Message::own(self.message())
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Record({}: {:?})", self.position, self.value())
    }
}
