use crate::scan::is_whitespace;

/// A number with at most this many characters and without an exponent is
/// finite as an `f64`.
const LONG_NUMBER: usize = 300;

/// Returns the end of the number or literal that starts at `at`, if it is
/// valid. The byte after it is not checked.
#[inline(always)]
pub(crate) fn scalar_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if let Some(word) = rest.first_chunk() {
        // Compare the four bytes of a literal at once.
        match word {
            b"true" | b"null" => return Some(at + 4),
            b"fals" if rest.get(4) == Some(&b'e') => return Some(at + 5),
            _ => {}
        }
    }
    match rest.first()? {
        b'1'..=b'9' => {
            // Most numbers are small integers.
            let len = rest.first_chunk().map_or(0, |few| digit_count(*few));
            match rest.get(len) {
                Some(b',' | b'}' | b']') => Some(at + len),
                _ => Some(at + number_len(rest)?),
            }
        }
        b'0' if matches!(rest.get(1), Some(b',' | b'}' | b']')) => {
            Some(at + 1)
        }
        b'-' | b'0' => Some(at + number_len(rest)?),
        _ => None,
    }
}

const EACH: u64 = 0x0101_0101_0101_0101;

/// Returns the number of leading digits. Since the count is hard to predict,
/// there is no loop.
#[inline(always)]
fn digit_count(bytes: [u8; 8]) -> usize {
    let bytes = u64::from_le_bytes(bytes);
    // XOR turns a digit into its value. Any other byte becomes more than 9:
    // adding 118 then sets its highest bit, unless that is set already.
    // Carries do no harm: they only affect bytes after the first one that is
    // not a digit.
    let values = bytes ^ (EACH * u64::from(b'0'));
    let others = (values.wrapping_add(EACH * 118) | values) & EACH << 7;
    others.trailing_zeros() as usize / 8
}

/// Returns the valid number that `text` begins with and its length, if it is an
/// integer of at most eight digits, and punctuation follows.
#[cfg(feature = "serde")]
#[inline(always)]
pub(crate) fn short_integer(text: &[u8]) -> Option<(u64, usize)> {
    let bytes = *text.first_chunk()?;
    let count = digit_count(bytes);
    if count == 0 || !matches!(text.get(count), Some(b',' | b'}' | b']')) {
        return None;
    }
    // The first byte is the highest digit: shifted to the end, the bytes before
    // it become zeros. Then pairs are added up, and pairs of pairs.
    let digits = u64::from_le_bytes(bytes) << (64 - 8 * count);
    let tens = (digits & (0x0F * EACH)).wrapping_mul(10 << 8 | 1) >> 8;
    let pairs = tens & 0x00FF_00FF_00FF_00FF;
    let pairs = pairs.wrapping_mul(100 << 16 | 1) >> 16;
    let fours = pairs & 0x0000_FFFF_0000_FFFF;
    Some((fours.wrapping_mul(10_000 << 32 | 1) >> 32, count))
}

/// Checks that a valid number or literal starts at `at`, and that whitespace
/// or punctuation follows it.
#[inline(always)]
fn check_scalar(text: &[u8], at: usize) -> Option<()> {
    let next = *text.get(scalar_end(text, at)?)?;
    let ended = is_whitespace(next) || matches!(next, b',' | b'}' | b']');
    ended.then_some(())
}

/// Checks all numbers and literals that start in the block at `start`.
#[inline(always)]
pub(crate) fn check_scalars(
    text: &[u8],
    start: usize,
    mut starts: u64,
) -> Option<()> {
    while starts != 0 {
        check_scalar(text, start + starts.trailing_zeros() as usize)?;
        starts &= starts - 1;
    }
    Some(())
}

/// Returns the length of the number at the start of `rest`.
#[inline(never)]
fn number_len(rest: &[u8]) -> Option<usize> {
    let sign = usize::from(rest.first() == Some(&b'-'));
    let mut at = match rest.get(sign) {
        Some(b'0') => sign + 1,
        _ => digits(rest, sign)?,
    };
    if rest.get(at) == Some(&b'.') {
        at = digits(rest, at + 1)?;
    }
    let mut may_be_infinite = at > LONG_NUMBER;
    if let Some(b'e' | b'E') = rest.get(at) {
        may_be_infinite = true;
        let signed = matches!(rest.get(at + 1), Some(b'+' | b'-'));
        at = digits(rest, at + 1 + usize::from(signed))?;
    }
    if may_be_infinite {
        let text = std::str::from_utf8(rest.get(..at)?).ok()?;
        text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    }
    Some(at)
}

/// Returns the end of the digits that start at `at`, or `None` if there are
/// none.
#[inline(always)]
fn digits(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    while text.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    (end > at).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_scalar_ends_where_it_ends() {
        for text in [
            "true", "false", "null", "0", "-0", "1", "-12", "1.5", "0.25",
            "1e5", "1E+5", "-2.5e-3", "1e308", "0e99999",
        ] {
            for rest in ["", ",", "}", " ", "x"] {
                let text = format!("..{text}{rest}");
                let end = scalar_end(text.as_bytes(), 2);
                assert_eq!(end, Some(text.len() - rest.len()), "{text}");
            }
        }
        // The valid prefix of these ends early.
        for (text, end) in [("01", 1), ("1.5.2", 3), ("truee", 4), ("--", 0)] {
            let expected = Some(end).filter(|&end| end > 0);
            assert_eq!(scalar_end(text.as_bytes(), 0), expected, "{text}");
        }
    }

    #[test]
    fn digits_are_counted_up_to_any_other_byte() {
        for len in 0..=8 {
            for other in 0..=255_u8 {
                let mut bytes = *b"90817263";
                bytes[len..].fill(other);
                let is_digit = |byte: &&u8| byte.is_ascii_digit();
                let expected = bytes.iter().take_while(is_digit).count();
                assert_eq!(digit_count(bytes), expected, "{bytes:?}");
                bytes[len..].iter_mut().skip(1).for_each(|b| *b = b'5');
                let expected = bytes.iter().take_while(is_digit).count();
                assert_eq!(digit_count(bytes), expected, "{bytes:?}");
            }
        }
    }

    #[test]
    fn a_bad_scalar_has_no_end() {
        let digits = "9".repeat(400);
        for text in [
            "", "tru", "nul", "fals", "-", "+1", ".5", "1.", "1e", "1e+",
            "-x", "NaN", "x", "1e999", "-1e999", "\"a\"", "{", &digits,
        ] {
            assert_eq!(scalar_end(text.as_bytes(), 0), None, "{text}");
        }
        assert_eq!(scalar_end(b"1", 5), None);
    }
}
