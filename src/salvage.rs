/*!
Recovers the whole records of a damaged line.

A line contains several records, or parts of them, when two programs write to
one file, or when a program is stopped while it writes and another one appends.

# The search

A record can begin at any `{`. The search parses an object from there. If the
object is complete, it is a candidate. If not, it is a *torn record*, which
extends from the brace to the first grammar error. The search continues after
the torn record, but first at the *restart points* in it. A restart point is a
`{` that is the last character of a string in the torn record, apart from
whitespace. If the record was torn within a string, the first quote of the next
record appears to close that string:

```text
    {"text":"Let me lo{"type":"user", ...
                      ^ a restart point
```

All other braces in a torn record begin its own nested objects, and are not
tried. So each byte is parsed at most twice, once as text and once within a
string, whatever the line contains: the search takes O(line length).

# Which objects are records

A complete object may be a record, or a nested object of a torn record. The text
around it and its own structure decide. Whether its type is known does not
matter. An object is an *envelope* if it has keys that only records have: a
string `type` and one of the keys in [`ENVELOPE`], or a single member besides
`type` whose value is an object with one of those keys.

| before the object | after it | is it a record? |
|---|---|---|
| nothing, NUL, or a record | anything but `,"` | yes |
| nothing, NUL, or a record | `,"`: another member follows | if it is an envelope |
| other text | the end, `{` or NUL | yes |
| other text, but not `[`, `,` or `":` | `,`, `}` or `]`, but not `,"` | yes |
| `[`, `,` or `":` | `,`, `}` or `]` | if it is an envelope |
| other text | `,"` | if it is an envelope |
| other text | any other byte | if it has a member, or is an envelope |
| a torn record that ends with this object | the grammar error | if it is an envelope; without `type`, if its first key is that of the torn record |

Whitespace before and after the object is ignored. An object that fails the full
check is a torn record. The four rows with "if it is an envelope" can be wrong:
a record that is not an envelope, such as `{"type":"keep_alive"}`, is lost, and
a nested object that is an envelope is returned as a record.
*/

use std::ops::Range;

use memchr::{memchr, memchr3};

use crate::{
    error::{ErrorKind, LineError},
    json::{Object, Source, State, Value, first_value},
    lines::RawLine,
    scan::{is_line_whitespace, part, skip_line_whitespace, string_end},
};

/// Keys that identify, order and address records. Content blocks, tool inputs
/// and other parts of records do not have them together with a `type`.
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
    // Only with a `role` in it: an object that wraps a whole record can have a
    // `message` too.
    "message",
];

/// Finds the records of damaged lines, one line after the other.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    /// Whether a line that does not begin with `{` and contains no record is
    /// noise, and not lost.
    skip_noise: bool,
    search: Search,
    /// A record that was found, but is returned after an error.
    waiting: Option<Range<usize>>,
    /// Whether the error of the current line has been returned.
    is_reported: bool,
    /// The number of records found on damaged lines.
    pub(crate) records: u64,
    /// The number of bytes of damaged lines that are in no record.
    pub(crate) lost: u64,
}

/// A part of a damaged line.
#[derive(Debug)]
pub(crate) enum Found {
    /// The range of a record.
    Record(Range<usize>),
    /// Bytes that are in no record, reported once per line.
    Lost(LineError),
    /// The line is noise.
    Noise,
}

impl Salvage {
    pub(crate) fn new(skip_noise: bool) -> Salvage {
        Salvage { skip_noise, ..Salvage::default() }
    }

    /// Starts a new line. `is_reported` is whether an error about the line has
    /// been returned already.
    pub(crate) fn begin(&mut self, is_reported: bool) {
        self.search = Search::default();
        self.is_reported = is_reported;
    }

    /// Returns the next part of the line, or `None` at its end. Pass the same
    /// line until then.
    pub(crate) fn next(
        &mut self,
        line: RawLine<'_>,
        state: &mut State,
    ) -> Option<Found> {
        if let Some(record) = self.waiting.take() {
            return Some(Found::Record(record));
        }
        let done = self.search.done;
        let record = self.search.next(line, state);
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
        if let Some(error) = self.lose(line, done..end, state) {
            self.waiting = record;
            return Some(Found::Lost(error));
        }
        record.map(Found::Record)
    }

    /// Counts the bytes of `gap`, which are in no record, and returns an error
    /// for the first such gap of a line.
    fn lose(
        &mut self,
        line: RawLine<'_>,
        gap: Range<usize>,
        state: &mut State,
    ) -> Option<LineError> {
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
        let error = check(lost, state).err();
        let error = error.filter(|error| error.kind != ErrorKind::Syntax);
        // The grammar error may be in the record after the gap, so the error
        // is placed at the gap instead.
        let torn = || LineError::syntax(lost.position, "incomplete record");
        let error = error.unwrap_or_else(torn).moved_to(lost.position);
        Some(error.with_snippet(lost.bytes))
    }
}

/// The state of the search, as offsets in the line.
#[derive(Debug, Default)]
struct Search {
    /// The end of the last record that was found.
    done: usize,
    /// The start of the text still to be searched.
    from: usize,
    /// The torn record with the largest end.
    torn: Option<Torn>,
    /// How many bytes have been parsed.
    #[cfg(test)]
    walked: usize,
}

impl Search {
    /// Returns the range of the next record.
    fn next(
        &mut self,
        line: RawLine<'_>,
        state: &mut State,
    ) -> Option<Range<usize>> {
        let text = line.bytes;
        let clean =
            part(text, self.done..).iter().position(|byte| !is_clean(byte));
        let clean = self.done + clean.unwrap_or(0);
        loop {
            let start = self.candidate(text)?;
            let walked = first_value(part(text, start..), state.depth);
            let (Ok(length) | Err(length)) = walked;
            let object = start..start + length.max(1);
            #[cfg(test)]
            {
                self.walked += object.len();
            }
            if walked.is_err() {
                if let Some(last) = last_object(text, &object)
                    && is_sibling(line, &last, &object, state)
                {
                    return self.found(last);
                }
                self.tear(object);
            } else if check(line.part(object.clone()), state).is_err() {
                self.tear(object);
            } else if (start == clean && !has_next_member(text, object.end))
                || is_outer(line, &object, state)
            {
                return self.found(object);
            } else {
                self.from = object.end;
            }
        }
    }

    /// Returns the next offset at which a record may begin: a restart point of
    /// the torn record, or else the next brace.
    fn candidate(&mut self, text: &[u8]) -> Option<usize> {
        if let Some(torn) = &mut self.torn {
            while let Some(point) = torn.next_restart_point(text) {
                if point >= self.from {
                    return Some(point);
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

    /// Adds a torn record. If it began at a restart point of another torn
    /// record, no record begins in the overlap of the two, which is skipped.
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

/// A torn record, whose restart points are searched.
#[derive(Debug)]
struct Torn {
    /// The start of the text still to be searched for restart points.
    at: usize,
    end: usize,
}

impl Torn {
    fn next_restart_point(&mut self, text: &[u8]) -> Option<usize> {
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

/// Returns the range of the nested object that a torn record ends with.
fn last_object(text: &[u8], torn: &Range<usize>) -> Option<Range<usize>> {
    let known = text.get(..torn.end)?;
    let last = known.iter().rposition(|byte| !is_line_whitespace(*byte))?;
    if known.get(last) != Some(&b'}') {
        return None;
    }
    // A stack of open braces.
    let mut open = vec![];
    let mut at = torn.start;
    while let Some(next) = memchr3(b'"', b'{', b'}', known.get(at..last)?) {
        at += next;
        match known.get(at)? {
            b'"' => at = string_end(known, at),
            b'{' => open.push(at),
            _ => _ = open.pop(),
        }
        // Past the last brace if that is in a string.
        at += 1;
    }
    Some(open.pop()?..last + 1)
}

/// Returns whether `,"` follows at `end`: then the object that ends there was
/// the value of a member, and another member follows.
fn has_next_member(text: &[u8], end: usize) -> bool {
    let mut after =
        text.iter().skip(end).filter(|byte| !is_line_whitespace(**byte));
    after.next() == Some(&b',') && after.next() == Some(&b'"')
}

/// Returns whether the text before `start` allows the value of a member or
/// item at `start`.
fn is_value_position(text: &[u8], start: usize) -> bool {
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

/// Checks a part of a line, or a whole one.
fn check(line: RawLine<'_>, state: &mut State) -> Result<(), LineError> {
    state.begin_new(line);
    Source::new(line.bytes, state).check()
}

/// Returns whether an object with other text before it is a record, and not a
/// part of a record whose beginning is lost.
fn is_outer(
    line: RawLine<'_>,
    object: &Range<usize>,
    state: &mut State,
) -> bool {
    let next = skip_line_whitespace(line.bytes, object.end);
    let next = line.bytes.get(next);
    let text = part(line.bytes, object.clone());
    let is_loose = match next {
        None | Some(b'{' | 0) => true,
        Some(b',' | b'}' | b']') => {
            !has_next_member(line.bytes, object.end)
                && !is_value_position(line.bytes, object.start)
        }
        // `{}` is common in prose and code.
        Some(_) => first_key(text).is_some(),
    };
    is_loose
        || structure(line.part(object.clone()), state) == Structure::Envelope
}

/// Returns whether the nested object that a torn record ends with is a record
/// that followed the torn one, and not a value in it.
fn is_sibling(
    line: RawLine<'_>,
    object: &Range<usize>,
    torn: &Range<usize>,
    state: &mut State,
) -> bool {
    match structure(line.part(object.clone()), state) {
        Structure::Envelope => true,
        Structure::Typed => false,
        Structure::Untyped => {
            let first =
                |at: &Range<usize>| first_key(part(line.bytes, at.clone()));
            first(object) == first(torn)
        }
    }
}

/// The structure of an object. See the header of this file.
#[derive(PartialEq)]
enum Structure {
    Envelope,
    /// Not an envelope, but with a `type`.
    Typed,
    /// Without a `type`.
    Untyped,
}

fn structure(object: RawLine<'_>, state: &mut State) -> Structure {
    state.begin_new(object);
    let line = Source::new(object.bytes, state);
    let Some(object) = line.text().ok().and_then(|text| {
        line.check_top(text).ok()?;
        Value::of_line(text).as_object()
    }) else {
        return Structure::Typed;
    };
    let is_typed = object.get("type").is_some();
    let is_named = object.get("type").is_some_and(|t| t.as_str().is_some());
    let mut others = object.iter().filter(|(key, _)| *key != "type");
    let only = others.next().filter(|_| others.next().is_none());
    let wrapped = only.and_then(|(_, value)| value.as_object());
    if (is_named && has_envelope_key(object))
        || wrapped.is_some_and(has_envelope_key)
    {
        return Structure::Envelope;
    }
    if is_typed { Structure::Typed } else { Structure::Untyped }
}

fn has_envelope_key(object: Object<'_>) -> bool {
    object.iter().any(|(key, value)| {
        ENVELOPE.contains(&key)
            && (key != "message" || value.get("role").is_some())
    })
}

/// Returns the first key of an object, with its escapes.
fn first_key(object: &[u8]) -> Option<&[u8]> {
    let open = skip_line_whitespace(object, 1);
    let key = object.get(open..string_end(object, open))?;
    key.strip_prefix(b"\"")
}

/// Returns whether a byte before a record is whitespace or NUL.
fn is_clean(byte: &u8) -> bool {
    is_line_whitespace(*byte) || *byte == 0
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use crate::limits::Limits;

    use super::*;

    /// Searches a whole line, and returns how many bytes were parsed.
    fn walked(line: &[u8]) -> usize {
        let mut state = State::new(Limits::default());
        let mut search = Search::default();
        while search.next(RawLine::alone(line), &mut state).is_some() {}
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

    /// Every string of the torn record ends with a restart point, and after
    /// each of them there are objects nested as deeply as possible.
    #[test]
    fn restart_points_are_not_all_parsed() {
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
