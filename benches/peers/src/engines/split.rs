//! What most peers need before they can begin: lines.

use memchr::memchr_iter;

use crate::data::Data;

/// The lines, without their line feeds.
#[inline]
pub fn lines(data: &Data) -> impl Iterator<Item = &[u8]> {
    let bytes = data.bytes();
    let mut start = 0;
    memchr_iter(b'\n', bytes).map(move |end| {
        let line = &bytes[start..end];
        start = end + 1;
        line
    })
}

/// UTF-8 is checked here, once and quickly, for engines that do not look
/// into strings that they skip.
#[inline]
pub fn texts(data: &Data) -> impl Iterator<Item = Option<&str>> {
    lines(data).map(|line| simdutf8::basic::from_utf8(line).ok())
}
