//! `Tree`: small sessions, a reference implementation, real logs, and very
//! deep and wide trees.

mod large;
mod reference;
mod sessions;

use std::fmt::Write;

use linetape::lines;
use linetape_session::{Node, Tree};

/// Returns the tree of a log. Asserts that peeked and decoded messages give
/// the same tree.
fn tree(log: &str) -> Tree {
    let (mut peeked, mut decoded) = (Tree::new(), Tree::new());
    let mut reader = lines(log.as_bytes());
    while let Some(line) = reader.next_line() {
        let line = line.unwrap();
        peeked.add(line.peek().unwrap(), line.position());
    }
    let mut reader = lines(log.as_bytes());
    while let Some(record) = reader.next_record() {
        let record = record.unwrap();
        decoded.add(record.message(), record.position());
    }
    assert_eq!(digest(&peeked), digest(&decoded));
    peeked
}

/// Returns the results of all methods of a tree.
pub fn digest(tree: &Tree) -> String {
    let mut out = format!("{tree:?} {:?}\n", names(tree.active_branch()));
    for (depth, node) in tree.depth_first() {
        let links = [node.parent(), node.logical_parent()];
        let links = links.map(|link| link.map(Node::uuid));
        let named =
            [node.parent_uuid(), node.logical_parent_uuid(), node.call()];
        let (side, cut) = (node.is_sidechain(), node.is_boundary());
        let at = node.position();
        writeln!(
            out,
            "{depth} {node:?} {at} {links:?} {named:?} {side} {cut}"
        )
        .unwrap();
    }
    let missing: Vec<_> = tree.missing().collect();
    let lists = [names(tree.roots()), names(tree.branch_points()), side(tree)];
    let more = [names(tree.boundaries()), names(tree.cycles())];
    write!(out, "{missing:?} {lists:?} {more:?}").unwrap();
    out
}

fn names<'t>(nodes: impl IntoIterator<Item = Node<'t>>) -> String {
    let names: Vec<_> = nodes.into_iter().map(Node::uuid).collect();
    names.join(" ")
}

/// Returns the sidechains, each as `first<parent`.
fn side(tree: &Tree) -> String {
    let sides = tree.sidechains().map(|(first, parent)| {
        format!("{}<{}", first.uuid(), parent.map_or("?", Node::uuid))
    });
    sides.collect::<Vec<_>>().join(" ")
}

/// Returns the tree as `a(b c(d))`.
fn shape(tree: &Tree) -> String {
    let (mut out, mut before) = (String::new(), 0);
    for (at, (depth, node)) in tree.depth_first().enumerate() {
        match depth > before {
            true => {
                assert_eq!(depth, before + 1);
                out.push('(');
            }
            false => {
                out += &")".repeat(before - depth);
                out += if at == 0 { "" } else { " " };
            }
        }
        out += node.uuid();
        before = depth;
    }
    out + &")".repeat(before)
}

/// Returns a transcript line with text of the user or the model.
fn said(kind: &str, uuid: &str, parent: &str) -> String {
    line(kind, uuid, parent, r#""message":{"content":"Hm"}"#)
}

/// Returns a transcript line. The parent `-` means none.
fn line(kind: &str, uuid: &str, parent: &str, more: &str) -> String {
    let parent = match parent {
        "-" => "null".to_string(),
        parent => format!("\"{parent}\""),
    };
    let more = if more.is_empty() { "\"n\":1" } else { more };
    format!(
        "{{\"parentUuid\":{parent},\"type\":\"{kind}\",{more},\
         \"uuid\":\"{uuid}\"}}\n"
    )
}

/// Returns the members of a line that calls tools.
fn calls(ids: &[&str]) -> String {
    let block = |id: &&str| {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"T","input":{{}}}}"#)
    };
    let blocks: Vec<_> = ids.iter().map(block).collect();
    format!(r#""message":{{"content":[{}]}}"#, blocks.join(","))
}

/// Returns the members of a line with a tool result.
fn result(id: &str) -> String {
    let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}"}}"#);
    format!(r#""message":{{"content":[{block}]}}"#)
}

/// Returns a stream-json line.
fn streamed(kind: &str, uuid: &str, call: &str, more: &str) -> String {
    format!(
        "{{\"type\":\"{kind}\",{more},\"parent_tool_use_id\":{call},\
         \"uuid\":\"{uuid}\"}}\n"
    )
}
