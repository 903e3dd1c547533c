/*!
Recognises data in texts: base64, and the values of JSON inside of a string.
*/

use std::ops::Range;

/// Keys whose values are data of images, and of other files.
pub(super) const IMAGES: [&str; 5] =
    ["b64_json", "base64", "blob", "data", "image"];

/// Returns whether a text is base64 of more than a few bytes. Long paths and
/// numbers are not: base64 has letters of both cases, and few signs.
pub(crate) fn is_blob(text: &str) -> bool {
    let bytes = text.trim_end_matches('=').as_bytes();
    let is_base64 = |b: &u8| b.is_ascii_alphanumeric() || is_sign(b);
    text.len() >= 64
        && bytes.iter().all(is_base64)
        && bytes.iter().filter(|b| is_sign(b)).count() <= text.len() / 8
        && bytes.iter().any(u8::is_ascii_uppercase)
}

fn is_sign(byte: &u8) -> bool {
    b"+/-_".contains(byte)
}

/// Returns where the text of a string is that is the value of a member whose
/// key ends before an offset. This is for JSON inside of a string.
pub(super) fn quoted_value(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let value = value.strip_prefix('"')?;
    let start = text.len() - value.len();
    let mut is_escaped = false;
    let length = value.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some(start..start + length)
}
