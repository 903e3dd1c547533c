//! Collects the paths of all records, by kind.

use std::collections::HashMap;

use linetape::{
    Message,
    message::{PathStep, Reading},
};

use crate::{
    owner::owner,
    schema::{
        counts::Doubt,
        tree::{Id, Tree},
    },
};

/// A type, a subtype, and the file that the type [belongs to](owner); each can
/// be absent.
pub type Name = (Option<String>, Option<String>, Option<&'static str>);

/// The records of one kind.
pub struct Kind {
    pub root: Id,
    /// How many of them have a type that linetape does not know.
    pub unknown: u64,
}

/// The paths of all records. Its memory is bounded by that of [`Tree`].
#[derive(Default)]
pub struct Contents {
    pub records: u64,
    pub kinds: HashMap<Name, Kind>,
    pub tree: Tree,
    /// The nodes from the root to the value that was visited last; `None` for
    /// a node that is left out.
    ancestors: Vec<Option<Id>>,
}

impl Contents {
    pub fn add(&mut self, message: Message<'_>) {
        self.records += 1;
        let Some(root) = self.root(message) else { return };
        let name_of_owner = owner(message);
        let Contents { tree, ancestors, .. } = self;
        tree.begin_record(root);
        ancestors.clear();
        ancestors.push(Some(root));
        message.visit(|visited| {
            let Some((step, above)) = visited.path.split_last() else {
                return;
            };
            ancestors.truncate(above.len() + 1);
            let parent = ancestors.last().copied().flatten();
            let node = parent.and_then(|parent| match *step {
                PathStep::Key(key) => {
                    let known = visited.reading != Reading::UnknownKey;
                    tree.member(parent, key, known)
                }
                PathStep::Entry(_) => tree.any(parent),
                PathStep::Index(_) => tree.item(parent),
            });
            ancestors.push(node);
            let Some(node) = node else { return };
            // The journal of a workflow has any value there, and other results
            // a text.
            let is_journal_result = name_of_owner.is_some()
                && matches!(visited.path, [PathStep::Key("result")]);
            let doubt =
                Doubt::of(visited.reading).filter(|_| !is_journal_result);
            tree.count(node, visited.value, doubt);
            if visited.reading != Reading::Read {
                // The content of an unknown value is unknown too.
                let inside = match doubt {
                    Some(Doubt::Key | Doubt::Type) => Some(Doubt::Key),
                    _ => None,
                };
                tree.count_inside(node, visited.value, inside);
            }
        });
    }

    /// Returns the root node of a message's kind.
    fn root(&mut self, message: Message<'_>) -> Option<Id> {
        let kind = message.kind();
        let name = kind.name().map(str::to_string);
        let subtype = kind.subtype().map(str::to_string);
        let unknown = u64::from(matches!(message, Message::Unknown(_)));
        let name = (name, subtype, owner(message));
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
