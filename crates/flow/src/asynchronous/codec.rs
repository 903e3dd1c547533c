use std::io;

use linetape::{BytesLine, Chunks, Error, Position, ReaderBuilder, Stats};
use tokio_util::{bytes::BytesMut, codec::Decoder};

/// Splits an asynchronous source into lines, as the codec of a
/// [`FramedRead`](tokio_util::codec::FramedRead).
///
/// The items are `Result<BytesLine, Error>`: a bad line is returned as an item,
/// and the stream continues. The stream itself fails only if the source fails,
/// and then `FramedRead` ends it. With `StreamExt`, the loop is:
///
/// ```ignore
/// let codec = LineCodec::new();
/// let mut lines = FramedRead::with_capacity(source, codec, 128 << 10);
/// while let Some(line) = lines.next().await {
///     match line? {
///         Ok(line) => println!("{line:?}"),
///         Err(error) => eprintln!("{error}"),
///     }
/// }
/// ```
///
/// A line can be sent to another task. Its views, and a
/// [`Message`](linetape::Message), are not `Send`: in a spawned task, read what
/// you need from them before the next `.await`. A line that lies within one read is not
/// copied: it shares the read buffer and keeps it in memory. With a larger
/// buffer than the 8 KiB of `FramedRead::new`, fewer lines are copied.
///
/// The codec is also an [`Encoder`](tokio_util::codec::Encoder) of
/// [`owned::Message`](linetape::owned::Message), [`Value`](linetape::Value) and
/// [`BytesLine`], for a [`FramedWrite`](tokio_util::codec::FramedWrite).
///
/// `next` is cancel safe: if its future is dropped, no bytes are lost, because
/// they are stored in the `FramedRead` and the codec.
///
/// # Costs
///
/// The memory is bounded by the buffer of the `FramedRead`, and twice
/// [`Limits::max_line`](linetape::Limits::max_line). A line over the limit is
/// dropped while it is read.
///
/// # The end
///
/// A last line without a newline is returned at the end of the source. If the
/// source returns more bytes later, as a growing file does, they begin a new
/// line. So do not follow a growing file with a codec: use
/// [`Follow`](crate::Follow).
///
/// # Example
///
/// This shows what `FramedRead` does: it passes on what it has read.
///
/// ```
/// use linetape_flow::LineCodec;
/// use tokio_util::{bytes::BytesMut, codec::Decoder};
///
/// let mut codec = LineCodec::new();
/// let mut read = BytesMut::from("{\"n\":1}\n{\"n\"");
/// let line = codec.decode(&mut read)?.unwrap()?;
/// assert_eq!(line.as_bytes(), b"{\"n\":1}");
/// assert!(codec.decode(&mut read)?.is_none());
///
/// read.extend_from_slice(b":2}");
/// assert!(codec.decode(&mut read)?.is_none());
/// let line = codec.decode_eof(&mut read)?.unwrap()?;
/// assert_eq!((line.number(), line.is_terminated()), (2, false));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LineCodec {
    builder: ReaderBuilder,
    chunks: Chunks,
    /// The counts before the last end of the source.
    before: Stats,
    has_ended: bool,
}

impl Default for LineCodec {
    fn default() -> LineCodec {
        LineCodec::new()
    }
}

impl LineCodec {
    /// Creates a codec with the default settings.
    pub fn new() -> LineCodec {
        LineCodec::with_builder(ReaderBuilder::new())
    }

    /// Creates a codec with other settings, such as limits, `skip_noise` or
    /// `salvage`.
    pub fn with_builder(builder: ReaderBuilder) -> LineCodec {
        LineCodec {
            chunks: builder.chunks(),
            builder,
            before: Stats::default(),
            has_ended: false,
        }
    }

    /// Returns the position of the next line, which may be blank.
    pub fn position(&self) -> Position {
        self.chunks.position()
    }

    /// Returns the counts of lines, bytes and errors up to
    /// [`position`](LineCodec::position).
    pub fn stats(&self) -> Stats {
        self.before + self.chunks.stats()
    }

    /// Takes all bytes. They are not copied.
    fn push(&mut self, bytes: &mut BytesMut) {
        if self.has_ended && !bytes.is_empty() {
            self.has_ended = false;
            self.before += self.chunks.stats();
            let builder = self.builder.clone().start(self.chunks.position());
            self.chunks = builder.chunks();
        }
        self.chunks.push(bytes.split().freeze());
    }
}

impl Decoder for LineCodec {
    type Item = Result<BytesLine, Error>;
    type Error = io::Error;

    /// Returns the next line, or `None` if more bytes are needed. It never
    /// fails.
    fn decode(
        &mut self,
        bytes: &mut BytesMut,
    ) -> Result<Option<Result<BytesLine, Error>>, io::Error> {
        if let Some(line) = self.chunks.next_line() {
            return Ok(Some(line));
        }
        self.push(bytes);
        Ok(self.chunks.next_line())
    }

    /// Returns the next line. The last line may have no newline. It never
    /// fails.
    fn decode_eof(
        &mut self,
        bytes: &mut BytesMut,
    ) -> Result<Option<Result<BytesLine, Error>>, io::Error> {
        if let Some(line) = self.decode(bytes)? {
            return Ok(Some(line));
        }
        self.chunks.finish();
        self.has_ended = true;
        Ok(self.chunks.next_line())
    }
}
