/*!
Walks the tokens of a line by its [index](crate::json::index).

A [`Cursor`] is the start of a token: its offset, and how many quotes and
containers of the index come before it. From there a string or a container is
skipped in O(1). Commas, colons and scalars are checked on the way; a fault ends
the walk.
*/

use crate::{
    json::{Container, Cursor, Member},
    scan::{part, scalar_end, skip_whitespace},
};

/// Sentinel for the offset of a cursor that has ended at a fault.
pub(crate) const END: usize = usize::MAX;

/// A text with an index.
pub(crate) trait Indexed {
    /// Returns the text with its index, to walk through it.
    fn walk(&self) -> Walk<'_>;

    /// Returns whether the string with this number contains an escape or a
    /// control character, so that it cannot be borrowed from the text.
    fn is_escaped(&self, string: usize) -> bool;

    /// Returns whether the key of a member does.
    #[inline(always)]
    fn has_escaped_key(&self, member: &Member) -> bool {
        // The string before the value.
        self.is_escaped((member.value.quote / 2).saturating_sub(1))
    }

    /// Returns the key of a member without its quotes, still escaped.
    #[inline(always)]
    fn key(&self, member: &Member) -> &[u8] {
        let (start, end) = member.key;
        part(self.walk().bytes, start..end)
    }
}

/// The text of a line, with its index.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'t> {
    pub(crate) bytes: &'t [u8],
    pub(crate) quotes: &'t [u32],
    pub(crate) containers: &'t [Container],
}

/// Returns the start of the outermost value of a line.
pub(crate) fn top(line: &[u8]) -> Cursor {
    Cursor { at: skip_whitespace(line, 0), quote: 0, container: 0 }
}

impl<'t> Walk<'t> {
    #[inline(always)]
    pub(crate) fn byte(self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the offset of the first token at or after `at`.
    #[inline(always)]
    fn token(self, at: usize) -> usize {
        match self.byte(at) {
            Some(b'!'..) => at,
            _ => self.skip_to_token(at),
        }
    }

    #[inline(never)]
    fn skip_to_token(self, at: usize) -> usize {
        skip_whitespace(self.bytes, at)
    }

    /// Returns the start and the end of the string at `cursor`, without its
    /// quotes.
    #[inline(always)]
    pub(crate) fn string(self, cursor: Cursor) -> Option<(usize, usize)> {
        let quote = cursor.quote;
        match self.quotes.get(quote..quote + 2)? {
            [start, end] if *start as usize == cursor.at => {
                Some((cursor.at + 1, *end as usize))
            }
            _ => None,
        }
    }

    /// Returns the token after the opening bracket at `cursor`: a key, an
    /// item, or the closing bracket.
    #[inline(always)]
    pub(crate) fn inside(self, cursor: Cursor) -> Cursor {
        let at = self.token(cursor.at.saturating_add(1));
        Cursor { at, container: cursor.container + 1, ..cursor }
    }

    /// Returns the position after the value at `cursor`.
    #[inline(always)]
    pub(crate) fn after(self, cursor: Cursor) -> Option<Cursor> {
        match self.byte(cursor.at)? {
            b'"' => {
                let (_, end) = self.string(cursor)?;
                Some(Cursor { at: end + 1, quote: cursor.quote + 2, ..cursor })
            }
            b'{' | b'[' => {
                let container = self.containers.get(cursor.container)?;
                debug_assert_eq!(container.open as usize, cursor.at);
                Some(Cursor {
                    at: container.close as usize + 1,
                    quote: container.quotes as usize,
                    container: container.containers as usize,
                })
            }
            _ => {
                let end = scalar_end(self.bytes, cursor.at)?;
                Some(Cursor { at: end, ..cursor })
            }
        }
    }

    /// Returns the token that follows the value at `cursor`: the one after a
    /// comma, or the closing bracket `close`.
    #[inline(always)]
    fn next(self, cursor: Cursor, close: u8) -> Option<Cursor> {
        let mut next = self.after(cursor)?;
        let mut byte = self.byte(next.at)?;
        if byte <= b' ' {
            next.at = self.skip_to_token(next.at);
            byte = self.byte(next.at)?;
        }
        if byte != b',' {
            return (byte == close).then_some(next);
        }
        next.at += 1;
        byte = self.byte(next.at)?;
        if byte <= b' ' {
            next.at = self.skip_to_token(next.at);
            byte = self.byte(next.at)?;
        }
        (byte != close).then_some(next)
    }

    /// Returns the next item of an array, and moves `rest` past it.
    #[inline(always)]
    pub(crate) fn next_item(self, rest: &mut Cursor) -> Option<Cursor> {
        if self.byte(rest.at)? == b']' {
            return None;
        }
        let item = *rest;
        match self.next(item, b']') {
            Some(next) => *rest = next,
            None => {
                rest.at = END;
                return None;
            }
        }
        Some(item)
    }

    /// Returns the next member of an object, and moves `rest` past it.
    ///
    /// In JSON without whitespace, the branches for whitespace here and in
    /// `next` are never taken.
    #[inline(always)]
    pub(crate) fn next_member(self, rest: &mut Cursor) -> Option<Member> {
        let key = self.string(*rest)?;
        let mut value =
            Cursor { at: key.1 + 2, quote: rest.quote + 2, ..*rest };
        rest.at = END;
        if self.byte(key.1 + 1)? != b':' {
            let colon = self.token(key.1 + 1);
            if self.byte(colon)? != b':' {
                return None;
            }
            value.at = colon + 1;
        }
        if self.byte(value.at)? <= b' ' {
            value.at = self.token(value.at);
        }
        *rest = self.next(value, b'}')?;
        Some(Member { key, value })
    }
}
