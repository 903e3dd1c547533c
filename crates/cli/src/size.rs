//! Sizes on the command line.

/// Parses a size such as `64K`, in bytes, KiB, MiB or GiB.
pub fn size(text: &str) -> Result<u64, &'static str> {
    let (number, shift) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number = number.parse::<u64>().ok();
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or("expected a size such as 1000, 64K, 16M or 1G")
}
