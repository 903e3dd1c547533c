/*!
Whitespace, with and without the byte that ends a line.

JSON allows four bytes between tokens. Three of them can be in a line; the
fourth ends it. A `Line` from a reader never holds that one, but bytes that are
given to a [`Decoder`](crate::Decoder) may. So what frames lines, or judges what
is between records, asks [`is_line_whitespace`], and what follows the grammar
asks [`is_whitespace`].
*/

/// Whether a byte is whitespace inside of a line: space, tab or CR.
#[inline(always)]
pub(crate) fn is_line_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Whether JSON allows a byte between any two tokens: inside of a line, or
/// LF.
#[inline(always)]
pub(crate) fn is_whitespace(byte: u8) -> bool {
    is_line_whitespace(byte) || byte == b'\n'
}

/// The first place from `at` on that is not whitespace.
#[inline(always)]
pub(crate) fn skip_whitespace(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_whitespace(byte)) {
        at += 1;
    }
    at
}

/// The same, inside of a line.
#[inline(always)]
pub(crate) fn skip_line_whitespace(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_line_whitespace(byte)) {
        at += 1;
    }
    at
}
