/*!
A value in the text of a line that has no index.

Numbers, literals and strings are read from the text. A container that is
returned gets an index of its own text, and of nothing else.
*/

use crate::{
    json::{Number, Source, TextValue},
    scan::{as_utf8, part, unescape},
};

/// A value that a walk without an index has found.
#[derive(Clone, Copy)]
pub(crate) struct RawValue<'a> {
    source: &'a Source<'a>,
    start: u32,
    end: u32,
}

impl<'a> RawValue<'a> {
    /// Creates the value from `start` to `end`, with the quotes or brackets.
    /// `None` if an offset does not fit.
    #[inline(always)]
    pub(crate) fn new(
        source: &'a Source<'a>,
        start: usize,
        end: usize,
    ) -> Option<RawValue<'a>> {
        let (start, end) = (start.try_into().ok()?, end.try_into().ok()?);
        Some(RawValue { source, start, end })
    }

    pub(crate) fn source(self) -> Source<'a> {
        *self.source
    }

    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    pub(crate) fn end(self) -> usize {
        self.end as usize
    }

    #[inline]
    pub(crate) fn first(self) -> u8 {
        self.source.bytes.get(self.start()).copied().unwrap_or(0)
    }

    /// Returns the bytes of the value.
    pub(crate) fn bytes(self) -> &'a [u8] {
        part(self.source.bytes, self.start()..self.end())
    }

    /// Returns the text of the value. `None` if it is not UTF-8.
    pub(crate) fn raw(self) -> Option<&'a str> {
        as_utf8(self.source.bytes.get(self.start()..self.end())?)
    }

    /// Returns the unescaped string.
    #[inline]
    pub(crate) fn as_str(self) -> Option<&'a str> {
        if self.first() != b'"' {
            return None;
        }
        let end = self.end().checked_sub(1)?;
        let text = as_utf8(self.source.bytes.get(self.start() + 1..end)?)?;
        let is_plain = |plain: bool, byte| plain & is_plain(byte);
        if text.bytes().fold(true, is_plain) {
            return Some(text);
        }
        let state = self.source.state;
        unescape(state.scanner, text, text.len(), state.arena())
    }

    pub(crate) fn is_null(self) -> bool {
        self.raw() == Some("null")
    }

    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.raw()? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn as_number(self) -> Option<Number> {
        match self.first() {
            b'-' | b'0'..=b'9' => Number::parse(self.raw()?),
            _ => None,
        }
    }

    /// Returns the value with an index, if it is a container. `None` if it is
    /// not balanced, or not UTF-8.
    pub(crate) fn enter(self) -> Option<TextValue<'a>> {
        if !matches!(self.first(), b'{' | b'[') {
            return None;
        }
        self.indexed()
    }

    /// Returns any value with an index.
    pub(crate) fn indexed(self) -> Option<TextValue<'a>> {
        let text = self.source.enter(self.start(), self.end())?;
        Some(TextValue::top(text))
    }
}

/// Returns whether a byte of a string stands for itself.
#[inline(always)]
fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'\\'
}
