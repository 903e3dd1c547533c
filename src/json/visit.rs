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

/// Implements the methods of a `Deserializer` for numbers.
///
/// `$number` returns an `Option<Number>`; `$refuse` returns the error for
/// `None`.
macro_rules! number_methods {
    (
        |$self:ident, $visitor:ident| $number:expr, else $refuse:block
    ) => {
        number_methods! {
            @each $self $visitor [$number] $refuse
            deserialize_i8 => visit_number,
            deserialize_i16 => visit_number,
            deserialize_i32 => visit_number,
            deserialize_i64 => visit_number,
            deserialize_i128 => visit_i128,
            deserialize_u8 => visit_number,
            deserialize_u16 => visit_number,
            deserialize_u32 => visit_number,
            deserialize_u64 => visit_number,
            deserialize_u128 => visit_u128,
            deserialize_f32 => visit_f32,
            deserialize_f64 => visit_number,
        }
    };
    (
        @each $self:ident $visitor:ident [$number:expr] $refuse:block
        $($method:ident => $visit:ident,)*
    ) => {$(
        fn $method<V: Visitor<'de>>(
            $self,
            $visitor: V,
        ) -> Result<V::Value, Misfit> {
            match $number {
                Some(number) => {
                    $crate::json::visit::$visit(number, $visitor)
                }
                None => Err($refuse),
            }
        }
    )*};
}
pub(crate) use number_methods;
