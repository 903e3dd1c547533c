use std::io::{self, Write};

use serde::{Serialize, de::Error as _};
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use crate::{
    error::{Error, ErrorKind, Misfit, Position},
    escape::is_dangerous,
    idle::GIANT_TEXT,
    json::take_refused,
    scan::skip_line_whitespace,
};

/// Writes newline-delimited JSON: one record per line.
///
/// In serialised values, characters that some programs treat as line ends or
/// that change the state of a terminal are escaped: U+2028 and U+2029, DEL,
/// the C1 control characters and the bidirectional controls. A value that
/// cannot be serialised writes nothing. If the sink fails, it may have written
/// a part of a record, so the writer writes nothing more.
///
/// # Example
///
/// This shows how to write values, raw lines and owned messages.
///
/// ```
/// use linetape::{Reader, Writer};
///
/// let log = &b"{\"type\":\"user\"}\n"[..];
/// let mut writer = Writer::new(vec![]);
/// let mut reader = Reader::new(log);
/// while let Some(record) = reader.next_record() {
///     let record = record?;
///     writer.write_value(&record.value())?;
///     writer.write_line(record.raw().unwrap())?;
///     writer.write_value(&record.into_owned())?;
/// }
/// assert_eq!(writer.into_inner()?, log.repeat(3));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer<W: Write> {
    sink: W,
    /// A reused buffer for one serialised record.
    record: Vec<u8>,
    records: u64,
    bytes: u64,
    /// Whether the sink failed, perhaps in the middle of a record.
    torn: bool,
}

impl<W: Write> Writer<W> {
    /// Creates a writer to `sink`.
    ///
    /// It calls `sink.write_all` once per record, so wrap a file or a socket
    /// in a [`BufWriter`](io::BufWriter).
    pub fn new(sink: W) -> Writer<W> {
        Writer { sink, record: Vec::new(), records: 0, bytes: 0, torn: false }
    }

    /// Writes any value that implements `Serialize`: an
    /// [owned message](crate::owned), a view, a [`Value`](crate::Value), or a
    /// type of the caller.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails. Returns
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) if the value cannot be
    /// serialised as JSON, for example a map whose keys are not strings;
    /// nothing is written then, and the writer can be used further. For a view
    /// or value of an invalid line, returns the error that decoding the line
    /// would return.
    pub fn write_value<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Result<(), Error> {
        self.begin_record();
        let mut to = Serializer::with_formatter(&mut self.record, Guarded);
        if let Err(error) = value.serialize(&mut to) {
            let text = error.to_string();
            let refused = take_refused(&text);
            return Err(refused.unwrap_or_else(|| self.not_json(&text)));
        }
        self.end_record()
    }

    /// Writes a line unchanged, and a newline after it. The line is not
    /// checked.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails, and [`ErrorKind::InvalidInput`] if
    /// the line contains a newline or is blank, because it would not be read
    /// as one record.
    ///
    /// [`ErrorKind::InvalidInput`]: crate::ErrorKind::InvalidInput
    pub fn write_line(&mut self, line: &[u8]) -> Result<(), Error> {
        if let Some(at) = memchr::memchr(b'\n', line) {
            return Err(
                self.refused(format!("newline in a record, at byte {at}"))
            );
        }
        if skip_line_whitespace(line, 0) == line.len() {
            return Err(self.refused("blank line instead of a record"));
        }
        self.begin_record();
        self.record.extend_from_slice(line);
        self.end_record()
    }

    /// Clears the buffer, and releases its memory if the last record was a
    /// giant.
    fn begin_record(&mut self) {
        self.record.clear();
        self.record.shrink_to(GIANT_TEXT);
    }

    fn end_record(&mut self) -> Result<(), Error> {
        if self.torn {
            let text = "an earlier record was truncated";
            return Err(self.failed(io::Error::other(text)));
        }
        self.record.push(b'\n');
        if let Err(error) = self.sink.write_all(&self.record) {
            self.torn = true;
            return Err(self.failed(error));
        }
        self.records += 1;
        self.bytes += self.record.len() as u64;
        Ok(())
    }

    /// Returns the position of the next record: the line number counted from
    /// 1, and the number of bytes written so far.
    pub fn position(&self) -> Position {
        Position::new(self.records + 1, self.bytes)
    }

    fn refused(&self, text: impl Into<String>) -> Error {
        let error = Error::new(ErrorKind::InvalidInput, text);
        error.with_position(self.position())
    }

    /// Returns the error for a value that cannot be written as JSON.
    #[cold]
    fn not_json(&self, text: &str) -> Error {
        let mut misfit = Misfit::custom(text);
        misfit.or_at(self.position());
        misfit.into()
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::write(error, self.position())
    }

    /// Flushes the sink.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.sink.flush().map_err(|error| self.failed(error))
    }

    /// Returns a reference to the sink.
    pub fn get_ref(&self) -> &W {
        &self.sink
    }

    /// Returns a mutable reference to the sink. Bytes that the caller writes
    /// to it are not counted in [`position`](Writer::position).
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.sink
    }

    /// Flushes the sink and returns it.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails.
    pub fn into_inner(mut self) -> Result<W, Error> {
        self.flush()?;
        Ok(self.sink)
    }
}

/// Formats compact JSON, and escapes the characters of [`is_dangerous`].
struct Guarded;

impl Formatter for Guarded {
    /// Writes text that is JSON already. In it, characters below U+0020 can
    /// occur only as whitespace between tokens, so a space replaces them.
    /// Other dangerous characters can occur only in strings.
    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((safe, c, after)) = split_at_danger(rest) {
            to.write_all(safe.as_bytes())?;
            match c < ' ' {
                true => to.write_all(b" ")?,
                false => write_escaped(to, c)?,
            }
            rest = after;
        }
        to.write_all(rest.as_bytes())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((safe, c, after)) = split_at_danger(rest) {
            CompactFormatter.write_string_fragment(to, safe)?;
            write_escaped(to, c)?;
            rest = after;
        }
        CompactFormatter.write_string_fragment(to, rest)
    }
}

/// Returns the first dangerous character, with the text before and after it.
fn split_at_danger(text: &str) -> Option<(&str, char, &str)> {
    let (safe, rest) = text.split_at(text.find(is_dangerous)?);
    let mut chars = rest.chars();
    Some((safe, chars.next()?, chars.as_str()))
}

/// Writes `c` as one `\uXXXX` escape. All dangerous characters are below
/// U+10000, so none needs a surrogate pair.
fn write_escaped<W: ?Sized + Write>(to: &mut W, c: char) -> io::Result<()> {
    write!(to, "\\u{:04x}", u32::from(c))
}
