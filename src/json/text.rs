/*!
Values read from the text of a line, where it stands.

A [`Place`] is where a value begins, and how many quotes and containers of the
[index](crate::json::index) come before it. From there a string or a container
is passed over without looking at what is in it; commas, colons and the
beginnings of values are checked as they are met. What breaks the grammar ends
an iteration, and `fault` can say what it was.
*/

use std::fmt;

use bumpalo::Bump;

use crate::{
    error::Position,
    json::{Container, Index, Number, Stated},
    limits::Limits,
    scan::{
        Scanner, is_key, is_well_written, scalar_end, skip_blanks, unescape,
    },
};

/// A line, its index, and the arena that is for what has to be unescaped.
pub(crate) struct Text<'a> {
    pub(crate) line: &'a str,
    pub(crate) position: Position,
    pub(crate) limits: Limits,
    quotes: &'a [u32],
    containers: &'a [Container],
    scanner: Scanner,
    arena: &'a Bump,
}

/// The line is not an object, or something about its members is not right.
/// What, is for others to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TopFault {
    Grammar,
    /// This key is at this place for the second time.
    Duplicate(&'static str, usize),
}

/// Where a value begins.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    text: &'a Text<'a>,
    at: u32,
    /// How many quotes and containers begin before it.
    quote: u32,
    container: u32,
}

/// There is nothing here, nor behind.
const NOWHERE: u32 = u32::MAX;

impl<'a> Text<'a> {
    /// Puts a line into the arena, with a copy of its index.
    pub(crate) fn new(
        line: &'a str,
        index: &Index,
        scanner: Scanner,
        arena: &'a Bump,
        position: Position,
        limits: Limits,
    ) -> &'a Text<'a> {
        arena.alloc(Text {
            line,
            position,
            limits,
            quotes: arena.alloc_slice_copy(index.quotes()),
            containers: arena.alloc_slice_copy(index.containers()),
            scanner,
            arena,
        })
    }

    /// The whole line as a value.
    pub(crate) fn top(&'a self) -> Place<'a> {
        let at = skip_blanks(self.line.as_bytes(), 0) as u32;
        Place { text: self, at, quote: 0, container: 0 }
    }

    /// Checks the members of the outermost object, and that nothing follows
    /// it.
    pub(crate) fn check_top(&'a self) -> Result<(), TopFault> {
        let top = self.top();
        if !top.is_object() {
            return Err(TopFault::Grammar);
        }
        let mut members = top.inside();
        let mut seen = Stated::default();
        loop {
            let key = members.at as usize;
            let Some((written, _)) = members.next_written() else { break };
            if written.contains('\\') && !is_well_written(written) {
                return Err(TopFault::Grammar);
            }
            seen.see(written.as_bytes(), key);
        }
        let end = top.end().ok_or(TopFault::Grammar)?;
        // The members end where the object does, or before, at a fault.
        let last = (members.at as usize).saturating_add(1);
        let rest = skip_blanks(self.line.as_bytes(), last);
        let whole = last == end.at as usize && rest == self.line.len();
        match (whole, seen.second) {
            (false, _) => Err(TopFault::Grammar),
            (true, Some((key, at))) => Err(TopFault::Duplicate(key, at)),
            (true, None) => Ok(()),
        }
    }

    fn byte(&self, at: u32) -> Option<u8> {
        self.line.as_bytes().get(at as usize).copied()
    }

    /// The first place from `at` on that is not blank.
    #[inline]
    fn token(&self, at: u32) -> u32 {
        match self.byte(at) {
            Some(b'!'..) => at,
            _ => skip_blanks(self.line.as_bytes(), at as usize) as u32,
        }
    }
}

impl<'a> Place<'a> {
    /// The text from here to the end of the line, where it begins in the
    /// line, and the line.
    pub(crate) fn context(self) -> (&'a Text<'a>, usize) {
        (self.text, self.at as usize)
    }

    #[inline]
    fn byte(self) -> Option<u8> {
        self.text.byte(self.at)
    }

    /// The string between this quote and the next, as it is written.
    #[inline]
    fn written(self) -> Option<(usize, usize)> {
        let quote = self.quote as usize;
        match self.text.quotes.get(quote..)? {
            [start, end, ..] if *start == self.at => {
                Some((*start as usize + 1, *end as usize))
            }
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn as_str(self) -> Option<&'a str> {
        let Text { line, scanner, arena, .. } = *self.text;
        let (start, end) = self.written()?;
        unescape(scanner, line, start, end, arena)
    }

    /// The number or word that stands here, if it is a good one.
    fn scalar(self) -> Option<&'a str> {
        let start = self.at as usize;
        let end = scalar_end(self.text.line.as_bytes(), start)?;
        self.text.line.get(start..end)
    }

    pub(crate) fn is_null(self) -> bool {
        self.byte() == Some(b'n') && self.scalar().is_some()
    }

    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.scalar()? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn as_number(self) -> Option<Number> {
        match self.byte()? {
            b'-' | b'0'..=b'9' => Number::parse(self.scalar()?),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn is_object(self) -> bool {
        self.byte() == Some(b'{')
    }

    #[inline]
    pub(crate) fn is_array(self) -> bool {
        self.byte() == Some(b'[')
    }

    /// What follows the bracket here: a key, an item, or the other bracket.
    #[inline]
    pub(crate) fn inside(self) -> Place<'a> {
        let at = self.text.token(self.at.saturating_add(1));
        Place { at, container: self.container + 1, ..self }
    }

    /// What follows the value here.
    #[inline]
    fn end(self) -> Option<Place<'a>> {
        match self.byte()? {
            b'"' => {
                let (_, end) = self.written()?;
                let at = end as u32 + 1;
                Some(Place { at, quote: self.quote + 2, ..self })
            }
            b'{' | b'[' => {
                let number = self.container as usize;
                let container = self.text.containers.get(number)?;
                if container.open != self.at {
                    return None;
                }
                Some(Place {
                    at: container.close + 1,
                    quote: container.quotes,
                    container: container.containers,
                    ..self
                })
            }
            _ => {
                let at = self.at as usize;
                let end = scalar_end(self.text.line.as_bytes(), at)?;
                Some(Place { at: end as u32, ..self })
            }
        }
    }

    /// Takes the value here off, and goes on to what follows it: another one
    /// behind a comma, or the bracket that is given.
    #[inline]
    fn take(&mut self, close: u8) -> Option<Place<'a>> {
        let value = *self;
        self.at = NOWHERE;
        let mut next = value.end()?;
        next.at = self.text.token(next.at);
        match next.byte()? {
            b',' => {
                next.at = self.text.token(next.at + 1);
                if next.byte()? == close {
                    return None;
                }
            }
            byte if byte == close => {}
            _ => return None,
        }
        *self = next;
        Some(value)
    }

    /// Takes the next item of an array off.
    #[inline]
    pub(crate) fn next_value(&mut self) -> Option<Place<'a>> {
        match self.byte()? {
            b']' => None,
            _ => self.take(b']'),
        }
    }

    /// Takes the next member of an object off: its key as it is written, and
    /// its value.
    #[inline]
    pub(crate) fn next_written(&mut self) -> Option<(&'a str, Place<'a>)> {
        let (start, end) = self.written()?;
        let key = self.text.line.get(start..end)?;
        let colon = self.text.token(end as u32 + 1);
        let at = match self.text.byte(colon)? {
            b':' => self.text.token(colon + 1),
            _ => {
                self.at = NOWHERE;
                return None;
            }
        };
        self.at = at;
        self.quote += 2;
        Some((key, self.take(b'}')?))
    }

    /// Takes the next member of an object off.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Option<(&'a str, Place<'a>)> {
        let key = *self;
        let (_, value) = self.next_written()?;
        Some((key.as_str()?, value))
    }

    /// The last member of the object here whose key means `wanted`.
    #[inline]
    pub(crate) fn find(self, wanted: &str) -> Option<Place<'a>> {
        let mut found = None;
        let mut members = self.inside();
        while let Some((key, value)) = members.next_written() {
            if is_key(key.as_bytes(), wanted) {
                found = Some(value);
            }
        }
        found
    }
}

impl fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({})", self.at)
    }
}
