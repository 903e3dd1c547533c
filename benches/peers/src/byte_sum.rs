//! The sum of all bytes of a string. Every engine calls this, so it should
//! take little time relative to the measured work, even for short strings.

#[inline]
pub fn byte_sum(bytes: &[u8]) -> u64 {
    let (long, short) = bytes.split_at(bytes.len() & !255);
    let long = if long.is_empty() { 0 } else { sum_long(long) };
    long + sum_short(short)
}

/// At most 256 bytes, in words of 8.
#[inline]
fn sum_short(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut lanes = 0;
    for word in words {
        lanes += pairs(u64::from_le_bytes(*word));
    }
    // The rest is read as part of the last 8 bytes, or of the last 4.
    let shift = 8 * (8 - rest.len() as u32);
    if let Some(last) = bytes.last_chunk::<8>() {
        let last = u64::from_le_bytes(*last);
        lanes += pairs(last.checked_shr(shift).unwrap_or(0));
    } else if let (Some(first), Some(last)) =
        (bytes.first_chunk::<4>(), bytes.last_chunk::<4>())
    {
        let first = u64::from(u32::from_le_bytes(*first));
        let last = u64::from(u32::from_le_bytes(*last));
        lanes += pairs(first) + pairs(last >> shift);
    } else {
        lanes += rest.iter().map(|byte| u64::from(*byte)).sum::<u64>();
    }
    // The sum of all four lanes is in the highest one.
    lanes.wrapping_mul(0x0001_0001_0001_0001) >> 48
}

/// Four lanes of 16 bits, each the sum of two bytes.
#[inline]
fn pairs(word: u64) -> u64 {
    const BYTES: u64 = 0x00FF_00FF_00FF_00FF;
    (word & BYTES) + (word >> 8 & BYTES)
}

/// Processes a multiple of 16 bytes, in a form that compiles to vector
/// instructions.
fn sum_long(bytes: &[u8]) -> u64 {
    let mut sum = 0;
    // A lane of 16 bits cannot overflow with up to 257 bytes.
    for chunks in bytes.as_chunks::<16>().0.chunks(257) {
        let mut lanes = [0_u16; 16];
        for chunk in chunks {
            for (lane, byte) in lanes.iter_mut().zip(chunk) {
                *lane += u16::from(*byte);
            }
        }
        sum += lanes.iter().map(|lane| u64::from(*lane)).sum::<u64>();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::byte_sum;

    #[test]
    fn every_length_adds_up() {
        let bytes: Vec<u8> = (0..9_000).map(|n| (n * 7 % 256) as u8).collect();
        for length in (0..600).chain([4_095, 4_112, 4_113, 8_999]) {
            for bytes in [&bytes[1..][..length], &vec![255; length]] {
                let sum: u64 = bytes.iter().map(|byte| u64::from(*byte)).sum();
                assert_eq!(byte_sum(bytes), sum, "{length}");
            }
        }
    }
}
