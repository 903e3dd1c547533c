/// Returns whether two texts of the same length are equal. Those of 4 to 32
/// bytes need no call of `memcmp`: their first and last bytes, which overlap,
/// are compared.
#[inline(always)]
pub(crate) fn is_equal(one: &[u8], other: &[u8]) -> bool {
    debug_assert_eq!(one.len(), other.len());
    match one.len() {
        4..8 => ends::<4>(one) == ends::<4>(other),
        8..=16 => ends::<8>(one) == ends::<8>(other),
        17..=32 => ends::<16>(one) == ends::<16>(other),
        _ => one == other,
    }
}

/// Returns the first and the last `N` bytes.
#[inline(always)]
fn ends<const N: usize>(text: &[u8]) -> Option<(&[u8; N], &[u8; N])> {
    text.first_chunk().zip(text.last_chunk())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_equal_in_every_byte() {
        for length in 0..70 {
            let text = vec![b'k'; length];
            assert!(is_equal(&text, &text.clone()), "{length}");
            for at in 0..length {
                let mut other = text.clone();
                other[at] = b'j';
                assert!(!is_equal(&text, &other), "{length} {at}");
            }
        }
    }
}
