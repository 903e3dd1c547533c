use std::{
    num::{NonZeroU32, NonZeroU64},
    ops::Range,
};

use crate::{
    json::{
        StatedKey,
        pass::{Checks, Policy},
    },
    scan::skip_line_whitespace,
};

/// The offsets of a line's type and subtype, without the quotes, and of its
/// message. The strings have no escapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) name: Option<Span>,
    pub(crate) subtype: Option<Span>,
    /// The object at the key `message`, if that key occurs once and there is no
    /// whitespace before the object.
    pub(crate) message: Option<Span>,
}

/// A range of a line, which does not end at its start. It is one word, so that
/// it is stored and loaded at once: a load of what was stored in parts stalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span(NonZeroU64);

impl Span {
    /// Returns `None` if `end` is 0 or over the limit of a line.
    #[inline(always)]
    pub(crate) fn new(start: usize, end: usize) -> Option<Span> {
        let (start, end) = (u32::try_from(start).ok()?, end.try_into().ok()?);
        let end = NonZeroU32::new(end)?;
        Some(Span(NonZeroU64::from(end) | u64::from(start) << 32))
    }

    #[inline(always)]
    pub(crate) fn range(self) -> Range<usize> {
        let both = self.0.get();
        (both >> 32) as usize..both as u32 as usize
    }
}

/// Finds the route of a line.
pub(crate) struct Routing<'t, 'r> {
    text: &'t [u8],
    route: &'r mut Route,
    /// Whether the key `message` has been seen.
    has_message: bool,
    /// The offset of the message, from its key until it is closed.
    message: Option<usize>,
}

impl<'t, 'r> Routing<'t, 'r> {
    #[inline(always)]
    pub(crate) fn new(text: &'t [u8], route: &'r mut Route) -> Self {
        *route = Route::default();
        Routing { text, route, has_message: false, message: None }
    }

    /// Stores the offset of the message, if the key that ends at `at` is
    /// `message`.
    #[inline(always)]
    fn note_message(&mut self, at: usize) -> Option<()> {
        const KEY: &[u8] = b"\"message\"";
        if self.text.get(at - KEY.len()..at)? == KEY {
            let is_object = self.text.get(at..at + 2) == Some(b":{");
            self.message = (is_object && !self.has_message).then_some(at + 1);
            self.route.message = None;
            self.has_message = true;
        }
        Some(())
    }
}

impl Policy for Routing<'_, '_> {
    const CHECKS: Checks = Checks::Outermost;

    #[inline(always)]
    fn keys(&mut self, start: usize, four: u64, seven: u64) -> Option<()> {
        let (text, Route { name, subtype, .. }) =
            (self.text, &mut *self.route);
        each_bit(four, |bit| note(text, start + bit, StatedKey::Type, name))?;
        each_bit(seven, |bit| {
            note(text, start + bit, StatedKey::Subtype, subtype)
        })?;
        each_bit(seven, |bit| self.note_message(start + bit + 1))
    }

    /// Stores the range of the message, if one of the brackets closes it.
    #[inline(always)]
    fn close_members(&mut self, start: usize, closing: u64) {
        let Some(message) = self.message else { return };
        let before = message.saturating_sub(start);
        let after =
            u32::try_from(before).ok().and_then(|n| closing.checked_shr(n));
        if let Some(after @ 1..) = after {
            let end = start + before + after.trailing_zeros() as usize + 1;
            self.route.message = Span::new(message, end);
            self.message = None;
        }
    }
}

/// Calls `check` with the index of each set bit, until it returns `None`.
#[inline(always)]
pub(crate) fn each_bit(
    mut bits: u64,
    mut check: impl FnMut(usize) -> Option<()>,
) -> Option<()> {
    while bits != 0 {
        check(bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
    }
    Some(())
}

/// Stores the range of the value of `key` in `found`, if the quote at `close`
/// is the end of that key. `None` if the value is off the fast path.
#[inline(always)]
fn note(
    text: &[u8],
    close: usize,
    key: StatedKey,
    found: &mut Option<Span>,
) -> Option<()> {
    let (after, key) = (close + 1, key.quoted());
    if text.get(after - key.len()..after)? != key {
        return Some(());
    }
    let quote = match text.get(after..after + 2)? {
        b":\"" => after + 1,
        _ => value_after(text, after),
    };
    let start = quote + 1;
    let rest = text.get(start..)?;
    // Types are short, and have no escapes, whitespace, `!` or control
    // characters.
    let length =
        rest.iter().take(64).position(|b| matches!(b, 0..=b'"' | b'\\'))?;
    if rest.get(length) != Some(&b'"') {
        return None;
    }
    let end = start + length;
    // The caller falls back, and reports a second type.
    if text.get(quote) != Some(&b'"') || found.is_some() {
        return None;
    }
    *found = Some(Span::new(start, end)?);
    Some(())
}

/// Returns the offset of the value whose key ends at `at`, if there is
/// whitespace around the colon. The grammar has been checked.
#[cold]
fn value_after(text: &[u8], at: usize) -> usize {
    let colon = skip_line_whitespace(text, at);
    skip_line_whitespace(text, colon + 1)
}
