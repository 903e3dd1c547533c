/// Returns `bytes` as a string, or `None` if they are not UTF-8.
///
/// Names of types and most numbers have up to 16 bytes, and are ASCII. For
/// these, two loads replace the loop over the bytes.
#[inline]
pub(crate) fn as_utf8(bytes: &[u8]) -> Option<&str> {
    match has_high(bytes) {
        Some(false) => {
            debug_assert!(bytes.is_ascii());
            // SAFETY: no byte has its highest bit set, so all are ASCII, and
            // ASCII is UTF-8.
            Some(unsafe { std::str::from_utf8_unchecked(bytes) })
        }
        _ => simdutf8::basic::from_utf8(bytes).ok(),
    }
}

/// Returns whether a byte of 1 to 16 has its highest bit set. `None` for any
/// other number of bytes.
#[inline]
fn has_high(bytes: &[u8]) -> Option<bool> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The two chunks may overlap, and cover all bytes.
    let both = match bytes.len() {
        1 => u64::from(*bytes.first()?),
        2..4 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            u64::from(u16::from_ne_bytes(*first) | u16::from_ne_bytes(*last))
        }
        4..8 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            u64::from(u32::from_ne_bytes(*first) | u32::from_ne_bytes(*last))
        }
        8..=16 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last)
        }
        _ => return None,
    };
    Some(both & HIGH != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_string_is_that_of_the_standard_library() {
        for length in 0..80 {
            let plain = vec![b'x'; length];
            assert_eq!(as_utf8(&plain), std::str::from_utf8(&plain).ok());
            for at in 0..length {
                for byte in 0..=255 {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    let expected = std::str::from_utf8(&bytes).ok();
                    assert_eq!(as_utf8(&bytes), expected, "{bytes:?}");
                }
            }
            // A character of two bytes at every offset.
            for at in 1..length {
                let mut bytes = plain.clone();
                bytes[at - 1..=at].copy_from_slice("é".as_bytes());
                let expected = std::str::from_utf8(&bytes).ok();
                assert_eq!(as_utf8(&bytes), expected, "{bytes:?}");
                assert!(expected.is_some());
            }
        }
    }
}
