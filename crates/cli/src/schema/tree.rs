//! The places that values have been seen at.

use std::{collections::BTreeMap, mem};

use linetape::Value;

use crate::schema::counts::{Counts, Doubt};

/// How many keys a place may have that the schema does not name. With one
/// more, they are all one: any key.
const MAX_KEYS: usize = 64;

/// How many places there may be, over all kinds of records.
pub const MAX_PATHS: usize = 100_000;

/// How long the paths to all places may be together, in bytes.
const MAX_TEXT: usize = 64 << 20;

/// The number of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Id(usize);

/// A place.
#[derive(Default)]
struct Node {
    counts: Counts,
    /// How long the path to here is.
    text: usize,
    item: Option<Id>,
    any: Option<Id>,
    members: BTreeMap<Box<str>, Member>,
    /// How many of the members have keys that the schema does not name.
    unnamed: usize,
}

struct Member {
    id: Id,
    /// Whether the schema names the key.
    named: bool,
}

/// What follows a place.
pub enum Step<'t> {
    Item,
    Any,
    Key(&'t str),
}

/// All places. Their number and the length of their paths have limits, so
/// memory has one too, however large the logs are: about 160 MB, and three
/// times as much for a JSON document.
#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Nodes that may be used again.
    unused: Vec<Id>,
    text: usize,
    /// The number of the record that is being added.
    record: u64,
    /// Values that found no place, because of the limits.
    pub left_out: u64,
}

impl Tree {
    /// A new place for records, whose name is so long.
    pub fn root(&mut self, length: usize) -> Option<Id> {
        self.text += length;
        let root = self.add(0);
        if root.is_none() {
            self.text -= length;
        }
        root
    }

    pub fn begin_record(&mut self, root: Id) {
        self.record += 1;
        self.nodes[root.0].counts.records += 1;
    }

    pub fn counts(&self, id: Id) -> &Counts {
        &self.nodes[id.0].counts
    }

    /// What follows a place, in order.
    pub fn below(&self, id: Id) -> Vec<(Step<'_>, Id)> {
        let node = &self.nodes[id.0];
        let item = node.item.map(|id| (Step::Item, id));
        let any = node.any.map(|id| (Step::Any, id));
        let members = node.members.iter();
        let members = members.map(|(key, m)| (Step::Key(key), m.id));
        item.into_iter().chain(any).chain(members).collect()
    }

    /// A new place with a path of this length, unless that would be too much.
    fn add(&mut self, text: usize) -> Option<Id> {
        let count = self.nodes.len() - self.unused.len();
        if count >= MAX_PATHS || self.text + text > MAX_TEXT {
            self.left_out += 1;
            return None;
        }
        self.text += text;
        let node = Node { text, ..Node::default() };
        Some(match self.unused.pop() {
            Some(id) => {
                self.nodes[id.0] = node;
                id
            }
            None => {
                self.nodes.push(node);
                Id(self.nodes.len() - 1)
            }
        })
    }

    /// The place of an array's items.
    pub fn item(&mut self, above: Id) -> Option<Id> {
        if self.nodes[above.0].item.is_none() {
            let text = self.nodes[above.0].text + "[]".len();
            self.nodes[above.0].item = self.add(text);
        }
        self.nodes[above.0].item
    }

    /// The place of members whose keys do not matter.
    pub fn any(&mut self, above: Id) -> Option<Id> {
        if self.nodes[above.0].any.is_none() {
            let text = self.nodes[above.0].text + ".*".len();
            let any = self.add(text)?;
            self.nodes[above.0].any = Some(any);
            self.collapse(above);
        }
        self.nodes[above.0].any
    }

    /// The place of the members with a key.
    pub fn member(&mut self, above: Id, key: &str, named: bool) -> Option<Id> {
        let node = &mut self.nodes[above.0];
        if let Some(member) = node.members.get_mut(key) {
            if named && !member.named {
                member.named = true;
                node.unnamed -= 1;
            }
            return Some(member.id);
        }
        if !named {
            if node.any.is_none() && node.unnamed == MAX_KEYS {
                self.collapse(above);
            }
            if let Some(any) = self.nodes[above.0].any {
                return Some(any);
            }
        }
        let text = self.nodes[above.0].text + ".".len() + key.len();
        let id = self.add(text)?;
        let node = &mut self.nodes[above.0];
        node.members.insert(key.into(), Member { id, named });
        node.unnamed += usize::from(!named);
        Some(id)
    }

    /// Counts a value at its place.
    pub fn count(&mut self, id: Id, value: Value<'_>, doubt: Option<Doubt>) {
        self.nodes[id.0].counts.add(value, doubt, self.record);
    }

    /// Counts what is inside of a value, whatever it is.
    pub fn count_inside(
        &mut self,
        id: Id,
        value: Value<'_>,
        doubt: Option<Doubt>,
    ) {
        for (key, value) in value.as_object().into_iter().flatten() {
            if let Some(place) = self.member(id, key, false) {
                self.count(place, value, doubt);
                self.count_inside(place, value, doubt);
            }
        }
        for value in value.as_array().into_iter().flatten() {
            if let Some(place) = self.item(id) {
                self.count(place, value, doubt);
                self.count_inside(place, value, doubt);
            }
        }
    }

    /// Makes one place of all members whose keys the schema does not name.
    fn collapse(&mut self, above: Id) {
        let node = &mut self.nodes[above.0];
        let most = node.counts.records;
        let mut unnamed = vec![];
        node.members.retain(|_, member| {
            if !member.named {
                unnamed.push(member.id);
            }
            member.named
        });
        node.unnamed = 0;
        for id in unnamed {
            match self.nodes[above.0].any {
                Some(any) => self.merge(any, id, most),
                None => self.nodes[above.0].any = Some(id),
            }
        }
    }

    /// Puts what was seen at a place, and below, to what was seen at another.
    fn merge(&mut self, into: Id, from: Id, most: u64) {
        let Node { counts, text, item, any, members, .. } =
            mem::take(&mut self.nodes[from.0]);
        self.text -= text;
        self.unused.push(from);
        let node = &mut self.nodes[into.0];
        node.counts.merge(counts, most);
        let most = node.counts.records;
        match (node.item, item) {
            (Some(into), Some(from)) => self.merge(into, from, most),
            (into, from) => node.item = into.or(from),
        }
        let node = &mut self.nodes[into.0];
        match (node.any, any) {
            (Some(into), Some(from)) => self.merge(into, from, most),
            (into, from) => node.any = into.or(from),
        }
        for (key, member) in members {
            let node = &mut self.nodes[into.0];
            let there = node.members.get(&key).map(|member| member.id);
            let other = node.any.filter(|_| !member.named);
            match there.or(other) {
                Some(into) => self.merge(into, member.id, most),
                None => {
                    node.unnamed += usize::from(!member.named);
                    node.members.insert(key, member);
                }
            }
        }
        let node = &mut self.nodes[into.0];
        let has_both = node.any.is_some() && node.unnamed > 0;
        if has_both || node.unnamed > MAX_KEYS {
            self.collapse(into);
        }
    }
}
