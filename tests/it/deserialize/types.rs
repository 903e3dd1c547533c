//! The caller's own types, of every kind that serde supports.
#![allow(dead_code)] // many fields are only shown

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor, value::SeqAccessDeserializer},
};
use serde_json::Value as Json;

#[derive(Debug, Deserialize)]
pub struct Wrap<T> {
    pub v: T,
}

#[derive(Debug, Deserialize)]
pub struct Unit;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Newtype(pub u64);

#[derive(Debug, Deserialize)]
pub struct Pair(pub u8, u8);

#[derive(Debug, Deserialize)]
pub struct Plain {
    pub a: u8,
    pub b: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strict {
    pub a: u8,
    #[serde(default)]
    pub b: Json,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Fruit {
    Apple,
    Pear,
}

#[derive(Debug, Deserialize)]
pub enum External {
    Unit,
    Newtype(u8),
    Tuple(u8, String),
    Struct { a: u8 },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub enum Internal {
    Unit,
    Newtype(Plain),
    Struct { a: u8, b: Option<Json> },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", content = "a")]
pub enum Adjacent {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Untagged {
    Number(u64),
    Text(String),
    Pair(u8, u8),
    Struct { a: u8 },
    Null,
}

#[derive(Debug, Deserialize)]
pub struct Flat {
    pub a: u8,
    #[serde(flatten)]
    pub rest: BTreeMap<String, Json>,
}

#[derive(Debug, Deserialize)]
pub struct Deep {
    pub a: Vec<Option<Box<Deep>>>,
}

/// The first members of a map in the order of the text, with keys of any type.
#[derive(Debug)]
pub struct Pairs<K, V, const MOST: usize = { usize::MAX }>(pub Vec<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>, const MOST: usize>
    Deserialize<'de> for Pairs<K, V, MOST>
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct AsPairs<K, V, const MOST: usize>(Vec<(K, V)>);

        impl<'de, K, V, const MOST: usize> Visitor<'de> for AsPairs<K, V, MOST>
        where
            K: Deserialize<'de>,
            V: Deserialize<'de>,
        {
            type Value = Pairs<K, V, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(
                mut self,
                mut map: A,
            ) -> Result<Pairs<K, V, MOST>, A::Error> {
                while self.0.len() < MOST
                    && let Some(entry) = map.next_entry()?
                {
                    self.0.push(entry);
                }
                Ok(Pairs(self.0))
            }
        }

        from.deserialize_map(AsPairs(vec![]))
    }
}

/// Reads nothing.
fn unread<'de, D: Deserializer<'de>>(_: D) -> Result<(), D::Error> {
    Ok(())
}

/// A value, or `None` if it does not fit.
#[derive(Debug)]
pub struct Lenient<T>(pub Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Lenient(T::deserialize(from).ok()))
    }
}

#[derive(Debug, Deserialize)]
pub struct PassedOver {
    #[serde(deserialize_with = "unread")]
    pub a: (),
    pub b: Lenient<Vec<Lenient<u8>>>,
    pub c: Lenient<External>,
    pub d: Lenient<Wrap<i8>>,
    pub e: i8,
}

/// Bytes, from a string or an array.
#[derive(Debug)]
pub struct Bytes(pub Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct AsBytes;

        impl<'de> Visitor<'de> for AsBytes {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                list: A,
            ) -> Result<Bytes, A::Error> {
                let list = SeqAccessDeserializer::new(list);
                Vec::deserialize(list).map(Bytes)
            }
        }

        from.deserialize_byte_buf(AsBytes)
    }
}

#[derive(Debug, Deserialize)]
pub struct Borrowing<'a> {
    #[serde(borrow)]
    pub v: Cow<'a, str>,
}
