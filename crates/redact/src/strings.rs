/*!
The strings of a line, as they are written.
*/

use std::ops::Range;

/// A string of a line.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// Where its text is, without the quotes.
    pub(crate) text: Range<usize>,
    /// The key of the member whose value it is, as it is written.
    pub(crate) key: Option<Range<usize>>,
    /// If it is an item of an array that is the value of a member, after no
    /// other items than strings: the key of the member.
    pub(crate) list: Option<Range<usize>>,
    /// If it is a key: where its value begins.
    pub(crate) value: Option<usize>,
}

/// How much of a string is looked at before what a rule can match. It is more
/// than an escape, and than an escape sequence of a terminal.
const BEFORE: usize = 64;

/// How much of it is looked at after a literal.
const AFTER: usize = 256;

/// Returns where the string is in which an offset of a line is, without the
/// quotes, and whether it may go on after that: it is a key with a value, or the
/// rest of a long string. The beginning of a long string is left out, too.
///
/// Returns `None` if that is not certain. If the offset is in no string, the
/// result has no meaning.
pub(crate) fn string_around(
    line: &[u8],
    at: usize,
    lead: usize,
) -> Option<(Range<usize>, bool)> {
    // Neither may be the second character of an escape.
    if let b'"' | b'\\' = line.get(at)? {
        return None;
    }
    let first = at.saturating_sub(lead + BEFORE);
    let before = line.get(first..at)?;
    let mut start = first;
    let mut end = before.len();
    while let Some(quote) = memchr::memrchr(b'"', before.get(..end)?) {
        let escapes = before.get(..quote)?.iter().rev();
        let escapes = escapes.take_while(|byte| **byte == b'\\').count();
        if escapes == quote {
            // The backslashes may go on before it.
            return None;
        }
        if escapes % 2 == 0 {
            start = first + quote + 1;
            break;
        }
        end = quote;
    }
    // Rules seldom read far. What is after that is as unknown as the value
    // after a key.
    let last = line.len().min(at + AFTER);
    match Strings::new(line.get(..last)?).end(at) {
        Some(end) => {
            let next = Strings::new(line).skip_whitespace(end + 1);
            Some((start..end, line.get(next) == Some(&b':')))
        }
        None => Some((start..last, true)),
    }
}

/// An iterator over the strings and keys of a line that has been checked.
#[derive(Debug)]
pub(crate) struct Strings<'l> {
    line: &'l [u8],
    at: usize,
    /// The last key, and where its value begins.
    last: Option<(Range<usize>, usize)>,
    /// The key of an array, and where its next item begins.
    list: Option<(Range<usize>, usize)>,
}

impl<'l> Strings<'l> {
    pub(crate) fn new(line: &'l [u8]) -> Strings<'l> {
        Strings { line, at: 0, last: None, list: None }
    }

    /// Returns the end of the string whose text begins at an offset.
    #[inline]
    fn end(&self, start: usize) -> Option<usize> {
        let text = self.line.get(start..)?;
        let mut at = 0;
        // Most escapes are newlines, so it is faster to search for quotes alone.
        loop {
            at += memchr::memchr(b'"', text.get(at..)?)?;
            let before = text.get(..at)?.iter().rev();
            let escapes = before.take_while(|byte| **byte == b'\\').count();
            if escapes % 2 == 0 {
                return Some(start + at);
            }
            at += 1;
        }
    }

    /// Returns the end of the value that begins at an offset, unless it is a
    /// string, a boolean or null.
    pub(crate) fn value_end(&self, start: usize) -> Option<usize> {
        let (mut at, mut depth) = (start, 0_usize);
        match self.line.get(start)? {
            b'{' | b'[' => loop {
                match self.line.get(at)? {
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' if depth == 1 => return Some(at + 1),
                    b'}' | b']' => depth -= 1,
                    b'"' => at = self.end(at + 1)?,
                    _ => {}
                }
                at += 1;
            },
            b'-' | b'0'..=b'9' => {
                let rest = self.line.get(start..)?.iter();
                let is_end = |b: &u8| b",]} \t\r\n".contains(b);
                Some(start + { rest }.position(is_end)?)
            }
            _ => None,
        }
    }

    fn skip_whitespace(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.line.get(at) {
            at += 1;
        }
        at
    }
}

impl Iterator for Strings<'_> {
    type Item = Written;

    fn next(&mut self) -> Option<Written> {
        let quote = self.at + memchr::memchr(b'"', self.line.get(self.at..)?)?;
        let text = quote + 1..self.end(quote + 1)?;
        self.at = text.end + 1;
        let key = match self.last.take() {
            Some((key, value)) if value == quote => Some(key),
            _ => None,
        };
        let list = match self.list.take() {
            Some((key, item)) if item == quote => Some(key),
            _ => None,
        };
        let next = self.skip_whitespace(self.at);
        let mut value = None;
        match self.line.get(next) {
            Some(b':') => {
                self.at = next + 1;
                let start = self.skip_whitespace(self.at);
                if self.line.get(start) == Some(&b'[') {
                    let item = self.skip_whitespace(start + 1);
                    self.list = Some((text.clone(), item));
                }
                self.last = Some((text.clone(), start));
                value = Some(start);
            }
            Some(b',') => {
                let item = self.skip_whitespace(next + 1);
                self.list = list.clone().map(|key| (key, item));
            }
            _ => {}
        }
        Some(Written { text, key, list, value })
    }
}
