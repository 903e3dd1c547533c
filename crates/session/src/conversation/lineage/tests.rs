//! The branches of a lineage are those of a tree of the same messages.

use std::collections::{HashMap, HashSet};

use linetape::{Decoder, Position};
use serde_json::{Value, json};

use super::*;
use crate::{Node, NodeId, Tree, conversation::lineage::Vertices};

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

/// Returns a log of up to 40 messages in which ids meet often: children before
/// their parents, missing parents, cycles, copies, sub-agents, parallel calls,
/// compactions.
fn log(random: &mut Random) -> Vec<Value> {
    let count = 5 + random.below(36);
    let disorder = 2 + random.below(30);
    let mut lines = vec![];
    for n in 0..count {
        let near = |random: &mut Random| match random.is_one_of(disorder) {
            true => format!("u{}", random.below(count + 2)),
            false => format!("u{}", n.saturating_sub(1 + random.below(3) / 2)),
        };
        let mut line = json!({"uuid": format!("u{n}")});
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
            line["agentId"] = json!(format!("a{}", random.below(2)));
        }
        if random.is_one_of(10) {
            line["parent_tool_use_id"] =
                json!(format!("t{}", random.below(5)));
        }
        let tool = format!("t{}", random.below(5));
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
                let id = format!("m{}", n / 3 + random.below(2));
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
                    let agent = format!("a{}", random.below(2));
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

#[test]
fn branches_are_those_of_a_tree() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut most, mut found) = (0, 0);
    for round in 0..3000 {
        let lines = log(&mut random);
        let (mut tree, mut lineage) = (Tree::new(), Lineage::default());
        let mut names = Names::new();
        let mut nodes: HashMap<Index, NodeId> = HashMap::new();
        let mut decoder = Decoder::new();
        for line in &lines {
            let text = line.to_string();
            let record = decoder.decode(text.as_bytes()).unwrap();
            let facts = Facts::of(record.message());
            let node = tree.add_node(&facts, Position::new(1, 0));
            let vertex = lineage.add(&facts, &mut names);
            assert_eq!(node.is_some(), vertex.is_some());
            nodes.extend(vertex.zip(node));
        }
        let distinct: HashSet<NodeId> = nodes.values().copied().collect();
        assert_eq!(distinct.len(), nodes.len());
        assert_eq!(tree.len(), nodes.len());
        let mut some = |count: u64| -> HashMap<Index, NodeId> {
            let nodes = nodes.iter().filter(|_| !random.is_one_of(count));
            nodes.map(|(vertex, node)| (*vertex, *node)).collect()
        };
        let (spoken, asked) = (some(20), some(3));
        let set = |of: &HashMap<Index, NodeId>| of.values().copied().collect();
        let expected = abandoned(&tree, &set(&spoken), &set(&asked));
        let of = |of: &HashMap<Index, NodeId>| {
            Vertices::of(&lineage, of.keys().copied())
        };
        let actual = lineage.abandoned(&of(&spoken), &of(&asked));
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        for (vertex, node) in &nodes {
            let is_abandoned = expected.contains(node);
            let uuid = tree.get(*node).unwrap().uuid();
            assert_eq!(
                actual.has(*vertex),
                is_abandoned,
                "{round}: {uuid} of\n{}",
                text.join("\n")
            );
            let parent = tree.get(*node).unwrap().parent_uuid();
            let is_missing = parent.is_some_and(|p| tree.find(p).is_none());
            assert_eq!(lineage.misses_parent(*vertex), is_missing, "{uuid}");
        }
        most = most.max(expected.len());
        found += usize::from(!expected.is_empty());
    }
    // Else the logs would show nothing.
    assert!(most > 10 && found > 500, "{most} {found}");
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
fn a_vertex_takes_24_bytes() {
    assert_eq!(size_of::<Vertex>(), 24);
}
