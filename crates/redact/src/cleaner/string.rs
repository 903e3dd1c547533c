/*!
Cleans one string of a line.
*/

use std::mem;

use linetape::Position;

use crate::{
    cleaner::{Note, Work},
    probe::Seen,
    replacement::Replacement,
    rules::{Found, Other, Spot, What, is_blob},
    search::{Hit, merge},
    spots::{Due, Spots},
    strings::Written,
    unescape::unescape,
};

/// How often a text is searched again because something was replaced. What
/// stands beside a replacement can become a secret by it.
const ROUNDS: usize = 5;

/// How far what a replacement changes can be from it: more than what has to be
/// before and after a literal.
const NEAR: usize = 1 << 10;

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

impl Work {
    /// Returns whether a string has to be searched, because of a literal in it
    /// or in the key before it. If it has not, what is in it is in `self.found`.
    pub(super) fn due(
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
        // The literal has both quotes, so it is the whole key.
        if let [Spot { at, what: What::Field }] = own
            && at + 1 == place.start
            && let Some(value) = written.value
            && line.as_bytes().get(value) == Some(&b'"')
            && !spots.are_all
            && !IDS.contains(&text)
        {
            return Due::Field(value);
        }
        let is_known = !spots.are_all
            && !is_context
            && self.see(text, own, place.start, is_key);
        match is_known {
            true if self.found.is_empty() => return Due::Nothing,
            true if !is_key => {
                self.first = own.first().map_or(0, |spot| spot.at);
                return Due::Found;
            }
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
                Seen::Escaped(_) | Seen::Unsure => return false,
            }
        }
        merge(found);
        found.is_empty() || !is_blob(text)
    }

    /// Adds the splice of a string in which something was seen. Returns false
    /// if the string has to be searched.
    pub(super) fn found(
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
        let found = mem::take(&mut self.found);
        let is_settled = self.is_settled(
            text,
            &found,
            self.first.saturating_sub(written.text.start),
        );
        self.found = found;
        if !is_settled {
            return false;
        }
        for Found { range, rule } in &self.found {
            let at = written.text.start + range.start;
            let byte = start.byte() + at as u64;
            let position = Position::new(start.line(), byte);
            self.notes.push(Note { rule: *rule, position });
            let mut new = String::new();
            let secret = text.get(range.clone()).unwrap_or_default();
            self.how.write(secret, &mut new);
            self.splices.push((at..at + range.len(), new));
        }
        true
    }

    /// Returns whether a text has no other match after what was found in it is
    /// replaced: what stands beside a replacement can become a secret by it.
    /// `first` is the offset of its first literal.
    fn is_settled(
        &mut self,
        text: &str,
        found: &[Found],
        first: usize,
    ) -> bool {
        // A new match has a literal that was there before, or one that is near
        // a replacement.
        let start = found.first().map_or(0, |found| found.range.start);
        let mut from = first.min(start).saturating_sub(NEAR);
        while from > 0 && !begins_character(text, from) {
            from -= 1;
        }
        let end = found.last().map_or(0, |found| found.range.end);
        let mut to = text.len().min(end + NEAR);
        while !text.is_char_boundary(to) {
            to += 1;
        }
        let mut new = mem::take(&mut self.value);
        new.clear();
        for Found { range, .. } in found {
            new += text.get(from..range.start).unwrap_or_default();
            let secret = text.get(range.clone()).unwrap_or_default();
            self.how.write(secret, &mut new);
            from = range.end;
        }
        new += text.get(from..to).unwrap_or_default();
        let mut spots = mem::take(&mut self.again);
        self.rules.look(new.as_bytes(), &mut self.windows, &mut spots);
        // What is after that is as unknown as the value after a key.
        let is_part = to < text.len();
        let is_settled =
            self.see(&new, &spots, 0, is_part) && self.found.is_empty();
        self.again = spots;
        self.value = new;
        is_settled
    }

    /// Adds the splice of one string, if something is found in it. Data that
    /// `is_signed` is no image.
    pub(super) fn string(
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
        if is_signed {
            hits.retain(|hit| !rules.is_image(hit.rule));
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
    pub(super) fn settled(
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

/// Returns whether a character or an escape begins at an offset of a string as it
/// is written.
fn begins_character(text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(..at).unwrap_or_default().iter().rev();
    let escapes = before.take_while(|byte| **byte == b'\\').count();
    text.is_char_boundary(at) && escapes % 2 == 0
}
