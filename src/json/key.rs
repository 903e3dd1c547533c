/*!
A serde `Deserializer` for the keys of objects. A key is a string; if the
caller's type requires it, the string is parsed as a number or a bool, or is the
name of a variant.
*/

use serde::{
    Deserializer,
    de::{Error as _, Unexpected, Visitor, value::BorrowedStrDeserializer},
    forward_to_deserialize_any,
};

use crate::{
    error::Misfit,
    json::{Number, visit::number_methods},
    scan::scalar_end,
};

/// Deserialises a key.
#[derive(Clone, Copy)]
pub(crate) struct KeyReader<'de>(pub(crate) &'de str);

impl KeyReader<'_> {
    /// Parses the key as a JSON number.
    fn as_number(self) -> Option<Number> {
        let KeyReader(key) = self;
        let is_number =
            key.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let is_whole = scalar_end(key.as_bytes(), 0) == Some(key.len());
        (is_number && is_whole).then(|| Number::parse(key)).flatten()
    }
}

impl<'de> Deserializer<'de> for KeyReader<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_borrowed_str(self.0)
    }

    number_methods!(|self, visitor| self.as_number(), else {
        Misfit::invalid_value(
            Unexpected::Str(self.0),
            &"key to be a number in quotes",
        )
    });

    fn deserialize_bool<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            key => Err(Misfit::invalid_type(Unexpected::Str(key), &visitor)),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_borrowed_bytes(self.0.as_bytes())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
