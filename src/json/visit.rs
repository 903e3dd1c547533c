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

/// Writes the methods of a `Deserializer` that read numbers.
///
/// `$number` reads an optional [`Number`]; `$refuse` makes the error if there
/// is none.
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
