use std::{
    fmt,
    hash::{Hash, Hasher},
};

use bytes::Bytes;

use crate::{
    error::Position, escape::Escaped, json::Route, limits::Limits, line::Line,
    lines::RawLine, record::Decoder,
};

/// One physical line, owned.
///
/// It is `Send` and `'static`, and cheap to clone: clones share the bytes.
/// [`Chunks`](crate::Chunks) hands out such lines, which are slices of the
/// chunks that were pushed: as long as a line lives, so does its chunk.
/// [`Line::to_bytes_line`] makes one of a borrowed line, by copying it.
///
/// Two lines are equal if their bytes, their positions and their ends are.
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
    terminated: bool,
    /// How deep a line may be for whoever found `route`. Others may allow
    /// less, and then have to look for themselves.
    depth: u16,
    /// Where its type is, if that has been found along with its end.
    route: Option<Route>,
}

impl BytesLine {
    pub(crate) fn new(
        bytes: Bytes,
        position: Position,
        terminated: bool,
    ) -> BytesLine {
        BytesLine { bytes, position, terminated, depth: 0, route: None }
    }

    /// The line, with the route that was found within `limits`.
    pub(crate) fn routed(
        self,
        route: Option<Route>,
        limits: Limits,
    ) -> BytesLine {
        let depth = limits.depth_cap() as u16;
        BytesLine { route, depth, ..self }
    }

    /// Returns the line's number, counted from 1. Blank and discarded lines
    /// count.
    pub fn number(&self) -> u64 {
        self.position.line()
    }

    /// Returns how many bytes of the stream come before the line.
    pub fn offset(&self) -> u64 {
        self.position.byte()
    }

    /// Returns the line's number and offset together.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Returns the line's bytes, verbatim, without the terminator.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether a newline ends the line.
    pub fn is_terminated(&self) -> bool {
        self.terminated
    }

    /// Returns the line as one that can be looked at and decoded, by the
    /// given decoder.
    ///
    /// If the line comes from chunks that [find the type] of each line along
    /// with its end, its kind is a look-up here too. A failure of the line is
    /// not counted in the [`stats`](crate::Chunks::stats) of those chunks: by
    /// then the line may be in another thread.
    ///
    /// [find the type]: crate::ReaderBuilder::route
    ///
    /// # Example
    ///
    /// This shows how to decode what another thread has received.
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
        let BytesLine { bytes, position, terminated, depth, route } = self;
        let (position, terminated) = (*position, *terminated);
        let depth = usize::from(*depth);
        let is_trusted = decoder.peeker().trusts_route(bytes.len(), depth);
        let route = route.filter(|_| is_trusted);
        let raw = RawLine { bytes, position, terminated };
        Line::new(raw, route, decoder)
    }

    /// Returns the line's bytes, as the shared slice that they are.
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl PartialEq for BytesLine {
    fn eq(&self, other: &BytesLine) -> bool {
        self.position == other.position
            && self.terminated == other.terminated
            && self.bytes == other.bytes
    }
}

impl Eq for BytesLine {}

impl Hash for BytesLine {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.position.hash(state);
        self.terminated.hash(state);
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
    /// Returns a copy of the line that owns its bytes, so that it can be kept
    /// or sent to another thread.
    ///
    /// The bytes are copied as they are: nothing is checked. To own lines
    /// without copying them, push their bytes to [`Chunks`](crate::Chunks).
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
        let (raw, route, limits) = self.found();
        let bytes = Bytes::copy_from_slice(raw.bytes);
        let line = BytesLine::new(bytes, raw.position, raw.terminated);
        line.routed(route, limits)
    }
}

impl AsRef<[u8]> for Line<'_> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use crate::{limits::Limits, reader::Reader, record::Decoder};

    /// A line in one chunk is found together with its type, and remembers it.
    #[test]
    fn a_route_is_remembered() {
        for route in [false, true] {
            let mut chunks = Reader::builder().route(route).chunks();
            // Before the first line there may be a byte order mark.
            chunks.push("{}\n{\"type\":\"a\"}\n{\"ty");
            chunks.push("pe\":\"b\"}\n");
            let mut decoder = Decoder::new();
            assert!(chunks.next_line().unwrap().is_ok());
            let line = chunks.next_line().unwrap().unwrap();
            assert_eq!(line.line(&mut decoder).found().1.is_some(), route);
            let again = line.line(&mut decoder).to_bytes_line();
            assert_eq!(again.line(&mut decoder).found().1.is_some(), route);
            let shallow = Limits { max_depth: 1, ..Limits::default() };
            let mut decoder = Decoder::with_limits(shallow);
            assert!(line.line(&mut decoder).found().1.is_none());
            let line = chunks.next_line().unwrap().unwrap();
            assert!(line.line(&mut decoder).found().1.is_none());
            assert!(line.line(&mut decoder).kind().unwrap().is("b"));
        }
    }
}
