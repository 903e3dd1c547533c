use serde::{
    Deserializer,
    de::{
        DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::BorrowedStrDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::Error;

use crate::json::{Items, Members, Number, Value};

/// Lets a type of the caller's be read from a value, strings borrowed.
impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if let Some(text) = self.as_str() {
            return visitor.visit_borrowed_str(text);
        }
        if let Some(object) = self.as_object() {
            let members = object.iter();
            return visitor.visit_map(MapReader { members, value: None });
        }
        if let Some(array) = self.as_array() {
            return visitor.visit_seq(ListReader(array.iter()));
        }
        if let Some(flag) = self.as_bool() {
            return visitor.visit_bool(flag);
        }
        match self.as_number() {
            Some(Number::Unsigned(n)) => visitor.visit_u64(n),
            Some(Number::Negative(n)) => visitor.visit_i64(n),
            Some(Number::Float(n)) => visitor.visit_f64(n),
            None => visitor.visit_unit(),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if let Some(text) = self.as_str() {
            return visitor.visit_enum(
                IntoDeserializer::<Error>::into_deserializer(text),
            );
        }
        let members = match self.as_object() {
            Some(object) => object.iter(),
            None => return self.deserialize_any(visitor),
        };
        let map = MapReader { members, value: None };
        serde::de::value::MapAccessDeserializer::new(map)
            .deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

struct ListReader<'de>(Items<'de>);

impl<'de> SeqAccess<'de> for ListReader<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|value| seed.deserialize(value)).transpose()
    }
}

struct MapReader<'de> {
    members: Members<'de>,
    /// The value of the key that was read last.
    value: Option<Value<'de>>,
}

impl<'de> MapAccess<'de> for MapReader<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.members.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, Error> {
        match self.value.take() {
            Some(value) => seed.deserialize(value),
            None => Err(serde::de::Error::custom("a value before its key")),
        }
    }
}
