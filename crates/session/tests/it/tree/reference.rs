//! `Tree` against a slow and simple reference implementation.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{collection::vec, option, prelude::*, sample::select};

use super::*;
use crate::texts::cases;

/// The parts of a message that a tree depends on.
#[derive(Clone, Debug)]
struct Note {
    kind: &'static str,
    uuid: u8,
    parent: Option<u8>,
    logical: Option<u8>,
    is_sidechain: bool,
    call: Option<u8>,
    agent: Option<u8>,
    calls: Vec<u8>,
    answers: Option<(u8, u8)>,
}

impl Note {
    fn is_side(&self) -> bool {
        self.is_sidechain || self.call.is_some()
    }

    fn line(&self) -> String {
        let mut blocks: Vec<_> = self
            .calls
            .iter()
            .map(|call| format!(r#"{{"type":"tool_use","id":"{call}"}}"#))
            .collect();
        let mut more = String::new();
        if let Some((call, agent)) = self.answers {
            let result = r#"{"type":"tool_result","tool_use_id":"#;
            blocks.push(format!("{result}\"{call}\"}}"));
            more = format!(r#","toolUseResult":{{"agentId":"{agent}"}}"#);
        }
        let mut add = |key, value: Option<u8>| {
            if let Some(value) = value {
                write!(more, ",\"{key}\":\"{value}\"").unwrap();
            }
        };
        add("parentUuid", self.parent);
        add("logicalParentUuid", self.logical);
        add("parent_tool_use_id", self.call);
        add("agentId", self.agent);
        add("uuid", Some(self.uuid));
        format!(
            "{{\"type\":\"{}\",\"isSidechain\":{},\
             \"message\":{{\"content\":[{}]}}{more}}}\n",
            self.kind,
            self.is_sidechain,
            blocks.join(","),
        )
    }
}

fn note() -> impl Strategy<Value = Note> {
    let kinds = vec!["user", "assistant", "progress", "system"];
    let who = (select(kinds), 0u8..20, any::<bool>(), any::<bool>());
    let rare = |range| option::weighted(0.2, range);
    let links = (option::weighted(0.8, 0u8..23), rare(0u8..23));
    let more = (rare(0u8..4), option::of(0u8..3), vec(0u8..4, 0..3));
    let answers = option::weighted(0.3, (0u8..4, 0u8..3));
    (who, links, more, answers).prop_map(|(who, links, more, answers)| {
        let (kind, uuid, one, other) = who;
        let (parent, logical) = links;
        let (call, agent, calls) = more;
        // Only the user and the model have blocks, and only the user has
        // results.
        let speaks = matches!(kind, "user" | "assistant");
        let answers = answers.filter(|_| kind == "user");
        let calls = if speaks { calls } else { vec![] };
        let is_sidechain = one && other;
        Note {
            kind,
            uuid,
            parent,
            logical,
            is_sidechain,
            call,
            agent,
            calls,
            answers,
        }
    })
}

/// The reference implementation: lists that are searched linearly.
#[derive(Default)]
struct Reference {
    notes: Vec<Note>,
    /// Links from a child to its parent, in order of appearance.
    links: Vec<(String, String)>,
    cycles: Vec<u8>,
    duplicates: u64,
}

impl Reference {
    fn new(notes: &[Note]) -> Reference {
        let mut reference = Reference::default();
        for note in notes {
            if reference.notes.iter().any(|other| other.uuid == note.uuid) {
                reference.duplicates += 1;
                continue;
            }
            reference.notes.push(note.clone());
            let me = format!("uuid {}", note.uuid);
            let agent = note.agent.filter(|_| note.is_side());
            let up = note.parent.or(note.logical);
            let up = up.map(|uuid| format!("uuid {uuid}"));
            let up = up.or(note.call.map(|call| format!("call {call}")));
            let up = up.or(agent.map(|agent| format!("agent {agent}")));
            let mut good = up.is_none_or(|up| reference.link(&me, &up));
            for call in &note.calls {
                good &= reference.link(&format!("call {call}"), &me);
            }
            if let Some((call, agent)) = note.answers {
                let call = format!("call {call}");
                good &= reference.link(&format!("agent {agent}"), &call);
            }
            if !good {
                reference.cycles.push(note.uuid);
            }
        }
        reference
    }

    fn up(&self, from: &str) -> Option<&str> {
        let link = self.links.iter().find(|(below, _)| below == from);
        link.map(|(_, up)| up.as_str())
    }

    /// Adds a link. Returns `false` if it would close a cycle.
    fn link(&mut self, from: &str, to: &str) -> bool {
        if self.up(from).is_some() {
            return true;
        }
        let mut at = Some(to);
        while let Some(here) = at {
            if here == from {
                return false;
            }
            at = self.up(here);
        }
        self.links.push((from.into(), to.into()));
        true
    }

    fn note(&self, name: &str) -> Option<&Note> {
        let uuid = name.strip_prefix("uuid ")?;
        self.notes.iter().find(|note| note.uuid.to_string() == uuid)
    }

    fn parent(&self, note: &Note) -> Option<&Note> {
        let mut at = self.up(&format!("uuid {}", note.uuid));
        while let Some(here) = at {
            if let Some(note) = self.note(here) {
                return Some(note);
            }
            at = self.up(here);
        }
        None
    }

    fn roots(&self) -> Vec<&Note> {
        let roots = self.notes.iter();
        roots.filter(|note| self.parent(note).is_none()).collect()
    }

    fn below(&self, name: &str) -> Vec<&Note> {
        let below = self.links.iter().filter(|(_, up)| up == name);
        let below = below.map(|(below, _)| below.as_str());
        let (uuids, others): (Vec<_>, Vec<_>) =
            below.partition(|name| name.starts_with("uuid"));
        let mut notes: Vec<_> =
            others.into_iter().flat_map(|name| self.below(name)).collect();
        notes.extend(uuids.into_iter().filter_map(|name| self.note(name)));
        notes
    }

    fn children(&self, note: &Note) -> Vec<&Note> {
        self.below(&format!("uuid {}", note.uuid))
    }

    fn depth_first(&self, depth: usize, note: &Note, out: &mut Vec<String>) {
        out.push(format!("{depth} {}", note.uuid));
        for child in self.children(note) {
            self.depth_first(depth + 1, child, out);
        }
    }

    fn active_branch(&self) -> Vec<&Note> {
        let main = || self.notes.iter().rev().filter(|n| !n.is_side());
        let said = |n: &&Note| matches!(n.kind, "user" | "assistant");
        let last = main().find(said).or_else(|| main().next());
        let Some(last) = last else { return vec![] };
        let mut branch = vec![last];
        while let Some(parent) = self.parent(branch[0]) {
            branch.insert(0, parent);
        }
        let newest = |note: &Note| {
            let mut children = self.children(note);
            children.retain(|child| !child.is_side());
            children.pop()
        };
        while let Some(child) = newest(branch[branch.len() - 1]) {
            branch.push(child);
        }
        branch
    }

    fn branch_points(&self) -> Vec<&Note> {
        let is_turn = |note: &&&Note| {
            !note.is_side()
                && matches!(note.kind, "user" | "assistant")
                && note.answers.is_none()
        };
        let points = self.notes.iter();
        points
            .filter(|n| self.children(n).iter().filter(is_turn).count() > 1)
            .collect()
    }

    fn sidechains(&self) -> String {
        let mut seen = BTreeSet::new();
        let mut sides = vec![];
        for note in self.notes.iter().filter(|note| note.is_side()) {
            let parent = self.parent(note);
            let up = self.up(&format!("uuid {}", note.uuid));
            let starts = match up {
                Some(up) if !up.starts_with("uuid") => seen.insert(up),
                _ => parent.is_none_or(|parent| !parent.is_side()),
            };
            if starts {
                let parent = parent.map(|parent| parent.uuid.to_string());
                let parent = parent.unwrap_or("?".into());
                sides.push(format!("{}<{parent}", note.uuid));
            }
        }
        sides.join(" ")
    }

    fn missing(&self) -> BTreeSet<String> {
        let named = self.notes.iter().flat_map(|n| [n.parent, n.logical]);
        let named = named.flatten().map(|uuid| uuid.to_string());
        named
            .filter(|uuid| self.note(&format!("uuid {uuid}")).is_none())
            .collect()
    }
}

fn listed(notes: Vec<&Note>) -> String {
    let names: Vec<_> = notes.iter().map(|n| n.uuid.to_string()).collect();
    names.join(" ")
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn a_tree_agrees_with_the_reference(notes in vec(note(), 0..30)) {
        let log: String = notes.iter().map(Note::line).collect();
        let (tree, reference) = (tree(&log), Reference::new(&notes));
        prop_assert_eq!(tree.len(), reference.notes.len());
        prop_assert_eq!(tree.duplicates(), reference.duplicates);
        prop_assert_eq!(names(tree.roots()), listed(reference.roots()));
        for note in &reference.notes {
            let node = tree.find(&note.uuid.to_string()).unwrap();
            let children = listed(reference.children(note));
            prop_assert_eq!(names(node.children()), children);
            let parent = reference.parent(note).map(|n| n.uuid.to_string());
            prop_assert_eq!(node.parent().map(Node::uuid), parent.as_deref());
            prop_assert_eq!(node.is_sidechain(), note.is_side());
        }
        let mut expected = vec![];
        for root in reference.roots() {
            reference.depth_first(0, root, &mut expected);
        }
        let walked: Vec<_> = tree.depth_first()
            .map(|(depth, node)| format!("{depth} {}", node.uuid()))
            .collect();
        prop_assert_eq!(&walked, &expected);
        let met = tree.depth_first().map(|(_, node)| node.id());
        let met: BTreeSet<_> = met.collect();
        prop_assert_eq!((walked.len(), met.len()), (tree.len(), tree.len()));

        let branch = tree.active_branch();
        prop_assert_eq!(names(branch), listed(reference.active_branch()));
        let points = names(tree.branch_points());
        prop_assert_eq!(points, listed(reference.branch_points()));
        prop_assert_eq!(side(&tree), reference.sidechains());
        let cycles: Vec<_> = reference.cycles.iter().map(u8::to_string).collect();
        prop_assert_eq!(names(tree.cycles()), cycles.join(" "));
        let missing = tree.missing().map(str::to_string);
        prop_assert_eq!(missing.collect::<BTreeSet<_>>(), reference.missing());
    }

    /// Without cycles and repeated lines, the order of lines does not change
    /// the links.
    #[test]
    fn the_order_of_lines_does_not_matter_for_links(
        (lines, shuffled) in vec(any::<u16>(), 0..40).prop_map(|parents| {
            parents.iter().enumerate().map(|(at, parent)| {
                let parent = match at {
                    0 => "-".to_string(),
                    _ => (*parent as usize % at).to_string(),
                };
                said("user", &at.to_string(), &parent)
            }).collect::<Vec<_>>()
        }).prop_flat_map(|lines| {
            (Just(lines.clone()), Just(lines).prop_shuffle())
        }),
    ) {
        let links = |lines: &[String]| {
            let tree = tree(&lines.concat());
            let link = |n: Node<'_>| {
                let parent = n.parent().map(|up| up.uuid().to_string());
                let mut below: Vec<_> =
                    n.children().map(|c| c.uuid().to_string()).collect();
                below.sort();
                (n.uuid().to_string(), (parent, below))
            };
            assert_eq!(tree.cycles().count(), 0);
            tree.nodes().map(link).collect::<BTreeMap<_, _>>()
        };
        prop_assert_eq!(links(&lines), links(&shuffled));
    }
}
