use std::io;

use linetape::{BytesLine, Error, Value, Writer, owned};
use tokio_util::{bytes::BytesMut, codec::Encoder};

use crate::asynchronous::LineCodec;

/// Writes a message as one line of JSON, with one LF.
impl Encoder<&owned::Message> for LineCodec {
    type Error = io::Error;

    fn encode(
        &mut self,
        message: &owned::Message,
        to: &mut BytesMut,
    ) -> io::Result<()> {
        write(to, |writer| writer.write_value(message))
    }
}

/// Writes a message as one line of JSON, with one LF.
impl Encoder<owned::Message> for LineCodec {
    type Error = io::Error;

    fn encode(
        &mut self,
        message: owned::Message,
        to: &mut BytesMut,
    ) -> io::Result<()> {
        write(to, |writer| writer.write_value(&message))
    }
}

/// Writes a JSON value as one line, with one LF.
///
/// A value of a line that was not checked can be invalid. Then nothing is
/// written, and the error is the one that decoding the line would return.
impl Encoder<Value<'_>> for LineCodec {
    type Error = io::Error;

    fn encode(
        &mut self,
        value: Value<'_>,
        to: &mut BytesMut,
    ) -> io::Result<()> {
        write(to, |writer| writer.write_value(&value))
    }
}

/// Writes a line unchanged, with one LF.
impl Encoder<BytesLine> for LineCodec {
    type Error = io::Error;

    fn encode(
        &mut self,
        line: BytesLine,
        to: &mut BytesMut,
    ) -> io::Result<()> {
        write(to, |writer| writer.write_line(line.as_bytes()))
    }
}

/// Writes one record. If that fails, nothing is written.
fn write(
    to: &mut BytesMut,
    record: impl FnOnce(&mut Writer<Sink<'_>>) -> Result<(), Error>,
) -> io::Result<()> {
    Ok(record(&mut Writer::new(Sink(to)))?)
}

/// Appends to a buffer. A [`Writer`] writes a record at once, when it is
/// complete.
struct Sink<'b>(&'b mut BytesMut);

impl io::Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
