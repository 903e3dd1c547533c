/*!
The encoding of fields: little-endian numbers, a byte for each flag, a length
before each text and list.
*/

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    hash::Hash,
};

use linetape::{Error, ErrorKind};

/// A value that is part of a saved state.
pub(crate) trait Saved: Sized {
    /// Appends the value to a state.
    fn save(&self, to: &mut Vec<u8>);

    /// Reads the value.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a value of this type.
    fn load(from: &mut Cursor<'_>) -> Result<Self, Error>;
}

/// Creates the error for a state whose checksum is right and whose content is
/// not.
pub(crate) fn inconsistent() -> Error {
    invalid("its parts contradict each other")
}

/// Returns the error for bytes that are no saved state of this version.
pub(crate) fn invalid(reason: &str) -> Error {
    let text = format!("invalid saved state: {reason}");
    Error::new(ErrorKind::InvalidInput, text)
}

/// The rest of a state.
#[derive(Debug)]
pub(crate) struct Cursor<'s>(&'s [u8]);

impl<'s> Cursor<'s> {
    pub(crate) fn new(state: &'s [u8]) -> Cursor<'s> {
        Cursor(state)
    }

    /// Returns the number of bytes left.
    pub(crate) fn left(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'s [u8], Error> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or_else(inconsistent)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (taken, rest) =
            self.0.split_first_chunk().ok_or_else(inconsistent)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Checks that nothing is left.
    pub(crate) fn end(&self) -> Result<(), Error> {
        self.0.is_empty().then_some(()).ok_or_else(inconsistent)
    }

    /// Reads a list of values. Memory grows with the values that are there,
    /// whatever the length says.
    fn list<T: Saved, L: Default + Extend<T>>(&mut self) -> Result<L, Error> {
        let count = usize::load(self)?;
        let mut list = L::default();
        for _ in 0..count {
            list.extend([T::load(self)?]);
        }
        Ok(list)
    }
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl Saved for $number {
            fn save(&self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }

            fn load(from: &mut Cursor<'_>) -> Result<$number, Error> {
                Ok($number::from_le_bytes(from.array()?))
            }
        }
    )*};
}
numbers!(u8 u32 u64 i64 f64);

impl Saved for usize {
    fn save(&self, to: &mut Vec<u8>) {
        (*self as u64).save(to);
    }

    fn load(from: &mut Cursor<'_>) -> Result<usize, Error> {
        usize::try_from(u64::load(from)?).map_err(|_| inconsistent())
    }
}

impl Saved for bool {
    fn save(&self, to: &mut Vec<u8>) {
        u8::from(*self).save(to);
    }

    fn load(from: &mut Cursor<'_>) -> Result<bool, Error> {
        match u8::load(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(inconsistent()),
        }
    }
}

pub(crate) fn save_text(text: &str, to: &mut Vec<u8>) {
    text.len().save(to);
    to.extend(text.as_bytes());
}

pub(crate) fn load_text<'s>(from: &mut Cursor<'s>) -> Result<&'s str, Error> {
    let length = usize::load(from)?;
    std::str::from_utf8(from.take(length)?).map_err(|_| inconsistent())
}

impl<T: Saved> Saved for Option<T> {
    fn save(&self, to: &mut Vec<u8>) {
        self.is_some().save(to);
        self.iter().for_each(|value| value.save(to));
    }

    fn load(from: &mut Cursor<'_>) -> Result<Option<T>, Error> {
        bool::load(from)?.then(|| T::load(from)).transpose()
    }
}

impl<A: Saved, B: Saved> Saved for (A, B) {
    fn save(&self, to: &mut Vec<u8>) {
        self.0.save(to);
        self.1.save(to);
    }

    fn load(from: &mut Cursor<'_>) -> Result<(A, B), Error> {
        Ok((A::load(from)?, B::load(from)?))
    }
}

impl<T: Saved> Saved for Vec<T> {
    fn save(&self, to: &mut Vec<u8>) {
        self.len().save(to);
        self.iter().for_each(|value| value.save(to));
    }

    fn load(from: &mut Cursor<'_>) -> Result<Vec<T>, Error> {
        from.list()
    }
}

impl<T: Saved, const N: usize> Saved for [T; N] {
    fn save(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|value| value.save(to));
    }

    fn load(from: &mut Cursor<'_>) -> Result<[T; N], Error> {
        let values: Result<Vec<T>, Error> =
            (0..N).map(|_| T::load(from)).collect();
        values?.try_into().map_err(|_| inconsistent())
    }
}

impl<T: Saved + Eq + Hash> Saved for HashSet<T> {
    fn save(&self, to: &mut Vec<u8>) {
        self.len().save(to);
        self.iter().for_each(|value| value.save(to));
    }

    fn load(from: &mut Cursor<'_>) -> Result<HashSet<T>, Error> {
        from.list()
    }
}

/// The entries of a map, as a list of pairs.
macro_rules! maps {
    ($($map:ident: $($bound:ident)+;)*) => {$(
        impl<K: Saved $(+ $bound)+, V: Saved> Saved for $map<K, V> {
            fn save(&self, to: &mut Vec<u8>) {
                self.len().save(to);
                for (key, value) in self {
                    key.save(to);
                    value.save(to);
                }
            }

            fn load(from: &mut Cursor<'_>) -> Result<$map<K, V>, Error> {
                from.list::<(K, V), _>()
            }
        }
    )*};
}
maps! {
    HashMap: Eq Hash;
    BTreeMap: Ord;
}

/// Implements [`Saved`] for a struct: all of its fields, in this order. A
/// field that is missing does not compile.
macro_rules! saved {
    ($($name:ident {
        $($field:ident),* $(,)?
    })*) => {$(
        impl $crate::state::codec::Saved for $name {
            fn save(&self, to: &mut Vec<u8>) {
                let $name { $($field),* } = self;
                $($crate::state::codec::Saved::save($field, to);)*
            }

            fn load(
                from: &mut $crate::state::codec::Cursor<'_>,
            ) -> Result<$name, linetape::Error> {
                $(let $field = $crate::state::codec::Saved::load(from)?;)*
                Ok($name { $($field),* })
            }
        }
    )*};
}
pub(crate) use saved;

/// Implements [`Saved`] for a struct with one field without a name.
macro_rules! saved_newtype {
    ($($name:ident)*) => {$(
        impl $crate::state::codec::Saved for $name {
            fn save(&self, to: &mut Vec<u8>) {
                $crate::state::codec::Saved::save(&self.0, to);
            }

            fn load(
                from: &mut $crate::state::codec::Cursor<'_>,
            ) -> Result<$name, linetape::Error> {
                $crate::state::codec::Saved::load(from).map($name)
            }
        }
    )*};
}
pub(crate) use saved_newtype;

/// Implements [`Saved`] for an enum without fields: a number for each
/// variant. A variant that is missing does not compile.
macro_rules! saved_enum {
    ($($name:ident { $($variant:ident = $number:literal),* $(,)? })*) => {$(
        impl $crate::state::codec::Saved for $name {
            fn save(&self, to: &mut Vec<u8>) {
                to.push(match self {
                    $($name::$variant => $number,)*
                });
            }

            fn load(
                from: &mut $crate::state::codec::Cursor<'_>,
            ) -> Result<$name, linetape::Error> {
                match <u8 as $crate::state::codec::Saved>::load(from)? {
                    $($number => Ok($name::$variant),)*
                    _ => Err($crate::state::codec::inconsistent()),
                }
            }
        }
    )*};
}
pub(crate) use saved_enum;

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(value: &impl Saved) -> Vec<u8> {
        let mut bytes = vec![];
        value.save(&mut bytes);
        bytes
    }

    #[test]
    fn values_are_read_back_and_no_part_of_them_is() {
        type Value = (Vec<Option<i64>>, (HashMap<u8, bool>, f64));
        let numbers = vec![Some(-7), None];
        let value: Value = (numbers, (HashMap::from([(3, true)]), -0.5));
        let bytes = encoded(&value);
        let mut from = Cursor::new(&bytes);
        assert_eq!(Value::load(&mut from).unwrap(), value);
        assert!(from.end().is_ok());
        for length in 0..bytes.len() {
            let mut from = Cursor::new(&bytes[..length]);
            assert!(Value::load(&mut from).is_err(), "{length}");
        }
    }

    #[test]
    fn bytes_that_are_no_value_are_refused() {
        assert!(bool::load(&mut Cursor::new(&[2])).is_err());
        let text = encoded(&vec![0xff_u8]);
        assert!(load_text(&mut Cursor::new(&text)).is_err());
        // A length beyond the end allocates nothing.
        let length = u64::MAX.to_le_bytes();
        assert!(Vec::<u64>::load(&mut Cursor::new(&length)).is_err());
        assert!(load_text(&mut Cursor::new(&length)).is_err());
        assert!(Cursor::new(&[0]).end().is_err());
    }
}
