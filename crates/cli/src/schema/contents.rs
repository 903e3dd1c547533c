//! Every path of every kind of record, as it is collected.

use std::collections::HashMap;

use linetape::{
    Message,
    message::{PathStep, Reading},
};

use crate::schema::{
    counts::Doubt,
    tree::{Id, Tree},
};

/// A type and a subtype, each of which may be missing.
pub type Name = (Option<String>, Option<String>);

/// The records of a kind.
pub struct Kind {
    pub root: Id,
    /// How many of them are of a type that linetape does not know.
    pub unknown: u64,
}

/// What some records contain. It takes as much memory as [`Tree`] does.
#[derive(Default)]
pub struct Contents {
    pub records: u64,
    pub kinds: HashMap<Name, Kind>,
    pub tree: Tree,
    /// The places on the way to the value that was visited last. None for
    /// one that is left out.
    way: Vec<Option<Id>>,
}

impl Contents {
    pub fn add(&mut self, message: Message<'_>) {
        self.records += 1;
        let Some(root) = self.root(message) else { return };
        let Contents { tree, way, .. } = self;
        tree.begin_record(root);
        way.clear();
        way.push(Some(root));
        message.visit(|visited| {
            let Some((step, above)) = visited.path.split_last() else {
                return;
            };
            way.truncate(above.len() + 1);
            let place =
                way.last().copied().flatten().and_then(|above| match *step {
                    PathStep::Key(key) => {
                        let known = visited.reading != Reading::UnknownKey;
                        tree.member(above, key, known)
                    }
                    PathStep::Entry(_) => tree.any(above),
                    PathStep::Index(_) => tree.item(above),
                });
            way.push(place);
            let Some(place) = place else { return };
            let doubt = Doubt::of(visited.reading);
            tree.count(place, visited.value, doubt);
            if visited.reading != Reading::Read {
                // What is inside of an unknown value is unknown too.
                let inside = match doubt {
                    Some(Doubt::Key | Doubt::Type) => Some(Doubt::Key),
                    _ => None,
                };
                tree.count_inside(place, visited.value, inside);
            }
        });
    }

    /// Where the records of a message's kind begin.
    fn root(&mut self, message: Message<'_>) -> Option<Id> {
        let kind = message.kind();
        let name = kind.name().map(str::to_string);
        let subtype = kind.subtype().map(str::to_string);
        let unknown = u64::from(matches!(message, Message::Unknown(_)));
        let name = (name, subtype);
        if let Some(kind) = self.kinds.get_mut(&name) {
            kind.unknown += unknown;
            return Some(kind.root);
        }
        let length =
            |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let root = self.tree.root(length(&name.0) + length(&name.1))?;
        self.kinds.insert(name, Kind { root, unknown });
        Some(root)
    }
}
