use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use crate::{
    error::{Error, Misuse, Position},
    escape::is_dangerous,
    idle::GIANT_TEXT,
    json::take_refused,
    scan::skip_line_whitespace,
};

/// Writes newline-delimited JSON: exactly one newline for each record, and
/// none inside.
///
/// What could be mistaken for the end of a line, or could drive a terminal, is
/// escaped: U+2028 and U+2029, DEL, the C1 control characters and the
/// bidirectional controls. What cannot be written as JSON leaves nothing
/// behind. If the sink fails, part of a record may have gone out, and so
/// nothing is written after it.
///
/// # Example
///
/// This shows how to write owned messages, values, and lines as they are.
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
    /// The record that is being written.
    record: Vec<u8>,
    records: u64,
    bytes: u64,
    /// Whether the sink failed within a record. Nothing can follow that.
    torn: bool,
}

impl<W: Write> Writer<W> {
    /// Writes to `sink`, with one call for each record. A file or a socket
    /// wants to be wrapped in a [`BufWriter`](io::BufWriter).
    pub fn new(sink: W) -> Writer<W> {
        Writer { sink, record: Vec::new(), records: 0, bytes: 0, torn: false }
    }

    /// Writes anything that serialises: an [owned message](crate::owned), a
    /// view, a [`Value`](crate::Value), or a type of your own.
    ///
    /// # Errors
    ///
    /// When the sink fails, or when the value cannot be written as JSON. For
    /// a view or value of a line that has not been checked and is not valid,
    /// this is the error that decoding the line would return.
    pub fn write_value<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Result<(), Error> {
        self.begin_record();
        // What an earlier serialiser left behind is not this value's fault.
        drop(take_refused());
        let mut to = Serializer::with_formatter(&mut self.record, Guarded);
        if let Err(error) = value.serialize(&mut to) {
            let refused = take_refused();
            return Err(refused.unwrap_or_else(|| self.failed(error.into())));
        }
        self.end_record()
    }

    /// Writes a line as it is.
    ///
    /// # Errors
    ///
    /// When the sink fails; [`ErrorKind::InvalidInput`] when the line has a
    /// newline in it or is blank, as neither would be read as one record.
    ///
    /// [`ErrorKind::InvalidInput`]: crate::ErrorKind::InvalidInput
    pub fn write_line(&mut self, line: &[u8]) -> Result<(), Error> {
        if let Some(at) = memchr::memchr(b'\n', line) {
            return Err(self.refused(Misuse::Newline(at)));
        }
        if skip_line_whitespace(line, 0) == line.len() {
            return Err(self.refused(Misuse::Blank));
        }
        self.begin_record();
        self.record.extend_from_slice(line);
        self.end_record()
    }

    /// Forgets the last record, and what it took if that was a giant.
    fn begin_record(&mut self) {
        self.record.clear();
        self.record.shrink_to(GIANT_TEXT);
    }

    fn end_record(&mut self) -> Result<(), Error> {
        if self.torn {
            let text = "an earlier record was cut off";
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

    /// How many records have been written, and how many bytes: the line and
    /// the byte that come next.
    pub fn position(&self) -> Position {
        Position::new(self.records + 1, self.bytes)
    }

    fn refused(&self, misuse: Misuse) -> Error {
        Error::misuse(misuse, self.position())
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::write(error, self.position())
    }

    /// Passes on what the sink has buffered.
    ///
    /// # Errors
    ///
    /// When the sink fails.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.sink.flush().map_err(|error| self.failed(error))
    }

    /// The sink.
    pub fn get_ref(&self) -> &W {
        &self.sink
    }

    /// The sink, to be changed. What is written to it from outside is not
    /// counted.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.sink
    }

    /// Flushes the sink, and gives it back.
    ///
    /// # Errors
    ///
    /// When the sink fails.
    pub fn into_inner(mut self) -> Result<W, Error> {
        self.flush()?;
        Ok(self.sink)
    }
}

/// Compact JSON, with everything escaped that is dangerous to show.
struct Guarded;

impl Formatter for Guarded {
    /// JSON that somebody has written already. Characters below the space can
    /// stand in it only between tokens, where a space does as well, and other
    /// dangerous ones only in strings.
    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((safe, c, behind)) = split_at_danger(rest) {
            to.write_all(safe.as_bytes())?;
            match c < ' ' {
                true => to.write_all(b" ")?,
                false => write_escaped(to, c)?,
            }
            rest = behind;
        }
        to.write_all(rest.as_bytes())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((safe, c, behind)) = split_at_danger(rest) {
            CompactFormatter.write_string_fragment(to, safe)?;
            write_escaped(to, c)?;
            rest = behind;
        }
        CompactFormatter.write_string_fragment(to, rest)
    }
}

/// The first dangerous character, with what is before and behind it.
fn split_at_danger(text: &str) -> Option<(&str, char, &str)> {
    let (safe, behind) = text.split_at(text.find(is_dangerous)?);
    let mut chars = behind.chars();
    Some((safe, chars.next()?, chars.as_str()))
}

/// None of the dangerous ones needs two escapes.
fn write_escaped<W: ?Sized + Write>(to: &mut W, c: char) -> io::Result<()> {
    write!(to, "\\u{:04x}", u32::from(c))
}
