/*!
The kind of a line, read up to the answer.

The line is read in blocks of 64 bytes, as bit masks of its strings and brackets.
Most blocks are in a nested value, and change nothing but the depth. In the
outermost object, a string that is followed by a colon is a key. Only strings
that end in `e`, or that have escapes, can be one of the two keys. No others are
compared:

```text
{"uuid":"u1","message":{"content":[ ... ]},"type":"assistant","cwd": ...
              └ ends in `e`                 └ the key         └ not read
```

The grammar is not checked.
*/

use crate::{
    json::{
        Span, StatedKey,
        skip::{closing_quote, token},
    },
    scan::{
        Blocks, Brackets, Job, Scanner, Simd, Strings, is_key, part,
        short_string,
    },
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
/// or if a string or bracket is not closed before the answer.
#[inline]
pub(crate) fn skim(
    scanner: Scanner,
    text: &[u8],
    has_subtype: impl Fn(&[u8]) -> bool,
) -> Option<Skimmed> {
    let leading = match leading_type(text) {
        Some((start, end)) => Some(Span::new(start, end)?),
        None => None,
    };
    if let Some(name) = leading
        && !has_subtype(part(text, name.range()))
    {
        return Some(Skimmed { name, subtype: None });
    }
    scanner.run(Find { text, leading, has_subtype })
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
    /// The type, if the line begins with it. It can have a subtype.
    leading: Option<Span>,
    has_subtype: F,
}

impl<F: Fn(&[u8]) -> bool> Job for Find<'_, F> {
    type Output = Option<Skimmed>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<Skimmed> {
        let Find { text, leading, has_subtype } = self;
        if let Some(name) = leading
            // Other lines have been cut off, or end in whitespace. They are read
            // member by member, so that most torn lines are errors.
            && text.ends_with(b"}")
            && lacks_subtype(simd, part(text, name.range().end..))
        {
            return Some(Skimmed { name, subtype: None });
        }
        let open = token(text, 0);
        if *text.get(open)? != b'{' {
            return None;
        }
        let (mut name, mut subtype) = (None, None);
        let mut blocks = Blocks::starting_at(text, open + 1);
        let mut strings = Strings::default();
        let mut depth = 1;
        // The offset of the last opening quote before the block.
        let mut last_quote = open;
        loop {
            let (start, block) = blocks.next(simd)?;
            let masks = strings.step(simd, block);
            // A backslash outside of a string makes the masks after it wrong.
            if masks.backslashes & !masks.inside != 0 {
                return None;
            }
            let (opening, closing) = simd.brackets(block);
            let brackets = Brackets {
                opening: opening & !masks.inside,
                closing: closing & !masks.inside,
            };
            let closes = brackets.closing.count_ones() as usize;
            if closes + 1 < depth {
                // The block is nested from start to end.
                depth += brackets.opening.count_ones() as usize;
                depth -= closes;
                continue;
            }
            let outermost = follow(brackets, &mut depth);
            let marks = masks.backslashes & outermost;
            let escaped = strings.ends_with(marks, masks.inside);
            // The byte before the block may be an `e`, too.
            let after_e = simd.equal(block, b'e') << 1 | 1;
            let quotes = masks.quotes & outermost;
            let opening = quotes & masks.inside;
            let mut ends = quotes & !masks.inside & (after_e | escaped);
            while ends != 0 {
                let bit = ends & ends.wrapping_neg();
                ends ^= bit;
                let end = start + bit.trailing_zeros() as usize;
                let key = if escaped & bit == 0 {
                    plain_key(part(text, ..end))
                } else {
                    let quote = match opening & (bit - 1) {
                        0 => last_quote,
                        before => start + before.ilog2() as usize,
                    };
                    escaped_key(part(text, quote + 1..end))
                };
                let Some(key) = key else { continue };
                let colon = token(text, end + 1);
                if *text.get(colon)? != b':' {
                    continue;
                }
                // Only the first of each counts.
                let found = match key {
                    StatedKey::Type => &mut name,
                    StatedKey::Subtype => &mut subtype,
                };
                if found.is_none() {
                    *found = Some(string(simd, text, token(text, colon + 1))?);
                    if let Some(name) = name
                        && (subtype.is_some()
                            || !has_subtype(part(text, Span::range(name))))
                    {
                        return Some(Skimmed { name, subtype });
                    }
                }
            }
            if depth == 0 {
                return Some(Skimmed { name: name?, subtype });
            }
            if opening != 0 {
                last_quote = start + opening.ilog2() as usize;
            }
        }
    }
}

/// Returns whether a text certainly lacks the key `subtype`. The key contains
/// `bt`, or `\u` if it is written with escapes. Both are rare in other texts, so
/// this search is faster than reading the members.
#[inline(always)]
fn lacks_subtype<S: Simd>(simd: S, text: &[u8]) -> bool {
    let mut blocks = Blocks::new(text);
    // Whether the last byte of the block before is `b` or a backslash: 0 or 1.
    let (mut b, mut backslash) = (0, 0);
    while let Some((_, block)) = blocks.next(simd) {
        let bs = simd.equal(block, b'b');
        let backslashes = simd.equal(block, b'\\');
        let bt = (bs << 1 | b) & simd.equal(block, b't');
        let escapes = (backslashes << 1 | backslash) & simd.equal(block, b'u');
        if bt | escapes != 0 {
            return false;
        }
        (b, backslash) = (bs >> 63, backslashes >> 63);
    }
    true
}

/// Follows the brackets of a block, and returns the mask of its bytes that
/// belong to the outermost object itself. The depth becomes 0 if the object is
/// closed.
#[inline(always)]
fn follow(brackets: Brackets, depth: &mut usize) -> u64 {
    let mut outermost = if *depth == 1 { !0 } else { 0 };
    let mut left = brackets.opening | brackets.closing;
    while left != 0 {
        let bit = left & left.wrapping_neg();
        left ^= bit;
        if brackets.opening & bit != 0 {
            *depth += 1;
            if *depth == 2 {
                outermost &= bit - 1;
            }
        } else {
            *depth -= 1;
            match *depth {
                1 => outermost |= !(bit | (bit - 1)),
                0 => return outermost & (bit - 1),
                _ => {}
            }
        }
    }
    outermost
}

/// Returns which of the two keys a text ends with. The last string of the text
/// has no escapes, so a quote in front of the key begins that string.
#[inline(always)]
fn plain_key(text: &[u8]) -> Option<StatedKey> {
    match text.strip_suffix(b"type")? {
        [.., b'"'] => Some(StatedKey::Type),
        [.., b'"', b's', b'u', b'b'] => Some(StatedKey::Subtype),
        _ => None,
    }
}

/// Returns which of the two keys a key with escapes is.
#[cold]
fn escaped_key(written: &[u8]) -> Option<StatedKey> {
    let keys = [StatedKey::Type, StatedKey::Subtype];
    keys.into_iter().find(|key| is_key(written, key.as_str()))
}

/// Returns the string at `at`, without its quotes.
#[inline(always)]
fn string<S: Simd>(simd: S, text: &[u8], at: usize) -> Option<Span> {
    if *text.get(at)? != b'"' {
        return None;
    }
    let start = at + 1;
    let end = match short_string(part(text, start..)) {
        Some(length) => start + length,
        None => closing_quote(simd, text, start)?,
    };
    Span::new(start, end)
}
