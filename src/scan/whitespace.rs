/*!
Whitespace, with and without the line feed.

JSON allows four whitespace bytes between tokens. Three of them can occur in a
line; the fourth, LF, ends it. A `Line` from a reader never contains LF, but
bytes given to a [`Decoder`](crate::Decoder) may. So framing, and the check of
the bytes between records, use [`is_line_whitespace`]; the JSON grammar uses
[`is_whitespace`].
*/

/// Returns whether a byte is whitespace within a line: space, tab or CR.
#[inline(always)]
pub(crate) fn is_line_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Returns whether a byte is JSON whitespace: space, tab, CR or LF.
#[inline(always)]
pub(crate) fn is_whitespace(byte: u8) -> bool {
    is_line_whitespace(byte) || byte == b'\n'
}

/// Returns the offset of the first byte from `at` on that is not JSON
/// whitespace.
#[inline(always)]
pub(crate) fn skip_whitespace(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_whitespace(byte)) {
        at += 1;
    }
    at
}

/// Returns the offset of the first byte from `at` on that is not whitespace
/// within a line.
#[inline(always)]
pub(crate) fn skip_line_whitespace(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_line_whitespace(byte)) {
        at += 1;
    }
    at
}
