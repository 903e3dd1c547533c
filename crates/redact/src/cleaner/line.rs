/*!
Cleans all strings of one line, and the fields and values that rules name.
*/

use std::{mem, ops::Range};

use linetape::{Error, Line, Position, Value};

use crate::{
    cleaner::{Note, Work},
    event::{Event, inside},
    key_lines::KeyLines,
    rules::{Other, Spot},
    spots::{Due, Spots},
    strings::Strings,
    unescape::unescape,
};

/// The type of blocks whose data is no image: it is signed, and must not
/// change.
const SIGNED: &str = "redacted_thinking";

/// What is not searched in a line: the piece of a stream, values that are
/// replaced anyway, and data that is no image.
struct Apart<'s, 'a> {
    piece: Option<Range<usize>>,
    named: &'s [(Value<'a>, Range<usize>)],
    signed: Vec<usize>,
}

impl Work {
    pub(super) fn clean(
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
        let own = spots.get(self.own.clone()).unwrap_or_default();
        self.strings(text, start, own, &apart);
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
        let mut splices = self.splices.iter();
        let is_valid = is_apart
            && (splices.all(|(range, new)| keeps_valid(bytes, range, new))
                || self.checker.line(out).check().is_ok());
        debug_assert!(!is_valid || self.checker.line(out).check().is_ok());
        if is_valid {
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
        // The start of the value of the last key, if it is replaced as it is.
        let mut field_value = None;
        let mut spots = Spots::new(spots, self.rules.need_all());
        while let Some(written) = strings.next() {
            if field_value.take() == written.text.start.checked_sub(1) {
                _ = spots.take(written.text.clone());
                self.field_text(text, &written.text, start);
                continue;
            }
            if spots.are_over() {
                break;
            }
            let due = self.due(text, &written, &mut spots);
            match due {
                Due::Nothing => continue,
                Due::Field(value)
                    if piece.is_none()
                        && named.is_empty()
                        && written.text.start >= field_end =>
                {
                    field_value = Some(value);
                    continue;
                }
                _ => {}
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
                && key_lines.has(text, &written)
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

    /// Adds the splice of a string that is the value of a field, unless it is
    /// allowed or replaced already.
    fn field_text(
        &mut self,
        line: &str,
        place: &Range<usize>,
        start: Position,
    ) {
        let text = line.get(place.clone()).unwrap_or_default();
        unescape(text, &mut self.value);
        if text.is_empty()
            || self.how.is_made(&self.value)
            || self.rules.is_allowed(&self.value)
        {
            return;
        }
        let byte = start.byte() + place.start as u64;
        let position = Position::new(start.line(), byte);
        let rule = self.rules.other(Other::Field);
        self.notes.push(Note { rule, position });
        let mut new = String::new();
        self.how.write(&self.value, &mut new);
        self.splices.push((place.clone(), new));
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
}

/// Returns whether a valid line certainly stays valid if a part of it is
/// replaced: the part is in a string, and begins and ends between escapes, and
/// the new text needs no escape.
fn keeps_valid(line: &[u8], range: &Range<usize>, new: &str) -> bool {
    let is_plain = |b: u8| b >= b' ' && b != b'"' && b != b'\\';
    // Whether the byte at an offset is not a part of an escape.
    let is_apart = |at: usize| {
        let before = line.get(..at).unwrap_or_default().iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    };
    let old = line.get(range.clone()).unwrap_or_default();
    let quote = range.start.checked_sub(1);
    // The whole text of a string, or a part without an escape.
    let is_whole = quote.is_some_and(|quote| {
        line.get(quote) == Some(&b'"') && is_apart(quote)
    }) && line.get(range.end) == Some(&b'"')
        && is_apart(range.end);
    new.bytes().all(is_plain)
        && (is_whole
            || is_apart(range.start) && old.iter().copied().all(is_plain))
}

/// Returns where the text of the piece of a line is written.
pub(super) fn place(root: Value<'_>) -> Option<Range<usize>> {
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
