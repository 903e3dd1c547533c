/*!
Cleans one line or one text.
*/

use std::ops::Range;

use linetape::{Decoder, Editor, Error, Limits, Line, Position, Value};

use crate::{
    event::{Event, What, inside},
    replacement::Replacement,
    rules::{Other, Rules},
    search::{Hit, Search},
    strings::{Strings, Written},
    unescape::unescape,
};

/// How often a line is cleaned again because something was replaced. What
/// stands beside a replacement can become a secret by it.
const ROUNDS: usize = 5;

/// The keys of identifiers that other lines refer to. If one holds a secret,
/// it is replaced as a whole, and by a name that depends on it, so that
/// references stay right.
const IDS: &[&str] = &[
    "agentId",
    "id",
    "leafUuid",
    "logicalParentUuid",
    "messageId",
    "message_id",
    "parentToolUseID",
    "parentUuid",
    "parent_tool_use_id",
    "parent_uuid",
    "promptId",
    "requestId",
    "request_id",
    "sessionId",
    "session_id",
    "signature",
    "sourceToolAssistantUUID",
    "toolUseID",
    "tool_use_id",
    "uuid",
];

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
    search: Search,
    hits: Vec<Hit>,
    splices: Vec<(Range<usize>, String)>,
    notes: Vec<Note>,
    key: String,
    value: String,
}

impl Cleaner {
    pub(crate) fn new(rules: Rules, how: Replacement) -> Cleaner {
        let work = Work {
            rules,
            how,
            editor: Editor::new(),
            search: Search::default(),
            hits: vec![],
            splices: vec![],
            notes: vec![],
            key: String::new(),
            value: String::new(),
        };
        Cleaner {
            work,
            decoder: Decoder::new(),
            line: vec![],
            text: String::new(),
        }
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.work.editor = Editor::with_limits(limits);
        self.decoder = Decoder::with_limits(limits);
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

    /// Cleans a line. Returns whether it was changed: then the result is in
    /// `self.line`. If it `is_piece` of a stream, the text of the piece is left
    /// as it is.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is invalid or cannot be cleaned.
    pub(crate) fn clean(
        &mut self,
        line: &Line<'_>,
        is_piece: bool,
    ) -> Result<bool, Error> {
        let Cleaner { work, decoder, line: out, .. } = self;
        if !work.round(line, is_piece, Some(line.position()), out)? {
            return Ok(false);
        }
        for _ in 0..ROUNDS {
            let last = std::mem::take(out);
            let line = decoder.line(&last);
            if !work.round(&line, is_piece, None, out)? {
                *out = last;
                return Ok(true);
            }
        }
        Err(Error::invalid_input("each replacement makes a new match"))
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
            how.write(rules.name(hit.rule), &hit.secret, &mut new);
            (hit.range, new, hit.rule)
        });
        made.collect()
    }

    /// Returns a text without what the rules match. `start` is where it begins.
    /// If each replacement makes a new match, the whole text is replaced.
    pub(crate) fn text(&mut self, text: &str, start: Position) -> &str {
        self.text.clear();
        self.text.push_str(text);
        for round in 0..ROUNDS {
            let text = std::mem::take(&mut self.text);
            let hits = self.hits(&text);
            if hits.is_empty() {
                self.text = text;
                return &self.text;
            }
            let mut at = 0;
            for (range, new, rule) in hits {
                if round == 0 {
                    let position = after(start, &text, range.start);
                    self.work.notes.push(Note { rule, position });
                }
                self.text += text.get(at..range.start).unwrap_or_default();
                self.text += &new;
                at = range.end;
            }
            self.text += text.get(at..).unwrap_or_default();
        }
        // Each replacement makes a new match, so the whole text goes.
        if let Some((_, new, _)) = self.hits(&self.text.clone()).pop() {
            self.text = new;
        }
        &self.text
    }

    /// Does the same for the text of a streamed block. If a replacement makes
    /// a new match, the whole text is replaced.
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

    /// Returns the replacement of a piece that was not looked at.
    pub(crate) fn oversized(&mut self, text: &str) -> (String, usize) {
        let Work { rules, how, .. } = &self.work;
        let rule = rules.other(Other::Oversized);
        let mut new = String::new();
        how.write(rules.name(rule), text, &mut new);
        (new, rule)
    }
}

/// Returns where the text of the piece of a line is written.
fn place(root: Value<'_>) -> Option<Range<usize>> {
    match Event::of(root)?.what {
        What::Piece(piece) => inside(piece),
        _ => None,
    }
}

/// Returns the position of a byte of a text that begins at `start`.
fn after(start: Position, text: &str, byte: usize) -> Position {
    let before = text.as_bytes().get(..byte).unwrap_or_default();
    let lines = memchr::memchr_iter(b'\n', before).count();
    Position::new(start.line() + lines as u64, start.byte() + byte as u64)
}

impl Work {
    /// Cleans a line once. `start` is its position, if what is found is noted.
    fn round(
        &mut self,
        line: &Line<'_>,
        is_piece: bool,
        start: Option<Position>,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let root = line.checked()?.value();
        let bytes = line.as_bytes();
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Ok(false);
        };
        self.splices.clear();
        let piece = if is_piece { place(root) } else { None };
        let named = self.named(root, text);
        for written in Strings::new(bytes) {
            let place = &written.text;
            let is_in = |span: &Range<usize>| {
                span.start <= place.start && place.end <= span.end
            };
            if piece.as_ref() == Some(place)
                || named.iter().any(|(_, span)| is_in(span))
            {
                continue;
            }
            self.string(text, &written, start);
        }
        if self.splices.is_empty() && named.is_empty() {
            return Ok(false);
        }
        let mut edit = self.editor.edit(line)?;
        let path = self.rules.other(Other::Path);
        for (value, span) in named {
            if let Some(start) = start {
                let byte = start.byte() + span.start as u64;
                let position = Position::new(start.line(), byte);
                self.notes.push(Note { rule: path, position });
            }
            if self.how.removes() {
                edit.remove(value)?;
                continue;
            }
            let mut new = String::from('"');
            let written = text.get(span.clone()).unwrap_or_default();
            let secret = value.as_str().unwrap_or(written);
            self.how.write(self.rules.name(path), secret, &mut new);
            new.push('"');
            edit.replace(value, &new)?;
        }
        for (range, new) in self.splices.drain(..) {
            edit.splice(range, &new)?;
        }
        out.clear();
        out.extend_from_slice(edit.finish()?);
        Ok(true)
    }

    /// Returns the values that pointers name and that are not replaced yet:
    /// apart, and in ascending order.
    fn named<'a>(
        &self,
        root: Value<'a>,
        text: &str,
    ) -> Vec<(Value<'a>, Range<usize>)> {
        let mut named = vec![];
        for path in self.rules.paths() {
            path.values(root, &mut |value| {
                let Some(span) = value.span() else { return };
                let written = text.get(span.clone()).unwrap_or_default();
                let read = value.as_str().unwrap_or(written);
                let is_done = !self.how.removes() && self.how.is_made(read);
                if !is_done && !self.rules.is_allowed(read) {
                    named.push((value, span));
                }
            });
        }
        named.sort_by_key(|(_, span)| (span.start, usize::MAX - span.end));
        named.dedup_by(|(_, next), (_, last)| next.start < last.end);
        named
    }

    /// Adds the splices of one string.
    fn string(
        &mut self,
        line: &str,
        written: &Written,
        start: Option<Position>,
    ) {
        let Work { rules, how, search, hits, splices, notes, .. } = self;
        let text = line.get(written.text.clone()).unwrap_or_default();
        let key = written.key.clone().and_then(|key| line.get(key));
        unescape(key.unwrap_or_default(), &mut self.key);
        search.run(rules, how, text, true, hits);
        let has_key = key.is_some();
        let is_id = has_key && IDS.contains(&self.key.as_str());
        let is_field = has_key && rules.is_field(&self.key);
        let is_data = rules.is_image(&self.key, text);
        if is_field || is_data || is_id && !hits.is_empty() {
            unescape(text, &mut self.value);
            let other = if is_field { Other::Field } else { Other::Image };
            let rule = match hits.first() {
                Some(hit) if !is_field && !is_data => hit.rule,
                _ => rules.other(other),
            };
            let is_done = match is_id {
                true => Replacement::is_id(&self.value),
                false => how.is_made(&self.value),
            };
            hits.clear();
            if !is_done && !text.is_empty() && !rules.is_allowed(&self.value) {
                let secret = self.value.clone();
                hits.push(Hit { range: 0..text.len(), rule, secret });
            }
        }
        for hit in hits.drain(..) {
            let at = written.text.start;
            let range = at + hit.range.start..at + hit.range.end;
            if let Some(start) = start {
                let byte = start.byte() + range.start as u64;
                let position = Position::new(start.line(), byte);
                notes.push(Note { rule: hit.rule, position });
            }
            let mut new = String::new();
            let name = rules.name(hit.rule);
            match is_id {
                true => how.write_id(name, &hit.secret, &mut new),
                false => how.write(name, &hit.secret, &mut new),
            }
            splices.push((range, new));
        }
    }
}
