/*!
Numbers as serde's visitors want them.
*/

use serde::de::{Error as _, Unexpected, Visitor};

use crate::{error::Misfit, json::Number};

/// Hands a number to a visitor as what it is.
pub(crate) fn visit_number<'de, V: Visitor<'de>>(
    number: Number,
    visitor: V,
) -> Result<V::Value, Misfit> {
    match number {
        Number::Unsigned(n) => visitor.visit_u64(n),
        Number::Negative(n) => visitor.visit_i64(n),
        Number::Float(n) => visitor.visit_f64(n),
    }
}

/// Hands a number to a visitor that wants an `f32`.
pub(crate) fn visit_f32<'de, V: Visitor<'de>>(
    number: Number,
    visitor: V,
) -> Result<V::Value, Misfit> {
    match number {
        Number::Float(n) if (n as f32).is_infinite() => {
            Err(Misfit::custom("number out of range"))
        }
        Number::Float(n) => visitor.visit_f64((n as f32).into()),
        number => visit_number(number, visitor),
    }
}

/// Hands an integer to a visitor that wants 128 bits with a sign.
pub(crate) fn visit_i128<'de, V: Visitor<'de>>(
    number: Number,
    visitor: V,
) -> Result<V::Value, Misfit> {
    match number {
        Number::Unsigned(n) => visitor.visit_i128(n.into()),
        Number::Negative(n) => visitor.visit_i128(n.into()),
        Number::Float(n) => {
            Err(Misfit::invalid_type(Unexpected::Float(n), &visitor))
        }
    }
}

/// Hands an integer to a visitor that wants 128 bits without a sign.
pub(crate) fn visit_u128<'de, V: Visitor<'de>>(
    number: Number,
    visitor: V,
) -> Result<V::Value, Misfit> {
    match number {
        Number::Unsigned(n) => visitor.visit_u128(n.into()),
        Number::Negative(n) => {
            Err(Misfit::invalid_value(Unexpected::Signed(n), &visitor))
        }
        Number::Float(n) => {
            Err(Misfit::invalid_type(Unexpected::Float(n), &visitor))
        }
    }
}
