/*!
Whole records on a damaged line.

A line holds several records, or pieces of them, when two programs write to
one file, or when one is stopped while it writes and another goes on.

Every `{` may be where a record begins. From there the grammar is followed. If
it leads to the end of an object, that is found. If not, there is a torn record,
which reaches as far as the grammar could be followed, and the search goes on:
behind it, but also at the *doors* in it. A door is a brace that is the last
thing in a string of the torn record. When the record was torn within a string,
the first quote of what follows looks like the end of that string:

```text
    {"text":"Let me lo{"type":"user", ...
                      ^ a door
```

Braces that are in their place in the torn record begin objects of its own, and
are not tried. So a byte is walked over twice at most, once as text and once as
the inside of a string, however the line is made.
*/

use std::ops::Range;

use memchr::{memchr, memchr3};

use crate::{
    error::{Error, ErrorKind},
    json::{Value, string_end},
    lines::RawLine,
    message::Message,
    peek::Peeker,
};

/// Finds the records of one damaged line after the other.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    /// Whether a line that neither begins as an object nor holds a record is
    /// noise, and nothing lost.
    skip_noise: bool,
    search: Search,
    /// Found, but to be handed out only after an error.
    waiting: Option<Range<usize>>,
    /// Whether the line's error has been handed out.
    is_reported: bool,
    /// Records that were found on damaged lines.
    pub(crate) records: u64,
    /// Bytes of damaged lines that are in no record.
    pub(crate) lost: u64,
}

/// What is found on a damaged line.
#[derive(Debug)]
pub(crate) enum Found {
    /// A record, which is this part of the line.
    Record(Range<usize>),
    /// Bytes that are in no record. This is told once for a line.
    Lost(Error),
    /// The line is noise.
    Noise,
}

impl Salvage {
    pub(crate) fn new(skip_noise: bool) -> Salvage {
        Salvage { skip_noise, ..Salvage::default() }
    }

    /// Gets ready for a line, whose error may have been handed out already.
    pub(crate) fn begin(&mut self, is_reported: bool) {
        self.search = Search::default();
        self.is_reported = is_reported;
    }

    /// The next thing on the line, which must be the same one until there is
    /// nothing more.
    pub(crate) fn next(
        &mut self,
        line: RawLine<'_>,
        peeker: &mut Peeker,
    ) -> Option<Found> {
        if let Some(record) = self.waiting.take() {
            return Some(Found::Record(record));
        }
        let behind = self.search.done;
        let record = self.search.next(line, peeker);
        if self.skip_noise && record.is_none() {
            let first = line.bytes.iter().find(|byte| !is_blank(byte));
            if first != Some(&b'{') && !self.is_reported {
                return Some(Found::Noise);
            }
        }
        let end = record.as_ref().map_or(line.bytes.len(), |r| r.start);
        if record.is_none() {
            self.search.done = end;
        }
        self.records += u64::from(record.is_some());
        if let Some(error) = self.lose(line, behind..end, peeker) {
            self.waiting = record;
            return Some(Found::Lost(error));
        }
        record.map(Found::Record)
    }

    /// Counts what is in no record, and tells of it if that is the first.
    fn lose(
        &mut self,
        line: RawLine<'_>,
        gap: Range<usize>,
        peeker: &Peeker,
    ) -> Option<Error> {
        let lost = line.part(gap);
        if lost.bytes.iter().all(is_blank) {
            return None;
        }
        self.lost += lost.bytes.len() as u64;
        if self.is_reported {
            return None;
        }
        self.is_reported = true;
        let blank = lost.bytes.iter().take_while(|byte| is_blank(byte));
        let lost = lost.part(blank.count()..lost.bytes.len());
        let error = peeker.check(lost).err();
        let error = error.filter(|error| error.kind() != ErrorKind::Syntax);
        // Where the grammar breaks may be in the record behind the loss, so
        // the loss itself is named.
        let torn = || Error::syntax(lost.position, "no whole record");
        let error = error.unwrap_or_else(torn).moved_to(lost.position);
        Some(error.with_snippet(lost.bytes))
    }
}

/// How far the search has come, in bytes of the line.
#[derive(Debug, Default)]
struct Search {
    /// Where the last record ends that was found.
    done: usize,
    /// No record begins before this any more.
    from: usize,
    /// The torn record that reaches farthest.
    torn: Option<Torn>,
    /// How many bytes the grammar has been followed over.
    #[cfg(test)]
    walked: usize,
}

impl Search {
    /// The next record.
    fn next(
        &mut self,
        line: RawLine<'_>,
        peeker: &mut Peeker,
    ) -> Option<Range<usize>> {
        let text = line.bytes;
        let clean = text.get(self.done..).unwrap_or_default();
        let clean = clean.iter().position(|byte| !is_clean(byte));
        let clean = self.done + clean.unwrap_or(0);
        loop {
            let start = self.candidate(text)?;
            // There may be as many as bytes, and what has been looked at and
            // is no record must not stay.
            peeker.recycle(text.len());
            let rest = text.get(start..).unwrap_or_default();
            let walked = peeker.first_object(rest);
            let (Ok(length) | Err(length)) = walked;
            let object = start..start + length.max(1);
            #[cfg(test)]
            {
                self.walked += object.len();
            }
            if walked.is_err() {
                if let Some(last) = last_object(text, &object)
                    && is_sibling(line, &last, &object, peeker)
                {
                    return self.found(last);
                }
                self.tear(object);
            } else if peeker.check(line.part(object.clone())).is_err() {
                self.tear(object);
            } else if (start == clean && !goes_on(text, object.end))
                || is_outer(line, &object, peeker)
            {
                return self.found(object);
            } else {
                self.from = object.end;
            }
        }
    }

    /// Where the next record may begin.
    fn candidate(&mut self, text: &[u8]) -> Option<usize> {
        if let Some(torn) = &mut self.torn {
            while let Some(door) = torn.next_door(text) {
                if door >= self.from {
                    return Some(door);
                }
            }
            self.from = self.from.max(torn.end);
            self.torn = None;
        }
        let rest = text.get(self.from..)?;
        Some(self.from + memchr(b'{', rest)?)
    }

    fn found(&mut self, record: Range<usize>) -> Option<Range<usize>> {
        self.done = record.end;
        self.from = record.end;
        self.torn = None;
        Some(record)
    }

    /// Goes on behind the beginning of a torn record. If it began at a door
    /// of another, no record begins where both reach.
    fn tear(&mut self, torn: Range<usize>) {
        let new = Torn { at: torn.start, end: torn.end };
        match &self.torn {
            None => {
                self.from = torn.start + 1;
                self.torn = Some(new);
            }
            Some(old) if old.end < new.end => {
                self.from = old.end;
                self.torn = Some(new);
            }
            Some(_) => self.from = new.end,
        }
    }
}

/// What there is of a torn record.
#[derive(Debug)]
struct Torn {
    /// Up to here its doors have been found.
    at: usize,
    end: usize,
}

impl Torn {
    fn next_door(&mut self, text: &[u8]) -> Option<usize> {
        loop {
            let rest = text.get(self.at..self.end)?;
            let open = self.at + memchr(b'"', rest)?;
            let close = string_end(text, open);
            if close >= self.end {
                self.at = self.end;
                return None;
            }
            self.at = close + 1;
            let string = text.get(open..close).unwrap_or_default();
            let last = string.iter().rposition(|byte| !is_blank(byte))?;
            if string.get(last) == Some(&b'{') {
                return Some(open + last);
            }
        }
    }
}

/// The inner object that a torn record ends with.
fn last_object(text: &[u8], torn: &Range<usize>) -> Option<Range<usize>> {
    let known = text.get(..torn.end)?;
    let last = known.iter().rposition(|byte| !is_blank(byte))?;
    if known.get(last) != Some(&b'}') {
        return None;
    }
    // As many as there are levels of nesting.
    let mut open = vec![];
    let mut at = torn.start;
    while let Some(next) = memchr3(b'"', b'{', b'}', known.get(at..last)?) {
        at += next;
        match known.get(at)? {
            b'"' => at = string_end(known, at),
            b'{' => open.push(at),
            _ => _ = open.pop(),
        }
        // This is behind the brace if it is in a string.
        at += 1;
    }
    Some(open.pop()?..last + 1)
}

/// Whether what stands at `end` goes on with members, so that the object that
/// ends there was the value of one.
fn goes_on(text: &[u8], end: usize) -> bool {
    let mut behind = text.iter().skip(end).filter(|byte| !is_blank(byte));
    behind.next() == Some(&b',') && behind.next() == Some(&b'"')
}

/// Whether a value of a larger object or array can begin at `start`.
fn is_value_place(text: &[u8], start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let mut before = before.iter().rev().filter(|byte| !is_blank(byte));
    match before.next() {
        Some(b'[' | b',') => true,
        Some(b':') => before.next() == Some(&b'"'),
        _ => false,
    }
}

/// Whether an object is a record, though something stands before it. It could
/// be a part of a record whose beginning is lost.
fn is_outer(
    line: RawLine<'_>,
    object: &Range<usize>,
    peeker: &Peeker,
) -> bool {
    let behind = line.bytes.get(object.end..).unwrap_or_default();
    let next = behind.iter().find(|byte| !is_blank(byte));
    let text = line.bytes.get(object.clone()).unwrap_or_default();
    let is_loose = match next {
        None | Some(b'{' | 0) => true,
        Some(b',' | b'}' | b']') => {
            !goes_on(line.bytes, object.end)
                && !is_value_place(line.bytes, object.start)
        }
        // Two braces are often found in texts.
        Some(_) => first_key(text).is_some(),
    };
    is_loose || kind(line.part(object.clone()), peeker) == Known::Yes
}

/// Whether the inner object that a torn record ends with is a record, which
/// stands where the torn one would have had a value.
fn is_sibling(
    line: RawLine<'_>,
    object: &Range<usize>,
    torn: &Range<usize>,
    peeker: &Peeker,
) -> bool {
    let part = |part: &Range<usize>| line.part(part.clone());
    match kind(part(object), peeker) {
        Known::Yes => true,
        Known::No => false,
        Known::Untyped => {
            first_key(part(object).bytes) == first_key(part(torn).bytes)
        }
    }
}

/// Whether an object is of a type that agents write.
#[derive(PartialEq)]
enum Known {
    Yes,
    No,
    /// It has no type at all.
    Untyped,
}

fn kind(object: RawLine<'_>, peeker: &Peeker) -> Known {
    let Ok(text) = peeker.text(object) else { return Known::No };
    match Message::new(Value::from_text(text.top())) {
        Message::Unknown(unknown) if unknown.name().is_some() => Known::No,
        Message::Unknown(_) => Known::Untyped,
        _ => Known::Yes,
    }
}

/// The first key of an object, as it is written.
fn first_key(object: &[u8]) -> Option<&[u8]> {
    let open = object.iter().skip(1).position(|byte| !is_blank(byte))? + 1;
    let key = object.get(open..string_end(object, open))?;
    key.strip_prefix(b"\"")
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Whether a byte before a record tells nothing.
fn is_clean(byte: &u8) -> bool {
    is_blank(byte) || *byte == 0
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use crate::limits::Limits;

    use super::*;

    /// Searches a line to its end.
    fn walked(line: &[u8]) -> usize {
        let mut peeker = Peeker::new(Limits::default());
        let mut search = Search::default();
        while search.next(RawLine::alone(line), &mut peeker).is_some() {}
        search.walked
    }

    #[test]
    fn hostile_lines_are_walked_over_twice_at_most() {
        let pieces = [
            "{",
            "{\"",
            "{\"a\":",
            "{\"a\":[",
            "{\"a\":{},",
            "{\"a\":\"{\",",
            "{\":\":",
            "{\",\":",
            "\"{",
            "{}",
            "{},",
            "{\"a\":1} x",
            "\0{",
            "{\"{\":\"{\",\"",
            "[{\"a\":\"",
            "{\"\\\"",
        ];
        for piece in pieces {
            for head in pieces {
                let line = head.to_string() + &piece.repeat(2000);
                let most = 2 * line.len();
                let walked = walked(line.as_bytes());
                assert!(walked <= most, "{walked}: {head} {piece}");
            }
        }
    }

    /// Every string of the torn record ends with a door, behind which there
    /// are objects as deep as can be.
    #[test]
    fn doors_of_a_torn_record_are_not_all_walked_through() {
        let line = "{\"a\":[\"{\",".to_string() + &"\":{\",".repeat(2000);
        let walked = walked(line.as_bytes());
        assert!(walked <= 2 * line.len(), "{walked} of {}", line.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::default()
        })]

        #[test]
        fn any_line_is_walked_over_twice_at_most(
            pieces in vec(select(vec![
                "{", "}", "[", "]", "\"", "\\", ":", ",", "1", "a", " ",
                "{\"a\":", "{\":\":\",\"",
            ]), 0..80),
        ) {
            let line = pieces.concat();
            prop_assert!(walked(line.as_bytes()) <= 2 * line.len());
        }
    }
}
