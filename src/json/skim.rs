/*!
The kind of a line, read up to the answer.

The members of the outermost object are walked one by one, and their values
are passed over by quotes and brackets. The walk ends as soon as the answer is
known, and what comes after it is not read.
*/

use crate::{
    json::{
        Span, StatedKey,
        flat::Flat,
        skip::{after_value, key, token},
    },
    scan::{BLOCK, Job, Scanner, Simd, is_key, part, short_string},
};

/// The offsets of a line's type and subtype, without the quotes. The strings
/// may have escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Skimmed {
    pub(crate) name: Span,
    pub(crate) subtype: Option<Span>,
}

/// Finds the first `type` of the outermost object. If `has_subtype` returns
/// true for it, finds the first `subtype` too.
///
/// `None` if there is no `type`, if the type or the subtype is not a string,
/// or if there is a fault before the answer.
#[inline]
pub(crate) fn skim(
    scanner: Scanner,
    text: &[u8],
    has_subtype: impl Fn(&[u8]) -> bool,
) -> Option<Skimmed> {
    if let Some((start, end)) = leading_type(text)
        && !has_subtype(part(text, start..end))
    {
        return Some(Skimmed { name: Span::new(start, end)?, subtype: None });
    }
    scanner.run(Find { text, has_subtype })
}

/// The first bytes of most lines of a live stream.
pub(crate) const LEADING_TYPE: &[u8] = b"{\"type\":\"";

/// Returns the start and the end of the type, without its quotes, if a line
/// begins with it, as most lines of a live stream do. The type is short, and
/// has no escapes.
#[inline(always)]
pub(crate) fn leading_type(text: &[u8]) -> Option<(usize, usize)> {
    let length = short_string(text.strip_prefix(LEADING_TYPE)?)?;
    Some((LEADING_TYPE.len(), LEADING_TYPE.len() + length))
}

struct Find<'t, F> {
    text: &'t [u8],
    has_subtype: F,
}

impl<F: Fn(&[u8]) -> bool> Job for Find<'_, F> {
    type Output = Option<Skimmed>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<Skimmed> {
        let Find { text, has_subtype } = self;
        if let Some(skimmed) = skim_flat(simd, text, &has_subtype) {
            return Some(skimmed);
        }
        let (mut name, mut subtype) = (None, None);
        let open = token(text, 0);
        if *text.get(open)? != b'{' {
            return None;
        }
        let mut at = token(text, open + 1);
        if *text.get(at)? == b'}' {
            return None;
        }
        let mut reads_on = true;
        loop {
            let (end, value) = key(simd, text, at)?;
            // Only the first of each counts.
            let found = match stated(part(text, at + 1..end)) {
                Some(StatedKey::Type) if name.is_none() => Some(&mut name),
                Some(StatedKey::Subtype) if subtype.is_none() => {
                    Some(&mut subtype)
                }
                _ => None,
            };
            at = after_value(simd, text, value)?;
            if let Some(found) = found {
                if *text.get(value)? != b'"' {
                    return None;
                }
                *found = Some(Span::new(value + 1, at - 1)?);
                // A long type takes a long time to look up, so this is not
                // done for each member.
                if let Some(name) = name {
                    reads_on = has_subtype(part(text, Span::range(name)));
                }
            }
            if let Some(name) = name
                && (subtype.is_some() || !reads_on)
            {
                return Some(Skimmed { name, subtype });
            }
            at = token(text, at);
            match *text.get(at)? {
                b',' => at = token(text, at + 1),
                b'}' => {
                    let name = name?;
                    return Some(Skimmed { name, subtype });
                }
                _ => return None,
            }
        }
    }
}

/// Finds the kind of a short line that is [`Flat`]: on such a line, a full
/// check takes less time than to read member by member.
#[inline(always)]
fn skim_flat<S: Simd>(
    simd: S,
    text: &[u8],
    has_subtype: impl Fn(&[u8]) -> bool,
) -> Option<Skimmed> {
    if text.len() >= BLOCK {
        return None;
    }
    let flat = Flat::new(simd, text)?;
    let (start, end) = flat.find(StatedKey::Type).ok()??;
    let subtype = flat.find(StatedKey::Subtype).ok()?;
    // A subtype after a type that has none is not read on other lines.
    let subtype = subtype
        .filter(|&(at, _)| at < start || has_subtype(part(text, start..end)));
    let subtype = match subtype {
        Some((start, end)) => Some(Span::new(start, end)?),
        None => None,
    };
    Some(Skimmed { name: Span::new(start, end)?, subtype })
}

/// Returns which of the two keys a key with escapes is.
#[inline(always)]
fn stated(written: &[u8]) -> Option<StatedKey> {
    // The first byte rules out nearly all other keys.
    match written.first() {
        Some(b't' | b's' | b'\\') => {
            let keys = [StatedKey::Type, StatedKey::Subtype];
            keys.into_iter().find(|key| is_key(written, key.as_str()))
        }
        _ => None,
    }
}
