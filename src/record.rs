use std::fmt;

#[cfg(feature = "owned")]
use crate::json::nth_node;
use crate::{
    error::{Error, ErrorKind, Misuse, Position},
    json::{
        Guard, InPlaceFault, InPlaceKind, PADDING, Parser, Value, duplicate,
        explain, precheck,
    },
    limits::Limits,
    lines::{RawLine, Tally},
    message::{Kind, Message},
    peek::Peeker,
    scan::{Kernel, Scanner},
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
    parser: Parser,
    peeker: Peeker,
    /// The lines that failed, for the reader that owns the decoder.
    tally: Tally,
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
            parser: Parser::new(limits),
            peeker: Peeker::new(limits),
            tally: Tally::default(),
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
    #[doc(hidden)]
    pub fn set_kernel(&mut self, kernel: Kernel) -> Result<(), Error> {
        self.peeker.set_kernel(kernel)
    }

    pub(crate) fn peeker(&self) -> &Peeker {
        &self.peeker
    }

    pub(crate) fn with_scanner(mut self, scanner: Scanner) -> Decoder {
        self.peeker.set_scanner(scanner);
        self
    }

    pub(crate) fn peeker_mut(&mut self) -> &mut Peeker {
        &mut self.peeker
    }

    /// What looks at lines, ready for one of `length` bytes, and what decodes
    /// them.
    #[inline]
    pub(crate) fn split(&mut self, length: usize) -> (&Peeker, Decoding<'_>) {
        self.recycle(length);
        let Decoder { limits, parser, peeker, tally } = self;
        (peeker, Decoding { limits: *limits, parser, tally })
    }

    /// Forgets what was needed to look at the last line. The next has
    /// `length` bytes.
    #[inline]
    pub(crate) fn recycle(&mut self, length: usize) {
        self.peeker.recycle(length);
    }

    pub(crate) fn keeping_raw(self, keep_raw: bool) -> Decoder {
        Decoder { tally: Tally::keeping_raw(keep_raw), ..self }
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
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
    /// As for [`decode`](Decoder::decode), and [`ErrorKind::InvalidInput`]
    /// when fewer bytes than that follow the line. The text of a line that
    /// fails may be overwritten, so that its fault can no longer be looked
    /// for. The error's kind is `Utf8`, `Depth` or else `Syntax`, for trailing
    /// data too; its position is that of the value that could not be read, or
    /// the beginning of the line if the fault is invalid UTF-8 or a string
    /// that does not end. An error of [`Record::deserialize`] has the position
    /// of the line.
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
    #[doc(hidden)]
    pub fn decode_padded<'a>(
        &'a mut self,
        padded: &'a mut [u8],
        len: usize,
    ) -> Result<Record<'a>, Error> {
        let start = Position::START;
        let room = padded.len().saturating_sub(len);
        if room < PADDING {
            let misuse = Misuse::Padding { required: PADDING, found: room };
            return Err(Error::misuse(misuse, start));
        }
        let line = padded.get(..len).unwrap_or_default();
        precheck(line, start, self.limits)?;
        let base = line.as_ptr().addr();
        let limits = self.limits;
        match self.parser.parse_padded(padded, len) {
            Ok(tape) => {
                let origin = RecordOrigin {
                    raw: None,
                    position: start,
                    terminated: true,
                };
                Record::new(tape, base, origin)
            }
            Err(fault) => Err(in_place_error(fault, start, limits)),
        }
    }

    /// Decodes a line of a stream.
    pub(crate) fn decode_raw<'a>(
        &'a mut self,
        line: RawLine<'a>,
    ) -> Result<Record<'a>, Error> {
        let Decoder { limits, parser, tally, .. } = self;
        Decoding { limits: *limits, parser, tally }.decode(line)
    }
}

/// What of a decoder it takes to decode one line.
#[derive(Debug)]
pub(crate) struct Decoding<'a> {
    limits: Limits,
    parser: &'a mut Parser,
    tally: &'a Tally,
}

impl<'a> Decoding<'a> {
    pub(crate) fn decode(
        self,
        line: RawLine<'a>,
    ) -> Result<Record<'a>, Error> {
        let tally = self.tally;
        let record = self.try_decode(line);
        record.map_err(|error| tally.report(error, line))
    }

    /// Counts an error about the line, and adds the line to it if it is to be
    /// kept.
    #[cold]
    pub(crate) fn report(&self, error: Error, line: RawLine<'_>) -> Error {
        self.tally.report(error, line)
    }

    fn try_decode(self, line: RawLine<'a>) -> Result<Record<'a>, Error> {
        let RawLine { bytes, position, terminated } = line;
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
        let raw = Some(bytes);
        Record::new(tape, base, RecordOrigin { raw, position, terminated })
    }
}

#[cold]
fn in_place_error(
    fault: InPlaceFault,
    position: Position,
    limits: Limits,
) -> Error {
    let at = position.plus(fault.at);
    match fault.kind {
        InPlaceKind::Utf8 => Error::new(ErrorKind::Utf8, at),
        InPlaceKind::Syntax => Error::syntax(at, "invalid value"),
        InPlaceKind::Depth => {
            let limit = limits.depth_cap() as u64;
            Error::over_limit(ErrorKind::Depth, at, limit, limit + 1)
        }
    }
}

/// A line that has been decoded: a JSON object, checked whole.
///
/// A record borrows the decoder, or the reader, that it is from. It has to be
/// let go before the next line is read. It can be sent to another thread, such
/// as a scoped one; the views that it hands out cannot.
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
    origin: RecordOrigin<'a>,
}

/// The line that a record was.
#[derive(Clone, Copy)]
struct RecordOrigin<'a> {
    /// Its text, unless that was overwritten.
    raw: Option<&'a [u8]>,
    position: Position,
    terminated: bool,
}

impl<'a> Record<'a> {
    fn new(
        tape: Guard<'a>,
        base: usize,
        origin: RecordOrigin<'a>,
    ) -> Result<Record<'a>, Error> {
        let record = Record { tape, origin };
        let position = origin.position;
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
        self.origin.position
    }

    /// Returns whether a newline ends the line.
    ///
    /// Only the last line of a stream can lack one.
    pub fn is_terminated(&self) -> bool {
        self.origin.terminated
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

    /// Returns the line's bytes, verbatim. `None` if decoding has overwritten
    /// them, which happens in no record of a reader or of
    /// [`Decoder::decode`].
    pub fn raw(&self) -> Option<&'a [u8]> {
        self.origin.raw
    }
}

#[cfg(feature = "owned")]
impl Record<'_> {
    /// Reads the record into a type of the caller's, which may borrow strings
    /// from it.
    ///
    /// [`Value`] says how types are read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`] when the record does not fit the type. The error
    /// has the [path](Error::path) of the value that does not fit, the line,
    /// and the byte where that value begins.
    ///
    /// # Example
    ///
    /// This shows how to read two fields, and what is said of a third.
    ///
    /// ```
    /// # mod serde { pub use ::serde::*; }
    /// #[derive(Debug, serde::Deserialize)]
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
    /// drop(record);
    ///
    /// let record = decoder.decode(br#"{"type":"result","cost":"no"}"#)?;
    /// let error = record.deserialize::<Mine>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 1 (byte 24): invalid type: string \"no\", expected f64, \
    ///      at /cost"
    /// );
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn deserialize<'r, T: serde::Deserialize<'r>>(
        &'r self,
    ) -> Result<T, Error> {
        let made = self.value().deserialize_checked();
        made.map_err(|misfit| {
            misfit.placed_by(|node| self.place_of(node)).into()
        })
    }

    /// Where the node at an address is, or the line if that cannot be known.
    #[cold]
    fn place_of(&self, node: Option<usize>) -> Position {
        let place = node.and_then(|address| {
            let index = self.tape.nodes().index_of(address)?;
            nth_node(self.raw()?, index)
        });
        place.map_or(self.position(), |at| self.position().plus(at))
    }

    /// The record as an owned message, from which it can be written again
    /// without loss.
    pub fn into_owned(self) -> crate::owned::Message {
        crate::owned::Message::own(self.message())
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Record({}: {:?})", self.position(), self.value())
    }
}
