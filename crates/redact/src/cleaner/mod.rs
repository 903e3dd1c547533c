/*!
Cleans one line or one text.
*/

mod line;
mod string;

use std::ops::Range;

use linetape::{Decoder, Error, Limits, Line, Position, edit::Editor};

use crate::{
    cleaner::line::place,
    grams::Hits,
    replacement::Replacement,
    rules::{Caches, Found, Other, Rules, Spot, What},
    search::{Hit, Search},
};

/// Something that was found: the index of its rule, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    pub(crate) rule: usize,
    pub(crate) position: Position,
}

/// Cleans lines, and reuses its memory.
#[derive(Debug)]
pub(crate) struct Cleaner {
    work: Work,
    decoder: Decoder,
    /// The last line that was changed.
    pub(crate) line: Vec<u8>,
    /// The last text that was changed.
    text: String,
}

#[derive(Debug)]
struct Work {
    rules: Rules,
    how: Replacement,
    editor: Editor,
    /// Checks lines that were changed.
    checker: Decoder,
    windows: Hits,
    /// The literals of the line, or of the block that it is in, and which of
    /// them are its own. The offsets of those, and of no others, are counted
    /// from its start.
    spots: Vec<Spot>,
    own: Range<usize>,
    caches: Caches,
    found: Vec<Found>,
    /// Where the first literal is of the string with what was found.
    first: usize,
    /// The literals of a text in which something was replaced.
    again: Vec<Spot>,
    search: Search,
    hits: Vec<Hit>,
    splices: Vec<(Range<usize>, String)>,
    notes: Vec<Note>,
    key: String,
    value: String,
}

impl Cleaner {
    pub(crate) fn new(
        rules: Rules,
        how: Replacement,
        limits: Limits,
    ) -> Cleaner {
        let work = Work {
            rules,
            how,
            editor: Editor::with_limits(limits),
            checker: Decoder::with_limits(limits),
            windows: vec![],
            spots: vec![],
            own: 0..0,
            caches: vec![],
            found: vec![],
            first: 0,
            again: vec![],
            search: Search::default(),
            hits: vec![],
            splices: vec![],
            notes: vec![],
            key: String::new(),
            value: String::new(),
        };
        Cleaner {
            work,
            decoder: Decoder::with_limits(limits),
            line: vec![],
            text: String::new(),
        }
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.work.rules
    }

    /// Returns what was found since the notes were cleared.
    pub(crate) fn noted(&self) -> &[Note] {
        &self.work.notes
    }

    pub(crate) fn notes(&mut self) -> &mut Vec<Note> {
        &mut self.work.notes
    }

    /// Looks for the literals of a line, before it is cleaned.
    #[inline]
    pub(crate) fn look(&mut self, line: &[u8]) {
        self.look_ahead(line);
        self.work.own = 0..self.work.spots.len();
    }

    /// Looks for the literals of a block, whose lines follow.
    #[inline]
    pub(crate) fn look_ahead(&mut self, block: &[u8]) {
        let Work { rules, windows, spots, own, .. } = &mut self.work;
        rules.look(block, windows, spots);
        *own = 0..0;
    }

    /// Goes on to the next line of the block, which is at `place`.
    #[inline]
    pub(crate) fn next_line(&mut self, place: &Range<usize>) {
        let Work { spots, own, .. } = &mut self.work;
        let rest = spots.get_mut(own.end..).unwrap_or_default();
        let before = rest.iter().take_while(|spot| spot.at < place.start);
        let before = before.count();
        let rest = rest.get_mut(before..).unwrap_or_default();
        let mut count = 0;
        for spot in rest.iter_mut().take_while(|spot| spot.at < place.end) {
            spot.at -= place.start;
            count += 1;
        }
        let start = own.end + before;
        *own = start..start + count;
    }

    /// Returns whether no rule matches at any of the literals of a valid line.
    /// If it returns false, that is not certain.
    pub(crate) fn are_false(&mut self, line: &[u8]) -> bool {
        /// More are not looked at one by one.
        const MOST: usize = 16;
        let Work { rules, spots, own, caches, .. } = &mut self.work;
        let spots = spots.get(own.clone()).unwrap_or_default();
        spots.len() <= MOST
            && spots.iter().all(|spot| match spot.what {
                What::Rule(rule) => {
                    rules.is_false(rule, line, spot.at, caches)
                }
                _ => false,
            })
    }

    /// Returns the literals of the line.
    pub(crate) fn spots(&self) -> &[Spot] {
        self.work.spots.get(self.work.own.clone()).unwrap_or_default()
    }

    /// Cleans the last line that was looked at. Returns whether it was changed:
    /// then the result is in `self.line`. If it `is_piece` of a stream, the text
    /// of the piece is left as it is.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is invalid or cannot be cleaned.
    pub(crate) fn clean(
        &mut self,
        line: &Line<'_>,
        is_piece: bool,
    ) -> Result<bool, Error> {
        self.work.clean(line, is_piece, &mut self.line)
    }

    /// Cleans a text that is no line, such as that of a tool's result or of a
    /// streamed block. Returns the replacements, in ascending order.
    pub(crate) fn hits(
        &mut self,
        text: &str,
    ) -> Vec<(Range<usize>, String, usize)> {
        let Work { rules, how, search, hits, .. } = &mut self.work;
        search.run(rules, how, text, false, hits);
        let made = hits.drain(..).map(|hit| {
            let mut new = String::new();
            how.write(&hit.secret, &mut new);
            (hit.range, new, hit.rule)
        });
        made.collect()
    }

    /// Returns a text without what the rules match. `start` is where it begins.
    /// If each replacement makes a new match, the whole text is replaced.
    pub(crate) fn text(&mut self, text: &str, start: Position) -> &str {
        let Work { rules, how, search, hits, notes, .. } = &mut self.work;
        search.run(rules, how, text, false, hits);
        for hit in hits.iter() {
            let position = after(start, text, hit.range.start);
            notes.push(Note { rule: hit.rule, position });
        }
        self.text = self.work.settled(text, None, false);
        &self.text
    }

    /// Returns the replacements in the text of a streamed block, in ascending
    /// order. If one of them makes a new match, the whole text is replaced.
    pub(crate) fn stable_hits(
        &mut self,
        text: &str,
    ) -> Vec<(Range<usize>, String, Option<usize>)> {
        let mut hits = self.hits(text);
        let (mut clean, mut at) = (String::new(), 0);
        for (range, new, _) in &hits {
            clean += text.get(at..range.start).unwrap_or_default();
            clean += new;
            at = range.end;
        }
        clean += text.get(at..).unwrap_or_default();
        if !hits.is_empty() && !self.hits(&clean).is_empty() {
            hits.truncate(1);
            if let Some((range, ..)) = hits.first_mut() {
                *range = 0..text.len();
            }
        }
        let hits = hits.into_iter();
        hits.map(|(range, new, rule)| (range, new, Some(rule))).collect()
    }

    /// Returns where the text of the piece of a line is written.
    pub(crate) fn piece(
        &mut self,
        line: &[u8],
    ) -> Result<Option<Range<usize>>, Error> {
        let line = self.decoder.line(line);
        Ok(place(line.checked()?.value()))
    }

    /// Replaces ranges of a line, which is checked again.
    pub(crate) fn splice(
        &mut self,
        line: &[u8],
        splices: &[(Range<usize>, String)],
    ) -> Result<Vec<u8>, Error> {
        let line = self.decoder.line(line);
        let mut edit = self.work.editor.edit(&line)?;
        for (range, new) in splices {
            edit.splice(range.clone(), new)?;
        }
        Ok(edit.finish()?.to_vec())
    }

    /// Returns whether the end of a text is a replacement: then it has been
    /// redacted before, and no secret goes on after it.
    pub(crate) fn ends_replaced(&self, text: &str) -> bool {
        let last = text.len().saturating_sub(1)..text.len();
        !text.is_empty() && self.work.how.covers(text, &last)
    }

    /// Returns the replacement of a piece that was not looked at. If it is a
    /// replacement already, returns `None`.
    pub(crate) fn oversized(&self, text: &str) -> Option<(String, usize)> {
        let Work { rules, how, .. } = &self.work;
        if text.is_empty() || how.is_made(text) {
            return None;
        }
        let mut new = String::new();
        how.write(text, &mut new);
        Some((new, rules.other(Other::Oversized)))
    }
}

/// Returns the position of a byte of a text that begins at `start`.
fn after(start: Position, text: &str, byte: usize) -> Position {
    let before = text.as_bytes().get(..byte).unwrap_or_default();
    let lines = memchr::memchr_iter(b'\n', before).count();
    Position::new(start.line() + lines as u64, start.byte() + byte as u64)
}
