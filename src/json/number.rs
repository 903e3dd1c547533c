/// A number, with the class that it has on the wire.
///
/// An integer that fits neither 64-bit type is a float, as it is to
/// serde_json.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Unsigned(u64),
    /// Always below zero.
    Negative(i64),
    Float(f64),
}

impl Number {
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
