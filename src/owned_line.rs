use std::{fmt, sync::Arc};

use crate::{
    error::{Error, Position},
    json::{Kept, Value},
    line::Line,
    message::{Kind, Message},
};

/// A checked line that owns its text and index, and can be sent to another
/// thread.
///
/// [`Line::to_owned_line`] checks a line and makes one. It is `Send`, `Sync`
/// and cheap to clone, since clones share their memory. Its
/// [`message`](OwnedLine::message) has the same views as that of
/// [`Line::checked`], but needs neither a reader nor an arena: all strings were
/// unescaped when it was made, so an accessor allocates nothing.
///
/// An [`owned::Message`](crate::owned) can be changed, and takes more memory
/// and time. A [`BytesLine`](crate::BytesLine) keeps the original bytes of a
/// line, unchecked and without an index; an `OwnedLine` does not keep them.
///
/// # Costs
///
/// Takes the memory of the unescaped text, plus 8 bytes per string and key, 16
/// per object and array, and about a hundred bytes.
///
/// # Example
///
/// This shows how to keep some lines, and read them in another thread.
///
/// ```
/// use linetape::{OwnedLine, lines};
///
/// let log = br#"{"type":"user","uuid":"\u0061"}
/// {"type":"result"}
/// "#;
/// let mut lines = lines(log);
/// let mut kept: Vec<OwnedLine> = vec![];
/// while let Some(line) = lines.next_line() {
///     kept.push(line?.to_owned_line()?);
/// }
/// let there = std::thread::spawn(move || {
///     kept[0].message().uuid().map(str::to_string)
/// });
/// assert_eq!(there.join().unwrap().as_deref(), Some("a"));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone)]
pub struct OwnedLine(Arc<Owned>);

struct Owned {
    line: Kept,
    /// The length of the line as it is written.
    length: usize,
    terminated: bool,
}

impl OwnedLine {
    /// Returns the line number, counted from 1, or 0 if it is unknown: see
    /// [`ReaderBuilder::range`](crate::ReaderBuilder::range). Blank and
    /// discarded lines count.
    pub fn number(&self) -> u64 {
        self.position().line()
    }

    /// Returns the offset of the line's first byte in the stream.
    pub fn offset(&self) -> u64 {
        self.position().byte()
    }

    /// Returns the line's number and offset.
    pub fn position(&self) -> Position {
        self.0.line.position
    }

    /// Returns the length of the line as it is written, without the
    /// terminator.
    pub fn length(&self) -> usize {
        self.0.length
    }

    /// Returns whether a newline ends the line.
    pub fn is_terminated(&self) -> bool {
        self.0.terminated
    }

    /// Returns the line as a typed message.
    pub fn message(&self) -> Message<'_> {
        Message::new(self.value())
    }

    /// Returns the line as a JSON value.
    pub fn value(&self) -> Value<'_> {
        Value::of_kept(&self.0.line)
    }

    /// Returns the line's type and subtype.
    pub fn kind(&self) -> Kind<'_> {
        self.message().kind()
    }

    /// Returns how many bytes are allocated for the line. Clones share them.
    pub fn allocated_bytes(&self) -> usize {
        // An `Arc` has two counters.
        let counters = 2 * size_of::<usize>();
        counters + size_of::<Owned>() + self.0.line.size()
    }
}

impl fmt::Debug for OwnedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnedLine({}: {:?})", self.position(), self.value())
    }
}

impl Line<'_> {
    /// Checks the whole line, and copies it into one that owns its text and
    /// index, and so can be kept, or sent to another thread and read there.
    ///
    /// # Errors
    ///
    /// Returns the error that [`decode`](Line::decode) would return if the
    /// line is invalid.
    ///
    /// # Example
    ///
    /// This shows that a line that is not valid cannot be owned.
    ///
    /// ```
    /// let mut decoder = linetape::Decoder::new();
    /// let line = decoder.line(br#"{"type":"user","text":"a\tb"}"#);
    /// let kept = line.to_owned_line()?;
    /// assert_eq!(kept.value().get("text").unwrap(), "a\tb");
    /// assert!(decoder.line(b"{\"a\":[1,]}").to_owned_line().is_err());
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn to_owned_line(&self) -> Result<OwnedLine, Error> {
        let line = self.kept()?;
        let (length, terminated) =
            (self.as_bytes().len(), self.is_terminated());
        Ok(OwnedLine(Arc::new(Owned { line, length, terminated })))
    }
}
