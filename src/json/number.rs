/// A JSON number: an integer or a float.
///
/// As in serde_json, an integer that fits neither 64-bit type is a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Unsigned(u64),
    /// Always below zero.
    Negative(i64),
    Float(f64),
}

impl Number {
    /// Parses a number, which must follow the JSON grammar. `None` if it is
    /// out of the range of `f64`.
    ///
    /// `-0` is the integer 0.
    pub(crate) fn parse(text: &str) -> Option<Number> {
        let digits = text.strip_prefix('-');
        let mut magnitude = 0u64;
        for byte in digits.unwrap_or(text).bytes() {
            let digit = byte.wrapping_sub(b'0');
            let sum = match digit {
                0..=9 => magnitude
                    .checked_mul(10)
                    .and_then(|tens| tens.checked_add(u64::from(digit))),
                _ => None,
            };
            match sum {
                Some(sum) => magnitude = sum,
                None => return Number::parse_float(text),
            }
        }
        if digits.is_none() || magnitude == 0 {
            return Some(Number::Unsigned(magnitude));
        }
        match 0i64.checked_sub_unsigned(magnitude) {
            Some(number) => Some(Number::Negative(number)),
            None => Number::parse_float(text),
        }
    }

    fn parse_float(text: &str) -> Option<Number> {
        let number: f64 = text.parse().ok()?;
        number.is_finite().then_some(Number::Float(number))
    }

    pub(crate) fn as_u64(self) -> Option<u64> {
        match self {
            Number::Unsigned(n) => Some(n),
            Number::Negative(_) | Number::Float(_) => None,
        }
    }

    pub(crate) fn as_i64(self) -> Option<i64> {
        match self {
            Number::Unsigned(n) => i64::try_from(n).ok(),
            Number::Negative(n) => Some(n),
            Number::Float(_) => None,
        }
    }

    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Number::Unsigned(n) => n as f64,
            Number::Negative(n) => n as f64,
            Number::Float(n) => n,
        }
    }
}
