/// Odd numbers with many changes between 0 and 1, one for each lane.
const FACTORS: [u64; 4] = [
    0x9E37_79B9_7F4A_7C15,
    0xC2B2_AE3D_27D4_EB4F,
    0x1656_67B1_9E37_79F9,
    0x85EB_CA77_C2B2_AE63,
];

/// Returns a hash of several slices. It depends on where one slice ends and the
/// next begins. It is the same in every version and on every platform. It
/// detects damaged files, but does not protect against deliberate changes.
///
/// It reads four words at a time, since a state can have many megabytes.
pub(crate) fn digest(parts: &[&[u8]]) -> u64 {
    let mut hash = 0;
    for part in parts {
        let mut lanes = FACTORS;
        let (blocks, rest) = part.as_chunks::<32>();
        for block in blocks {
            let (words, _) = block.as_chunks::<8>();
            for ((lane, factor), word) in
                lanes.iter_mut().zip(FACTORS).zip(words)
            {
                *lane = mix(*lane, u64::from_le_bytes(*word), factor);
            }
        }
        for (byte, factor) in rest.iter().zip(FACTORS.iter().cycle()) {
            hash = mix(hash, u64::from(*byte), *factor);
        }
        for (lane, factor) in lanes.iter().zip(FACTORS) {
            hash = mix(hash, *lane, factor);
        }
        hash = mix(hash, part.len() as u64, FACTORS[0]);
    }
    hash
}

fn mix(hash: u64, word: u64, factor: u64) -> u64 {
    (hash ^ word).wrapping_mul(factor).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bit that is flipped, and bytes that are missing or swapped, give
    /// another digest.
    #[test]
    fn every_bit_counts() {
        let bytes: Vec<u8> = (0..100u8).collect();
        let whole = digest(&[&bytes]);
        for index in 0..bytes.len() * 8 {
            let mut other = bytes.clone();
            other[index / 8] ^= 1 << (index % 8);
            assert_ne!(digest(&[&other]), whole, "bit {index}");
        }
        for end in 0..bytes.len() {
            assert_ne!(digest(&[&bytes[..end]]), whole, "{end}");
            let parts = [&bytes[..end], &bytes[end..]];
            assert_ne!(digest(&parts), whole, "{end}");
        }
        let mut other = bytes.clone();
        other.swap(3, 35);
        assert_ne!(digest(&[&other]), whole);
    }

    /// Files of earlier versions stay readable.
    #[test]
    fn the_digest_stays_the_same() {
        let bytes: Vec<u8> = (0..100u8).collect();
        assert_eq!(digest(&[]), 0);
        let expected = 11_750_815_685_518_547_189;
        assert_eq!(digest(&[&bytes, b"state"]), expected);
    }
}
