/*!
Whole records on a damaged line.

A line holds several records, or pieces of them, when two programs write to
one file, or when one is stopped while it writes and another goes on.

Every `{` may be where a record begins. From there the grammar is followed. If
it leads to the end of an object, that is found. If not, there is a torn record,
which reaches as far as the grammar could be followed, and the search goes on:
after it, but also at the *doors* in it. A door is a brace that is the last
thing in a string of the torn record. When the record was torn within a string,
the first quote of what follows looks like the end of that string:

```text
    {"text":"Let me lo{"type":"user", ...
                      ^ a door
```

Braces that are in their place in the torn record begin objects of its own, and
are not tried. So a byte is walked over twice at most, once as text and once as
the inside of a string, however the line is made.

# Which objects are records

An object that is found may be a record, or a part of one whose beginning or end
is lost. Its surroundings and its own structure decide; no table of types does.
An object is an *envelope* if it has what records have and parts of them have
not: a string `type` and one of the keys in [`ENVELOPE`], or one member beside
`type` whose value is an object with one of those keys.

| before the object | after it | taken for a record |
|---|---|---|
| nothing, NUL, or a record | anything but `,"` | always |
| nothing, NUL, or a record | `,"`: members go on | if it is an envelope |
| something | the end, `{` or NUL | always |
| something, but not `[`, `,` or `":` | `,`, `}` or `]`, but not `,"` | always |
| `[`, `,` or `":` | `,`, `}` or `]` | if it is an envelope |
| something | `,"` | if it is an envelope |
| something | any other byte | if it has a member, or is an envelope |
| a torn record, of which it is the last value | what tore that record | if it is an envelope; or without `type`, if its first key is that of the torn record |

Whitespace before and after does not count. An object that fails the full check
is a torn record. A record that is no envelope (`{"type":"keep_alive"}`) can be
lost in the four rows that ask for one; an envelope inside of a torn record
can be taken for a record there.
*/

use std::ops::Range;

use memchr::{memchr, memchr3};

use crate::{
    error::{Error, ErrorKind},
    json::{Object, Value, string_end},
    lines::RawLine,
    peek::Peeker,
    scan::{is_line_whitespace, part, skip_line_whitespace},
};

/// Keys by which records are told apart, ordered and addressed. Content blocks,
/// tool inputs and other parts of records do not have them beside a `type`.
const ENVELOPE: [&str; 10] = [
    "uuid",
    "parentUuid",
    "leafUuid",
    "session_id",
    "sessionId",
    "timestamp",
    "messageId",
    "request_id",
    "subtype",
    // It must have a `role`: what wraps a whole record has a `message` too.
    "message",
];

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
        let done = self.search.done;
        let record = self.search.next(line, peeker);
        if self.skip_noise && record.is_none() {
            let first = skip_line_whitespace(line.bytes, 0);
            let first = line.bytes.get(first);
            if first != Some(&b'{') && !self.is_reported {
                return Some(Found::Noise);
            }
        }
        let end = record.as_ref().map_or(line.bytes.len(), |r| r.start);
        if record.is_none() {
            self.search.done = end;
        }
        self.records += u64::from(record.is_some());
        if let Some(error) = self.lose(line, done..end, peeker) {
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
        let first = skip_line_whitespace(lost.bytes, 0);
        if first == lost.bytes.len() {
            return None;
        }
        self.lost += lost.bytes.len() as u64;
        if self.is_reported {
            return None;
        }
        self.is_reported = true;
        let lost = lost.part(first..lost.bytes.len());
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
        let clean =
            part(text, self.done..).iter().position(|byte| !is_clean(byte));
        let clean = self.done + clean.unwrap_or(0);
        loop {
            let start = self.candidate(text)?;
            // There may be as many as bytes, and what has been looked at and
            // is no record must not stay.
            peeker.recycle(text.len());
            let walked = peeker.first_object(part(text, start..));
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
            let string = part(text, open..close);
            let last =
                string.iter().rposition(|byte| !is_line_whitespace(*byte))?;
            if string.get(last) == Some(&b'{') {
                return Some(open + last);
            }
        }
    }
}

/// The inner object that a torn record ends with.
fn last_object(text: &[u8], torn: &Range<usize>) -> Option<Range<usize>> {
    let known = text.get(..torn.end)?;
    let last = known.iter().rposition(|byte| !is_line_whitespace(*byte))?;
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

/// Whether what is at `end` goes on with members, so that the object that
/// ends there was the value of one.
fn goes_on(text: &[u8], end: usize) -> bool {
    let mut after =
        text.iter().skip(end).filter(|byte| !is_line_whitespace(**byte));
    after.next() == Some(&b',') && after.next() == Some(&b'"')
}

/// Whether a value of a larger object or array can begin at `start`.
fn is_value_place(text: &[u8], start: usize) -> bool {
    let mut before = part(text, ..start)
        .iter()
        .rev()
        .filter(|byte| !is_line_whitespace(**byte));
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
    let next = skip_line_whitespace(line.bytes, object.end);
    let next = line.bytes.get(next);
    let text = part(line.bytes, object.clone());
    let is_loose = match next {
        None | Some(b'{' | 0) => true,
        Some(b',' | b'}' | b']') => {
            !goes_on(line.bytes, object.end)
                && !is_value_place(line.bytes, object.start)
        }
        // Two braces are often found in texts.
        Some(_) => first_key(text).is_some(),
    };
    is_loose || looks(line.part(object.clone()), peeker) == Looks::Envelope
}

/// Whether the inner object that a torn record ends with is a record, in the
/// place where the torn one would have had a value.
fn is_sibling(
    line: RawLine<'_>,
    object: &Range<usize>,
    torn: &Range<usize>,
    peeker: &Peeker,
) -> bool {
    match looks(line.part(object.clone()), peeker) {
        Looks::Envelope => true,
        Looks::Typed => false,
        Looks::Untyped => {
            let first =
                |at: &Range<usize>| first_key(part(line.bytes, at.clone()));
            first(object) == first(torn)
        }
    }
}

/// What the members of an object say about it.
#[derive(PartialEq)]
enum Looks {
    /// It has what records have.
    Envelope,
    /// It has a type, as records and parts of them have.
    Typed,
    /// It has no type at all.
    Untyped,
}

fn looks(object: RawLine<'_>, peeker: &Peeker) -> Looks {
    let Ok(text) = peeker.text(object) else { return Looks::Typed };
    let Some(object) = Value::of_line(text).as_object() else {
        return Looks::Typed;
    };
    let is_typed = object.get("type").is_some();
    let is_named = object.get("type").is_some_and(|t| t.as_str().is_some());
    let mut others = object.iter().filter(|(key, _)| *key != "type");
    let only = others.next().filter(|_| others.next().is_none());
    let wrapped = only.and_then(|(_, value)| value.as_object());
    if (is_named && has_envelope_key(object))
        || wrapped.is_some_and(has_envelope_key)
    {
        return Looks::Envelope;
    }
    if is_typed { Looks::Typed } else { Looks::Untyped }
}

fn has_envelope_key(object: Object<'_>) -> bool {
    object.iter().any(|(key, value)| {
        ENVELOPE.contains(&key)
            && (key != "message" || value.get("role").is_some())
    })
}

/// The first key of an object, as it is written.
fn first_key(object: &[u8]) -> Option<&[u8]> {
    let open = skip_line_whitespace(object, 1);
    let key = object.get(open..string_end(object, open))?;
    key.strip_prefix(b"\"")
}

/// Whether a byte before a record tells nothing.
fn is_clean(byte: &u8) -> bool {
    is_line_whitespace(*byte) || *byte == 0
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
