//! Visits the strings of typed values, as a serialiser that writes nothing.
//! Values of a JSON library have a recursive function instead.

use std::{error, fmt};

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct,
    SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};

use crate::jobs::Tally;

/// Visits every string in a value that is not a key.
pub fn visit(value: &impl Serialize, tally: &mut Tally) {
    if value.serialize(Visitor(tally)).is_err() {
        tally.fail(1);
    }
}

struct Visitor<'t>(&'t mut Tally);

type Visited = Result<(), Failure>;

impl<'t> Visitor<'t> {
    fn visit<T: Serialize + ?Sized>(&mut self, value: &T) -> Visited {
        value.serialize(Visitor(self.0))
    }

    fn text(self, text: &str) -> Visited {
        self.0.text(text.as_bytes());
        Ok(())
    }
}

/// Implements the methods for values without strings.
macro_rules! skip {
    ($($method:ident: $type:ty,)*) => {
        $(fn $method(self, _value: $type) -> Visited { Ok(()) })*
    };
}

impl<'t> Serializer for Visitor<'t> {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Visitor<'t>;
    type SerializeTuple = Visitor<'t>;
    type SerializeTupleStruct = Visitor<'t>;
    type SerializeTupleVariant = Visitor<'t>;
    type SerializeMap = Visitor<'t>;
    type SerializeStruct = Visitor<'t>;
    type SerializeStructVariant = Visitor<'t>;

    skip! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    fn serialize_char(self, value: char) -> Visited {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Visited {
        self.text(value)
    }

    fn serialize_none(self) -> Visited {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Visited {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Visited {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Visited {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Visited {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        value: &T,
    ) -> Visited {
        value.serialize(self)
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_tuple(self, _len: usize) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self, Failure> {
        Ok(self)
    }
}

/// Implements the traits for containers. Their contents are visited.
macro_rules! containers {
    ($($trait:ident: $method:ident($($key:ty)?);)*) => {
        $(impl $trait for Visitor<'_> {
            type Ok = ();
            type Error = Failure;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $(_key: $key,)?
                value: &T,
            ) -> Visited {
                self.visit(value)
            }

            fn end(self) -> Visited {
                Ok(())
            }
        })*
    };
}

containers! {
    SerializeSeq: serialize_element();
    SerializeTuple: serialize_element();
    SerializeTupleStruct: serialize_field();
    SerializeTupleVariant: serialize_field();
    SerializeStruct: serialize_field(&'static str);
    SerializeStructVariant: serialize_field(&'static str);
}

impl SerializeMap for Visitor<'_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _key: &T) -> Visited {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Visited {
        self.visit(value)
    }

    fn end(self) -> Visited {
        Ok(())
    }
}

/// A type that cannot be serialised.
#[derive(Debug)]
struct Failure;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value cannot be visited")
    }
}

impl error::Error for Failure {}

impl serde::ser::Error for Failure {
    fn custom<T: fmt::Display>(_message: T) -> Failure {
        Failure
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::jobs::Job;

    #[test]
    fn strings_are_visited_and_keys_are_not() {
        let value = json!({"key": "ab", "list": [1, null, "c", {"x": "d"}]});
        let mut tally = Tally::default();
        visit(&value, &mut tally);
        let mut wanted = Tally::default();
        for text in ["ab", "c", "d"] {
            wanted.text(text.as_bytes());
        }
        assert_eq!(tally.answer(Job::Text), wanted.answer(Job::Text));
    }
}
