/*!
Where a step is in the logs: text is not kept, but read again when needed.
*/

use std::io::{self, BufRead, BufReader, Read, Seek};

use linetape::{Decoder, Limits, Line, Position};

use crate::{Facts, conversation::Step};

/// Where a message is: a source, a line of it, and a message on the line.
///
/// A [`Conversation`](crate::Conversation) keeps places instead of text. Read
/// the line again with [`Recall`], or by any other means.
///
/// # Example
///
/// This shows how to find a message again.
///
/// ```
/// use linetape::lines;
/// use linetape_session::{Facts, conversation::Place};
///
/// let log = br#"{"type":"user","message":{"content":"Hi"}}"#;
/// let mut lines = lines(log);
/// let line = lines.next_line().unwrap()?;
/// let place = Place::of_line(0, &line);
/// assert_eq!((place.source, place.byte, place.len), (0, 0, 42));
///
/// let facts = place.find(Facts::of(line.checked()?)).unwrap();
/// assert_eq!(facts.message().text().to_string(), "Hi");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Place {
    /// The index of the source, as the caller counts them. `u32::MAX` is the
    /// conversation itself: see
    /// [`Conversation::assembled`](crate::Conversation::assembled).
    pub source: u32,
    /// The offset of the line in the source, in bytes.
    pub byte: u64,
    /// The number of the line in the source, counted from 1.
    pub line: u64,
    /// The length of the line in bytes, without its newline.
    pub len: u32,
    /// Which message of the line it is: 0 is the line itself, and the others
    /// are [nested](Facts::nested) in it, counted in pre-order.
    pub nth: u32,
}

impl Place {
    /// The source of lines that the conversation itself has put together.
    pub const ASSEMBLED: u32 = u32::MAX;

    /// Returns the place of a line.
    pub fn of_line(source: u32, line: &Line<'_>) -> Place {
        let len = u32::try_from(line.as_bytes().len()).unwrap_or(u32::MAX);
        let (byte, line) = (line.offset(), line.number());
        Place { source, byte, line, len, nth: 0 }
    }

    /// Returns the line's position in its source.
    pub fn position(self) -> Position {
        Position::new(self.line, self.byte)
    }

    /// Returns the same line's `nth` message.
    pub(crate) fn nested(self, nth: u32) -> Place {
        Place { nth, ..self }
    }

    /// Returns the message at this place, given the facts of its line. `None`
    /// if the line has too few messages: then it is another line.
    pub fn find<'a>(self, line: Facts<'a>) -> Option<Facts<'a>> {
        let mut left = self.nth;
        find(line, &mut left)
    }
}

/// Returns the message that has `left` messages before it.
fn find<'a>(facts: Facts<'a>, left: &mut u32) -> Option<Facts<'a>> {
    if *left == 0 {
        return Some(facts);
    }
    // As deep as `nested` goes, which is limited.
    facts.nested().find_map(|nested| {
        *left -= 1;
        find(nested, left)
    })
}

/// Reads lines again, by their [places](Place).
///
/// # Costs
///
/// One buffer of 64 KiB for each source, and memory for the longest line.
/// Reading lines in the order of the log does not seek.
///
/// # Example
///
/// See [`Conversation`](crate::Conversation).
pub struct Recall<R> {
    sources: Vec<Source<R>>,
    line: Vec<u8>,
    decoder: Decoder,
}

struct Source<R> {
    reader: BufReader<R>,
    at: u64,
}

impl<R: Read + Seek> Recall<R> {
    /// Creates a reader without sources. `limits` are those that the lines
    /// were first read with.
    pub fn new(limits: Limits) -> Recall<R> {
        let decoder = Decoder::with_limits(limits);
        Recall { sources: vec![], line: vec![], decoder }
    }

    /// Adds the next source: the first one has the index 0. It must be at its
    /// start.
    pub fn add_source(&mut self, source: R) {
        let reader = BufReader::with_capacity(64 << 10, source);
        self.sources.push(Source { reader, at: 0 });
    }

    /// Calls `read` with the message of a step. Returns `None` if its line is
    /// not there any more, because the source has changed.
    ///
    /// # Errors
    ///
    /// Returns the error of reading the source.
    pub fn step<T>(
        &mut self,
        step: Step<'_>,
        read: impl FnOnce(&Facts<'_>) -> T,
    ) -> io::Result<Option<T>> {
        let Some(line) = step.all.assembled(step.place()) else {
            return self.with(step.place(), read);
        };
        let line = self.decoder.line(line.as_bytes());
        let Ok(message) = line.peek() else { return Ok(None) };
        Ok(step.place().find(Facts::of(message)).map(|facts| read(&facts)))
    }

    /// Reads the line at a place, and calls `read` with the message at that
    /// place. Returns `None` if there is no such line any more, because the
    /// source has changed.
    ///
    /// # Errors
    ///
    /// Returns the error of reading the source.
    pub fn with<T>(
        &mut self,
        place: Place,
        read: impl FnOnce(&Facts<'_>) -> T,
    ) -> io::Result<Option<T>> {
        let index = usize::try_from(place.source).unwrap_or(usize::MAX);
        let Some(source) = self.sources.get_mut(index) else {
            return Ok(None);
        };
        if !source.load(place, &mut self.line)? {
            return Ok(None);
        }
        let line = self.decoder.line(&self.line);
        // The line was checked when it was first read.
        let Ok(message) = line.peek() else { return Ok(None) };
        Ok(place.find(Facts::of(message)).map(|facts| read(&facts)))
    }
}

impl<R> Recall<R> {
    /// Returns the number of sources.
    pub fn sources(&self) -> usize {
        self.sources.len()
    }
}

impl<R: Read + Seek> Source<R> {
    /// Reads a line. Returns whether the source still has that many bytes.
    fn load(&mut self, place: Place, line: &mut Vec<u8>) -> io::Result<bool> {
        let far = i128::from(place.byte) - i128::from(self.at);
        match i64::try_from(far) {
            Ok(far) => self.reader.seek_relative(far)?,
            Err(_) => return Ok(false),
        }
        self.at = place.byte;
        line.clear();
        let mut left = place.len as usize;
        while left > 0 {
            let bytes = self.reader.fill_buf()?;
            let some = bytes.get(..left.min(bytes.len())).unwrap_or(bytes);
            if some.is_empty() {
                return Ok(false);
            }
            let count = some.len();
            line.extend_from_slice(some);
            self.reader.consume(count);
            self.at += count as u64;
            left -= count;
        }
        Ok(true)
    }
}
