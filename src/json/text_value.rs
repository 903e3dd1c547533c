/*!
A value in the text of a line, read on demand.

Everything that is asked of a value is read from the text. A value that is not
JSON reads as `None`, and ends the iteration that meets it; the line is then
known to be bad, and `fault` can explain why.
*/

use std::fmt;

use crate::{
    json::{Cursor, Member, Number, Text, walk::END},
    scan::{is_key, scalar_end, unescape},
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

    /// The line, and where in it this is.
    pub(crate) fn context(self) -> (&'a Text<'a>, usize) {
        (self.text, self.cursor.at)
    }

    /// The text of the value that begins here. What is not JSON goes on to
    /// the next comma or closing bracket.
    pub(crate) fn raw(self) -> &'a str {
        let Text { line, .. } = *self.text;
        let start = self.cursor.at;
        let end = match self.text.walk().after(self.cursor) {
            Some(after) => after.at,
            None => {
                let rest = line.as_bytes().get(start..).unwrap_or_default();
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}');
                start + rest.iter().position(ends).unwrap_or(rest.len())
            }
        };
        line.get(start..end).unwrap_or_default()
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
        let Text { line, scanner, .. } = *self.text;
        if self.text.needs_unescape(self.cursor.quote / 2) {
            let arena = self.text.arena();
            return unescape(scanner, line.get(start..)?, end - start, arena);
        }
        line.get(start..end)
    }

    /// The number or word that stands here, if it is a good one.
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

    /// What is in the container here.
    #[inline]
    pub(crate) fn inside(self) -> TextValue<'a> {
        self.with(self.text.walk().inside(self.cursor))
    }

    /// Takes the next item of an array off.
    #[inline]
    pub(crate) fn next_value(&mut self) -> Option<TextValue<'a>> {
        let Some(item) = self.text.walk().next_item(&mut self.cursor) else {
            if self.cursor.at == END {
                self.text.note_fault();
            }
            return None;
        };
        Some(self.with(item))
    }

    /// The members of the object here: their keys as they are written, and
    /// their values. Those of the outermost object have been noted.
    #[inline]
    pub(crate) fn members(self) -> RawMembers<'a> {
        match self.cursor.container {
            0 => RawMembers::Noted(self.text, self.text.top_members().iter()),
            _ => RawMembers::Found(self.inside()),
        }
    }

    /// Takes the next member of an object off.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Option<(&'a str, TextValue<'a>)> {
        let key = *self;
        let member = self.text.walk().next_member(&mut self.cursor);
        let Some(member) = member else {
            if self.byte() != Some(b'}') {
                self.text.note_fault();
            }
            return None;
        };
        let Some(key) = key.as_str() else {
            // A bad key ends the members for good.
            self.cursor.at = END;
            self.text.note_fault();
            return None;
        };
        Some((key, self.with(member.value)))
    }

    /// An upper bound for the number of values and keys from here to the end
    /// of the line. Each takes a byte, and one parts it from the next.
    #[inline]
    pub(crate) fn most_nodes(self) -> usize {
        self.text.line.len().saturating_sub(self.cursor.at).div_ceil(2)
    }

    /// The last member of the object here whose key means `wanted`.
    ///
    /// Not inlined, like what reads numbers: a conversion to an owned message
    /// calls itself for every level, with some dozens of these, and would
    /// take too much stack.
    #[inline(never)]
    pub(crate) fn find(self, wanted: &str) -> Option<TextValue<'a>> {
        let [found] = self.find_all([wanted]);
        found
    }

    /// The same for several keys, in one pass.
    #[inline(always)]
    pub(crate) fn find_all<const N: usize>(
        self,
        wanted: [&str; N],
    ) -> [Option<TextValue<'a>>; N] {
        let mut found = [None; N];
        let mut members = self.members();
        for (key, value) in members.by_ref() {
            for (found, wanted) in found.iter_mut().zip(wanted) {
                if is_key(key, wanted) {
                    *found = Some(value);
                }
            }
        }
        // Behind a fault there might have been a later one.
        if members.is_broken() { [None; N] } else { found }
    }
}

/// See [`TextValue::members`].
pub(crate) enum RawMembers<'a> {
    Noted(&'a Text<'a>, std::slice::Iter<'a, Member>),
    Found(TextValue<'a>),
}

impl RawMembers<'_> {
    /// Whether the members, which have all been taken, end at a fault.
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
