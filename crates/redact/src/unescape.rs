/*!
Strings as they are written, and as they are read.

JSON strings are unescaped here to be searched, and what is found is mapped back
to the escaped text. A string may hold JSON itself, whole or in part: so
unescaping is tolerant, and a backslash that begins no escape stays.
*/

use std::ops::Range;

/// Unescapes a text into `out`.
pub(crate) fn unescape(text: &str, out: &mut String) {
    out.clear();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = memchr::memchr(b'\\', rest.as_bytes());
        let plain = plain.unwrap_or(rest.len());
        out.push_str(rest.get(..plain).unwrap_or_default());
        at += plain;
        let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) else {
            break;
        };
        let (c, used) = escape(rest.as_bytes());
        out.push(c);
        at += used;
    }
}

/// Maps ranges of the unescaped text, in ascending order, to the text.
pub(crate) fn to_escaped(text: &str, ranges: &mut [Range<usize>]) {
    // The offset in the text, and the same place in the unescaped text.
    let (mut at, mut read) = (0, 0);
    let mut seek = |wanted: usize| {
        while read < wanted && at < text.len() {
            let rest = text.get(at..).unwrap_or_default().as_bytes();
            let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
            if plain > 0 {
                let step = plain.min(wanted - read);
                (at, read) = (at + step, read + step);
            } else {
                let (c, used) = escape(rest);
                (at, read) = (at + used, read + c.len_utf8());
            }
        }
        at
    };
    for range in ranges {
        let start = seek(range.start);
        *range = start..seek(range.end);
    }
}

/// Returns the character that an escape stands for, and its length. `text`
/// begins with a backslash.
fn escape(text: &[u8]) -> (char, usize) {
    let c = match text.get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'"') => '"',
        Some(b'/') => '/',
        Some(b'\\') => '\\',
        Some(b'u') => return long_escape(text).unwrap_or(('\\', 1)),
        _ => return ('\\', 1),
    };
    (c, 2)
}

fn long_escape(text: &[u8]) -> Option<(char, usize)> {
    let first = unit(text)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    // Half of a character, and perhaps the other half.
    let pair = text.get(6..).and_then(unit).and_then(|second| {
        let is_pair = first < 0xDC00 && (0xDC00..0xE000).contains(&second);
        let c = 0x1_0000 + ((first & 0x3FF) << 10 | second & 0x3FF);
        char::from_u32(c).filter(|_| is_pair)
    });
    Some(pair.map_or((char::REPLACEMENT_CHARACTER, 6), |c| (c, 12)))
}

/// Returns the four digits of `\uXXXX`.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |sum, digit| {
        Some(sum << 4 | char::from(*digit).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_mapped_to_whole_escapes() {
        let text = r#"a\n\u0062\ud83c\udf4eé\"\x\\"#;
        let mut out = String::new();
        unescape(text, &mut out);
        assert_eq!(out, "a\nb🍎é\"\\x\\");
        for (start, c) in out.char_indices() {
            let mut ranges = [start..start + c.len_utf8(), 0..0];
            to_escaped(text, &mut ranges[..1]);
            let mut back = String::new();
            unescape(&text[ranges[0].clone()], &mut back);
            assert_eq!(back, c.to_string());
        }
        let mut all = [0..2, 3..7];
        to_escaped(text, &mut all);
        assert_eq!(all, [0..3, 9..21]);
    }

    #[test]
    fn what_is_no_escape_stays() {
        let mut out = String::new();
        for text in [r"\", r"\u12", r"\uzzzz", r"\x", "\\é"] {
            unescape(text, &mut out);
            assert_eq!(out, text);
        }
        unescape(r"\ud800\u0061\udc00", &mut out);
        assert_eq!(out, "\u{FFFD}a\u{FFFD}");
    }
}
