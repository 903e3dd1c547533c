//! A tree of paths: one node for each path, with its counts.

use std::{collections::BTreeMap, mem};

use linetape::Value;

use crate::schema::counts::{Counts, Doubt};

/// How many keys a node may have that the schema does not name. With one more,
/// all of them are merged into one node: any key.
const MAX_KEYS: usize = 64;

/// The maximum number of nodes, over all kinds of records.
pub const MAX_PATHS: usize = 100_000;

/// The maximum length of all paths together, in bytes.
pub const MAX_TEXT: usize = 64 << 20;

/// The index of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Id(usize);

/// The values at one path.
#[derive(Default)]
struct Node {
    counts: Counts,
    /// The length of its path.
    text: usize,
    /// The items of an array.
    item: Option<Id>,
    /// The members with any key.
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

/// The step from a node to one of its children.
pub enum Step<'t> {
    Item,
    Any,
    Key(&'t str),
}

/// All nodes. Their number and the length of their paths are limited, and so
/// is the memory, however large the logs are: about 160 MB, and three times as
/// much for a JSON document.
#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Nodes that can be reused.
    unused: Vec<Id>,
    /// The length of all paths.
    text: usize,
    /// The number of the record that is being added.
    record: u64,
    /// How many values have no node, because of the limits.
    pub left_out: u64,
}

impl Tree {
    /// Adds a root for a kind of records. `length` is that of its name.
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

    /// Returns the children of a node, in order.
    pub fn below(&self, id: Id) -> Vec<(Step<'_>, Id)> {
        let node = &self.nodes[id.0];
        let item = node.item.map(|id| (Step::Item, id));
        let any = node.any.map(|id| (Step::Any, id));
        let members = node.members.iter();
        let members = members.map(|(key, m)| (Step::Key(key), m.id));
        item.into_iter().chain(any).chain(members).collect()
    }

    /// Adds a node with a path of this length, unless a limit is reached.
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

    /// Returns the node of an array's items.
    pub fn item(&mut self, above: Id) -> Option<Id> {
        if self.nodes[above.0].item.is_none() {
            let text = self.nodes[above.0].text + "[]".len();
            self.nodes[above.0].item = self.add(text);
        }
        self.nodes[above.0].item
    }

    /// Returns the node of an object's members with any key.
    pub fn any(&mut self, above: Id) -> Option<Id> {
        if self.nodes[above.0].any.is_none() {
            let text = self.nodes[above.0].text + ".*".len();
            let any = self.add(text)?;
            self.nodes[above.0].any = Some(any);
            self.collapse(above);
        }
        self.nodes[above.0].any
    }

    /// Returns the node of an object's members with this key. `named` is
    /// whether the schema names it.
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

    /// Counts a value at its node.
    pub fn count(&mut self, id: Id, value: Value<'_>, doubt: Option<Doubt>) {
        self.nodes[id.0].counts.add(value, doubt, self.record);
    }

    /// Counts all values inside a value, without the schema.
    pub fn count_inside(
        &mut self,
        id: Id,
        value: Value<'_>,
        doubt: Option<Doubt>,
    ) {
        for (key, value) in value.as_object().into_iter().flatten() {
            if let Some(child) = self.member(id, key, false) {
                self.count(child, value, doubt);
                self.count_inside(child, value, doubt);
            }
        }
        for value in value.as_array().into_iter().flatten() {
            if let Some(child) = self.item(id) {
                self.count(child, value, doubt);
                self.count_inside(child, value, doubt);
            }
        }
    }

    /// Merges all members whose keys the schema does not name into one node.
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

    /// Merges a node and its descendants into another.
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
