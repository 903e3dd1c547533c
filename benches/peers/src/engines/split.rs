//! Splitting into lines, which most peers need first.

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

/// Checks UTF-8, for engines that do not check strings that they skip.
#[inline]
pub fn texts(data: &Data) -> impl Iterator<Item = Option<&str>> {
    lines(data).map(|line| simdutf8::basic::from_utf8(line).ok())
}
