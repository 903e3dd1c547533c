/*!
The text of a block whose pieces are cleaned.
*/

use std::ops::Range;

use crate::{cleaner::Cleaner, unescape::to_escaped};

/// The most bytes of a secret without white space.
const LONGEST_SECRET: usize = 4 << 10;

/// Returns a line in which parts of its piece are replaced. If that makes it
/// too long, its text goes.
pub(super) fn replaced(
    line: &[u8],
    place: &Range<usize>,
    mut parts: Vec<(Range<usize>, String)>,
    cleaner: &mut Cleaner,
) -> Vec<u8> {
    let written = line.get(place.clone()).unwrap_or_default();
    let written = std::str::from_utf8(written).unwrap_or_default();
    let mut ranges: Vec<_> =
        parts.iter().map(|(range, _)| range.clone()).collect();
    to_escaped(written, &mut ranges);
    for ((part, _), range) in parts.iter_mut().zip(ranges) {
        *part = place.start + range.start..place.start + range.end;
    }
    let empty = [(place.clone(), String::new())];
    let line = match cleaner.splice(line, &parts) {
        Ok(line) => Ok(line),
        Err(_) => cleaner.splice(line, &empty),
    };
    line.unwrap_or_else(|_| b"{}".to_vec())
}

/// Returns where the end of a text begins in which a secret may begin whose
/// rest is missing: after white space, or at a private key.
pub(super) fn unsure(text: &str) -> usize {
    let tail = text.len().saturating_sub(LONGEST_SECRET);
    let before = text.as_bytes().get(..tail).unwrap_or_default();
    let space = before.iter().rposition(u8::is_ascii_whitespace);
    let end = space.map_or(0, |at| at + 1);
    let key = memchr::memmem::rfind(text.as_bytes(), b"-----BEGIN");
    let is_ended = |at: usize| {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        memchr::memmem::find(rest, b"-----END").is_some()
    };
    match key {
        Some(key) if !is_ended(key) => end.min(key),
        _ => end,
    }
}
