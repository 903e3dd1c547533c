//! JSON values as serde_json reads them, with duplicate keys and their order.

use std::fmt;

use serde::de::{
    self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor,
};

#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    pub fn read(json: &[u8]) -> Option<Tree> {
        serde_json::from_slice(json).ok()
    }

    /// Returns how many items or members there are.
    pub fn len(&self) -> usize {
        match self {
            Tree::Array(items) => items.len(),
            Tree::Object(members) => members.len(),
            _ => 0,
        }
    }

    pub fn child(&mut self, at: usize) -> &mut Tree {
        match self {
            Tree::Array(items) => &mut items[at],
            Tree::Object(members) => &mut members[at].1,
            _ => panic!("no children"),
        }
    }

    pub fn at(&mut self, path: &[usize]) -> &mut Tree {
        path.iter().fold(self, |tree, at| tree.child(*at))
    }

    pub fn remove(&mut self, at: usize) {
        match self {
            Tree::Array(items) => drop(items.remove(at)),
            Tree::Object(members) => drop(members.remove(at)),
            _ => panic!("no children"),
        }
    }

    /// Calls `each` with all strings and keys.
    pub fn texts(&self, each: &mut impl FnMut(&str)) {
        match self {
            Tree::Text(text) => each(text),
            Tree::Array(items) => items.iter().for_each(|i| i.texts(each)),
            Tree::Object(members) => {
                members.iter().for_each(|(key, value)| {
                    each(key);
                    value.texts(each);
                })
            }
            Tree::Null | Tree::Bool(_) | Tree::Number(_) => {}
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Tree, D::Error> {
        from.deserialize_any(Reads)
    }
}

struct Reads;

impl<'de> Visitor<'de> for Reads {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Tree, E> {
        let number = serde_json::Number::from_f64(value);
        number.map(Tree::Number).ok_or_else(|| E::custom("not finite"))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(
        self,
        mut seq: A,
    ) -> Result<Tree, A::Error> {
        let mut items = vec![];
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Tree::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut map: A,
    ) -> Result<Tree, A::Error> {
        let mut members = vec![];
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Tree::Object(members))
    }
}
