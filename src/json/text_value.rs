/*!
A value in the text of a line, read on demand.

Each access parses the text again. A value that is not JSON reads as `None`, and
ends an iteration that reaches it. The line is then flagged as bad, and
`fault::explain` returns the diagnostic.
*/

use std::{cmp::Ordering, fmt};

#[cfg(feature = "serde")]
use crate::{error::Position, json::tokens::TextTokens};
use crate::{
    json::{
        Cursor, Kept, Member, Number, Source, Text, Value,
        equal::is_equal,
        walk::{END, Indexed, Walk, top},
    },
    scan::{Either, EitherRef, is_key, part, scalar_end, unescape},
};

/// The text that a value is in: of the current line of a reader, or of a line
/// that owns it.
pub(crate) type Home<'a> = EitherRef<'a, Text<'a>, Kept>;

/// The offset of an iteration that has ended at a fault. No line is as long.
const FAULT: u32 = END as u32;

/// A value in the text of a line.
#[derive(Clone, Copy)]
pub(crate) struct TextValue<'a> {
    home: Home<'a>,
    // A `Cursor` in half of its size, so that values are copied quickly.
    at: u32,
    quote: u32,
    container: u32,
}

impl<'a> TextValue<'a> {
    /// Returns the outermost value of a text.
    pub(crate) fn top(text: &'a Text<'a>) -> TextValue<'a> {
        TextValue::new(Home::first(text), text.top())
    }

    /// Returns the outermost value of a line that owns its text.
    pub(crate) fn of_kept(kept: &'a Kept) -> TextValue<'a> {
        TextValue::new(Home::second(kept), top(kept.line.as_bytes()))
    }

    #[inline(always)]
    fn new(home: Home<'a>, cursor: Cursor) -> TextValue<'a> {
        let Cursor { at, quote, container } = cursor;
        // The offsets fit: see `Limits::MAX_LINE_CAP`. That of `END` becomes
        // `FAULT`.
        let (at, quote) = (at as u32, quote as u32);
        TextValue { home, at, quote, container: container as u32 }
    }

    /// Returns the place of the value in its text.
    #[inline(always)]
    fn cursor(self) -> Cursor {
        Cursor {
            at: self.at as usize,
            quote: self.quote as usize,
            container: self.container as usize,
        }
    }

    /// Moves to another place in the text.
    #[inline(always)]
    fn set(&mut self, cursor: Cursor) {
        *self = self.with(cursor);
    }

    /// Returns the text with its index, to walk through it.
    #[inline(always)]
    fn walk(self) -> Walk<'a> {
        match self.home.get() {
            Either::First(text) => text.walk(),
            Either::Second(kept) => kept.walk(),
        }
    }

    #[inline(always)]
    fn line(self) -> &'a str {
        match self.home.get() {
            Either::First(text) => text.line,
            Either::Second(kept) => &kept.line,
        }
    }

    /// Returns the text of the current line. `None` if the line owns its text.
    #[inline(always)]
    fn text(self) -> Option<&'a Text<'a>> {
        match self.home.get() {
            Either::First(text) => Some(text),
            Either::Second(_) => None,
        }
    }

    /// Returns the text, if this is the outermost object of the current line:
    /// the first container.
    #[inline(always)]
    fn top_text(self) -> Option<&'a Text<'a>> {
        if self.container != 0 {
            return None;
        }
        self.text().filter(|text| text.is_whole)
    }

    /// Returns whether this is the outermost value of its line.
    #[cfg(feature = "owned")]
    pub(crate) fn is_top(self) -> bool {
        let is_whole = self.text().is_none_or(|text| text.is_whole);
        self.container == 0 && is_whole
    }

    /// Returns the current line of the reader, which may not have been checked.
    /// `None` if the line owns its text.
    #[inline(always)]
    pub(crate) fn source(self) -> Option<Source<'a>> {
        Some(self.text()?.source)
    }

    /// Returns the offset of the value in its line. `None` if the line owns its
    /// text, which differs from what was written.
    pub(crate) fn offset(self) -> Option<usize> {
        Some(self.text()?.base + self.at as usize)
    }

    /// Returns the position of the value. That of the line, if it owns its
    /// text.
    #[cfg(feature = "owned")]
    pub(crate) fn position(self) -> Position {
        position(self.home, self.at as usize)
    }

    /// Returns the value and all after it, to be read in their order.
    #[cfg(feature = "serde")]
    pub(crate) fn tokens(self) -> TextTokens<'a> {
        TextTokens::new(self.line(), self.walk(), self.cursor(), self.home)
    }

    /// Returns the text of the value. If it is not JSON, the text up to the
    /// next comma or closing bracket.
    pub(crate) fn raw(self) -> &'a str {
        let (line, start) = (self.line(), self.at as usize);
        let end = match self.walk().after(self.cursor()) {
            Some(after) => after.at,
            None => {
                let rest = part(line.as_bytes(), start..);
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}');
                start + rest.iter().position(ends).unwrap_or(rest.len())
            }
        };
        let raw = line.get(start..end);
        debug_assert!(raw.is_some(), "a value is a part of its line");
        raw.unwrap_or_default()
    }

    #[inline(always)]
    fn with(self, cursor: Cursor) -> TextValue<'a> {
        TextValue::new(self.home, cursor)
    }

    #[inline]
    fn byte(self) -> Option<u8> {
        self.line().as_bytes().get(self.at as usize).copied()
    }

    #[inline]
    pub(crate) fn as_str(self) -> Option<&'a str> {
        let (start, end) = self.walk().string(self.cursor())?;
        if let Some(text) = self.text()
            && text.is_escaped(self.quote as usize / 2)
        {
            let state = text.source.state;
            let (rest, arena) = (text.line.get(start..)?, state.arena());
            return unescape(state.scanner, rest, end - start, arena);
        }
        self.line().get(start..end)
    }

    /// Returns the text of the number or literal, if it is a valid one.
    fn scalar(self) -> Option<&'a str> {
        let (line, start) = (self.line(), self.at as usize);
        line.get(start..scalar_end(line.as_bytes(), start)?)
    }

    #[inline(never)]
    pub(crate) fn is_null(self) -> bool {
        self.byte() == Some(b'n') && self.scalar().is_some()
    }

    #[inline(never)]
    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.scalar()? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    #[inline(never)]
    pub(crate) fn as_number(self) -> Option<Number> {
        match self.byte()? {
            b'-' | b'0'..=b'9' => Number::parse(self.scalar()?),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn is_str(self) -> bool {
        self.byte() == Some(b'"')
    }

    #[inline]
    pub(crate) fn is_object(self) -> bool {
        self.byte() == Some(b'{')
    }

    #[inline]
    pub(crate) fn is_array(self) -> bool {
        self.byte() == Some(b'[')
    }

    /// Returns the start of the members or items of the container.
    #[inline]
    pub(crate) fn inside(self) -> TextValue<'a> {
        self.with(self.walk().inside(self.cursor()))
    }

    /// Returns the next item of an array, and moves past it.
    #[inline]
    pub(crate) fn next_value(&mut self) -> Option<TextValue<'a>> {
        let mut rest = self.cursor();
        let item = self.walk().next_item(&mut rest);
        self.set(rest);
        let Some(item) = item else {
            if self.at == FAULT {
                self.note_fault();
            }
            return None;
        };
        Some(self.with(item))
    }

    /// Returns an iterator over the members of the object, with their keys
    /// still escaped. The members of the outermost object come from the index.
    #[inline]
    pub(crate) fn members(self) -> RawMembers<'a> {
        match self.noted() {
            Some(members) => RawMembers::Noted(self, members.iter()),
            None => RawMembers::Found(self.inside()),
        }
    }

    /// Returns the next member of an object, and moves past it.
    ///
    /// Always inlined: with calls, owning a checked line takes 3 % more
    /// instructions.
    #[inline(always)]
    pub(crate) fn next_member(&mut self) -> Option<(&'a str, TextValue<'a>)> {
        let key = *self;
        let mut rest = self.cursor();
        let member = self.walk().next_member(&mut rest);
        self.set(rest);
        let Some(member) = member else {
            if self.byte() != Some(b'}') {
                self.note_fault();
            }
            return None;
        };
        let Some(key) = key.as_str().or_else(|| key.faulty_key()) else {
            // An invalid key ends the iteration.
            self.at = FAULT;
            return None;
        };
        Some((key, self.with(member.value)))
    }

    /// Returns a key that cannot be unescaped, with U+FFFD for each lone
    /// surrogate.
    #[cold]
    fn faulty_key(self) -> Option<&'a str> {
        self.note_fault();
        Value::from_text(self).as_str_lossy()
    }

    /// Records that the line has a value that is not JSON.
    #[cold]
    pub(crate) fn note_fault(self) {
        debug_assert!(self.text().is_some(), "an owned line was checked");
        if let Some(source) = self.source() {
            source.note_fault();
        }
    }

    /// Returns an upper bound for the number of values and keys from here to
    /// the end of the line. Each takes at least one byte and one separator.
    #[inline]
    pub(crate) fn most_nodes(self) -> usize {
        let at = self.at as usize;
        self.line().len().saturating_sub(at).div_ceil(2)
    }

    /// Returns the value of the member `type`, if this is an outermost object of
    /// which it is known.
    #[inline]
    pub(crate) fn known_type(self) -> Option<TextValue<'a>> {
        Some(self.with(self.top_text()?.name()?))
    }

    /// Returns the value of the last member whose unescaped key is `wanted`.
    ///
    /// This is not inlined, like the methods for scalars: the conversion to an
    /// owned message is recursive, and each of its frames would contain dozens
    /// of copies and take too much stack.
    #[inline(never)]
    pub(crate) fn find(self, wanted: &str) -> Option<TextValue<'a>> {
        let [found] = self.find_all([wanted]);
        found
    }

    /// Does the same for several keys, in one pass over the members.
    #[inline(always)]
    pub(crate) fn find_all<const N: usize>(
        self,
        wanted: [&str; N],
    ) -> [Option<TextValue<'a>>; N] {
        // Apart for each home, so that the loops have one source of the text.
        let found = match self.home.get() {
            Either::First(text) => {
                find_all(text, self.cursor(), self.noted(), wanted)
            }
            Either::Second(kept) => find_kept(kept, self.cursor(), wanted),
        };
        found.map(|cursor| Some(self.with(cursor?)))
    }

    /// Returns the key of a member without its quotes, still escaped.
    #[inline(always)]
    fn key(self, member: &Member) -> &'a [u8] {
        match self.home.get() {
            Either::First(text) => text.key(member),
            Either::Second(kept) => kept.key(member),
        }
    }

    /// Returns the members from the index, if this is the outermost object.
    #[inline(always)]
    fn noted(self) -> Option<&'a [Member]> {
        self.top_text()?.top_members()
    }
}

/// Finds the values of the last members with the keys that are wanted.
#[inline(always)]
fn find_all<T: Indexed, const N: usize>(
    text: &T,
    object: Cursor,
    noted: Option<&[Member]>,
    wanted: [&str; N],
) -> [Option<Cursor>; N] {
    let mut found = [None; N];
    if let Some(members) = noted {
        for member in members {
            note(text, member, &wanted, &mut found);
        }
        return found;
    }
    let walk = text.walk();
    let mut rest = walk.inside(object);
    while let Some(member) = walk.next_member(&mut rest) {
        note(text, &member, &wanted, &mut found);
    }
    // After a fault, a later member with the same key may be missing.
    if walk.byte(rest.at) == Some(b'}') { found } else { [None; N] }
}

/// Does the same for a line that owns its text.
#[inline(never)]
fn find_kept<const N: usize>(
    kept: &Kept,
    object: Cursor,
    wanted: [&str; N],
) -> [Option<Cursor>; N] {
    find_all(kept, object, None, wanted)
}

/// Puts the value of a member where its key is wanted.
#[inline(always)]
fn note<T: Indexed, const N: usize>(
    text: &T,
    member: &Member,
    wanted: &[&str; N],
    found: &mut [Option<Cursor>; N],
) {
    let (start, end) = member.key;
    for (found, wanted) in found.iter_mut().zip(wanted) {
        // An escape is longer than what it stands for.
        let is_wanted = match (end - start).cmp(&wanted.len()) {
            Ordering::Less => false,
            Ordering::Equal => {
                is_equal(text.key(member), wanted.as_bytes())
                    && !text.has_escaped_key(member)
            }
            Ordering::Greater => {
                text.has_escaped_key(member)
                    && is_key(text.key(member), wanted)
            }
        };
        if is_wanted {
            *found = Some(member.value);
        }
    }
}

/// Returns the position of the byte at an offset of a text.
#[cfg(feature = "serde")]
pub(crate) fn position(home: Home<'_>, at: usize) -> Position {
    match home.get() {
        Either::First(text) => text.source.state.position.plus(text.base + at),
        // The offsets are not those of the stream.
        Either::Second(kept) => kept.position,
    }
}

/// An iterator over members, from [`TextValue::members`].
pub(crate) enum RawMembers<'a> {
    /// Members from the index.
    Noted(TextValue<'a>, std::slice::Iter<'a, Member>),
    /// Members that are found in the text.
    Found(TextValue<'a>),
}

impl RawMembers<'_> {
    /// Returns whether the iteration, which must be at its end, has ended at a
    /// fault.
    #[inline]
    pub(crate) fn is_broken(&self) -> bool {
        match self {
            RawMembers::Noted(..) => false,
            RawMembers::Found(rest) => rest.byte() != Some(b'}'),
        }
    }
}

impl<'a> Iterator for RawMembers<'a> {
    type Item = (&'a [u8], TextValue<'a>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (object, member) = match self {
            RawMembers::Noted(object, members) => (*object, *members.next()?),
            RawMembers::Found(rest) => {
                let mut cursor = rest.cursor();
                let member = rest.walk().next_member(&mut cursor);
                rest.set(cursor);
                let member = member?;
                (*rest, member)
            }
        };
        Some((object.key(&member), object.with(member.value)))
    }
}

impl fmt::Debug for TextValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextValue({})", self.at)
    }
}
