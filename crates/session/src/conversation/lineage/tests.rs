//! The branches of a lineage are those of a tree of the same messages.

use std::collections::{HashMap, HashSet};

use linetape::{Decoder, Position};
use serde_json::{Value, json};

use super::*;
use crate::{Node, NodeId, Tree};

/// Random numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn is_one_of(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// Returns a log of up to 40 messages of a session in which ids meet often: children before
/// their parents, missing parents, cycles, copies, sub-agents, parallel calls,
/// compactions.
fn log(random: &mut Random, session: u64) -> Vec<Value> {
    let count = 5 + random.below(36);
    let disorder = 2 + random.below(30);
    let mut lines = vec![];
    for n in 0..count {
        let near = |random: &mut Random| match random.is_one_of(disorder) {
            true => format!("{session}u{}", random.below(count + 2)),
            false => {
                let n = n.saturating_sub(1 + random.below(3) / 2);
                format!("{session}u{n}")
            }
        };
        let mut line = json!({"uuid": format!("{session}u{n}")});
        if random.is_one_of(disorder) {
            line["uuid"] = json!(near(random));
        }
        if !random.is_one_of(6) {
            line["parentUuid"] = json!(near(random));
        }
        if random.is_one_of(8) {
            line["logicalParentUuid"] = json!(near(random));
        }
        if random.is_one_of(8) {
            line["isSidechain"] = json!(true);
        }
        if random.is_one_of(6) {
            line["agentId"] = json!(format!("{session}a{}", random.below(2)));
        }
        if random.is_one_of(10) {
            line["parent_tool_use_id"] =
                json!(format!("{session}t{}", random.below(5)));
        }
        let tool = format!("{session}t{}", random.below(5));
        let text = json!([{"type": "text", "text": "x"}]);
        match random.below(9) {
            0 => line["type"] = json!("progress"),
            1 => {
                line["type"] = json!("system");
                line["subtype"] = json!("compact_boundary");
                let [a, b, c] = [0; 3].map(|_| near(random));
                line["compactMetadata"] = match random.below(3) {
                    0 => json!({"preservedSegment": {
                        "anchorUuid": a, "headUuid": b, "tailUuid": c}}),
                    1 => json!({"preservedMessages": {
                        "anchorUuid": a, "uuids": [b, c]}}),
                    _ => json!({}),
                };
            }
            2..=4 => {
                line["type"] = json!("assistant");
                let id = format!("{session}m{}", n / 3 + random.below(2));
                let call = json!([{"type": "tool_use", "id": tool}]);
                let content = if random.is_one_of(3) { text } else { call };
                line["message"] = json!({"id": id, "content": content});
            }
            5 | 6 => {
                line["type"] = json!("user");
                line["message"] = json!({"content": [
                    {"type": "tool_result", "tool_use_id": tool}]});
                if random.is_one_of(2) {
                    let source = json!(near(random));
                    line["sourceToolAssistantUUID"] = source;
                }
                if random.is_one_of(3) {
                    let agent = format!("{session}a{}", random.below(2));
                    line["toolUseResult"] = json!({"agentId": agent});
                }
            }
            _ => {
                line["type"] = json!("user");
                line["message"] = json!({"content": text});
            }
        }
        if random.is_one_of(12) {
            line.as_object_mut().unwrap().remove("uuid");
        }
        lines.push(line);
    }
    lines
}

/// The slow and simple version: on a tree, with sets.
fn abandoned(
    tree: &Tree,
    spoken: &HashSet<NodeId>,
    asked: &HashSet<NodeId>,
) -> HashSet<NodeId> {
    let branch = tree.active_branch();
    let active: HashSet<NodeId> = branch.into_iter().map(Node::id).collect();
    let mut abandoned = HashSet::new();
    for point in tree.branch_points() {
        let children: Vec<Node<'_>> = point
            .children()
            .filter(|node| !node.is_sidechain() && spoken.contains(&node.id()))
            .collect();
        let is_active = |child: &Node<'_>| active.contains(&child.id());
        let kept = children.iter().rposition(is_active);
        let kept = kept.unwrap_or(children.len().saturating_sub(1));
        if children.get(kept).is_none_or(|kept| !asked.contains(&kept.id())) {
            continue;
        }
        for (at, child) in children.iter().enumerate() {
            if at != kept {
                abandoned.insert(child.id());
                abandoned.extend(tree.below(child.id()).map(Node::id));
            }
        }
    }
    abandoned.retain(|node| !active.contains(node));
    abandoned
}

/// A session: its lines, its tree, and its last message.
struct Session {
    lines: Vec<Value>,
    tree: Tree,
    /// The last message of the main thread that the user, a tool or the model
    /// wrote, and the last one of any type.
    last: (Option<Index>, Option<Index>),
    nodes: HashMap<Index, NodeId>,
}

impl Session {
    fn new(lines: Vec<Value>) -> Session {
        let (last, nodes) = ((None, None), HashMap::new());
        Session { lines, tree: Tree::new(), last, nodes }
    }

    /// Adds a line to the tree, and to the lineage of all sessions.
    fn add(&mut self, at: usize, lineage: &mut Lineage, names: &mut Names) {
        let Some(line) = self.lines.get(at) else { return };
        let text = line.to_string();
        let mut decoder = Decoder::new();
        let record = decoder.decode(text.as_bytes()).unwrap();
        let facts = Facts::of(record.message());
        let node = self.tree.add_node(&facts, Position::new(1, 0));
        let count = self.nodes.len();
        let vertex = lineage.add(&facts, names);
        assert_eq!(node.is_some(), vertex.is_some());
        self.nodes.extend(vertex.zip(node));
        if self.nodes.len() > count && !facts.is_sidechain() {
            self.last.1 = vertex;
            if facts.role() != Role::Other {
                self.last.0 = vertex;
            }
        }
    }
}

#[test]
fn branches_are_those_of_a_tree_for_each_session() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut most, mut found) = (0, 0);
    for round in 0..1000 {
        let count = 1 + random.below(2);
        let logs = (0..count).map(|session| log(&mut random, session));
        let mut sessions: Vec<Session> = logs.map(Session::new).collect();
        let (mut lineage, mut names) = (Lineage::default(), Names::new());
        for at in 0..40 {
            for session in &mut sessions {
                session.add(at, &mut lineage, &mut names);
            }
        }
        let mut shown = Shown {
            sessions: vec![None; lineage.len()],
            spoken: Vertices::of(&lineage, [].into_iter()),
            asked: Vertices::of(&lineage, [].into_iter()),
            last: vec![],
        };
        let mut expected = HashSet::new();
        for (at, session) in sessions.iter().enumerate() {
            let nodes = &session.nodes;
            let distinct: HashSet<NodeId> = nodes.values().copied().collect();
            assert_eq!(distinct.len(), nodes.len());
            assert_eq!(session.tree.len(), nodes.len());
            let index = Index::new(at).unwrap();
            let last = session.last.0.or(session.last.1);
            shown.last.extend(last.map(|last| (index, last)));
            let (mut spoken, mut asked) = (HashSet::new(), HashSet::new());
            for (vertex, node) in nodes {
                shown.sessions[vertex.get()] = Some(index);
                if !random.is_one_of(20) {
                    shown.spoken.insert(*vertex);
                    spoken.insert(*node);
                }
                if !random.is_one_of(3) {
                    shown.asked.insert(*vertex);
                    asked.insert(*node);
                }
            }
            let gone = abandoned(&session.tree, &spoken, &asked);
            let of_session = nodes.iter().filter(|(_, n)| gone.contains(n));
            expected.extend(of_session.map(|(vertex, _)| *vertex));
        }
        let actual = lineage.abandoned(&shown);
        for Session { lines, tree, nodes, .. } in &sessions {
            let text: Vec<String> =
                lines.iter().map(Value::to_string).collect();
            for (vertex, node) in nodes {
                let uuid = tree.get(*node).unwrap().uuid();
                assert_eq!(
                    actual.has(*vertex),
                    expected.contains(vertex),
                    "{round}: {uuid} of\n{}",
                    text.join("\n")
                );
                let parent = tree.get(*node).unwrap().parent_uuid();
                let is_missing =
                    parent.is_some_and(|p| tree.find(p).is_none());
                let misses = lineage.misses_parent(*vertex);
                assert_eq!(misses, is_missing, "{uuid}");
            }
        }
        most = most.max(expected.len());
        found += usize::from(!expected.is_empty());
    }
    // Else the logs would show nothing.
    assert!(most > 10 && found > 200, "{most} {found}");
}

/// Some agents give one uuid to all lines of a message.
#[test]
fn a_message_is_new_unless_uuid_and_content_were_there() {
    let mut decoder = Decoder::new();
    let mut lineage = Lineage::default();
    let mut names = Names::new();
    let mut add = |uuid: &str, content: u64| {
        let line = json!({"type": "user", "uuid": uuid}).to_string();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let facts = Facts::of(record.message());
        let at = lineage.add(&facts, &mut names).unwrap();
        lineage.is_new(at, content)
    };
    assert!(add("a", 7));
    assert!(!add("a", 7));
    assert!(add("b", 7));
    assert!(add("a", 8));
    assert!(!add("a", 8));
    assert!(!add("a", 7));
    assert!(add("a", 0));
    assert!(!add("a", 0));
}

#[test]
fn a_vertex_takes_20_bytes() {
    assert_eq!(size_of::<Vertex>(), 20);
}
