/*!
A serde `Deserializer` for values.

[`Value`] checks the whole line, unless that has been done, and then delegates
to [`ValueReader`], which also deserialises all nested values. The innermost
value sets the location of an error, and each level adds its key or index to the
path while the error is returned.
*/

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error as _, MapAccess, SeqAccess,
        Unexpected, VariantAccess, Visitor, value::BorrowedStrDeserializer,
    },
};

use crate::{
    error::{Error, Misfit},
    json::{
        Array, Items, Members, Number, Object, Value,
        key::KeyReader,
        visit::{number_methods, visit_number},
    },
};

impl<'a> Value<'a> {
    /// Deserialises the value into `T`, which may borrow strings from the line
    /// or record.
    ///
    /// The whole line is checked first, unless that has been done. The
    /// [`Deserializer`](#impl-Deserializer<'de>-for-Value<'de>) describes the
    /// differences from serde_json.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Data`](crate::ErrorKind::Data) if the value does
    /// not match `T`. The error's [path](Error::path) begins at this value. If
    /// the line is invalid, returns the error that decoding it would return.
    ///
    /// # Example
    ///
    /// This shows how to deserialise a part of a record.
    ///
    /// ```
    /// let line = br#"{"type":"user","point":[1,2.5]}"#;
    /// let mut decoder = linetape::Decoder::new();
    /// let record = decoder.decode(line)?;
    /// let point = record.value().get("point").unwrap();
    /// assert_eq!(point.deserialize::<(u8, f64)>()?, (1, 2.5));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<T, Error> {
        self.ensure_checked()?;
        Ok(self.deserialize_checked()?)
    }

    /// Does the same for a value of a checked line.
    pub(crate) fn deserialize_checked<T: Deserialize<'a>>(
        self,
    ) -> Result<T, Misfit> {
        T::deserialize(ValueReader(self)).map_err(|misfit| self.place(misfit))
    }

    fn enter<T>(
        self,
        read: impl FnOnce(ValueReader<'a>) -> Result<T, Misfit>,
    ) -> Result<T, Error> {
        self.ensure_checked()?;
        read(ValueReader(self)).map_err(|misfit| self.place(misfit).into())
    }
}

/// Implements methods of `Deserializer` by checking the line and delegating to
/// [`ValueReader`].
macro_rules! enter {
    ($($method:ident($($arg:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($arg: $type,)*
            visitor: V,
        ) -> Result<V::Value, Error> {
            self.enter(|reader| reader.$method($($arg,)* visitor))
        }
    )*};
}

/// Deserialises types as `serde_json::from_slice` does, with these differences:
///
/// - An integer that does not fit into 64 bits is a float. It is an error for
///   `i128` and `u128`.
/// - `-0` is the integer 0, not the float -0.0.
/// - An `f32` is rounded from an `f64`, not from the decimal digits.
/// - `&str` and `&[u8]` can also borrow from strings with escapes, whose
///   unescaped text is stored with the record or line.
/// - A key is unescaped before it is parsed as a number.
/// - The depth limit is [`Limits::max_depth`](crate::Limits), not 127.
/// - `serde_json::value::RawValue` is an error.
impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Error;

    enter! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_struct(
            name: &'static str, fields: &'static [&'static str]
        );
        deserialize_enum(
            name: &'static str, variants: &'static [&'static str]
        );
        deserialize_identifier();
        deserialize_ignored_any();
    }
}

/// Deserialises a value of a checked line.
#[derive(Clone, Copy)]
struct ValueReader<'de>(Value<'de>);

impl<'de> ValueReader<'de> {
    #[cold]
    fn refuse<V: Visitor<'de>>(self, visitor: &V) -> Misfit {
        let value = self.0;
        let found = if let Some(text) = value.as_str() {
            Unexpected::Str(text)
        } else if value.as_object().is_some() {
            Unexpected::Map
        } else if value.as_array().is_some() {
            Unexpected::Seq
        } else if let Some(flag) = value.as_bool() {
            Unexpected::Bool(flag)
        } else {
            match value.as_number() {
                Some(Number::Unsigned(n)) => Unexpected::Unsigned(n),
                Some(Number::Negative(n)) => Unexpected::Signed(n),
                Some(Number::Float(n)) => Unexpected::Float(n),
                None => Unexpected::Unit,
            }
        };
        Misfit::invalid_type(found, visitor)
    }

    fn list<V: Visitor<'de>>(
        array: Array<'de>,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let mut list = ListReader { items: array.iter(), index: 0 };
        let made = visitor.visit_seq(&mut list)?;
        match list.items.next() {
            None => Ok(made),
            Some(_) => {
                let expected = &"fewer elements in array";
                Err(Misfit::invalid_length(array.len(), expected))
            }
        }
    }

    fn map<V: Visitor<'de>>(
        object: Object<'de>,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let mut map = MapReader { members: object.iter(), member: None };
        let made = match visitor.visit_map(&mut map) {
            Ok(made) => made,
            Err(misfit) => return Err(map.blame(misfit)),
        };
        match map.members.next() {
            None => Ok(made),
            Some(_) => {
                let expected = &"fewer elements in map";
                Err(Misfit::invalid_length(object.len(), expected))
            }
        }
    }
}

/// Implements methods of `Deserializer` by calling another one.
macro_rules! same {
    ($($method:ident($($arg:ident: $type:ty),*) => $other:ident,)*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($arg: $type,)*
            visitor: V,
        ) -> Result<V::Value, Misfit> {
            self.$other(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for ValueReader<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let value = self.0;
        if let Some(text) = value.as_str() {
            return visitor.visit_borrowed_str(text);
        }
        if let Some(object) = value.as_object() {
            return Self::map(object, visitor);
        }
        if let Some(array) = value.as_array() {
            return Self::list(array, visitor);
        }
        if let Some(flag) = value.as_bool() {
            return visitor.visit_bool(flag);
        }
        match value.as_number() {
            Some(number) => visit_number(number, visitor),
            None => visitor.visit_unit(),
        }
    }

    number_methods!(|self, visitor| self.0.as_number(), else {
        self.refuse(&visitor)
    });

    same! {
        deserialize_char() => deserialize_str,
        deserialize_string() => deserialize_str,
        deserialize_identifier() => deserialize_str,
        deserialize_byte_buf() => deserialize_bytes,
        deserialize_unit_struct(_name: &'static str) => deserialize_unit,
        deserialize_tuple(_len: usize) => deserialize_seq,
        deserialize_tuple_struct(
            _name: &'static str, _len: usize
        ) => deserialize_seq,
    }

    fn deserialize_bool<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.as_bool() {
            Some(flag) => visitor.visit_bool(flag),
            None => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.as_str() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.as_str() {
            Some(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            None => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        if self.0.is_null() {
            visitor.visit_unit()
        } else {
            Err(self.refuse(&visitor))
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.as_array() {
            Some(array) => Self::list(array, visitor),
            None => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.as_object() {
            Some(object) => Self::map(object, visitor),
            None => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.as_object() {
            Some(object) => Self::map(object, visitor),
            None => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        if let Some(name) = self.0.as_str() {
            return visitor.visit_enum(BorrowedStrDeserializer::new(name));
        }
        let Some(object) = self.0.as_object() else {
            return Err(self.refuse(&visitor));
        };
        let mut members = object.iter();
        let made = match members.next() {
            Some((key, value)) => {
                Some(visitor.visit_enum(VariantReader { key, value })?)
            }
            None => None,
        };
        match (made, members.next()) {
            (Some(made), None) => Ok(made),
            _ => Err(Misfit::invalid_value(
                Unexpected::Map,
                &"map with a single key",
            )),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_unit()
    }
}

struct ListReader<'de> {
    items: Items<'de>,
    /// The index of the next item.
    index: usize,
}

impl<'de> SeqAccess<'de> for ListReader<'de> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let Some(value) = self.items.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        match seed.deserialize(ValueReader(value)) {
            Ok(made) => Ok(Some(made)),
            Err(misfit) => Err(value.place(misfit).within(index)),
        }
    }
}

struct MapReader<'de> {
    members: Members<'de>,
    /// The member whose key was read last, until its value is read.
    member: Option<(&'de str, Value<'de>)>,
}

impl MapReader<'_> {
    /// Adds the current member to an error. serde reports a duplicate field
    /// after it has read the key and before it reads the value.
    #[cold]
    fn blame(&self, misfit: Misfit) -> Misfit {
        match self.member {
            Some((key, value)) => value.place(misfit).within(key),
            None => misfit,
        }
    }
}

impl<'de> MapAccess<'de> for MapReader<'de> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        self.member = self.members.next();
        let Some((key, value)) = self.member else { return Ok(None) };
        match seed.deserialize(KeyReader(key)) {
            Ok(made) => Ok(Some(made)),
            Err(misfit) => {
                self.member = None;
                Err(value.place(misfit).within(key))
            }
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, Misfit> {
        match self.member.take() {
            Some((key, value)) => seed
                .deserialize(ValueReader(value))
                .map_err(|misfit| value.place(misfit).within(key)),
            None => Err(Misfit::custom("value requested before its key")),
        }
    }
}

/// An enum variant in the form of an object with one member.
struct VariantReader<'de> {
    key: &'de str,
    value: Value<'de>,
}

impl<'de> VariantReader<'de> {
    fn read<T>(
        self,
        read: impl FnOnce(ValueReader<'de>) -> Result<T, Misfit>,
    ) -> Result<T, Misfit> {
        let VariantReader { key, value } = self;
        read(ValueReader(value))
            .map_err(|misfit| value.place(misfit).within(key))
    }
}

impl<'de> EnumAccess<'de> for VariantReader<'de> {
    type Error = Misfit;
    type Variant = VariantReader<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, VariantReader<'de>), Misfit> {
        let VariantReader { key, value } = self;
        match seed.deserialize(BorrowedStrDeserializer::new(key)) {
            Ok(made) => Ok((made, self)),
            Err(misfit) => Err(value.place(misfit).within(key)),
        }
    }
}

impl<'de> VariantAccess<'de> for VariantReader<'de> {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        self.read(<()>::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, Misfit> {
        self.read(|reader| seed.deserialize(reader))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.read(|reader| reader.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.read(|reader| reader.deserialize_struct("", fields, visitor))
    }
}
