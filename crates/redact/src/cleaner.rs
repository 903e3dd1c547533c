/*!
Cleans one line or one text.
*/

use std::{mem, ops::Range};

use linetape::{Decoder, Editor, Error, Limits, Line, Position, Value};

use crate::{
    event::{Event, inside},
    grams::Hits,
    key_lines::KeyLines,
    probe::Seen,
    replacement::Replacement,
    rules::{Caches, Found, Other, Rules, Spot, What, is_blob},
    search::{Hit, Search, merge},
    spots::{Due, Spots},
    strings::{Strings, Written},
    unescape::unescape,
};

/// How often a text is searched again because something was replaced. What
/// stands beside a replacement can become a secret by it.
const ROUNDS: usize = 5;

/// The keys of identifiers that other lines refer to. If one holds a secret,
/// it is replaced as a whole, and by a name that depends on it, so that
/// references stay right.
const IDS: &[&str] = &[
    "agentId",
    "call_id",
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

/// The type of blocks whose data is no image: it is signed, and must not
/// change.
const SIGNED: &str = "redacted_thinking";

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
    /// The literals of the line.
    spots: Vec<Spot>,
    caches: Caches,
    found: Vec<Found>,
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
            caches: vec![],
            found: vec![],
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
        let Work { rules, windows, spots, .. } = &mut self.work;
        rules.look(line, windows, spots);
    }

    /// Sets `spots` to the literals of a block of lines.
    pub(crate) fn look_ahead(&mut self, block: &[u8], spots: &mut Vec<Spot>) {
        let Work { rules, windows, .. } = &mut self.work;
        rules.look(block, windows, spots);
    }

    /// Sets the literals of a line that begins at an offset of a block, before
    /// it is cleaned.
    pub(crate) fn set_spots(&mut self, spots: &[Spot], start: usize) {
        let own = spots.iter();
        let own = own.map(|spot| Spot { at: spot.at - start, ..*spot });
        self.work.spots.clear();
        self.work.spots.extend(own);
    }

    /// Returns whether no rule matches at any of the literals of a valid line.
    /// If it returns false, that is not certain.
    pub(crate) fn are_false(&mut self, line: &[u8]) -> bool {
        /// More are not looked at one by one.
        const MOST: usize = 16;
        let Work { rules, spots, caches, .. } = &mut self.work;
        spots.len() <= MOST
            && spots.iter().all(|spot| match spot.what {
                What::Rule(rule) => rules.is_false(rule, line, spot.at, caches),
                _ => false,
            })
    }

    /// Returns the literals of the line.
    pub(crate) fn spots(&self) -> &[Spot] {
        &self.work.spots
    }

    /// Cleans the last line that was looked at. Returns whether it was changed: then the result is in
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

/// Returns where the text of the piece of a line is written.
fn place(root: Value<'_>) -> Option<Range<usize>> {
    let (_, piece) = Event::of(root)?.piece()?;
    inside(piece)
}

/// Adds the offsets of the texts of data that is signed.
fn signed_data(value: Value<'_>, starts: &mut Vec<usize>) {
    if let Some(object) = value.as_object() {
        if value.get("type").and_then(Value::as_str) == Some(SIGNED)
            && let Some(data) = value.get("data").and_then(Value::span)
        {
            // After the quote.
            starts.push(data.start + 1);
        }
        object.iter().for_each(|(_, member)| signed_data(member, starts));
    } else if let Some(array) = value.as_array() {
        array.iter().for_each(|item| signed_data(item, starts));
    }
}

/// Returns the position of a byte of a text that begins at `start`.
fn after(start: Position, text: &str, byte: usize) -> Position {
    let before = text.as_bytes().get(..byte).unwrap_or_default();
    let lines = memchr::memchr_iter(b'\n', before).count();
    Position::new(start.line() + lines as u64, start.byte() + byte as u64)
}

/// What is not searched in a line: the piece of a stream, values that are
/// replaced anyway, and data that is no image.
struct Apart<'s, 'a> {
    piece: Option<Range<usize>>,
    named: &'s [(Value<'a>, Range<usize>)],
    signed: Vec<usize>,
}

impl Work {
    fn clean(
        &mut self,
        line: &Line<'_>,
        is_piece: bool,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        line.check()?;
        let bytes = line.as_bytes();
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Ok(false);
        };
        self.splices.clear();
        let is_signed = self.rules.drops_images() && text.contains(SIGNED);
        let (mut piece, mut named, mut signed) = (None, vec![], vec![]);
        if is_piece || is_signed || !self.rules.paths().is_empty() {
            let root = line.checked()?.value();
            piece = if is_piece { place(root) } else { None };
            named = self.named(root, text);
            if is_signed {
                signed_data(root, &mut signed);
            }
        }
        let start = line.position();
        let spots = mem::take(&mut self.spots);
        let apart = Apart { piece, named: &named, signed };
        self.strings(text, start, &spots, &apart);
        self.spots = spots;
        if named.is_empty() {
            return match self.splices.is_empty() {
                true => Ok(false),
                false => self.splice(line, out).map(|()| true),
            };
        }
        let mut edit = self.editor.edit(line)?;
        let path = self.rules.other(Other::Path);
        for (value, span) in named {
            let byte = start.byte() + span.start as u64;
            let position = Position::new(start.line(), byte);
            self.notes.push(Note { rule: path, position });
            if self.how.removes() {
                edit.remove(value)?;
                continue;
            }
            let mut new = String::from('"');
            let written = text.get(span.clone()).unwrap_or_default();
            let secret = value.as_str().unwrap_or(written);
            self.how.write(secret, &mut new);
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

    /// Replaces the splices, and checks the result.
    fn splice(
        &mut self,
        line: &Line<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        out.clear();
        let (mut at, mut is_apart) = (0, true);
        let bytes = line.as_bytes();
        for (range, new) in &self.splices {
            is_apart &= at <= range.start;
            let kept = bytes.get(at..range.start).unwrap_or_default();
            out.extend_from_slice(kept);
            out.extend_from_slice(new.as_bytes());
            at = range.end;
        }
        out.extend_from_slice(bytes.get(at..).unwrap_or_default());
        if is_apart && self.checker.line(out).check().is_ok() {
            return Ok(());
        }
        // The error has the position of the line.
        let mut edit = self.editor.edit(line)?;
        for (range, new) in self.splices.drain(..) {
            edit.splice(range, &new)?;
        }
        out.clear();
        out.extend_from_slice(edit.finish()?);
        Ok(())
    }

    /// Adds the splices of all strings of a line.
    fn strings(
        &mut self,
        text: &str,
        start: Position,
        spots: &[Spot],
        apart: &Apart<'_, '_>,
    ) {
        let Apart { piece, named, signed } = apart;
        let mut strings = Strings::new(text.as_bytes());
        // The end of the last field that is replaced with all that is in it.
        let mut field_end = 0;
        let mut key_lines = KeyLines::default();
        let mut spots = Spots::new(spots, self.rules.need_all());
        while let Some(written) = strings.next() {
            if spots.are_over() {
                break;
            }
            let due = self.due(text, &written, &mut spots);
            if let Due::Nothing = due {
                continue;
            }
            let place = &written.text;
            let is_in = |span: &Range<usize>| {
                span.start <= place.start && place.end <= span.end
            };
            // A member that is removed goes with its key.
            let is_key_of = |span: &Range<usize>| {
                self.how.removes() && written.value == Some(span.start)
            };
            let mut spans = named.iter().map(|(_, span)| span);
            if piece.as_ref() == Some(place)
                || place.start < field_end
                || spans.any(|span| is_in(span) || is_key_of(span))
            {
                continue;
            }
            if let Some(value) = written.value
                && !named.iter().any(|(_, span)| span.start == value)
                && self.is_field(text, place)
                && let Some(end) = strings.value_end(value)
                && self.field(text, &(value..end), start)
            {
                field_end = end;
            }
            let own = text.get(place.clone()).unwrap_or_default();
            if spots.are_all
                && key_lines.has(&written, own)
                && self.key_line(own, place, start)
            {
                continue;
            }
            if let Due::Found = due
                && self.found(text, &written, start)
            {
                continue;
            }
            let is_signed = signed.contains(&place.start);
            self.string(text, &written, start, is_signed);
        }
    }

    /// Returns whether a string has to be searched, because of a literal in it
    /// or in the key before it. If it has not, what is in it is in `self.found`.
    fn due(
        &mut self,
        line: &str,
        written: &Written,
        spots: &mut Spots<'_>,
    ) -> Due {
        let place = &written.text;
        let is_context = spots.is_context(written);
        // The literal of a field begins with the quote.
        let own = spots.take(place.start.saturating_sub(1)..place.end);
        let is_key = written.value.is_some();
        let text = line.get(place.clone()).unwrap_or_default();
        let is_known = !spots.are_all
            && !is_context
            && self.see(text, own, place.start, is_key);
        match is_known {
            true if self.found.is_empty() => return Due::Nothing,
            true if !is_key => return Due::Found,
            _ => {}
        }
        if is_key {
            spots.context = Some(place.clone());
        }
        Due::Search
    }

    /// Sets `self.found` to what the rules find in a string as it is written, at
    /// the literals in it. Returns false if the string has to be searched.
    fn see(
        &mut self,
        text: &str,
        spots: &[Spot],
        start: usize,
        is_key: bool,
    ) -> bool {
        let Work { rules, how, caches, found, .. } = self;
        found.clear();
        // An automaton cannot read escapes of any character.
        if spots.iter().any(|spot| spot.what == What::Escape) {
            return false;
        }
        for spot in spots {
            let rule = match spot.what {
                What::Rule(rule) => rule,
                What::Stream => continue,
                // A value that reads like a key.
                What::Field if !is_key && spot.at < start => continue,
                _ => return false,
            };
            let Some(at) = spot.at.checked_sub(start) else { return false };
            match rules.probe(rule, text, at, is_key, caches) {
                Seen::Nothing => {}
                Seen::Match(range) => {
                    let secret = text.get(range.clone()).unwrap_or_default();
                    let is_kept = secret.is_empty()
                        || rules.is_allowed(secret)
                        || how.covers(text, &range);
                    if !is_kept {
                        found.push(Found { range, rule });
                    }
                }
                Seen::Unsure => return false,
            }
        }
        merge(found);
        found.is_empty() || !is_blob(text)
    }

    /// Adds the splice of a string in which something was seen. Returns false
    /// if the string has to be searched.
    fn found(
        &mut self,
        line: &str,
        written: &Written,
        start: Position,
    ) -> bool {
        let text = line.get(written.text.clone()).unwrap_or_default();
        if let Some(key) = written.key.clone() {
            unescape(line.get(key).unwrap_or_default(), &mut self.key);
            if IDS.contains(&self.key.as_str()) {
                return false;
            }
        }
        let mut new = String::with_capacity(text.len());
        let mut at = 0;
        let found = mem::take(&mut self.found);
        for Found { range, .. } in &found {
            new += text.get(at..range.start).unwrap_or_default();
            let secret = text.get(range.clone()).unwrap_or_default();
            self.how.write(secret, &mut new);
            at = range.end;
        }
        new += text.get(at..).unwrap_or_default();
        // What stands beside a replacement can become a secret by it.
        let mut spots = mem::take(&mut self.again);
        self.rules.look(new.as_bytes(), &mut self.windows, &mut spots);
        let is_settled =
            self.see(&new, &spots, 0, false) && self.found.is_empty();
        self.again = spots;
        self.found = found;
        if !is_settled {
            return false;
        }
        for Found { range, rule } in &self.found {
            let at = written.text.start + range.start;
            let byte = start.byte() + at as u64;
            let position = Position::new(start.line(), byte);
            self.notes.push(Note { rule: *rule, position });
        }
        self.splices.push((written.text.clone(), new));
        true
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

    /// Returns whether a key is that of a field.
    fn is_field(&mut self, line: &str, key: &Range<usize>) -> bool {
        unescape(line.get(key.clone()).unwrap_or_default(), &mut self.key);
        self.rules.is_field(&self.key)
    }

    /// Adds the splice of a field that is no string, unless it is allowed.
    fn field(
        &mut self,
        line: &str,
        value: &Range<usize>,
        start: Position,
    ) -> bool {
        let written = line.get(value.clone()).unwrap_or_default();
        if self.rules.is_allowed(written) {
            return false;
        }
        let byte = start.byte() + value.start as u64;
        let position = Position::new(start.line(), byte);
        let rule = self.rules.other(Other::Field);
        self.notes.push(Note { rule, position });
        let mut new = String::from('"');
        self.how.write(written, &mut new);
        new.push('"');
        self.splices.push((value.clone(), new));
        true
    }

    /// Adds the splice of a string that is a line of a private key. Returns
    /// whether it is replaced.
    fn key_line(
        &mut self,
        text: &str,
        place: &Range<usize>,
        start: Position,
    ) -> bool {
        let Some(rule) = self.rules.private_key() else { return false };
        unescape(text, &mut self.value);
        if self.how.is_made(&self.value) || self.rules.is_allowed(&self.value)
        {
            return false;
        }
        let byte = start.byte() + place.start as u64;
        let position = Position::new(start.line(), byte);
        self.notes.push(Note { rule, position });
        let mut new = String::new();
        self.how.write(&self.value, &mut new);
        self.splices.push((place.clone(), new));
        true
    }

    /// Adds the splice of one string, if something is found in it. Data that
    /// `is_signed` is no image.
    fn string(
        &mut self,
        line: &str,
        written: &Written,
        start: Position,
        is_signed: bool,
    ) {
        let Work { rules, how, search, hits, notes, value, .. } = self;
        let text = line.get(written.text.clone()).unwrap_or_default();
        let key = written.key.clone().and_then(|key| line.get(key));
        unescape(key.unwrap_or_default(), &mut self.key);
        let has_key = key.is_some();
        let is_field = has_key && rules.is_field(&self.key);
        let list = written.list.clone().and_then(|key| line.get(key));
        let context = key.or(list);
        hits.clear();
        // A field is replaced as a whole.
        if !is_field {
            search.run(rules, how, text, true, hits);
            if let Some(key) = context {
                search.run_member(rules, how, key, text, hits);
            }
        }
        let is_data = has_key && !is_signed && rules.is_image_key(&self.key);
        let is_data = is_data && {
            unescape(text, value);
            let parts: Vec<&str> = value.split_ascii_whitespace().collect();
            is_blob(&parts.concat())
        };
        if hits.is_empty() && !is_field && !is_data {
            return;
        }
        let is_id = has_key && IDS.contains(&self.key.as_str());
        if is_field || is_data || is_id {
            unescape(text, value);
            let is_done = match is_id {
                true => Replacement::is_id(value),
                false => how.is_made(value),
            };
            if is_done || text.is_empty() || rules.is_allowed(value) {
                return;
            }
            let other = if is_field { Other::Field } else { Other::Image };
            let rule = match hits.first() {
                Some(hit) if !is_field && !is_data => hit.rule,
                _ => rules.other(other),
            };
            hits.clear();
            let secret = value.clone();
            hits.push(Hit { range: 0..text.len(), rule, secret });
        }
        for hit in hits.iter() {
            let at = written.text.start + hit.range.start;
            let byte = start.byte() + at as u64;
            let position = Position::new(start.line(), byte);
            notes.push(Note { rule: hit.rule, position });
        }
        let new = match is_id {
            true => {
                let mut new = String::new();
                for hit in hits.drain(..) {
                    how.write_id(&hit.secret, &mut new);
                }
                new
            }
            // Nothing is left of the text.
            false if is_field || is_data => {
                let mut new = String::new();
                for hit in hits.drain(..) {
                    how.write(&hit.secret, &mut new);
                }
                new
            }
            false => self.settled(text, context, true),
        };
        self.splices.push((written.text.clone(), new));
    }

    /// Replaces the hits in a text, and then searches it again, because what
    /// stands beside a replacement can become a secret by it. If each
    /// replacement makes a new match, the whole text is replaced.
    ///
    /// `key` is that of the member whose value, or an item of it, the text is.
    fn settled(
        &mut self,
        text: &str,
        key: Option<&str>,
        is_string: bool,
    ) -> String {
        let Work { rules, how, search, hits, .. } = self;
        let mut text = text.to_string();
        for _ in 0..ROUNDS {
            let mut new = String::with_capacity(text.len());
            let mut at = 0;
            for hit in hits.iter() {
                new += text.get(at..hit.range.start).unwrap_or_default();
                how.write(&hit.secret, &mut new);
                at = hit.range.end;
            }
            new += text.get(at..).unwrap_or_default();
            let is_same = new == text;
            text = new;
            if is_same {
                return text;
            }
            search.run(rules, how, &text, is_string, hits);
            if let Some(key) = key {
                search.run_member(rules, how, key, &text, hits);
            }
            if hits.is_empty() {
                return text;
            }
        }
        let mut new = String::new();
        if let Some(hit) = hits.pop() {
            how.write(&hit.secret, &mut new);
        }
        new
    }
}
