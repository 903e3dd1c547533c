use std::fmt;

#[cfg(feature = "serde")]
use crate::json::nth_node;
use crate::{
    error::{Error, LineError, Position},
    json::{Guard, Source, State, Value, duplicate},
    limits::Limits,
    lines::RawLine,
    message::{Kind, Message},
    scan::{Kernel, Scanner},
};

/// Decodes single lines, and reuses its memory for the next line.
///
/// A [`Reader`](crate::Reader) has its own decoder. Create one for lines that
/// do not come from a reader.
///
/// # Example
///
/// This shows how to decode several lines.
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
    pub(crate) state: State,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}

impl Decoder {
    /// Creates a decoder with the default [`Limits`].
    pub fn new() -> Decoder {
        Decoder::with_limits(Limits::default())
    }

    /// Creates a decoder with the given limits.
    pub fn with_limits(limits: Limits) -> Decoder {
        Decoder { state: State::new(limits) }
    }

    /// Scans text with `kernel` instead of the best kernel that the CPU
    /// supports.
    ///
    /// This applies to peeking and checking through [`line`](Decoder::line).
    /// For decoding, simd-json chooses its own implementation.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Unsupported`] if the CPU does not support the
    /// kernel.
    #[doc(hidden)]
    pub fn set_kernel(&mut self, kernel: Kernel) -> Result<(), Error> {
        let scanner = Scanner::new(kernel);
        self.state.scanner = scanner.ok_or_else(|| kernel.unsupported())?;
        Ok(())
    }

    /// Decodes one line. Takes O(line length), and copies the line once.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not exactly one JSON object within the
    /// limits. The position in the error is relative to the start of `line`.
    pub fn decode<'a>(
        &'a mut self,
        line: &'a [u8],
    ) -> Result<Record<'a>, Error> {
        let raw = RawLine::alone(line);
        self.state.unique_keys = false;
        self.state.begin_new(raw);
        Record::decode(Source::new(line, &self.state))
    }
}

/// A decoded line: a JSON object, checked and unescaped.
///
/// A record borrows from its decoder or reader, and must be dropped before
/// the next line is read. It can be sent to a scoped thread; its views cannot.
///
/// # Example
///
/// This shows the kind, fields and bytes of a record.
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
/// A record must be dropped before the next line is decoded:
///
/// ```compile_fail,E0499
/// let mut decoder = linetape::Decoder::new();
/// let first = decoder.decode(b"{}").unwrap();
/// let second = decoder.decode(b"{}").unwrap();
/// println!("{}", first.kind());
/// ```
///
/// A view does not outlive its record:
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

/// The line of a record.
#[derive(Clone, Copy)]
struct RecordOrigin<'a> {
    raw: &'a [u8],
    position: Position,
    terminated: bool,
}

impl<'a> Record<'a> {
    /// Decodes a line, and counts it if that fails.
    pub(crate) fn decode(line: Source<'a>) -> Result<Record<'a>, Error> {
        Record::try_decode(line).map_err(|error| line.report(error))
    }

    fn try_decode(line: Source<'a>) -> Result<Record<'a>, LineError> {
        line.precheck()?;
        if line.state.unique_keys {
            line.check()?;
        }
        let RawLine { bytes, position, terminator } = line.raw();
        let parser = &line.state.parser;
        let (tape, base) = match parser.parse(bytes, line.state.arena()) {
            Ok(parsed) => parsed,
            Err(at) => {
                // `explain` finds a fault in every line that the parser
                // rejects. Should the two disagree about the grammar, the
                // error has only the offset that the parser reported.
                let reported =
                    || LineError::syntax(position.plus(at), "invalid value");
                return Err(line.fault().unwrap_or_else(reported));
            }
        };
        let terminated = terminator.is_newline();
        let origin = RecordOrigin { raw: bytes, position, terminated };
        Record::new(tape, base, origin)
    }

    fn new(
        tape: Guard<'a>,
        base: usize,
        origin: RecordOrigin<'a>,
    ) -> Result<Record<'a>, LineError> {
        let record = Record { tape, origin };
        let position = origin.position;
        match record.value().as_object().map(Kind::of) {
            Some(Err(key)) => {
                // An unescaped string begins where its escaped form began,
                // one byte after the quote.
                let at = key.as_ptr().addr().wrapping_sub(base);
                Err(duplicate(key, at.saturating_sub(1), position))
            }
            _ => Ok(record),
        }
    }

    /// Returns the line number, and the offset of the line's first byte.
    pub fn position(&self) -> Position {
        self.origin.position
    }

    /// Returns whether a newline ends the line.
    ///
    /// Only the last line of a stream can lack one.
    pub fn is_terminated(&self) -> bool {
        self.origin.terminated
    }

    /// Returns the record as a typed message. The type is looked up among the
    /// members of the outermost object.
    pub fn message(&self) -> Message<'_> {
        Message::new(self.value())
    }

    /// Returns the type and subtype, after one pass over the members of the
    /// outermost object.
    pub fn kind(&self) -> Kind<'_> {
        // Fast path: nearly every record has a `type`, so that its message
        // variant need not be found.
        let stated = self.value().as_object().map(Kind::of);
        match stated {
            Some(Ok(kind)) if kind.name().is_some() => kind,
            _ => self.message().kind(),
        }
    }

    /// Returns the record as a JSON value.
    pub fn value(&self) -> Value<'_> {
        Value::from_tape(self.tape.nodes())
    }

    /// Returns the line's bytes, which are always there.
    pub fn raw(&self) -> Option<&'a [u8]> {
        Some(self.origin.raw)
    }
}

#[cfg(feature = "serde")]
impl Record<'_> {
    /// Deserialises the record into `T`, which may borrow strings from the
    /// record.
    ///
    /// [`Value`] describes the serde mapping.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Data`](crate::ErrorKind::Data) if the record does
    /// not match `T`. The error has the [path](Error::path) of the value that
    /// does not match, and its position.
    ///
    /// # Example
    ///
    /// This shows how to read two fields, and the error for a wrong type.
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
            misfit.located_by(|node| self.position_of(node)).into()
        })
    }

    /// Returns the position of the node at an address on the tape, or the
    /// position of the line if the node is not found. Takes one pass over the
    /// line.
    #[cold]
    fn position_of(&self, node: Option<usize>) -> Position {
        let offset = node.and_then(|address| {
            let index = self.tape.nodes().index_of(address)?;
            nth_node(self.origin.raw, index)
        });
        offset.map_or(self.position(), |at| self.position().plus(at))
    }
}

#[cfg(feature = "owned")]
impl Record<'_> {
    /// Returns the record as an owned message. It can be written again
    /// without loss.
    pub fn into_owned(self) -> crate::owned::Message {
        match self.value().as_object() {
            Some(object) => crate::owned::Message::own(object),
            None => {
                debug_assert!(false, "a record is an object");
                crate::owned::Message::Unknown(crate::owned::Extra::new())
            }
        }
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Record({}: {:?})", self.position(), self.value())
    }
}
