/*!
Passing over strings, containers and other values, without an index.

Each function begins at an offset, reads blocks of 64 bytes from there, and
stops at the end of the value. Nothing is checked but what is needed to find
that end: quotes, backslashes and brackets.
*/

use crate::scan::{
    BLOCK, Simd, Strings, is_whitespace, scalar_end, skip_whitespace,
};

/// Returns the block at `at`, padded with spaces. `None` at the end.
#[inline(always)]
fn block<S: Simd>(simd: S, text: &[u8], at: usize) -> Option<S::Block> {
    let rest = text.get(at..)?;
    match rest.first_chunk::<BLOCK>() {
        Some(bytes) => Some(simd.load(bytes)),
        None if rest.is_empty() => None,
        None => Some(simd.load_part(rest)),
    }
}

/// Returns the offset of the closing quote of a string. `at` is the offset
/// after the opening quote.
#[inline(always)]
pub(crate) fn closing_quote<S: Simd>(
    simd: S,
    text: &[u8],
    mut at: usize,
) -> Option<usize> {
    let mut strings = Strings::default();
    loop {
        let block = block(simd, text, at)?;
        let backslashes = simd.equal(block, b'\\');
        let quotes = simd.equal(block, b'"');
        // Most strings are short and have no escapes. If there is no
        // backslash before the first quote, that quote ends the string.
        let until = quotes ^ quotes.wrapping_sub(1);
        let is_plain = backslashes & until == 0 && !strings.is_escaped();
        let quotes = match is_plain {
            true => quotes,
            false => quotes & !strings.escaped(backslashes),
        };
        if quotes != 0 {
            return Some(at + quotes.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
}

/// Returns the offset after the bracket that closes a container, which is open
/// at the offset `at`.
///
/// Brackets are counted, whichever kind they are.
#[inline(always)]
fn after_container<S: Simd>(
    simd: S,
    text: &[u8],
    mut at: usize,
) -> Option<usize> {
    let (mut strings, mut depth) = (Strings::default(), 1);
    loop {
        let block = block(simd, text, at)?;
        let masks = strings.step(simd, block);
        let (opening, closing) = simd.brackets(block);
        let mut closing = closing & !masks.inside;
        let opening = opening & !masks.inside;
        let closes = closing.count_ones() as usize;
        // A backslash outside of a string makes the masks after it wrong.
        let outside = masks.backslashes & !masks.inside;
        // Most blocks cannot contain the end.
        if closes < depth {
            if outside != 0 {
                return None;
            }
            depth += opening.count_ones() as usize;
            depth -= closes;
            at += BLOCK;
            continue;
        }
        let mut closed = 0;
        while closing != 0 {
            let bit = closing & closing.wrapping_neg();
            closing ^= bit;
            closed += 1;
            let before = (opening & (bit - 1)).count_ones() as usize;
            if depth + before == closed {
                if outside & (bit - 1) != 0 {
                    return None;
                }
                return Some(at + bit.trailing_zeros() as usize + 1);
            }
        }
        if outside != 0 {
            return None;
        }
        depth = depth + opening.count_ones() as usize - closes;
        at += BLOCK;
    }
}

/// Returns the offset after the value at `at`. `None` if it does not end, or
/// if it is neither a string or container nor a valid number or literal that
/// ends there: `12x` is no number.
#[inline(always)]
pub(crate) fn after_value<S: Simd>(
    simd: S,
    text: &[u8],
    at: usize,
) -> Option<usize> {
    match *text.get(at)? {
        b'"' => Some(closing_quote(simd, text, at + 1)? + 1),
        b'{' | b'[' => after_container(simd, text, at + 1),
        _ => {
            let end = scalar_end(text, at)?;
            let next = *text.get(end)?;
            let is_end = matches!(next, b',' | b'}' | b']');
            (is_end || is_whitespace(next)).then_some(end)
        }
    }
}

/// Returns the offset of the first token at or after `at`.
#[inline(always)]
pub(crate) fn token(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b'!'..) => at,
        _ => skip_whitespace(text, at),
    }
}
