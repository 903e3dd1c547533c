mod codec;
mod format;
#[cfg(feature = "gzip")]
mod gzip;
mod input;
#[cfg(feature = "zstd")]
mod zstd;

use std::{
    fmt,
    io::{self, Read},
    mem,
};

use linetape::{Error, ErrorKind};

use crate::{
    array::Array,
    decompress::{
        codec::{Codec, Next, Stepped},
        input::Input,
    },
};

pub use format::Format;

/// Reads the decompressed text of a stream that may be compressed.
///
/// The format is detected by the first bytes, not by a file name. A stream of
/// lines that is not compressed is passed on unchanged, as soon as its bytes
/// arrive.
///
/// A text that is one JSON array of objects, such as the output of Claude Code
/// with `--output-format json --verbose`, is passed on as lines, one for each
/// element. Each byte stays at its offset: commas and brackets between elements
/// become spaces or newlines, and newlines in elements become spaces. Line 1
/// has the `[`, and the first element is line 2. If the array is not valid JSON
/// between two elements, the rest of it is passed on unchanged, so that its
/// lines are read as they are.
///
/// | format | feature | accepted |
/// |---|---|---|
/// | gzip | `gzip` | any number of members; zeros after the last one are ignored |
/// | zstd | `zstd` | any number of frames and skippable frames; a window of up to 128 MiB |
///
/// If the feature of a format is off, `read` returns an error.
///
/// # Errors
///
/// If the compressed data is truncated, corrupt or followed by other data,
/// `read` first returns everything that was decompressed before the error, but
/// for the block of zstd in which the error is. A
/// [`Reader`](linetape::Reader) returns all complete lines, and then an error
/// of the kind [`Decompress`](linetape::ErrorKind::Decompress) with the
/// offset in the compressed stream in its text. The
/// `io::Error` that `read` returns wraps the linetape [`Error`]: see
/// [`io::Error::get_ref`].
///
/// A whole stream that is only the start of the bytes by which gzip or zstd is
/// recognised was cut, too. No text of JSON lines has these bytes. Any other
/// stream that is not recognised is plain text, whatever its name.
///
/// # Costs
///
/// A compressed stream needs less than 1 MiB and the decompression window:
/// 32 KiB for gzip, and up to 256 MiB for zstd, depending on the stream. The
/// decompressed size is not limited unless
/// [`max_plain`](Decompressed::max_plain) sets a limit, but a `Reader` never
/// keeps more than its buffer and one line.
///
/// # Example
///
/// This shows how to read lines from a file that may be compressed.
///
/// ```no_run
/// use linetape::Reader;
/// use linetape_flow::Decompressed;
/// use std::fs::File;
///
/// let file = File::open("session.jsonl.zst")?;
/// let mut reader = Reader::new(Decompressed::new(file));
/// while let Some(line) = reader.next_line() {
///     println!("{}", line?.kind()?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Decompressed<R> {
    input: Input<R>,
    state: State,
    /// The format, once it is known.
    format: Option<Format>,
    /// How many plain bytes may still be returned.
    left: u64,
    max_plain: u64,
    array: Array,
}

enum State {
    /// The format is not known yet.
    Start,
    /// Not compressed. The buffer may have bytes from the start.
    Plain,
    /// Between two frames.
    Between(Box<dyn Codec>),
    /// In a frame.
    Within(Box<dyn Codec>),
    /// After the last frame, in padding.
    Padding(Box<dyn Codec>),
    /// The next read returns an error: an offset, and a reason.
    Failing(u64, String),
    /// At the end, or after an error.
    Ended,
}

impl<R> Decompressed<R> {
    /// Creates a reader of the decompressed text of `source`. Do not wrap
    /// `source` in a `BufReader`: this type has its own buffer. Nothing is read
    /// yet.
    pub fn new(source: R) -> Decompressed<R> {
        Decompressed {
            input: Input::new(source),
            state: State::Start,
            format: None,
            left: u64::MAX,
            max_plain: u64::MAX,
            array: Array::default(),
        }
    }

    /// Creates a reader of a source that is not compressed, whatever its first
    /// bytes are.
    pub(crate) fn plain(source: R) -> Decompressed<R> {
        Decompressed {
            state: State::Plain,
            format: Some(Format::Plain),
            ..Decompressed::new(source)
        }
    }

    /// Sets the maximum decompressed size in bytes, as a protection against
    /// decompression bombs. If there is more, `read` returns an error after
    /// that many bytes. There is no limit by default, and none for a stream
    /// that is not compressed.
    #[must_use]
    pub fn max_plain(self, bytes: u64) -> Decompressed<R> {
        Decompressed { left: bytes, max_plain: bytes, ..self }
    }

    /// Returns a reference to the source.
    pub fn get_ref(&self) -> &R {
        &self.input.source
    }

    /// Returns the source. Bytes that were read from the source and have not
    /// been returned are lost.
    pub fn into_inner(self) -> R {
        self.input.source
    }

    /// Ends the stream with an error.
    fn fail(&mut self, offset: u64, reason: String) -> io::Error {
        self.state = State::Ended;
        let text = format!(
            "decompression failed: {reason}, at compressed byte {offset}"
        );
        Error::new(ErrorKind::Decompress, text).into()
    }
}

impl<R: Read> Decompressed<R> {
    /// Returns the format of the stream. Reads the first bytes, if nothing has
    /// been read yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the source fails.
    pub fn format(&mut self) -> io::Result<Format> {
        loop {
            let bytes = self.input.bytes();
            let decided = self.format.or_else(|| Format::decided_by(bytes));
            let ended = self.input.has_ended().then(|| Format::of(bytes));
            if let Some(format) = decided.or(ended) {
                self.format = Some(format);
                return Ok(format);
            }
            self.input.fill_first()?;
        }
    }

    fn start(&mut self) -> io::Result<()> {
        let format = self.format()?;
        let bytes = self.input.bytes();
        if self.input.has_ended() && Format::is_cut(bytes) {
            let end = bytes.len() as u64;
            let reason = "unexpected end of the compressed data";
            return Err(self.fail(end, reason.to_string()));
        }
        self.state = match codec(format) {
            Ok(None) => State::Plain,
            Ok(Some(codec)) => State::Between(codec),
            Err(reason) => return Err(self.fail(0, reason)),
        };
        Ok(())
    }

    /// Returns plain bytes as they are.
    fn read_plain(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let bytes = self.input.bytes();
        if bytes.is_empty() {
            return self.input.source.read(room);
        }
        let count = bytes.len().min(room.len());
        if let (Some(to), Some(from)) =
            (room.get_mut(..count), bytes.get(..count))
        {
            to.copy_from_slice(from);
        }
        self.input.consume(count);
        Ok(count)
    }

    /// Looks at what follows a frame.
    fn pass_border(&mut self, mut codec: Box<dyn Codec>) -> io::Result<()> {
        let has_ended = self.input.has_ended();
        match codec.next(self.input.bytes(), has_ended) {
            Next::Frame => {
                codec.begin();
                self.state = State::Within(codec);
            }
            Next::End => self.state = State::Ended,
            Next::Padding => self.state = State::Padding(codec),
            Next::Rubbish => return Err(self.fail_at_rubbish()),
            Next::NeedMore => {
                self.state = State::Between(codec);
                self.input.fill()?;
            }
        }
        Ok(())
    }

    fn pass_padding(&mut self, codec: Box<dyn Codec>) -> io::Result<()> {
        let bytes = self.input.bytes();
        let padding = bytes.iter().take_while(|byte| **byte == 0).count();
        let is_all = padding == bytes.len();
        self.input.consume(padding);
        if !is_all {
            return Err(self.fail_at_rubbish());
        }
        if !self.input.has_ended() {
            self.state = State::Padding(codec);
            self.input.fill()?;
        }
        Ok(())
    }

    fn fail_at_rubbish(&mut self) -> io::Error {
        let reason = "trailing data after the compressed data";
        self.fail(self.input.offset(), reason.to_string())
    }

    /// Decompresses into `room`, which is not empty. Returns how many bytes
    /// were written, and `None` for another round.
    fn step(
        &mut self,
        mut codec: Box<dyn Codec>,
        room: &mut [u8],
    ) -> io::Result<Option<usize>> {
        let Stepped { read, written, is_end } =
            codec.step(self.input.bytes(), room);
        self.input.consume(read);
        let is_stuck = read == 0 && written == 0;
        let fail = |reason: &str| {
            State::Failing(self.input.offset(), reason.to_string())
        };
        self.state = match is_end {
            Ok(true) => State::Between(codec),
            Ok(false) if !is_stuck => State::Within(codec),
            Ok(false) if !self.input.bytes().is_empty() => {
                fail("no progress in the compressed data")
            }
            Ok(false) if self.input.has_ended() => {
                fail("unexpected end of the compressed data")
            }
            Ok(false) => {
                self.state = State::Within(codec);
                self.input.fill()?;
                return Ok(None);
            }
            // What was written before the error is returned first.
            Err(reason) => fail(&reason),
        };
        Ok(Some(written).filter(|written| *written > 0))
    }

    /// Reads without regard to the limit. `room` is not empty.
    fn read_some(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            // If this fails, the state is `Ended`, or set again before.
            match mem::replace(&mut self.state, State::Ended) {
                State::Start => {
                    self.state = State::Start;
                    self.start()?;
                }
                State::Plain => {
                    self.state = State::Plain;
                    return self.read_plain(room);
                }
                State::Between(codec) => self.pass_border(codec)?,
                State::Padding(codec) => self.pass_padding(codec)?,
                State::Within(codec) => {
                    if let Some(written) = self.step(codec, room)? {
                        return Ok(written);
                    }
                }
                State::Failing(offset, reason) => {
                    return Err(self.fail(offset, reason));
                }
                State::Ended => return Ok(0),
            }
        }
    }

    /// Reads up to the limit. `room` is not empty.
    fn read_text(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let is_limited = self.max_plain < u64::MAX;
        if !is_limited || !self.format()?.is_compressed() {
            return self.read_some(room);
        }
        if self.left == 0 {
            // One byte more shows whether the text is over the limit.
            return match self.read_some(&mut [0])? {
                0 => Ok(0),
                _ => {
                    let limit = self.max_plain;
                    let reason =
                        format!("decompressed size exceeds {limit} bytes");
                    Err(self.fail(self.input.offset(), reason))
                }
            };
        }
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let most = room.len().min(left);
        let read = self.read_some(room.get_mut(..most).unwrap_or_default())?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if room.is_empty() {
            return Ok(0);
        }
        if self.format()? == Format::Plain {
            return self.read_text(room);
        }
        let mut array = mem::take(&mut self.array);
        let read = array.read(room, |room| self.read_text(room));
        self.array = array;
        read
    }
}

impl<R: fmt::Debug> fmt::Debug for Decompressed<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Start => "start",
            State::Plain => "plain",
            State::Between(_) | State::Within(_) => "compressed",
            State::Padding(_) => "padding",
            State::Failing(..) | State::Ended => "ended",
        };
        f.debug_struct("Decompressed")
            .field("source", &self.input.source)
            .field("state", &state)
            .field("offset", &self.input.offset())
            .finish_non_exhaustive()
    }
}

/// Returns the codec of a format, or `None` for plain text.
///
/// # Errors
///
/// Returns a reason if the feature of the format is off.
fn codec(format: Format) -> Result<Option<Box<dyn Codec>>, String> {
    match format {
        Format::Plain | Format::Array => Ok(None),
        #[cfg(feature = "gzip")]
        Format::Gzip => Ok(Some(Box::new(gzip::Gzip::new()))),
        #[cfg(feature = "zstd")]
        Format::Zstd => Ok(Some(Box::new(zstd::Zstd::new()))),
        #[cfg(not(feature = "gzip"))]
        Format::Gzip => Err(without_feature("gzip")),
        #[cfg(not(feature = "zstd"))]
        Format::Zstd => Err(without_feature("zstd")),
    }
}

#[cfg(any(not(feature = "gzip"), not(feature = "zstd")))]
fn without_feature(name: &str) -> String {
    format!("{name} input, and the feature `{name}` of linetape-flow is off")
}
