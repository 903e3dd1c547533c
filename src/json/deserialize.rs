/*!
A serde `Deserializer` for values.

[`Value`] checks the whole line, unless that has been done, and then delegates
to [`Reader`], which reads the value and all nested ones in their order, from
the tape or from the text of the line. The innermost value sets the location of
an error, and each level adds its key or index to the path while the error is
returned.

A visitor need not read all of a value, and may ignore an error in it. The
values after it are read all the same.
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
        Number, Repr, Text, TextValue, Value,
        key::KeyReader,
        tokens::Tokens,
        visit::{number_methods, visit_number},
    },
};

/// Calls a function with the [`Reader`] of a value of a checked line.
macro_rules! on_tokens {
    ($value:expr, $read:expr) => {
        match $value.0 {
            Repr::Tape(mut nodes) => read(&mut nodes, $read),
            Repr::Text(value) => read(&mut value.tokens(), $read),
        }
    };
}

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
        on_tokens!(self, |reader| T::deserialize(reader))
    }

    /// Deserialises a checked line into `T`, as
    /// [`deserialize_checked`](Value::deserialize_checked) does.
    pub(crate) fn deserialize_line<T: Deserialize<'a>>(
        text: &'a Text<'a>,
    ) -> Result<T, Misfit> {
        let mut tokens = TextValue::top(text).tokens();
        read(&mut tokens, |reader| T::deserialize(reader))
    }
}

/// Implements methods of `Deserializer` by checking the line and delegating to
/// [`Reader`].
macro_rules! enter {
    ($($method:ident($($arg:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($arg: $type,)*
            visitor: V,
        ) -> Result<V::Value, Error> {
            self.ensure_checked()?;
            let made =
                on_tokens!(self, |reader| reader.$method($($arg,)* visitor));
            Ok(made?)
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

/// Reads a value with `job`, and moves past all of it.
#[inline]
fn read<'de, T: Tokens<'de>, R>(
    tokens: &mut T,
    job: impl FnOnce(Reader<'_, T>) -> Result<R, Misfit>,
) -> Result<R, Misfit> {
    let mark = tokens.mark();
    // An error is completed in place: a large value would be moved by `?`.
    let mut made = job(Reader(tokens));
    if tokens.mark() == mark {
        tokens.skip_unread();
    }
    if let Err(misfit) = &mut made {
        tokens.place(mark, misfit);
    }
    made
}

/// Deserialises a value of a checked line. Afterwards, its tokens are at the
/// value or past it, but not in it.
struct Reader<'r, T>(&'r mut T);

impl<'de, T: Tokens<'de>> Reader<'_, T> {
    #[cold]
    fn refuse<V: Visitor<'de>>(self, visitor: &V) -> Misfit {
        let found = match self.0.first() {
            b'"' => Unexpected::Str(self.0.string()),
            b'{' => Unexpected::Map,
            b'[' => Unexpected::Seq,
            b't' => Unexpected::Bool(true),
            b'f' => Unexpected::Bool(false),
            _ => match self.0.number() {
                Some(Number::Unsigned(n)) => Unexpected::Unsigned(n),
                Some(Number::Negative(n)) => Unexpected::Signed(n),
                Some(Number::Float(n)) => Unexpected::Float(n),
                None => Unexpected::Unit,
            },
        };
        Misfit::invalid_type(found, visitor)
    }

    /// Reads a container with `visit`. If that has not read all of it, the rest
    /// is counted with `next`, and `too_long` makes the error.
    fn inside<R>(
        self,
        visit: impl FnOnce(&mut Inside<'_, 'de, T>) -> Result<R, Misfit>,
        next: fn(&mut Inside<'_, 'de, T>) -> bool,
        too_long: fn(usize) -> Misfit,
    ) -> Result<R, Misfit> {
        let container = self.0.enter();
        let mut inside =
            Inside { tokens: self.0, container, key: None, count: 0 };
        let mut made = visit(&mut inside);
        if let Err(misfit) = &mut made {
            inside.blame(misfit);
        } else if !inside.tokens.is_end(container)
            && let Some(count) = inside.count_rest(next)
        {
            made = Err(too_long(count));
        }
        inside.tokens.leave(container);
        made
    }

    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.inside(
            |list| visitor.visit_seq(list),
            |list| {
                let is_next = list.next_item();
                if is_next {
                    list.tokens.skip();
                }
                is_next
            },
            |n| Misfit::invalid_length(n, &"fewer elements in array"),
        )
    }

    fn map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.inside(
            |map| visitor.visit_map(map),
            |map| map.next_key().is_some(),
            |n| Misfit::invalid_length(n, &"fewer elements in map"),
        )
    }

    /// Reads an object with one member, whose key is the name of a variant.
    fn variant<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let wrong = |_| {
            let expected = &"map with a single key";
            Misfit::invalid_value(Unexpected::Map, expected)
        };
        self.inside(
            |map| match map.next_key() {
                Some(_) => visitor.visit_enum(map),
                None => Err(wrong(0)),
            },
            |map| map.next_key().is_some(),
            wrong,
        )
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

/// Implements methods of `Deserializer` for values with a certain first byte.
macro_rules! begins {
    (|$self:ident, $visitor:ident| $(
        $method:ident: $($first:literal)|+ => $read:expr,
    )*) => {$(
        fn $method<V: Visitor<'de>>(
            $self,
            $visitor: V,
        ) -> Result<V::Value, Misfit> {
            match $self.0.first() {
                $($first)|+ => $read,
                _ => Err($self.refuse(&$visitor)),
            }
        }
    )*};
}

impl<'de, T: Tokens<'de>> Deserializer<'de> for Reader<'_, T> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.first() {
            b'"' => visitor.visit_borrowed_str(self.0.string()),
            b'{' => self.map(visitor),
            b'[' => self.list(visitor),
            b't' | b'f' => self.deserialize_bool(visitor),
            b'n' => self.deserialize_unit(visitor),
            _ => match self.0.number() {
                Some(number) => visit_number(number, visitor),
                None => Err(self.refuse(&visitor)),
            },
        }
    }

    number_methods!(|self, visitor| self.0.number(), else {
        self.refuse(&visitor)
    });

    begins! { |self, visitor|
        deserialize_bool: b't' | b'f' => {
            let flag = self.0.first() == b't';
            self.0.skip();
            visitor.visit_bool(flag)
        },
        deserialize_str: b'"' => visitor.visit_borrowed_str(self.0.string()),
        deserialize_unit: b'n' => {
            self.0.skip();
            visitor.visit_unit()
        },
        deserialize_seq: b'[' => self.list(visitor),
        deserialize_map: b'{' => self.map(visitor),
    }

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

    fn deserialize_bytes<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.first() {
            b'"' => visitor.visit_borrowed_bytes(self.0.string().as_bytes()),
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        if self.0.first() != b'n' {
            return visitor.visit_some(self);
        }
        self.0.skip();
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.first() {
            b'{' => self.map(visitor),
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0.first() {
            b'"' => {
                let name = self.0.string();
                visitor.visit_enum(BorrowedStrDeserializer::new(name))
            }
            b'{' => self.variant(visitor),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.0.skip();
        visitor.visit_unit()
    }
}

/// A container that is being read.
struct Inside<'r, 'de, T> {
    tokens: &'r mut T,
    container: usize,
    /// The key of the value that is read next.
    key: Option<&'de str>,
    /// The number of items or keys that have been read.
    count: usize,
}

impl<'de, T: Tokens<'de>> Inside<'_, 'de, T> {
    /// Moves to the next item.
    #[inline]
    fn next_item(&mut self) -> bool {
        let is_next = self.tokens.next_item(self.container);
        self.count += usize::from(is_next);
        is_next
    }

    /// Reads the next key.
    #[inline]
    fn next_key(&mut self) -> Option<&'de str> {
        if self.key.take().is_some() {
            self.tokens.skip_unread();
        }
        self.key = Some(self.tokens.next_key(self.container)?);
        self.count += 1;
        self.key
    }

    /// Reads the value after a key.
    #[inline]
    fn value<R>(
        &mut self,
        job: impl FnOnce(Reader<'_, T>) -> Result<R, Misfit>,
    ) -> Result<R, Misfit> {
        let Some(key) = self.key.take() else {
            return Err(Misfit::custom("value requested before its key"));
        };
        let mut made = read(self.tokens, job);
        if let Err(misfit) = &mut made {
            misfit.within(key);
        }
        made
    }

    /// Adds the current member to an error. serde reports a duplicate field
    /// after it has read the key and before it reads the value.
    #[cold]
    fn blame(&self, misfit: &mut Misfit) {
        if let Some(key) = self.key {
            self.tokens.place(self.tokens.mark(), misfit);
            misfit.within(key);
        }
    }

    /// Returns the number of all members or items, if some have not been read.
    #[cold]
    fn count_rest(&mut self, next: fn(&mut Self) -> bool) -> Option<usize> {
        let read = self.count;
        while next(self) {}
        (self.count > read).then_some(self.count)
    }
}

impl<'de, T: Tokens<'de>> SeqAccess<'de> for Inside<'_, 'de, T> {
    type Error = Misfit;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Misfit> {
        if !self.next_item() {
            return Ok(None);
        }
        match read(self.tokens, |reader| seed.deserialize(reader)) {
            Ok(made) => Ok(Some(made)),
            Err(mut misfit) => {
                misfit.within(self.count - 1);
                Err(misfit)
            }
        }
    }
}

impl<'de, T: Tokens<'de>> MapAccess<'de> for Inside<'_, 'de, T> {
    type Error = Misfit;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        match self.next_key() {
            Some(key) => seed.deserialize(KeyReader(key)).map(Some),
            None => Ok(None),
        }
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, Misfit> {
        self.value(|reader| seed.deserialize(reader))
    }
}

/// An enum variant in the form of an object with one member, whose key has been
/// read.
impl<'de, T: Tokens<'de>> EnumAccess<'de> for &mut Inside<'_, 'de, T> {
    type Error = Misfit;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), Misfit> {
        let key = BorrowedStrDeserializer::new(self.key.unwrap_or_default());
        Ok((seed.deserialize(key)?, self))
    }
}

impl<'de, T: Tokens<'de>> VariantAccess<'de> for &mut Inside<'_, 'de, T> {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        self.value(|reader| <()>::deserialize(reader))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<S::Value, Misfit> {
        self.value(|reader| seed.deserialize(reader))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.value(|reader| reader.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.value(|reader| reader.deserialize_struct("", fields, visitor))
    }
}
