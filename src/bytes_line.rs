use std::{
    fmt,
    hash::{Hash, Hasher},
};

use bytes::Bytes;

use crate::{
    error::Position,
    escape::Escaped,
    json::{Known, Source, State},
    line::Line,
    lines::{RawLine, Terminator},
    record::Decoder,
};

/// One line that owns its bytes.
///
/// It is `Send` and `'static`, and cheap to clone: clones share the bytes.
/// [`Chunks`](crate::Chunks) returns such lines. They are slices of the chunks
/// that were pushed, and keep them in memory. [`Line::to_bytes_line`] copies a
/// borrowed line.
///
/// Two lines are equal if they have the same bytes, the same position and the
/// same terminator.
///
/// # Example
///
/// This shows how to hand lines to another thread.
///
/// ```
/// use linetape::Chunks;
///
/// let mut chunks = Chunks::new();
/// chunks.push("{}\n");
/// let line = chunks.next_line().unwrap()?;
/// let there = std::thread::spawn(move || line.as_bytes().len());
/// assert_eq!(there.join().unwrap(), 2);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone)]
pub struct BytesLine {
    bytes: Bytes,
    position: Position,
    terminator: Terminator,
    /// What is known about it, without an index.
    known: Known,
    /// The depth limit under which it was prepared. A decoder with a lower
    /// limit must not rely on that.
    depth: u16,
    /// Whether the reader refuses duplicates of any key.
    unique_keys: bool,
}

impl BytesLine {
    pub(crate) fn new(
        bytes: Bytes,
        position: Position,
        terminator: Terminator,
    ) -> BytesLine {
        let known = Known::default();
        let (depth, unique_keys) = (0, false);
        BytesLine { bytes, position, terminator, known, depth, unique_keys }
    }

    /// Returns the line with what its reader knows about it.
    pub(crate) fn with(self, state: &State) -> BytesLine {
        let known = state.known().portable();
        let (depth, unique_keys) = (state.depth as u16, state.unique_keys);
        BytesLine { known, depth, unique_keys, ..self }
    }

    /// Returns the line number, counted from 1, or 0 if it is unknown: see
    /// [`ReaderBuilder::range`](crate::ReaderBuilder::range). Blank and
    /// discarded lines count.
    pub fn number(&self) -> u64 {
        self.position.line()
    }

    /// Returns the offset of the line's first byte in the stream.
    pub fn offset(&self) -> u64 {
        self.position.byte()
    }

    /// Returns the line's number and offset.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Returns the line's bytes, without the terminator.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether a newline ends the line.
    pub fn is_terminated(&self) -> bool {
        self.terminator.is_newline()
    }

    /// Returns the line's terminator: see [`Line::terminator`].
    pub fn terminator(&self) -> &'static [u8] {
        self.terminator.as_bytes()
    }

    /// Returns a [`Line`] that uses `decoder` to read these bytes.
    ///
    /// What the chunks have [prepared](crate::Level) is known to the line.
    /// Errors of the line are not counted in the
    /// [`stats`](crate::Chunks::stats) of the chunks, because the line may be
    /// in another thread.
    ///
    /// # Example
    ///
    /// This shows how to decode a line of a pushed chunk.
    ///
    /// ```
    /// use linetape::{Chunks, Decoder};
    ///
    /// let mut chunks = Chunks::new();
    /// chunks.push("{\"type\":\"user\"}\n");
    /// let line = chunks.next_line().unwrap()?;
    /// let mut decoder = Decoder::new();
    /// let record = line.line(&mut decoder).decode()?;
    /// assert!(record.kind().is("user"));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn line<'a>(&'a self, decoder: &'a mut Decoder) -> Line<'a> {
        let BytesLine { bytes, position, terminator, .. } = self;
        let (position, terminator) = (*position, *terminator);
        let raw = RawLine { bytes, position, terminator };
        let Decoder { state } = decoder;
        let is_within = usize::from(self.depth) <= state.depth
            && state.is_short(bytes.len());
        let known = if is_within { self.known } else { Known::default() };
        state.unique_keys = self.unique_keys;
        state.inherit(known);
        state.begin(raw);
        Line::new(bytes, state)
    }

    /// Returns the line's bytes as a shared slice, without copying.
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl PartialEq for BytesLine {
    fn eq(&self, other: &BytesLine) -> bool {
        self.position == other.position
            && self.terminator == other.terminator
            && self.bytes == other.bytes
    }
}

impl Eq for BytesLine {}

impl Hash for BytesLine {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.position.hash(state);
        self.terminator.hash(state);
        self.bytes.hash(state);
    }
}

impl AsRef<[u8]> for BytesLine {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<BytesLine> for Bytes {
    fn from(line: BytesLine) -> Bytes {
        line.into_bytes()
    }
}

impl fmt::Debug for BytesLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Escaped::new(&self.bytes);
        write!(f, "BytesLine({}: `{text}`)", self.position)
    }
}

impl Line<'_> {
    /// Copies the line into one that owns its bytes, and so can be kept or
    /// sent to another thread.
    ///
    /// Nothing is checked. To own lines without copying them, push their bytes
    /// to [`Chunks`](crate::Chunks).
    ///
    /// # Example
    ///
    /// This shows how to decode the lines of a reader in another thread.
    ///
    /// ```
    /// use linetape::{Decoder, Reader};
    ///
    /// let mut reader = Reader::new(&b"{\"type\":\"user\"}\n"[..]);
    /// let line = reader.next_line().unwrap()?.to_bytes_line();
    /// let there = std::thread::spawn(move || {
    ///     let mut decoder = Decoder::new();
    ///     let record = line.line(&mut decoder).decode()?;
    ///     Ok::<_, linetape::Error>(record.kind().to_string())
    /// });
    /// assert_eq!(there.join().unwrap()?, "user");
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn to_bytes_line(&self) -> BytesLine {
        let Source { bytes, state } = self.source();
        let bytes = Bytes::copy_from_slice(bytes);
        let line = BytesLine::new(bytes, state.position, state.terminator);
        line.with(state)
    }
}

impl AsRef<[u8]> for Line<'_> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        json::{Found, Known, Verdict},
        level::Level,
        limits::Limits,
        reader::Reader,
        record::Decoder,
    };

    /// A line within one chunk keeps what has been prepared, for decoders whose
    /// limits are not lower.
    #[test]
    fn what_is_prepared_is_remembered() {
        use Level::{Check, Checked, Kind, Line, Peek};
        for (level, expected) in [
            (Line, "Nothing"),
            (Kind, "Kind"),
            (Peek, "Kind"),
            (Check, "Check"),
            (Checked, "Check"),
        ] {
            let mut chunks = Reader::builder().level(level).chunks();
            // The first line is not prepared, because a BOM may precede it.
            chunks.push("{}\n{\"type\":\"a\"}\n{\"ty");
            chunks.push("pe\":\"b\"}\n");
            let mut decoder = Decoder::new();
            assert!(chunks.next_line().unwrap().is_ok());
            let line = chunks.next_line().unwrap().unwrap();
            let found = |line: &crate::Line<'_>| {
                let Known { found, verdict, .. } = line.source().state.known();
                match (found, verdict) {
                    (Found::Nothing, Verdict::Unknown) => "Nothing",
                    (Found::Kind, Verdict::Unknown) => "Kind",
                    (Found::Nothing, Verdict::Good) => "Check",
                    _ => "something else",
                }
            };
            assert_eq!(found(&line.line(&mut decoder)), expected);
            let again = line.line(&mut decoder).to_bytes_line();
            assert_eq!(found(&again.line(&mut decoder)), expected);
            let shallow = Limits { max_depth: 1, ..Limits::default() };
            let mut decoder = Decoder::with_limits(shallow);
            assert_eq!(found(&line.line(&mut decoder)), "Nothing");
            let line = chunks.next_line().unwrap().unwrap();
            assert_eq!(found(&line.line(&mut decoder)), "Nothing");
            assert!(line.line(&mut decoder).kind().unwrap().is("b"));
        }
    }

    /// It was bad for a decoder with higher limits, too.
    #[test]
    fn a_line_that_is_too_deep_for_one_decoder_is_good_for_another() {
        let shallow = Limits { max_depth: 1, ..Limits::default() };
        let mut decoder = Decoder::with_limits(shallow);
        let line = decoder.line(br#"{"type":"user","a":{}}"#);
        assert!(line.check().is_err());
        let line = line.to_bytes_line();
        assert!(line.line(&mut Decoder::new()).check().is_ok());
    }
}
