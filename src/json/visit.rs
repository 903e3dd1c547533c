/*!
Passes JSON numbers to serde's visitors.
*/

use serde::de::{Error as _, Unexpected, Visitor};

use crate::{error::Misfit, json::Number};

/// Passes a number to a visitor as a `u64`, an `i64` or an `f64`.
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

/// Passes a number to a visitor for `f32`. A float out of its range is an
/// error.
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

/// Passes an integer to a visitor for `i128`.
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

/// Passes an integer to a visitor for `u128`.
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
