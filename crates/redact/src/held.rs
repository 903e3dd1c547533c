/*!
Lines that are held back, because a block of a stream is not complete.

A secret can be split over the pieces of a block. So the lines of the pieces
wait until the block ends, and all lines after them wait too: their order stays.
*/

use std::{
    borrow::Cow,
    collections::VecDeque,
    mem,
    ops::{Range, RangeInclusive},
};

use linetape::{Error, Line, Position, Value};

use crate::{
    blocks::{Block, Blocks, Key},
    cleaner::{Cleaner, Note},
    event::{Event, What},
    unescape::unescape,
};

mod text;

use text::{replaced, unsure};

#[cfg(test)]
mod tests;

/// The longest text of a block that is held, in bytes.
const MOST_TEXT: usize = 1 << 20;

/// What a line costs apart from its text, in bytes: its place in the queue,
/// which can be half empty, and in its block, and its allocation.
const LINE: usize = 2 * size_of::<Waiting>() + 128;

/// What may be held.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// The most bytes of lines and blocks. A line with a piece is much longer
    /// than the piece.
    bytes: usize,
    /// The most lines after the last piece of a block. A session that broke
    /// off in a block must not hold the lines of other sessions.
    idle: u64,
    /// The most blocks.
    blocks: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { bytes: 64 << 20, idle: 16 << 10, blocks: 16 << 10 }
    }
}

/// What is written after a line: its terminator, and blank lines.
pub(crate) type End = Cow<'static, [u8]>;

/// A line that waits.
#[derive(Debug)]
struct Waiting {
    line: Vec<u8>,
    end: End,
    position: Position,
    /// The block of its piece, and where the text of the piece is written,
    /// while the block is not complete.
    piece: Option<(Key, Range<usize>)>,
}

impl Waiting {
    fn cost(&self) -> usize {
        self.line.len() + self.end.len() + LINE
    }
}

#[derive(Debug, Default)]
pub(crate) struct Held {
    bounds: Bounds,
    /// The lines that wait. The first one is a piece of a block.
    lines: VecDeque<Waiting>,
    /// The lines that do not wait any more.
    ready: VecDeque<(Vec<u8>, End)>,
    /// The number of the first line that waits.
    first: u64,
    /// The bytes of the lines that wait, and of the texts of blocks.
    bytes: usize,
    blocks: Blocks,
    /// A reused buffer.
    piece: String,
}

impl Held {
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
            && self.ready.is_empty()
            && self.blocks.is_empty()
    }

    /// Adds a line, whose event is `event`, and what follows it. Returns false
    /// if the line does not have to wait.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is invalid or cannot be cleaned.
    pub(crate) fn add(
        &mut self,
        line: &Line<'_>,
        end: &End,
        event: Option<Event<'_>>,
        cleaner: &mut Cleaner,
    ) -> Result<bool, Error> {
        let root = line.checked()?.value();
        let key = match event {
            Some(event) => self.begin(event, cleaner),
            None => {
                self.end_by_message(root, cleaner);
                None
            }
        };
        self.settle();
        if key.is_none() && self.lines.is_empty() {
            return Ok(false);
        }
        let bytes = match cleaner.clean(line, key.is_some())? {
            true => mem::take(&mut cleaner.line),
            false => line.as_bytes().to_vec(),
        };
        let mut waiting = Waiting {
            line: bytes,
            end: end.clone(),
            position: line.position(),
            piece: None,
        };
        if let Some(key) = key {
            self.add_piece(key, &mut waiting, cleaner)?;
        }
        waiting.line.shrink_to_fit();
        self.bytes += waiting.cost();
        self.lines.push_back(waiting);
        self.release(cleaner);
        Ok(true)
    }

    /// Returns whether a line waits, after which blank lines have to wait.
    pub(crate) fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Adds blank lines after the last line that waits.
    pub(crate) fn add_blank(&mut self, blank: &[u8], cleaner: &mut Cleaner) {
        if let Some(last) = self.lines.back_mut() {
            last.end.to_mut().extend_from_slice(blank);
            self.bytes += blank.len();
            self.release(cleaner);
        }
    }

    /// Ends the blocks that an event ends. Returns the key of its piece.
    fn begin(
        &mut self,
        event: Event<'_>,
        cleaner: &mut Cleaner,
    ) -> Option<Key> {
        let Event { what, index, origin } = event;
        let is_turn = matches!(what, What::Chunk(_));
        let key = Key::of(origin, is_turn, index);
        match what {
            What::Piece(..) => {}
            What::Start(_) | What::Stop => self.end(key, cleaner),
            What::Message => self.end_some(key.of_thread(), cleaner),
            // The texts of other turns end.
            What::Chunk(_) if !self.blocks.has(key) => {
                self.end_some(key.of_thread(), cleaner);
            }
            What::Chunk(_) => {}
            What::TextEnd => self.end_session(origin, cleaner),
        }
        event.piece().map(|_| key)
    }

    /// Ends the blocks that a line ends which is not an event of a stream: a
    /// message of the assistant is written when its blocks are complete.
    fn end_by_message(&mut self, root: Value<'_>, cleaner: &mut Cleaner) {
        match root.get("type").and_then(|kind| kind.as_str()) {
            Some("result") => self.end_session(root, cleaner),
            Some("assistant") => {
                let key = Key::of(root, false, 0);
                self.end_some(key.of_thread(), cleaner);
            }
            _ => {}
        }
    }

    /// Ends all blocks of a session. An object need not say whose it is: then
    /// it ends all.
    fn end_session(&mut self, origin: Value<'_>, cleaner: &mut Cleaner) {
        let ids = origin.get_many(["session_id", "sessionId"]);
        match ids.into_iter().flatten().any(|id| !id.is_null()) {
            true => {
                let key = Key::of(origin, false, 0);
                self.end_some(key.of_session(), cleaner);
            }
            false => self.end_all(cleaner),
        }
    }

    /// Adds the piece of a line to its block. Beyond the bounds, it goes as a
    /// whole.
    fn add_piece(
        &mut self,
        key: Key,
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
        if let Some(block) = self.blocks.begin(key, self.bounds.blocks) {
            let length = block.text.len() + self.piece.len();
            if !block.is_over && length <= MOST_TEXT {
                block.pieces.push((number, block.text.len()));
                block.last = number;
                block.text.push_str(&self.piece);
                self.bytes += self.piece.len();
                waiting.piece = Some((key, place));
                return Ok(());
            }
            self.give_up(key, cleaner);
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
    fn end(&mut self, key: Key, cleaner: &mut Cleaner) {
        if let Some(block) = self.blocks.remove(key) {
            self.resolve(block, false, cleaner);
        }
    }

    fn end_some(&mut self, keys: RangeInclusive<Key>, cleaner: &mut Cleaner) {
        for block in self.blocks.remove_all(keys) {
            self.resolve(block, false, cleaner);
        }
    }

    /// Ends all blocks.
    pub(crate) fn end_all(&mut self, cleaner: &mut Cleaner) {
        for block in self.blocks.clear() {
            self.resolve(block, false, cleaner);
        }
        self.settle();
    }

    /// Drops all lines and blocks.
    pub(crate) fn clear(&mut self) {
        *self = Held { bounds: self.bounds, ..Held::default() };
    }

    /// Ends waiting for a block.
    fn give_up(&mut self, key: Key, cleaner: &mut Cleaner) {
        let Some(block) = self.blocks.get(key) else { return };
        let over = Block { is_over: true, ..Block::default() };
        let block = mem::replace(block, over);
        self.resolve(block, true, cleaner);
    }

    /// Moves the lines that do not wait any more.
    fn settle(&mut self) {
        while self.lines.front().is_some_and(|first| !is_open(first))
            && let Some(waiting) = self.lines.pop_front()
        {
            self.first += 1;
            self.bytes -= waiting.cost();
            self.ready.push_back((waiting.line, waiting.end));
        }
    }

    /// Ends waiting for blocks beyond the bounds: for that of the first line,
    /// so that each time at least one line is free.
    fn release(&mut self, cleaner: &mut Cleaner) {
        self.settle();
        let next = self.first + self.lines.len() as u64;
        while let Some((key, _)) =
            self.lines.front().and_then(|first| first.piece.clone())
        {
            let first = self.first;
            let last = self.blocks.get(key).map_or(0, |block| block.last);
            let is_idle = next - last > self.bounds.idle;
            if self.bytes <= self.bounds.bytes && !is_idle {
                break;
            }
            self.give_up(key, cleaner);
            self.settle();
            if self.first == first {
                break;
            }
        }
    }

    /// Cleans the pieces of a block that are held. If the block `goes_on`, a
    /// secret may have begun at the end of its text, so the end goes.
    fn resolve(&mut self, block: Block, goes_on: bool, cleaner: &mut Cleaner) {
        let Block { text, pieces, .. } = block;
        self.bytes -= text.len();
        let mut hits = cleaner.stable_hits(&text);
        if goes_on && !cleaner.ends_replaced(&text) {
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
            let Some((_, place)) = waiting.piece.take() else { continue };
            // What of the hits is in this piece. The replacement is in the
            // piece in which the secret begins.
            let mut parts: Vec<(Range<usize>, String)> = vec![];
            while let Some((range, new, rule)) = hits.last_mut()
                && range.start < end
            {
                let part = range.start - start..range.end.min(end) - start;
                let text = mem::take(new);
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
            self.bytes -= waiting.line.len();
            waiting.line = replaced(&waiting.line, &place, parts, cleaner);
            self.bytes += waiting.line.len();
        }
    }

    /// Removes and returns the next line that does not wait any more, and what
    /// follows it.
    pub(crate) fn next(&mut self) -> Option<(Vec<u8>, End)> {
        self.ready.pop_front()
    }
}

fn is_open(waiting: &Waiting) -> bool {
    waiting.piece.is_some()
}
