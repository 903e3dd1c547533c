/*!
Where a step is in the logs: text is not kept, but read again when needed.
*/

use std::io::{self, Read, Seek, SeekFrom};

use linetape::{Decoder, Limits, Line, OwnedLine, Position};

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

    /// Returns the message at this place, given the facts of its line. Returns
    /// `None` if the line has fewer messages, which means that the source has
    /// changed.
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
/// Caches the last two lines. Keeps at most 16 of the sources from
/// [`add_opener`](Recall::add_opener) open.
///
/// # Example
///
/// See [`Conversation`](crate::Conversation).
pub struct Recall<R> {
    sources: Vec<Source<R>>,
    /// The indexes of open sources that can be opened again, the last one that
    /// was used at the end.
    open: Vec<usize>,
    lines: [Loaded; 2],
    /// Which of the lines was used last.
    latest: usize,
    decoder: Decoder,
}

struct Source<R> {
    open: Option<R>,
    /// Opens the source, if it is not kept open.
    opener: Option<Opener<R>>,
}

type Opener<R> = Box<dyn FnMut() -> io::Result<R>>;

/// The maximum number of sources from `add_opener` that are open at once.
const MOST_OPEN: usize = 16;

/// A line that was read.
#[derive(Default)]
struct Loaded {
    /// Its source, offset and length.
    at: Option<(u32, u64, u64)>,
    bytes: Vec<u8>,
    /// The same line with an index, if it was read more than once.
    owned: Option<OwnedLine>,
}

impl<R: Read + Seek> Recall<R> {
    /// Creates a reader without sources. `limits` are those that the lines
    /// were first read with.
    pub fn new(limits: Limits) -> Recall<R> {
        Recall {
            sources: vec![],
            open: vec![],
            lines: Default::default(),
            latest: 0,
            decoder: Decoder::with_limits(limits),
        }
    }

    /// Adds the next source: the first one has the index 0.
    pub fn add_source(&mut self, source: R) {
        self.sources.push(Source { open: Some(source), opener: None });
    }

    /// Adds the next source, which is opened when it is needed, and closed
    /// again if many sources are open. Use this for files: there may be more of
    /// them than a process may open.
    pub fn add_opener(
        &mut self,
        opener: impl FnMut() -> io::Result<R> + 'static,
    ) {
        let opener = Some(Box::new(opener) as Opener<R>);
        self.sources.push(Source { open: None, opener });
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
        let at = (place.source, place.byte, u64::from(place.len));
        let is_at = |line: &Loaded| line.at == Some(at);
        if let Some(found) = self.lines.iter().position(is_at) {
            self.latest = found;
        } else {
            self.latest = 1 - self.latest;
            if !self.load(place, at)? {
                return Ok(None);
            }
            let Some(line) = self.lines.get(self.latest) else {
                return Ok(None);
            };
            let line = self.decoder.line(&line.bytes);
            // The line was checked when it was first read.
            let Ok(message) = line.peek() else { return Ok(None) };
            let found = place.find(Facts::of(message));
            return Ok(found.map(|facts| read(&facts)));
        }
        // Without its index, a message with very many blocks would be scanned
        // for each of them.
        let Some(line) = self.lines.get_mut(self.latest) else {
            return Ok(None);
        };
        if line.owned.is_none() {
            let owned = self.decoder.line(&line.bytes).to_owned_line();
            line.owned = owned.ok();
        }
        let message = line.owned.as_ref().map(OwnedLine::message);
        let found = message.and_then(|m| place.find(Facts::of(m)));
        Ok(found.map(|facts| read(&facts)))
    }

    /// Reads a line into the place of the one that was used last but one.
    /// Returns whether the source still has that many bytes.
    fn load(&mut self, place: Place, at: (u32, u64, u64)) -> io::Result<bool> {
        let index = usize::try_from(place.source).unwrap_or(usize::MAX);
        let Some(source) = self.sources.get_mut(index) else {
            return Ok(false);
        };
        if let Some(opener) = &mut source.opener {
            if source.open.is_none() {
                source.open = Some(opener()?);
            }
            self.open.retain(|open| *open != index);
            self.open.push(index);
        }
        let Some(line) = self.lines.get_mut(self.latest) else {
            return Ok(false);
        };
        (line.at, line.owned) = (None, None);
        line.bytes.clear();
        let Some(open) = &mut source.open else { return Ok(false) };
        open.seek(SeekFrom::Start(place.byte))?;
        let (_, _, length) = at;
        let read = open.take(length).read_to_end(&mut line.bytes)?;
        let is_whole = read as u64 == length;
        line.at = Some(at).filter(|_| is_whole);
        if self.open.len() > MOST_OPEN {
            let oldest = self.open.remove(0);
            if let Some(source) = self.sources.get_mut(oldest) {
                source.open = None;
            }
        }
        Ok(is_whole)
    }
}

impl<R> Recall<R> {
    /// Returns the number of sources.
    pub fn sources(&self) -> usize {
        self.sources.len()
    }
}
