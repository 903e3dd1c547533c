/*!
Lines that are held back, because a block of a stream is not complete.

A secret can be split over the pieces of a block. So the lines of the pieces
wait until the block ends, and all lines after them wait too: their order stays.
*/

use std::{
    collections::{HashMap, VecDeque},
    fmt::Write,
    ops::Range,
};

use linetape::{Error, Line, Position, Value};

use crate::{
    cleaner::{Cleaner, Note},
    event::{Event, What},
    unescape::{to_escaped, unescape},
};

/// The longest text of a block that is held, in bytes.
const MOST_TEXT: usize = 1 << 20;

/// The most bytes of a secret without white space.
const LONGEST_SECRET: usize = 4 << 10;

/// The most bytes of lines that are held. A line with a piece is much longer
/// than the piece.
const MOST_LINES: usize = 64 << 20;

/// A line that waits.
#[derive(Debug)]
struct Waiting {
    line: Vec<u8>,
    is_terminated: bool,
    position: Position,
    /// Where the text of its piece is written, while its block is not
    /// complete.
    piece: Option<Range<usize>>,
}

/// A block that is not complete.
#[derive(Debug, Default)]
struct Block {
    /// The text of all pieces.
    text: String,
    /// The number of each line with a piece, and where its piece begins in
    /// the text.
    pieces: Vec<(u64, usize)>,
    /// Whether the block is too long: its further pieces go as a whole.
    is_over: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Held {
    lines: VecDeque<Waiting>,
    /// The number of the first line that waits.
    first: u64,
    bytes: usize,
    blocks: HashMap<String, Block>,
    /// A reused buffer for keys of blocks.
    key: String,
    piece: String,
}

impl Held {
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.blocks.is_empty()
    }

    /// Adds a line, whose event is `event`. Returns false if the line does not
    /// have to wait.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is invalid or cannot be cleaned.
    pub(crate) fn add(
        &mut self,
        line: &Line<'_>,
        event: Option<Event<'_>>,
        cleaner: &mut Cleaner,
    ) -> Result<bool, Error> {
        let root = line.checked()?.value();
        let is_piece = event.is_some_and(|event| event.piece().is_some());
        self.set_key(event.map_or(root, |event| event.origin));
        match event {
            Some(Event { what: What::Chunk(_), index, .. }) => {
                self.begin_chunk(index, cleaner)?;
            }
            Some(Event { what: What::TextEnd, origin, .. }) => {
                // An error need not say whose it is.
                let session = origin.get("session_id");
                if session.is_none_or(|session| session.is_null()) {
                    self.key.clear();
                }
                let thread = std::mem::take(&mut self.key);
                self.end_all(&thread, cleaner)?;
                self.key = thread;
            }
            Some(Event { what: What::Block, index, .. }) => {
                let _ = write!(self.key, "{index}");
                let key = std::mem::take(&mut self.key);
                self.end(&key, cleaner)?;
                self.key = key;
            }
            Some(Event { what: What::Message, .. }) => {
                let thread = std::mem::take(&mut self.key);
                self.end_all(&thread, cleaner)?;
                self.key = thread;
            }
            Some(Event { what: What::Piece(..), index, .. }) => {
                let _ = write!(self.key, "{index}");
            }
            None if root.get("type").and_then(|t| t.as_str())
                == Some("result") =>
            {
                self.end_all("", cleaner)?;
            }
            None => {}
        }
        if !is_piece && self.lines.is_empty() {
            return Ok(false);
        }
        let bytes = match cleaner.clean(line, is_piece)? {
            true => std::mem::take(&mut cleaner.line),
            false => line.as_bytes().to_vec(),
        };
        let mut waiting = Waiting {
            line: bytes,
            is_terminated: line.is_terminated(),
            position: line.position(),
            piece: None,
        };
        if is_piece {
            self.add_piece(&mut waiting, cleaner)?;
        }
        self.bytes += waiting.line.len();
        self.lines.push_back(waiting);
        while self.bytes > MOST_LINES && self.lines.iter().any(is_open) {
            self.give_up(cleaner)?;
        }
        Ok(true)
    }

    /// Sets `self.key` to the block of a server's chunk. The texts of other
    /// turns of its session end.
    fn begin_chunk(
        &mut self,
        turn: u64,
        cleaner: &mut Cleaner,
    ) -> Result<(), Error> {
        let thread = std::mem::take(&mut self.key);
        let key = format!("{thread}turn {turn}");
        if !self.blocks.contains_key(&key) {
            self.end_all(&thread, cleaner)?;
        }
        self.key = key;
        Ok(())
    }

    /// Adds the piece of a line to its block, `self.key`.
    fn add_piece(
        &mut self,
        waiting: &mut Waiting,
        cleaner: &mut Cleaner,
    ) -> Result<(), Error> {
        // It may have moved when the line was cleaned.
        let place = cleaner.piece(&waiting.line)?;
        let Some(place) = place else { return Ok(()) };
        let written = waiting.line.get(place.clone()).unwrap_or_default();
        let written = std::str::from_utf8(written).unwrap_or_default();
        unescape(written, &mut self.piece);
        let number = self.first + self.lines.len() as u64;
        let is_over = {
            let block = self.blocks.entry(self.key.clone()).or_default();
            let length = block.text.len() + self.piece.len();
            if !block.is_over && length <= MOST_TEXT {
                block.pieces.push((number, block.text.len()));
                block.text.push_str(&self.piece);
                waiting.piece = Some(place);
                return Ok(());
            }
            std::mem::replace(&mut block.is_over, true)
        };
        if !is_over {
            let key = std::mem::take(&mut self.key);
            self.resolve(&key, true, cleaner)?;
            self.key = key;
        }
        let Some((new, rule)) = cleaner.oversized(&self.piece) else {
            return Ok(());
        };
        let position = waiting.position;
        cleaner.notes().push(Note { rule, position });
        waiting.line = cleaner.splice(&waiting.line, &[(place, new)])?;
        Ok(())
    }

    /// Ends a block: cleans its pieces, and forgets it.
    fn end(&mut self, key: &str, cleaner: &mut Cleaner) -> Result<(), Error> {
        let result = self.resolve(key, false, cleaner);
        self.blocks.remove(key);
        result
    }

    /// Ends all blocks of a thread, or of all threads if it is empty.
    pub(crate) fn end_all(
        &mut self,
        thread: &str,
        cleaner: &mut Cleaner,
    ) -> Result<(), Error> {
        let keys = self.blocks.keys().filter(|key| key.starts_with(thread));
        let keys: Vec<String> = keys.cloned().collect();
        keys.iter().try_for_each(|key| self.end(key, cleaner))
    }

    /// Ends waiting for the longest block.
    fn give_up(&mut self, cleaner: &mut Cleaner) -> Result<(), Error> {
        let longest = self.blocks.iter().max_by_key(|(_, b)| b.pieces.len());
        let Some(key) = longest.map(|(key, _)| key.clone()) else {
            return Ok(());
        };
        self.resolve(&key, true, cleaner)?;
        if let Some(block) = self.blocks.get_mut(&key) {
            block.is_over = true;
        }
        Ok(())
    }

    /// Cleans the pieces of a block that are held. If the block `goes_on`, a
    /// secret may have begun at the end of its text, so the end goes.
    fn resolve(
        &mut self,
        key: &str,
        goes_on: bool,
        cleaner: &mut Cleaner,
    ) -> Result<(), Error> {
        let Some(block) = self.blocks.get_mut(key) else { return Ok(()) };
        let text = std::mem::take(&mut block.text);
        let pieces = std::mem::take(&mut block.pieces);
        let mut hits = cleaner.stable_hits(&text);
        if goes_on {
            let mut end = unsure(&text);
            while let Some((range, ..)) = hits.pop_if(|(r, ..)| r.end >= end) {
                end = end.min(range.start);
            }
            let tail = text.get(end..).unwrap_or_default();
            if let Some((new, rule)) = cleaner.oversized(tail) {
                hits.push((end..text.len(), new, Some(rule)));
            }
        }
        hits.reverse();
        let mut ends = pieces.iter().map(|(_, start)| *start).skip(1);
        for (number, start) in &pieces {
            let end = ends.next().unwrap_or(text.len());
            let at = usize::try_from(number - self.first).unwrap_or(0);
            let Some(waiting) = self.lines.get_mut(at) else { continue };
            let Some(place) = waiting.piece.take() else { continue };
            // What of the hits is in this piece. The replacement is in the
            // piece in which the secret begins.
            let mut parts: Vec<(Range<usize>, String)> = vec![];
            while let Some((range, new, rule)) = hits.last_mut()
                && range.start < end
            {
                let part = range.start - start..range.end.min(end) - start;
                let text = std::mem::take(new);
                parts.push((part, text));
                if let Some(rule) = rule.take() {
                    let position = waiting.position;
                    cleaner.notes().push(Note { rule, position });
                }
                if range.end > end {
                    range.start = end;
                    break;
                }
                hits.pop();
            }
            if parts.is_empty() {
                continue;
            }
            let written = waiting.line.get(place.clone()).unwrap_or_default();
            let written = std::str::from_utf8(written).unwrap_or_default();
            let mut ranges: Vec<_> =
                parts.iter().map(|(range, _)| range.clone()).collect();
            to_escaped(written, &mut ranges);
            for ((part, _), range) in parts.iter_mut().zip(ranges) {
                *part = place.start + range.start..place.start + range.end;
            }
            let line = cleaner.splice(&waiting.line, &parts)?;
            self.bytes = self.bytes + line.len() - waiting.line.len();
            waiting.line = line;
        }
        Ok(())
    }

    /// Removes and returns the next line that does not wait any more, and
    /// whether a newline ends it.
    pub(crate) fn next(&mut self) -> Option<(Vec<u8>, bool)> {
        if self.lines.front().is_none_or(is_open) {
            return None;
        }
        let waiting = self.lines.pop_front()?;
        self.first += 1;
        self.bytes -= waiting.line.len();
        Some((waiting.line, waiting.is_terminated))
    }

    /// Sets `self.key` to the thread of a line: the key of a block without its
    /// index.
    fn set_key(&mut self, origin: Value<'_>) {
        self.key.clear();
        for name in ["session_id", "sessionId", "parent_tool_use_id"] {
            let id = origin.get(name);
            let text = id.and_then(|id| id.as_str());
            let number = id.and_then(|id| id.as_i64());
            let _ = write!(self.key, "{text:?}{number:?} ");
        }
    }
}

/// Returns where the end of a text begins in which a secret may begin whose
/// rest is missing: after white space, or at a private key.
fn unsure(text: &str) -> usize {
    let tail = text.len().saturating_sub(LONGEST_SECRET);
    let before = text.as_bytes().get(..tail).unwrap_or_default();
    let space = before.iter().rposition(u8::is_ascii_whitespace);
    let end = space.map_or(0, |at| at + 1);
    let key = memchr::memmem::rfind(text.as_bytes(), b"-----BEGIN");
    let is_ended = |at: usize| {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        memchr::memmem::find(rest, b"-----END").is_some()
    };
    match key {
        Some(key) if !is_ended(key) => end.min(key),
        _ => end,
    }
}

fn is_open(waiting: &Waiting) -> bool {
    waiting.piece.is_some()
}
