/*!
A value in the text of a line, read on demand.

Each access parses the text again. A value that is not JSON reads as `None`, and
ends an iteration that reaches it. The line is then flagged as bad, and
`fault::explain` returns the diagnostic.
*/

use std::fmt;

#[cfg(feature = "serde")]
use crate::json::tokens::{Home, TextTokens};
use crate::{
    json::{
        Cursor, Member, Number, Source, Text, Value, equal::is_equal,
        walk::END,
    },
    scan::{is_key, part, scalar_end, unescape},
};

/// A value in the text of a line.
#[derive(Clone, Copy)]
pub(crate) struct TextValue<'a> {
    text: &'a Text<'a>,
    cursor: Cursor,
}

impl<'a> TextValue<'a> {
    /// Returns the outermost value of a line.
    pub(crate) fn top(text: &'a Text<'a>) -> TextValue<'a> {
        TextValue { text, cursor: text.top() }
    }

    /// Returns whether this is the outermost object: the first container.
    #[inline(always)]
    pub(crate) fn is_top(self) -> bool {
        self.cursor.container == 0 && self.text.is_whole
    }

    /// Returns the line, and the offset of the value in it.
    pub(crate) fn context(self) -> (Source<'a>, usize) {
        (self.text.source, self.text.base + self.cursor.at)
    }

    /// Returns the value and all after it, to be read in their order.
    #[cfg(feature = "serde")]
    pub(crate) fn tokens(self) -> TextTokens<'a> {
        let TextValue { text, cursor } = self;
        TextTokens::new(text.line, text.walk(), cursor, Home::Line(text))
    }

    /// Returns the text of the value. If it is not JSON, the text up to the
    /// next comma or closing bracket.
    pub(crate) fn raw(self) -> &'a str {
        let Text { line, .. } = *self.text;
        let start = self.cursor.at;
        let end = match self.text.walk().after(self.cursor) {
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

    #[inline]
    fn with(self, cursor: Cursor) -> TextValue<'a> {
        TextValue { cursor, ..self }
    }

    #[inline]
    fn byte(self) -> Option<u8> {
        self.text.line.as_bytes().get(self.cursor.at).copied()
    }

    #[inline]
    pub(crate) fn as_str(self) -> Option<&'a str> {
        let (start, end) = self.text.walk().string(self.cursor)?;
        let line = self.text.line;
        if self.text.needs_unescape(self.cursor.quote / 2) {
            let state = self.text.source.state;
            let (rest, arena) = (line.get(start..)?, state.arena());
            return unescape(state.scanner, rest, end - start, arena);
        }
        line.get(start..end)
    }

    /// Returns the text of the number or literal, if it is a valid one.
    fn scalar(self) -> Option<&'a str> {
        let start = self.cursor.at;
        let end = scalar_end(self.text.line.as_bytes(), start)?;
        self.text.line.get(start..end)
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
        self.with(self.text.walk().inside(self.cursor))
    }

    /// Returns the next item of an array, and moves past it.
    #[inline]
    pub(crate) fn next_value(&mut self) -> Option<TextValue<'a>> {
        let Some(item) = self.text.walk().next_item(&mut self.cursor) else {
            if self.cursor.at == END {
                self.text.source.note_fault();
            }
            return None;
        };
        Some(self.with(item))
    }

    /// Returns an iterator over the members of the object, with their keys
    /// still escaped. The members of the outermost object come from the index.
    #[inline]
    pub(crate) fn members(self) -> RawMembers<'a> {
        match self.noted_members() {
            Some(members) => RawMembers::Noted(self.text, members.iter()),
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
        let member = self.text.walk().next_member(&mut self.cursor);
        let Some(member) = member else {
            if self.byte() != Some(b'}') {
                self.text.source.note_fault();
            }
            return None;
        };
        let Some(key) = key.as_str().or_else(|| key.faulty_key()) else {
            // An invalid key ends the iteration.
            self.cursor.at = END;
            return None;
        };
        Some((key, self.with(member.value)))
    }

    /// Returns a key that cannot be unescaped, with U+FFFD for each lone
    /// surrogate.
    #[cold]
    fn faulty_key(self) -> Option<&'a str> {
        self.text.source.note_fault();
        Value::from_text(self).as_str_lossy()
    }

    /// Returns an upper bound for the number of values and keys from here to
    /// the end of the line. Each takes at least one byte and one separator.
    #[inline]
    pub(crate) fn most_nodes(self) -> usize {
        self.text.line.len().saturating_sub(self.cursor.at).div_ceil(2)
    }

    /// Returns the value of the member `type` of the outermost object.
    #[inline]
    pub(crate) fn stated_type(self) -> Option<TextValue<'a>> {
        match self.text.name() {
            Some(name) => Some(self.with(name)),
            // A checked line that does not begin with its type, or that has
            // none.
            None => self.find("type"),
        }
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
        let mut found = [None; N];
        if let Some(members) = self.noted_members() {
            for member in members {
                self.note(member, &wanted, &mut found);
            }
            return found;
        }
        let mut rest = self.inside();
        let walk = self.text.walk();
        while let Some(member) = walk.next_member(&mut rest.cursor) {
            self.note(&member, &wanted, &mut found);
        }
        // After a fault, a later member with the same key may be missing.
        if rest.byte() == Some(b'}') { found } else { [None; N] }
    }

    /// Puts the value of a member where its key is wanted.
    ///
    /// Few keys have escapes, and the lengths of two others usually differ.
    #[inline(always)]
    fn note<const N: usize>(
        self,
        member: &Member,
        wanted: &[&str; N],
        found: &mut [Option<TextValue<'a>>; N],
    ) {
        let is_escaped = self.text.has_escaped_key(member);
        let (start, end) = member.key;
        for (found, wanted) in found.iter_mut().zip(wanted) {
            if (is_escaped || end - start == wanted.len())
                && is_same(self.text.key(member), wanted, is_escaped)
            {
                *found = Some(self.with(member.value));
            }
        }
    }

    /// Returns the members from the index, if this is the outermost object.
    #[inline(always)]
    fn noted_members(self) -> Option<&'a [Member]> {
        if self.is_top() { self.text.top_members() } else { None }
    }
}

/// Returns whether a key in the text is `wanted`.
#[inline(always)]
fn is_same(key: &[u8], wanted: &str, is_escaped: bool) -> bool {
    match is_escaped {
        false => is_equal(key, wanted.as_bytes()),
        true => is_key(key, wanted),
    }
}

/// An iterator over members, from [`TextValue::members`].
pub(crate) enum RawMembers<'a> {
    /// Members from the index.
    Noted(&'a Text<'a>, std::slice::Iter<'a, Member>),
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
        let (text, member) = match self {
            RawMembers::Noted(text, members) => (*text, *members.next()?),
            RawMembers::Found(rest) => {
                let text = rest.text;
                (text, text.walk().next_member(&mut rest.cursor)?)
            }
        };
        let value = TextValue { text, cursor: member.value };
        Some((text.key(&member), value))
    }
}

impl fmt::Debug for TextValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextValue({})", self.cursor.at)
    }
}
